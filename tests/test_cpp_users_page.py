"""The page for users of C++: what its tables name exists, and the C++ types in them are those of the layouts beside."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from public import PUBLIC

import mdview as md
from mdview.interop import cpp

PAGE = (Path(__file__).parents[1] / "docs" / "cpp_users.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| `")]
OURS = sorted({code for row in ROWS for code in re.findall(r"`([^`]+)`", row[1])})
ELSEWHERE = {"IndexError", "Literal", "load", "store", "tile", "tile_count", "offset_policy"}
"""What is no name of mdview itself: of `typing`, of `mdview.numba`, and methods of accessors."""


@pytest.mark.parametrize("code", OURS)
def test_what_a_row_names_is_there(code):
    nodes = list(ast.walk(ast.parse(code)))
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    typed = {node.id for node in nodes if isinstance(node, ast.Name) and len(node.id) > 1 and node.id[0].isupper()}
    assert (called | typed) - {*PUBLIC, "mapping"} - ELSEWHERE == set()
    view = md.MDView([1.0], (1,))
    known = {*dir(view), *dir(view.mapping), *dir(view.flags), "asarray"}
    assert {node.attr for node in nodes if isinstance(node, ast.Attribute)} <= known


@pytest.mark.parametrize("row", [row for row in ROWS if row[0].startswith("`std::layout_")], ids=lambda row: row[0])
def test_a_layout_of_a_row_is_that_of_its_type(row):
    types, ours = [re.findall(r"`([^`]+)`", cell) for cell in row[:2]]
    extents = "std::extents<std::int64_t, std::dynamic_extent, std::dynamic_extent>"
    for named, code in zip(types, ours, strict=True):
        mapping = md.Mapping((4, 6), eval(code, {**PUBLIC}))  # noqa: S307 - of the page
        assert cpp.cpp_type(mapping) == f"{named}::mapping<{extents}>"
