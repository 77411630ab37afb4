"""Rearranged mappings: for every index, new offset plus shift is the old offset of the element that it stands for."""

from itertools import permutations, product

import numpy as np
import pytest
from samples import MAPPINGS, all_indices

from mdview import (
    ALL,
    IndexTransform,
    LayoutComposed,
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    submapping,
)
from mdview.errors import ExtentsError, NotStridedError, ShapeError, StrideError
from mdview.layouts.morton import LayoutMorton
from mdview.mappings.rearranging import diagonal, flip, inverse, pad, permute, repack, reshape, take, through, windows

TILED = Mapping((4, 6), LayoutTiled(2, 3))
FULL = [name for name, mapping in MAPPINGS.items() if mapping.size and mapping.rank]


def moved_offsets(moved):
    mapping, shift = moved
    return [offset + shift for offset in mapping.offsets()]


def places(mapping):
    return np.array(list(mapping.offsets()), dtype=int).reshape(mapping.extents)


@pytest.mark.parametrize("name", MAPPINGS)
def test_offsets_plus_shift_are_the_old_offsets(name):
    mapping = MAPPINGS[name]
    old, rank = places(mapping), mapping.rank
    for axes in list(permutations(range(rank)))[:6]:
        assert moved_offsets(permute(mapping, axes)) == old.transpose(axes).ravel().tolist()
    for axes in list(product([False, True], repeat=rank))[:8]:
        turned = [r for r in range(rank) if axes[r]]
        assert moved_offsets(flip(mapping, turned)) == np.flip(old, turned).ravel().tolist()
    lengths = [min(2, e) for e in mapping.extents]
    expected = np.lib.stride_tricks.sliding_window_view(old, lengths)
    assert moved_offsets(windows(mapping, tuple(lengths), tuple(range(rank)))) == expected.ravel().tolist()
    for shape in ((mapping.size,), (1, mapping.size, 1), mapping.extents[::-1]):
        assert moved_offsets(reshape(mapping, shape)) == old.ravel().tolist()


@pytest.mark.parametrize("name", [name for name in FULL if MAPPINGS[name].rank > 1])
@pytest.mark.parametrize("offset", [-9, -2, -1, 0, 1, 2, 9])
def test_a_diagonal_begins_at_its_offset(name, offset):
    mapping = MAPPINGS[name]
    assert moved_offsets(diagonal(mapping, 0, 1, offset)) == np.diagonal(places(mapping), offset).ravel().tolist()


@pytest.mark.parametrize("name", FULL)
def test_the_elements_of_a_padded_mapping_are_in_its_box(name):
    mapping = MAPPINGS[name]
    padded, shift = pad(mapping, tuple([(r + 1, 2) for r in range(mapping.rank)]))
    box = tuple([(r + 1, r + 1 + e) for r, e in enumerate(mapping.extents)])
    assert shift == 0
    assert padded.valid_box == box
    assert list(padded.offsets()) == list(mapping.offsets())
    for index in all_indices(padded.extents):
        assert padded.is_valid(*index) == all(low <= i < high for i, (low, high) in zip(index, box, strict=True))


def test_a_dimension_that_takes_no_index_is_at_index_0():
    assert moved_offsets(take(Mapping((3, 4)), (None, 0), (4,))) == [0, 1, 2, 3]
    assert moved_offsets(take(TILED, (None, 1), (2, 6))) == 2 * places(TILED)[0].tolist()


@pytest.mark.parametrize(
    ("moved", "layout", "shift"),
    [
        (flip(Mapping((3, 4)), (1,)), LayoutStrideRelaxed((4, -1), 3), 0),
        (flip(Mapping((3, 4), LayoutStrideRelaxed((4, -1), 3)), (1,)), LayoutRight(), 0),
        (flip(Mapping((3, 4), LayoutStrideRelaxed((4, -1), 5)), (1,)), LayoutRight(), 2),
        (permute(Mapping((3, 4), LayoutStrideRelaxed((1, 3), 7)), (1, 0)), LayoutRight(), 7),
        (take(Mapping((3, 1), LayoutStride((2, 9))), (0, None), (3,)), LayoutStride((2,)), 0),
        (windows(Mapping((4,), LayoutStride((3,))), (2,), (0,)), LayoutStrideRelaxed((3, 3)), 0),
        (reshape(Mapping((2, 2, 3), LayoutRightPadded(4)), (4, 3)), LayoutRightPadded(4), 0),
        (flip(TILED, ()), TILED.layout, 0),
        (permute(Mapping((4, 4), LayoutTiled(2, 2)), (1, 0)), LayoutTiled(2, 2).permuted((4, 4), (1, 0)), 0),
        (permute(Mapping((2, 3), LayoutTiled(2, 3)), (1, 0)), LayoutLeft(), 0),
        (reshape(Mapping((4, 2), LayoutTiled(2, 2)), (8,)), LayoutRight(), 0),
        (pad(TILED, ((0, 0), (0, 0))), TILED.layout, 0),
    ],
)
def test_the_result_is_the_narrowest_layout(moved, layout, shift):
    assert moved[0].layout == layout
    assert type(moved[0].layout) is type(layout)
    assert moved[1] == shift


