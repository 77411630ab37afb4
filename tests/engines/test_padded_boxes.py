"""Padding as boxes: what each piece says of an index is what the padding engine says of that index alone."""

from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from samples import LayoutBanded, LayoutMortonLike, LayoutSymmetric, all_indices

from mdview import (
    ALL,
    ExtentSlice,
    Layout,
    LayoutBlasPacked,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutTiled,
    Mapping,
    broadcast_to,
    diagonal,
    dim,
    expand_dims,
    flip,
    pad,
    permute_dims,
    ravel,
    reshape,
    sliding_window,
    submapping,
    transposed,
)
from mdview.engines import padding
from mdview.engines.padded_boxes import pieces, staged
from mdview.errors import HaloError, LayoutError
from mdview.layouts.answers import offset_of
from mdview.layouts.enumeration import first_missing

MODES = (None, "constant", "edge", "reflect", "wrap")
BASES = {
    "right": Mapping((3, 4)),
    "static": Mapping((dim(3), dim(4))),
    "left": Mapping((3, 4), LayoutLeft()),
    "padded rows": Mapping((3, 4), LayoutRightPadded(8)),
    "tiled": Mapping((5, 4), LayoutTiled(2, 3)),
    "morton": Mapping((3, 5), LayoutMorton()),
    "packed": Mapping((4, 4), LayoutBlasPacked("upper", "row")),
    "traced": Mapping((4, 4), LayoutBanded(3, 3)),
    "untraced": Mapping((4, 4), LayoutSymmetric()),
    "bits": Mapping((3, 4), LayoutMortonLike()),
    "one": Mapping((1, 1)),
    "one row": Mapping((1, 5)),
    "row": Mapping((5,)),
    "pair": Mapping((2,), LayoutMorton()),
    "cube": Mapping((2, 3, 2)),
    "flipped": flip(Mapping((4, 3), LayoutTiled(2, 2))),
    "reshaped": reshape(Mapping((4, 6), LayoutTiled(2, 3)), (3, 8)),
    "rank 0": Mapping(()),
}


def said(mapping, mode, index):
    """Offset that index by index access reads, None where a constant or nothing is there."""
    layout, extents = mapping.layout, mapping.extents
    if layout.has_element(extents, index):
        return offset_of(layout, extents, index)
    try:
        return None if mode in {None, "constant"} else padding.stand_in(mode, layout, extents, index)
    except HaloError:
        return None


def reads(mapping, mode):
    """Offset at each index by pieces and stages, in index order; None where a constant or nothing is there.

    A place that no piece covers fails, and so does one that two cover.
    """
    found = pieces(mapping, mode)
    if found is None:
        return read_in_stages(mapping, mode)
    there = {}
    for piece in found:
        assert 0 not in piece.count
        assert piece.mapping is None or piece.mapping.extents == piece.count
        for place in all_indices(piece.count):
            index = tuple([i + k for i, k in zip(piece.first, place, strict=True)])
            assert index not in there
            there[index] = None
        if piece.mapping is not None:
            inner = read_piece(piece.mapping, mode)
            for place, offset in zip(all_indices(piece.count), inner, strict=True):
                index = tuple([i + k for i, k in zip(piece.first, place, strict=True)])
                there[index] = None if offset is None else offset + piece.shift
    return [there[index] for index in all_indices(mapping.extents)]


def read_piece(mapping, mode):
    if mapping.layout.is_total():
        return [mapping(*index) for index in all_indices(mapping.extents)]
    return reads(mapping, mode)


def read_in_stages(mapping, mode):
    found = staged(mapping, mode)
    if found is None:
        raise NoPiecesError
    (part, shift), (over, start) = found
    row = [None if offset is None else offset + shift for offset in read_piece(part, mode)]
    return [None if place is None else row[place + start] for place in read_piece(over, mode)]


class NoPiecesError(Exception):
    """There are no pieces and no stages: each index is looked at."""


def check(mapping, mode):
    try:
        found = reads(mapping, mode)
    except NoPiecesError:
        return False
    assert found == [said(mapping, mode, index) for index in all_indices(mapping.extents)]
    return True


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", BASES)
def test_the_pieces_of_a_padded_mapping_are_what_each_index_reads(name, mode):
    base = BASES[name]
    for widths in product([(0, 0), (1, 0), (2, 1), (0, 7)], repeat=base.rank if base.rank < 3 else 1):
        padded = pad(base, widths if base.rank < 3 else [*widths, (1, 0), (0, 2)])
        assert check(padded, mode)


