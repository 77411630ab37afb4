"""Strided boxes, against arrays of positions."""

import pickle
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview.errors import (
    AxisError,
    BroadcastError,
    ExtentsError,
    ExtentsTypeError,
    PaddingError,
    RankError,
    ReshapeError,
    ShapeError,
    SliceError,
)
from mdview.lazy.box import StridedBox
from mdview.lazy.chain import Chain


@st.composite
def boxes(draw):
    extents = draw(st.lists(st.integers(1, 4), max_size=3))
    rank = len(extents)
    strides = draw(st.lists(st.integers(-4, 4), min_size=rank, max_size=rank))
    box = None
    if draw(st.booleans()):
        box = [sorted(draw(st.tuples(st.integers(0, n), st.integers(0, n)))) for n in extents]
    return StridedBox(extents, strides, draw(st.integers(-5, 30)), box)


def array(box):
    """Positions of the cells, None where there is none."""
    cells = np.empty(box.size, object)
    cells[:] = list(box.elements())
    return cells.reshape(box.extents)


def same(box, wanted):
    wanted = np.asarray(wanted, object)  # of rank 0, NumPy returns the element
    assert box.extents == wanted.shape
    assert array(box).tolist() == wanted.tolist()


@given(boxes(), st.data())
def test_permute(box, data):
    axes = data.draw(st.permutations(range(box.rank)))
    same(box.permute(axes), array(box).transpose(axes))


@given(boxes(), st.data())
def test_flip(box, data):
    flips = data.draw(st.lists(st.booleans(), min_size=box.rank, max_size=box.rank))
    same(box.flip(flips), np.flip(array(box), [r for r, flipped in enumerate(flips) if flipped]))
    assert list(box.flip(flips).flip(flips).elements()) == list(box.elements())


@given(boxes(), st.data())
def test_shrink(box, data):
    begins = [data.draw(st.integers(0, n - 1)) for n in box.extents]
    ends = [data.draw(st.integers(b + 1, n)) for b, n in zip(begins, box.extents, strict=True)]
    bounds = list(zip(begins, ends, strict=True))
    same(box.shrink(bounds), array(box)[tuple(slice(b, e) for b, e in bounds)])


@given(boxes(), st.data())
def test_pad_and_back(box, data):
    widths = [data.draw(st.tuples(st.integers(0, 2), st.integers(0, 2))) for _ in box.extents]
    padded = box.pad(widths)
    same(padded, np.pad(array(box), widths, constant_values=None) if box.rank else array(box))
    back = padded.shrink([(before, before + n) for (before, _), n in zip(widths, box.extents, strict=True)])
    assert (back.extents, back.strides, back.offset) == (box.extents, box.strides, box.offset)
    assert list(back.elements()) == list(box.elements())


@given(boxes(), st.data())
def test_expand(box, data):
    shape = [data.draw(st.integers(1, 3)) if n == 1 else n for n in box.extents]
    voids = [r for r, n in enumerate(shape) if n != box.extents[r] and box.valid_box[r] != (0, 1)]
    if voids:
        with pytest.raises(BroadcastError, match="no element"):
            box.expand(shape)
    else:
        same(box.expand(shape), np.broadcast_to(array(box), shape))


@given(boxes(), st.data())
def test_expand_dims_and_squeeze(box, data):
    axes = data.draw(st.sets(st.integers(0, box.rank + 1), max_size=2))
    axes = [a for a in axes if a < box.rank + len(axes)]
    if max(axes, default=0) < box.rank + len(axes):
        longer = box.expand_dims(axes)
        same(longer, np.expand_dims(array(box), tuple(axes)))
        assert list(longer.squeeze(axes).elements()) == list(box.elements())


