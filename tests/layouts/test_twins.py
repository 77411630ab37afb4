"""A twin has the arithmetic of a shipped layout in a class of a user's own: every result is that of the layout."""

from dataclasses import dataclass
from typing import final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import (
    Layout,
    LayoutBlasPacked,
    LayoutComposed,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    broadcast_to,
    coalesced,
    dense_like,
    diagonal,
    expand_dims,
    explain,
    flip,
    is_contiguous,
    moveaxis,
    pad,
    permute_dims,
    ravel,
    reshape,
    sliding_window,
    squeeze,
    stride_order,
    submapping,
    transposed,
)
from mdview.index.transforms import IndexTransform
from mdview.layouts.narrowest import narrowest_layout


@final
@dataclass(frozen=True)
class Twin(Layout):
    """The arithmetic of another layout, and nothing else that it knows."""

    of: Layout

    def offset(self, extents, index):
        return self.of.offset(extents, index)

    def required_span_size(self, extents):
        return self.of.required_span_size(extents)


LAYOUTS = {
    "right": lambda e: LayoutRight(),
    "left": lambda e: LayoutLeft(),
    "right padded": lambda e: LayoutRightPadded(4),
    "left padded": lambda e: LayoutLeftPadded(4),
    "stride": lambda e: LayoutStride([s * 3 for s in LayoutLeft().strides(e)]),
    "relaxed": lambda e: LayoutStrideRelaxed([-s for s in LayoutRight().strides(e)], max(0, Mapping(e).size - 1)),
    "tiled": lambda e: LayoutTiled(*(2, 3, 2)[: len(e)]),
    "tiled by columns": lambda e: LayoutTiled(*(2, 3, 2)[: len(e)], outer=LayoutLeft(), inner=LayoutLeft()),
    "tiles within tiles": lambda e: LayoutTiled(*(4,) * len(e), inner=LayoutTiled(*(2,) * len(e))),
    "morton": lambda e: LayoutMorton(),
    "morton, compact": lambda e: LayoutMorton(compact=True, fastest="first"),
    "swizzled": lambda e: LayoutSwizzled(LayoutRight(), 1, 0, 2),
    "composed": lambda e: LayoutComposed(
        LayoutTiled(*(2, 3, 2)[: len(e)]),
        tuple(n + 2 for n in e),
        IndexTransform((1,) * len(e), (1,) * len(e), tuple(range(len(e)))),
    ),
}
SQUARE = {
    **{
        f"packed, {t} by {o}": lambda e, t=t, o=o: LayoutBlasPacked(t, o)
        for t in ("upper", "lower")
        for o in ("row", "column")
    },
    "transposed tiles": lambda e: LayoutTranspose(LayoutTiled(3, 2)),
    "transposed right": lambda e: LayoutTranspose(LayoutRight()),
}


@st.composite
def twins(draw):
    """A mapping of a shipped layout and that of its twin."""
    name = draw(st.sampled_from([*LAYOUTS, *SQUARE]))
    if name in SQUARE:
        n = draw(st.integers(1, 6))
        layout, extents = SQUARE[name]((n, n)), (n, n)
    else:
        extents = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=3)))
        layout = LAYOUTS[name](extents)
    return Mapping(extents, layout), Mapping(extents, Twin(layout))


@st.composite
def slices(draw, extents):
    """One slice per dimension: an index, a range, or a range in steps."""
    found = []
    for e in extents:
        first = draw(st.integers(0, e - 1))
        end = draw(st.integers(first + 1, e))
        found.append(
            draw(st.sampled_from([first, (first, end), range(first, end, 2), range(end - 1, first - 1, -1), (0, e)]))
        )
    return found


def check(mine, its, what):
    """The results are one function; where the shipped layout's is strided, the kind of layout is the same as well."""
    assert mine.extents == its.extents, what
    assert list(mine.offsets()) == list(its.offsets()), what
    strides = mine.found_strides()
    if strides is None:
        assert its.found_strides() is None, what
        return
    assert its.found_strides() is not None, what
    assert mine == its or 1 in mine.extents, what
    narrow, _ = narrowest_layout(mine.extents, strides)
    if type(mine.layout) is type(narrow) and mine.extents and 1 not in mine.extents:
        assert kind(its) is kind(mine), what


def kind(mapping):
    """The class of the layout; of one dimension right and left are the same."""
    found = type(mapping.layout)
    return LayoutRight if found is LayoutLeft and mapping.rank == 1 else found


@given(st.data())
def test_every_slice_of_a_twin_is_that_of_the_layout(data):
    mine, its = data.draw(twins())
    chosen = data.draw(slices(mine.extents))
    (part, shift), (other, its_shift) = submapping(mine, *chosen), submapping(its, *chosen)
    assert [o + shift for o in part.offsets()] == [o + its_shift for o in other.offsets()]
    if part.found_strides() is not None and 1 not in mine.extents:  # along one index the rule of the whole decides
        check(part, other, chosen) if shift == its_shift else None


def operations(mapping):
    """Operations that make sense for a mapping of any extents, by name."""
    rank = mapping.rank
    found = {
        "flip": flip,
        "permute": lambda m: permute_dims(m, tuple(range(rank))[::-1]),
        "move": lambda m: moveaxis(m, 0, -1),
        "ravel": ravel,
        "ravel F": lambda m: ravel(m, order="F"),
        "reshape": lambda m: reshape(m, (1, -1, 1)),
        "expand": lambda m: expand_dims(m, 1),
        "squeeze": lambda m: squeeze(expand_dims(m, 0), 0),
        "broadcast": lambda m: broadcast_to(m, (2, *m.extents)),
        "windows": lambda m: sliding_window(m, 1, 0),
        "pad": lambda m: pad(m, 1),
    }
    if rank > 1:
        found["diagonal"] = diagonal
    if rank == 2:
        found["transposed"] = transposed
    return found


@given(st.data())
def test_every_operation_on_a_twin_is_that_on_the_layout(data):
    mine, its = data.draw(twins())
    name = data.draw(st.sampled_from(list(operations(mine))))
    check(operations(mine)[name](mine), operations(its)[name](its), name)


@given(twins())
def test_every_fact_of_a_twin_is_that_of_the_layout(pair):
    mine, its = pair
    assert (mine.is_unique, mine.is_strided) == (its.is_unique, its.is_strided)
    if not isinstance(mine.layout, LayoutRightPadded | LayoutLeftPadded):  # a single padded row says no, as in C++
        assert mine.is_exhaustive == its.is_exhaustive
    assert is_contiguous(mine) == is_contiguous(its)
    if mine.is_strided:
        assert (stride_order(mine), coalesced(mine)) == (stride_order(its), coalesced(its))
    if 1 not in mine.extents:  # there strides mean nothing, and differ
        assert dense_like(mine).strides == dense_like(its).strides
        assert explain(mine).splitlines()[1:] == explain(its).splitlines()[1:]


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_tile_of_a_twin_is_as_narrow_as_that_of_the_layout(name):
    extents = (8, 9)
    mine, its = (Mapping(extents, kind) for kind in (LAYOUTS[name](extents), Twin(LAYOUTS[name](extents))))
    for i in range(0, 8, 2):
        for j in range(0, 9, 3):
            window = (i, i + 2), (j, j + 3)
            check(submapping(mine, *window)[0], submapping(its, *window)[0], window)
