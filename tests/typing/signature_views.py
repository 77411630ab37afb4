"""The overloads of `MDView`: how a view is made, what brackets load and store, what iteration and ``tolist`` give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import signature_keys as keys
from signature_patterns import RIGHT, WIDE, layouts, overload, result_extents, source_extents, tuple_of

IMPORTS = """\
from types import EllipsisType
from typing import ClassVar, SupportsIndex, TypeAlias, overload
from collections.abc import Sequence

from mdview.accessors.atomic import AtomicAccessor, AtomicRef
from mdview.accessors.base import Writable
from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.serving import Array, Indexable, MutableIndexable, Reads, Serves
from mdview.accessors.unchecked import UncheckedAccessor
from mdview.index.slices import All
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.stride import LayoutStride
from mdview.views.protocols import (
    DataAndThenExtents, ExtentsBesideFittingDataLayoutAndAccessor, IndexForEachDimension, UnknownRank, ValueOfTheElements, ViewIsWritable, Wanted,
)
"""

NAMES = """\
T = TypeVar("T")
L = TypeVar("L", bound=Layout)
K = DefaultTypeVar("K", bound=Layout, default=LayoutRight)
W = TypeVar("W")
B = TypeVar("B")
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
Kept: TypeAlias = Steps | All
Part: TypeAlias = Kept | EllipsisType
Other: TypeAlias = Part | None
Spec: TypeAlias = Int | Other
Rest: TypeAlias = tuple[Spec, ...]
""" + "".join(keys.aliases())
REST = """\
KeysN: TypeAlias = Spec | Rest
Rank5Up: TypeAlias = tuple[int, int, int, int, int, *tuple[int, ...]]
# What may be stored where there are elements W: one for all of them, or one for each.
Row: TypeAlias = Sequence[W] | Array[W] | MDView[W, tuple[int, ...], Layout, Accessor[W, W | AtomicRef[W]]]
Rows: TypeAlias = Sequence[Row[W]] | Sequence[Sequence[Row[W]]] | Sequence[Sequence[Sequence[Row[W]]]]
Fill: TypeAlias = W | Row[W] | Rows[W]
"""

BASES = "_Transposable, "

WITNESSES = """\
# What `UnknownRank` asks for. E in a contravariant place needs the two comments.
def _rank_witness(self, extents: E_co, /) -> None: ...  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues]
def _element(self) -> T_co: ...
"""

NAMED = {**dict.fromkeys(("Checked", "Unchecked", "Atomic"), "MutableIndexable"), "ReadOnly": "Indexable"}
"""The accessors that may be written without their element type, and the data that each serves."""
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
    methods += [one("MDView[T, Rank5Up, Layout, A]", wide)]
    lines = "".join([f"    {line}\n" for line in "".join(methods).splitlines()])
    return f"class _Transposing:\n{lines}class _Transposable:\n    T: ClassVar[_Transposing]\n"


def names() -> str:
    """Definitions that the overloads need."""
    patterns = [pattern for pattern, _, _ in _patterned()] + ["I" * ints + "A" for ints in range(1, ELEMENTS)]
    return NAMES + "".join(keys.pattern_aliases(patterns)) + REST


def overloads() -> dict[str, list[str]]:
    return {
        "__new__": [*_constructor()],
        "from_mapping": [*_from_mapping()],
        "__getitem__": [*_elements(), *_brackets(), *_of_known_rank(), *_wide_brackets()],
        "__setitem__": [*_setitem()],
        "__iter__": [*_iter()],
        "tolist": [*_tolist()],
        "T": [],
    }


def _constructor() -> Iterator[str]:
    """One per rank (a checker that infers `E` whole keeps the literals of plain ints) and kind of accessor.

    Accessors written without their element type, ``CheckedAccessor()``, take it from the data. That needs an overload
    for each of them in front of the general one: mypy would make it ``Never``. An accessor that stores wants data that
    can be stored to, so without an accessor, which is such a one, `bytes` is refused as it is at run time.
    """
    ranks = [tuple_of([f"N{r}" for r in range(rank)]) for rank in range(1, EXACT + 2)]
    for extents in ranks[:EXACT]:
        yield from _forms(extents, "Array[T]", "DefaultAccessor[T]", may_miss=True)
    for extents in (*ranks, "E"):
        yield from _forms(extents, "MutableIndexable[T]", "DefaultAccessor[T]", may_miss=True)
    yield from _loose(ranks)
    for extents in ranks[:EXACT]:
        for name, data in NAMED.items():
            yield from _forms(extents, f"{data}[T]", f"{name}Accessor[T]")
    for extents in (*ranks[:EXACT], "E"):
        yield from _forms(extents, "B", "Serves[B, T, A]", result="A")
    yield from _forms("E", "MutableIndexable[T]", "Writable[T, T]")
    yield from _forms("E", "Indexable[T]", "Reads[T]", result="Accessor[T, T]")
    yield overload("__new__", "cls, data: Wanted[DataAndThenExtents]", "Any")
    rest = "*rest: object, **named: object"
    yield overload(
        "__new__", f"cls, data: object, extents: Wanted[ExtentsBesideFittingDataLayoutAndAccessor], {rest}", "Any"
    )


def _forms(extents: str, data: str, accessor: str, result: str = "", *, may_miss: bool = False) -> Iterator[str]:
    """With a layout and without: were it one optional parameter, what the result is assigned to would decide."""
    result, default = result or accessor, " = ..." * may_miss
    for parameters, layout in ((f"*, accessor: {accessor}", RIGHT), (f"layout: L, accessor: {accessor}", "L")):
        given = f"cls, data: {data}, extents: {extents}, {parameters}{default}"
        yield overload("__new__", given, f"MDView[T, {extents}, {layout}, {result}]")


def _loose(ranks: Sequence[str]) -> Iterator[str]:
    """No data, and extents that are integers of another kind (NumPy's, say) or no tuple: a layout may be missing."""

    def one(data: str, given: str, extents: str, element: str) -> str:
        accessor = f"DefaultAccessor[{element}]"
        parameters = f"cls, data: {data}, extents: {given}, layout: K = ..., accessor: {accessor} = ..."
        return overload("__new__", parameters, f"MDView[{element}, {extents}, K, {accessor}]")

    for extents in (*ranks[:EXACT], "E"):
        yield one("None", extents, extents, "Any")
    for rank in range(1, EXACT + 1):
        yield one("MutableIndexable[T]", tuple_of(["Int"] * rank), tuple_of(["int"] * rank), "T")
    yield one("MutableIndexable[T]", "Sequence[Int]", "tuple[int, ...]", "T")


def _from_mapping() -> Iterator[str]:
    for data, parameter, accessor in (
        ("Array[T]", "", "DefaultAccessor[T]"),
        ("MutableIndexable[T]", "", "DefaultAccessor[T]"),
        ("None", "", "DefaultAccessor[Any]"),
        ("MutableIndexable[T]", ", accessor: CheckedAccessor[T]", "CheckedAccessor[T]"),
        ("MutableIndexable[T]", ", accessor: UncheckedAccessor[T]", "UncheckedAccessor[T]"),
        ("MutableIndexable[T]", ", accessor: AtomicAccessor[T]", "AtomicAccessor[T]"),
        ("Indexable[T]", ", accessor: ReadOnlyAccessor[T]", "ReadOnlyAccessor[T]"),
        ("B", ", accessor: Serves[B, T, A]", "A"),
    ):
        parameters = f"cls, data: {data}, mapping: Mapping[E, L]{parameter}, *, origin: int = 0"
        element = "Any" if data == "None" else "T"
        made = overload("from_mapping", parameters, f"MDView[{element}, E, L, {accessor}]")
        yield made.replace("def", "@classmethod\ndef")


def _of_rank(rank: int, accessor: str) -> str:
    """View of elements that the accessor alone tells, of this rank."""
    return f"MDView[object, {tuple_of(['int'] * rank)}, Layout, {accessor}]"


def _index(rank: int) -> str:
    return "Int | tuple[Int]" if rank == 1 else tuple_of(["Int"] * rank)


def _elements() -> Iterator[str]:
    for rank in range(ELEMENTS + 1):
        yield overload("__getitem__", f"self: {_of_rank(rank, READ)}, index: {_index(rank)}, /", "R")


def _bracket(source: tuple[str, str], index: str, result: tuple[str, str]) -> str:
    """One of a view of these extents and layout."""
    view = f"self: MDView[T_co, {', '.join(source)}, A_co]"
    return overload("__getitem__", f"{view}, index: {index}, /", f"MDView[T_co, {', '.join(result)}, A_co]")


def _patterned() -> Iterator[tuple[str, str, str]]:
    """Patterns with exact results, each with the layouts of the source and of the result."""
    for rank in range(1, EXACT + 1):
        for pattern in [*keys.exact_patterns(rank), *["I" + "A" * rank] * (rank == EXACT)]:
            yield from ((pattern, *pair) for pair in layouts(pattern))
            # Of other patterns the rank alone is known, see `_of_known_rank`: mypy goes through all overloads at each
            # use. A negative step gives LayoutStrideRelaxed, so even LayoutStride widens under Steps.
            if "A" in pattern and (rank < EXACT or "U" not in pattern):
                yield from ((pattern.replace("U", "R"), *pair) for pair in WIDE)
        for pattern in keys.new_axis_patterns(rank) if rank < EXACT else ():
            yield from ((pattern, *pair) for pair in WIDE)


def _brackets() -> Iterator[str]:
    for pattern, source, result in _patterned():
        yield _bracket((source_extents(pattern), source), keys.of_pattern(pattern), (result_extents(pattern), result))


def _of_known_rank() -> Iterator[str]:
    """The keys that have no exact type: what they make of the rank is known, no extents are."""
    for rank in range(keys.RANKS + 1):
        for result in keys.results(rank):
            dynamic = tuple_of(["int"] * result)
            for layout, kept in WIDE:
                yield _bracket((tuple_of(["int"] * rank), layout), keys.alias(rank, result), (dynamic, kept))
    for rank in range(keys.RANKS + 1, ELEMENTS + 1):
        whole = [f"N{r}" for r in range(rank)]
        for ints in range(1, rank):
            source = tuple_of(["int"] * ints + whole[ints:])
            yield _bracket((source, "Layout"), keys.of_pattern("I" * ints + "A"), (tuple_of(whole[ints:]), "Layout"))


def _wide_brackets() -> Iterator[str]:
    wide = "MDView[T_co, tuple[int, ...], Layout, A_co]"
    yield overload("__getitem__", "self: MDView[T_co, Rank5Up, Layout, A_co], index: KeysN, /", wide)
    # Of unknown rank, `v[i, j]` is an element or a row; Any, because a union would be of no use without a cast.
    yield overload("__getitem__", "self: UnknownRank[T_co, A_co], index: Int | tuple[Int, ...], /", "Any")
    yield overload("__getitem__", "self: UnknownRank[T_co, A_co], index: Other | Rest, /", wide)
    yield overload("__getitem__", "self, index: Wanted[IndexForEachDimension], /", "Any")


def _setitem() -> Iterator[str]:
    def one(view: str, index: str, value: str) -> str:
        return overload("__setitem__", f"self: {view}, index: {index}, value: {value}, /", "None")

    ranks = range(ELEMENTS + 1)
    wanted = "Wanted[ValueOfTheElements]"
    yield from (one(_of_rank(rank, WRITE), _index(rank), "W") for rank in ranks)
    # `v[i] += 1` stores back what `v[i]` was.
    yield from (one(_of_rank(rank, "AtomicAccessor[W]"), _index(rank), "AtomicRef[W]") for rank in ranks)
    yield from (one(_of_rank(rank, WRITE), _index(rank), wanted) for rank in ranks)
    for value in ("Fill[W]", wanted):
        yield from (one(_of_rank(rank, WRITE), f"Keys{rank}", value) for rank in range(keys.RANKS + 1))
        yield one(f"MDView[object, Rank5Up, Layout, {WRITE}]", "KeysN", value)
        yield one(f"UnknownRank[object, {WRITE}]", "KeysN", value)
    yield one("UnknownRank[object, AtomicAccessor[W]]", "KeysN", "AtomicRef[W]")
    yield one(f"MDView[object, tuple[int, ...], Layout, {WRITE}]", "Wanted[IndexForEachDimension]", "object")
    yield overload("__setitem__", "self, index: Wanted[ViewIsWritable], value: object, /", "None")


def _iter() -> Iterator[str]:
    def one(view: str, element: str) -> str:
        return overload("__iter__", f"self: {view}", f"Iterator[{element}]")

    yield one(_of_rank(1, READ), "R")
    for rank in range(2, EXACT + 2):
        pattern = "I" + "A" * (rank - 1)
        for source, result in (*layouts(pattern), *WIDE):
            row = f"MDView[T, {result_extents(pattern)}, {result}, A]"
            yield one(f"MDView[T, {source_extents(pattern)}, {source}, A]", row)
    yield one("MDView[T, tuple[int, N1, N2, N3, N4], Layout, A]", "MDView[T, tuple[N1, N2, N3, N4], Layout, A]")
    yield one("MDView[T, Rank5Up, Layout, A]", "MDView[T, tuple[int, ...], Layout, A]")
    yield one("UnknownRank[T, A]", "Any")  # elements or rows, see `_wide_brackets`


def _tolist() -> Iterator[str]:
    for rank in range(ELEMENTS + 1):
        yield overload("tolist", f"self: {_of_rank(rank, READ)}", _nested("R", rank))
    yield overload("tolist", "self", "Any")  # nested lists as deep as the rank, which is not known here


def _nested(element: str, depth: int) -> str:
    return element if depth == 0 else f"list[{_nested(element, depth - 1)}]"
