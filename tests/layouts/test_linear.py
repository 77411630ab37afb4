"""Where a layout is linear over a box is found from its arithmetic: never wrongly, and almost everywhere."""

from dataclasses import dataclass
from itertools import pairwise, product
from random import Random
from typing import final

import pytest
from expression_trees import every_progression, line_through, places, random_progression
from samples import MAPPINGS, LayoutBanded, LayoutMortonLike, LayoutOf, LayoutSymmetric, name_of

from mdview import (
    IndexTransform,
    Layout,
    LayoutBlasPacked,
    LayoutComposed,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    dim,
)
from mdview.layouts import linear
from mdview.layouts.linear import SMALL, linear_over, linear_strides
from mdview.symbolic import SymbolicExtents, var


def halved(i, j):
    """Linear in steps of two, and no tracing follows it."""
    return sum(1 for _ in range(i // 2)) * 10 + j


LAYOUTS = [
    LayoutRight(),
    LayoutLeft(),
    LayoutRightPadded(5),
    LayoutLeftPadded(4),
    LayoutStrideRelaxed((-3, 7), 90),
    LayoutTiled(2, 3),
    LayoutTiled(3, 2, outer=LayoutLeft(), inner=LayoutRightPadded(4)),
    LayoutTiled(4, 4, inner=LayoutTiled(2, 2, inner=LayoutLeft())),
    LayoutMorton(),
    LayoutMorton(compact=True, fastest="first"),
    LayoutTranspose(LayoutTiled(2, 3)),
    LayoutTranspose(LayoutBlasPacked("upper", "row")),
    LayoutBlasPacked("upper", "column"),
    LayoutBlasPacked("lower", "column"),
    LayoutSwizzled(LayoutRight(), 2, 0, 3),
    LayoutSwizzled(LayoutTiled(2, 2), 1, 0, 2),
    LayoutMortonLike(),
    LayoutSymmetric(),
    LayoutBanded(2, 1),
    LayoutOf(lambda i, j: i * j),
    LayoutOf(lambda i, j: (i * 37 + j) % 64),
    LayoutOf(lambda i, j: (i + j) // 3 * 3 + (i + j) % 3),
]


def line_over(table, box):
    """Origin and strides over a box as the offsets have it; the stride of one index is 1."""
    found = line_through({steps: table[index] for steps, index in places(box)}, box)
    if found is None:
        return None
    return found[0], tuple([1 if count == 1 else s for s, (_, count, _) in zip(found[1], box, strict=True)])


def table_of(layout, extents):
    return {index: layout.offset(extents, index) for index in product(*map(range, extents))}


@pytest.mark.parametrize("layout", [*LAYOUTS, LayoutOf(halved)], ids=name_of)
def test_every_box_of_a_small_layout_is_decided(layout):
    table = table_of(layout, (4, 4))
    for box in product(every_progression(4), repeat=2):
        assert linear_over(layout, (4, 4), box) == line_over(table, box)


@pytest.mark.parametrize("layout", LAYOUTS, ids=name_of)
def test_boxes_of_larger_layouts_are_never_wrong_and_rarely_undecided(layout):
    extents = (40, 40)
    random, table = Random(name_of(layout)), table_of(layout, extents)  # noqa: S311 - the same boxes each time
    linear_boxes = missed = 0
    for _ in range(150):
        box = tuple([random_progression(random, e) for e in extents])
        found, expected = linear_over(layout, extents, box), line_over(table, box)
        assert found in {None, expected}
        linear_boxes += expected is not None
        missed += expected is not None and found is None
    assert missed <= (linear_boxes // 20 if isinstance(layout, LayoutSwizzled | LayoutOf) else 0)


SEPARABLE = [
    LayoutRight(),
    LayoutTiled(4, 8),
    LayoutTiled(32, 24, inner=LayoutTiled(4, 4, inner=LayoutLeft())),
    LayoutMorton(),
    LayoutTranspose(LayoutTiled(16, 16, outer=LayoutLeft())),
    LayoutOf(lambda i, j: (i ^ 5) * 6000 + j),
]


@pytest.mark.parametrize("layout", SEPARABLE, ids=name_of)
def test_boxes_of_layouts_too_large_for_tables(layout):
    extents = (5000, 6000)
    random = Random(name_of(layout))  # noqa: S311 - the same boxes each time
    for _ in range(60):
        box = tuple([random_progression(random, e) for e in extents])
        expected = []
        for r, (_, count, _) in enumerate(box):
            line = [[f + k * s * (d == r) for d, (f, _, s) in enumerate(box)] for k in range(count)]
            offsets = [layout.offset(extents, index) for index in line]
            steps = {b - a for a, b in pairwise(offsets)}
            expected.append(steps.pop() if len(steps) == 1 else None if steps else 1)
        found = linear_over(layout, extents, box)
        if None in expected:
            assert found is None
        else:
            assert found == (layout.offset(extents, [first for first, _, _ in box]), tuple(expected))


@pytest.mark.parametrize("layout", LAYOUTS, ids=name_of)
def test_a_box_without_indices_is_linear_and_its_strides_mean_nothing(layout):
    assert linear_over(layout, (8, 8), ((3, 0, 1), (0, 4, 1))) == (0, (1, 1))
    assert linear_over(layout, (0, 0), ((0, 0, 1), (0, 0, 1))) == (0, (1, 1))


@pytest.mark.parametrize("layout", LAYOUTS, ids=name_of)
def test_a_step_of_0_stays_where_it_is(layout):
    for box in (((2, 3, 0), (1, 1, 1)), ((2, 30, 0), (3, 40, 0)), ((2, 1, 0), (1, 2, 1))):
        found = linear_over(layout, (8, 8), box)
        assert found[0] == layout.offset((8, 8), (2, box[1][0]))
        assert found[1][0] == (0 if box[0][1] > 1 else 1)


def test_what_cannot_be_traced_is_compared_in_small_boxes_alone():
    layout = LayoutOf(halved)
    assert linear_over(layout, (50, 50), ((0, 8, 2), (0, SMALL // 8, 1))) == (0, (10, 1))
    assert linear_over(layout, (50, 50), ((0, 9, 2), (0, SMALL // 8, 1))) is None
    assert linear_over(layout, (50, 50), ((0, 8, 1), (0, SMALL // 8, 1))) is None


def test_a_few_places_tell_most_layouts_that_are_not_linear(monkeypatch):
    asked = []
    monkeypatch.setattr(linear, "trace", lambda *args: asked.append(args))
    for function in (lambda i, j: i * j, lambda i, j: (i + 7 * j) % 64, max, lambda i, j: i + 7 * j - (j == 60)):
        assert linear_over(LayoutOf(function), (99, 99), ((0, 99, 1), (0, 61, 1))) is None
    assert asked == []


@pytest.mark.parametrize("name", MAPPINGS)
def test_strides_are_those_of_the_offsets(name):
    mapping = MAPPINGS[name]
    if not mapping.layout.is_total() or not mapping.size:
        return
    table = table_of(mapping.layout, mapping.extents)
    found = line_over(table, [(0, e, 1) for e in mapping.extents])
    assert linear_strides(mapping.layout, mapping.extents) == (None if found is None else found[1])


def test_strides_over_no_index_are_products():
    assert linear_strides(LayoutOf(lambda i, j, k: i * j), (3, 0, 4)) == (0, 4, 1)


def test_extents_that_are_symbols_have_no_box():
    extents = SymbolicExtents((var("n", 1, 9), 4))
    assert linear_strides(LayoutTiled(2, 2), tuple(extents)) is None


def test_equal_layouts_over_equal_extents_are_looked_at_once(monkeypatch):
    layout = LayoutOf(lambda i, j: 91 * i + j)
    assert linear_strides(layout, (9, 9)) == (91, 1)
    monkeypatch.setattr(linear, "linear_over", lambda *args: pytest.fail("asked again"))
    assert linear_strides(layout, (9, 9)) == (91, 1)
    assert linear_strides(LayoutOf(layout.arithmetic), (dim(9), 9)) == (91, 1)


@final
@dataclass
class LayoutScaled(Layout):
    """A layout without a hash: its factor may change."""

    factor: int
    __hash__ = None

    def offset(self, extents, index):
        i, j = index
        return (i * extents[1] + j) * self.factor

    def required_span_size(self, extents):
        return 1000


def test_a_layout_without_a_hash_has_the_strides_of_the_moment():
    layout = LayoutScaled(3)
    assert linear_strides(layout, (4, 5)) == (15, 3)
    layout.factor = 2
    assert linear_strides(layout, (4, 5)) == (10, 2)
    assert Mapping((4, 5), layout).strides == (10, 2)
    view = MDView(list(range(1000)), (4, 5), layout)
    assert view[1, 2] == 14
    assert view[1:, ::2].tolist() == [[10, 14, 18], [20, 24, 28], [30, 34, 38]]


def test_a_broadcast_slice_of_tiles_is_strided():
    transform = IndexTransform((1, 0), (0, 1), (0, 1))
    mapping = Mapping((3, 2), LayoutComposed(LayoutTiled(2, 2), (4, 4), transform))
    assert mapping.strides == (0, 1)
    assert [*mapping.offsets()] == [2, 3] * 3
