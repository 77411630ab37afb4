"""Walks over one view: elements, indices, runs, tiles, all as one run, in the order of indices and of memory."""

import itertools

import pytest
from brute_force import SHARE, dimensions, mapping_of, offsets
from hypothesis import given, settings
from samples.mappings import MAPPINGS, CountingAccessor
from samples.variants import indices_of

import mdview as md


def on_numbers(mapping, before=0, accessor=None):
    """View whose element is its position in the data, some way into the data."""
    data = list(range(before + mapping.required_span_size))
    return md.MDView.from_mapping(data, mapping, *([] if accessor is None else [accessor]), origin=before)


def lists(views):
    return [view.tolist() for view in views]


def check(mapping, expected):
    """Compare every walk over a mapping with the offsets of its indices in index order."""
    view, every_index = on_numbers(mapping, before=3), indices_of(mapping.extents)
    places = sorted(zip(expected, every_index, strict=True))
    assert list(md.iteration.elements(view)) == [3 + offset for offset in expected]
    assert list(md.iteration.elements(view, order="memory")) == [3 + offset for offset, _ in places]
    assert list(md.iteration.indices(view)) == list(md.iteration.indices(mapping)) == every_index
    assert list(md.iteration.indices(view, order="memory")) == [index for _, index in places]
    found = lists(md.iteration.runs(view))
    assert [*itertools.chain(*found)] == [3 + offset for offset in expected]
    assert all(a[-1] + 1 != b[0] for a, b in itertools.pairwise(found))
    found = lists(md.iteration.runs(view, order="memory"))
    assert [*itertools.chain(*found)] == sorted({3 + offset for offset in expected})
    assert all(a[-1] + 1 < b[0] for a, b in itertools.pairwise(found))


