"""Exact answers about every kind of mapping, with witnesses, against plain enumeration."""

import operator
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from typing import final

import numpy as np
import pytest
from samples import MAPPINGS, TILED, LayoutBanded, LayoutSymmetric

from mdview import (
    Layout,
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    dim,
)
from mdview.base import strided_sets
from mdview.base.strided_sets import AffineImage, Shared
from mdview.errors import AxisError, LayoutError, NotStridedError, UndecidedError
from mdview.mappings import facts
from mdview.mappings.facts import (
    Irregularity,
    affine_image,
    bounds,
    coalesced,
    collision,
    element_count,
    hole,
    inner_contiguous,
    irregularity,
    is_contiguous,
    is_dense,
    is_exhaustive,
    is_unique,
    mergeable_axes,
    overlap,
    stride_order,
)
from mdview.mappings.runs import contiguous_runs
from mdview.operations.manipulation import pad, permute_dims, reshape

HALOS = {
    "halo": pad(Mapping((2, 3)), 1),
    "halo after": pad(Mapping((2, 3)), ((0, 1), (0, 2))),
    "halo of a flipped one": pad(Mapping((2, 3), LayoutStrideRelaxed((-3, 1), 9)), 1),
    "halo of a broadcast one": pad(Mapping((2, 3), LayoutStrideRelaxed((0, 1))), 1),
    "halo of tiles": pad(Mapping((4, 4), LayoutTiled(2, 2)), ((1, 0), (0, 0))),
    "halo behind a reshape": reshape(pad(Mapping((2, 3)), 1), (20,)),
    "halo around nothing": pad(Mapping((2, 0)), 1),
}
EVERY = {
    **MAPPINGS,
    **HALOS,
    "reshaped": reshape(permute_dims(Mapping((2, 3, 4)), (2, 1, 0)), (6, 4)),
    "relaxed, permuted": Mapping((2, 3, 4), LayoutStrideRelaxed((3, 1, 6))),
    "relaxed, far away": Mapping((2, 3), LayoutStrideRelaxed((3, 1), 100)),
    "relaxed, turned": Mapping((2, 3), LayoutStrideRelaxed((-3, -1), 5)),
    "relaxed, empty": Mapping((2, 0, 3), LayoutStrideRelaxed((0, 5, -7), 2)),
    "relaxed, unit dimensions": Mapping((1, 3, 1), LayoutStrideRelaxed((7, 1, 0))),
}
all_mappings = pytest.mark.parametrize("mapping", EVERY.values(), ids=EVERY)


@final
@dataclass(frozen=True)
class LayoutZigzag(Layout):
    """Every other row runs backwards; states no trait."""

    def offset(self, extents, index):
        i, j = index
        return i * extents[1] + (j if i % 2 == 0 else extents[1] - 1 - j)

    def required_span_size(self, extents):
        return extents[0] * extents[1]


@final
@dataclass(frozen=True)
class LayoutLinear(Layout):
    """Rows one after the other, by arithmetic that cannot be traced."""

    def offset(self, extents, index):
        return operator.index(index[0]) * extents[1] + index[1]

    def required_span_size(self, extents):
        return extents[0] * extents[1]


def places(mapping):
    """Offset by index, of all elements, the plain way."""
    indices = product(*map(range, mapping.extents))
    return {index: mapping(*index) for index in indices if mapping.is_valid(*index)}


# --- unique, exhaustive, bounds --------------------------------------------------------------------


@all_mappings
def test_unique_is_that_no_offset_occurs_twice_and_a_collision_shows_it(mapping):
    found = places(mapping)
    assert is_unique(mapping) == (len(set(found.values())) == len(found))
    pair = collision(mapping)
    assert (pair is None) == is_unique(mapping)
    if pair is not None:
        assert pair[0] < pair[1]
        assert found[pair[0]] == found[pair[1]]


@all_mappings
def test_exhaustive_is_that_all_offsets_below_the_span_are_used_and_a_hole_shows_it(mapping):
    holes = sorted(set(range(mapping.required_span_size)) - set(places(mapping).values()))
    assert is_exhaustive(mapping) == (not holes)
    assert hole(mapping) == (holes[0] if holes else None)


