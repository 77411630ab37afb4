"""A budget is what may be spent: a question that takes exactly that much is answered, and with less it is refused."""

from dataclasses import dataclass
from itertools import count
from typing import final

import pytest
from samples import LayoutMortonLike, LayoutSymmetric

from mdview import (
    Layout,
    LayoutMorton,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    Mapping,
    MDView,
    bounds,
    coalesced,
    collision,
    explain,
    hole,
    is_contiguous,
    overlap,
)
from mdview.base import strided_sets
from mdview.base.strided_sets import AffineImage, common_offset, find_collision, find_index, has_collision
from mdview.engines.bulk import whole_views
from mdview.errors import LayoutError, ShapeError, UndecidedError
from mdview.index.extents import MAX_SIZE
from mdview.lazy import composite
from mdview.lazy.box import StridedBox
from mdview.lazy.chain import Chain
from mdview.mappings import facts
from mdview.mappings.facts import affine_image, inner_contiguous


@final
@dataclass(frozen=True)
class LayoutRows(Layout):
    """Rows one after the other, by arithmetic that cannot be traced, so that only a look at each offset shows it."""

    tag: int = 0

    def offset(self, extents, index):
        return sum(extents[1] for _ in range(int(index[0]))) + int(index[1])

    def required_span_size(self, extents):
        return extents[0] * extents[1]


@final
@dataclass(frozen=True)
class LayoutFar(Layout):
    """As above, every third offset, and it does not say so."""

    tag: int = 0

    def offset(self, extents, index):
        return 3 * LayoutRows().offset(extents, index)

    def required_span_size(self, extents):
        return 3 * extents[0] * extents[1] - 2


FACTS = "mdview.mappings.facts.ENUMERATION_BUDGET"
TRAITS = "mdview.layouts.base.ENUMERATION_BUDGET"
PROBES = "mdview.layouts.probing.ENUMERATION_BUDGET"
SWIZZLES = "mdview.layouts.swizzled.ENUMERATION_BUDGET"

SYMMETRIC = Mapping((4, 4), LayoutSymmetric())
TAGS = count()


def rows():
    """A mapping that nobody has asked yet."""
    return Mapping((9, 8), LayoutRows(next(TAGS)))


def far():
    """Another one."""
    return Mapping((9, 8), LayoutFar(next(TAGS)))


# What is asked, whose budget it has, how many steps it takes, and the answer.
QUESTIONS = {
    "collision": (lambda: collision(SYMMETRIC), FACTS, 5, ((0, 1), (1, 0))),
    "hole": (lambda: hole(Mapping((3, 3), LayoutMorton())), FACTS, 9, 5),
    "bounds": (lambda: bounds(rows()), TRAITS, 72, (0, 71)),
    "affine_image": (lambda: affine_image(far()), FACTS, 72, AffineImage((9, 8), (24, 3), 0)),
    "no affine_image": (lambda: affine_image(SYMMETRIC), FACTS, 3, None),
    "is_contiguous": (lambda: is_contiguous(rows()), FACTS, 72, True),
    "inner_contiguous": (lambda: inner_contiguous(rows(), 1), FACTS, 72, True),
    "coalesced": (lambda: coalesced(rows()), FACTS, 72, Mapping((72,))),
    "is_unique": (lambda: SYMMETRIC.is_unique, TRAITS, 16, False),
    "is_exhaustive": (lambda: SYMMETRIC.is_exhaustive, TRAITS, 16, True),
    "is_strided": (lambda: rows().is_strided, PROBES, 72, True),
    "strides": (lambda: far().strides, PROBES, 72, (24, 3)),
    "not strided": (lambda: Mapping((4, 4), LayoutSymmetric()).is_strided, PROBES, None, False),
    "span of a swizzled layout": (
        lambda: Mapping((5, 7), LayoutSwizzled(LayoutSymmetricRows(), 2, 0, 3)).required_span_size,
        SWIZZLES,
        35,
        69,
    ),
}


@final
@dataclass(frozen=True)
class LayoutSymmetricRows(Layout):
    """Rows of every other element, swapped in pairs: no strides, and holes."""

    def offset(self, extents, index):
        i, j = index
        return 2 * (i * 7 + (j ^ 1 if j < 6 else j))

    def required_span_size(self, extents):
        return 2 * (extents[0] * 7) - 1


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_answered_at_its_budget_and_refused_one_step_below(name, monkeypatch):
    ask, place, steps, answer = QUESTIONS[name]
    assert ask() == answer
    if steps is None:  # it takes so few that no budget is asked
        monkeypatch.setattr(place, 4)
        assert ask() == answer
        return
    monkeypatch.setattr(place, steps)
    assert ask() == answer
    monkeypatch.setattr(place, steps - 1)
    with pytest.raises(UndecidedError, match=rf"more than {steps - 1}\b"):
        ask()


@pytest.mark.parametrize("question", [collision, hole])
def test_what_a_layout_cannot_tell_within_its_budget_one_may_still_look_for(question, monkeypatch):
    monkeypatch.setattr(TRAITS, 71)
    assert question(rows()) is None
    monkeypatch.setattr(FACTS, 72)
    assert question(rows()) is None
    monkeypatch.setattr(FACTS, 71)
    with pytest.raises(UndecidedError, match=r"more than 71\b"):
        question(rows())
    monkeypatch.setattr(TRAITS, 72)
    assert question(rows()) is None


