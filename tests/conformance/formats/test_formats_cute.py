"""Nested layouts and swizzles of CuTe: what pycute answered, recorded and asked again where it is installed."""

import pytest
from named import cute, mapping
from pycute_library import offsets
from recorded import cases

from mdview import LayoutStride, LayoutSwizzled, Mapping

RECORDED = cases("formats/pycute")
NESTED = [case for case in RECORDED if case["swizzle"] is None]
SWIZZLED = [case for case in RECORDED if case["swizzle"] is not None]


def name_of(case):
    return f"{case['swizzle'] or ''}{case['shape']}:{case['stride']}".replace(" ", "")


@pytest.mark.parametrize("case", NESTED, ids=name_of)
def test_a_nested_layout_is_that_of_pycute(case):
    assert list(cute(case["shape"], case["stride"]).offsets()) == case["offsets"]


@pytest.mark.parametrize("case", SWIZZLED, ids=name_of)
def test_a_swizzle_is_that_of_pycute(case):
    flat, strides = (tuple(part for (part,) in case[key]) for key in ("shape", "stride"))
    layout = LayoutSwizzled(LayoutStride(strides), *case["swizzle"])
    assert list(Mapping(flat, layout).offsets()) == case["offsets"]


@pytest.mark.parametrize("case", [case for case in SWIZZLED if case["swizzle"] == [3, 3, 3]], ids=name_of)
def test_the_expression_of_the_page_is_the_swizzle_3_3_3(case):
    flat = tuple(part for (part,) in case["shape"])
    assert list(mapping("Swizzle<3,3,3>", flat).offsets()) == case["offsets"]


@pytest.mark.parametrize("case", RECORDED, ids=name_of)
def test_the_library_that_is_installed_answers_as_recorded(case):
    library = pytest.importorskip("pycute", reason="pycute is not installed (PyPI: nvidia-cutlass)")
    assert offsets(library, case) == case["offsets"]
