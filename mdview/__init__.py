"""mdview: std::mdspan for Python. A view over any memory, with extents, layout and access as separate parts.

The public names are loaded on first use, so that ``import mdview`` costs nothing but the names.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mdview.accessors.atomic import AtomicAccessor, AtomicRef
    from mdview.accessors.base import Accessor, IndexRule, Writable
    from mdview.accessors.checked import CheckedAccessor
    from mdview.accessors.conjugated import ConjugatedAccessor
    from mdview.accessors.default import DefaultAccessor
    from mdview.accessors.fill import FillAccessor
    from mdview.accessors.hints import (
        AlignedAccessor,
        MemorySpaceAccessor,
        NonTemporalAccessor,
        RandomAccessAccessor,
        RestrictAccessor,
    )
    from mdview.accessors.readonly import ReadOnlyAccessor
    from mdview.accessors.scaled import ScaledAccessor
    from mdview.accessors.unchecked import UncheckedAccessor
    from mdview.conversions import Conversion, comparable, conversion, convert, kind_of, mandates
    from mdview.index.extents import Dim, Dims1, Dims2, Dims3, Dims4, Dims5, Dims6, Dyn, Extents, dim
    from mdview.index.slices import ALL, ExtentSlice, RangeSlice, StridedSlice
    from mdview.index.transforms import IndexTransform
    from mdview.interop.numpy import asview
    from mdview.iteration.bins import Binned, Bins
    from mdview.iteration.multi_index import MultiIndex
    from mdview.iteration.tiling import tiles
    from mdview.iteration.view_index import ViewIndex
    from mdview.iteration.walks import elements, flat, indices, runs
    from mdview.layouts.base import Layout
    from mdview.layouts.composed import LayoutComposed
    from mdview.layouts.left import LayoutLeft
    from mdview.layouts.left_padded import LayoutLeftPadded
    from mdview.layouts.morton import LayoutMorton
    from mdview.layouts.packed import LayoutBlasPacked
    from mdview.layouts.right import LayoutRight
    from mdview.layouts.right_padded import LayoutRightPadded
    from mdview.layouts.stride import LayoutStride
    from mdview.layouts.stride_relaxed import LayoutStrideRelaxed
    from mdview.layouts.strided import StridedLayout
    from mdview.layouts.swizzled import LayoutSwizzled
    from mdview.layouts.tiled import LayoutTiled
    from mdview.layouts.transpose import LayoutTranspose
    from mdview.layouts.wrapper import LayoutWrapper
    from mdview.mappings.dense import dense_like
    from mdview.mappings.explaining import explain
    from mdview.mappings.facts import (
        bounds,
        coalesced,
        collision,
        contiguous_runs,
        hole,
        inner_contiguous,
        is_contiguous,
        is_dense,
        mergeable_axes,
        overlap,
        stride_order,
    )
    from mdview.mappings.mapping import Mapping
    from mdview.mappings.slicing import submapping
    from mdview.operations.algorithms import copy, equal, fill, reduce
    from mdview.operations.linalg import conjugate_transposed, conjugated, scaled, transposed
    from mdview.operations.manipulation import (
        bitcast,
        broadcast_to,
        diagonal,
        expand_dims,
        flip,
        moveaxis,
        pad,
        permute_dims,
        ravel,
        reshape,
        shrink,
        sliding_window,
        squeeze,
        swapaxes,
    )
    from mdview.operations.transform import accumulate, transform
    from mdview.views.policies import atomic, checked, readonly, unchecked
    from mdview.views.static_extents import assume, has_extents
    from mdview.views.subviews import subview
    from mdview.views.view import MDView

__version__ = "0.1.0"

_ROOMS = {
    "mdview.accessors.atomic": ("AtomicAccessor", "AtomicRef"),
    "mdview.accessors.base": ("Accessor", "IndexRule", "Writable"),
    "mdview.accessors.checked": ("CheckedAccessor",),
    "mdview.accessors.conjugated": ("ConjugatedAccessor",),
    "mdview.accessors.default": ("DefaultAccessor",),
    "mdview.accessors.hints": (
        "AlignedAccessor",
        "MemorySpaceAccessor",
        "NonTemporalAccessor",
        "RandomAccessAccessor",
        "RestrictAccessor",
    ),
    "mdview.accessors.readonly": ("ReadOnlyAccessor",),
    "mdview.accessors.scaled": ("ScaledAccessor",),
    "mdview.accessors.unchecked": ("UncheckedAccessor",),
    "mdview.operations.algorithms": ("copy", "equal", "fill", "reduce"),
    "mdview.conversions": ("Conversion", "comparable", "conversion", "convert", "kind_of", "mandates"),
    "mdview.index.extents": ("Dim", "Dims1", "Dims2", "Dims3", "Dims4", "Dims5", "Dims6", "Dyn", "Extents", "dim"),
    "mdview.interop.numpy": ("asview",),
    "mdview.operations.transform": ("accumulate", "transform"),
    "mdview.iteration.bins": ("Binned", "Bins"),
    "mdview.iteration.multi_index": ("MultiIndex",),
    "mdview.iteration.tiling": ("tiles",),
    "mdview.iteration.view_index": ("ViewIndex",),
    "mdview.iteration.walks": ("elements", "flat", "indices", "runs"),
    "mdview.layouts.base": ("Layout",),
    "mdview.layouts.composed": ("LayoutComposed",),
    "mdview.layouts.left": ("LayoutLeft",),
    "mdview.layouts.left_padded": ("LayoutLeftPadded",),
    "mdview.layouts.right": ("LayoutRight",),
    "mdview.layouts.right_padded": ("LayoutRightPadded",),
    "mdview.layouts.stride": ("LayoutStride",),
    "mdview.layouts.stride_relaxed": ("LayoutStrideRelaxed",),
    "mdview.layouts.strided": ("StridedLayout",),
    "mdview.layouts.tiled": ("LayoutTiled",),
    "mdview.layouts.transpose": ("LayoutTranspose",),
    "mdview.layouts.wrapper": ("LayoutWrapper",),
    "mdview.operations.linalg": ("conjugate_transposed", "conjugated", "scaled", "transposed"),
    "mdview.operations.manipulation": (
        "bitcast",
        "broadcast_to",
        "diagonal",
        "expand_dims",
        "flip",
        "moveaxis",
        "pad",
        "permute_dims",
        "ravel",
        "reshape",
        "shrink",
        "sliding_window",
        "squeeze",
        "swapaxes",
    ),
    "mdview.accessors.fill": ("FillAccessor",),
    "mdview.mappings.dense": ("dense_like",),
    "mdview.layouts.morton": ("LayoutMorton",),
    "mdview.layouts.packed": ("LayoutBlasPacked",),
    "mdview.layouts.swizzled": ("LayoutSwizzled",),
    "mdview.mappings.explaining": ("explain",),
    "mdview.mappings.facts": (
        "bounds",
        "coalesced",
        "collision",
        "contiguous_runs",
        "hole",
        "inner_contiguous",
        "is_contiguous",
        "is_dense",
        "mergeable_axes",
        "overlap",
        "stride_order",
    ),
    "mdview.mappings.mapping": ("Mapping",),
    "mdview.views.policies": ("atomic", "checked", "readonly", "unchecked"),
    "mdview.index.slices": ("ALL", "ExtentSlice", "RangeSlice", "StridedSlice"),
    "mdview.views.static_extents": ("assume", "has_extents"),
    "mdview.mappings.slicing": ("submapping",),
    "mdview.views.subviews": ("subview",),
    "mdview.index.transforms": ("IndexTransform",),
    "mdview.views.view": ("MDView",),
}
"""Public names by the module that defines them."""

_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "ALL",
    "Accessor",
    "AlignedAccessor",
    "AtomicAccessor",
    "AtomicRef",
    "Binned",
    "Bins",
    "CheckedAccessor",
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
    "ExtentSlice",
    "Extents",
    "FillAccessor",
    "IndexRule",
    "IndexTransform",
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
    "NonTemporalAccessor",
    "RandomAccessAccessor",
    "RangeSlice",
    "ReadOnlyAccessor",
    "RestrictAccessor",
    "ScaledAccessor",
    "StridedLayout",
    "StridedSlice",
    "UncheckedAccessor",
    "ViewIndex",
    "Writable",
    "accumulate",
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
    "equal",
    "expand_dims",
    "explain",
    "fill",
    "flat",
    "flip",
    "has_extents",
    "hole",
    "indices",
    "inner_contiguous",
    "is_contiguous",
    "is_dense",
    "kind_of",
    "mandates",
    "mergeable_axes",
    "moveaxis",
    "overlap",
    "pad",
    "permute_dims",
    "ravel",
    "readonly",
    "reduce",
    "reshape",
    "runs",
    "scaled",
    "shrink",
    "sliding_window",
    "squeeze",
    "stride_order",
    "submapping",
    "subview",
    "swapaxes",
    "tiles",
    "transform",
    "transposed",
    "unchecked",
]


def __getattr__(name: str) -> object:
    """Load a public name from its module and keep it."""
    room = _ROOM_OF.get(name)
    if room is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # noqa: PLC0415 - needed by whoever gets here only

    found: object = getattr(import_module(room), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return [*globals(), *(name for name in __all__ if name not in globals())]
