"""One mapping stands for all that are equal, and nothing large is kept for it."""

import gc
import weakref
from dataclasses import dataclass
from typing import Any, final

import pytest

from mdview import (
    ALL,
    Layout,
    LayoutComposed,
    LayoutLeft,
    LayoutRight,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    copy,
    dim,
    flip,
    reshape,
    subview,
)
from mdview.errors import ExtentsTypeError
from mdview.index.transforms import IndexTransform
from mdview.mappings.representatives import canonical, representative


@final
@dataclass(frozen=True)
class LayoutStepping(Layout):
    """One step for each dimension."""

    steps: Any

    def offset(self, extents, index):
        return sum(i * s for i, s in zip(index, self.steps, strict=True))

    def required_span_size(self, extents):
        return 1 + sum((e - 1) * s for e, s in zip(extents, self.steps, strict=True))


@final
class LayoutFalse(Layout):
    """Says to be equal to everything, and is the transpose of right."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash(LayoutRight())

    def offset(self, extents, index):
        return LayoutLeft().offset(extents, index)

    def required_span_size(self, extents):
        return LayoutRight().required_span_size(extents)


def test_equal_mappings_have_one_representative():
    first, equal = Mapping((2, 3), LayoutStepping((3, 1))), Mapping((2, 3), LayoutStepping((3, 1)))
    assert canonical(first) is canonical(equal)
    assert canonical(Mapping((2, dim(3)), LayoutStepping((3, 1)))) is not canonical(first)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("around", [LayoutTranspose, lambda inner: LayoutComposed(inner, (2, 3), IDENTITY)])
def test_a_layout_that_lies_about_equality_is_not_taken_for_the_one_inside_a_shipped_layout(around, order):
    layouts = [around(LayoutRight()), around(LayoutFalse())]
    extents = (3, 2) if around is LayoutTranspose else (2, 3)
    views = {k: MDView(list(range(6)), extents, layouts[k]) for k in order}
    right, left = [[0, 1, 2], [3, 4, 5]], [[0, 2, 4], [1, 3, 5]]
    for k, expected in enumerate([right, left]):
        table = [list(row) for row in zip(*expected, strict=True)] if around is LayoutTranspose else expected
        assert views[k].tolist() == table
        assert flip(views[k], 0).tolist() == table[::-1]
        assert [[views[k][i, j] for j in range(extents[1])] for i in range(extents[0])] == table


IDENTITY = IndexTransform((0, 0), (1, 1), (0, 1))


@pytest.mark.parametrize("number", [3.0, "3", None])
def test_a_parameter_that_is_no_integer_is_refused_whatever_equal_one_was_asked_before(number):
    answers = []
    for _ in range(2):
        with pytest.raises(TypeError) as found:
            MDView(list(range(6)), (2, 2), LayoutStepping((number, 1)))
        answers.append(str(found.value))
        assert MDView(list(range(6)), (2, 2), LayoutStepping((3, 1))).tolist() == [[0, 1], [3, 4]]
    assert answers[0] == answers[1]


def test_a_view_has_its_own_layout_and_not_an_equal_one():
    MDView(list(range(6)), (2, 2), LayoutStepping((dim(3), 1)))
    assert repr(MDView(list(range(6)), (2, 2), LayoutStepping((3, 1))).layout) == "LayoutStepping(steps=(3, 1))"


@pytest.mark.parametrize("field", ["offset", "stride"])
def test_numbers_of_a_transform_are_plain_ints(field):
    def made(number):
        parts = {"offset": (0, 0), "stride": (1, 1)} | {field: (number, 1)}
        return LayoutComposed(LayoutTiled(2, 2), (5, 5), IndexTransform(parts["offset"], parts["stride"], (0, 1)))

    data = list(range(40))
    for _ in range(2):
        with pytest.raises(ExtentsTypeError, match=r"a number of a transform must be an integer, got 1\.0"):
            made(1.0)
        assert repr(made(dim(1))) == repr(made(True)) == repr(made(1))
        assert MDView(data, (3, 4), made(1)).mapping is MDView(data, (3, 4), made(dim(1))).mapping


def ways_to_remember(view):
    """Ask what caches are for."""
    other = MDView([0] * view.size, view.extents)
    copy(view, other)
    parts = [view[0], view[:, 1], flip(view), reshape(view, (-1,)), subview(view, ALL, (0, 2))]
    return [part.tolist() for part in parts]


@pytest.mark.parametrize("kind", ["tuple", "bytes", "closure", "no hash"])
def test_what_a_layout_holds_goes_with_its_last_view(kind):
    made = LayoutWithoutHash if kind == "no hash" else LayoutOfTable
    held = []
    for k in range(40):
        much = bytes(1 << 20)
        table = {"tuple": (much, k), "bytes": much + bytes(k), "closure": lambda much=much: much, "no hash": much}[kind]
        layout = made(table)
        held.append(weakref.ref(layout))
        for _ in range(2):
            ways_to_remember(MDView(list(range(6)), (2, 3), layout))
        del layout
    gc.collect()
    assert sum(found() is not None for found in held) <= 1


@dataclass(frozen=True)
class LayoutOfTable(Layout):
    """Right, with a field that it does not use."""

    table: Any

    def offset(self, extents, index):
        return index[0] * extents[1] + index[1]

    def required_span_size(self, extents):
        return extents[0] * extents[1]


@final
class LayoutWithoutHash(LayoutOfTable):
    """The same without a hash."""

    __hash__ = None


def test_nothing_is_remembered_of_a_large_layout():
    mapping = Mapping((2, 3), LayoutOfTable(bytes(1 << 20)))
    assert representative(mapping) is None
    assert canonical(mapping) is mapping
    assert flip(mapping) == flip(mapping)
