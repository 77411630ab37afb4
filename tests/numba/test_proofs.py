"""Proofs that offsets lie in the data: nothing is proven that is not so, and what mdview has is proven."""

import pytest
from expression_trees import BOXES, EXPRESSIONS, I, J, numbers_over, spans_of, traced
from hypothesis import given
from hypothesis import strategies as st
from samples import MAPPINGS, LayoutSymmetric

import mdview as md
from mdview.expressions.nodes import Param, alternatives, each_part
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.packed import LayoutBlasPacked
from mdview.layouts.swizzled import LayoutSwizzled

pytest.importorskip("mdview.numba")
forms = pytest.importorskip("mdview.numba.forms")
proofs = pytest.importorskip("mdview.numba.proofs")
Doubt = proofs.Doubt


@given(EXPRESSIONS, BOXES, st.integers(-5, 300))
def test_what_is_proven_is_so(root, box, room):
    spans = spans_of(box)
    full = [(low, high - low + 1, 1) for low, high in spans]
    numbers = numbers_over(root, full)
    found = proofs.doubt(root, (), spans, room)
    if found is Doubt.NONE:
        assert 0 <= min(numbers.values()) <= max(numbers.values()) < room
    if found is not Doubt.NUMBER:
        for part in alternatives(root):
            assert all(-(2**63) <= number < 2**63 for number in numbers_over(part, full).values())
    elif numbers is not None:
        assert len(each_part(root)) > 1


@given(EXPRESSIONS, BOXES)
def test_what_is_so_is_proven_over_a_few_indices(root, box):
    spans = spans_of(box)
    numbers = numbers_over(root, [(low, high - low + 1, 1) for low, high in spans])
    if proofs.doubt(root, (), spans, 1 << 70) is Doubt.PLACE:  # the widest room there is
        assert min(numbers.values()) < 0 or len(numbers) * len(each_part(root)) * 2 > proofs.BUDGET


def test_one_index_too_many_is_in_doubt():
    root = traced(lambda i, j: i // 4 * 12 + i % 4 + 4 * j)
    for room, expected in ((23, Doubt.PLACE), (24, Doubt.NONE), (25, Doubt.NONE)):
        assert proofs.doubt(root, (), ((0, 5), (0, 2)), room) is (Doubt.NONE if room > 21 else expected)
    assert proofs.doubt(root, (), ((0, 5), (0, 2)), 22) is Doubt.NONE
    assert proofs.doubt(root, (), ((0, 5), (0, 2)), 21) is Doubt.PLACE
    assert proofs.doubt(root - 1, (), ((0, 5), (0, 2)), 100) is Doubt.PLACE
    assert proofs.doubt(root - 1, (), ((1, 5), (0, 2)), 100) is Doubt.NONE


def test_parameters_are_the_numbers_that_they_are():
    root = Param(0) * I + Param(1)
    assert proofs.doubt(root, (3, 4), ((0, 5), (0, 0)), 20) is Doubt.NONE
    assert proofs.doubt(root, (3, 5), ((0, 5), (0, 0)), 20) is Doubt.PLACE
    assert proofs.doubt(root, (2**62, 0), ((0, 5), (0, 0)), 20) is Doubt.NUMBER


def test_where_there_is_no_index_there_is_no_doubt():
    assert proofs.doubt(I // J, (), ((0, 5), (0, -1)), 0) is Doubt.NONE
    assert proofs.doubt(I // J, (), ((0, 5), (0, 1)), 9) is Doubt.NUMBER


LARGE = {
    "tiled, tall": md.Mapping((10**7, 5), md.LayoutTiled(2, 3)),
    "tiled, of rank 3": md.Mapping((101, 99, 77), md.LayoutTiled(8, 8, 5)),
    "tiles in tiles": md.Mapping((1001, 999), md.LayoutTiled(64, 32, inner=md.LayoutTiled(6, 3))),
    "morton": md.Mapping((1000, 3000), LayoutMorton()),
    "morton, compact": md.Mapping((30, 50, 7), LayoutMorton(compact=True)),
    "swizzled": md.Mapping((301, 500), LayoutSwizzled(md.LayoutRightPadded(512), 4, 0, 5)),
    "symmetric": md.Mapping((10**4, 10**4), LayoutSymmetric()),
}


@pytest.mark.parametrize("name", [*MAPPINGS, *LARGE])
def test_layouts_that_do_not_lie_are_proven_in_data_of_their_span(name):
    mapping = (MAPPINGS | LARGE)[name]
    form = forms.describe(mapping, mapping.required_span_size).form
    assert getattr(form, "doubt", Doubt.NONE) is Doubt.NONE


def test_what_takes_too_long_to_prove_is_in_doubt():
    mapping = md.Mapping((500, 500), LayoutBlasPacked("lower", "column"))
    assert forms.describe(mapping, mapping.required_span_size)[0].doubt is Doubt.PLACE
    assert forms.describe(mapping, 10**6)[0].doubt is Doubt.PLACE
