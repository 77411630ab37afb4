"""Explanations are sentences that a person can check: each names a fact with its reason or its witness."""

from dataclasses import dataclass
from typing import final

import pytest
from samples import MAPPINGS, LayoutBanded, LayoutSymmetric

from mdview import (
    Layout,
    LayoutLeft,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    dim,
    explain,
)
from mdview.base import strided_sets
from mdview.layouts import base
from mdview.mappings import facts
from mdview.operations.manipulation import pad, permute_dims, reshape


def lines(mapping):
    return explain(mapping).splitlines()


def line(mapping, start):
    [found] = [text for text in lines(mapping) if text.startswith(start)]
    return found


@final
@dataclass(frozen=True)
class LayoutHashed(Layout):
    """Linear as far as one looks, by arithmetic that cannot be traced."""

    def offset(self, extents, index):
        return 3 * hash(index[0])

    def required_span_size(self, extents):
        return 3 * extents[0] - 2


def test_a_dense_mapping_in_c_order():
    assert lines(Mapping((dim(3), 4))) == [
        "LayoutRight() over extents (3, 4): 12 indices.",
        "Its offsets run from 0 to 11; the data needs 12 elements.",
        "Strided: index (i, j) lies at 4*i + j.",
        "Unique: no two indices share an offset, since each stride exceeds the reach of the smaller ones.",
        "Exhaustive: each of the 12 offsets below the span is used.",
        "Contiguous in C order (the last index is the fastest).",
        "NumPy can share the memory: shape (3, 4), strides (4, 1) in elements, origin 0.",
    ]


def test_a_mapping_with_every_answer_no():
    assert lines(Mapping((3, 3), LayoutStrideRelaxed((-2, 4), 5))) == [
        "LayoutStrideRelaxed((-2, 4), offset=5) over extents (3, 3): 9 indices.",
        "Its offsets run from 1 to 13; the data needs 14 elements.",
        "Strided: index (i, j) lies at 5 - 2*i + 4*j.",
        "Not unique: (0, 0) and (2, 1) both lie at offset 5.",
        "Not exhaustive: no index lies at offset 0.",
        "Not contiguous in any order of the dimensions: some offsets are used more than once.",
        "NumPy can share the memory: shape (3, 3), strides (-2, 4) in elements, origin 5.",
    ]


def test_tiles():
    assert lines(Mapping((4, 6), LayoutTiled(2, 3))) == [
        "LayoutTiled(2, 3, outer=LayoutRight(), inner=LayoutRight()) over extents (4, 6): 24 indices.",
        "Its offsets run from 0 to 23; the data needs 24 elements.",
        "Not strided: steps of (3, 1) would put (0, 3) at offset 3, but it lies at 6.",
        "Unique: no two indices share an offset.",
        "Exhaustive: each of the 24 offsets below the span is used.",
        "Not contiguous in any order of the dimensions: the elements do not follow one line.",
        "NumPy gets a copy of the elements: the layout gives no strides.",
    ]


def test_a_symmetric_matrix_names_the_mirrored_indices():
    assert line(Mapping((4, 4), LayoutSymmetric()), "Not unique") == (
        "Not unique: (0, 1) and (1, 0) both lie at offset 1."
    )


def test_no_dimension():
    assert lines(Mapping(())) == [
        "LayoutRight() over extents (): 1 index.",
        "Its only offset is 0; the data needs 1 element.",
        "Strided: index () lies at 0.",
        "Unique: no two indices share an offset.",
        "Exhaustive: the only offset below the span is used.",
        "Contiguous in C order (the last index is the fastest) and in Fortran order (the first index is the fastest).",
        "NumPy can share the memory: shape (), strides () in elements, origin 0.",
    ]


def test_no_index():
    assert lines(Mapping((3, 0))) == [
        "LayoutRight() over extents (3, 0): 0 indices.",
        "It has no offsets; the data needs no element.",
        "Unique and exhaustive: there is no element to say otherwise.",
        "NumPy can share the memory: shape (3, 0), strides (0, 1) in elements, origin 0.",
    ]


def test_a_halo():
    found = lines(pad(Mapping((2, 3)), 1))
    assert found[0].endswith(" over extents (4, 5): 20 indices, some of them in padding without elements.")
    assert found[1:] == [
        "Its offsets run from 0 to 5; the data needs 6 elements.",
        "Not strided: index (0, 0) lies in the padding and has no offset.",
        "Unique: no two indices share an offset.",
        "Exhaustive: each of the 6 offsets below the span is used.",
        "Not contiguous in any order of the dimensions: the elements do not follow one line.",
        "NumPy gets a copy of the elements: the layout gives no strides.",
    ]
    assert "It has no offsets" in explain(pad(Mapping((2, 0)), 1))


