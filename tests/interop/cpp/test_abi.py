"""Objects of mdspan byte for byte: what implementations were found to keep, and what the names of ABIs say."""

import ctypes
import json
import re
from pathlib import Path

import pytest

from mdview.errors import CppTypeError, OperandError
from mdview.interop import cpp
from mdview.interop.cpp.abi import structure
from mdview.interop.cpp.abi_checks import _example
from mdview.interop.cpp.number_types import index_of
from mdview.interop.cpp.parsing import parse

CASES = json.loads(
    (Path(__file__).parents[2] / "conformance" / "data" / "algebra" / "abi.json").read_text(encoding="utf-8")
)["cases"]
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
        assert_bytes(structure(parse(type_of(case)).type, abi), case["out"]["fields"])


def assert_bytes(struct, fields):
    """Numbers set by name lie where the fact has their bytes."""
    made, expected = struct(), bytearray(ctypes.sizeof(struct))
    for field in fields:
        value = int(str(field["example_value"]), 0)
        setattr(made, re.sub(r"\[(\d+)\]", r"_\1", field["name"]), value)
        end = field["offset"] + field["size"]
        expected[field["offset"] : end] = value.to_bytes(field["size"], "little", signed=value < 0)
    assert bytes(made) == bytes(expected)


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


@pytest.mark.parametrize("abi", ["libc++", "libstdc++", "cccl", "kokkos"])
@pytest.mark.parametrize("order", ["left", "right"])
def test_a_padded_layout_has_no_representation(abi, order):
    with pytest.raises(CppTypeError, match=rf"no ABI fixes how layout_{order}_padded is kept; pass the view as 'port"):
        cpp.representation(f"std::mdspan<float, std::dims<2>, std::layout_{order}_padded<4>>", abi)


@pytest.mark.parametrize("abi", ["libc++", "libstdc++", "kokkos"])
def test_a_relaxed_layout_is_of_cccl_alone(abi):
    with pytest.raises(CppTypeError, match=re.escape(f"{abi} has no layout_stride_relaxed: only cccl does")):
        cpp.representation("cuda::std::mdspan<float, cuda::std::dims<2>, cuda::layout_stride_relaxed>", abi)


@pytest.mark.parametrize("abi", ["msvc", None, "portable", 3])
def test_an_unknown_abi_is_refused(abi):
    with pytest.raises((TypeError, ValueError), match="abi must be one of 'libc\\+\\+'"):
        cpp.representation("std::mdspan<float, std::dims<2>>", abi)


@pytest.mark.parametrize("target", [None, "probe", print, 1, ctypes.CFUNCTYPE(None)()])
def test_a_probe_is_a_function_of_a_library(target):
    with pytest.raises(OperandError, match=r"a C\+\+ function is one of a library, ctypes\.CDLL"):
        cpp.check_abi(target, "std::mdspan<float, std::dims<2>>", "libc++")


@pytest.mark.parametrize("layout", ["layout_right", "layout_left", "layout_stride", "layout_stride_relaxed"])
@pytest.mark.parametrize("index", ["std::int8_t", "std::uint8_t", "std::int16_t", "std::uint64_t"])
@pytest.mark.parametrize("rank", [0, 1, 2, 3, 4, 7, 24])
def test_the_object_that_a_probe_makes_has_numbers_of_the_index_type(index, rank, layout):
    found = parse(f"cuda::std::mdspan<float, cuda::std::dims<{rank}, {index}>, cuda::std::{layout}>").type
    example = _example(found)
    most = (1 << 8 * index_of(index)[0] - 1) - 1
    extents, strides = list(example.extents)[:rank], list(example.strides)[:rank]
    span = sum((e - 1) * s for e, s in zip(extents, strides, strict=True))
    assert all(0 < number <= most for number in (*extents, *strides, span + 1))
    assert example.offset <= most
    if rank < 3:
        assert len({*extents, *strides}) >= (2 * rank if "stride" in layout else rank)


def test_a_mapping_has_no_representation():
    with pytest.raises(CppTypeError, match="is a mapping; a representation is that of a view"):
        cpp.representation("std::layout_left::mapping<std::dims<2>>", "libc++")
