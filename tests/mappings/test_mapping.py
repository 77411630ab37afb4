"""A mapping is a value: a checked function from indices to offsets, equal where it is the same function, explained."""

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from effort import some
from public import PUBLIC
from samples import mappings as samples
from samples.derived import derivations, derive
from samples.enumerated import check_facts
from samples.layouts import LAYOUTS, bound
from samples.mappings import MAPPINGS, LayoutBanded, LayoutSymmetric

import mdview as md


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_mapping_has_its_facts_travels_and_is_made_again_by_its_repr(name):
    mapping = MAPPINGS[name]()
    check_facts(mapping)
    names = vars(samples) | PUBLIC
    for again in (pickle.loads(pickle.dumps(mapping)), eval(repr(mapping), names)):  # noqa: S301, S307 - of our own
        assert (again, hash(again), repr(again)) == (mapping, hash(mapping), repr(mapping))
        assert again.static_extents == mapping.static_extents


def test_indices_are_integers_of_any_type_and_extents_beyond_the_rank_are_1():
    assert md.Mapping((300, 300))(np.uint8(200), np.int8(100)) == 60100
    assert [md.Mapping((3, 4)).extent(r) for r in range(3)] == [3, 4, 1]


def test_mappings_are_equal_when_they_are_the_same_function():
    mapping = md.Mapping((3, 4))
    for same in (md.Mapping((md.dim(3), 4), md.LayoutStride((4, 1))), md.Mapping((3, 4), md.LayoutRightPadded(2))):
        assert (same, hash(same)) == (mapping, hash(mapping))
    for other in (md.Mapping((4, 3)), md.Mapping((3, 4), md.LayoutLeft()), (3, 4)):
        assert mapping != other
    assert md.Mapping((3,)) != md.Mapping((3,), md.LayoutStrideRelaxed((1,), 1))
    assert md.Mapping((3, 4), md.LayoutTiled(2, 2)) != md.Mapping((3, 4), LayoutSymmetric())


@pytest.mark.parametrize(
    ("dynamic", "static"),
    [
        (md.LayoutRightPadded(4), md.LayoutRightPadded(md.dim(4))),
        (md.LayoutLeftPadded(4), md.LayoutLeftPadded(md.dim(4))),
        (md.LayoutTiled(4, 4, inner=md.LayoutTiled(2, 2)), md.LayoutTiled(4, 4, inner=md.LayoutTiled(2, md.dim(2)))),
        (
            md.LayoutSwizzled(md.LayoutRightPadded(4), 1, 0, 1),
            md.LayoutSwizzled(md.LayoutRightPadded(md.dim(4)), 1, 0, 1),
        ),
        (md.layouts.LayoutTranspose(md.LayoutTiled(2, 2)), md.layouts.LayoutTranspose(md.LayoutTiled(md.dim(2), 2))),
    ],
    ids=repr,
)
def test_a_static_parameter_is_not_taken_for_an_equal_dynamic_one(dynamic, static):
    assert dynamic == static
    for layout in (dynamic, static, dynamic):
        assert repr(md.MDView(range(99), (4, 4), layout, md.ReadOnlyAccessor()).layout) == repr(layout)


class LayoutAnsweringExtents(md.Layout):
    """Gives away the extents themselves: what a mapping answers is plain all the same."""

    def offset(self, extents, index):
        return index[0] + index[1] * extents[0]

    def required_span_size(self, extents):
        return extents[0] if extents[1] == 1 else extents[0] * extents[1]

    def origin(self, extents):
        return md.dim(0)

    def valid_box(self, extents):
        return tuple([(md.dim(0), e) for e in extents])


STATIC = [
    (md.dim(4), md.dim(6)),
    (4, md.dim(6)),
    (md.dim(5), md.dim(5)),
    (md.dim(5), md.dim(1)),
    (md.dim(0), md.dim(3)),
]


@pytest.mark.parametrize("name", [*LAYOUTS, "extents"])
def test_static_extents_make_no_other_number_static(name):
    for extents in some(STATIC, 2):
        mapping = md.Mapping(extents, LayoutAnsweringExtents()) if name == "extents" else bound(name, extents)
        for each in some(derivations(mapping), 4) if mapping else ():
            derived = derive(mapping, each)
            check_facts(derived)
            view = md.MDView.from_mapping([0] * derived.required_span_size, derived)
            assert {type(number) for number in (*view.shape, view.size, view.origin, view.required_span_size)} == {int}


