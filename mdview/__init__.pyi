# The public names, which load on first use.

from collections.abc import Callable
from typing import Any, overload

from mdview.accessors.accessor import Accessor, ElementwiseAccessor, ElementwiseWritable, Writable
from mdview.accessors.policies import CheckedAccessor, DefaultAccessor, ReadOnlyAccessor, UncheckedAccessor
from mdview.atomics.atomic_access import AtomicAccessor
from mdview.drawing.figures import draw
from mdview.index.extents import Dim, Dims1, Dims2, Dims3, Dims4, Dyn, Extents, dim
from mdview.index.slices import ALL, ExtentSlice, RangeSlice, StridedSlice
from mdview.interop.memory_protocols import asview
from mdview.interop.file_opening import open_view
from mdview.interop.file_saving import relayout_file, save
from mdview.interop.zarr_import import from_zarr
from mdview.interop.zarr_export import to_zarr
from mdview.iteration.walks import tiles
from mdview.layouts.layout import Layout
from mdview.layouts.composed import LayoutComposed
from mdview.layouts.nested import LayoutNested
from mdview.layouts.morton_packed import LayoutBlasPacked, LayoutMorton
from mdview.layouts.explicit_strides import LayoutStride, LayoutStrideRelaxed
from mdview.layouts.strided_layout import LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded
from mdview.layouts.tiled import LayoutTiled
from mdview.layouts.swizzle_transpose import LayoutSwizzled
from mdview.mappings.notation.parser import parse
from mdview.mappings.notation.formatter import format as format
from mdview.mappings.mapping import Mapping
from mdview.operations.copy_fill_reduce import copy, equal, fill, reduce
from mdview.operations.creation import empty, empty_like, full, full_like, ones, relayout, zeros, zeros_like
from mdview.operations.manipulation import broadcast_to, diagonal, expand_dims, flip, moveaxis, pad, permute_dims, ravel, reshape, sliding_window, squeeze, swapaxes
from mdview.operations.elementwise_functions import transform
from mdview.views.explanation import explain
from mdview.views.derived_views import assume, atomic, checked, has_extents, readonly, subview, unchecked
from mdview.views.typing_protocols import Compiled as _Compiled, P as _P, R as _R
from mdview.views.view import MDView
from mdview import accessors as accessors, algebra as algebra, atomics as atomics, conformance as conformance, conversions as conversions, drawing as drawing, dtypes as dtypes, errors as errors, formats as formats, index as index, interop as interop, iteration as iteration, layouts as layouts, lazy as lazy, mappings as mappings, operations as operations, polymorphic as polymorphic, symbolic as symbolic, testing as testing

__version__: str
__all__ = ["ALL", "Accessor", "AtomicAccessor", "CheckedAccessor", "DefaultAccessor", "Dim", "Dims1", "Dims2", "Dims3", "Dims4", "Dyn", "ElementwiseAccessor", "ElementwiseWritable", "ExtentSlice", "Extents", "Layout", "LayoutBlasPacked", "LayoutComposed", "LayoutLeft", "LayoutLeftPadded", "LayoutMorton", "LayoutNested", "LayoutRight", "LayoutRightPadded", "LayoutStride", "LayoutStrideRelaxed", "LayoutSwizzled", "LayoutTiled", "MDView", "Mapping", "RangeSlice", "ReadOnlyAccessor", "StridedSlice", "UncheckedAccessor", "Writable", "assume", "asview", "atomic", "broadcast_to", "checked", "copy", "diagonal", "dim", "draw", "empty", "empty_like", "equal", "expand_dims", "explain", "fill", "flip", "from_zarr", "full", "full_like", "has_extents", "moveaxis", "ones", "open_view", "pad", "parse", "permute_dims", "ravel", "readonly", "reduce", "relayout", "relayout_file", "reshape", "save", "sliding_window", "squeeze", "subview", "swapaxes", "tiles", "to_zarr", "transform", "unchecked", "zeros", "zeros_like"]

# Written here, as its module imports Numba, which a checker would read whenever it reads mdview.
@overload
def jit(function: Callable[_P, _R], /) -> _Compiled[_P, _R]: ...
@overload
def jit(function: None = None, /, **options: Any) -> Callable[[Callable[_P, _R]], _Compiled[_P, _R]]: ...
def __dir__() -> list[str]: ...
def _on_first_use(namespace: dict[str, object], **names: str) -> tuple[dict[str, str], list[str]]: ...
def find_format(name: str) -> Callable[..., Mapping[tuple[int, ...], Layout]] | None: ...
def format_names() -> list[str]: ...
def mapping_card(mapping: object) -> str: ...
def parse_layout(text: str) -> Layout: ...
def typeof_view(view: object, _: object) -> object: ...