@all_mappings
def test_bounds_are_the_extremes(mapping):
    found = places(mapping).values()
    assert bounds(mapping) == ((min(found), max(found)) if found else None)


@all_mappings
def test_dense_is_one_element_for_each_offset_between_the_bounds(mapping):
    found = sorted(places(mapping).values())
    assert is_dense(mapping) == all(after - before == 1 for before, after in pairwise(found))


@all_mappings
def test_elements_are_counted_without_the_halo(mapping):
    assert element_count(mapping) == len(places(mapping))


def test_a_span_larger_than_needed_has_its_hole_at_the_end():
    @final
    @dataclass(frozen=True)
    class Roomy(Layout):
        def offset(self, extents, index):
            return index[0]

        def required_span_size(self, extents):
            return extents[0] + 2

        def strides(self, extents):
            return (1,)

    assert hole(Mapping((3,), Roomy())) == 3
    assert not is_exhaustive(Mapping((3,), Roomy()))


def test_a_layout_that_denies_a_trait_is_asked_for_the_witness():
    @final
    @dataclass(frozen=True)
    class Modest(Layout):
        def offset(self, extents, index):
            return index[0] ^ 1

        def required_span_size(self, extents):
            return 4

        def is_unique(self, extents):
            return False

        def is_exhaustive(self, extents):
            return False

    assert collision(Mapping((4,), Modest())) is None
    assert hole(Mapping((4,), Modest())) is None


# --- strided or not --------------------------------------------------------------------------------


@all_mappings
def test_an_irregularity_is_the_first_index_off_the_line(mapping):
    found, image = irregularity(mapping), affine_image(mapping)
    assert (found is None) == (image is not None) == mapping.is_strided or 0 in mapping.extents
    if found is None:
        everything = places(mapping)
        assert list(everything.values()) == (list(strided_sets.each_offset(image)) if everything else [])
    elif found.offset is None:
        assert not mapping.is_valid(*found.index)
        assert found == Irregularity(found.index, ())
    else:
        line = sum(i * s for i, s in zip(found.index, found.strides, strict=True))
        assert line + mapping.origin == found.expected != found.offset == mapping(*found.index)


def test_a_layout_that_is_linear_and_does_not_say_so_is_seen_through():
    mapping = Mapping((9, 11), LayoutLinear())
    assert mapping.found_strides() is None
    assert affine_image(mapping) == AffineImage((9, 11), (11, 1))
    assert is_contiguous(mapping)
    assert coalesced(mapping) == Mapping((99,))
    assert stride_order(mapping) == (0, 1)
    assert affine_image(Mapping((3, 4), LayoutLinear())) == AffineImage((3, 4), (4, 1))
    assert affine_image(Mapping((3, 0), LayoutLinear())) == AffineImage((3, 0), (0, 1))


# --- contiguous ------------------------------------------------------------------------------------


@all_mappings
def test_contiguous_is_that_each_offset_follows_the_one_before(mapping):
    whole = len(places(mapping)) == mapping.size
    for order, reverse in (("C", False), ("F", True)):
        found = [o for _, o in sorted(places(mapping).items(), key=lambda place: place[0][:: -1 if reverse else 1])]
        follow = all(after - before == 1 for before, after in pairwise(found))
        assert is_contiguous(mapping, order) == (follow and whole), order


@pytest.mark.parametrize("shape", [(2, 3, 1), (1, 3, 2), (3, 2, 2), (1, 1, 4), (2, 0, 3)])
def test_contiguous_agrees_with_the_flags_of_numpy(shape):
    data = np.zeros(300)[100:]
    for strides in product((-6, -2, -1, 0, 1, 2, 3, 4, 6), repeat=3):
        mapping = Mapping(shape, LayoutStrideRelaxed(strides, 100))
        array = np.lib.stride_tricks.as_strided(data, shape, [8 * s for s in strides])
        assert is_contiguous(mapping) is array.flags.c_contiguous, strides
        assert is_contiguous(mapping, "F") is array.flags.f_contiguous, strides
        some = any(array.transpose(order).flags.c_contiguous for order in permutations(range(3)))
        assert is_contiguous(mapping, "A") is some, strides


