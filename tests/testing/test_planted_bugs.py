"""The kit finds every planted bug, shown in words that a person can follow, and none in what mdview has."""

import re
import sys
from pathlib import Path

import planted
import pytest
from effort import some
from public import PUBLIC
from samples.accessors import ACCESSORS
from samples.layouts import LAYOUTS
from samples.mappings import MAPPINGS, part_of

import mdview as md
from mdview.errors import CertificationError
from mdview.testing import check_accessor, check_layout, examine_accessor, examine_layout


def assert_shown(verdict, law, words):
    assert not verdict.is_accepted
    [example] = verdict.broken  # what follows from it is not asked
    assert example.law.name == law
    text = str(example)
    assert text.startswith(f"{law}: ")
    for word in ("  subject ", "  expected ", "  got ", *words):
        assert word in text
    assert text in str(verdict)


def extents_for(layout):
    """Of those to try, the ones of rank 2 for the layouts that take no others."""
    return (
        [extents for extents in planted.SMALL if len(extents) == 2]
        if not isinstance(layout, planted.Dense)
        else planted.SMALL
    )


@pytest.mark.parametrize("name", planted.LAYOUTS)
def test_a_planted_bug_of_a_layout_is_found(name):
    layout, law, words = planted.fresh(planted.LAYOUTS, name)
    assert_shown(examine_layout(layout, *extents_for(layout)), law, words)


@pytest.mark.parametrize("name", planted.ACCESSORS)
def test_a_planted_bug_of_an_accessor_is_found(name):
    accessor, law, words = planted.fresh(planted.ACCESSORS, name)
    assert_shown(examine_accessor(accessor), law, words)


def test_what_has_no_bug_is_accepted():
    for layout in (planted.Dense(), planted.Tiles(2), planted.Tiles(3)):
        check_layout(layout, *extents_for(layout))
    check_accessor(planted.Negating())


@pytest.mark.deep
def test_the_extents_that_are_tried_by_default_find_the_same_counterexample():
    layout, law, words = planted.fresh(planted.LAYOUTS, "overlapping tiles")
    assert_shown(examine_layout(layout), law, words)


def test_what_refuses_wrongly_or_everything_is_not_accepted():
    assert_shown(
        examine_layout(planted.RefusesByAssertion(), (2, 2), (2, 2, 2)), "extents", ["(2, 2, 2)", "AssertionError"]
    )
    verdict = examine_layout(planted.RefusesEverything(), (3,), (2, 2))
    assert (verdict.is_accepted, verdict.cases, verdict.refused) == (False, 0, 2)


def test_the_error_of_a_check_is_an_assertion_with_the_verdict():
    with pytest.raises(AssertionError, match="REJECTED SpanTooSmall") as caught:
        check_layout(planted.LAYOUTS["span, off by one below"][0], (2, 2))
    assert isinstance(caught.value, CertificationError)


ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))
try:
    from layouts import LayoutBanded, LayoutSymmetric
finally:
    del sys.path[0]

TILED = md.LayoutTiled(2, md.dim(3))
SHIPPED = [*[layout for make in LAYOUTS.values() if (layout := make((4, 4))) is not None], md.LayoutStride()]
SHIPPED += [LayoutBanded(1, 2), LayoutBanded(0, 0), LayoutSymmetric(), md.LayoutTiled(2, 2, 2)]
COMPOSED = {
    "part": lambda: part_of(md.Mapping((7, 8), TILED), md.ExtentSlice(5, 3, -2), (1, 7)),
    "flipped": lambda: md.flip(md.Mapping((3, 5), md.LayoutMorton())),
    "reshaped": lambda: md.reshape(md.Mapping((4, 6), TILED), (3, 8)),
    "padded": lambda: md.pad(md.Mapping((2, 3)), 1),
    "part of padded": lambda: part_of(md.pad(md.Mapping((3, 4), TILED), 2), (1, 6), md.ExtentSlice(7, 4, -2)),
    "diagonal": MAPPINGS["composed, diagonal"],
}


def test_layouts_are_accepted():
    for layout in SHIPPED:
        verdict = examine_layout(layout, (2, 3), (3, 0), (4, 4), (md.dim(4), md.dim(4)), (2, 3, 4))
        assert verdict.is_accepted, layout


@pytest.mark.deep
@pytest.mark.parametrize("layout", some(SHIPPED, 8), ids=repr)
def test_layouts_are_accepted_over_the_extents_that_are_tried_by_default(layout):
    check_layout(layout)


@pytest.mark.parametrize("name", COMPOSED)
def test_a_composed_layout_is_accepted_over_its_extents(name):
    mapping = COMPOSED[name]()
    check_layout(mapping.layout, mapping.extents, tuple(map(md.dim, mapping.extents)))


def test_accessors_are_accepted():
    made = [make() for make in ACCESSORS.values()]
    accessors = [one for one in made if {*re.findall(r"\w+Accessor", repr(one))} <= PUBLIC.keys()]
    assert len(accessors) > 12
    for accessor in accessors:
        check_accessor(accessor)


def test_a_class_is_refused_with_a_hint():
    with pytest.raises(TypeError, match=r"LayoutRight\(\)"):
        check_layout(md.LayoutRight)
    with pytest.raises(TypeError, match=r"Mapping"):
        check_accessor(md.Mapping)


def test_a_verdict_counts_what_was_refused():
    verdict = examine_layout(md.LayoutBlasPacked("upper", "row"), (2, 2), (2, 3))
    assert (verdict.cases, verdict.refused) == (1, 1)


def test_the_page_lists_the_laws_and_counts_the_planted_bugs():
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert f"holds {len(planted.LAYOUTS)} layouts and {len(planted.ACCESSORS)} accessors" in page
    rows = set(re.findall(r"\n\| ([^|]+) \| ([^|]+) (?=\|)", page))
    verdicts = examine_layout(md.LayoutRight(), ()), examine_accessor(md.DefaultAccessor())
    laws = {(law.name, law.statement) for verdict in verdicts for law in verdict.laws}
    assert laws <= rows
    assert {name for name, _ in rows - laws} <= {
        "Law",
        "`--extents 3,4`",
        "`--dtype int16`",
        "exit status 0, 1, 2",
        "Option or status",
    }
