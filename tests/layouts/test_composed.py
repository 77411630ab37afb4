"""Composed: another layout seen through an index transform; a chain of slices stays one step."""

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from samples import LayoutBanded, LayoutMortonLike, LayoutSymmetric, all_indices
from test_numpy_agreement import Choices

from mdview import (
    ALL,
    Dim,
    IndexTransform,
    LayoutComposed,
    LayoutLeft,
    LayoutRight,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    broadcast_to,
    dim,
    flip,
    pad,
    permute_dims,
    reshape,
    sliding_window,
    submapping,
)
from mdview.errors import ExtentsError, ExtentsTypeError, IndexOutOfRangeError, LayoutError, RankError
from mdview.index.transforms import Radix
from mdview.layouts.morton import LayoutMorton
from mdview.mappings.facts import is_exhaustive
from mdview.testing.samples.layouts import LayoutLooping

TILES = LayoutTiled(2, 2)


def through(extents, offset, stride, source, base=TILES, base_extents=(4, 4)):
    return Mapping(extents, LayoutComposed(base, base_extents, IndexTransform(offset, stride, source)))


COMPOSED = {
    "diagonal": through((4,), (0, 0), (1, 1), (0, 0)),
    "antidiagonal": through((4,), (0, 3), (1, -1), (0, 0)),
    "permuted": through((4, 3), (0, 0), (1, 1), (1, 0)),
    "broadcast": through((3, 4), (2, 0), (0, 1), (None, 1)),
    "one element": through((), (2, 1), (0, 0), (None, None)),
    "empty": through((0, 9), (7, 0), (1, 1), (0, 1)),
    "in one tile": through((2, 2), (2, 0), (1, 1), (0, 1)),
    "by whole tiles": through((2,), (1, 1), (2, 0), (0, None)),
    "of a base that is not monotone": through((3,), (0, 3), (1, -1), (0, 0), LayoutBanded(3, 3)),
    "of a base that is not unique": through((3, 3), (0, 0), (1, 1), (0, 1), LayoutSymmetric()),
    "of a strided base": through((3,), (0, 0), (1, 1), (0, 0), LayoutRight()),
    "of a user's base": through((2, 2), (1, 0), (1, 2), (0, 1), LayoutMortonLike()),
    "reshaped": reshape(Mapping((4, 4), TILES), (2, 8)),
    "reshaped, of a base that is not monotone": reshape(Mapping((4, 4), LayoutBanded(3, 3)), (16,)),
    "reshaped, of a base that is not unique": reshape(Mapping((3, 3), LayoutSymmetric()), (9,)),
    "reshaped and turned": flip(reshape(Mapping((4, 4), TILES), (2, 8))),
    "reshaped and cut": submapping(reshape(Mapping((4, 4), TILES), (2, 8)), 1, (2, 7))[0],
    "reshaped and broadcast": broadcast_to(reshape(Mapping((4, 4), TILES), (2, 8)), (3, 2, 8)),
    "reshaped and one element broadcast": Mapping(
        (4, 4), LayoutComposed(TILES, (4, 4), IndexTransform((0, 0), (1, 1), (0, 1), Radix(1, (), (4, 4))))
    ),
    "reshaped, each row the same": broadcast_to(submapping(reshape(Mapping((4, 4), TILES), (16,)), (0, 4))[0], (4, 4)),
    "reshaped windows": sliding_window(reshape(Mapping((4, 4), TILES), (16,)), 3),
    "windows": sliding_window(Mapping((4, 4), TILES), (2, 2)),
    "reshaped, of strides": reshape(Mapping((3, 4), LayoutStrideRelaxed((1, 5))), (6, 2)),
    "a digit that nothing moves": Mapping(
        (2,), LayoutComposed(TILES, (4, 4), IndexTransform((0, 1), (1, 0), (0, None), Radix(0, (4,), (4, 4))))
    ),
    "a dimension without a weight": Mapping(
        (2, 3), LayoutComposed(TILES, (4, 4), IndexTransform((0, 0), (1, 1), (0, 1), Radix(0, (8,), (4, 4))))
    ),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_offsets_and_facts_are_those_of_the_base_at_the_transformed_index(name):
    mapping = COMPOSED[name]
    layout = mapping.layout
    image = [layout.base.offset(layout.base_extents, layout.transform.apply(i)) for i in all_indices(mapping.extents)]
    assert [mapping(*index) for index in all_indices(mapping.extents)] == image
    assert mapping.required_span_size == max(image, default=-1) + 1
    assert mapping.is_unique == (len(set(image)) == len(image))
    assert mapping.is_exhaustive == (len(set(image)) == mapping.required_span_size)
    if mapping.is_strided:
        for index, offset in zip(all_indices(mapping.extents), image, strict=True):
            assert offset == mapping.origin + sum(i * s for i, s in zip(index, mapping.strides, strict=True))


HALOS = {
    "around tiles": pad(Mapping((4, 4), TILES), 1),
    "around strides": pad(Mapping((2, 3), LayoutLeft()), ((0, 2), (1, 0))),
    "around what is not unique": pad(Mapping((3, 3), LayoutSymmetric()), (0, 1)),
    "around a reshape": pad(reshape(Mapping((4, 4), TILES), (2, 8)), 1),
    "behind a reshape": reshape(pad(Mapping((2, 3)), 1), (5, 4)),
    "behind a broadcast": broadcast_to(pad(Mapping((2,)), 1), (2, 4)),
    "turned": flip(pad(Mapping((2, 3)), ((1, 0), (0, 1)))),
    "in steps": submapping(pad(Mapping((7,), LayoutTiled(2)), [(2, 2)]), range(1, 11, 3))[0],
    "alone": submapping(pad(Mapping((3,)), [(2, 2)]), (0, 2))[0],
    "of rank 0, alone": submapping(pad(Mapping((3,)), [(2, 2)]), 0)[0],
    "of rank 0, an element": submapping(pad(Mapping((3,), LayoutTiled(2)), [(2, 2)]), 2)[0],
    "around nothing": pad(Mapping((0, 2)), 1),
    "around nothing, reshaped": reshape(pad(Mapping((0, 2)), 1), (8,)),
    "a reshape of nothing": reshape(Mapping((0, 3), TILES), (3, 0)),
}


@pytest.mark.parametrize("name", HALOS)
def test_facts_of_a_halo_are_those_of_the_elements(name):
    check_facts(HALOS[name])


def check_facts(mapping):
    """All facts are what a look at every index tells."""
    layout, extents = mapping.layout, mapping.extents
    valid = [index for index in all_indices(extents) if layout.has_element(extents, index)]
    image = [layout.offset(extents, index) for index in valid]
    assert list(mapping.offsets()) == [mapping(*index) for index in valid] == image
    assert mapping.required_span_size == max(image, default=-1) + 1
    assert mapping.is_unique == (len(set(image)) == len(image))
    assert is_exhaustive(mapping) == (len(set(image)) == mapping.required_span_size)
    for index in all_indices(extents):
        assert mapping.is_valid(*index) == (index in valid)
    check_strides(mapping, valid, image)
    try:
        box = mapping.valid_box
    except LayoutError:
        assert layout.base.is_total() is False
    else:
        within = len(box) == len(extents)
        inside = [
            i for i in all_indices(extents) if within and all(a <= k < b for k, (a, b) in zip(i, box, strict=True))
        ]
        assert inside == valid


def check_strides(mapping, valid, image):
    """Strides are given exactly where the offsets are linear."""
    if not mapping.layout.is_total():
        assert not mapping.is_strided
        return
    if not image:
        return
    origin = image[0]
    units = [tuple([int(k == r) for k in range(mapping.rank)]) for r in range(mapping.rank)]
    at = dict(zip(valid, image, strict=True))
    strides = [at.get(unit, origin) - origin for unit in units]
    linear = all(at[i] == origin + sum([k * s for k, s in zip(i, strides, strict=True)]) for i in valid)
    assert mapping.is_strided == linear
    if linear:
        found = zip(mapping.extents, mapping.strides, strides, strict=True)
        assert all(e == 1 or mine == theirs for e, mine, theirs in found)
        strided = mapping.as_strided()
        assert list(strided.offsets()) == image


BASES = [TILES, LayoutMorton(), LayoutMortonLike(), LayoutRight(), LayoutSymmetric(), LayoutLeft()]


@given(st.binary(min_size=60, max_size=60))
def test_facts_of_any_composition_are_exact(drawn):
    pick = Choices(drawn)
    mapping = Mapping((side := 1 + pick.below(5), side), pick.of(*BASES))
    for _ in range(1 + pick.below(4)):
        mapping = one_more(pick, mapping)
        note(repr(mapping))
        check_facts(mapping)


def one_more(pick, mapping):
    """Another operation; sizes stay small."""
    step = pick.below(6)
    if step == 0:
        return flip(mapping)
    if step == 1:
        sizes = [n for n in range(1, mapping.size + 1) if mapping.size % n == 0]
        return reshape(mapping, (pick.of(*sizes), -1)) if sizes else mapping
    if step == 2 and mapping.size < 60:
        return pad(mapping, [(pick.below(2), pick.below(3)) for _ in range(mapping.rank)])
    if step == 3 and mapping.size < 60:
        return broadcast_to(mapping, (1 + pick.below(2), *mapping.extents))
    if step == 4:
        return permute_dims(mapping, range(mapping.rank)[::-1])
    slices = [pick.of((0, e), (e // 2, e), range(0, e, 2), 0) if e else ALL for e in mapping.extents]
    return submapping(mapping, *slices)[0]


@pytest.mark.parametrize(
    ("name", "strides"), [("in one tile", (2, 1)), ("by whole tiles", (8,)), ("of a strided base", (5,))]
)
def test_strides_are_found_along_the_transform(name, strides):
    assert COMPOSED[name].strides == strides


def test_a_chain_of_slices_composes_into_one_step():
    mapping = Mapping((9, 9), TILES)
    part, shift = submapping(mapping, (1, 8), ALL)
    again, more = submapping(part, (2, 6), (1, 8))
    assert (shift, more) == (0, 0)
    assert again.layout == LayoutComposed(TILES, (9, 9), IndexTransform((3, 1), (1, 1), (0, 1)))


@pytest.mark.parametrize(
    ("extents", "offset", "stride", "error", "message"),
    [
        (
            (4,),
            (1, 0),
            (1, 1),
            LayoutError,
            r"extents \(4,\) reach index 4 of dimension 0 of the base, whose extent is 4",
        ),
        ((4,), (0, 2), (1, -1), LayoutError, r"extents \(4,\) reach index -1 of dimension 1 of the base"),
        ((), (0, 0), (1, 1), RankError, r"the transform reads 1 indices, extents \(\) have rank 0"),
    ],
)
def test_extents_that_do_not_fit_the_base_are_refused(extents, offset, stride, error, message):
    with pytest.raises(error, match=message):
        through(extents, offset, stride, (0, 0))


def test_extents_of_a_rank_below_that_of_the_weights_are_refused():
    layout = LayoutComposed(TILES, (4, 4), IndexTransform.of_reshape((4, 4), (2, 8)))
    with pytest.raises(RankError, match=r"the transform reads 2 indices, extents \(16,\) have rank 1"):
        Mapping((16,), layout)


def test_a_halo_that_lies_behind_a_reshape_is_no_box():
    mapping = HALOS["behind a reshape"]
    with pytest.raises(LayoutError, match="lies behind a reshape and is no box; ask is_valid"):
        _ = mapping.valid_box
    assert sum(mapping.is_valid(*index) for index in all_indices(mapping.extents)) == 6


def test_an_index_in_a_halo_behind_a_reshape_is_out_of_range():
    with pytest.raises(IndexOutOfRangeError, match=r"index \(0, 0\) lies in the padding"):
        HALOS["behind a reshape"](0, 0)


def test_without_a_halo_the_box_is_all():
    assert COMPOSED["permuted"].valid_box == ((0, 4), (0, 3))


def test_an_index_in_the_halo_has_no_offset_and_is_not_valid():
    mapping = HALOS["around tiles"]
    assert mapping.valid_box == ((1, 5), (1, 5))
    assert (mapping.is_valid(0, 1), mapping.is_valid(1, 1), mapping.is_valid(6, 1)) == (False, True, False)
    assert not mapping.is_valid(1)
    with pytest.raises(IndexOutOfRangeError, match=r"in the padding and has no offset; valid indices are \(\(1, 5\)"):
        mapping(0, 1)


def test_a_repr_evaluates_to_the_layout():
    names = {
        kind.__name__: kind
        for kind in (LayoutComposed, LayoutTiled, LayoutRight, LayoutLeft, IndexTransform, Radix, LayoutSymmetric)
    }
    for mapping in (*HALOS.values(), COMPOSED["reshaped"], COMPOSED["permuted"]):
        assert eval(repr(mapping.layout), names) == mapping.layout  # noqa: S307 - of our own making


def test_offsets_are_those_of_the_array_that_is_read_through_the_transform():
    mapping = COMPOSED["reshaped and turned"]
    base = np.array(list(Mapping((4, 4), TILES).offsets()))
    assert list(mapping.offsets()) == base.reshape(2, 8)[::-1, ::-1].ravel().tolist()


def test_base_extents_are_kept_as_ints_and_static_ones_as_they_are():
    transform = IndexTransform((0, 0), (1, 1), (0, 0))
    layout = LayoutComposed(TILES, [np.int64(4), dim(4)], transform)
    assert layout == LayoutComposed(TILES, (4, 4), transform)
    assert [*map(type, layout.base_extents)] == [int, Dim]
    assert hash(layout) == hash(LayoutComposed(TILES, (4, 4), transform))
    assert list(Mapping((4,), layout).offsets()) == list(COMPOSED["diagonal"].offsets())


@pytest.mark.parametrize(
    ("base_extents", "error", "message"),
    [
        (4, ExtentsTypeError, "extents must be a tuple of integers, got 4"),
        ((4, 0.5), ExtentsTypeError, "an extent must be an integer"),
        ([4, -1], ExtentsError, "extent -1 of dimension 1"),
    ],
)
def test_base_extents_that_are_none_are_refused(base_extents, error, message):
    with pytest.raises(error, match=message):
        LayoutComposed(TILES, base_extents, IndexTransform((0, 0), (1, 1), (0, 0)))


def test_what_a_reshape_of_very_many_elements_is_takes_no_look_at_each():
    mapping = reshape(Mapping((2**20, 1, 2**20), LayoutTiled(4, 1, 4)), (2**39, 2))
    assert not mapping.is_strided
    assert mapping.is_unique
    assert mapping.required_span_size == 2**40


def test_numbers_beyond_the_digits_are_refused():
    transform = IndexTransform((0, 0), (1, 1), (0, 1), Radix(0, (8,), (4, 4)))
    assert Mapping((2, 3), LayoutComposed(TILES, (4, 4), transform)).required_span_size
    with pytest.raises(LayoutError, match=r"extents \(3,\) reach index 4 of dimension 0 of the base"):
        Mapping((3,), LayoutComposed(TILES, (4, 4), transform))


@pytest.mark.parametrize("box", [((0, 2), (0, 5)), ((-1, 2), (0, 4)), ((0, 2),)], ids=repr)
def test_a_box_has_a_range_for_each_dimension_and_leads_into_the_base(box):
    layout = LayoutComposed(LayoutRight(), (4, 4), IndexTransform.taking((0, 1)), box)
    with pytest.raises((LayoutError, RankError)):
        Mapping((4, 4), layout)


def test_no_origin_is_computed_in_the_padding():
    """The text of a user's layout may never come back for an index outside of its extents."""
    for layout in (LayoutRight(), LayoutTiled(2, 2), LayoutLooping()):
        assert pad(Mapping((3, 3), layout), ((1, 0), (0, 0))).origin == 0
        assert pad(Mapping((3, 3), layout), ((0, 1), (0, 1))).origin == 0