def test_an_unknown_order_is_refused():
    with pytest.raises(LayoutError, match="order must be one of C, F, A, got 'K'"):
        is_contiguous(Mapping((3,)), "K")
    with pytest.raises(LayoutError, match="order must be one of C, F, got 'A'"):
        coalesced(Mapping((3,)), "A")


@pytest.mark.parametrize(
    ("shape", "strides", "last", "first"),
    [
        ((6, 8), (8, 1), True, False),
        ((6, 8), (1, 6), False, True),
        ((2, 3, 4), (4, 8, 1), True, False),
        ((1, 3), (3, 1), True, False),
        ((2, 2), (1, 1), True, True),
        ((4,), (1,), True, True),
        ((4,), (2,), False, False),
    ],
)
def test_inner_contiguous_is_a_stride_of_one(shape, strides, last, first):
    mapping = Mapping(shape, LayoutStrideRelaxed(strides))
    assert inner_contiguous(mapping, -1) is inner_contiguous(mapping, mapping.rank - 1) is last
    assert inner_contiguous(mapping, 0) is inner_contiguous(mapping, -mapping.rank) is first


def test_inner_contiguous_looks_at_every_neighbour_where_there_are_no_strides():
    assert inner_contiguous(Mapping((2, 4), LayoutTiled(1, 4)), 1)
    assert not inner_contiguous(Mapping((2, 4), LayoutTiled(2, 2)), 1)
    assert not inner_contiguous(Mapping((2, 4), LayoutZigzag()), 1)
    assert inner_contiguous(Mapping((1, 4), LayoutZigzag()), 1)
    assert inner_contiguous(Mapping((5, 3), LayoutTiled(3, 1, inner=LayoutLeft())), 0) is False
    assert inner_contiguous(Mapping((4, 4), LayoutBanded(3, 3)), 0)
    assert not inner_contiguous(HALOS["halo"], 1)
    assert inner_contiguous(pad(Mapping((2, 3)), 0), 1)


@pytest.mark.parametrize("axis", [2, -3])
def test_inner_contiguous_refuses_an_axis_that_is_not_there(axis):
    with pytest.raises(AxisError, match=rf"axis {axis} is out of range for rank 2; it must be in \[-2, 2\)"):
        inner_contiguous(Mapping((2, 3)), axis)


# --- the shape of strides --------------------------------------------------------------------------


def test_the_order_of_strides_ignores_direction_and_says_none_where_it_is_open():
    assert stride_order(Mapping((2, 3, 4), LayoutStrideRelaxed((3, 1, -6), 18))) == (2, 0, 1)
    assert stride_order(Mapping((2, 3), LayoutStrideRelaxed((2, -2), 4))) is None
    assert stride_order(Mapping((2, 3), LayoutStrideRelaxed((0, 1)))) is None
    assert stride_order(Mapping((2, 1))) is None
    assert stride_order(Mapping((2, 0))) is None
    assert stride_order(Mapping(())) == ()


@all_mappings
def test_coalescing_keeps_the_offsets_and_their_order(mapping):
    if affine_image(mapping) is None:
        with pytest.raises(NotStridedError, match="has no strides and so no coalesced form; take a part"):
            coalesced(mapping)
        return
    for order in ("C", "F"):
        found = coalesced(mapping, order)
        pairs = [places(m).items() for m in (mapping, found)]
        turn = 1 if order == "C" else -1
        mine, its = ([o for _, o in sorted(pair, key=lambda place: place[0][::turn])] for pair in pairs)
        assert mine == its
        assert 1 not in found.extents
        assert found.rank <= mapping.rank or mapping.size == 0
        assert coalesced(found, order) == found


