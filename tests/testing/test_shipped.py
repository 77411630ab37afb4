"""The kit accepts every layout and accessor of mdview, and the layouts of the examples."""

import sys
from pathlib import Path

import pytest

import mdview
from mdview import (
    AlignedAccessor,
    AtomicAccessor,
    CheckedAccessor,
    ConjugatedAccessor,
    DefaultAccessor,
    ExtentSlice,
    FillAccessor,
    IndexTransform,
    LayoutBlasPacked,
    LayoutComposed,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MemorySpaceAccessor,
    NonTemporalAccessor,
    RandomAccessAccessor,
    ReadOnlyAccessor,
    RestrictAccessor,
    ScaledAccessor,
    UncheckedAccessor,
    dim,
    flip,
    pad,
    reshape,
    submapping,
)
from mdview.testing import check_accessor, check_layout, examine_layout

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
try:
    from layouts import LayoutBanded, LayoutSymmetric
finally:
    del sys.path[0]

TILED = LayoutTiled(2, dim(3), outer=LayoutLeft())

LAYOUTS = [
    LayoutRight(),
    LayoutLeft(),
    LayoutRightPadded(4),
    LayoutLeftPadded(dim(3)),
    LayoutStride((2, 11)),
    LayoutStride(),
    LayoutStrideRelaxed((-4, 1), 70),
    LayoutStrideRelaxed((0, 2)),
    TILED,
    LayoutTiled(4, 2, inner=LayoutTiled(2, 1, inner=LayoutLeft())),
    LayoutTiled(2, 2, 2),
    LayoutMorton(),
    LayoutMorton(compact=True, fastest="first"),
    LayoutBlasPacked("upper", "row"),
    LayoutBlasPacked("lower", "row"),
    LayoutSwizzled(LayoutRight(), 2, 0, 3),
    LayoutSwizzled(TILED, 1, 0, -1),
    LayoutTranspose(LayoutRightPadded(3)),
    LayoutTranspose(TILED),
    LayoutBanded(1, 2),
    LayoutBanded(0, 0),
    LayoutSymmetric(),
]

COMPOSED = {
    "a slice of tiles": submapping(Mapping((7, 8), TILED), ExtentSlice(5, 3, -2), (1, 7))[0],
    "flipped Morton": flip(Mapping((3, 5), LayoutMorton())),
    "reshaped tiles": reshape(Mapping((4, 6), TILED), (3, 8)),
    "padded": pad(Mapping((2, 3)), 1),
    "padded tiles, sliced": submapping(pad(Mapping((3, 4), TILED), 2), (1, 6), ExtentSlice(7, 4, -2))[0],
    "diagonal": Mapping((4,), LayoutComposed(TILED, (4, 4), IndexTransform((0, 0), (1, 1), (0, 0)))),
}

ACCESSORS = [
    DefaultAccessor(),
    CheckedAccessor(),
    UncheckedAccessor(),
    ReadOnlyAccessor(CheckedAccessor()),
    AtomicAccessor(),
    ScaledAccessor(2.5),
    ConjugatedAccessor(UncheckedAccessor()),
    FillAccessor("edge"),
    RestrictAccessor(AtomicAccessor()),
    RandomAccessAccessor(CheckedAccessor()),
    NonTemporalAccessor(),
    MemorySpaceAccessor("device"),
    AlignedAccessor(8),
]


def names_of(values):
    return {type(value).__name__ for value in values}


def test_no_layout_is_left_out():
    public = {name for name in mdview.__all__ if name.startswith("Layout")} - {"Layout", "LayoutWrapper"}
    assert public == (names_of(LAYOUTS) | {"LayoutComposed"}) - {"LayoutBanded", "LayoutSymmetric"}


def test_no_accessor_is_left_out():
    public = {name for name in mdview.__all__ if name.endswith("Accessor")} - {"Accessor"}
    assert public == names_of(ACCESSORS)


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_a_layout_is_accepted(layout):
    same_kind = [other for other in LAYOUTS if type(other) is type(layout) and other is not layout]
    check_layout(layout, others=same_kind)


@pytest.mark.parametrize("name", COMPOSED)
def test_a_composed_layout_is_accepted_over_its_extents(name):
    mapping = COMPOSED[name]
    check_layout(mapping.layout, mapping.extents, tuple(map(dim, mapping.extents)))


@pytest.mark.parametrize("accessor", ACCESSORS, ids=repr)
def test_an_accessor_is_accepted(accessor):
    check_accessor(accessor, others=[other for other in ACCESSORS if other is not accessor])


def test_a_class_is_refused_with_a_hint():
    with pytest.raises(TypeError, match=r"a layout is an instance of a Layout, .*; write LayoutRight\(\)"):
        check_layout(LayoutRight)
    with pytest.raises(TypeError, match=r"an accessor is an instance of an Accessor, .*; write CheckedAccessor\(\)"):
        check_accessor(CheckedAccessor)


def test_a_verdict_counts_what_was_refused():
    verdict = examine_layout(LayoutBlasPacked("upper", "row"), (2, 2), (2, 3))
    assert (verdict.cases, verdict.refused) == (1, 1)
    assert str(verdict).endswith(" laws on 1 cases (1 refused)")
