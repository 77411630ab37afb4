"""A mapping is a layout bound to extents: a checked function from indices to offsets, and facts about it."""

import pickle
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np
import pytest
import samples
from samples import MAPPINGS, LayoutBanded, LayoutSymmetric, all_indices

import mdview
from mdview import (
    ALL,
    ExtentSlice,
    Layout,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    StridedLayout,
    broadcast_to,
    dim,
    expand_dims,
    flip,
    pad,
    permute_dims,
    reshape,
    submapping,
)
from mdview.errors import (
    AxisError,
    IndexOutOfRangeError,
    IndexTypeError,
    NotStridedError,
    RankError,
    UndecidedError,
)
from mdview.layouts import base
from mdview.mappings.representatives import canonical
from mdview.testing.samples.layouts import LAYOUTS, bound


@pytest.fixture(params=MAPPINGS)
def mapping(request):
    return MAPPINGS[request.param]


def image(mapping):
    return [mapping(*index) for index in all_indices(mapping.extents)]


def test_offsets_are_those_of_all_indices_in_order(mapping):
    assert list(mapping.offsets()) == image(mapping)
    assert mapping.size == len(image(mapping))


def test_the_span_is_one_more_than_the_largest_offset(mapping):
    assert mapping.required_span_size == max(image(mapping), default=-1) + 1
    assert min(image(mapping), default=0) >= 0


def test_unique_is_injective(mapping):
    assert mapping.is_unique == (len(set(image(mapping))) == mapping.size)
    assert mapping.is_unique or not mapping.is_always_unique


def test_exhaustive_is_onto(mapping):
    assert mapping.is_exhaustive == (len(set(image(mapping))) == mapping.required_span_size)
    assert mapping.is_exhaustive or not mapping.is_always_exhaustive


def test_strided_offsets_are_an_origin_and_a_sum(mapping):
    if not mapping.is_strided:
        assert not mapping.is_always_strided
        with pytest.raises(
            NotStridedError, match="has no strides: the distance of neighbours is not the same everywhere"
        ):
            mapping.strides  # noqa: B018 - the access is the test
        return
    assert [mapping.stride(r) for r in range(mapping.rank)] == list(mapping.strides)
    for index in all_indices(mapping.extents):
        assert mapping(*index) == mapping.origin + sum(i * s for i, s in zip(index, mapping.strides, strict=True))


def test_monotone_means_that_no_offset_decreases_when_an_index_grows(mapping):
    grows = all(
        mapping(*index[:r], index[r] + 1, *index[r + 1 :]) >= mapping(*index)
        for index in all_indices(mapping.extents)
        for r in range(mapping.rank)
        if index[r] + 1 < mapping.extent(r)
    )
    assert grows or not mapping.layout.is_monotone()


def test_the_origin_is_the_offset_of_the_first_index(mapping):
    if mapping.size:
        assert mapping.origin == mapping(*[0] * mapping.rank)


def test_a_mapping_travels_and_is_made_again_by_its_repr(mapping):
    again = pickle.loads(pickle.dumps(mapping))  # noqa: S301 - of our own making
    assert again == mapping
    assert again.static_extents == mapping.static_extents
    assert repr(again) == repr(mapping)
    assert hash(again) == hash(mapping)


@pytest.mark.parametrize("name", [n for n in MAPPINGS if type(MAPPINGS[n].layout).__module__.startswith("mdview")])
def test_the_repr_evaluates_to_the_mapping(name):
    names = vars(samples) | {each: getattr(mdview, each) for each in mdview.__all__}
    assert eval(repr(MAPPINGS[name]), names) == MAPPINGS[name]  # noqa: S307 - of our own making


def test_every_index_within_the_extents_is_valid_and_no_other(mapping):
    assert mapping.valid_box == tuple((0, int(e)) for e in mapping.extents)
    for index in product(*[range(-1, e + 1) for e in mapping.extents]):
        assert mapping.is_valid(*index) == all(0 <= i < e for i, e in zip(index, mapping.extents, strict=True))
    assert not mapping.is_valid(*[0] * (mapping.rank + 1))