def test_coalescing_chooses_the_narrowest_layout():
    assert repr(coalesced(Mapping((dim(2), 3, 4)))) == "Mapping((24,), LayoutRight())"
    assert coalesced(Mapping((2, 3, 4)), "F") == Mapping((2, 3, 4))
    assert coalesced(Mapping((2, 3, 4), LayoutLeft()), "F") == Mapping((24,))
    assert coalesced(Mapping((2, 3, 4), LayoutRightPadded(8))).layout == LayoutRightPadded(8)
    assert coalesced(Mapping((2, 3), LayoutStrideRelaxed((3, 1), 7))).layout == LayoutStrideRelaxed((1,), 7)
    assert coalesced(Mapping((2, 3), LayoutStrideRelaxed((-3, -1), 5))).layout == LayoutStrideRelaxed((-1,), 5)
    assert coalesced(Mapping((2, 3), LayoutStrideRelaxed((0, 0), 5))).layout == LayoutStrideRelaxed((0,), 5)
    assert coalesced(Mapping((2, 0, 3))) == Mapping((0,))
    assert coalesced(Mapping((1, 1))) == Mapping(())


def test_axes_merge_where_one_continues_the_next():
    assert mergeable_axes(Mapping((2, 3, 4))) == (0, 1)
    assert mergeable_axes(Mapping((2, 3, 4), LayoutRightPadded(8))) == (0,)
    assert mergeable_axes(Mapping((2, 1, 4))) == ()  # over an axis of extent 1 nothing merges until it is dropped
    assert mergeable_axes(Mapping((2, 0, 4))) == ()
    assert mergeable_axes(Mapping((2, 3), LayoutStrideRelaxed((0, 0)))) == (0,)
    assert mergeable_axes(Mapping(())) == ()


@pytest.mark.parametrize("question", [stride_order, mergeable_axes, coalesced])
def test_without_strides_there_is_nothing_to_say_about_them(question):
    with pytest.raises(NotStridedError, match=r"Mapping\(\(4, 6\), LayoutTiled.* has no strides and so no"):
        question(MAPPINGS["tiled"])


# --- runs ------------------------------------------------------------------------------------------


@all_mappings
def test_runs_are_the_longest_stretches_of_consecutive_offsets(mapping):
    runs = list(contiguous_runs(mapping))
    expected = []
    for index in product(*map(range, mapping.extents)):
        if not mapping.is_valid(*index):
            expected.append([-1, 0])
        elif expected and mapping(*index) == sum(expected[-1]) and expected[-1][1]:
            expected[-1][1] += 1
        else:
            expected.append([mapping(*index), 1])
    assert runs == [tuple(run) for run in expected if run[1]]


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "runs"),
    [
        ((3, 4), (8, 1), 9, [(9, 4), (17, 4), (25, 4)]),
        ((3, 2), (1, 3), 0, [(0, 1), (3, 1), (1, 1), (4, 1), (2, 1), (5, 1)]),
        ((2, 2, 2), (7, 5, 1), 0, [(0, 2), (5, 4), (12, 2)]),  # two rows meet that no stride merges
        ((2, 3), (0, 1), 4, [(4, 3), (4, 3)]),
        ((3,), (-1,), 2, [(2, 1), (1, 1), (0, 1)]),
        ((), (), 5, [(5, 1)]),
        ((0, 3), (3, 1), 0, []),
    ],
)
def test_runs_of_strided_mappings(shape, strides, offset, runs):
    assert list(contiguous_runs(Mapping(shape, LayoutStrideRelaxed(strides, offset)))) == runs


def test_runs_come_one_by_one_however_many_there_are():
    assert next(contiguous_runs(Mapping((10**9, 10**6, 3), LayoutRightPadded(4)))) == (0, 3)
    assert list(contiguous_runs(Mapping((10**9, 10**6)))) == [(0, 10**15)]
    assert next(contiguous_runs(Mapping((10**9, 10**6), LayoutTiled(4, 4)))) == (0, 4)


# --- overlap ---------------------------------------------------------------------------------------


