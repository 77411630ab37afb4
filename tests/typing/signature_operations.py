"""The overloads of `mdview.operations.manipulation`: what each operation keeps of extents, layout and accessor.

A pattern is the extents before and after, with the parameters that tell so, and the change that a layout tells, see
`signature_layouts`. Patterns go from narrow to wide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

from signature_patterns import SHAPES, dynamic, mapping_in, overload, tuple_of, view_in

PART, DENSE, REVERSED, RESHAPED = "PartOf[L]", "DenseOf[L]", "ReversedOf[L]", "ReshapedOf[L]"
UNKNOWN = "tuple[int, ...]"
MAX_RANK = 4
"""Up to this rank the extents are told dimension by dimension."""

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

Pattern = tuple[str, str, str, str]
"""Extents of the source, parameters, extents of the result, the layout of the source whose `L` the result has."""


def overloads() -> dict[str, list[str]]:
    patterns: dict[str, Iterable[Pattern]] = {
        "flip": [("E", "axis: Axes = None", "E", PART)],
        "permute_dims": _permutations(),
        "swapaxes": _swaps(),
        "moveaxis": [("Rank", "source: Shape, destination: Shape", "Rank", PART)],
        "shrink": [("Rank", "bounds: Sequence[tuple[Int, Int]]", "Rank", PART)],
        "expand_dims": _expansions(),
        "squeeze": _squeezes(),
        "reshape": _reshapes(),
        "ravel": [
            (UNKNOWN, "*, order: Literal['C'] = 'C'", "tuple[int]", RESHAPED),
            (UNKNOWN, "*, order: Literal['C', 'F'] = 'C'", "tuple[int]", "Layout"),
        ],
        "broadcast_to": _broadcasts(),
        "diagonal": _diagonals(),
        "sliding_window": _windows(),
    }
    table = {name: [*_of_both(name, [*rows])] for name, rows in patterns.items()}
    table |= {"pad": [*_pads()], "bitcast": [*_bitcasts()]}
    return {name: [*rows, *_mistakes(name)] for name, rows in table.items()}


def _mistakes(name: str) -> Iterator[str]:
    """The last overloads, for no correct call; a message is about the first one that is of the right shape."""
    for parameters in MISTAKES.get(name, []):
        rest = "" if "*" in parameters else ", *rest: object"
        given = f"x: MDView[Any, Any, Any, Any] | Mapping[Any, Any], {parameters}{rest}, **named: object"
        yield overload(name, given, "Any")
    if name in MISTAKES:
        yield overload(name, "x: Wanted[ViewOrMappingAndThenArguments], *rest: object, **named: object", "Any")


def _of_both(name: str, patterns: list[Pattern]) -> Iterator[str]:
    """Those of views, then those of mappings."""
    for before, parameters, after, layout in patterns:
        kept = "L" if "[" in layout else layout
        yield overload(name, f"x: {view_in(before, layout)}, {parameters}", f"MDView[T, {after}, {kept}, A]")
    for before, parameters, after, layout in patterns:
        kept = "L" if "[" in layout else layout
        if _is_of_mappings(before, parameters, layout):
            yield overload(name, f"x: {mapping_in(before, layout)}, {parameters}", f"Mapping[{after}, {kept}]")


def _is_of_mappings(before: str, parameters: str, layout: str) -> bool:
    """Tell whether a pattern is one of mappings: of these the rank is told, and transposes are exact."""
    is_rare = "shape: Int1, axis: Int1" in parameters or ": tuple[Int, Int" in parameters
    is_rare |= parameters.startswith("shape: Int1, *")
    is_transpose = layout == REVERSED and parameters == "axes: tuple[Literal[1], Literal[0]]"
    return is_transpose or not (is_rare or "N0" in before or "N2" in before)


def _names(axes: Iterable[int]) -> str:
    return tuple_of([f"N{r}" for r in axes])


def _permutations() -> Iterator[Pattern]:
    """All of ranks 2 and 3; the reverse is exact."""
    for rank in (2, 3):
        identity = tuple(range(rank))
        for axes in permutations(identity):
            literals = tuple_of([f"Literal[{axis}]" for axis in axes])
            if (rank == 2 and axes != identity) or axes == identity[::-1]:
                yield _names(identity), f"axes: {literals}", _names(axes), REVERSED if axes == identity[::-1] else PART
    yield "Rank", "axes: Sequence[Int]", "Rank", PART


def _swaps() -> Iterator[Pattern]:
    for axes in ("axis1: First, axis2: Second", "axis1: Second, axis2: First"):
        yield "tuple[N0, N1]", axes, "tuple[N1, N0]", REVERSED
    yield "Rank", "axis1: Int, axis2: Int", "Rank", PART


def _expansions() -> Iterator[Pattern]:
    yield dynamic(0), "axis: Int1 = 0", dynamic(1), DENSE
    for rank in range(1, MAX_RANK):
        own = [f"N{r}" for r in range(rank)]
        if rank < MAX_RANK - 1:
            yield tuple_of(own), "axis: Literal[0] = 0", tuple_of(["int", *own]), DENSE
        yield dynamic(rank), "axis: Int1", dynamic(rank + 1), PART
    for rank in range(MAX_RANK - 1):
        yield dynamic(rank), "axis: tuple[Int, Int]", dynamic(rank + 2), PART
    yield UNKNOWN, "axis: Shape = 0", UNKNOWN, DENSE


def _squeezes() -> Iterator[Pattern]:
    yield dynamic(1), "axis: Int1", dynamic(0), DENSE
    for rank in range(2, MAX_RANK + 1):
        if rank == 2:
            yield _names(range(rank)), "axis: Literal[0]", _names(range(1, rank)), DENSE
        yield dynamic(rank), "axis: Int1", dynamic(rank - 1), PART
    yield UNKNOWN, "axis: Axes = None", UNKNOWN, DENSE


def _reshapes() -> Iterator[Pattern]:
    for shape, after in [("Int1", "tuple[int]"), ("Rank", "Rank"), ("Shape", UNKNOWN)]:
        yield UNKNOWN, f"shape: {shape}, *, order: Literal['C'] = 'C'", after, RESHAPED
    for shape, after in [("Rank", "Rank"), ("Shape", UNKNOWN)]:
        yield UNKNOWN, f"shape: {shape}, *, order: Literal['C', 'F'] = 'C'", after, "Layout"


def _broadcasts() -> Iterator[Pattern]:
    """A checker that infers `E` whole keeps the literals of plain ints."""
    yield from ((UNKNOWN, f"shape: {shape}", shape, PART) for shape in SHAPES[:-1])
    yield UNKNOWN, "shape: Int1", "tuple[int]", PART
    yield UNKNOWN, "shape: E", "E", PART
    yield UNKNOWN, "shape: Shape", UNKNOWN, PART


def _diagonals() -> Iterator[Pattern]:
    yield "tuple[int, int, N2]", "offset: Int = 0", "tuple[N2, int]", PART
    for rank in range(2, MAX_RANK + 1):
        yield dynamic(rank), "offset: Int = 0, axis1: Int = 0, axis2: Int = 1", dynamic(rank - 1), PART
    yield UNKNOWN, "offset: Int = 0, axis1: Int = 0, axis2: Int = 1", UNKNOWN, PART


def _windows() -> Iterator[Pattern]:
    for rank in (1, 2):
        shape = "Int1" if rank == 1 else tuple_of(["Int"] * rank)
        yield dynamic(rank), f"shape: {shape}, axis: None = None", dynamic(2 * rank), PART
    for rank in (1, 2):
        yield dynamic(rank), "shape: Int1, axis: Int1", dynamic(rank + 1), PART
    yield UNKNOWN, "shape: Shape, axis: Axes = None", UNKNOWN, PART


def _pads() -> Iterator[str]:
    """A fill goes around what stores; else it goes inside, and the accessor stays what it was."""
    fill = "width: Widths, mode: Mode = 'constant', constant: {} = ..."
    for accessor, constant, result, element in (
        ("Plain[W] | FillAccessor[W]", "W", "FillAccessor[W]", "T"),
        ("Writable[W, R]", "W", "Writable[W, W | R]", "T"),
        ("Writable[W, R]", "C", "Writable[W, W | R | C]", "T | C"),
        ("ReadOnlyAccessor[W, R]", "R", "ReadOnlyAccessor[W, R]", "T"),
        ("A", "object", "A", "T"),
    ):
        view = f"x: MDView[T, Rank, Layout, {accessor}], {fill.format(constant)}"
        yield overload("pad", view, f"MDView[{element}, Rank, Layout, {result}]")
    yield overload("pad", f"x: Mapping[Rank, Layout], {fill.format('object')}", "Mapping[Rank, Layout]")


def _bitcasts() -> Iterator[str]:
    for item_format, element in (("Integers", "int"), ("Floats", "float"), ("str", "Any")):
        for accessor, result in (
            ("DefaultAccessor[Any]", f"DefaultAccessor[{element}]"),
            ("ReadOnlyAccessor[Any, Any]", f"ReadOnlyAccessor[{element}]"),
        ):
            yield _bitcast(item_format, accessor, element, result)
    yield _bitcast("str", "Accessor[Any, Any]", "Any", "Accessor[Any, Any]")


def _bitcast(item_format: str, accessor: str, element: str, result: str) -> str:
    parameters = f"x: MDView[Any, Rank, Layout, {accessor}], item_format: {item_format}"
    return overload("bitcast", parameters, f"MDView[{element}, Rank, StridedLayout, {result}]")