@pytest.mark.parametrize("mode", ["reflect", "wrap"])
@pytest.mark.parametrize(
    "padded",
    [
        pad(Mapping((3,)), 100),
        pad(Mapping((2,)), 100),
        pad(Mapping((4, 3), LayoutTiled(2, 2)), ((90, 0), (3, 70))),
        flip(pad(Mapping((4, 3), LayoutMorton()), ((40, 1), (30, 20)))),
        submapping(pad(Mapping((4, 3), LayoutMorton()), 60), range(1, 124, 2), range(100, 1, -3))[0],
        diagonal(pad(Mapping((4, 3)), 60)),
        diagonal(flip(pad(Mapping((5, 3), LayoutSymmetric()), 60), 1), 3),
        submapping(pad(Mapping((2, 3, 4)), 30), 7, ALL, ALL)[0],
        pad(Mapping((1, 3), LayoutLeft()), 100),
        pad(reshape(pad(Mapping((2, 3)), 1), (5, 4)), 50),
        sliding_window(pad(Mapping((2, 3)), 20), (4, 3)),
    ],
)
def test_padding_much_wider_than_the_inside_repeats_one_period(padded, mode):
    assert check(padded, mode)


def test_pieces_are_not_more_than_a_bound_however_wide_the_padding():
    wide = pad(Mapping((3, 3)), 2**28)
    for mode in ("reflect", "wrap"):
        assert pieces(wide, mode) is None
        (part, _), (over, _) = staged(wide, mode)
        assert part.size <= 16
        assert over.extents == wide.extents
    assert len(pieces(wide, "edge")) == 9
    assert len(pieces(wide, "constant")) == 5
    assert pieces(pad(Mapping((2,) * 12), 1), "edge") is None
    assert staged(pad(Mapping((2,) * 12), 1), "edge") is None


@final
@dataclass(frozen=True)
class LayoutHoles(Layout):
    """Every other index stands for no element, and nothing says what fills it."""

    def offset(self, extents, index):
        return index[0]

    def required_span_size(self, extents):
        return extents[0]

    def is_total(self):
        return False

    def has_element(self, extents, index):
        return index[0] % 2 == 0

    def valid_box(self, extents):
        message = "the holes are no box"
        raise LayoutError(message)


@pytest.mark.parametrize("mode", MODES)
def test_padding_of_a_users_own_making_has_no_pieces_and_no_stages(mode):
    holes = Mapping((9,), LayoutHoles())
    for mapping in (holes, flip(holes), submapping(holes, (2, 7))[0], reshape(holes, (3, 3)), sliding_window(holes, 2)):
        assert pieces(mapping, mode) is staged(mapping, mode) is None
    around = pieces(pad(holes, 2), mode)
    if mode in {None, "constant"}:
        assert [(piece.first, piece.mapping) for piece in around] == [((0,), None), ((11,), None), ((2,), holes)]
    else:
        assert around is staged(pad(holes, 2), mode) is None


def test_little_of_much_is_not_read_in_stages():
    rows = ravel(pad(Mapping((1000, 1000)), 1))
    few, _ = submapping(rows, range(0, 1002 * 1000, 100_003))
    assert pieces(few, "edge") is staged(few, "edge") is None
    (part, _), _ = staged(submapping(rows, (5000, 5100))[0], "edge")
    assert part.extents == (2, 1002)  # the rows that are reached


def test_windows_over_padding_are_windows_over_rows_once_it_has_been_read():
    windows = sliding_window(pad(Mapping((30, 40), LayoutTiled(8, 8)), 1), (3, 3))
    (part, _), (over, start) = staged(windows, "edge")
    assert part == pad(Mapping((30, 40), LayoutTiled(8, 8)), 1)
    assert (over.strides, start) == ((42, 1, 42, 1), 0)


def test_padding_that_is_cut_away_leaves_one_piece():
    padded = pad(Mapping((30, 40), LayoutTiled(4, 4)), 3)
    inside, shift = submapping(padded, (3, 33), (3, 43))
    assert (inside, shift) == (Mapping((30, 40), LayoutTiled(4, 4)), 0)
    assert [piece.mapping for piece in pieces(inside, "edge")] == [inside]
    assert pieces(padded, "edge")[4].mapping.layout == LayoutTiled(4, 4)
    assert pieces(padded, "constant")[-1].mapping.layout == LayoutTiled(4, 4)
    assert [piece.mapping.layout for piece in pieces(pad(Mapping((3, 4)), 1), "edge")][4] == LayoutRight()


