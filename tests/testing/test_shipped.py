"""The kit accepts every layout and accessor of mdview, and the layouts of the examples; the page lists its laws."""

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
from mdview.testing import check_accessor, check_layout, examine_layout

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
    laws = {law for _, law, _ in (*planted.LAYOUTS.values(), *planted.ACCESSORS.values())}
    assert [law for law in laws if f"\n| {law} | " not in page] == []