@pytest.mark.parametrize("base", [Mapping((4, 4), LayoutMorton()), TILED], ids=["morton", "tiled"])
def test_a_part_that_happens_to_be_strided_is(base):
    row = IndexTransform((1, 0), (0, 1), (None, 0))
    assert moved_offsets(through(base, row, (2,))) == places(base)[1, :2].tolist()
    assert isinstance(through(base, row, (2,))[0].layout, LayoutRight)


def test_nothing_is_dense():
    empty = Mapping((0, 5), LayoutStrideRelaxed((-3, 2), 40))
    for mapping, shift in (flip(empty, (0,)), permute(empty, (1, 0)), take(empty, (0, 1), (0, 5))):
        assert mapping.layout == LayoutRight()
        assert shift == 0


def test_a_reshape_after_a_reshape_is_one_step_where_its_number_is_linear_in_the_index():
    once, _ = reshape(TILED, (24,))
    again, _ = reshape(once, (3, 8))
    assert again.layout.base == TILED.layout
    sliced, _ = flip(again, (0, 1))
    assert sliced.layout.base == TILED.layout
    back, _ = reshape(again, (4, 6))
    assert back == TILED


def test_a_reshape_of_an_irregular_part_of_a_reshape_takes_a_second_link():
    once, _ = reshape(TILED, (3, 8))
    part, _ = through(once, IndexTransform((0, 0), (1, 1), (0, 1)), (3, 5))
    again, _ = reshape(part, (15,))
    assert isinstance(again.layout.base, LayoutComposed)
    assert list(again.offsets()) == list(part.offsets())


def test_inserting_extents_of_1_is_no_reshape():
    mapping, _ = reshape(TILED, (1, 4, 1, 6))
    assert mapping.layout.transform.is_affine
    assert list(mapping.offsets()) == list(TILED.offsets())


def test_a_composition_over_strides_folds_into_them():
    layout = LayoutComposed(LayoutRight(), (4, 4), IndexTransform((0, 0), (1, 1), (0, 0)))
    turned, shift = flip(Mapping((4,), layout), (0,))
    assert (turned.layout, shift) == (LayoutStrideRelaxed((-5,), 15), 0)


def test_two_halos_are_one():
    once, _ = pad(TILED, ((1, 0), (0, 2)))
    twice, _ = pad(once, ((0, 1), (3, 0)))
    assert twice.extents == (6, 11)
    assert twice.valid_box == ((1, 5), (3, 9))
    assert twice.layout.base == TILED.layout


def test_a_flipped_halo_is_on_the_other_side():
    padded, _ = pad(Mapping((3, 4)), ((1, 0), (0, 2)))
    assert flip(padded, (0, 1))[0].valid_box == ((0, 3), (2, 6))


@pytest.mark.parametrize(
    "base", [Mapping((3, 4)), TILED, MAPPINGS["composed, tiled"]], ids=["right", "tiled", "composed"]
)
def test_cutting_off_the_halo_leaves_the_mapping_as_it_was(base):
    padded, _ = pad(base, ((2, 1), (0, 3)))
    extents = base.extents
    cut, shift = through(padded, IndexTransform((2, 0), (1, 1), (0, 1)), extents)
    assert cut == base
    assert cut.layout.is_total()
    assert shift == 0


def test_what_lies_all_in_the_halo_has_no_element():
    padded, _ = pad(Mapping((3,)), ((2, 2),))
    corner, _ = through(padded, IndexTransform((1,), (0,), (None,)), ())
    assert not corner.is_valid()
    assert list(corner.offsets()) == []
    assert corner.required_span_size == 0
    spread, _ = take(corner, (), (3,))
    assert [spread.is_valid(i) for i in range(3)] == [False] * 3


def test_a_step_takes_what_it_meets_of_the_box():
    padded, _ = pad(Mapping((5,)), ((2, 2),))
    for first, step, count in [(0, 2, 5), (1, 3, 3), (8, -2, 5), (7, -3, 3)]:
        part, _ = through(padded, IndexTransform((first,), (step,), (0,)), (count,))
        picked = [first + step * k for k in range(count)]
        assert [part.is_valid(k) for k in range(count)] == [2 <= i < 7 for i in picked]
        assert list(part.offsets()) == [i - 2 for i in picked if 2 <= i < 7]


