"""Functions on whole views refuse alike what has no data, or too little; and what the matrix of engines leaves open."""

import random
import sys
from array import array
from pathlib import Path

import pytest
from samples.mappings import MAPPINGS

import mdview as md
from mdview import errors

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))

import uses

CHOSEN = {
    name: mapping
    for name, mapping in MAPPINGS.items()
    if mapping.size and mapping.rank and ("," not in name or name in {"relaxed, flipped", "tiled, ragged"})
}
"""A mapping of each layout."""
WHOLE = {"interface", "memoryview"}
"""Uses that ask what a view can be, and not its elements."""
SINGLE = {"element", "at", "all elements", "atomic", "bins", "sum of bins"}
"""Uses of single elements, which may be there, and of bins, which tiles do not have."""


def refusals(table, view, left_out):
    """The classes of the errors by which the uses of a table refuse a view."""
    found = {}
    for name in table.keys() - left_out:
        pick = random.Random(name)  # noqa: S311 - reproducible cases, no secrets
        try:
            table[name](pick, view)
        except errors.MDViewError as error:
            found[name] = type(error)
        else:
            found[name] = None
    return found


@pytest.mark.parametrize("accessor", [md.DefaultAccessor(), md.ReadOnlyAccessor(), md.AtomicAccessor()], ids=repr)
def test_every_use_refuses_a_view_without_data(accessor):
    for mapping in CHOSEN.values():
        static = md.Mapping(tuple(map(md.dim, mapping.extents)), mapping.layout)
        null = md.MDView.from_mapping(None, static, accessor)
        assert {*refusals(uses.READS, null, WHOLE).values()} == {errors.NullViewError}
        stores = {errors.NullViewError} if isinstance(accessor, md.Writable) else {errors.ReadOnlyError}
        assert {*refusals(uses.WRITES, null, WHOLE | {"runs", "through NumPy"}).values()} == stores


@pytest.mark.parametrize("accessor", [md.DefaultAccessor(), md.AtomicAccessor(), md.FillAccessor("edge")], ids=repr)
def test_every_use_of_a_whole_view_refuses_data_that_has_become_shorter(accessor):
    for mapping in CHOSEN.values():
        held = [1.0] * (mapping.required_span_size + 1)
        view = md.MDView.from_mapping(held, mapping, accessor)
        del held[-2:]
        for table in (uses.READS, uses.WRITES):
            assert {*refusals(table, view, WHOLE | SINGLE | {"slices"}).values()} == {errors.BufferSizeError}
        assert held == [1.0] * (mapping.required_span_size - 1)


def test_views_are_equal_when_extents_and_elements_are():
    first, nan = md.MDView(list(range(6)), (2, 3)), md.MDView([float("nan")], (1,))
    assert md.equal(first, md.MDView([0.0, 3.0, 1.0, 4.0, 2.0, 5.0], (2, 3), md.LayoutLeft()))
    assert md.equal(md.MDView([], (0, 3)), md.MDView([1], (0, 3)))
    for other in (md.MDView(list(range(6)), (3, 2)), md.MDView([0, 1, 2, 3, 4, 6], (2, 3)), first[:, :2]):
        assert not md.equal(first, other)
    assert not md.equal(nan, nan[...])


def test_what_does_not_fit_changes_nothing():
    data = array("b", [1, 2, 3])
    view = md.MDView(data, (3,), md.LayoutStrideRelaxed((-1,), 2))
    with pytest.raises(ValueError, match=r"'b'.*-128.*127"):
        md.copy(md.MDView([5, 6, 700], (3,)), view)
    with pytest.raises(errors.ShapeError, match=r"\(2,\).*\(3,\)"):
        md.copy(md.MDView([1, 2], (2,)), view)
    with pytest.raises(errors.NullViewError):
        md.equal(view[:0], md.MDView.null((3,)))
    assert data.tolist() == [1, 2, 3]
