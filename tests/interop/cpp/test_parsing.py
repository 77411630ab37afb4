"""Texts of C++ types are read however they are written, and errors tell the position and the rule."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview.errors import CppTypeError
from mdview.interop import cpp
from mdview.interop.cpp.parsing import parse
from mdview.interop.cpp.type_values import CppType

PLAIN = CppType("std", "float", False, "int", (3, None), "layout_left")


@pytest.mark.parametrize(
    "text",
    [
        "std::mdspan<float, std::extents<int, 3, std::dynamic_extent>, std::layout_left>",
        "std::mdspan<float,std::extents<int,3,std::dynamic_extent>,std::layout_left,std::default_accessor<float>>",
        "  ::std::mdspan <float ,\n std::extents< int, 3u, std::size_t(-1) > , // the layout\n std::layout_left >",
        "std::mdspan<float, std::extents<int, 0x3, 18446744073709551615>, std::layout_left>",
        "std::mdspan<float, std::extents<int, 0b11, 18'446'744'073'709'551'615ULL>, std::layout_left>",
        "std::mdspan<float, std::extents<int, 03, -1>, std::layout_left>",
        "std::mdspan<float, std::extents<int, 3zu, (std::size_t)-1>, std::layout_left>",
        "std::mdspan<float, std::extents<int, (3), static_cast<std::size_t>(-1)>, std::layout_left>",
        "std::mdspan<float, std::extents<int, 3, std::numeric_limits<std::size_t>::max()>, std::layout_left>",
        "typename std::mdspan<float, class std::extents<int, 3, ~std::size_t(0)>, /* C's */ std::layout_left>",
    ],
)
def test_spellings_of_one_type_are_one(text):
    assert parse(text) == (PLAIN, "")


@pytest.mark.parametrize(
    ("text", "extents", "index"),
    [
        ("std::dextents<int, 2>", (None, None), "int"),
        ("std::dims<2>", (None, None), "std::size_t"),
        ("std::dims<3, unsigned short>", (None, None, None), "unsigned short"),
        ("std::extents<unsigned long long int>", (), "unsigned long long int"),
        ("cuda::std::extents<cuda::std::int8_t, 127, 0>", (127, 0), "cuda::std::int8_t"),
    ],
)
def test_aliases_of_extents(text, extents, index):
    found = parse(f"std::mdspan<double, {text}>").type
    assert (found.extents, found.index, found.layout) == (extents, index, "layout_right")


@pytest.mark.parametrize("qualified", ["const float", "float const", "const  volatile float"])
def test_const_elements(qualified):
    assert parse(f"std::mdspan<{qualified}, std::dims<1>>").type.is_const


@pytest.mark.parametrize(("mark", "is_const"), [("*", True), ("&", True), ("&&", False), (" const &", False)])
def test_what_follows_a_type(mark, is_const):
    text = f"{'const ' if is_const else ''}std::mdspan<float, std::dims<1>>{mark}"
    assert parse(text).marks == mark.strip("const ").strip()
    assert not parse(text).type.is_const


@pytest.mark.parametrize("namespace", ["std", "cuda::std", "Kokkos", "std::experimental", "my::md"])
def test_namespaces_are_kept(namespace):
    assert parse(f"{namespace}::mdspan<int, {namespace}::dims<1>>").type.namespace == namespace


def test_accessors():
    read = lambda text: parse(f"std::mdspan<const int, std::dims<1>, std::layout_right, {text}>").type  # noqa: E731
    assert (
        read("std::aligned_accessor<const int, 64>").accessor,
        read("std::aligned_accessor<const int, 64>").alignment,
    ) == (
        "aligned_accessor",
        64,
    )
    assert read("cuda::restrict_accessor<cuda::std::default_accessor<const int>>").accessor == "restrict_accessor"
    assert parse("cuda::restrict_mdspan<int, cuda::std::dims<1>>").type.accessor == "restrict_accessor"


@pytest.mark.parametrize(
    ("element", "again"),
    [("unsigned", "unsigned int"), ("long long", "signed long long int"), ("std::int8_t", "int8_t"), ("int", "signed")],
)
def test_an_accessor_may_spell_the_element_in_another_way(element, again):
    text = f"std::mdspan<{element}, std::dims<1>, std::layout_left, std::default_accessor<{again}>>"
    assert parse(text).type.element == element


@pytest.mark.parametrize("extents", ["16, 7", "16, 8, 0", "16, std::dynamic_extent, 16"])
def test_an_index_type_counts_the_indices_of_static_extents(extents):
    assert parse(f"std::mdspan<int, std::extents<std::int8_t, {extents}>>").type.index == "std::int8_t"


WRONG = {
    "": (0, "a name is expected, 'the end' found"),
    "std::vector<int>": (0, "mdspan<...> or layout::mapping<...> is expected, 'std::vector' found"),
    "std::mdspan<int>": (0, "std::mdspan takes 2 to 4 template arguments, 1 given"),
    "std::mdspan<int, std::dims<2>": (29, "'>' is expected, 'the end' found"),
    "std::mdspan<int, std::dims<2>>>": (30, "nothing may follow, '>' found"),
    "std::mdspan<int, std::extents<int, n>>": (35, "a static extent or dynamic_extent is expected, 'n' found"),
    "std::mdspan<int, std::extents<float, 3>>": (30, "an index type is a signed or unsigned integer"),
    "std::mdspan<int, std::extents<bool, 3>>": (30, "an index type is a signed or unsigned integer"),
    "std::mdspan<int, std::extents<std::int8_t, 128>>": (43, "a static extent of std::int8_t is from 0 to 127"),
    "std::mdspan<int, std::extents<int, -2>>": (35, "a static extent of int is from 0 to 2147483647, -2 found"),
    "std::mdspan<int, std::extents<int, 3x>>": (35, "a number is expected, '3x' found"),
    "std::mdspan<int, std::extents<int, 08>>": (35, "a number is expected, '08' found"),
    "std::mdspan<int, std::dims<-1>>": (27, "a rank from 0 to 64 is expected, '-1' found"),
    "std::mdspan<int, int>": (17, "dims<rank> is expected, 'int' found"),
    "std::mdspan<int, std::dims<2>, std::layout_tiled<2>>": (31, "a layout is one of layout_right, layout_left"),
    "std::mdspan<int, std::dims<2>, std::layout_left<2>>": (31, "layout_left takes no template arguments"),
    "std::mdspan<int, std::dims<2>, std::layout_left, std::atomic_accessor<int>>": (49, "an accessor is one of"),
    "std::mdspan<int, std::dims<2>, std::layout_left, std::default_accessor<const int>>": (
        77,
        "elements of 'const int', the view of 'int'",
    ),
    "std::mdspan<int, std::dims<2>, std::layout_left, std::aligned_accessor<int, 3>>": (76, "an alignment is a power"),
    "std::mdspan<int*, std::dims<2>>": (12, "an element type is expected, no number, pointer or reference"),
    "std::mdspan<3, std::dims<2>>": (12, "an element type is expected"),
    "std::mdspan<int; std::dims<2>>": (15, "';' is no part of a type"),
    "std::mdspan<int, std::dims<2>>**": (31, "one of *, & and && follows a type at most, '**' found"),
    "std::mdspan<int, std::dims<2>> * const&": (38, "one of *, & and && follows a type at most, '*&' found"),
    "std::mdspan<int, std::extents<int, 3lul>>": (35, "a number is expected, '3lul' found"),
    "std::mdspan<int, std::extents<int int, 3>>": (30, "an index type is a signed or unsigned integer"),
    "std::mdspan<int, std::extents<signed unsigned, 3>>": (30, "an index type is a signed or unsigned integer"),
    "std::mdspan<int, std::extents<short long, 3>>": (30, "an index type is a signed or unsigned integer"),
    "std::mdspan<int, std::extents<char int, 3>>": (30, "an index type is a signed or unsigned integer"),
    "std::mdspan<int, std::extents<std::int, 3>>": (30, "an index type is a signed or unsigned integer"),
    "std::mdspan<int, std::extents<std::int8_t, 16, 8>>": (
        17,
        "static extents have at most 127 indices, as std::int8_t counts them, 128 found",
    ),
    "std::layout_left::mapping<std::extents<int, 65536, 32768>>": (26, "at most 2147483647 indices"),
    "std::mdspan<int, std::dims<2, std::int8_t>, std::layout_left_padded<300>>": (
        68,
        "a static padding of std::int8_t is from 0 to 127, 300 found",
    ),
    "mapping<std::dims<2>>": (0, "the layout of the mapping is missing"),
    "std::mdspan<" * 40: (384, "types are nested deeper than 32 levels"),
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_text_is_refused_with_position_and_rule(text):
    at, rule = WRONG[text]
    with pytest.raises(CppTypeError, match=re.escape(f"at position {at}, ") + ".*" + re.escape(rule)):
        parse(text)


@pytest.mark.parametrize("given_", [None, 3, b"std::mdspan<int, std::dims<2>>"])
def test_what_is_no_text_is_refused(given_):
    with pytest.raises(TypeError, match="a C\\+\\+ type must be a text"):
        cpp.mapping_from_cpp(given_)


WORDS = ["std", "::", "mdspan", "<", ">", ",", "(", ")", "3", "-1", "int", "const", "extents", "*", "mapping", "dims"]


@given(st.lists(st.sampled_from([*WORDS, "layout_left"])))
def test_any_words_are_read_or_refused(words):
    try:
        found = parse(" ".join(words)).type
    except CppTypeError:
        return
    assert parse(str(found)).type == found


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    with pytest.raises(CppTypeError):
        parse(text)
