"""The overloads of `MDView`: how a view is made, what brackets load and store, what iteration and ``tolist`` give."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from signature_patterns import RIGHT, WIDE, layouts, overload, result_extents, source_extents, tuple_of

IMPORTS = """\
from types import EllipsisType
from typing import ClassVar, SupportsIndex, TypeAlias, overload

from numpy import dtype as DType

from mdview.accessors.atomic import AtomicAccessor, AtomicRef
from mdview.accessors.base import Writable
from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.unchecked import UncheckedAccessor
from mdview.index.slices import All
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.stride import LayoutStride
from mdview.views.protocols import UnknownRank
"""

NAMES = """\
T = TypeVar("T")
W = TypeVar("W")
L = TypeVar("L", bound=Layout)
A = TypeVar("A", bound=Accessor[object, object])
N0 = TypeVar("N0", bound=int)
N1 = TypeVar("N1", bound=int)
N2 = TypeVar("N2", bound=int)
N3 = TypeVar("N3", bound=int)
N4 = TypeVar("N4", bound=int)
N5 = TypeVar("N5", bound=int)
Int: TypeAlias = SupportsIndex
Bound: TypeAlias = SupportsIndex | None
Whole: TypeAlias = All | slice[None, None, None]
Span: TypeAlias = slice[Bound, Bound, None]
Steps: TypeAlias = slice[Bound, Bound, Bound]
Part: TypeAlias = Steps | All | EllipsisType
Spec: TypeAlias = Int | Part
Parts1: TypeAlias = Part | tuple[Part]
Parts2: TypeAlias = Spec | tuple[Spec] | tuple[Part, Spec] | tuple[Spec, Part]
Lead2: TypeAlias = Spec | tuple[Spec] | tuple[Spec, Spec]
Parts3: TypeAlias = Lead2 | tuple[Part, Spec, Spec] | tuple[Spec, Part, Spec] | tuple[Spec, Spec, Part]
Rest: TypeAlias = tuple[Spec, ...]
Lead3: TypeAlias = Lead2 | tuple[Spec, Spec, Spec]
Mixed: TypeAlias = tuple[Part, *Rest] | tuple[Spec, Part, *Rest] | tuple[Spec, Spec, Part, *Rest]
PartsN: TypeAlias = Lead3 | Mixed | tuple[Spec, Spec, Spec, Part, *Rest]
Rank4Up: TypeAlias = tuple[int, int, int, int, *tuple[int, ...]]
# What may be stored where the elements are W. An AtomicRef because `v[i] += 1` stores back what `v[i]` was.
Stored: TypeAlias = W | AtomicRef[W]
Fill: TypeAlias = W | MDView[W, tuple[int, ...], Layout, Accessor[W, W]]
"""

BASES = "_Transposable, "

WITNESSES = """\
# What `UnknownRank` asks for. E in a contravariant place needs the two comments.
def _rank_witness(self, extents: E_co, /) -> None: ...  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues]
def _element(self) -> T_co: ...
"""

NAMED = ("Default", "Checked", "Unchecked", "ReadOnly", "Atomic")
EXACT = 3
"""Up to this rank subviews in brackets have exact types."""
ELEMENTS = 6
"""Up to this rank the elements have exact types."""
READ, WRITE = "Accessor[object, R]", "Writable[W, object]"


EXACT_TRANSPOSES = (
    ("LayoutRight", "LayoutLeft"),
    ("LayoutLeft", "LayoutRight"),
    ("LayoutRightPadded", "LayoutLeftPadded"),
    ("LayoutLeftPadded", "LayoutRightPadded"),
    ("LayoutStride", "LayoutStride"),
)


def transposing() -> str:
    """The classes of ``view.T``, whose name would hide the type variable `T` in the class of views itself."""

    def one(view: str, result: str) -> str:
        return overload("__get__", f"self, view: {view}, owner: object, /", result)

    def of_rank(rank: int, source: str, result: str) -> str:
        names = [f"N{r}" for r in range(rank)]
        reverse = tuple_of(names[::-1])
        return one(f"MDView[T, {tuple_of(names)}, {source}, A]", f"MDView[T, {reverse}, {result}, A]")

    wide = "MDView[T, tuple[int, ...], Layout, A]"
    # Of unknown rank comes first: where the extents are Any, pyright takes the first overload that fits.
    methods = [one("None", "Self"), one("UnknownRank[T, A]", wide), *[of_rank(2, *pair) for pair in EXACT_TRANSPOSES]]
    methods += [of_rank(rank, "Layout", "Layout") for rank in range(ELEMENTS + 1)]
    methods += [one("MDView[T, Rank4Up, Layout, A]", wide)]
    lines = "".join([f"    {line}\n" for line in "".join(methods).splitlines()])
    return f"class _Transposing:\n{lines}class _Transposable:\n    T: ClassVar[_Transposing]\n"


def overloads() -> dict[str, list[str]]:
    return {
        "__new__": [*_constructor()],
        "from_mapping": [*_from_mapping()],
        "__getitem__": [*_elements(), *_brackets(), *_wide_brackets()],
        "__setitem__": [*_setitem()],
        "__iter__": [*_iter()],
        "tolist": [*_tolist()],
        "T": [],
        "dtype": ["@property\ndef dtype(self) -> DType[Any]: ...\n"],
    }


def _constructor() -> Iterator[str]:
    """One per rank (a checker that infers `E` whole keeps the literals of plain ints) and kind of arguments.

    Accessors written without their element type, ``CheckedAccessor()``, take it from the data. That needs an overload
    for each of them in front of the general one: mypy would make it ``Never``.
    """

    def one(extents: str, parameters: str, layout: str, accessor: str) -> str:
        parameters = f"cls, data: Indexable[T], extents: {extents}{parameters}"
        return overload("__new__", parameters, f"MDView[T, {extents}, {layout}, {accessor}]")

    for rank in (0, 1, 2, 3, 4, None):
        extents = "E" if rank is None else tuple_of([f"N{r}" for r in range(rank)])
        yield one(extents, "", RIGHT, "DefaultAccessor[T]")
        yield one(extents, ", layout: L", "L", "DefaultAccessor[T]")
        named = [f"{name}Accessor[T]" for name in NAMED] if rank in {1, 2, 3, None} else []
        for accessor in (*named, "A"):
            yield one(extents, f", layout: L, accessor: {accessor}", "L", accessor)
            yield one(extents, f", *, accessor: {accessor}", RIGHT, accessor)


def _from_mapping() -> Iterator[str]:
    for parameter, accessor in (("", "DefaultAccessor[T]"), (", accessor: A", "A")):
        parameters = f"cls, data: Indexable[T], mapping: Mapping[E, L]{parameter}, *, origin: int = 0"
        yield overload("from_mapping", parameters, f"MDView[T, E, L, {accessor}]").replace("def", "@classmethod\ndef")


def _of_rank(rank: int, accessor: str) -> str:
    """View of elements that the accessor alone tells, of this rank."""
    return f"MDView[object, {tuple_of(['int'] * rank)}, Layout, {accessor}]"


def _index(rank: int) -> str:
    return "Int | tuple[Int]" if rank == 1 else tuple_of(["Int"] * rank)


def _elements() -> Iterator[str]:
    for rank in range(ELEMENTS + 1):
        yield overload("__getitem__", f"self: {_of_rank(rank, READ)}, index: {_index(rank)}, /", "R")


def _bracket_forms(pattern: str) -> list[str]:
    """The ways to write a pattern in brackets: trailing A's may be left out, one run of A's may be an ellipsis."""
    names = {"I": "Int", "A": "Whole", "U": "Span", "R": "Steps", "E": "EllipsisType"}
    bare = pattern.rstrip("A")
    spellings = [pattern[:n] for n in range(max(len(bare), 1), len(pattern) + 1)]
    for n in range(len(pattern), 0, -1):
        at = pattern.find("A" * n)
        if at >= 0:
            spellings += [pattern[:at] + "E" + pattern[at + n :]]
            break
    forms = [names[s] for s in spellings if len(s) == 1]
    return forms + [tuple_of([names[kind] for kind in s]) for s in spellings]


def _brackets() -> Iterator[str]:
    def one(pattern: str, source: str, result: str) -> str:
        view = f"self: MDView[T, {source_extents(pattern)}, {source}, A]"
        index = " | ".join(_bracket_forms(pattern))
        result = f"MDView[T, {result_extents(pattern)}, {result}, A]"
        return overload("__getitem__", f"{view}, index: {index}, /", result)

    for rank in range(1, EXACT + 1):
        patterns = ["".join(p) for p in product("IAU", repeat=rank) if set(p) != {"I"}]
        if rank == EXACT:
            patterns += ["I" + "A" * rank]
        for pattern in patterns:
            if "U" not in pattern:
                yield from (one(pattern, *pair) for pair in (*layouts(pattern), *WIDE))
                continue
            # A negative step gives LayoutStrideRelaxed, so even LayoutStride widens under Steps.
            yield from (one(pattern, *pair) for pair in layouts(pattern))
            yield from (one(pattern.replace("U", "R"), *pair) for pair in WIDE)


def _wide_brackets() -> Iterator[str]:
    wide = "MDView[T, tuple[int, ...], Layout, A]"
    yield overload("__getitem__", "self: MDView[T, Rank4Up, Layout, A], index: PartsN, /", wide)
    # Of unknown rank, `v[i, j]` is an element or a row; Any, because a union would be of no use without a cast.
    yield overload("__getitem__", "self: UnknownRank[T, A], index: Int | tuple[Int, ...], /", "Any")
    yield overload("__getitem__", "self: UnknownRank[T, A], index: Part | tuple[Spec, ...], /", wide)


def _setitem() -> Iterator[str]:
    def one(view: str, index: str, value: str) -> str:
        return overload("__setitem__", f"self: {view}, index: {index}, value: {value}, /", "None")

    yield from (one(_of_rank(rank, WRITE), _index(rank), "Stored[W]") for rank in range(ELEMENTS + 1))
    yield from (one(_of_rank(rank, WRITE), f"Parts{rank}", "Fill[W]") for rank in range(1, EXACT + 1))
    yield one(f"MDView[object, Rank4Up, Layout, {WRITE}]", "PartsN", "Fill[W]")
    yield one(f"UnknownRank[object, {WRITE}]", "Spec | tuple[Spec, ...]", "Fill[W]")


def _iter() -> Iterator[str]:
    def one(view: str, element: str) -> str:
        return overload("__iter__", f"self: {view}", f"Iterator[{element}]")

    yield one(_of_rank(1, READ), "R")
    for rank in range(2, EXACT + 2):
        pattern = "I" + "A" * (rank - 1)
        for source, result in (*layouts(pattern), *WIDE):
            row = f"MDView[T, {result_extents(pattern)}, {result}, A]"
            yield one(f"MDView[T, {source_extents(pattern)}, {source}, A]", row)
    yield one("MDView[T, Rank4Up, Layout, A]", "MDView[T, tuple[int, ...], Layout, A]")
    yield one("UnknownRank[T, A]", "Any")  # elements or rows, see `_wide_brackets`


def _tolist() -> Iterator[str]:
    for rank in range(ELEMENTS + 1):
        yield overload("tolist", f"self: {_of_rank(rank, READ)}", _nested("R", rank))
    yield overload("tolist", "self", "Any")  # nested lists as deep as the rank, which is not known here


def _nested(element: str, depth: int) -> str:
    return element if depth == 0 else f"list[{_nested(element, depth - 1)}]"
