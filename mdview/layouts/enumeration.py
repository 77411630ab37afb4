"""Enumeration: the indices of an index space, those that stand for elements and their offsets, one after the other.

Nothing is kept in memory, and the first one is there at once, however many there are: padding is skipped in whole
boxes. Long walks run the layout's compiled arithmetic where it can be traced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, product, starmap, tee
from math import prod
from operator import mul
from typing import Final, Protocol, TypeAlias, final

from mdview.base import AffineImage, IndexTuple, as_text, brief, value
from mdview.base.strided_sets import each_index
from mdview.errors import LayoutError, UndecidedError
from mdview.expressions.expression_tree import Index as IndexNode
from mdview.expressions.expression_tree import Node
from mdview.expressions.python_codegen import python_function
from mdview.expressions.range_analysis import RangeError, decided, ranging, spans, within
from mdview.expressions.simplification import LinearForm, Ranges, split
from mdview.expressions.tracing import Arithmetic, TraceError, explored, numbers, trace
from mdview.index.dense_strides import right_strides
from mdview.index.extents import is_empty, shape_text, size_of
from mdview.layouts.offset_arithmetic import SHORT, axis_tables, linear_parts, offset_of

Box: TypeAlias = tuple[tuple[int, int], ...]
"""For each dimension a half-open range of indices."""

ENUMERATION_BUDGET: Final = 1_000_000
"""How many indices are visited for an answer before it is given up with `UndecidedError`."""

LONG: Final = 100_000
"""Extents above this are walked one index at a time; ``itertools.product``, faster, keeps them all in memory."""

COMPILED_FROM: Final = 2048
"""How many offsets are computed one by one; for more of them it pays to compile the arithmetic."""


class Places(Arithmetic, Protocol):
    """The methods of a layout that enumeration calls."""

    def is_total(self) -> bool:
        """Tell whether every index stands for an element."""
        ...

    def has_element(self, extents: Sequence[int], index: Sequence[int]) -> bool:
        """Tell whether an index stands for an element."""
        ...

    def valid_box(self, extents: Sequence[int]) -> Box:
        """Return the box of indices that stand for an element; `LayoutError` where they are no box."""
        ...


def indices(extents: Sequence[int]) -> Iterator[IndexTuple]:
    """All indices within ``extents``, last index fastest."""
    if is_empty(extents):
        return iter(())
    if max(extents, default=0) > LONG:
        return each_index(extents)
    return product(*map(range, extents))


def indices_within(box: Box) -> Iterator[IndexTuple]:
    """All indices of a box, last index fastest."""
    lengths = [max(0, high - low) for low, high in box]
    if not any(low for low, _ in box) or 0 in lengths:
        return indices(lengths)
    if max(lengths, default=0) <= LONG:
        return product(*[range(low, high) for low, high in box])
    first = [low for low, _ in box]
    return (tuple([i + low for i, low in zip(index, first, strict=True)]) for index in each_index(lengths))


def element_box(layout: Places, extents: Sequence[int]) -> Box | None:
    """Return the box of indices within ``extents`` that stand for elements; None where they are no box."""
    everything = tuple([(0, int(e)) for e in extents])
    if layout.is_total():
        return everything
    try:
        box = layout.valid_box(extents)
    except LayoutError:
        return None
    if len(box) > len(extents):
        return ((0, 0),) * len(box)
    clipped = [(max(low, 0), min(high, e)) for (low, high), (_, e) in zip(box, everything, strict=True)]
    return tuple([(low, max(low, high)) for low, high in clipped])


def box_size(box: Box) -> int:
    """Count the indices of a box."""
    return size_of([high - low for low, high in box])


def element_indices(layout: Places, extents: Sequence[int]) -> Iterator[IndexTuple]:
    """Indices that stand for an element, last index fastest."""
    everything = tuple([(0, int(e)) for e in extents])
    box = None if is_empty(extents) else element_box(layout, extents)
    if layout.is_total() or box not in {None, everything}:
        return indices(extents) if box is None else indices_within(box)
    if size_of(extents) < COMPILED_FROM:
        return (index for index in indices(extents) if layout.has_element(extents, index))
    inside = (part for part, are_elements in _uniform_parts(layout, extents) if are_elements)
    return chain.from_iterable(indices_within(tuple([(low, high + 1) for low, high in part])) for part in inside)


def first_missing(layout: Places, extents: Sequence[int]) -> IndexTuple | None:
    """Return the first index that stands for no element, or None where there is none."""
    if layout.is_total() or is_empty(extents):
        return None
    box = element_box(layout, extents)
    if box is None:
        return _first_outside(layout, extents)
    if len(box) > len(extents) or any(low > 0 for low, _ in box) or not box_size(box):
        return (0,) * len(extents)
    ragged = [r for r, ((_, high), e) in enumerate(zip(box, extents, strict=True)) if high < e]
    return tuple([high if r == ragged[-1] else 0 for r, (_, high) in enumerate(box)]) if ragged else None


def offset_function(layout: Arithmetic, extents: Sequence[int]) -> Callable[..., int]:
    """Return the function of the indices that computes an offset: compiled arithmetic, or the layout's own."""
    rank, shape = len(extents), tuple(map(int, extents))
    root = trace(layout, shape).root if rank else None
    if root is not None:
        try:
            return python_function(root, rank)
        except (MemoryError, RecursionError, SyntaxError):  # too much for the compiler
            pass
    return lambda *index: offset_of(layout, extents, index)