def test_holes_are_counted_where_offsets_are_used_once():
    assert line(Mapping((2, 3), LayoutRightPadded(5)), "Not exhaustive") == (
        "Not exhaustive: no index lies at offset 3; unused offsets: 2 of 8."
    )


def test_interleaved_strides_are_called_so():
    assert line(Mapping((4, 2), LayoutStrideRelaxed((2, 3))), "Unique") == (
        "Unique: no two indices share an offset, although the strides interleave."
    )


@pytest.mark.parametrize(
    ("mapping", "text"),
    [
        (Mapping((2, 3), LayoutLeft()), "Contiguous in Fortran order (the first index is the fastest)."),
        (
            permute_dims(Mapping((2, 3, 4)), (1, 0, 2)),
            "Contiguous if the dimensions run in the order (1, 0, 2), slowest first.",
        ),
        (
            Mapping((2, 3), LayoutStrideRelaxed((-3, 1), 3)),
            (
                "Not contiguous in any order of the dimensions: "
                "the offsets have no gap, but some dimension counts downwards."
            ),
        ),
        (
            Mapping((2, 3), LayoutRightPadded(4)),
            "Not contiguous in any order of the dimensions: there are gaps.",
        ),
    ],
)
def test_contiguity_has_a_reason(mapping, text):
    assert text in lines(mapping)


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "formula"),
    [
        ((3,), (-1,), 2, "index (i,) lies at 2 - i"),
        ((3,), (0,), 0, "index (i,) lies at 0"),
        ((3, 1, 2), (2, 9, 6), 0, "index (i, j, k) lies at 2*i + 6*k"),
        ((1, 2, 2, 2), (9, -1, 2, 4), 1, "index (i0, i1, i2, i3) lies at 1 - i1 + 2*i2 + 4*i3"),
    ],
)
def test_the_formula_of_a_strided_mapping(shape, strides, offset, formula):
    assert line(Mapping(shape, LayoutStrideRelaxed(strides, offset)), "Strided") == f"Strided: {formula}."


def test_a_linear_layout_need_not_say_so():
    found = Mapping((4, 4), LayoutBanded(3, 3))
    assert line(found, "Strided") == "Strided: index (i, j) lies at 3 + i + 6*j."
    assert line(found, "NumPy") == "NumPy can share the memory: shape (4, 4), strides (1, 6) in elements, origin 3."


def test_an_array_of_numpy_has_64_dimensions_at_most():
    assert line(Mapping((1,) * 65), "NumPy") == "NumPy has no array for it: the rank is 65, and 64 is its limit."
    assert "can share" in line(Mapping((1,) * 64), "NumPy")


def test_a_collision_known_by_counting_alone(monkeypatch):
    monkeypatch.setattr(strided_sets, "SEARCH_BUDGET", 0)
    assert line(Mapping((8, 8, 8), LayoutStrideRelaxed((11, 13, 17))), "Not unique") == (
        "Not unique: 512 indices have 288 offsets at most."
    )


def test_what_exceeds_the_budget_is_undecided(monkeypatch):
    monkeypatch.setattr(facts, "ENUMERATION_BUDGET", 1000)
    monkeypatch.setattr(base, "ENUMERATION_BUDGET", 1000)
    found = lines(Mapping((10**9,), LayoutHashed()))
    assert found[0] == "LayoutHashed() over extents (1000000000,): 1000000000 indices."
    assert [text.partition(":")[0] for text in found[1:-2]] == [
        *[f"Undecided ({name})" for name in ("offsets", "strided", "unique")],
        "Not exhaustive",
        "Undecided (contiguous)",
    ]
    assert found[4] == "Not exhaustive: 1000000000 elements cannot use all of 2999999998 offsets."
    assert "takes a look at 1000000000 indices, more than 1000;" in found[1]
    assert found[-2] == "NumPy gets a copy of the elements: the layout gives no strides."
    assert found[-1] == (
        "Engines call the layout at each element, as its arithmetic cannot be traced: "
        "it asks for __hash__ of i0, which is a symbol and has no number."
    )


@pytest.mark.parametrize("mapping", MAPPINGS.values(), ids=MAPPINGS)
def test_every_mapping_has_a_short_explanation_in_sentences(mapping):
    for found in (lines(mapping), lines(reshape(mapping, (mapping.size,)))):
        assert 4 <= len(found) <= 10
        assert all(text.endswith(".") and not text.startswith("Undecided") for text in found)