def test_the_validity_of_what_is_no_integer_is_not_guessed():
    with pytest.raises(TypeError):
        Mapping((3, 4)).is_valid(1.5, 1)


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        ((3, 0), IndexOutOfRangeError, "index 3 is out of range for extent 3 of dimension 0"),
        ((0, -1), IndexOutOfRangeError, "index -1 is out of range for extent 4 of dimension 1"),
        ((0,), RankError, r"rank 2 takes 2 indices, got 1: \(0,\)"),
        ((0, 0, 0), RankError, "rank 2 takes 2 indices, got 3"),
        ((0, 1.0), IndexTypeError, r"index 1\.0 of dimension 1 must be an integer, not float"),
    ],
)
def test_an_index_that_is_none_is_refused_and_never_wraps(index, error, message):
    for layout in (LayoutRight(), LayoutTiled(2, 2), LayoutSymmetric()):
        with pytest.raises(error, match=message):
            Mapping((3, 4), layout)(*index)


def test_an_index_may_be_of_any_integer_type():
    assert Mapping((300, 300))(np.uint8(200), np.int8(100)) == 60100


def test_extents_beyond_the_rank_are_1_and_strides_there_are_none():
    mapping = Mapping((3, 4))
    assert (mapping.extent(1), mapping.extent(2)) == (4, 1)
    for r in (-1, 2):
        with pytest.raises(AxisError, match=f"dimension {r} is out of range for rank 2"):
            mapping.stride(r)


def test_mappings_are_equal_when_they_are_the_same_function():
    assert Mapping((3, 4)) == Mapping((dim(3), 4), LayoutStride((4, 1))) == Mapping((3, 4), LayoutRightPadded(2))
    assert hash(Mapping((3, 4))) == hash(Mapping((3, 4), LayoutStride((4, 1))))
    assert Mapping((3, 4)) != Mapping((4, 3))
    assert Mapping((3, 4)) != Mapping((3, 4), LayoutLeft())
    assert Mapping((3,)) != Mapping((3,), LayoutStrideRelaxed((1,), 1))
    assert Mapping((3, 4), LayoutTiled(2, 2)) != Mapping((3, 4), LayoutSymmetric())
    assert Mapping((3, 4)) != (3, 4)


def test_a_mapping_is_immutable():
    with pytest.raises(AttributeError, match="a Mapping is immutable; make another one instead of setting extents"):
        Mapping((3,)).extents = (4,)


@pytest.mark.parametrize(("layout", "hint"), [(LayoutRight, r"; write LayoutRight\(\)"), ("right", "")])
def test_a_layout_is_an_instance_of_a_layout(layout, hint):
    with pytest.raises(TypeError, match=f"a layout is an instance of a Layout, got .*{hint}"):
        Mapping((3,), layout)


class LayoutPlain(Layout):
    """As little as a layout may say about itself."""

    def offset(self, extents, index):
        return index[0] // 2

    def required_span_size(self, extents):
        return (extents[0] + 1) // 2


def test_a_layout_that_says_nothing_about_itself_is_asked_index_by_index():
    mapping = Mapping((5,), LayoutPlain())
    assert (mapping.is_unique, mapping.is_exhaustive, mapping.is_strided) == (False, True, False)
    for trait in ("unique", "exhaustive", "strided"):
        assert not getattr(mapping, f"is_always_{trait}")
    assert Mapping((1,), LayoutPlain()).is_unique
    assert Mapping((0,), LayoutPlain()).origin == 0
    assert not LayoutPlain().is_monotone()


@final
@dataclass(frozen=True)
class LayoutLooping(Layout):
    """Rows one after the other, by arithmetic that cannot be traced."""

    def offset(self, extents, index):
        return sum(extents[1] for _ in range(index[0])) + index[1]

    def required_span_size(self, extents):
        return extents[0] * extents[1]


def test_strides_that_a_layout_does_not_state_are_found_where_there_are_any(monkeypatch):
    assert Mapping((4, 4), LayoutBanded(3, 3)).strides == (1, 6)
    assert not Mapping((4, 4), LayoutSymmetric()).is_strided
    assert Mapping((9, 9), LayoutLooping()).strides == (9, 1)
    monkeypatch.setattr("mdview.layouts.probing.ENUMERATION_BUDGET", 10)
    with pytest.raises(UndecidedError, match="is strided takes more than 10 offsets; define strides in the layout"):
        Mapping((9, 9), LayoutLooping()).is_strided  # noqa: B018 - the access is the test


def test_a_trait_that_would_take_too_long_is_not_guessed(monkeypatch):
    monkeypatch.setattr(base, "ENUMERATION_BUDGET", 10)
    assert Mapping((4, 4), LayoutBanded(3, 3)).is_unique  # by its strides
    assert not Mapping((3, 3), LayoutSymmetric()).is_unique
    message = (
        r"whether LayoutSymmetric\(\) over extents \(4, 4\) is unique takes a look at 16 indices, more than 10; define"
    )
    with pytest.raises(UndecidedError, match=message):
        Mapping((4, 4), LayoutSymmetric()).is_unique  # noqa: B018 - the access is the test