def check_overlap(a, b, shift):
    found = overlap(a, b, shift=shift)
    mine, its = places(a), places(b)
    assert (found is None) == set(mine.values()).isdisjoint({offset + shift for offset in its.values()})
    if found is not None:
        assert mine[found.first] == found.offset == its[found.second] + shift


@pytest.mark.no_cover
@pytest.mark.parametrize("shift", [-40, -7, -1, 0, 3, 10])
@pytest.mark.parametrize("a", EVERY.values(), ids=EVERY)
def test_overlap_is_that_an_offset_belongs_to_both(a, shift):
    for b in EVERY.values():
        check_overlap(a, b, shift)


def test_overlap_names_both_indices():
    rows, columns = Mapping((3, 4)), Mapping((3,), LayoutStrideRelaxed((4,), 1))
    assert overlap(rows, columns) == Shared(9, (2, 1), (2,))
    assert overlap(columns, rows, shift=9) == Shared(9, (2,), (0, 0))
    assert overlap(columns, rows, shift=10) is None


def test_a_large_strided_mapping_meets_a_layout_without_strides():
    large = Mapping((10**9, 3), LayoutStrideRelaxed((8, 2)))
    tiles = Mapping((4, 4), LayoutTiled(2, 2))
    assert overlap(tiles, large) == Shared(0, (0, 0), (0, 0))
    assert overlap(large, tiles, shift=1) == Shared(2, (0, 1), (0, 1))
    assert overlap(tiles, Mapping((10**9, 1), LayoutStrideRelaxed((32, 1), 17))) is None
    assert overlap(Mapping((1, 10**7), LayoutTiled(1, 4)), tiles, shift=10**8) is None  # the bounds are apart


# --- budgets ---------------------------------------------------------------------------------------


@pytest.fixture
def small_budget(monkeypatch):
    monkeypatch.setattr(facts, "ENUMERATION_BUDGET", 20)
    monkeypatch.setattr("mdview.layouts.base.ENUMERATION_BUDGET", 20)


@pytest.mark.parametrize("question", [collision, hole, bounds])
@pytest.mark.usefixtures("small_budget")
def test_beyond_the_budget_nothing_is_guessed(question):
    mapping = Mapping((5, 5), LayoutZigzag())
    with pytest.raises(UndecidedError, match=r"LayoutZigzag\(\) over extents \(5, 5\) is .* a look at 25 indices"):
        question(mapping)


@pytest.mark.usefixtures("small_budget")
def test_a_witness_within_the_budget_is_an_answer_even_if_there_is_more_to_see():
    assert collision(Mapping((9, 9), LayoutSymmetric())) == ((0, 1), (1, 0))
    assert irregularity(Mapping((9, 9), LayoutZigzag())) == Irregularity((1, 1), (17, 1), 18, 16)
    assert not is_contiguous(Mapping((9, 9), LayoutZigzag()))
    with pytest.raises(UndecidedError, match="more than 20; define strides or the trait in the layout"):
        is_contiguous(Mapping((9, 9), LayoutLinear()))


@pytest.mark.usefixtures("small_budget")
def test_what_the_layout_knows_takes_no_look():
    tiled = Mapping((9, 9), TILED)
    assert collision(tiled) is None
    assert hole(Mapping((8, 9), TILED)) is None
    assert bounds(tiled) == (0, tiled(8, 8))


def test_a_collision_that_is_not_found_is_still_known_by_counting(monkeypatch):
    monkeypatch.setattr(strided_sets, "SEARCH_BUDGET", 0)
    mapping = Mapping((8, 8, 8), LayoutStrideRelaxed((11, 13, 17)))
    assert not is_unique(mapping)
    with pytest.raises(UndecidedError, match="3 interleaved strides takes more than 0 steps"):
        collision(mapping)


def test_static_extents_are_plain_numbers_in_answers():
    mapping = Mapping((dim(2), dim(3)), LayoutRight())
    assert repr(affine_image(mapping)) == "AffineImage(extents=(2, 3), strides=(3, 1), origin=0)"
