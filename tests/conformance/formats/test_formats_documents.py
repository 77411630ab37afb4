"""Formats whose owners have no library for this machine, compared with the numbers that their documents work out."""

import json
from itertools import product
from pathlib import Path

import pytest
from named import CUTE, JOINED, LAYOUTS, PIXELS, mapping

from mdview import LayoutSwizzled, Mapping
from mdview.language.reading import parse
from mdview.layouts.stride import LayoutStride

PAGE = Path(__file__).parents[3] / "docs/formats.md"
ALGEBRA = Path(__file__).parents[1] / "data/algebra/layouts.json"


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


def test_xla_joins_two_tiles():
    """*Tiled layout*, example 5: (6, 5) of 8 x 8 in T(2,4)(2,1,1,1) is at 51."""
    found = parse(JOINED)
    assert found(6, 5) == 51
    assert all(found(i + 2, j) == found(i, j) + 1 for i in (0, 1, 4, 5) for j in range(8))


CUTE_TABLES = {
    "(2,4):(1,2)": [[0, 2, 4, 6], [1, 3, 5, 7]],
    "(2,4):(12,1)": [[0, 1, 2, 3], [12, 13, 14, 15]],
    "(2,(2,2)):(4,(2,1))": [[0, 2, 1, 3], [4, 6, 5, 7]],
    "((2,2),2):((4,1),2)": [[0, 2], [4, 6], [1, 3], [5, 7]],
}


@pytest.mark.parametrize("name", CUTE)
def test_cute_prints_the_same_tables(name):
    """NVIDIA CUTLASS, *CuTe Layouts*, "Using a Layout" and "Matrix examples"."""
    assert table(parse(CUTE[name])) == CUTE_TABLES[name]


def test_cute_swizzles_as_pycute_does():
    """Tables of ``pycute``; ``data/PROVENANCE.md`` tells where from."""
    checked = 0
    for line in ALGEBRA.read_text(encoding="utf-8").splitlines():
        if '"swizzle.composed"' not in line or not line.startswith("{"):
            continue
        case = json.loads(line.rstrip(","))
        asked = case["in"]
        if asked["offset"] or len(asked["shape"]) != 2 or 0 in asked["stride"]:
            continue
        layout = LayoutSwizzled(LayoutStride(tuple(asked["stride"])), *asked["swizzle"])
        assert table(Mapping(tuple(asked["shape"]), layout)) == case["out"]["table2d"], case["id"]
        checked += 1
    assert checked > 5


@pytest.mark.parametrize(
    ("shape", "dims"), [((100, 30), (2, 112, 16)), ((16, 16), (1, 16, 16)), ((1, 17), (2, 16, 16))]
)
def test_ascend_nz_has_the_dimensions_n1_m1m0_n0(shape, dims):
    """CANN, *TransdataOperation*: the matrix {8, 100, 30} is {8, 2, 112, 16} in NZ; place [n1][m][n0] of a C array."""
    found = mapping("FRACTAL_NZ", shape)
    assert found.layout.allocation_size(shape) == dims[0] * dims[1] * dims[2]
    array = Mapping(dims)
    assert all(found(m, n) == array(n // 16, m, n % 16) for m in range(shape[0]) for n in range(shape[1]))


@pytest.mark.parametrize("shape", [(2, 35, 3, 5), (1, 32, 2, 2), (1, 1, 1, 1)], ids=str)
def test_tensorrt_chw32_is_the_array_of_its_documentation(shape):
    """NVIDIA TensorRT, ``TensorFormat``: (n, c, h, w) lies at [n][c/32][h][w][c%32] of [N][(C+31)/32][H][W][32]."""
    n, c, h, w = shape
    found = mapping("kCHW32", shape)
    array = Mapping((n, (c + 31) // 32, h, w, 32))
    assert all(found(*i) == array(i[0], i[1] // 32, i[2], i[3], i[1] % 32) for i in product(*map(range, shape)))


@pytest.mark.parametrize("count", [1, 8, 20])
def test_aosoa_is_an_array_of_structs_of_arrays(count):
    """Cabana, *Core AoSoA*: particle i is element i % 8 of each member array of struct i / 8."""
    found, structs = mapping("AoSoA", (count, 3)), Mapping(((count + 7) // 8, 3, 8))
    assert all(found(i, member) == structs(i // 8, member, i % 8) for i in range(count) for member in range(3))


def test_the_page_shows_each_expression():
    text = PAGE.read_text(encoding="utf-8")
    for shown in (*LAYOUTS.values(), *PIXELS.values(), *CUTE.values(), JOINED):
        assert shown in text, shown


def test_the_page_draws_what_parses():
    fence = "```{picture} "
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    pictures = [parse(line.removeprefix(fence)) for line in lines if line.startswith(fence)]
    assert len(pictures) >= 10