def offsets_at(layout: Arithmetic, extents: Sequence[int], places: Iterator[IndexTuple]) -> Iterator[int]:
    """Offsets of indices, which may be as many as ``extents`` have."""
    if size_of(extents) < COMPILED_FROM:
        return (offset_of(layout, extents, place) for place in places)
    return starmap(offset_function(layout, extents), places)


def element_offsets(layout: Places, extents: Sequence[int]) -> Iterator[int]:
    """Offsets of the indices that stand for an element, last index fastest."""
    if layout.is_total() and size_of(extents) >= COMPILED_FROM:
        tables = axis_tables(layout, tuple(map(int, extents)))
        if tables is not None:
            return map(sum, product(*tables))
    return offsets_at(layout, extents, element_indices(layout, extents))


def undecided_error(layout: Places, extents: Sequence[int], what: str, define: str = "the trait") -> UndecidedError:
    """Return the error that says what exceeds a budget, and what to define."""
    return UndecidedError(
        f"whether {brief(layout)} over extents {shape_text(extents)} is {what} takes a look at {size_of(extents)} "
        f"indices, more than {ENUMERATION_BUDGET}; define {define} in the layout"
    )


def check_count(layout: Places, extents: Sequence[int], what: str, define: str = "the trait") -> None:
    """Refuse to look at the elements one by one where a box has more than `ENUMERATION_BUDGET` of them."""
    box = element_box(layout, extents)
    if box is not None and box_size(box) > ENUMERATION_BUDGET:
        raise undecided_error(layout, extents, what, define)


def places(
    layout: Places, extents: Sequence[int], what: str, budget: int = ENUMERATION_BUDGET, define: str = "the trait"
) -> Iterator[tuple[IndexTuple, int]]:
    """Each element's index and offset, last index fastest; `UndecidedError` where there are more than a budget."""
    every = element_indices(layout, extents)
    yield from zip(islice(every, budget), element_offsets(layout, extents), strict=False)
    if next(every, None) is not None:
        raise undecided_error(layout, extents, what, define)


@final
@value
class Irregularity:
    """The first index that does not lie where the steps next to index (0, ..., 0) would put it.

    The first strides put ``index`` at ``expected``, it lies at ``offset``; None and None if it is in the padding.
    """

    index: IndexTuple
    strides: tuple[int, ...]
    expected: int | None = None
    offset: int | None = None

    def obstacle(self) -> str:
        """Say between which neighbours the step differs; every index before this one lies on the line."""
        if self.offset is None or self.expected is None:
            return "has padding, whose indices stand for no element"
        r = max([r for r, i in enumerate(self.index) if i])
        before = (*self.index[:r], self.index[r] - 1, *self.index[r + 1 :])
        here = self.offset - self.expected + self.strides[r]
        return (
            f"is not strided: neighbours along dimension {r} are {as_text(self.strides[r])} apart at index "
            f"{(0,) * len(before)} and {as_text(here)} apart at index {before}"
        )


