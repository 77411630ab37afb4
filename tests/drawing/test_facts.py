"""What is said of a mapping in text."""

import math

import pytest

from mdview import (
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    dim,
)
from mdview.drawing.facts import contiguity, count, facts
from mdview.errors import UndecidedError
from mdview.layouts.base import Layout


class Undecided(Layout):
    """A layout whose traits cost too much."""

    def offset(self, extents, index):
        return index[0]

    def required_span_size(self, extents):
        return extents[0]

    def is_unique(self, extents):
        raise UndecidedError("too many indices")


def test_a_padded_layout_has_holes():
    assert facts(Mapping((dim(3), 4), LayoutRightPadded(8)), "f", 4) == {
        "shape": "(3, 4)",
        "format": "f (4 bytes)",
        "layout": "LayoutRightPadded(padding=8)",
        "strides": "(8, 1)",
        "span": "20 elements",
        "contiguous": "neither",
        "unique": "yes",
        "exhaustive": "no, 8 holes",
        "size": "12 elements, 48 bytes",
    }


def test_tiles_have_no_strides():
    about = facts(Mapping((4, 4), LayoutTiled(2, 2)), "B", 1)
    assert about["strides"] == "none, the layout is not strided"
    assert about["contiguous"] == "neither"
    assert about["exhaustive"] == "yes"
    assert about["format"] == "B (1 byte)"


def test_holes_are_counted_only_where_elements_are_distinct():
    about = facts(Mapping((2, 3), LayoutStrideRelaxed((0, 2))), "d", 8)
    assert (about["unique"], about["exhaustive"], about["span"]) == ("no", "no", "5 elements")


def test_one_element_and_one_hole_are_singular():
    assert facts(Mapping(()), "d", 8)["size"] == "1 element, 8 bytes"
    assert facts(Mapping((2,), LayoutStride((2,))), "d", 8)["exhaustive"] == "no, 1 hole"
    assert (count(0, "byte"), count(1, "byte"), count(2, "byte")) == ("0 bytes", "1 byte", "2 bytes")


def test_what_costs_too_much_to_know_is_called_undecided():
    assert facts(Mapping((3,), Undecided()), "d", 8)["unique"] == "undecided: too many indices"


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        (Mapping((3, 4)), "C"),
        (Mapping((3, 4), LayoutLeft()), "Fortran"),
        (Mapping((3, 4), LayoutStride((4, 1))), "C"),
        (Mapping((3, 4), LayoutStride((8, 2))), "neither"),
        (Mapping((3, 1), LayoutStride((1, 7))), "C and Fortran"),
        (Mapping((5,)), "C and Fortran"),
        (Mapping(()), "C and Fortran"),
        (Mapping((0, 3), LayoutStride((9, 9))), "C and Fortran"),
        (Mapping((4,), LayoutStrideRelaxed((-1,), 3)), "neither"),
        (Mapping((4,), LayoutStrideRelaxed((1,), 3)), "neither"),
    ],
    ids=repr,
)
def test_contiguity(mapping, expected):
    assert contiguity(mapping) == expected


@pytest.mark.parametrize("layout", [LayoutRight(), LayoutLeft(), LayoutTiled(4, 5, 6)], ids=repr)
def test_size_in_bytes_is_that_of_the_elements(layout):
    extents = (7, 8, 9)
    assert facts(Mapping(extents, layout), "h", 2)["size"] == f"504 elements, {2 * math.prod(extents)} bytes"
