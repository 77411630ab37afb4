"""The overloads of `MDView`: how a view is made, what brackets load and store, what iteration and ``tolist`` give."""

from __future__ import annotations

from collections.abc import Iterator

import signature_brackets
import signature_keys as keys
from signature_patterns import (
    RIGHT,
    SHAPES,
    dynamic,
    overload,
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
READ = "Accessor[object, R]"
BRACKETS = "    __getitem__: ClassVar[_Loading]\n    __setitem__: ClassVar[_Storing]\n"
WIDE = "MDView[T, tuple[int, ...], Layout, A]"


def transposing() -> str:
    """The classes of ``view.T``, whose name would hide the type variable `T` in the class of views itself, and of brackets."""

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
    return f"class _Transposing:\n{lines}class _Described:\n    T: ClassVar[_Transposing]\n{BRACKETS}"


def names() -> str:
    """Definitions that the overloads need."""
    return NAMES + signature_brackets.definitions() + transposing()


def overloads() -> dict[str, list[str]]:
    null = [overload("null", f"cls, extents: {extents}", f"MDView[Any, {extents}]") for extents in SHAPES]
    return {
        "__new__": [*_constructor()],
        "from_mapping": [_class_method(text) for text in _from_mapping()],
        "null": [_class_method(text) for text in null],
        "__getitem__": [],
        "__setitem__": [],
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
    for name, data in NAMED.items():
        for extents in SHAPES[:-1]:
            yield from _forms(extents, f"{data}[T]", f"{name}Accessor[T]")
    for extents in SHAPES:
        yield from _forms(extents, "B", "Serves[B, T, A]", result="A")
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
    rows = [("None", "Rank", "Rank", "Any")]
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