def test_the_budget_of_an_overlap_is_that_of_each_side(monkeypatch):
    tiled, morton = Mapping((4, 4), LayoutTiled(2, 2)), Mapping((3, 3), LayoutMortonLike())
    found = overlap(tiled, morton, shift=12)
    assert (found.offset, found.first, found.second) == (12, (2, 2), (0, 0))
    monkeypatch.setattr(facts, "ENUMERATION_BUDGET", 11)  # 9 indices of the one, and 11 until the other gets there
    assert overlap(tiled, morton, shift=12) == found
    monkeypatch.setattr(facts, "ENUMERATION_BUDGET", 10)
    with pytest.raises(UndecidedError, match="more than 10"):
        overlap(tiled, morton, shift=12)
    monkeypatch.setattr(facts, "ENUMERATION_BUDGET", 8)
    with pytest.raises(UndecidedError, match="a look at 9 indices, more than 8"):
        overlap(tiled, morton, shift=12)


@pytest.mark.parametrize("limit", [8, 9, 10])
def test_a_large_strided_side_of_an_overlap_is_searched_and_not_looked_up(limit, monkeypatch):
    """Whichever way it is found, it is the same place."""
    symmetric, strided = Mapping((3, 3), LayoutSymmetric()), Mapping((3, 3), LayoutStride((4, 1)))
    monkeypatch.setattr(facts, "ENUMERATION_BUDGET", max(limit, 9))
    found = overlap(symmetric, strided, shift=3)
    assert (found.offset, found.first, found.second) == (3, (0, 2), (0, 0))


# --- searches -----------------------------------------------------------------------------------------

SEARCHES = {
    "a collision": lambda: find_collision((8, 8, 8), (11, 13, 17)),
    "no collision": lambda: has_collision((4, 4, 4), (101, 103, 107)),
    "an overlap": lambda: common_offset(AffineImage((9, 9), (7, 11)), AffineImage((9, 9), (13, 17), 1)),
    "no overlap": lambda: common_offset(AffineImage((3, 3), (17, 11)), AffineImage((3, 3), (13, 19), 3)),
    "an index": lambda: find_index(AffineImage((5, 5, 5), (7, 11, 13)), 49),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_is_answered_at_its_budget_and_refused_one_step_below(name, monkeypatch):
    spend, spent = strided_sets._Budget.spend, []
    monkeypatch.setattr(strided_sets._Budget, "spend", lambda self: spent.append(1) or spend(self))
    answer = SEARCHES[name]()
    steps = len(spent)
    assert steps > 1
    monkeypatch.setattr(strided_sets, "SEARCH_BUDGET", steps)
    assert SEARCHES[name]() == answer
    monkeypatch.setattr(strided_sets, "SEARCH_BUDGET", steps - 1)
    with pytest.raises(UndecidedError, match=rf"takes more than {steps - 1} steps; nothing was guessed"):
        SEARCHES[name]()


# --- composites ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [7, 8, 9])
def test_a_composite_of_as_many_cells_as_the_budget_is_merged(cells, monkeypatch):
    padded = Chain(StridedBox((4,))).pad([(2, 2)]).reshape((4, 2))
    expected = padded.single()
    assert expected is not None
    monkeypatch.setattr(composite, "ROUNDS", 1)
    monkeypatch.setattr(composite, "ENUMERATION_BUDGET", cells)
    assert padded.single() == (expected if cells >= 8 else None)
    assert composite.enumerated(padded.links) == (expected if cells >= 8 else None)


@pytest.mark.parametrize("most", [5, 6, 7])
def test_lists_of_an_empty_view_are_made_up_to_their_number(most, monkeypatch):
    monkeypatch.setattr(whole_views, "MOST_EMPTY", most)
    view = MDView([], (2, 3, 0, 9))
    if most >= 6:
        assert view.tolist() == [[[]] * 3] * 2
    else:
        with pytest.raises(ShapeError, match=r"lists of shape \(2, 3, 0, 9\) would be 6 empty ones"):
            view.tolist()


# --- sizes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [None, LayoutStrideRelaxed((1,)), LayoutStride((1,)), LayoutTiled(1)])
def test_the_largest_span_is_taken_and_one_more_is_refused(layout):
    mapping = Mapping((MAX_SIZE,)) if layout is None else Mapping((MAX_SIZE,), layout)
    assert mapping.required_span_size == MAX_SIZE
    assert mapping(MAX_SIZE - 1) == MAX_SIZE - 1
    with pytest.raises(LayoutError, match="more than 2\\*\\*63 - 1"):
        Mapping((2,), LayoutStrideRelaxed((1,), MAX_SIZE - 1))
    assert Mapping((2,), LayoutStrideRelaxed((1,), MAX_SIZE - 2)).required_span_size == MAX_SIZE


def test_what_cannot_be_decided_is_said_in_an_explanation_too(monkeypatch):
    monkeypatch.setattr(facts, "ENUMERATION_BUDGET", 3)
    assert "more than" in str(explain(rows())) or "unknown" in str(explain(rows()))