# --- what is kept -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LayoutStepping(md.Layout):
    """One step for each dimension, and a table that it does not use."""

    steps: Any
    table: Any = None

    def offset(self, extents, index):
        return sum(i * s for i, s in zip(index, self.steps, strict=True))

    def required_span_size(self, extents):
        return 1 + sum((e - 1) * s for e, s in zip(extents, self.steps, strict=True))


@pytest.mark.parametrize("number", [3.0, "3", None])
def test_a_parameter_is_refused_whatever_equal_one_was_asked_before(number):
    answers = set()
    for _ in range(2):
        with pytest.raises(TypeError) as found:
            md.MDView(list(range(6)), (2, 2), LayoutStepping((number, 1)))
        answers.add(str(found.value))
        assert md.MDView(list(range(6)), (2, 2), LayoutStepping((3, 1))).tolist() == [[0, 1], [3, 4]]
    assert len(answers) == 1


def test_a_view_has_its_own_layout_and_numbers_of_a_transform_are_plain():
    md.MDView(list(range(6)), (2, 2), LayoutStepping((md.dim(3), 1)))
    assert "steps=(3, 1)" in repr(md.MDView(list(range(6)), (2, 2), LayoutStepping((3, 1))).layout)
    made = [
        md.LayoutComposed(md.LayoutTiled(2, 2), (5, 5), md.index.IndexMap((k, 0), (k, 1), (0, 1)))
        for k in (1, md.dim(1), True)
    ]
    assert len(set(map(repr, made))) == 1


# --- explained --------------------------------------------------------------------------------------------------------


SENTENCES = [
    (md.Mapping(()), "Its only offset is 0", "index () lies at 0.", "shape (), strides ()"),
    (md.Mapping((3, 0)), "It has no offsets", "Unique and exhaustive: there is no element"),
    (md.pad(md.Mapping((2, 3)), 1), "20 indices, some of them in padding", "Not strided: index (0, 0) lies in"),
    (md.pad(md.Mapping((2, 0)), 1), "It has no offsets"),
    (md.Mapping((4, 4), LayoutSymmetric()), "(0, 1) and (1, 0) both lie at offset 1."),
    (md.Mapping((2, 3), md.LayoutRightPadded(5)), "no index lies at offset 3; unused offsets: 2 of 8."),
    (md.Mapping((2, 3), md.LayoutLeft()), "Contiguous in Fortran order (the first index is the fastest)."),
    (md.permute_dims(md.Mapping((2, 3, 4)), (1, 0, 2)), "in the order (1, 0, 2), slowest first."),
    (md.Mapping((3,), md.LayoutStrideRelaxed((-1,), 2)), "index (i,) lies at 2 - i."),
    (md.Mapping((3,), md.LayoutStrideRelaxed((0,), 0)), "index (i,) lies at 0."),
    (md.Mapping((3, 1, 2), md.LayoutStrideRelaxed((2, 9, 6))), "index (i, j, k) lies at 2*i + 6*k."),
    (md.Mapping((1, 2, 2, 2), md.LayoutStrideRelaxed((9, -1, 2, 4), 1)), "(i0, i1, i2, i3) lies at 1 - i1 + 2*i2"),
    (md.Mapping((4, 4), LayoutBanded(3, 3)), "lies at 3 + i + 6*j.", "strides (1, 6) in elements, origin 3."),
    (md.Mapping((1,) * 65), "NumPy has no array for it: the rank is 65, and 64 is its limit."),
    (md.Mapping((1,) * 64), "can share"),
]  # fmt: skip


def test_explanations():
    for mapping, *sentences in SENTENCES:
        text = md.explain(mapping)
        assert repr(text) == str(text)
        assert [s for s in sentences if s not in text] == [], text


@pytest.mark.deep
def test_what_is_undecided_is_said():
    text = md.explain(md.Mapping((10**9,), samples.LayoutOf(lambda i: 3 * hash(i))))
    for part in ("Undecided (strided)", "Undecided (unique)", "1000000000 indices, more than 1000000;", "Engines call"):
        assert part in text


@pytest.mark.parametrize("name", MAPPINGS)
def test_every_mapping_has_a_short_explanation_in_sentences(name):
    sample = MAPPINGS[name]()
    for mapping in (sample, md.reshape(sample, (-1,) if sample.size else (0,))):
        found = md.explain(mapping).splitlines()
        assert 4 <= len(found) <= 10
        assert all(line.endswith(".") and not line.startswith("Undecided") for line in found)
