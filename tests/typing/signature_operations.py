"""The overloads of `mdview.operations.manipulation`: what each operation keeps of extents, layout and accessor.

A pattern is the extents before and after, with the parameters that tell so. Rows of layouts say what each becomes: the
layouts of the run time, or one that is wider where these depend on values. Patterns and rows go from narrow to wide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from signature_patterns import LEFT, RIGHT, WIDE, overload, tuple_of

IMPORTS = """\
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeVar, overload

from mdview.accessors.base import Accessor, Plain, Writable
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.fill import FillAccessor
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.layouts.base import Layout
from mdview.layouts.left import LayoutLeft
from mdview.layouts.right import LayoutRight
from mdview.views.protocols import (
    FormatOfStruct, IntegerOffsetAndAxes, ModeOfPadding, OrderIsCOrF, Rank, SequenceOfAxes, ShapeInOneTuple, TwoAxes,
    ViewOrMappingAndThenArguments, Wanted,
)
"""

NAMES = """\
E = TypeVar("E", bound="tuple[int, ...]")
N0 = TypeVar("N0", bound=int)
N1 = TypeVar("N1", bound=int)
N2 = TypeVar("N2", bound=int)
N3 = TypeVar("N3", bound=int)
W = TypeVar("W")
R = TypeVar("R")
C = TypeVar("C")
Int: TypeAlias = SupportsIndex
Int1: TypeAlias = Int | tuple[Int]
First: TypeAlias = Literal[0, -2]
Second: TypeAlias = Literal[1, -1]
Integers: TypeAlias = Literal["b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N"]
Floats: TypeAlias = Literal["e", "f", "d"]
"""

Rows = Sequence[tuple[str, str]]
DENSE: Rows = ((RIGHT, RIGHT), *WIDE)
REVERSED: Rows = ((RIGHT, LEFT), (LEFT, RIGHT), *WIDE)
ANY: Rows = (("Layout", "Layout"),)
UNKNOWN = "tuple[int, ...]"
MAX_RANK = 4
"""Up to this rank the extents are told dimension by dimension."""

COARSE = {"expand_dims", "squeeze", "broadcast_to", "diagonal", "sliding_window"}
"""Operations whose results of mappings say no more than dense or any layout: mypy compares overloads in pairs."""

MISTAKES = {
    "permute_dims": ["axes: Wanted[SequenceOfAxes]"],
    "swapaxes": ["axis1: Wanted[TwoAxes]", "axis1: Int, axis2: Wanted[TwoAxes]"],
    "expand_dims": ["axis: Wanted[SequenceOfAxes]"],
    "squeeze": ["axis: Wanted[SequenceOfAxes]"],
    "reshape": ["shape: Shape, *, order: Wanted[OrderIsCOrF]", "shape: Wanted[ShapeInOneTuple]"],
    "broadcast_to": ["shape: Wanted[ShapeInOneTuple]"],
    "diagonal": ["offset: Wanted[IntegerOffsetAndAxes]", "offset: Int, axis1: Wanted[IntegerOffsetAndAxes]"],
    "sliding_window": ["shape: Shape, axis: Wanted[SequenceOfAxes]", "shape: Wanted[ShapeInOneTuple]"],
    "pad": ["width: Widths, mode: Wanted[ModeOfPadding]"],
    "bitcast": ["item_format: Wanted[FormatOfStruct]"],
}
"""Where a checker would list more overloads than anybody reads: the arguments that it blames instead."""

Pattern = tuple[str, str, str, Rows]
"""Extents of the source, parameters, extents of the result, layouts."""


def overloads() -> dict[str, list[str]]:
    patterns: dict[str, Iterable[Pattern]] = {
        "flip": [("E", "axis: Axes = None", "E", WIDE)],
        "permute_dims": _permutations(),
        "swapaxes": _swaps(),
        "moveaxis": [("Rank", "source: Shape, destination: Shape", "Rank", WIDE)],
        "shrink": [("Rank", "bounds: Sequence[tuple[Int, Int]]", "Rank", WIDE)],
        "expand_dims": _expansions(),
        "squeeze": _squeezes(),
        "reshape": _reshapes(),
        "ravel": [
            (UNKNOWN, "*, order: Literal['C'] = 'C'", "tuple[int]", [(RIGHT, RIGHT)]),
            (UNKNOWN, "*, order: Literal['C', 'F'] = 'C'", "tuple[int]", ANY),
        ],
        "broadcast_to": _broadcasts(),
        "diagonal": _diagonals(),
        "sliding_window": _windows(),
    }
    table: dict[str, list[str]] = {}
    for name, given in patterns.items():
        rows = list(given)
        mappings = [_coarse(pattern) for pattern in rows] if name in COARSE else rows
        table[name] = [*_of_views(name, rows), *_of_mappings(name, mappings)]
    table |= {"pad": [*_pads()], "bitcast": [*_bitcasts()]}
    return {name: [*rows, *_mistakes(name)] for name, rows in table.items()}


def _mistakes(name: str) -> Iterator[str]:
    """The last overloads, for no correct call; a message is about the first one that is of the right shape."""
    for parameters in MISTAKES.get(name, []):
        rest = "" if "*" in parameters else ", *rest: object"
        yield overload(
            name, f"x: MDView[Any, Any, Any, Any] | Mapping[Any, Any], {parameters}{rest}, **named: object", "Any"
        )
    if name in MISTAKES:
        yield overload(name, "x: Wanted[ViewOrMappingAndThenArguments], *rest: object, **named: object", "Any")


def _of_views(name: str, patterns: list[Pattern]) -> Iterator[str]:
    for before, parameters, after, rows in patterns:
        for source, result in rows:
            yield overload(
                name, f"x: MDView[T, {before}, {source}, A], {parameters}", f"MDView[T, {after}, {result}, A]"
            )


def _of_mappings(name: str, patterns: list[Pattern]) -> Iterator[str]:
    for before, parameters, after, rows in patterns:
        for source, result in rows:
            yield overload(name, f"x: Mapping[{before}, {source}], {parameters}", f"Mapping[{after}, {result}]")


def _coarse(pattern: Pattern) -> Pattern:
    before, parameters, after, rows = pattern
    return before, parameters, after, [row for row in rows if row[0] != "StridedLayout"]


def _names(axes: Iterable[int]) -> str:
    return tuple_of([f"N{r}" for r in axes])


def _ints(rank: int) -> str:
    return tuple_of(["int"] * rank)


def _permutations() -> Iterator[Pattern]:
    """All of ranks 2 and 3; the reverse first, which keeps density."""
    for rank in (2, 3):
        for axes in sorted(permutations(range(rank)), reverse=True):
            literals = tuple_of([f"Literal[{axis}]" for axis in axes])
            rows = REVERSED if axes == tuple(range(rank))[::-1] else WIDE
            if axes != tuple(range(rank)):
                yield _names(range(rank)), f"axes: {literals}", _names(axes), rows
    yield "Rank", "axes: Sequence[Int]", "Rank", WIDE


def _swaps() -> Iterator[Pattern]:
    for axis1, axis2 in (("First", "Second"), ("Second", "First")):
        yield "tuple[N0, N1]", f"axis1: {axis1}, axis2: {axis2}", "tuple[N1, N0]", REVERSED
    yield "Rank", "axis1: Int, axis2: Int", "Rank", WIDE


def _expansions() -> Iterator[Pattern]:
    yield _ints(0), "axis: Int1 = 0", _ints(1), DENSE
    for rank in range(1, MAX_RANK):
        own = [f"N{r}" for r in range(rank)]
        yield tuple_of(own), "axis: Literal[0] = 0", tuple_of(["int", *own]), DENSE
        yield tuple_of(own), "axis: Literal[-1]", tuple_of([*own, "int"]), DENSE
        yield _ints(rank), "axis: Int1", _ints(rank + 1), WIDE
    for rank in range(MAX_RANK - 1):
        yield _ints(rank), "axis: tuple[Int, Int]", _ints(rank + 2), WIDE
    yield UNKNOWN, "axis: Shape = 0", UNKNOWN, DENSE


def _squeezes() -> Iterator[Pattern]:
    yield _ints(1), "axis: Int1", _ints(0), DENSE
    for rank in range(2, MAX_RANK + 1):
        yield _names(range(rank)), "axis: Literal[0]", _names(range(1, rank)), DENSE
        yield _names(range(rank)), "axis: Literal[-1]", _names(range(rank - 1)), DENSE
        yield _ints(rank), "axis: Int1", _ints(rank - 1), WIDE
    yield UNKNOWN, "axis: Axes = None", UNKNOWN, DENSE


def _reshapes() -> Iterator[Pattern]:
    shapes = [("Int1", 1), *[(tuple_of(["Int"] * rank), rank) for rank in range(2, MAX_RANK + 1)]]
    results = [*[(shape, _ints(rank)) for shape, rank in shapes], ("Shape", UNKNOWN)]
    for shape, after in results:
        yield UNKNOWN, f"shape: {shape}, *, order: Literal['C'] = 'C'", after, [(RIGHT, RIGHT)]
        yield UNKNOWN, f"shape: {shape}, *, order: Literal['C', 'F'] = 'C'", after, ANY


def _broadcasts() -> Iterator[Pattern]:
    """One per rank: a checker that infers `E` whole keeps the literals of plain ints."""
    for rank in range(1, MAX_RANK + 1):
        yield UNKNOWN, f"shape: {_names(range(rank))}", _names(range(rank)), WIDE
    yield UNKNOWN, "shape: Int1", "tuple[int]", WIDE
    yield UNKNOWN, "shape: E", "E", WIDE
    yield UNKNOWN, "shape: Shape", UNKNOWN, WIDE


def _diagonals() -> Iterator[Pattern]:
    for rank in range(3, MAX_RANK + 1):
        rest = [f"N{r}" for r in range(2, rank)]
        yield tuple_of(["int", "int", *rest]), "offset: Int = 0", tuple_of([*rest, "int"]), WIDE
    for rank in range(2, MAX_RANK + 1):
        yield _ints(rank), "offset: Int = 0, axis1: Int = 0, axis2: Int = 1", _ints(rank - 1), WIDE
    yield UNKNOWN, "offset: Int = 0, axis1: Int = 0, axis2: Int = 1", UNKNOWN, WIDE


def _windows() -> Iterator[Pattern]:
    for rank in range(1, 4):
        shape = "Int1" if rank == 1 else tuple_of(["Int"] * rank)
        yield _ints(rank), f"shape: {shape}, axis: None = None", _ints(2 * rank), WIDE
    for rank in range(1, MAX_RANK + 1):
        yield _ints(rank), "shape: Int1, axis: Int1", _ints(rank + 1), WIDE
    yield UNKNOWN, "shape: Shape, axis: Axes = None", UNKNOWN, WIDE


def _pads() -> Iterator[str]:
    """A fill goes around what stores; else it goes inside, and the accessor stays what it was."""

    def one(accessor: str, fill: str, result: str, element: str = "T") -> str:
        view = f"x: MDView[T, Rank, Layout, {accessor}], width: Widths, {fill}"
        return overload("pad", view, f"MDView[{element}, Rank, Layout, {result}]")

    fill = "mode: Mode = 'constant', constant: {} = ..."
    yield one("Plain[W] | FillAccessor[W]", fill.format("W"), "FillAccessor[W]")
    yield one("Writable[W, R]", fill.format("W"), "Writable[W, W | R]")
    yield one("Writable[W, R]", fill.format("C"), "Writable[W, W | R | C]", "T | C")
    yield one("ReadOnlyAccessor[W, R]", fill.format("R"), "ReadOnlyAccessor[W, R]")
    yield one("A", fill.format("object"), "A")
    yield overload("pad", f"x: Mapping[Rank, Layout], width: Widths, {fill.format('object')}", "Mapping[Rank, Layout]")


def _bitcasts() -> Iterator[str]:
    for item_format, element in (("Integers", "int"), ("Floats", "float"), ("str", "Any")):
        for accessor, result in (
            ("DefaultAccessor[Any]", f"DefaultAccessor[{element}]"),
            ("ReadOnlyAccessor[Any, Any]", f"ReadOnlyAccessor[{element}]"),
            ("Accessor[Any, Any]", f"Accessor[{element}, Any]"),
        ):
            parameters = f"x: MDView[Any, Rank, Layout, {accessor}], item_format: {item_format}"
            yield overload("bitcast", parameters, f"MDView[{element}, Rank, StridedLayout, {result}]")