def draw_slice(draw, extent):
    """One slice of a dimension: of mdview and of NumPy."""
    kind = draw(st.sampled_from(["all", "index", "range", "steps", "back"])) if extent else "all"
    if kind == "all":
        return ALL, slice(None)
    first, last = sorted(draw(st.tuples(*[st.integers(0, extent - 1)] * 2)))
    if kind in {"index", "range"}:
        return (first, first) if kind == "index" else ((first, last + 1), slice(first, last + 1))
    step = draw(st.integers(1, 3))
    count = (last - first) // step + 1
    if kind == "steps":
        return ExtentSlice(first, count, step), slice(first, last + 1, step)
    return ExtentSlice(last, count, -step), slice(last, None if last < count * step else last - count * step, -step)


def drawn_pad(draw, mapping, array):
    widths = draw(st.lists(st.tuples(*[st.integers(0, 5)] * 2), min_size=array.ndim, max_size=array.ndim))
    return pad(mapping, widths), np.pad(array, widths, constant_values=-1) if widths else array


def drawn_slice(draw, mapping, array):
    slices = [draw_slice(draw, e) for e in mapping.extents]
    mapping, shift = submapping(mapping, *[ours for ours, _ in slices])
    part = np.asarray(array[tuple([theirs for _, theirs in slices])])
    return mapping, np.where(part < 0, -1, part - shift)


def drawn_flip(draw, mapping, array):
    axes = draw(st.sets(st.sampled_from(range(mapping.rank)))) if mapping.rank else ()
    return flip(mapping, tuple(axes)), np.flip(array, tuple(axes))


def drawn_diagonal(draw, mapping, array):
    axes = draw(st.permutations(range(mapping.rank)))[:2]
    offset = draw(st.integers(-2, 2))
    if len(axes) < 2:
        return mapping, array
    return diagonal(mapping, offset, *axes), np.diagonal(array, offset, *axes)


def drawn_windows(draw, mapping, array):
    lengths = [min(e, draw(st.integers(1, 3))) for e in mapping.extents]
    return sliding_window(mapping, lengths), np.lib.stride_tricks.sliding_window_view(array, lengths)


def drawn_shape(draw, mapping, array):
    factors = [n for n in range(1, mapping.size + 1) if mapping.size % n == 0] or [0]
    shape = (draw(st.sampled_from(factors)), -1) if mapping.size else mapping.extents
    return reshape(mapping, shape), array.reshape(shape)


def drawn_order(draw, mapping, array):
    axes = draw(st.permutations(range(mapping.rank)))
    if mapping.rank == 2 and draw(st.booleans()):
        return transposed(mapping), array.T
    return permute_dims(mapping, axes), array.transpose(axes)


def drawn_repeats(draw, mapping, array):
    shape = (draw(st.integers(1, 3)), *mapping.extents)
    return broadcast_to(expand_dims(mapping, 0), shape), np.broadcast_to(array, shape)


STEPS = [drawn_pad, drawn_slice, drawn_flip, drawn_diagonal, drawn_windows, drawn_shape, drawn_order, drawn_repeats]


@st.composite
def chains(draw):
    """A padded mapping and what some operations make of it, and its offsets by NumPy, -1 where there is no element."""
    mapping = draw(st.sampled_from(list(BASES.values())))
    array = np.reshape([mapping(*index) for index in all_indices(mapping.extents)], mapping.extents)
    mapping, array = drawn_pad(draw, mapping, array)
    for _ in range(draw(st.integers(1, 5))):
        made = draw(st.sampled_from(STEPS))(draw, mapping, array)
        if made[0].size <= 600 and made[0].rank <= 4:
            mapping, array = made
    return mapping, array


@given(chains())
@settings(max_examples=300)
def test_which_indices_have_an_element_is_known_after_any_chain(chain):
    mapping, array = chain
    assert mapping.extents == array.shape
    there = {index: int(array[index]) for index in all_indices(mapping.extents)}
    assert {index: mapping(*index) if mapping.is_valid(*index) else -1 for index in there} == there
    valid = {index for index, offset in there.items() if offset >= 0}
    missing = next((index for index in there if index not in valid), None)
    assert first_missing(mapping.layout, mapping.extents) == missing
    try:
        box = mapping.valid_box
    except LayoutError:
        return  # it lies behind a reshape
    assert valid == (set(product(*[range(*ends) for ends in box])) if len(box) == mapping.rank else set())


@given(chains(), st.sampled_from(MODES))
@settings(max_examples=500)
def test_the_pieces_of_any_chain_are_what_each_index_reads(chain, mode):
    event(f"as pieces: {check(chain[0], mode)}")
