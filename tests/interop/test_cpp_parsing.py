"""Texts of C++ types are read however they are written, and errors tell the position and the rule."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mdview as md
from mdview.errors import CppTypeError
from mdview.interop import cpp


def read(text, *extents):
    """The elements and the mapping of a type."""
    return cpp.element_format(text), repr(cpp.mapping_from_cpp(text, *extents))


@pytest.mark.parametrize(
    "text",
    [
        "std::mdspan<float, std::extents<int, 3, std::dynamic_extent>, std::layout_left>",
        "std::mdspan<float,std::extents<int,3,std::dynamic_extent>,std::layout_left,std::default_accessor<float>>",
        "  ::std::mdspan <float ,\n std::extents< int, 3u, -1 > , // the layout\n std::layout_left >",
        "std::mdspan<float, std::extents<int, 0x3, 18446744073709551615>, std::layout_left>",
        "std::mdspan<float, std::extents<int, 0b11, 18'446'744'073'709'551'615ULL>, std::layout_left>",
        "typename std::mdspan<float, class std::extents<int, 3zu, std::dynamic_extent>, /* C's */ std::layout_left>",
    ],
)
def test_spellings_of_one_type_are_one(text):
    assert read(text, 5) == ("f", repr(md.Mapping((md.dim(3), 5), md.LayoutLeft())))


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
    given = [2] * extents.count(None)
    found = cpp.mapping_from_cpp(f"std::mdspan<double, {text}>", *given)
    assert (found.static_extents, found.layout) == (extents, md.LayoutRight())
    most = {"int": 2**31 - 1, "unsigned short": 2**16 - 1}.get(index)
    if most and given:
        with pytest.raises(CppTypeError, match=str(most)):
            cpp.mapping_from_cpp(f"std::mdspan<double, {text}>", most + 1, *given[1:])


@pytest.mark.parametrize("qualified", ["const float", "float const", "const  volatile float"])
def test_const_elements(qualified):
    view = cpp.view_from_cpp(f"std::mdspan<{qualified}, std::dims<1>>", bytearray(8), 2)
    assert view.accessor == md.ReadOnlyAccessor(md.DefaultAccessor())


@pytest.mark.parametrize("mark", ["*", "&", "&&", " const &"])
def test_what_follows_a_type(mark):
    assert read(f"const std::mdspan<float, std::dims<1>>{mark}", 3) == ("f", repr(md.Mapping((3,))))


@pytest.mark.parametrize("namespace", ["std", "cuda::std", "Kokkos", "std::experimental", "my::md"])
def test_any_namespace_is_read(namespace):
    assert read(f"{namespace}::mdspan<int, {namespace}::dims<1>>", 3) == ("i", repr(md.Mapping((3,))))


ACCESSORS = {
    "std::aligned_accessor<const int, 64>": md.accessors.AlignedAccessor(64),
    "cuda::restrict_accessor<cuda::std::default_accessor<const int>>": md.accessors.RestrictAccessor(),
}


@pytest.mark.parametrize("text", ACCESSORS)
def test_accessors(text):
    whole = f"std::mdspan<const int, std::dims<1>, std::layout_right, {text}>"
    data = np.zeros(64, "i")
    begin = -data.ctypes.data % 64 // 4
    assert cpp.view_from_cpp(whole, data[begin:], 2).accessor == md.ReadOnlyAccessor(ACCESSORS[text])


@pytest.mark.parametrize(
    ("element", "again"),
    [("unsigned", "unsigned int"), ("long long", "signed long long int"), ("std::int8_t", "int8_t"), ("int", "signed")],
)
def test_an_accessor_may_spell_the_element_in_another_way(element, again):
    text = f"std::mdspan<{element}, std::dims<1>, std::layout_left, std::default_accessor<{again}>>"
    assert cpp.element_format(text) == cpp.element_format(text.replace(again, element))


@pytest.mark.parametrize("extents", ["16, 7", "16, 8, 0", "16, std::dynamic_extent, 16"])
def test_an_index_type_counts_the_indices_of_static_extents(extents):
    assert cpp.mapping_from_cpp(f"std::mdspan<int, std::extents<std::int8_t, {extents}>>").extents[0] == 16


WRONG = {
    "": 0,
    "std::vector<int>": 0,
    "std::mdspan<int>": 0,
    "std::mdspan<int, std::dims<2>": 29,
    "std::mdspan<int, std::dims<2>>>": 30,
    "std::mdspan<int, std::extents<int, n>>": 35,
    "std::mdspan<int, std::extents<float, 3>>": 30,
    "std::mdspan<int, std::extents<bool, 3>>": 30,
    "std::mdspan<int, std::extents<std::int8_t, 128>>": 43,
    "std::mdspan<int, std::extents<int, -2>>": 35,
    "std::mdspan<int, std::extents<int, 3x>>": 35,
    "std::mdspan<int, std::extents<int, 08>>": 35,
    "std::mdspan<int, std::extents<int, (3)>>": 35,
    "std::mdspan<int, std::extents<int, int(3)>>": 38,
    "std::mdspan<int, std::dims<-1>>": 27,
    "std::mdspan<int, int>": 17,
    "std::mdspan<int, std::dims<2>, std::layout_tiled<2>>": 31,
    "std::mdspan<int, std::dims<2>, std::layout_left<2>>": 31,
    "std::mdspan<int, std::dims<2>, std::layout_left, std::atomic_accessor<int>>": 49,
    "std::mdspan<int, std::dims<2>, std::layout_left, std::default_accessor<const int>>": 77,
    "std::mdspan<int, std::dims<2>, std::layout_left, std::aligned_accessor<int, 3>>": 76,
    "std::mdspan<int*, std::dims<2>>": 15,
    "std::mdspan<3, std::dims<2>>": 12,
    "std::mdspan<int; std::dims<2>>": 15,
    "std::mdspan<int, std::dims<2>>**": 31,
    "std::mdspan<int, std::dims<2>> * const&": 38,
    "std::mdspan<int, std::extents<int, 03>>": 35,
    "std::mdspan<int, std::extents<int int, 3>>": 30,
    "std::mdspan<int, std::extents<signed unsigned, 3>>": 30,
    "std::mdspan<int, std::extents<short long, 3>>": 30,
    "std::mdspan<int, std::extents<char int, 3>>": 30,
    "std::mdspan<int, std::extents<std::int, 3>>": 30,
    "std::mdspan<int, std::extents<std::int8_t, 16, 8>>": 17,
    "std::layout_left::mapping<std::extents<int, 65536, 32768>>": 26,
    "std::mdspan<int, std::dims<2, std::int8_t>, std::layout_left_padded<300>>": 68,
    "mapping<std::dims<2>>": 0,
    "std::mdspan<" * 40: 384,
}
"""At which position the first error lies."""


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_text_is_refused_with_its_position(text):
    with pytest.raises(CppTypeError, match=f"at position {WRONG[text]}, "):
        cpp.mapping_from_cpp(text)


WORDS = ["std", "::", "mdspan", "<", ">", ",", "(", ")", "3", "-1", "int", "const", "extents", "*", "mapping", "dims"]


@given(st.lists(st.sampled_from([*WORDS, "layout_left"])))
def test_any_words_are_read_or_refused(words):
    try:
        found = cpp.mapping_from_cpp(" ".join(words))
    except CppTypeError:
        return
    assert cpp.mapping_from_cpp(cpp.cpp_type(found)) == found


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    with pytest.raises(CppTypeError):
        cpp.mapping_from_cpp(text)
