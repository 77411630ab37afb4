"""mdview: std::mdspan for Python. A view over any memory, with extents, layout and access as separate parts."""

from mdview.accessors.atomic import AtomicAccessor, AtomicRef
from mdview.accessors.base import Accessor, IndexRule, Writable
from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.conjugated import ConjugatedAccessor
from mdview.accessors.default import DefaultAccessor
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
from mdview.algorithms import copy, equal, fill
from mdview.conversion import Conversion, comparable, conversion, convert, kind_of, mandates
from mdview.extents import Dim, Dims1, Dims2, Dims3, Dims4, Dims5, Dims6, Dyn, Extents, dim
from mdview.interop.numpy import asview
from mdview.layouts.base import Layout
from mdview.layouts.composed import LayoutComposed
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.right import LayoutRight
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.stride import LayoutStride
from mdview.layouts.stride_relaxed import LayoutStrideRelaxed
from mdview.layouts.strided import StridedLayout
from mdview.layouts.tiled import LayoutTiled
from mdview.layouts.transpose import LayoutTranspose
from mdview.linalg import conjugate_transposed, conjugated, scaled, transposed
from mdview.mapping import Mapping
from mdview.policies import atomic, checked, readonly, unchecked
from mdview.slices import ALL, ExtentSlice, RangeSlice, StridedSlice
from mdview.static import assume, has_extents
from mdview.submapping import submapping
from mdview.subview import subview
from mdview.transform import IndexTransform
from mdview.view import MDView

__version__ = "0.1.0"

__all__ = [
    "ALL",
    "Accessor",
    "AlignedAccessor",
    "AtomicAccessor",
    "AtomicRef",
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
    "IndexRule",
    "IndexTransform",
    "Layout",
    "LayoutComposed",
    "LayoutLeft",
    "LayoutLeftPadded",
    "LayoutRight",
    "LayoutRightPadded",
    "LayoutStride",
    "LayoutStrideRelaxed",
    "LayoutTiled",
    "LayoutTranspose",
    "MDView",
    "Mapping",
    "MemorySpaceAccessor",
    "NonTemporalAccessor",
    "RandomAccessAccessor",
    "RangeSlice",
    "ReadOnlyAccessor",
    "RestrictAccessor",
    "ScaledAccessor",
    "StridedLayout",
    "StridedSlice",
    "UncheckedAccessor",
    "Writable",
    "assume",
    "asview",
    "atomic",
    "checked",
    "comparable",
    "conjugate_transposed",
    "conjugated",
    "conversion",
    "convert",
    "copy",
    "dim",
    "equal",
    "fill",
    "has_extents",
    "kind_of",
    "mandates",
    "readonly",
    "scaled",
    "submapping",
    "subview",
    "transposed",
    "unchecked",
]
