"""Functions on whole views refuse alike what has no data, or too little; and what the matrix of engines leaves open."""

import random
import re
import sys
from pathlib import Path

import pytest
from samples.mappings import MAPPINGS

import mdview as md
from mdview import errors

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))

import uses

CHOSEN = [name for name in MAPPINGS if name in {"relaxed, flipped", "tiled, ragged"} or not re.search(",|rank 0", name)]
"""Names of a mapping of each layout, with elements and dimensions."""
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
    for mapping in [MAPPINGS[name]() for name in CHOSEN]:
        static = md.Mapping(tuple(map(md.dim, mapping.extents)), mapping.layout)
        null = md.MDView.from_mapping(None, static, accessor)
        assert {*refusals(uses.READS, null, WHOLE).values()} == {errors.NullViewError}
        stores = {errors.NullViewError} if isinstance(accessor, md.Writable) else {errors.ReadOnlyError}
        assert {*refusals(uses.WRITES, null, WHOLE | {"runs", "through NumPy"}).values()} == stores


@pytest.mark.parametrize(
    "accessor", [md.DefaultAccessor(), md.AtomicAccessor(), md.accessors.FillAccessor("edge")], ids=repr
)
def test_every_use_of_a_whole_view_refuses_data_that_has_become_shorter(accessor):
    for mapping in [MAPPINGS[name]() for name in CHOSEN]:
        held = [1.0] * (mapping.required_span_size + 1)
        view = md.MDView.from_mapping(held, mapping, accessor)
        del held[-2:]
        for table in (uses.READS, uses.WRITES):
            assert {*refusals(table, view, WHOLE | SINGLE | {"slices"}).values()} == {errors.BufferSizeError}
        assert held == [1.0] * (mapping.required_span_size - 1)
