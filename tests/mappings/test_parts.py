"""Parts of mappings and rearranged ones: each index stands for the one that it names, under the narrowest layout."""

from itertools import product

import numpy as np
import pytest
from effort import share, some
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.enumerated import Enumerated
from samples.layouts import LAYOUTS, LayoutSymmetric, bound
from samples.mappings import MAPPINGS, MATRICES, LayoutBanded

import mdview as md
from mdview.errors import RankError

TILED = md.Mapping((4, 6), md.LayoutTiled(2, 3))
SPECS = {
    md.ALL: slice(None),
    0: 0,
    1: 1,
    (1, 3): slice(1, 3),
    (0, 0): slice(0, 0),
    md.ExtentSlice(2, 2, -2): slice(2, None, -2),
    md.ExtentSlice(0, 2, 2): slice(0, 3, 2),
    (md.dim(0), md.dim(2)): slice(0, 2),
    range(1, 2): slice(1, 2),
}


def places(mapping):
    """Offset of each index, -1 in the padding."""
    table = Enumerated(mapping)
    return np.array([table.places.get(i, -1) for i in table.every], int).reshape(mapping.extents)


def check_part(mapping, slices, keys=None):
    """A part has the offsets that NumPy's indexing takes of those of the whole, and is as anybody could make it."""
    part, shift = md.mappings.submapping(mapping, *slices)
    wanted = places(mapping)[tuple([SPECS[s] for s in slices] if keys is None else keys)]
    assert part.extents == wanted.shape
    assert [o + shift for o in part.offsets()] == wanted[wanted >= 0].ravel().tolist(), (mapping, slices)
    assert md.Mapping(part.extents, part.layout) == part
    assert shift >= 0
    assert isinstance(part.layout, md.layouts.StridedLayout) or not isinstance(mapping.layout, md.layouts.StridedLayout)
    numbers = (*part.extents, *(part.strides if part.is_strided else ()), part.required_span_size)
    assert {type(n) for n in numbers} <= {int, md.Dim}
    return part


@pytest.mark.parametrize("name", [*LAYOUTS, *MATRICES])
def test_a_submapping_is_the_selection(name):
    mapping = bound(name, (4, 4)) if name in LAYOUTS else MAPPINGS[name]()
    mapping = mapping if min(mapping.extents) > 2 else md.pad(mapping, 2)
    for slices in some(product(SPECS, repeat=2), 27):
        check_part(mapping, slices)
    solid = bound(name, (3, 3, 4)) if name in LAYOUTS else None
    for slices in some(product(SPECS, repeat=3), 12) if solid else ():
        check_part(solid, slices)


def through(base, extents, *transform):
    return md.LayoutComposed(base, extents, md.index.IndexMap(*transform))


X, T = (1, 3), md.LayoutTiled(2, 2)
NARROW = [
    (md.LayoutRight(), (4, 5), (md.ExtentSlice(3, 2, -1), md.ALL), md.LayoutStrideRelaxed((-5, 1), 5)),
    (md.LayoutStride((1, 9)), (4, 5), (md.ALL, md.ALL), md.LayoutStride((1, 9))),
    (md.LayoutTiled(4, 4), (8, 8), (X, md.ALL), through(md.LayoutTiled(4, 4), (8, 8), (1, 0), (1, 1), (0, 1))),
    (md.LayoutTiled(4, 4), (8, 8), ((4, 8), (0, 4)), md.LayoutRight()),
    (md.LayoutTiled(4, 4), (8, 8), (md.ExtentSlice(0, 2, 4), 3), md.LayoutStride((32,))),
    (md.LayoutTiled(4, 4), (8, 8), (md.ExtentSlice(7, 4, -1), 5), md.LayoutStrideRelaxed((-4,), 12)),
    (T, (8, 8), ((2, 8), md.ALL), T),
    (T, (8, 8), (md.ALL, (4, 8)), md.LayoutTiled(2, 2, outer=md.LayoutRightPadded(4))),
    (
        md.LayoutTiled(2, md.dim(2), outer=md.LayoutLeft()),
        (8, 8),
        (md.ALL, (4, 8)),
        md.LayoutTiled(2, md.dim(2), outer=md.LayoutLeft()),
    ),
    (T, (8, 8), (md.ALL, (1, 8)), through(T, (8, 8), (0, 1), (1, 1), (0, 1))),
    (md.LayoutMorton(compact=True), (2, 64), (1, slice(0, 64, 2)), md.LayoutStride((4,))),
    (LayoutBanded(3, 3), (4, 4), (X, md.ExtentSlice(3, 2, -1)), md.LayoutStrideRelaxed((1, -6), 6)),
    (md.LayoutRight(), (), (), md.LayoutRight()),
]