@pytest.mark.parametrize(
    ("dynamic", "static"),
    [
        (LayoutRightPadded(4), LayoutRightPadded(dim(4))),
        (LayoutLeftPadded(4), LayoutLeftPadded(dim(4))),
        (LayoutTiled(2, 2), LayoutTiled(2, dim(2))),
        (LayoutTiled(4, 4, inner=LayoutTiled(2, 2)), LayoutTiled(4, 4, inner=LayoutTiled(2, dim(2)))),
        (LayoutSwizzled(LayoutRightPadded(4), 1, 0, 1), LayoutSwizzled(LayoutRightPadded(dim(4)), 1, 0, 1)),
        (LayoutTranspose(LayoutTiled(2, 2)), LayoutTranspose(LayoutTiled(dim(2), 2))),
    ],
    ids=repr,
)
def test_a_static_parameter_is_not_taken_for_an_equal_dynamic_one(dynamic, static):
    assert dynamic == static
    for layout in (dynamic, static, dynamic):
        assert repr(canonical(Mapping((4, 4), layout)).layout) == repr(layout)
        assert repr(MDView(range(99), (4, 4), layout, ReadOnlyAccessor()).layout) == repr(layout)


def test_equal_mappings_have_one_representative():
    first, second = (Mapping((4, 6), LayoutTiled(2, 3)) for _ in range(2))
    assert canonical(first) is canonical(second)
    assert canonical(Mapping((dim(4), 6), LayoutTiled(2, 3))) is not canonical(first)
    assert canonical(Mapping((4, 6), LayoutStride((6, 1)))) is not canonical(Mapping((4, 6)))


class LayoutAnsweringExtents(Layout):
    """Columns after columns, which gives away the extents themselves: what a mapping answers is plain all the same."""

    def offset(self, extents, index):
        i, j = index
        return i + j * extents[0]

    def required_span_size(self, extents):
        return extents[0] if extents[1] == 1 else extents[0] * extents[1]

    def origin(self, extents):
        return dim(0)

    def valid_box(self, extents):
        return tuple([(dim(0), e) for e in extents])


def plain_facts(mapping):
    """All numbers that a mapping tells, but for the extents and what is given in its layout."""
    yield from [mapping.rank, mapping.size, mapping.required_span_size, mapping.origin, *mapping.offsets()]
    yield from [mapping.extent(r) for r in range(mapping.rank + 1)]
    yield from [bound for ends in mapping.valid_box for bound in ends]
    yield from [mapping(*index) for index in all_indices(mapping.extents) if mapping.is_valid(*index)]
    if mapping.is_strided:
        yield from [*mapping.strides, *[mapping.stride(r) for r in range(mapping.rank)]]
        if isinstance(mapping.layout, StridedLayout):
            yield from mapping.layout.strides(mapping.extents)


def derivations(mapping):
    yield mapping
    row, column = [int(e) for e in mapping.extents]
    for slices in (
        (ALL, (0, column)),
        ((dim(0), dim(row)), ALL),
        (ALL, ExtentSlice(dim(0), dim(min(1, column)), dim(2))),
    ):
        yield submapping(mapping, *slices)[0]
    yield from [flip(mapping), permute_dims(mapping, (1, 0)), expand_dims(mapping, 1)]
    yield from [broadcast_to(mapping, (dim(2), *mapping.extents)), reshape(mapping, (dim(row * column),))]
    yield pad(mapping, ((dim(1), dim(0)), (0, dim(2))))


STATIC = [(dim(4), dim(6)), (4, dim(6)), (dim(1), dim(5)), (dim(5), dim(1)), (dim(0), dim(3))]
OVER_STATIC = {f"{name}, {extents}": bound(name, extents) for name in LAYOUTS for extents in STATIC} | {
    f"extents, {extents}": Mapping(extents, LayoutAnsweringExtents()) for extents in STATIC
}


@pytest.mark.parametrize(
    "mapping", [m for m in OVER_STATIC.values() if m], ids=[n for n, m in OVER_STATIC.items() if m]
)
def test_static_extents_make_no_other_number_static(mapping):
    for derived in derivations(mapping):
        assert {type(number) for number in plain_facts(derived)} == {int}, derived
        view = MDView.from_mapping([0] * derived.required_span_size, derived)
        assert {type(number) for number in (*view.shape, view.size, view.origin, view.required_span_size)} == {int}
