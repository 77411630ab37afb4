"""The halo engine: loads go to an element or to what stands in for it, stores to elements, nothing to other places."""

import numpy as np
import pytest

from mdview import (
    CheckedAccessor,
    DefaultAccessor,
    ExtentSlice,
    FillAccessor,
    IndexTransform,
    LayoutComposed,
    LayoutRight,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    diagonal,
    flip,
    pad,
    ravel,
    reshape,
    sliding_window,
    submapping,
)
from mdview.engines import padding
from mdview.engines.bulk import whole_views
from mdview.engines.bulk.operand import Operand
from mdview.errors import HaloError

PADDED = pad(Mapping((2, 3)), ((1, 0), (0, 2)))
MODES = ("edge", "reflect", "wrap")


class Watched(list):
    """Data that refuses whatever is no position of an element."""

    def __getitem__(self, offset):
        assert type(offset) is int
        assert 0 <= offset < len(self)
        return super().__getitem__(offset)


def load(data, mapping, accessor, index, origin=0):
    return padding.load(accessor.read, data, mapping, origin, accessor, index)


@pytest.mark.parametrize("origin", [0, 2])
def test_an_element_is_read_at_its_offset_from_the_origin(origin):
    assert load(list(range(9)), PADDED, DefaultAccessor(), (2, 1), origin) == origin + 4
    assert padding.position(range(9), PADDED, origin, (2, 1)) == origin + 4


@pytest.mark.parametrize("mode", MODES)
def test_only_positions_of_elements_are_read(mode):
    data = Watched(range(6))
    mappings = [
        PADDED,
        flip(PADDED),
        diagonal(PADDED),
        reshape(PADDED, (15,)),
        sliding_window(PADDED, (2, 2)),
        pad(reshape(PADDED, (15,)), 4),
        pad(flip(Mapping((2, 3))), 3),
        reshape(pad(reshape(PADDED, (5, 3)), 1), (35,)),
    ]
    for mapping in mappings:
        accessor = FillAccessor(mode)
        values = list(whole_views.values(Operand(data, mapping, 0, accessor)))
        assert len(values) == mapping.size
        assert set(values) <= set(range(6))


@pytest.mark.parametrize("mode", MODES)
def test_a_halo_around_a_reshaped_halo_reads_as_numpy_pads_twice(mode):
    mapping = pad(reshape(pad(Mapping((2, 3)), 1), (5, 4)), 2)
    numbers = np.pad(np.pad(np.arange(6).reshape(2, 3), 1, mode).reshape(5, 4), 2, mode)
    view = MDView.from_mapping(Watched(range(6)), mapping, FillAccessor(mode))
    assert view.tolist() == numbers.tolist()


@pytest.mark.parametrize("mode", MODES)
def test_what_stands_in_is_an_element_for_every_index(mode):
    tiled = pad(Mapping((3, 3), LayoutTiled(2, 2)), 2)
    expected = np.pad(np.array(list(Mapping((3, 3), LayoutTiled(2, 2)).offsets())).reshape(3, 3), 2, mode)
    for index in np.ndindex(7, 7):
        assert padding.stand_in(mode, tiled.layout, tiled.extents, index) == expected[index]


def test_what_stands_in_for_an_element_is_the_element():
    assert padding.stand_in("wrap", LayoutRight(), (2, 3), (1, 2)) == 5


@pytest.mark.parametrize("mode", MODES)
def test_padding_around_nothing_has_no_element_to_repeat(mode):
    around = pad(Mapping((2, 0)), 1)
    with pytest.raises(HaloError, match=rf"index \(0, 1\) of Mapping.* not read: mode '{mode}' finds no element"):
        load([], around, FillAccessor(mode), (0, 1))


def test_a_constant_is_read_without_touching_the_data():
    assert load(None, PADDED, FillAccessor("constant", 8), (0, 0)) == 8
    assert load(None, PADDED, ReadOnlyAccessor(FillAccessor("constant", 8)), (2, 4)) == 8


def test_loads_go_over_all_indices_last_one_fastest():
    accessor = FillAccessor("constant", None)
    values = list(whole_views.values(Operand(list(range(6)), PADDED, 0, accessor)))
    assert values == [*[None] * 5, 0, 1, 2, None, None, 3, 4, 5, None, None]


@pytest.mark.parametrize("index", [(0, 0), (1, 3), (0, 4)])
def test_without_a_fill_the_halo_is_not_read(index):
    with pytest.raises(HaloError, match=r"lies in the padding, which is not read; wrap its accessor: FillAccessor"):
        load([0] * 6, PADDED, CheckedAccessor(), index)


@pytest.mark.parametrize("index", [(0, 0), (1, 3), (0, 4)])
def test_the_halo_is_not_stored_to(index):
    with pytest.raises(HaloError, match=r"index \(\d, \d\) of Mapping\(\(3, 5\), .* lies in the padding, which"):
        padding.position(range(9), PADDED, 0, index)


@pytest.mark.parametrize(
    ("start", "stop", "outside"), [(0, 5, 0), (1, 4, None), (3, 7, 4), (8, 8, None), (7, 10, None), (10, 12, 10)]
)
def test_a_part_is_stored_to_where_each_of_its_indices_stands_for_an_element(start, stop, outside):
    rows = ravel(pad(Mapping((2, 3)), ((0, 0), (1, 2))))  # one index of padding before and two after each row
    part, _ = submapping(rows, ExtentSlice(start, stop - start))
    if outside is None:
        padding.refuse_stores(part)
    else:
        with pytest.raises(HaloError, match=rf"^index \({outside - start},\) of .* is not stored to; slice the view"):
            padding.refuse_stores(part)


def test_a_halo_error_is_an_index_error():
    assert issubclass(HaloError, IndexError)


def test_a_box_of_ones_own_is_a_halo_too():
    layout = LayoutComposed(LayoutRight(), (4,), IndexTransform((0,), (1,), (0,)), ((1, 3),))
    view = MDView.from_mapping([5, 6, 7, 8], Mapping((4,), layout), FillAccessor(constant=0))
    assert view.tolist() == [0, 6, 7, 0]
    assert view.mapping.required_span_size == 3
