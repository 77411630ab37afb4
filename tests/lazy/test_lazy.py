"""Strided boxes and chains of them, against arrays of positions; what is one box, against a search for it."""

from itertools import islice
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import errors
from mdview.lazy import Chain, StridedBox

MOST_CELLS = 60


@st.composite
def boxes(draw):
    extents = draw(st.lists(st.integers(1, 4), max_size=3))
    rank = len(extents)
    if draw(st.booleans()):
        return StridedBox(extents)
    strides = draw(st.lists(st.integers(-4, 6), min_size=rank, max_size=rank))
    ranges = [sorted(draw(st.tuples(st.integers(0, n), st.integers(0, n)))) for n in extents]
    return StridedBox(extents, strides, draw(st.integers(-5, 30)), ranges if draw(st.booleans()) else None)


def array(found):
    """Positions of the cells, None where there is none."""
    cells = np.empty(found.size, object)
    cells[:] = list(found.elements())
    return cells.reshape(found.extents)


def shapes_of(draw, size):
    shape = []
    while size > 1:
        shape.append(draw(st.sampled_from([d for d in range(2, size + 1) if size % d == 0])))
        size //= shape[-1]
    if draw(st.integers(0, 5)) == 0:
        shape.insert(draw(st.integers(0, len(shape))), 1)
    return draw(st.permutations(shape))


ARGUMENTS = {
    "permute": lambda draw, shape: draw(st.permutations(range(len(shape)))),
    "flip": lambda draw, shape: [draw(st.booleans()) for _ in shape],
    "shrink": lambda draw, shape: [(b := draw(st.integers(0, n - 1)), draw(st.integers(b + 1, n))) for n in shape],
    "reshape": lambda draw, shape: shapes_of(draw, prod(shape)),
    "squeeze": lambda draw, shape: [r for r, n in enumerate(shape) if n == 1 and draw(st.booleans())],
    "pad": lambda draw, shape: [(draw(st.integers(0, 2)), draw(st.integers(0, 1))) for _ in shape],
    "expand": lambda draw, shape: [draw(st.integers(1, 3)) if n == 1 else n for n in shape],
    "broadcast_to": lambda draw, shape: [2, *shape],
    "expand_dims": lambda draw, shape: sorted(draw(st.sets(st.integers(0, len(shape)), max_size=1))),
}
EFFECTS = {
    "permute": np.transpose,
    "flip": lambda cells, flips: cells[(*[slice(None, None, -1 if flip else 1) for flip in flips], ...)],
    "shrink": lambda cells, bounds: cells[(*[slice(*pair) for pair in bounds], ...)],
    "reshape": np.reshape,
    "squeeze": lambda cells, axes: cells.squeeze(tuple(axes)),
    "pad": lambda cells, widths: np.pad(cells, widths, constant_values=None) if widths else cells,
    "expand": np.broadcast_to,
    "broadcast_to": np.broadcast_to,
    "expand_dims": lambda cells, axes: np.expand_dims(cells, tuple(axes)),
}
GROWING = {"pad", "expand", "broadcast_to", "expand_dims"}


def movement(draw, cells):
    """A movement, its argument, and what becomes of an array of cells."""
    name = draw(st.sampled_from([name for name in ARGUMENTS if cells.size <= MOST_CELLS or name not in GROWING]))
    argument = ARGUMENTS[name](draw, cells.shape)
    return name, argument, EFFECTS[name](cells, argument)


@st.composite
def chains(draw):
    """A chain, and the array of its elements."""
    start = draw(boxes().filter(lambda box: not box.is_void and box.offset >= 0))
    found, cells = Chain(start), array(start)
    for _ in range(draw(st.integers(1, 7))):
        name, given_, cells = movement(draw, cells)
        found = getattr(found, name)(given_)
    return found, cells


@given(boxes(), st.data())
def test_a_movement_of_a_box_is_that_of_its_cells_or_cannot_be_one_box(box, data):
    name, given_, expected = movement(data.draw, array(box))
    try:
        found = getattr(box, name)(given_)
    except errors.ReshapeError:
        assert len(Chain(box).reshape(given_).links) == 2
        return
    assert found.extents == expected.shape
    assert list(found.elements()) == list(expected.flat)
    if name == "flip":
        assert list(found.flip(given_).elements()) == list(box.elements())
    if name == "pad":
        back = found.shrink([(before, before + n) for (before, _), n in zip(given_, box.extents, strict=True)])
        assert (back.strides, back.offset, list(back.elements())) == (box.strides, box.offset, list(box.elements()))


