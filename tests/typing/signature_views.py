"""The overloads of `MDView`: how a view is made, what brackets load and store, what iteration and ``tolist`` give."""

from __future__ import annotations

from collections.abc import Iterator

import signature_keys as keys
from signature_patterns import (
    RIGHT,
    SHAPES,
    dynamic,
    layout_after,
    overload,
    result_extents,
    source_extents,
    tuple_of,
)

NAMES = (
    """\
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
"""
    + "".join(keys.aliases())
    + """\
KeysN: TypeAlias = Spec | Rest
Rank5Up: TypeAlias = tuple[int, int, int, int, int, *tuple[int, ...]]
Rank7Up: TypeAlias = tuple[int, int, int, int, int, int, int, *tuple[int, ...]]
# What may be stored where there are elements W: one for all of them, or one for each.
Row: TypeAlias = Sequence[W] | Array[W] | MDView[W, tuple[int, ...], Layout, Accessor[W, W | AtomicRef[W]]]
Rows: TypeAlias = Sequence[Row[W]] | Sequence[Sequence[Row[W]]] | Sequence[Sequence[Sequence[Row[W]]]]
Fill: TypeAlias = W | Row[W] | Rows[W]
"""
)
WITNESSES = """\
# What `UnknownRank` and `ViewIn` ask for. E in a contravariant place needs the two comments.
def _rank_witness(self, extents: E_co, /) -> None: ...  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues]
def _element(self) -> T_co: ...
"""
NAMED = {**dict.fromkeys(("Checked", "Unchecked", "Atomic"), "MutableIndexable"), "ReadOnly": "Indexable"}
"""The accessors that may be written without their element type, and the data that each serves."""
RANKS = range(keys.RANKS + 1)
ELEMENTS = 6
"""Up to this rank the elements have exact types."""
READ, WRITE = "Accessor[object, R]", "Writable[W, object]"
WIDE = "MDView[T, tuple[int, ...], Layout, A]"


def transposing() -> str:
    """The classes of ``view.T``, whose name would hide the type variable `T` in the class of views itself."""

    def one(view: str, result: str) -> str:
        return overload("__get__", f"self, view: {view}, owner: object, /", result)

    def of_rank(rank: int) -> str:
        names = [f"N{r}" for r in range(rank)]
        reverse = f"MDView[T, {tuple_of(names[::-1])}, L, A]"
        return one(f"ViewIn[T, {tuple_of(names)}, TurnedOf[L], A]", reverse)

    # Of unknown rank comes first: where the extents are Any, pyright takes the first overload that fits.
    methods = [one("None", "Self"), one("UnknownRank[T, A]", WIDE), *map(of_rank, RANKS)]
    methods += [one("MDView[T, Rank5Up, Layout, A]", WIDE)]
    lines = "".join([f"    {line}\n" for line in "".join(methods).splitlines()])
    return f"class _Transposing:\n{lines}class _Transposable:\n    T: ClassVar[_Transposing]\n"


def names() -> str:
    """Definitions that the overloads need."""
    return NAMES + transposing()


def overloads() -> dict[str, list[str]]:
    null = [overload("null", f"cls, extents: {extents}", f"MDView[Any, {extents}]") for extents in SHAPES]
    return {
        "__new__": [*_constructor()],
        "from_mapping": [_class_method(text) for text in _from_mapping()],
        "null": [_class_method(text) for text in null],
        "__getitem__": [*_getitem()],
        "__setitem__": [*_setitem()],
        "__iter__": [*_iter()],
        "tolist": [*_tolist()],
        "T": [],
    }


