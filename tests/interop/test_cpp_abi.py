"""Objects of mdspan byte for byte: what implementations were found to keep, and what the names of ABIs say."""

import pytest
from recorded import cases

from mdview.interop import cpp

CASES = cases("algebra/abi")
ABIS = {"libcxx": "libc++", "cccl": "cccl", "kokkos": "kokkos"}


def type_of(case):
    given = case["in"]
    extents = given["extents"].strip("()").split(",") if given["extents"] != "()" else []
    numbers = ["std::dynamic_extent" if e.startswith("dyn") else e for e in extents]
    layout = "cuda::" if given["layout"].endswith("relaxed") else "std::"
    whole = ", ".join([f"std::{given['index_type']}_t", *numbers])
    return f"std::mdspan<double, std::extents<{whole}>, {layout}{given['layout']}>"


def test_there_are_as_many_facts_as_were_recorded():
    assert len(CASES) == 24


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_object_is_as_implementations_keep_it(case):
    for implementation in case["out"]["agreeing_implementations"]:
        abi = ABIS[implementation]
        made = cpp.representation(type_of(case), abi)
        assert (made.size, made.alignment) == (case["out"]["sizeof"], case["out"]["alignof"])
        assert [field._asdict() for field in made.fields] == [
            {key: field[key] for key in ("name", "offset", "size")} for field in case["out"]["fields"]
        ]


@pytest.mark.parametrize(
    ("text", "fields", "size"),
    [
        ("std::mdspan<float, std::dims<2, int>>", ["extent[0]", "extent[1]", "data"], 16),
        ("std::mdspan<float, std::extents<int, 3, 4>>", ["data"], 8),
        ("std::mdspan<float, std::dims<1, int>, std::layout_stride>", ["extent[0]", "stride[0]", "data"], 16),
        ("std::mdspan<float, std::dims<3, int>>", ["extent[0]", "extent[1]", "extent[2]", "data"], 24),
    ],
)
def test_libstdcxx_keeps_the_mapping_before_the_pointer(text, fields, size):
    made = cpp.representation(text, "libstdc++")
    assert ([field.name for field in made.fields], made.size) == (fields, size)
    assert made.fields[-1].offset == size - 8
