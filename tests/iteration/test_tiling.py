"""Tiles of a view: subviews in the order of memory."""

import itertools

import pytest
from brute_force import every
from samples import MAPPINGS

from mdview import (
    LayoutLeft,
    LayoutRight,
    LayoutStrideRelaxed,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    atomic,
    elements,
    errors,
    flip,
    pad,
    ravel,
    submapping,
    tiles,
)
from mdview.iteration import tiling


def on_numbers(mapping):
    return MDView.from_mapping(list(range(2 + mapping.required_span_size)), mapping, origin=2)


def check(view, parts):
    """Each element is in one tile, as often as it has indices, and tiles follow each other by their lowest element."""
    assert sorted(element for part in parts for element in elements(part)) == sorted(elements(view))
    lowest = [min(elements(part)) for part in parts]
    assert lowest == sorted(lowest)


@pytest.mark.parametrize("sorted_together", [tiling.SORTED, 0])
@pytest.mark.parametrize("mapping", MAPPINGS.values(), ids=MAPPINGS)
@pytest.mark.parametrize("length", [1, 2, 3])
def test_any_view_is_cut_into_blocks(mapping, length, sorted_together, monkeypatch):
    monkeypatch.setattr(tiling, "SORTED", sorted_together)
    monkeypatch.setattr(tiling, "MOST_SUMS", 1 + sorted_together)
    view = on_numbers(mapping)
    parts = list(tiles(view, (length,) * view.rank))
    check(view, parts)
    blocks = [tuple(range(0, e, length)) for e in view.extents]
    assert len(parts) == len(every(map(len, blocks)))
    assert all(e <= length for part in parts for e in part.extents)


@pytest.mark.parametrize("mapping", MAPPINGS.values(), ids=MAPPINGS)
@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_tile_is_the_subview_of_its_indices_and_those_that_begin_together_are_in_index_order(mapping, length):
    view = on_numbers(mapping)
    expected = []
    for place in every([-(-e // length) for e in mapping.extents]):
        cuts = zip(place, mapping.extents, strict=True)
        part, start = submapping(mapping, *[(k * length, min(k * length + length, e)) for k, e in cuts])
        expected.append((start + min(part.offsets()), place, part, 2 + start))
    expected.sort(key=lambda found: found[:2])
    found = [(type(part.layout), part.mapping, part.origin) for part in tiles(view, (length,) * view.rank)]
    assert found == [(type(part.layout), part, origin) for _, _, part, origin in expected]


@pytest.mark.parametrize(
    "mapping", [Mapping((200, 200), LayoutTiled(4, 4)), Mapping((200, 200), LayoutStrideRelaxed((-1, 200), 199))]
)
def test_many_tiles_are_in_order(mapping):
    view = on_numbers(mapping)
    assert tiling.MOST_SUMS < 200 * 200
    lowest = [part.origin + min(part.mapping.offsets()) for part in tiles(view, (1, 2))]
    assert lowest == sorted(lowest)
    assert len(lowest) == 200 * 100


@pytest.mark.parametrize(
    "mapping",
    [
        Mapping((5, 7), LayoutTiled(2, 3)),
        Mapping((4, 6), LayoutTiled(2, 3, outer=LayoutLeft(), inner=LayoutLeft())),
        Mapping((4, 4), LayoutTranspose(LayoutTiled(2, 4))),
        Mapping((8, 8), LayoutTiled(4, 4, inner=LayoutTiled(2, 2))),
        Mapping((0, 4), LayoutTiled(2, 2)),
        Mapping((), LayoutTiled()),
    ],
    ids=repr,
)
def test_a_tiled_layout_has_tiles_of_its_own(mapping):
    view = on_numbers(mapping)
    parts = list(tiles(view))
    check(view, parts)
    spans = [(min(elements(part)), max(elements(part))) for part in parts]
    assert all(last < first for (_, last), (first, _) in itertools.pairwise(spans))


def test_a_tile_is_strided_and_stores_into_the_data():
    data = list(range(24))
    view = MDView(data, (4, 6), LayoutTiled(2, 3, outer=LayoutLeft()))
    parts = list(tiles(view))
    assert [part.layout for part in parts] == [LayoutRight()] * 4
    assert [part[0, 0] for part in parts] == [0, 6, 12, 18]
    parts[1][0, 0] = -1
    assert view[2, 0] == -1


def test_tiles_keep_the_accessor_and_order_by_memory_under_negative_strides():
    view = atomic(flip(MDView(list(range(6)), (6,))))
    assert [[int(e) for e in part] for part in tiles(view, (4,))] == [[1, 0], [5, 4, 3, 2]]
    relaxed = MDView(list(range(6)), (2, 3), LayoutStrideRelaxed((-3, 1), 3))
    assert [part.tolist() for part in tiles(relaxed, (1, 2))] == [[[0, 1]], [[2]], [[3, 4]], [[5]]]


def test_a_layout_without_tiles_must_be_told():
    with pytest.raises(errors.LayoutError, match=r"LayoutRight\(\) has no tiles .* tiles\(view, \(8,\) \* view.rank\)"):
        tiles(MDView([1, 2], (2,)))


@pytest.mark.parametrize(
    ("tile", "error", "message"),
    [
        ((2,), errors.RankError, r"extents \(2, 3\) are cut in 2 dimensions, got tile \(2,\)"),
        ((2, 0), errors.ExtentsError, r"tile sizes are at least 1, got \(2, 0\)"),
        ((2, 1.5), errors.ExtentsTypeError, "a tile size must be an integer"),
        (2, errors.ExtentsTypeError, "a tile is one length per dimension, got 2"),
    ],
)
def test_a_tile_that_cuts_nothing_is_refused(tile, error, message):
    with pytest.raises(error, match=message):
        tiles(MDView(list(range(6)), (2, 3)), tile)


def test_a_halo_and_the_null_view_have_no_tiles():
    with pytest.raises(errors.HaloError, match="slice the view to its valid_box first"):
        tiles(pad(MDView([1, 2], (2,)), 1), (2,))
    with pytest.raises(errors.NullViewError):
        tiles(MDView.null((2,)), (2,))


def test_a_part_of_a_padded_view_without_padding_has_tiles():
    rows = ravel(pad(MDView([1, 2, 3, 4, 5, 6], (2, 3)), ((0, 0), (1, 1)), constant=0))
    assert [tile.tolist() for tile in tiles(rows[6:9], (2,))] == [[4, 5], [6]]
    with pytest.raises(errors.HaloError, match=r"index \(2,\) .* is not part of any tile"):
        tiles(rows[2:5], (2,))


@pytest.mark.parametrize("extents", [(0, 10**15), (10**15, 0)])
def test_a_view_without_elements_has_no_tiles_however_long_it_is(extents):
    assert list(tiles(MDView([], extents), (1, 1))) == []
