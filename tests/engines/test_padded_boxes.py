"""Padding as boxes: what each piece says of an index is what the padding engine says of that index alone."""

from itertools import product

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from samples import LayoutBanded, LayoutMortonLike, LayoutSymmetric, all_indices

from mdview import (
    ALL,
    ExtentSlice,
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
    reshape,
    sliding_window,
    submapping,
    transposed,
)
from mdview.engines import padding
from mdview.engines.padded_boxes import pieces
from mdview.errors import HaloError
from mdview.layouts.answers import offset_of

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


def spelled(found):
    """Offset at each index of some pieces, none of which have an index in common."""
    there = {}
    for piece in found:
        assert piece.mapping is None or (piece.mapping.extents == piece.count and piece.mapping.layout.is_total())
        assert 0 not in piece.count
        for place in all_indices(piece.count):
            index = tuple([i + k for i, k in zip(piece.first, place, strict=True)])
            assert index not in there
            there[index] = None if piece.mapping is None else piece.mapping(*place) + piece.shift
    return there


def check(mapping, mode):
    found = pieces(mapping, mode)
    if found is None:
        return False
    expected = {index: said(mapping, mode, index) for index in all_indices(mapping.extents)}
    assert spelled(found) == expected
    return True


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", BASES)
def test_the_pieces_of_a_padded_mapping_are_what_each_index_reads(name, mode):
    base = BASES[name]
    for widths in product([(0, 0), (1, 0), (2, 1), (0, 7)], repeat=base.rank if base.rank < 3 else 1):
        padded = pad(base, widths if base.rank < 3 else [*widths, (1, 0), (0, 2)])
        assert check(padded, mode)


def test_padding_that_is_cut_away_leaves_one_piece():
    padded = pad(Mapping((30, 40), LayoutTiled(4, 4)), 3)
    inside, shift = submapping(padded, (3, 33), (3, 43))
    assert (inside, shift) == (Mapping((30, 40), LayoutTiled(4, 4)), 0)
    assert [piece.mapping for piece in pieces(inside, "edge")] == [inside]
    assert pieces(padded, "edge")[4].mapping.layout == LayoutTiled(4, 4)
    assert pieces(padded, "constant")[-1].mapping.layout == LayoutTiled(4, 4)
    assert [piece.mapping.layout for piece in pieces(pad(Mapping((3, 4)), 1), "edge")][4] == LayoutRight()


def draw_slice(draw, extent):
    """One slice of a dimension."""
    kind = draw(st.sampled_from(["all", "index", "range", "steps", "back"])) if extent else "all"
    if kind == "all":
        return ALL
    first, last = sorted(draw(st.tuples(*[st.integers(0, extent - 1)] * 2)))
    if kind in {"index", "range"}:
        return first if kind == "index" else (first, last + 1)
    step = draw(st.integers(1, 3))
    count = (last - first) // step + 1
    return ExtentSlice(first, count, step) if kind == "steps" else ExtentSlice(last, count, -step)


def drawn_pad(draw, mapping):
    rank = mapping.rank
    return pad(mapping, draw(st.lists(st.tuples(*[st.integers(0, 5)] * 2), min_size=rank, max_size=rank)))


def drawn_slice(draw, mapping):
    return submapping(mapping, *[draw_slice(draw, e) for e in mapping.extents])[0]


def drawn_flip(draw, mapping):
    return flip(mapping, draw(st.sets(st.sampled_from(range(mapping.rank))))) if mapping.rank else mapping


def drawn_diagonal(draw, mapping):
    axes = draw(st.permutations(range(mapping.rank)))[:2]
    return diagonal(mapping, draw(st.integers(-2, 2)), *axes) if len(axes) > 1 else mapping


def drawn_window(draw, mapping):
    return sliding_window(mapping, [min(e, draw(st.integers(1, 3))) for e in mapping.extents])


def drawn_shape(draw, mapping):
    factors = [n for n in range(1, mapping.size + 1) if mapping.size % n == 0]
    return reshape(mapping, (draw(st.sampled_from(factors)), -1)) if factors else mapping


STEPS = [
    drawn_pad,
    drawn_slice,
    drawn_slice,
    drawn_flip,
    drawn_diagonal,
    drawn_window,
    drawn_shape,
    lambda draw, mapping: permute_dims(mapping, draw(st.permutations(range(mapping.rank)))),
    lambda _, mapping: transposed(mapping) if mapping.rank == 2 else mapping,
    lambda draw, mapping: broadcast_to(expand_dims(mapping, 0), (draw(st.integers(1, 3)), *mapping.extents)),
]


@st.composite
def chains(draw):
    """A padded mapping, and whatever some operations make of it; small, as each index is looked at."""
    mapping = pad(draw(st.sampled_from(list(BASES.values()))), draw(st.integers(0, 2)))
    for _ in range(draw(st.integers(1, 5))):
        made = draw(st.sampled_from(STEPS))(draw, mapping)
        if made.size <= 600 and made.rank <= 4:
            mapping = made
    return mapping


@given(chains(), st.sampled_from(MODES))
@settings(max_examples=800)
def test_the_pieces_of_any_chain_are_what_each_index_reads(mapping, mode):
    event(f"as pieces: {check(mapping, mode)}")
