"""Whole views of thousands of elements and more, which are read and written by runs, by blocks and in several boxes."""

import numpy as np
import pytest
from samples.layouts import LAYOUTS, bound, takes

import mdview as md

SHAPE, HUGE = (130, 112), (1200, 900)
NAMES = [name for name in LAYOUTS if takes(name, SHAPE)]
PARTS = [np.s_[:, :], np.s_[1:-3, 2:], np.s_[::-1, 5:105], np.s_[3:123:2, ::-1], np.s_[40:44, :], np.s_[:, 7]]
WINDOWS = (2, 2)
"""Extents of windows that overlap, each of which begins one element after another."""
MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


def made(mapping, dtype="i8", origin=3):
    """A view of numbers, these numbers, and the position of each element."""
    items = np.arange(mapping.required_span_size + origin).astype(dtype)
    if mapping.extents == HUGE:  # whose arithmetic takes arrays
        places = mapping.layout.offset(HUGE, np.ogrid[: HUGE[0], : HUGE[1]]) + origin
    else:
        places = np.fromiter(mapping.offsets(), np.intp, mapping.size).reshape(mapping.extents) + origin
    return md.MDView.from_mapping(items, mapping, origin=origin), items, places


def taken(whole, part):
    """A part of a view or of an array, or all of its windows."""
    if part != WINDOWS:
        return whole[part]
    make = md.sliding_window if isinstance(whole, md.MDView) else np.lib.stride_tricks.sliding_window_view
    return make(whole, part)


def check_reads(view, wanted):
    assert np.array_equal(np.array(view), wanted)
    out = np.zeros(wanted.shape, wanted.dtype)
    md.copy(view, md.asview(out))
    assert np.array_equal(out, wanted)
    assert md.equal(view, md.asview(out))
    assert md.reduce(np.add, view) == wanted.sum()
    assert np.array_equal(np.asarray(md.transform(np.negative, view)), -wanted)
    wide = np.zeros(wanted.shape)
    md.copy(view, md.asview(wide))
    assert np.array_equal(wide, wanted)
    out.reshape(-1)[-1] += 1
    assert not md.equal(view, md.asview(out))


def check_stores(view, items, places):
    """Stores change the elements of a view and nothing else; of several for one position the last one stays."""
    expected, values = items.copy(), np.arange(places.size).reshape(places.shape) * 7 % 1009
    for place, value in zip(places.ravel().tolist(), values.ravel().tolist(), strict=True):
        expected[place] = value
    md.copy(md.asview(values), view, keep="last")
    assert np.array_equal(items, expected)
    md.copy(md.asview(values.astype("i2")), view, keep="last")
    assert np.array_equal(items, expected)
    expected[places] = -5
    md.fill(view, -5)
    assert np.array_equal(items, expected)


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_thousands_of_elements_are_read_and_stored_one_by_one(name):
    for part in PARTS:
        view, items, places = made(bound(name, SHAPE))
        check_reads(view[part], items[places[part]])
        check_stores(view[part], items, places[part])


@pytest.mark.parametrize("name", NAMES)
def test_operands_of_one_mapping_change_each_element_once_however_often(name):
    for part in (*PARTS, WINDOWS):
        (whole, items, places), (other, copied, its_places) = (made(bound(name, SHAPE), origin=k) for k in (3, 5))
        view, reached, twin, its_reached = (taken(each, part) for each in (whole, places, other, its_places))
        for value in range(4):  # what a mapping reaches is found out in the course of them
            expected, its_expected = items.copy(), copied.copy()
            if name != "relaxed, zero":  # one that is broadcast takes no results
                expected[reached] = -items[reached]
                md.transform(np.negative, view, out=view)
            assert np.array_equal(items, expected)
            its_expected[its_reached] = items[reached]
            md.copy(view, twin)
            assert np.array_equal(copied, its_expected)
            assert md.equal(view, twin)
            md.fill(twin, value)
            its_expected[its_reached] = value
            assert np.array_equal(copied, its_expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "layout", [md.LayoutRight(), md.LayoutTiled(8, 4), md.LayoutMorton(), md.LayoutSwizzled(md.LayoutRight(), 3, 3, 3)]
)
def test_padding_of_thousands_of_elements_is_that_of_numpy(layout, mode):
    view, items, places = made(md.Mapping(SHAPE, layout))
    padded, wanted = md.pad(view, ((3, 2), (150, 1)), mode), np.pad(items[places], ((3, 2), (150, 1)), mode)
    for part in (np.s_[:, :], np.s_[1:, 100:], np.s_[::-1, ::2], np.s_[4], np.s_[:, 151]):
        check_reads(padded[part], wanted[part])
    assert np.array_equal(np.array(md.operations.scaled(2, view)), 2 * items[places])


@pytest.mark.parametrize(
    "layout", [md.LayoutRight(), md.LayoutTiled(8, 4), md.LayoutMorton(), md.LayoutSwizzled(md.LayoutRight(), 3, 3, 3)]
)
def test_views_of_many_boxes_are_read_and_stored_as_small_ones(layout):
    view, items, places = made(md.Mapping(HUGE, layout))
    for part in (np.s_[:, :], np.s_[1:, ::-1]):
        check_reads(view[part], items[places[part]])
        check_stores(view[part], items, places[part])
    padded = md.pad(view, 2, "reflect")
    check_reads(padded, np.pad(items[places], 2, "reflect"))


@pytest.mark.parametrize("mode", MODES)
def test_one_element_of_padding_is_read_as_a_whole_view(mode):
    padded = md.pad(md.MDView(np.array([5.0, 7.0]), (2,)), ((1, 1),), mode)
    for k, wanted in enumerate(np.pad([5.0, 7.0], 1, mode).tolist() * 2):
        one = padded[..., k % 4]
        assert (np.array(one).shape, one.tolist(), md.reduce(np.add, one)) == ((), wanted, wanted)
