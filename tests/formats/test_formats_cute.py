"""Nested layouts and swizzles of CuTe: what pycute answered, recorded and asked again where it is installed."""

import pytest
from pycute_library import offsets
from recorded import cases

from mdview import LayoutStride, LayoutSwizzled, Mapping, formats, parse

RECORDED = cases("formats/pycute")
NESTED = [case for case in RECORDED if case["swizzle"] is None]
SWIZZLED = [case for case in RECORDED if case["swizzle"] is not None]


def name_of(case):
    return f"{case['swizzle'] or ''}{case['shape']}:{case['stride']}".replace(" ", "")


def written(tree):
    """Return a tree in CuTe's notation: a dimension of one part is an int."""
    parts = ["({})".format(",".join(map(str, part))) if len(part) > 1 else str(part[0]) for part in tree]
    return f"({','.join(parts)})"


def of_cute(case):
    extents = [1] * len(case["shape"])
    for r, part in enumerate(case["shape"]):
        for extent in part:
            extents[r] *= extent
    return formats.cute(extents, f"{written(case['shape'])}:{written(case['stride'])}")


@pytest.mark.parametrize("case", NESTED, ids=name_of)
def test_a_nested_layout_is_that_of_pycute(case):
    assert list(of_cute(case).offsets()) == case["offsets"]


@pytest.mark.parametrize("case", SWIZZLED, ids=name_of)
def test_a_swizzle_is_that_of_pycute(case):
    flat, strides = (tuple(part for (part,) in case[key]) for key in ("shape", "stride"))
    layout = LayoutSwizzled(LayoutStride(strides), *case["swizzle"])
    assert list(Mapping(flat, layout).offsets()) == case["offsets"]


@pytest.mark.parametrize("case", [case for case in SWIZZLED if case["swizzle"] == [3, 3, 3]], ids=name_of)
def test_rows_of_128_bytes_have_the_swizzle_3_3_3(case):
    rows, columns = (part for (part,) in case["shape"])
    if columns == 64:
        assert list(formats.tma_swizzle((rows, 64), 2).offsets()) == case["offsets"]


TABLES = {
    "(4,2):(1,4)": [[0, 4], [1, 5], [2, 6], [3, 7]],
    "(4,2):(2,1)": [[0, 1], [2, 3], [4, 5], [6, 7]],
    "(2,(2,2)):(4,(1,2))": [[0, 1, 2, 3], [4, 5, 6, 7]],
    "(2,4):(1,2)": [[0, 2, 4, 6], [1, 3, 5, 7]],
    "(2,4):(12,1)": [[0, 1, 2, 3], [12, 13, 14, 15]],
    "(2,(2,2)):(4,(2,1))": [[0, 2, 1, 3], [4, 6, 5, 7]],
    "((2,2),2):((4,1),2)": [[0, 2], [4, 6], [1, 3], [5, 7]],
}


@pytest.mark.parametrize("layout", TABLES)
def test_cute_prints_the_same_tables(layout):
    """NVIDIA CUTLASS, *CuTe Layouts*, "Using a Layout" and "Matrix examples"."""
    table = TABLES[layout]
    found = formats.cute((len(table), len(table[0])), layout)
    assert [[found(i, j) for j in range(found.extent(1))] for i in range(found.extent(0))] == table
    assert parse(f"cute('{layout}') {tuple(found.extents)}") == found


def test_other_extents_are_refused():
    with pytest.raises(ValueError, match=r"has extents \(4, 2\), got \(2, 4\)"):
        formats.cute((2, 4), "(4,2):(1,4)")


@pytest.mark.parametrize("case", RECORDED, ids=name_of)
def test_the_library_that_is_installed_answers_as_recorded(case):
    library = pytest.importorskip("pycute", reason="pycute is not installed (PyPI: nvidia-cutlass)")
    assert offsets(library, case) == case["offsets"]