def first_steps(layout: Places, extents: tuple[int, ...]) -> AffineImage:
    """Return the image that a layout has over extents if the steps from index (0, ..., 0) are its strides."""
    if is_empty(extents):
        return AffineImage(extents, right_strides(extents), 0)
    zero = (0,) * len(extents)
    origin = offset_of(layout, extents, zero)
    steps = [
        offset_of(layout, extents, (*zero[:r], 1, *zero[r + 1 :])) - origin if e > 1 else 0
        for r, e in enumerate(extents)
    ]
    return AffineImage(extents, tuple(steps), origin)


def irregularity(layout: Places, extents: tuple[int, ...]) -> Irregularity | None:
    """First index, last one fastest, that does not lie where the first steps would put it; None if it is strided.

    Raises
    ------
    UndecidedError
        There is none among `ENUMERATION_BUDGET` indices, and the arithmetic does not tell of the others.
    """
    if is_empty(extents):
        return None
    missing = first_missing(layout, extents)
    if missing is not None:
        return Irregularity(missing, ())
    line, left = first_steps(layout, extents), ENUMERATION_BUDGET
    for part, form in linear_parts(layout, extents):
        found = _off_line(layout, line, part, form, max(left, 0))
        if found is not None:
            index, expected, offset = found
            return Irregularity(index, line.strides, expected, offset)
        left -= prod([high - low + 1 for low, high in part]) if form is None else SHORT
        if left < 0:
            raise undecided_error(layout, extents, "strided", "strides")
    return None


def _off_line(
    layout: Places, line: AffineImage, part: Ranges, form: LinearForm | None, most: int
) -> tuple[IndexTuple, int, int] | None:
    """Return the first index of a part that does not lie on a line, where it would lie, and where it does, or None.

    ``form`` tells where the indices of the part lie if that is linear; else at most ``most`` of them are looked at.
    """
    if form is not None:  # the first index leaves the line, or a neighbour of it, or none
        turns = [r for r, (low, high) in enumerate(part) if low < high and form[1][r] != line.strides[r]]
        part = tuple([(low, low + (r in turns[-1:])) for r, (low, _) in enumerate(part)])
    inside = islice(indices_within(tuple([(low, high + 1) for low, high in part])), max(most, 2))
    here, there = tee(inside)
    for index, offset in zip(here, offsets_at(layout, line.extents, there), strict=True):
        expected = line.origin + sum(map(mul, index, line.strides))
        if offset != expected:
            return index, expected, offset
    return None


def _first_outside(layout: Places, extents: Sequence[int]) -> IndexTuple | None:
    """First index that stands for no element."""
    outside = (part for part, are_elements in _uniform_parts(layout, extents) if not are_elements)
    return next((tuple([low for low, _ in part]) for part in outside), None)


def _uniform_parts(layout: Places, extents: Sequence[int]) -> Iterator[tuple[Ranges, bool]]:
    """Parts of the index space in index order, each with whether its indices stand for elements, as all of them do."""
    test = _element_test(layout, extents)

    def answer(part: Ranges) -> bool | None:
        if all(low == high for low, high in part):
            return bool(layout.has_element(extents, tuple([low for low, _ in part])))
        return _answer(test, part)

    return split(spans(extents), answer)


def _element_test(layout: Places, extents: Sequence[int]) -> Node | None:
    """Return whether an index stands for an element as an expression; None where symbols cannot tell."""
    index = [IndexNode(r) for r in range(len(extents))]
    try:
        return explored(lambda decide: int(layout.has_element(extents, numbers(index, decide))))
    except (TraceError, Exception):  # noqa: BLE001 - a user's arithmetic may fail on symbols; then each index is asked
        return None


def _answer(test: Node | None, part: Ranges) -> bool | None:
    """Tell whether all indices of a part stand for elements, or none does; None where they differ or it is unknown."""
    try:
        return None if test is None else decided(test, ranging(within(part), None))
    except RangeError:
        return None
