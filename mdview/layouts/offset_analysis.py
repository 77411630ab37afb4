"""Analysis of `offset` and `has_element`: axis tables, linear forms, extremes, boxes of elements, budgeted enumeration.

A layout has *axis tables*, one list of numbers for each dimension, if its offset is a sum of terms that each depend on
one index. If the layout can be traced over symbolic extents, the terms are found once, with the extents as parameters;
otherwise, once for each extents. Boxes in which the offset is linear (a tile of a tiled layout, a stored row of a
packed layout, any layout of a user) are found from the arithmetic of `offset`; the layout needs no method for this.

Offsets are converted to plain ints, since a layout may compute with NumPy integers, which overflow. Iteration over
indices, with or without elements, is lazy, and skips padding box by box. Long iterations use compiled arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import chain, count, islice, product
from math import prod
from operator import add, ne
from typing import Final, Protocol, TypeAlias

from mdview.base import IndexTuple, as_integer, brief
from mdview.base.caches import remembered_by_value
from mdview.base.strided_sets import each_index
from mdview.errors import LayoutError, UndecidedError
from mdview.expressions import simplification
from mdview.expressions.expression_tree import Const, Node
from mdview.expressions.expression_tree import Index as IndexNode
from mdview.expressions.python_codegen import numbers_along, python_function
from mdview.expressions.range_analysis import Range, only_value, ranging, spans, within
from mdview.expressions.simplification import LinearForm, Progression, Ranges
from mdview.expressions.tracing import MOST_DIMENSIONS, TabledArithmetic, TraceError, explored, numbers, trace
from mdview.index.extents import is_empty, right_strides, shape_text, size_of
from mdview.index.padding import Box, whole

WAY: Final = "its method returns an int, and divides by // and not by /"


def offset_of(layout: TabledArithmetic, extents: Sequence[int], index: Sequence[int]) -> int:
    """Return the offset of an index within ``extents``, as an int.

    Raises
    ------
    ExtentsTypeError
        The method `offset` of the layout does not return an integer.
    """
    found = layout.offset(extents, index)
    return found if type(found) is int else int(as_integer(found, "the offset of a layout", WAY))


TABLE_LIMIT: Final = 4096
"""The largest number of entries in the axis tables of a layout; layouts with more entries use arithmetic."""

Terms: TypeAlias = tuple[tuple[Node, int], ...]
"""An expression of one index for each dimension, with the dimension; the offset is the sum of the expressions."""

Tables: TypeAlias = tuple[list[int], ...]
"""One list for each dimension; it must not be changed. The offset of an index is the sum of one entry of each list."""


def axis_tables(layout: TabledArithmetic, extents: tuple[int, ...]) -> Tables | None:
    """Return the axis tables of a layout over extents; None if it has no such tables within `TABLE_LIMIT` entries.

    >>> from mdview import LayoutTiled
    >>> axis_tables(LayoutTiled(2, 2), (4, 4))
    ([0, 2, 8, 10], [0, 1, 4, 5])
    """
    if not 0 < len(extents) <= MOST_DIMENSIONS or 0 in extents or sum(extents) > TABLE_LIMIT:
        return None
    shape = tuple(map(int, extents))
    alike = layout.enclosing(shape)
    tables = _kept_tables(layout, alike if sum(alike) <= 2 * sum(shape) else shape)
    return tables and tuple([table[:n] for table, n in zip(tables, extents, strict=True)])


def separate_tables(layout: TabledArithmetic, extents: tuple[int, ...]) -> Tables | None:
    """Return the axis tables of a layout, of any length; None if there are none. The rank and the extents are not 0."""
    for terms, parameters in _terms(layout, extents):
        try:
            tables = [numbers_along(*term, n, parameters) for term, n in zip(terms, extents, strict=True)]
        except (ZeroDivisionError, ValueError):  # raised in a branch of a `Select` that no index selects
            continue
        firsts = [table[0] for table in tables[1:]]
        return tuple([_less(table, first) for table, first in zip(tables, [-sum(firsts), *firsts], strict=True)])
    return None


def _less(table: list[int], first: int) -> list[int]:
    """Return a table with ``first`` subtracted from each entry."""
    return [number - first for number in table] if first else table


def _terms(layout: TabledArithmetic, extents: tuple[int, ...]) -> Iterator[tuple[Terms, tuple[int, ...]]]:
    """Yield terms of the offset with their parameters: terms for all extents, then terms for the given extents."""
    shared = _shared_terms(layout, len(extents))
    if shared is not None:
        yield shared, extents
    root = trace(layout, extents).root
    form = None if root is None else simplification.separable(root, spans(extents))
    if form is not None:
        yield _terms_of(form, len(extents)), ()


@remembered_by_value(256)
def _shared_terms(layout: TabledArithmetic, rank: int) -> Terms | None:
    """Return the terms of the offset with the extents as parameters; None if the offset is not a sum of terms.

    A view of new extents takes 0.3 ms with these terms, and 0.6 ms with an expression for its own extents.
    """
    try:
        traced = copy(layout)  # a layout may store its extents, which must not be symbols
    except Exception:  # noqa: BLE001 - a user's class may not support copies
        return None
    root = trace(traced, (None,) * rank).root
    return _terms_of(root, rank) if root is not None and simplification.is_separable(root) else None


def _terms_of(form: Node, rank: int) -> Terms:
    """Return the terms of a separable expression with their dimensions; constants belong to the term of dimension 0."""
    terms: list[Node | None] = [None] * rank
    for part in simplification.separated(form):
        r = min(part.dimensions, default=0)
        term = terms[r]
        terms[r] = part if term is None else term + part
    return tuple([(Const(0) if term is None else term, r) for r, term in enumerate(terms)])


@remembered_by_value(512)
def _kept_tables(layout: TabledArithmetic, extents: tuple[int, ...]) -> Tables | None:
    """Return the axis tables of a layout, cached: a new view needs them for strides, then offsets, 0.1 ms each time."""
    return separate_tables(layout, extents)


SMALL: Final = 64
"""The largest number of indices in a box whose offsets are all compared; a larger box needs analysis of arithmetic."""

SHORT: Final = 1024
"""The largest number of indices in a box for which computing each offset costs less than a test of linearity."""


def linear_strides(layout: TabledArithmetic, extents: Sequence[int]) -> tuple[int, ...] | None:
    """Return the strides of a layout over all of ``extents``; None if the offset is not found to be linear."""
    if not all(isinstance(e, int) for e in extents):  # symbolic extents do not form a box of indices
        return None
    shape = tuple(map(int, extents))
    if 0 in shape:
        return right_strides(shape)
    found = linear_over(layout, shape, [(0, n, 1) for n in shape])
    return None if found is None else found[1]


def linear_over(layout: TabledArithmetic, extents: Sequence[int], box: Sequence[Progression]) -> LinearForm | None:
    """Return the offset of the first index of a box and its strides; None if no linear form is found there.

    ``box`` has a first index, a count and a step for each dimension. The stride of a dimension with a single index is 1
    and has no meaning. Every index within ``extents`` must have an element.

    >>> from mdview import LayoutTiled
    >>> linear_over(LayoutTiled(4, 4), (8, 8), ((0, 4, 1), (4, 4, 1)))
    (16, (4, 1))
    >>> linear_over(LayoutTiled(4, 4), (8, 8), ((0, 4, 1), (0, 8, 1))) is None
    True
    """
    shape = tuple(map(int, extents))
    if any(count == 0 for _, count, _ in box):
        return 0, (1,) * len(box)
    tables = axis_tables(layout, shape)
    if tables is not None:
        return _from_tables(tables, box)
    found = _from_neighbours(layout, shape, box)
    if found is None or prod([count for _, count, _ in box]) <= SMALL:
        return found
    root = trace(layout, shape).root
    proven = None if root is None else simplification.linear_form(root, box)
    return found if proven is not None else None


def linear_parts(layout: TabledArithmetic, extents: Sequence[int]) -> Iterator[tuple[Ranges, LinearForm | None]]:
    """Yield boxes, in index order, that make up the index space: boxes with a linear offset, and short boxes.

    Each result is a box, given by its lowest and highest indices, and its linear form: the offset of the first index,
    and the strides. The linear form is None for a box of at most `SHORT` indices, which is not tested. Every index
    within ``extents`` must have an element.
    """

    def form(part: Ranges) -> tuple[LinearForm | None] | None:
        steps = [(low, high - low + 1, 1) for low, high in part]
        if prod([count for _, count, _ in steps]) <= SHORT:
            return (None,)
        found = linear_over(layout, extents, steps)
        return None if found is None else (found,)

    if 0 not in extents:
        yield from ((part, found) for part, (found,) in simplification.split(spans(extents), form))


def _from_tables(tables: Tables, box: Sequence[Progression]) -> LinearForm | None:
    """Return the linear form of a box from axis tables; None if a table is not linear over the box."""
    start = 0
    strides: list[int] = []
    for table, (first, n, step) in zip(tables, box, strict=True):
        start += table[first]
        along = table[first::step][:n] if step else [table[first]] * n
        stride = along[1] - along[0] if n > 1 else 1
        if any(map(ne, along, count(along[0], stride))):
            return None
        strides.append(stride)
    return start, tuple(strides)


def _from_neighbours(layout: TabledArithmetic, extents: Sequence[int], box: Sequence[Progression]) -> LinearForm | None:
    """Return the linear form of a box from the offsets of its first index and the neighbours of this index.

    The result is None if the offset of another index differs from the linear form.

    In a box with at most `SMALL` indices, all are tested, in a larger box only the last and the middle index.
    """

    def at(place: Sequence[int]) -> int:
        return offset_of(layout, extents, [first + k * step for k, (first, _, step) in zip(place, box, strict=True)])

    zero = (0,) * len(box)
    origin = at(zero)
    counts = [count for _, count, _ in box]
    steps = [at((*zero[:r], 1, *zero[r + 1 :])) - origin if n > 1 else 1 for r, n in enumerate(counts)]
    far = [[n - 1 for n in counts], [n // 2 for n in counts]]  # most layouts that are not linear differ at these
    for place in product(*map(range, counts)) if prod(counts) <= SMALL else far:
        if at(place) != origin + sum([k * s for k, s in zip(place, steps, strict=True)]):
            return None
    return origin, tuple(steps)


@remembered_by_value(256)
def traced_extremes(layout: TabledArithmetic, extents: tuple[int, ...], box: Ranges) -> Range | None:
    """Return the lowest and highest offset in a non-empty box from the arithmetic; None if the search gives up.

    The result is cached: an explanation needs it three times, and a search takes up to some tenths of a second.
    """
    root = trace(layout, extents).root
    return None if root is None else simplification.extremes(root, box)


ENUMERATION_BUDGET: Final = 1_000_000
"""The largest number of indices that an answer visits; an answer that needs more raises `UndecidedError`."""

LONG: Final = 100_000
"""The largest extent for ``itertools.product``, which is fast but stores all indices of each dimension."""

COMPILED_FROM: Final = 2048
"""The number of offsets from which compiled arithmetic is faster, including its compilation."""


class Places(TabledArithmetic, Protocol):
    """The part of a layout that this module needs: its arithmetic, and the methods about its padding."""

    def is_total(self) -> bool:
        """Tell whether every index has an element."""
        ...

    def has_element(self, extents: Sequence[int], index: Sequence[int]) -> bool:
        """Tell whether an index has an element."""
        ...

    def valid_box(self, extents: Sequence[int]) -> Box:
        """Return the box of indices with elements; raise `LayoutError` if these do not form a box."""
        ...


def indices(extents: Sequence[int]) -> Iterator[IndexTuple]:
    """Iterate over all indices within ``extents``, last index fastest."""
    return indices_within(whole(extents))


def indices_within(box: Box) -> Iterator[IndexTuple]:
    """Iterate over all indices of a box, last index fastest."""
    lengths = [max(0, high - low) for low, high in box]
    if 0 in lengths:
        return iter(())
    if max(lengths, default=0) <= LONG:
        return product(*[range(low, high) for low, high in box])
    first = [low for low, _ in box]
    places = each_index(lengths)
    return (tuple(map(add, index, first)) for index in places) if any(first) else places


def element_box(layout: Places, extents: Sequence[int]) -> Box | None:
    """Return the box of indices within ``extents`` with elements; None if these do not form a box."""
    if layout.is_total():
        return whole(extents)
    try:
        box = layout.valid_box(extents)
    except LayoutError:
        return None
    if len(box) > len(extents):
        return ((0, 0),) * len(box)
    clipped = [(max(low, 0), min(high, int(e))) for (low, high), e in zip(box, extents, strict=True)]
    return tuple([(low, max(low, high)) for low, high in clipped])


def box_size(box: Box) -> int:
    """Return the number of indices in a box."""
    return size_of([high - low for low, high in box])


def element_indices(layout: Places, extents: Sequence[int]) -> Iterator[IndexTuple]:
    """Iterate over the indices with elements, last index fastest."""
    box = whole(extents) if is_empty(extents) else element_box(layout, extents)
    if box is not None and (layout.is_total() or box != whole(extents) or is_empty(extents)):
        return indices_within(box)
    if size_of(extents) < COMPILED_FROM:
        return (index for index in indices(extents) if layout.has_element(extents, index))
    inside = (part for part, are_elements in _uniform_parts(layout, extents) if are_elements)
    return chain.from_iterable(indices_within(tuple([(low, high + 1) for low, high in part])) for part in inside)


def first_missing(layout: Places, extents: Sequence[int]) -> IndexTuple | None:
    """Return the first index without an element; None if every index has an element."""
    if layout.is_total() or is_empty(extents):
        return None
    box = element_box(layout, extents)
    if box is None:
        outside = (part for part, are_elements in _uniform_parts(layout, extents) if not are_elements)
        return next((tuple([low for low, _ in part]) for part in outside), None)
    if len(box) > len(extents) or any(low > 0 for low, _ in box) or not box_size(box):
        return (0,) * len(extents)
    ragged = [r for r, ((_, high), e) in enumerate(zip(box, extents, strict=True)) if high < e]
    return tuple([high if r == ragged[-1] else 0 for r, (_, high) in enumerate(box)]) if ragged else None


def offset_function(layout: TabledArithmetic, extents: Sequence[int]) -> Callable[..., int]:
    """Return a function from index to offset: compiled arithmetic if the layout can be traced, else its `offset`."""
    rank, shape = len(extents), tuple(map(int, extents))
    root = trace(layout, shape).root if rank else None
    if root is not None:
        try:
            return python_function(root, rank)
        except (MemoryError, RecursionError, SyntaxError):  # too large for Python's compiler
            pass
    return lambda *index: offset_of(layout, extents, index)


def offsets_at(layout: TabledArithmetic, extents: Sequence[int], places: Iterator[IndexTuple]) -> Iterator[int]:
    """Iterate over the offsets of the indices ``places``, whose number is at most the size of the index space."""
    if size_of(extents) < COMPILED_FROM:
        return (offset_of(layout, extents, place) for place in places)
    offset = offset_function(layout, extents)
    return (offset(*place) for place in places)


def element_offsets(layout: Places, extents: Sequence[int]) -> Iterator[int]:
    """Iterate over the offsets of the indices with elements, last index fastest."""
    if layout.is_total() and size_of(extents) >= COMPILED_FROM:
        tables = axis_tables(layout, tuple(map(int, extents)))
        if tables is not None:
            return map(sum, product(*tables))
    return offsets_at(layout, extents, element_indices(layout, extents))


def undecided_error(layout: Places, extents: Sequence[int], what: str, define: str = "the trait") -> UndecidedError:
    """Return the error for the fact ``what``, which needs too many indices; ``define`` is the method to define."""
    return UndecidedError(
        f"whether {brief(layout)} over extents {shape_text(extents)} is {what} takes a look at {size_of(extents)} "
        f"indices, more than {ENUMERATION_BUDGET}; define {define} in the layout"
    )


def check_count(layout: Places, extents: Sequence[int], what: str, define: str = "the trait") -> None:
    """Raise `UndecidedError` if the box of elements has more than `ENUMERATION_BUDGET` indices."""
    box = element_box(layout, extents)
    if box is not None and box_size(box) > ENUMERATION_BUDGET:
        raise undecided_error(layout, extents, what, define)


def places(
    layout: Places, extents: Sequence[int], what: str, budget: int = ENUMERATION_BUDGET, define: str = "the trait"
) -> Iterator[tuple[IndexTuple, int]]:
    """Yield the index and the offset of each element, last index fastest; raise `UndecidedError` beyond ``budget``."""
    every = element_indices(layout, extents)
    yield from zip(islice(every, budget), element_offsets(layout, extents), strict=False)
    if next(every, None) is not None:
        raise undecided_error(layout, extents, what, define)


def _uniform_parts(layout: Places, extents: Sequence[int]) -> Iterator[tuple[Ranges, bool]]:
    """Yield boxes, in index order, that make up the index space, and whether all indices of a box have elements.

    In each box, either every index has an element, or no index has an element.
    """
    test = _element_test(layout, extents)

    def answer(part: Ranges) -> bool | None:
        if all(low == high for low, high in part):
            return bool(layout.has_element(extents, tuple([low for low, _ in part])))
        return _answer(test, part)

    return simplification.split(spans(extents), answer)


def _element_test(layout: Places, extents: Sequence[int]) -> Node | None:
    """Return `has_element` as an expression of the index; None if the method cannot be traced."""
    index = [IndexNode(r) for r in range(len(extents))]
    try:
        return explored(lambda decide: int(layout.has_element(extents, numbers(index, decide))))
    except (TraceError, Exception):  # noqa: BLE001 - a user's arithmetic may fail on symbols; each index is tested then
        return None


def _answer(test: Node | None, part: Ranges) -> bool | None:
    """Tell whether the indices of a box have elements: True for all, False for none; None if mixed or undecided."""
    answer = None if test is None else only_value(test, ranging(within(part), None))
    return None if answer is None else bool(answer)