def _constructor() -> Iterator[str]:
    """One for each of `SHAPES` and kind of accessor.

    Accessors written without their element type, ``CheckedAccessor()``, take it from the data. That needs an overload
    for each of them in front of the general one: mypy would make it ``Never``. An accessor that stores wants data that
    can be stored to, so without an accessor, which is such a one, `bytes` is refused as it is at run time.
    """
    for data in ("Array[T]", "MutableIndexable[T]"):
        for extents in SHAPES:
            yield from _forms(extents, data, "DefaultAccessor[T]", may_miss=True)
    yield from _loose()
    for extents in SHAPES[:-1]:
        for name, data in NAMED.items():
            yield from _forms(extents, f"{data}[T]", f"{name}Accessor[T]")
    for extents in SHAPES:
        yield from _forms(extents, "B", "Serves[B, T, A]", result="A")
    for extents in SHAPES:
        yield from _forms(extents, "MutableIndexable[T]", "Writable[T, T]")
        yield from _forms(extents, "Indexable[T]", "Reads[T]", result="Accessor[T, T]")
    yield overload("__new__", "cls, data: Wanted[DataAndThenExtents]", "Any")
    unfit = "Wanted[ExtentsBesideFittingDataLayoutAndAccessor], *rest: object, **named: object"
    yield overload("__new__", f"cls, data: object, extents: {unfit}", "Any")


def _forms(extents: str, data: str, accessor: str, result: str = "", *, may_miss: bool = False) -> Iterator[str]:
    """With a layout and without: were it one optional parameter, what the result is assigned to would decide."""
    result, default = result or accessor, " = ..." * may_miss
    for parameters, layout in ((f"*, accessor: {accessor}", RIGHT), (f"layout: L, accessor: {accessor}", "L")):
        given = f"cls, data: {data}, extents: {extents}, {parameters}{default}"
        yield overload("__new__", given, f"MDView[T, {extents}, {layout}, {result}]")


def _loose() -> Iterator[str]:
    """No data, and extents that are integers of another kind (NumPy's, say) or no tuple: a layout may be missing."""
    rows = [("None", extents, extents, "Any") for extents in SHAPES]
    rows += [("MutableIndexable[T]", tuple_of(["Int"] * rank), dynamic(rank), "T") for rank in (1, 2, 3)]
    rows += [("MutableIndexable[T]", "Sequence[Int]", "tuple[int, ...]", "T")]
    for data, given, extents, element in rows:
        accessor = f"DefaultAccessor[{element}]"
        parameters = f"cls, data: {data}, extents: {given}, layout: K = ..., accessor: {accessor} = ..."
        yield overload("__new__", parameters, f"MDView[{element}, {extents}, K, {accessor}]")


def _from_mapping() -> Iterator[str]:
    rows = [("Array[T]", "", "DefaultAccessor[T]"), ("MutableIndexable[T]", "", "DefaultAccessor[T]")]
    rows += [("None", "", "DefaultAccessor[Any]")]
    rows += [(f"{data}[T]", f", accessor: {name}Accessor[T]", f"{name}Accessor[T]") for name, data in NAMED.items()]
    for data, parameter, accessor in [*rows, ("B", ", accessor: Serves[B, T, A]", "A")]:
        parameters = f"cls, data: {data}, mapping: Mapping[E, L]{parameter}, *, origin: int = 0"
        element = "Any" if data == "None" else "T"
        yield overload("from_mapping", parameters, f"MDView[{element}, E, L, {accessor}]")


def _class_method(text: str) -> str:
    return text.replace("def", "@classmethod\ndef")


def _of_rank(rank: int, accessor: str) -> str:
    """View of elements that the accessor alone tells, of this rank."""
    return f"MDView[object, {dynamic(rank)}, Layout, {accessor}]"


def _index(rank: int) -> str:
    return "Int | tuple[Int]" if rank == 1 else tuple_of(["Int"] * rank)