def is_one_box(array):
    """Whether some offset, strides and box give exactly these elements: by trying the only candidates."""
    cells = {index: position for index, position in np.ndenumerate(array) if position is not None}
    if not cells:
        return True
    spread = [[index[r] for index in cells] for r in range(array.ndim)]
    low, high = [min(each) for each in spread], [max(each) for each in spread]
    if prod([h - l + 1 for l, h in zip(low, high, strict=True)]) != len(cells):
        return False
    first = cells[tuple(low)]
    steps = [cells[(*low[:r], low[r] + 1, *low[r + 1 :])] - first if high[r] > low[r] else 0 for r in range(len(low))]
    return all(
        position == first + sum(s * (i - l) for s, i, l in zip(steps, index, low, strict=True))
        for index, position in cells.items()
    )


@given(chains())
def test_any_movements_of_a_chain_reach_what_they_should_and_become_one_box_only_where_there_is_one(found):
    chain, expected = found
    assert chain.extents == expected.shape
    assert list(chain.elements()) == list(expected.flat)
    assert [chain.locate(*index) for index, _ in np.ndenumerate(expected)] == list(expected.flat)
    simple = chain.simplify()
    assert list(simple.elements()) == list(expected.flat)
    assert is_one_box(expected) or len(simple.links) > 1
    assert len(simple.links) <= len(chain.links)
    assert (simple.single() is None) == (len(simple.links) > 1)
    assert eval(repr(chain)) == chain  # noqa: S307 - made here


LONG = 10**6
TALL, LINE = Chain(StridedBox((LONG, 8))), Chain(StridedBox((10 * LONG,)))


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        (
            TALL.pad([(2, 2), (0, 0)]).reshape((LONG // 2 + 2, 2, 8)),
            StridedBox((LONG // 2 + 2, 2, 8), (16, 8, 1), -16, [(1, LONG // 2 + 1), (0, 2), (0, 8)]),
        ),
        (TALL.permute((1, 0)).reshape((2, 4, LONG)).permute((2, 0, 1)), StridedBox((LONG, 2, 4), (8, 4, 1))),
        (TALL.pad([(1, 1), (0, 0)]).shrink([(0, 2), (0, 8)]).reshape((16,)), StridedBox((16,), (1,), -8, [(8, 16)])),
        (
            LINE.pad([(2, LONG * 2 - 2)]).reshape((12 * LONG,)).reshape((6 * LONG, 2)).flip((True, True)),
            StridedBox((6 * LONG, 2), (-2, -1), 12 * LONG - 3, [(LONG - 1, 6 * LONG - 1), (0, 2)]),
        ),
    ],
)
def test_large_boxes_merge_without_a_visit_of_their_cells(chain, expected):
    assert chain.single() == expected


def test_facts_of_chains():
    chain = Chain(StridedBox((2, 3))).permute((1, 0))
    assert (chain.extents, chain.rank, chain.size, chain.strides_or_none()) == ((3, 2), 2, 6, (1, 3))
    assert (chain.can_get_strides, chain.is_materializable, chain.is_c_contiguous) == (True, True, False)
    assert Chain(StridedBox((2, 3))).is_c_contiguous
    hole = Chain(CORNER)
    for moved, count in ((hole.expand((4,)), 4), (hole.broadcast_to((2, 3)), 6), (hole.squeeze(), 1)):
        assert list(moved.elements()) == [None] * count
    assert all(
        moved.single().is_void for moved in (hole.expand((4,)), hole.squeeze(), hole.reshape(()).reshape((1, 1)))
    )


def test_empty_index_spaces_have_no_cells_to_visit_however_long_they_are():
    assert StridedBox((1, 4)).expand((0, 4)) == StridedBox((0, 4))
    assert StridedBox((0, 4), (9, 9)).reshape((2, 0)) == StridedBox((2, 0))
    empty = StridedBox((0, 2), (5, 1))
    assert (empty.flip((True, False)).strides, empty.shrink([(0, 0), (0, 2)]) is empty) == ((5, 1), True)
    assert StridedBox((2, 0), offset=7, box=[(0, 1), (0, 0)]) == StridedBox((2, 0))
    assert Chain(StridedBox((0, 3))).permute((1, 0)).reshape((0, 7)).single() == StridedBox((0, 7))
    assert Chain(StridedBox((0, 3)), StridedBox((5, 0))).single() == StridedBox((5, 0))
    long = StridedBox((10**15, 2))
    for found in (long.flip((False, True)), Chain(long, long.flip((False, True)))):
        assert list(islice(found.elements(), 3)) == [1, 0, 3]
    for found in (StridedBox((0, 10**15)), Chain(StridedBox((0, 10**15)))):
        assert list(found.elements()) == []
    void = Chain(long, StridedBox((2, 10**15), box=((0, 0), (0, 10**15)))).single()
    assert (void.is_void, void.extents) == (True, (2, 10**15))


CORNER = StridedBox((3,)).pad([(1, 0)]).shrink([(0, 1)])
