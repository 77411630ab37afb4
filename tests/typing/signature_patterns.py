"""Slice patterns, one letter per dimension, and all names that overloads are written with.

I is an int, A the whole dimension, U a range of stride 1, R a range of any stride, X any range, P what keeps the
dimension, N a new axis, which is no dimension of the source. The layout rules are those of the C++ draft,
[mdspan.sub.map], as layouts tell them to a checker, see `signature_layouts`.
"""

from __future__ import annotations

from collections.abc import Sequence

RIGHT = "LayoutRight"
SHAPES = ("tuple[N0]", "tuple[N0, N1, *Ns]", "E")
"""Extents as arguments. Pyright keeps the literals of a tuple that a type variable stands for as a whole, which `E` does
for those that come as a variable, and for none; of its parts it keeps none. `Ns` has no bound: the first two are
checked where they are given, all others where an index meets them."""

EACH = ("tuple[N0]", "tuple[N0, N1]", "tuple[N0, N1, N2]", "tuple[N0, N1, N2, N3, *Ns]", "E")
"""`SHAPES` for ty, which does not solve other type variables beside `Ns` where a type is wanted or contravariant."""

IMPORTS = """\
from collections.abc import Sequence
from types import EllipsisType
from typing import Any, ClassVar, Generic, Literal, Self, SupportsIndex, TypeAlias, TypeVar, TypeVarTuple, overload

from mdview.accessors.base import Accessor, Array, Indexable, MutableIndexable, Plain, Reads, Serves, Writable
from mdview.accessors.fill import FillAccessor
from mdview.accessors.policies import CheckedAccessor, DefaultAccessor, ReadOnlyAccessor, UncheckedAccessor
from mdview.atomics.accessor import AtomicAccessor
from mdview.atomics.reference import AtomicRef
from mdview.index.slices import All, ExtentSlice, RangeSlice, StridedSlice
from mdview.layouts.base import Layout
from mdview.layouts.stride import LayoutStride
from mdview.layouts.strided import (
    LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded, StridedLayout,
)
from mdview.mappings.mapping import Mapping
from mdview.views.protocols import (
    Admits, AnyRank, BackOf, ColumnOf, DataAndThenExtents, DenseOf, ExtentsAndThenValue,
    ExtentsBesideFittingDataLayoutAndAccessor, ExtentsInOneTuple, FormatOfStruct, FrontOf, IndexForEachDimension,
    IntegerOffsetAndAxes, LayoutObject, MappingIn, MiddleOf, ModeOfPadding, OrderIsCOrF, PartOf, Rank, ReshapedOf,
    ReversedOf, RowOf, SequenceOfAxes, ShapeInOneTuple, SliceForEachDimension, SpanOf, TurnedOf, TwoAxes, UnfitFormat, UnknownRank,
    ValueOfTheElements, ViewAndThenExtents, ViewIn, ViewIsWritable, ViewOfOneRank, ViewOrMappingAndThenArguments, Wanted,
)
from mdview.views.view import MDView
from typing_extensions import TypeVar as DefaultTypeVar
"""
"""What stubs may import; each imports what it uses."""

NAMES = {
    **{name: f'TypeVar("{name}")' for name in "TWRBCV"},
    **{f"N{r}": f'TypeVar("N{r}", bound=int)' for r in range(6)},
    "Ns": 'TypeVarTuple("Ns")',
    "E": 'TypeVar("E", bound="tuple[int, ...]")',
    "L": 'TypeVar("L", bound=Layout)',
    "K": 'DefaultTypeVar("K", bound=Layout, default=LayoutRight)',
    "A": 'TypeVar("A", bound=Accessor[object, object])',
    "Int": "SupportsIndex",
    "Int1": "Int | tuple[Int]",
    "First": "Literal[0, -2]",
    "Second": "Literal[1, -1]",
    "Integers": 'Literal["b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N"]',
    "Floats": 'Literal["e", "f", "d"]',
}
"""Definitions of the type variables and aliases of overloads; each stub has those that it uses."""


def layout_after(pattern: str) -> str:
    """The layout of the source whose layout after slices is `L`: exact where what is kept is one block."""
    core = pattern.strip("I")
    if not core.strip("A"):
        found = "L"
    elif core == "AIA":
        found = "MiddleOf[L]"
    elif core == "U":
        found = "SpanOf[L]"
    elif core.startswith("U") and not core[1:].strip("A"):
        found = "FrontOf[L]"
    elif core.endswith("U") and not core[:-1].strip("A"):
        found = "BackOf[L]"
    else:
        return "PartOf[L]"
    found = f"ColumnOf[{found}]" if core and pattern.endswith("I") else found
    return f"RowOf[{found}]" if core and pattern.startswith("I") else found


def tuple_of(items: Sequence[str]) -> str:
    return f"tuple[{', '.join(items) or '()'}]"


def dynamic(rank: int) -> str:
    """Extents of which the rank alone is known."""
    return tuple_of(["int"] * rank)


def source_extents(pattern: str) -> str:
    return tuple_of(_extents(pattern.replace("N", "")))


def result_extents(pattern: str) -> str:
    extents = iter(_extents(pattern.replace("N", "")))
    kept = ["int" if letter == "N" else next(extents) for letter in pattern]
    return tuple_of([extent for letter, extent in zip(pattern, kept, strict=True) if letter != "I"])


def _extents(letters: str) -> list[str]:
    return [f"N{r}" if letter == "A" else "int" for r, letter in enumerate(letters)]


def view_in(extents: str, layout: str) -> str:
    """A view as a parameter. Where the layout is told by none of the protocols, a view says it itself."""
    kind = "ViewIn" if "[" in layout else "MDView"
    return f"{kind}[T, {extents}, {layout}, A]"


def mapping_in(extents: str, layout: str) -> str:
    return f"{'MappingIn' if '[' in layout else 'Mapping'}[{extents}, {layout}]"


def overload(name: str, parameters: str, result: str) -> str:
    """One overload on one line, so that the file reads as a table."""
    return f"@overload\ndef {name}({parameters}) -> {result}: ...\n"