def _getitem() -> Iterator[str]:
    """Elements, then exact patterns, then what a key makes of the rank alone."""

    def one(extents: str, layout: str, index: str, result: str) -> str:
        view = f"self: ViewIn[T_co, {extents}, {layout}, A_co]"
        return overload("__getitem__", f"{view}, index: {index}, /", f"MDView[T_co, {result}, L, A_co]")

    for rank in range(ELEMENTS + 1):
        yield overload("__getitem__", f"self: {_of_rank(rank, READ)}, index: {_index(rank)}, /", "R")
    for pattern in keys.EXACT.split():
        given = source_extents(pattern), layout_after(pattern.replace("N", "R"))
        yield one(*given, keys.of_pattern(pattern), result_extents(pattern))
    for rank in RANKS:
        for result in keys.results(rank):
            yield one(dynamic(rank), "PartOf[L]", keys.alias(rank, result), dynamic(result))
    wide = WIDE.replace("T,", "T_co,").replace("A]", "A_co]")
    yield overload("__getitem__", "self: MDView[T_co, Rank7Up, Layout, A_co], index: tuple[Int, ...], /", "Any")
    yield overload("__getitem__", "self: MDView[T_co, Rank5Up, Layout, A_co], index: KeysN, /", wide)
    # Of unknown rank, `v[i, j]` is an element or a row; Any, because a union would be of no use without a cast.
    yield overload("__getitem__", "self: UnknownRank[T_co, A_co], index: Int | tuple[Int, ...], /", "Any")
    yield overload("__getitem__", "self: UnknownRank[T_co, A_co], index: Other | Rest, /", wide)
    yield overload("__getitem__", "self, index: Wanted[IndexForEachDimension], /", "Any")


def _setitem() -> Iterator[str]:
    def one(view: str, index: str, value: str) -> str:
        return overload("__setitem__", f"self: {view}, index: {index}, value: {value}, /", "None")

    anything = "MDView[object, tuple[int, ...], Layout, {}]"
    wide = (f"MDView[object, Rank5Up, Layout, {WRITE}]", f"UnknownRank[object, {WRITE}]")
    yield from (one(_of_rank(rank, WRITE), _index(rank), "W") for rank in RANKS)
    # These stand before what stores through slices, which a checker would speak of.
    yield from (one(_of_rank(rank, WRITE), _index(rank), "Wanted[ValueOfTheElements]") for rank in RANKS)
    yield from (one(_of_rank(rank, WRITE), f"Keys{rank}", "Fill[W]") for rank in RANKS)
    yield from (one(view, "KeysN", "Fill[W]") for view in wide)
    # `v[i] += 1` stores back what `v[i]` was.
    yield one(anything.format("AtomicAccessor[W]"), "KeysN", "AtomicRef[W]")
    yield from (one(_of_rank(rank, WRITE), f"Keys{rank}", "Wanted[ValueOfTheElements]") for rank in RANKS)
    yield from (one(view, "KeysN", "Wanted[ValueOfTheElements]") for view in wide)
    yield one(anything.format(WRITE), "Wanted[IndexForEachDimension]", "object")
    yield overload("__setitem__", "self, index: Wanted[ViewIsWritable], value: object, /", "None")


def _iter() -> Iterator[str]:
    yield overload("__iter__", f"self: {_of_rank(1, READ)}", "Iterator[R]")
    for rank in RANKS[2:]:
        rest = [f"N{r}" for r in range(1, rank)]
        view = f"self: ViewIn[T, {tuple_of(['int', *rest])}, RowOf[L], A]"
        yield overload("__iter__", view, f"Iterator[MDView[T, {tuple_of(rest)}, L, A]]")
    yield overload("__iter__", "self: MDView[T, Rank5Up, Layout, A]", f"Iterator[{WIDE}]")
    yield overload("__iter__", "self: UnknownRank[T, A]", "Iterator[Any]")  # elements or rows, see `_getitem`


def _tolist() -> Iterator[str]:
    for rank in RANKS:
        yield overload("tolist", f"self: {_of_rank(rank, READ)}", _nested("R", rank))
    yield overload("tolist", "self", "Any")  # nested lists as deep as the rank, which is not known here


def _nested(element: str, depth: int) -> str:
    return element if depth == 0 else f"list[{_nested(element, depth - 1)}]"
