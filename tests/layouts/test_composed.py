"""Composed: another layout seen through an index transform; a chain of slices stays one step."""

import pytest
from samples import LayoutBanded, LayoutMortonLike, LayoutSymmetric, all_indices

from mdview import ALL, IndexTransform, LayoutComposed, LayoutRight, LayoutTiled, Mapping, submapping
from mdview.errors import LayoutError, RankError

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
