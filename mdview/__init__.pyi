# Public names for type checkers: those of `_NAMES` and `_SUBMODULES` in __init__.py.

from mdview.accessors.base import Accessor, IndexRule, Items, MutableItems, Writable
from mdview.accessors.elementwise import ElementwiseAccessor, ElementwiseWritable
from mdview.accessors.policies import AlignedAccessor, CheckedAccessor, ConjugatedAccessor, DefaultAccessor, FillAccessor, MemorySpaceAccessor, NonTemporalAccessor, RandomAccessAccessor, ReadOnlyAccessor, RestrictAccessor, ScaledAccessor, UncheckedAccessor
from mdview.atomics.accessor import AtomicAccessor
from mdview.atomics.reference import AtomicRef
from mdview.conversions import Conversion, comparable, conversion, convert, kind_of, mandates
from mdview.index.extents import Dim, Dims1, Dims2, Dims3, Dims4, Dims5, Dims6, Dyn, Extents, dim
from mdview.index.slices import ALL, ExtentSlice, RangeSlice, StridedSlice
from mdview.index.transforms import IndexMap
from mdview.interop.asview import asview
from mdview.interop.dask.arrays import to_dask
from mdview.interop.dask.tile_mapping import map_tiles
from mdview.interop.files.opening import open_view
from mdview.interop.files.parts import TileBytes, tile_bytes
from mdview.interop.files.saving import relayout_file, save
from mdview.interop.writers.conflicts import Conflict, aligned, conflicts
from mdview.interop.zarr.reading import from_zarr
from mdview.interop.zarr.writing import to_zarr
from mdview.iteration.bins import Binned, Bins
from mdview.iteration.places import MultiIndex, ViewIndex
from mdview.iteration.tiling import tiles
from mdview.iteration.walks import elements, flat, indices, runs
from mdview.layouts.base import Composition, Layout, StrideRule, Tiling
from mdview.layouts.composed import LayoutComposed
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.packed import LayoutBlasPacked
from mdview.layouts.stride import LayoutStride, LayoutStrideRelaxed
from mdview.layouts.strided import LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded, StridedLayout
from mdview.layouts.tiled import LayoutTiled
from mdview.layouts.wrapper import LayoutSwizzled, LayoutTranspose, LayoutWrapper
from mdview.mappings.dense import contiguous_runs, dense_like
from mdview.mappings.facts import bounds, coalesced, collision, hole, inner_contiguous, is_contiguous, is_dense, mergeable_axes, overlap, stride_order
from mdview.mappings.language.reading import parse
from mdview.mappings.language.writing import format as format
from mdview.mappings.mapping import Mapping
from mdview.mappings.slicing import submapping
from mdview.operations.algorithms import copy, equal, fill, reduce
from mdview.operations.creation import empty, empty_like, full, full_like, ones, relayout, zeros, zeros_like
from mdview.operations.linalg import conjugate_transposed, conjugated, scaled, transposed
from mdview.operations.manipulation import bitcast, broadcast_to, diagonal, expand_dims, flip, moveaxis, pad, permute_dims, ravel, reshape, shrink, sliding_window, squeeze, swapaxes
from mdview.operations.transform import accumulate, transform
from mdview.views.explaining import explain
from mdview.views.policies import atomic, checked, readonly, unchecked
from mdview.views.subviews import assume, has_extents, subview
from mdview.views.view import MDView
import mdview.drawing as _drawing
import mdview.errors as _errors
import mdview.interop as _interop
import mdview.lazy as _lazy
import mdview.polymorphic as _polymorphic
import mdview.symbolic as _symbolic
import mdview.testing as _testing

__version__: str
__all__ = [
    "ALL",
    "Accessor",
    "AlignedAccessor",
    "AtomicAccessor",
    "AtomicRef",
    "Binned",
    "Bins",
    "CheckedAccessor",
    "Composition",
    "Conflict",
    "ConjugatedAccessor",
    "Conversion",
    "DefaultAccessor",
    "Dim",
    "Dims1",
    "Dims2",
    "Dims3",
    "Dims4",
    "Dims5",
    "Dims6",
    "Dyn",
    "ElementwiseAccessor",
    "ElementwiseWritable",
    "ExtentSlice",
    "Extents",
    "FillAccessor",
    "IndexMap",
    "IndexRule",
    "Items",
    "Layout",
    "LayoutBlasPacked",
    "LayoutComposed",
    "LayoutLeft",
    "LayoutLeftPadded",
    "LayoutMorton",
    "LayoutRight",
    "LayoutRightPadded",
    "LayoutStride",
    "LayoutStrideRelaxed",
    "LayoutSwizzled",
    "LayoutTiled",
    "LayoutTranspose",
    "LayoutWrapper",
    "MDView",
    "Mapping",
    "MemorySpaceAccessor",
    "MultiIndex",
    "MutableItems",
    "NonTemporalAccessor",
    "RandomAccessAccessor",
    "RangeSlice",
    "ReadOnlyAccessor",
    "RestrictAccessor",
    "ScaledAccessor",
    "StrideRule",
    "StridedLayout",
    "StridedSlice",
    "TileBytes",
    "Tiling",
    "UncheckedAccessor",
    "ViewIndex",
    "Writable",
    "accumulate",
    "aligned",
    "assume",
    "asview",
    "atomic",
    "bitcast",
    "bounds",
    "broadcast_to",
    "checked",
    "coalesced",
    "collision",
    "comparable",
    "conflicts",
    "conjugate_transposed",
    "conjugated",
    "contiguous_runs",
    "conversion",
    "convert",
    "copy",
    "dense_like",
    "diagonal",
    "dim",
    "elements",
    "empty",
    "empty_like",
    "equal",
    "expand_dims",
    "explain",
    "fill",
    "flat",
    "flip",
    "from_zarr",
    "full",
    "full_like",
    "has_extents",
    "hole",
    "indices",
    "inner_contiguous",
    "is_contiguous",
    "is_dense",
    "kind_of",
    "mandates",
    "map_tiles",
    "mergeable_axes",
    "moveaxis",
    "ones",
    "open_view",
    "overlap",
    "pad",
    "parse",
    "permute_dims",
    "ravel",
    "readonly",
    "reduce",
    "relayout",
    "relayout_file",
    "reshape",
    "runs",
    "save",
    "scaled",
    "shrink",
    "sliding_window",
    "squeeze",
    "stride_order",
    "submapping",
    "subview",
    "swapaxes",
    "tile_bytes",
    "tiles",
    "to_dask",
    "to_zarr",
    "transform",
    "transposed",
    "unchecked",
    "zeros",
    "zeros_like",
]
drawing = _drawing
errors = _errors
interop = _interop
lazy = _lazy
polymorphic = _polymorphic
symbolic = _symbolic
testing = _testing

def __dir__() -> list[str]: ...
