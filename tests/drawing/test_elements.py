"""Elements as text: nested brackets, never more than the edges of a large view."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview.drawing.elements import EDGE, elements, shown


def text(extents):
    return elements(extents, lambda index: ".".join(map(str, index)) or "x")


@pytest.mark.parametrize(
    ("extents", "expected"),
    [
        ((), "x"),
        ((0,), "[]"),
        ((3,), "[0, 1, 2]"),
        ((7,), "[0, 1, 2, 3, 4, 5, 6]"),
        ((8,), "[0, 1, 2, ..., 5, 6, 7]"),
        ((2, 2), "[[0.0, 0.1],\n [1.0, 1.1]]"),
        ((2, 0), "[[],\n []]"),
        ((2, 1, 2), "[[[0.0.0, 0.0.1]],\n [[1.0.0, 1.0.1]]]"),
        ((9, 1), "[[0.0],\n [1.0],\n [2.0],\n ...,\n [6.0],\n [7.0],\n [8.0]]"),
        ((1,) * 5, "[...]"),
    ],
)
def test_text_of_any_rank(extents, expected):
    assert text(extents) == expected


@given(st.integers(0, 10**12))
def test_few_indices_are_shown_however_many_there_are(extent):
    indices = shown(extent)
    assert len(indices) <= 2 * EDGE + 1
    known = [i for i in indices if i is not None]
    assert known == sorted(set(known))
    assert (None in indices) == (len(known) < extent)