def test_the_layout_of_a_part_is_the_narrowest_one():
    for layout, extents, slices, expected in NARROW:
        part, _ = md.mappings.submapping(md.Mapping(extents, layout), *slices)
        assert repr(part.layout) == repr(expected), (layout, slices)
    with pytest.raises(RankError, match=r"0.*1"):
        md.mappings.submapping(md.Mapping(()), md.ALL)


# --- rearranged -------------------------------------------------------------------------------------------------------


STEPS = {
    "transposed": (md.operations.transposed, np.transpose),
    "permute_dims": (lambda m: md.permute_dims(m, (1, 0)), np.transpose),
    "flip 0": (lambda m: md.flip(m, 0), np.flipud),
    "flip 1": (lambda m: md.flip(m, 1), np.fliplr),
    "broadcast": (
        lambda m: md.mappings.submapping(md.broadcast_to(m, (2, *m.extents)), 1, md.ALL, md.ALL)[0],
        lambda a: a,
    ),
    "ravel": (lambda m: md.reshape(md.flip(md.reshape(m, (64,)), 0), (8, 8)), lambda a: a[::-1, ::-1]),
}


@pytest.mark.parametrize("name", [*LAYOUTS, "padded"])
@settings(max_examples=share(30, 4))
@given(steps=st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=8))
def test_a_chain_of_affine_steps_is_one_step(name, steps):
    mapping = md.pad(md.Mapping((6, 6), T), 1) if name == "padded" else bound(name, (8, 8))
    text, expected = repr(mapping), places(mapping)
    for step in steps * 5:
        mapping, expected = STEPS[step][0](mapping), STEPS[step][1](expected)
    found = places(mapping)
    assert ((found < 0) == (expected < 0)).all()
    assert len(set((expected - found)[expected >= 0].tolist())) == 1
    assert len(repr(mapping)) < len(text) + 200


DENSE = md.LayoutStrideRelaxed((4, -1), 3)


def test_halos_and_reshapes_join_with_those_before():
    twice = md.pad(md.pad(TILED, ((1, 0), (0, 2))), ((0, 1), (3, 0)))
    assert (twice.extents, twice.valid_box, twice.layout.base) == ((6, 11), ((1, 5), (3, 9)), TILED.layout)
    assert md.flip(md.pad(md.Mapping((3, 4)), ((1, 0), (0, 2)))).valid_box == ((0, 3), (2, 6))
    again = md.reshape(md.reshape(TILED, (24,)), (3, 8))
    assert again.layout.base == md.flip(again).layout.base == TILED.layout
    part, _ = md.mappings.submapping(md.reshape(TILED, (3, 8)), md.ALL, (0, 5))
    assert isinstance(md.reshape(part, (15,)).layout.base, md.LayoutComposed)
    assert md.reshape(TILED, (1, 4, 1, 6)).layout.transform.is_affine
    row, _ = md.mappings.submapping(md.reshape(md.pad(TILED, 1), (48,)), (17, 23))
    assert (row.valid_box, row.layout.is_total()) == (((0, 6),), True)
    assert md.mappings.submapping(md.pad(md.Mapping((2, 3)), 1), 0, md.ALL)[0].valid_box == ((0, 0),)


@pytest.mark.parametrize("layout", [TILED.layout, md.LayoutRight(), md.LayoutMorton()], ids=repr)
def test_one_place_of_all_windows_is_a_slice_also_of_padding(layout):
    base = md.Mapping((4, 6), layout)
    for source in (base, md.pad(base, 1)):
        over = md.sliding_window(source, (3, 2))
        for k, m in product(range(3), range(2)):
            part, shift = md.mappings.submapping(over, md.ALL, md.ALL, k, m)
            plain, start = md.mappings.submapping(source, (k, k + over.extents[0]), (m, m + over.extents[1]))
            assert (part, shift, part.valid_box) == (plain, start, plain.valid_box)
            assert part.layout.is_total() == plain.layout.is_total()


def test_a_part_of_a_users_layout_is_composed_where_it_is_not_linear():
    part, _ = md.mappings.submapping(
        md.Mapping((4, 4), LayoutSymmetric()), md.ExtentSlice(0, 4, 1), md.ExtentSlice(3, 2, -1)
    )
    assert part.layout == through(LayoutSymmetric(), (4, 4), (0, 3), (1, -1), (0, 1))
