"""A view is made of parts that fit: the data is long enough, and its strides stay in it."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import pytest

from mdview import Layout, LayoutStrideRelaxed, Mapping, MDView
from mdview.errors import BufferSizeError, LayoutError


@final
@dataclass(frozen=True)
class LayoutLying(Layout):
    """Says that it needs ``span`` elements, whatever its offsets and strides are."""

    span: int
    step: Callable[[Any], Any]
    stated: tuple[int, ...] | None = None

    def offset(self, extents, index):
        return self.step(index[0])

    def required_span_size(self, extents):
        return self.span

    def strides(self, extents):
        return self.stated or Layout.strides(self, extents)


@pytest.mark.parametrize(
    ("layout", "reach"),
    [
        (LayoutLying(8, lambda i: i, (10**9,)), "from 0 to 7000000000"),
        (LayoutLying(8, lambda i: i, (-1,)), "from -7 to 0"),
        (LayoutLying(8, lambda i: 1000 * i), "from 0 to 7000"),
        (LayoutLying(8, lambda i: 3 - i), "from -4 to 3"),
        (LayoutLying(7, lambda i: i), "from 0 to 7"),
    ],
    ids=["stated", "backwards", "far", "below", "short by one"],
)
def test_strides_that_leave_the_span_are_refused_before_memory_is_handed_out(layout, reach):
    for _ in range(2):
        with pytest.raises(LayoutError, match=f"reaches offsets {reach} by its strides and says that it needs"):
            MDView(array("d", range(8)), (8,), layout)
        with pytest.raises(LayoutError, match=f"reaches offsets {reach} by its strides"):
            MDView.from_mapping(array("d", range(8)), Mapping((8,), layout))


def test_an_honest_layout_of_the_same_strides_is_taken():
    assert MDView(array("d", range(8)), (8,), LayoutLying(8, lambda i: i)).tolist() == list(range(8))
    assert MDView(array("d", range(8)), (8,), LayoutLying(8, lambda i: 7 - i)).tolist() == list(range(8))[::-1]
    assert MDView(array("d"), (0,), LayoutLying(0, lambda i: 5 - i)).tolist() == []


def test_data_that_is_too_short_is_refused():
    with pytest.raises(BufferSizeError, match="needs 8 elements, the data has 7"):
        MDView(array("d", range(7)), (8,), LayoutStrideRelaxed((-1,), 7))