@given(boxes(), st.data())
def test_reshape_keeps_the_elements_or_says_why_not(box, data):
    sizes = [d for d in range(1, box.size + 1) if box.size % d == 0]
    first = data.draw(st.sampled_from(sizes))
    second = data.draw(st.sampled_from([d for d in sizes if (box.size // first) % d == 0]))
    shape = (first, second, -1)
    try:
        found = box.reshape(shape)
    except ReshapeError:
        found = Chain(box).reshape(shape)
        assert len(found.links) == 2
    assert list(found.elements()) == list(box.elements())
    assert found.extents == array(box).reshape(shape).shape


def test_defaults_are_a_fresh_box():
    box = StridedBox((2, 3, 4))
    assert (box.strides, box.offset, box.box, box.size, box.rank) == ((12, 4, 1), 0, None, 24, 3)
    assert box.is_c_contiguous
    assert box.simplify() is box
    assert not StridedBox((2, 3), offset=1).is_c_contiguous


def test_it_is_a_value():
    box = StridedBox((2, 3), (3, 1), 5, [(0, 1), (0, 3)])
    assert box == StridedBox([2, 3], [3, 1], 5, [[0, 1], [0, 3]])
    assert hash(box) == hash(pickle.loads(pickle.dumps(box)))  # noqa: S301 - made here
    assert eval(repr(box)) == box  # noqa: S307 - made here
    assert box.linear_index((1, 2)) == 10


def test_normal_form():
    assert StridedBox((4, 6), box=[(0, 4), (0, 6)]).box is None
    assert StridedBox((4, 6), box=[(1, 4), (0, 6)]).valid_box == ((1, 4), (0, 6))
    empty = StridedBox((2, 0), offset=7, box=[(0, 1), (0, 0)])
    assert (empty.offset, empty.box, list(empty.elements())) == (0, None, [])


def test_a_box_without_elements():
    padded = StridedBox((2,)).pad([(2, 1)]).shrink([(0, 2)])
    assert padded.is_void
    assert list(padded.elements()) == [None, None]
    assert not StridedBox((2,)).is_void


def test_what_changes_nothing_returns_the_box():
    box = StridedBox((2, 3)).permute((1, 0))
    assert box.reshape((3, 2)) is box
    assert box.shrink([(0, 3), (0, 2)]) is box
    assert box.pad([(0, 0), (0, 0)]) is box


def test_empty_results():
    assert StridedBox((1, 4)).expand((0, 4)) == StridedBox((0, 4))
    assert StridedBox((0, 4), (9, 9)).reshape((2, 0)) == StridedBox((2, 0))
    assert StridedBox((0, 2), (5, 1)).flip((True, False)).strides == (5, 1)


def test_validity_asks_the_box_alone():
    box = StridedBox((3,), box=[(1, 2)])
    assert [box.is_valid((i,)) for i in range(3)] == [False, True, False]
    assert not box.is_valid((1, 0))
    assert StridedBox((3,)).is_valid((1,))
    assert StridedBox((3,)).strides_or_none() == (1,)
    assert box.strides_or_none() is None


BOX = StridedBox((2, 1, 4))
CORNER = StridedBox((3,)).pad([(1, 0)]).shrink([(0, 1)])


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: StridedBox((2, 3), (1,)), RankError, "takes 2 strides, got 1"),
        (lambda: StridedBox((2, 3), box=[(0, 1)]), RankError, "takes 2 ranges, got 1"),
        (lambda: StridedBox((2,), box=[(0, 3)]), SliceError, r"\(0, 3\) for extent 2 of dimension 0"),
        (lambda: StridedBox((-2,)), ExtentsError, "extent -2 of dimension 0"),
        (lambda: StridedBox((2,), (1.5,)), ExtentsTypeError, "a stride must be an integer"),
        (lambda: StridedBox((2,), offset="a"), ExtentsTypeError, "an offset must be an integer"),
        (lambda: BOX.extent(3), AxisError, "dimension 3"),
        (lambda: BOX.stride(-1), AxisError, "dimension -1"),
        (lambda: BOX.linear_index((1, 0)), RankError, "takes 3 indices, got 2"),
        (lambda: BOX.permute((0, 0, 1)), AxisError, "once"),
        (lambda: BOX.permute((0, 1, -1)), AxisError, "dimension -1"),
        (lambda: BOX.flip((True,)), RankError, "takes 3 flags"),
        (lambda: BOX.shrink([(0, 2), (1, 1), (0, 4)]), SliceError, r"\(1, 1\) for extent 1 of dimension 1"),
        (lambda: BOX.pad([(0, 0), (0, -1), (0, 0)]), PaddingError, r"\(0, -1\) of dimension 1; use shrink"),
        (lambda: BOX.expand((2, 1)), RankError, "takes 3 extents"),
        (lambda: BOX.expand((3, 1, 4)), BroadcastError, "extent 2 of dimension 0 to 3"),
        (lambda: CORNER.expand((3,)), BroadcastError, r"no element \(box \(1, 1\)\)"),
        (lambda: BOX.broadcast_to((4,)), BroadcastError, "never removes"),
        (lambda: BOX.broadcast_to((5, 3, 1, 4)), BroadcastError, "extent 2"),
        (lambda: BOX.expand_dims((0, 5)), AxisError, "each appears once"),
        (lambda: BOX.expand_dims((0, -5)), AxisError, "each appears once"),
        (lambda: BOX.squeeze((0,)), BroadcastError, "extent 2 of dimension 0"),
        (lambda: BOX.squeeze((3,)), AxisError, "-3, 3"),
        (CORNER.squeeze, BroadcastError, "no element"),
        (lambda: BOX.reshape((-1, -1)), ShapeError, "only one extent"),
        (lambda: BOX.reshape((3, 3)), ShapeError, "8 elements"),
        (lambda: BOX.permute((2, 1, 0)).reshape((8,)), ReshapeError, r"dimension 0 has stride 1, needs 8; copy"),
        (lambda: BOX.pad([(1, 0)] * 3).reshape((-1,)), ReshapeError, "outside the box"),
    ],
)
def test_refusals_name_the_place_and_the_way_out(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_elements_come_one_by_one_however_many_there_are():
    assert list(StridedBox((0, 10**15)).elements()) == []
    assert list(islice(StridedBox((10**15, 2)).flip((False, True)).elements(), 3)) == [1, 0, 3]


def test_a_box_is_an_array_where_every_cell_has_an_element():
    assert BOX.flip((True, False, True)).is_materializable
    assert not CORNER.is_materializable
