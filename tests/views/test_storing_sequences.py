"""Whatever is a sequence is stored through a slice as a list of its entries is; a text is one value."""

from array import array
from collections import UserList, deque

import pytest

from mdview import LayoutTiled, MDView, flip
from mdview.errors import ElementTypeError, ShapeError


@pytest.mark.parametrize("kind", [deque, UserList, list, tuple])
@pytest.mark.parametrize("layout", [None, LayoutTiled(2, 2)])
def test_a_sequence_of_any_kind_is_stored_like_a_list(kind, layout):
    view = flip(MDView(array("d", bytes(8 * 16)), (4, 4), layout))
    view[1] = kind(range(4))
    assert view[1].tolist() == [0, 1, 2, 3]
    view[:] = kind([[1, 2, 3, 4]] * 4)
    assert view.tolist() == [[1, 2, 3, 4]] * 4
    with pytest.raises(ShapeError, match=r"cannot store shape \(3,\) into shape \(4,\)"):
        view[0] = kind(range(3))
    with pytest.raises(ElementTypeError, match="got str 'x'"):
        view[0] = kind([9, 9, 9, "x"])
    assert view.tolist() == [[1, 2, 3, 4]] * 4


def test_a_text_is_one_value():
    view = MDView([""] * 4, (2, 2))
    view[:] = "ab"
    assert view.tolist() == [["ab", "ab"], ["ab", "ab"]]