@settings(max_examples=3 * SHARE // 4)
@given(dimensions(1))
def test_strided_views_are_walked_in_both_orders(dims):
    mapping = mapping_of(dims)
    check(mapping, offsets(mapping))


@pytest.mark.parametrize("name", MAPPINGS)
def test_views_of_any_layout_are_walked_in_both_orders_and_are_one_run_or_not(name):
    mapping = MAPPINGS[name]()
    check(mapping, [mapping(*index) for index in indices_of(mapping.extents)])
    view = on_numbers(mapping, before=2)
    if md.mappings.is_dense(mapping):
        run = md.iteration.flat(view)
        assert (run.layout, run.tolist()) == (md.LayoutRight(), list(md.iteration.elements(view, order="memory")))
    else:
        with pytest.raises(md.errors.NotContiguousError):
            md.iteration.flat(view)


LARGE = {
    "large, tiled": lambda: md.Mapping((100, 70), md.LayoutTiled(4, 4)),
    "large, flipped": lambda: md.Mapping((70, 100), md.LayoutStrideRelaxed((-1, 70), 69)),
    "large, packed": lambda: md.Mapping((24, 24), md.LayoutBlasPacked("upper", "row")),
    "large, swizzled": lambda: md.Mapping((16, 32), md.LayoutSwizzled(md.LayoutRight(), 2, 0, 3)),
}


@pytest.mark.parametrize("name", [*MAPPINGS, *LARGE])
@pytest.mark.parametrize("length", [1, 2, 3])
def test_tiles_are_subviews_by_their_lowest_element_and_then_by_index(name, length):
    mapping = (MAPPINGS | LARGE)[name]()
    view = on_numbers(mapping, before=2)
    expected = []
    for place in indices_of([-(-e // length) for e in mapping.extents]):
        cuts = zip(place, mapping.extents, strict=True)
        part, start = md.mappings.submapping(mapping, *[(k * length, min(k * length + length, e)) for k, e in cuts])
        expected.append((start + min(part.offsets()), place, part, 2 + start))
    expected.sort(key=lambda found: found[:2])
    found = [(type(part.layout), part.mapping, part.origin) for part in md.tiles(view, (length,) * view.rank)]
    assert found == [(type(part.layout), part, origin) for _, _, part, origin in expected]


def test_walks_give_the_memory_itself_so_they_store_where_the_view_does():
    data = list(range(24))
    view = md.MDView(data, (4, 6), md.LayoutTiled(2, 3, outer=md.LayoutLeft()))
    parts = list(md.tiles(view))
    assert [(part.layout, part[0, 0]) for part in parts] == [(md.LayoutRight(), k) for k in (0, 6, 12, 18)]
    parts[2][0, 0] = -1
    md.iteration.flat(view)[1] = -2
    for run in md.iteration.runs(view, order="memory"):
        run[2] = -3
    for run in md.iteration.runs(md.MDView(data, (2, 3), md.LayoutTiled(2, 2))):
        run[0] = -4
    assert data == [-4, -2, -4, 3, -4, 5, -4, *range(7, 12), -1, *range(13, 24)]
    assert md.iteration.flat(md.readonly(view)).tolist() == data
    for part in (
        md.iteration.flat(md.readonly(view)),
        *md.iteration.runs(md.readonly(view)),
        *md.tiles(md.readonly(view)),
    ):
        with pytest.raises(md.errors.ReadOnlyError):
            part[(0,) * part.rank] = 1


def test_elements_are_what_a_load_gives():
    view = md.atomic(md.MDView([1, 2, 3, 4], (2, 2), md.LayoutLeft()))
    for order in ("index", "memory"):
        for element in md.iteration.elements(view, order=order):
            element += 10  # noqa: PLW2901 - a proxy adds to its element
    assert view.data == [21, 22, 23, 24]
    counted = md.MDView.from_mapping([1.0, 2.0], md.Mapping((2,), md.LayoutStrideRelaxed((-1,), 1)), CountingAccessor())
    assert (list(md.iteration.elements(counted)), list(md.iteration.elements(counted, order="memory"))) == (
        [-2.0, -1.0],
        [-1.0, -2.0],
    )
    assert counted.accessor.loads == [1, 0, 0, 1]
    for accessed in (view, counted):
        with pytest.raises(md.errors.NotContiguousError, match="Accessor"):
            md.iteration.flat(accessed)
    backwards = md.atomic(md.flip(md.MDView(list(range(6)), (6,))))
    assert [[int(e) for e in part] for part in md.tiles(backwards, (4,))] == [[1, 0], [5, 4, 3, 2]]


def test_one_run_in_index_order_asks_for_more_and_one_of_nothing_begins_where_its_view_does():
    left = on_numbers(md.Mapping((2, 3), md.LayoutLeft()))
    assert md.iteration.flat(md.permute_dims(left, (1, 0)), order="index").tolist() == list(range(6))
    for view in (left, md.flip(on_numbers(md.Mapping((4,))))):
        assert md.iteration.flat(view).tolist() == list(range(view.size))
        with pytest.raises(md.errors.NotContiguousError):
            md.iteration.flat(view, order="index")
    for layout in (md.LayoutLeft(), md.LayoutTiled(2, 2)):
        found = md.iteration.flat(md.MDView([1, 2], (0, 3), layout))
        assert (found.origin, found.shape) == (0, (0,))


def test_a_halo_is_walked_in_index_order_and_has_no_memory():
    view = md.pad(md.MDView([1, 2, 3, 4], (2, 2)), 1, constant=9)
    assert list(md.iteration.elements(view)) == [9] * 5 + [1, 2, 9, 9, 3, 4] + [9] * 5
    assert list(md.iteration.indices(view)) == indices_of((4, 4))
    assert list(md.iteration.elements(view, order="memory")) == [1, 2, 3, 4]
    assert list(md.iteration.indices(view, order="memory")) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert (lists(md.iteration.runs(view, order="memory")), lists(md.iteration.runs(view))) == (
        [[1, 2, 3, 4]],
        [[1, 2], [3, 4]],
    )
    assert md.iteration.flat(md.operations.shrink(view, view.valid_box)).tolist() == [1, 2, 3, 4]
    padded = md.pad(md.MDView(list(range(8)), (8,))[1:4], 1)
    for order in ("index", "memory"):
        assert md.iteration.flat(padded[1:4], order=order).tolist() == [1, 2, 3]
        with pytest.raises(md.errors.NotContiguousError):
            md.iteration.flat(padded, order=order)
    rows = md.ravel(md.pad(md.MDView([1, 2, 3, 4, 5, 6], (2, 3)), ((0, 0), (1, 1)), constant=0))
    assert lists(md.tiles(rows[6:9], (2,))) == [[4, 5], [6]]
    for part, index in ((rows[2:5], r"\(2,\)"), (md.pad(md.MDView([1, 2], (2,)), 1), r"\(0,\)")):
        with pytest.raises(md.errors.HaloError, match=index):
            md.tiles(part, (2,))


def test_long_dimensions_are_not_kept_in_memory():
    mapping = md.Mapping((10**12, 2), md.LayoutLeft())
    assert next(md.iteration.indices(mapping)) == next(md.iteration.indices(mapping, order="memory")) == (0, 0)
    assert next(mapping.offsets()) == next(iter(md.iteration.ViewIndex(mapping))) == 0
    assert next(iter(md.iteration.MultiIndex(mapping, md.Mapping((2,))))) == (0, 0)
    assert next(md.iteration.MultiIndex(mapping).chunks()) == ((0,), 2)
    null = md.MDView.null((2, 3))
    assert list(md.iteration.indices(null)) == list(md.iteration.indices(null, order="memory")) == []
    for extents in ((0, 10**15), (10**15, 0)):
        assert list(md.tiles(md.MDView([], extents), (1, 1))) == []