def test_sizes_that_differ_or_grow_too_large_are_refused():
    with pytest.raises(ShapeError, match="reshaped into one of equal size"):
        reshape(TILED, (5, 5))
    with pytest.raises(ExtentsError):
        pad(Mapping((2**62,)), ((0, 2**62),))


@pytest.mark.parametrize(
    ("mapping", "sizes", "extents", "strides", "shift"),
    [
        (Mapping((2, 4)), (4, 8), (2, 2), (2, 1), 0),
        (Mapping((2, 4)), (8, 4), (2, 8), (8, 1), 0),
        (Mapping((2, 4), LayoutRightPadded(6)), (4, 8), (2, 2), (3, 1), 0),
        (Mapping((2, 4), LayoutStrideRelaxed((-4, 1), 4)), (4, 8), (2, 2), (-2, 1), 0),
        (Mapping((3,), LayoutStrideRelaxed((1,), 4)), (8, 4), (6,), (1,), 8),
        (Mapping((1, 4), LayoutStride((7, 1))), (4, 8), (1, 2), (2, 1), 0),
    ],
)
def test_repacking_counts_in_other_items(mapping, sizes, extents, strides, shift):
    repacked, moved = repack(mapping, *sizes)
    assert repacked.extents == extents
    assert repacked.strides == strides
    assert moved == shift


@pytest.mark.parametrize(
    ("mapping", "sizes", "error", "message"),
    [
        (TILED, (4, 8), NotStridedError, "items are repacked along strides"),
        (Mapping(()), (4, 8), StrideError, "a contiguous last dimension; strides are ()"),
        (Mapping((2, 4), LayoutLeft()), (4, 8), StrideError, "a contiguous last dimension; strides are (1, 2)"),
        (
            Mapping((2, 3)),
            (4, 8),
            StrideError,
            "stride 3 of dimension 0 is 12 bytes, no multiple",
        ),
        (Mapping((3,)), (4, 8), StrideError, "extent 3 of the last dimension is 12 bytes"),
        (Mapping((2,), LayoutStrideRelaxed((1,), 1)), (4, 8), StrideError, "origin 1 is 4 bytes"),
    ],
)
def test_items_that_do_not_divide_are_refused(mapping, sizes, error, message):
    with pytest.raises(error) as raised:
        repack(mapping, *sizes)
    assert message in str(raised.value)


def test_repacking_into_items_of_the_same_size_changes_nothing():
    assert repack(Mapping((2, 3), LayoutLeft()), 4, 4) == (Mapping((2, 3), LayoutLeft()), 0)


@pytest.mark.parametrize("axes", list(permutations(range(3))))
def test_the_inverse_undoes_a_permutation(axes):
    assert [axes[k] for k in inverse(axes)] == [0, 1, 2]


def test_a_row_of_the_halo_has_an_empty_box():
    padded, _ = pad(Mapping((2, 3)), [(1, 1), (1, 1)])
    mapping, _ = submapping(padded, 0, ALL)
    assert mapping.valid_box == ((0, 0),)


@pytest.mark.parametrize("base", [TILED, Mapping((4, 6)), Mapping((4, 6), LayoutMorton())], ids=repr)
def test_one_place_of_all_windows_is_a_slice_also_of_padding(base):
    wide, _ = pad(base, ((1, 1), (1, 1)))
    for source in (base, wide):
        over, _ = windows(source, (3, 2), (0, 1))
        for k, m in product(range(3), range(2)):
            part, shift = submapping(over, ALL, ALL, k, m)
            plain, start = submapping(source, (k, k + over.extents[0]), (m, m + over.extents[1]))
            assert part == plain
            assert shift == start
            assert part.valid_box == plain.valid_box
            assert part.layout.is_total() == plain.layout.is_total()


def test_a_row_of_a_reshape_that_wraps_nowhere_is_a_slice():
    rows, _ = reshape(Mapping((4, 6), LayoutLeft()), (24,))
    assert submapping(rows, (6, 12)) == (Mapping((6,), LayoutStride((4,))), 1)
    assert not submapping(rows, (5, 12))[0].is_strided
    flat, _ = reshape(pad(TILED, ((1, 1), (1, 1)))[0], (48,))
    row, _ = submapping(flat, (17, 23))
    assert row.valid_box == ((0, 6),)
    assert row.layout.is_total()
    assert list(row.offsets()) == places(TILED)[1].tolist()
    assert submapping(flat, (8, 16))[0].valid_box == ((1, 7),)
