"""Code that looks offsets up takes indices and leaves slices alone, however little it looks up."""

from dataclasses import dataclass
from typing import final

import pytest

from mdview import ALL, Layout, MDView, broadcast_to, expand_dims, reshape, sliding_window
from mdview.engines.scalar.lookups import digits_code


@final
@dataclass(frozen=True)
class LayoutPoint(Layout):
    """One element, and no strides that it would state."""

    def offset(self, extents, index):
        return 0

    def required_span_size(self, extents):
        return 1

    def strides(self, extents):
        return None


PARTS = {
    "reshaped": lambda v: reshape(v, (1,)),
    "reshaped twice": lambda v: reshape(reshape(v, (1, 1)), (1,)),
    "repeated": lambda v: reshape(broadcast_to(reshape(v, (1,)), (4,)), (4,)),
    "windows": lambda v: sliding_window(reshape(v, (1,)), 1)[0],
    "a window": lambda v: reshape(sliding_window(reshape(v, (1, 1)), (1, 1)), (1,)),
    "expanded": lambda v: expand_dims(v, 0),
    "windows of nothing": lambda v: expand_dims(sliding_window(v, ()), 0)[0:1],
}


@pytest.mark.parametrize("name", PARTS)
def test_a_slice_of_nothing_of_a_base_of_rank_0_is_empty_and_stores_nothing(name):
    data = [5]
    view = PARTS[name](MDView(data, (), LayoutPoint()))
    assert digits_code(view.mapping, moved=False) is None
    for _ in range(2):
        for key in (slice(0, 0), (slice(0, 0),), slice(1, 1)):
            assert view[key].tolist() == []
            view[key] = 7
            assert data == [5]
        assert view[0] == 5
        assert view[ALL].tolist() == [5] * view.size
    view[0] = 6
    assert data == [6]
