"""Formats whose owners have no library for this machine, compared with the numbers that their documents work out."""

import json
from pathlib import Path

import pytest
from named import COMBINED, CUTE, CYCLIC, JOINED, LAYOUTS, PIXELS, cute, mapping
from recorded import DATA

from mdview import LayoutStride, LayoutSwizzled, Mapping, parse

PAGE = Path(__file__).parents[3] / "docs/formats.md"
ALGEBRA = DATA / "algebra" / "layouts.json"


def table(found):
    return [[found(i, j) for j in range(found.extent(1))] for i in range(found.extent(0))]


def test_xla_works_out_place_17_of_2_3():
    """OpenXLA, *Tiled layout*, "Linear index formulas": F32[3,5]{1,0:T(2,2)}."""
    assert mapping("T(2,2)", (3, 5))(2, 3) == 17


def test_xla_pairs_rows_in_words():
    """*Tiled layout*, "Repeated tiling" and example 4: an even and an odd row share a word of 32 bits."""
    small, large = mapping("T(2,4)(2,1)", (4, 8)), mapping("T(8,128)(2,1)", (16, 256))
    for found in (small, large):
        assert all(found(i + 1, j) == found(i, j) + 1 for i in range(0, 4, 2) for j in range(8))
        assert all(found(i, j) % 2 == 0 for i in range(0, 4, 2) for j in range(8))
    assert large(0, 127) == 254
    assert large(2, 0) == 256
    assert large(0, 128) == 8 * 128


CUTE_TABLES = {
    "(4,2):(1,4)": [[0, 4], [1, 5], [2, 6], [3, 7]],
    "(4,2):(2,1)": [[0, 1], [2, 3], [4, 5], [6, 7]],
    "(2,(2,2)):(4,(1,2))": [[0, 1, 2, 3], [4, 5, 6, 7]],
    "(2,4):(1,2)": [[0, 2, 4, 6], [1, 3, 5, 7]],
    "(2,4):(12,1)": [[0, 1, 2, 3], [12, 13, 14, 15]],
    "(2,(2,2)):(4,(2,1))": [[0, 2, 1, 3], [4, 6, 5, 7]],
    "((2,2),2):((4,1),2)": [[0, 2], [4, 6], [1, 3], [5, 7]],
}


@pytest.mark.parametrize("name", CUTE)
def test_cute_prints_the_same_tables(name):
    """NVIDIA CUTLASS, *CuTe Layouts*, "Using a Layout" and "Matrix examples"."""
    assert table(parse(CUTE[name])) == CUTE_TABLES[name]


def recorded(text):
    """Yield the recorded cases that have a text, one a line."""
    for line in ALGEBRA.read_text(encoding="utf-8").splitlines():
        if line.startswith("{") and text in line and '"id"' in line:
            yield json.loads(line.rstrip(","))


def test_nested_layouts_of_cute_have_the_tables_of_pycute():
    """The recorded cases of tiles have the same map as a nested layout of CuTe, and the table of its offsets."""
    cases = list(recorded('"cute"'))
    for case in cases:
        nested = case["out"]["cute"]
        found = cute(nested["shape"], nested["stride"])
        assert tuple(found.extents) == tuple(case["in"]["shape"])
        assert list(found.offsets()) == case["out"]["table"], case["id"]
    assert len(cases) > 5


def test_cute_swizzles_as_pycute_does():
    """Tables of ``pycute``; ``data/PROVENANCE.md`` tells where from."""
    checked = 0
    for case in recorded('"swizzle.composed"'):
        asked = case["in"]
        if asked["offset"] or len(asked["shape"]) != 2 or 0 in asked["stride"]:
            continue
        layout = LayoutSwizzled(LayoutStride(tuple(asked["stride"])), *asked["swizzle"])
        assert table(Mapping(tuple(asked["shape"]), layout)) == case["out"]["table2d"], case["id"]
        checked += 1
    assert checked > 5


def test_cute_counts_the_first_dimension_fastest():
    """*CuTe Layouts*, "Using a Layout": (2,(2,2)):(4,(2,1)) of one number is 0 4 2 6 1 5 3 7."""
    numbered = parse(f"{CUTE['(2,(2,2)):(4,(2,1))']} reshape((8,), order=F)")
    assert list(numbered.offsets()) == [0, 4, 2, 6, 1, 5, 3, 7]


def test_ascend_nz_has_the_dimensions_n1_m1m0_n0():
    """CANN, *TransdataOperation*: the matrix {8, 100, 30} is {8, 2, 112, 16} in NZ."""
    found = mapping("FRACTAL_NZ", (100, 30))
    assert found.layout.allocation_size((100, 30)) == 2 * 112 * 16


def test_lapack_puts_a_band_as_in_its_example():
    """*LAPACK Users' Guide*, "Band Storage": m = n = 5, kl = 2, ku = 1; rows of AB, None where it has an asterisk."""
    rows = ((None, 12, 23, 34, 45), (11, 22, 33, 44, 55), (21, 32, 43, 54, None), (31, 42, 53, None, None))
    band = mapping("band", (5, 5))
    for row, line in enumerate(rows):
        for column, element in enumerate(line):
            if element is not None:
                assert band(element // 10 - 1, element % 10 - 1) == row + 4 * column, element


def test_the_page_shows_each_expression():
    text = PAGE.read_text(encoding="utf-8")
    for shown in (*LAYOUTS.values(), *PIXELS.values(), JOINED, COMBINED, CYCLIC):
        assert shown in text, shown


def test_the_page_draws_what_parses():
    fence = "```{picture} "
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    pictures = [parse(line.removeprefix(fence)) for line in lines if line.startswith(fence)]
    assert len(pictures) >= 10
