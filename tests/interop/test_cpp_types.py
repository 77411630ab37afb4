"""The C++ types of views and mappings, and what such a type says of a mapping or a view."""

from array import array

import pytest

import mdview as md
from mdview.errors import BufferFormatError, BufferSizeError, CppTypeError, NullViewError, RankError, StrideError
from mdview.interop import cpp

DOUBLES = array("d", range(64))


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (md.LayoutRight(), "std::layout_right"),
        (md.LayoutLeft(), "std::layout_left"),
        (md.LayoutStride((5, 1)), "std::layout_stride"),
        (md.LayoutRightPadded(md.dim(8)), "std::layout_right_padded<8>"),
        (md.LayoutRightPadded(8), "std::layout_right_padded<std::dynamic_extent>"),
        (md.LayoutRightPadded(), "std::layout_right_padded<std::dynamic_extent>"),
        (md.LayoutLeftPadded(md.dim(4)), "std::layout_left_padded<4>"),
        (md.LayoutLeftPadded(4), "std::layout_left_padded<std::dynamic_extent>"),
        (md.LayoutTranspose(md.LayoutLeft()), "std::layout_right"),
    ],
)
def test_the_type_of_a_view_and_of_its_mapping(layout, text):
    view = md.MDView(DOUBLES, (md.dim(3), 4), layout)
    extents = "std::extents<std::int64_t, 3, std::dynamic_extent>"
    assert cpp.cpp_type(view) == f"std::mdspan<double, {extents}, {text}>"
    assert cpp.cpp_type(view.mapping) == f"{text}::mapping<{extents}>"


@pytest.mark.parametrize(
    "change", [lambda v: v[::-1], lambda v: v[:, ::-2], lambda v: md.broadcast_to(v[0], (3, 4)), lambda v: v[::-1, 1:]]
)
def test_strides_that_only_cccl_has_are_of_its_type(change):
    view = change(md.MDView(DOUBLES, (3, 4)))
    assert cpp.cpp_type(view) == (
        "cuda::std::mdspan<double, cuda::std::extents<std::int64_t, cuda::std::dynamic_extent, "
        "cuda::std::dynamic_extent>, cuda::layout_stride_relaxed>"
    )
    for namespace in ("std", "Kokkos"):
        with pytest.raises(CppTypeError, match=f"{namespace} has no layout_stride_relaxed; .* namespace='cuda::std'"):
            cpp.cpp_type(view, namespace=namespace)


@pytest.mark.parametrize(
    "layout",
    [
        md.LayoutTiled(2, 2),
        md.LayoutMorton(),
        md.LayoutBlasPacked("upper", "column"),
        md.LayoutTranspose(md.LayoutTiled(2, 2)),
    ],
)
def test_a_layout_without_strides_is_refused_with_the_way_out(layout):
    with pytest.raises(CppTypeError, match=r"C\+\+ has no layout type for Layout.*to_c.*relayout"):
        cpp.cpp_type(md.Mapping((4, 4), layout))


@pytest.mark.parametrize("accessor", [md.ScaledAccessor(2.0), md.AtomicAccessor(), md.RandomAccessAccessor()])
@pytest.mark.parametrize("wrap", [lambda a: a, md.ReadOnlyAccessor])
def test_an_accessor_without_namesake_is_refused_by_name(accessor, wrap):
    with pytest.raises(CppTypeError, match=rf"no accessor type for .*{type(accessor).__name__}"):
        cpp.cpp_type(md.MDView(DOUBLES, (2, 3), md.LayoutRight(), wrap(accessor)))


def test_accessors_and_const():
    def spelt(accessor, data=DOUBLES):
        return cpp.cpp_type(md.MDView(data, (), md.LayoutRight(), accessor)).removeprefix("std::mdspan<")

    assert spelt(md.CheckedAccessor()).startswith("double, ")
    assert spelt(md.ReadOnlyAccessor()).startswith("const double, ")
    assert cpp.cpp_type(md.readonly(md.MDView(DOUBLES, ()))).startswith("std::mdspan<const double")
    assert cpp.cpp_type(md.MDView(bytes(4), (), md.LayoutRight(), md.ReadOnlyAccessor())).startswith(
        "std::mdspan<const std::uint8_t"
    )
    assert spelt(md.AlignedAccessor(8)).endswith("std::layout_right, std::aligned_accessor<double, 8>>")
    assert spelt(md.RestrictAccessor()).endswith("cuda::restrict_accessor<cuda::std::default_accessor<double>>>")
    assert "const double, 8" in spelt(md.ReadOnlyAccessor(md.AlignedAccessor(8)))


@pytest.mark.parametrize(
    ("letter", "text"),
    [*zip("bBhHiIqQfd", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"], strict=False)],
)
def test_elements(letter, text):
    assert cpp.cpp_type(md.MDView(array(letter, [1]), ())).startswith(f"std::mdspan<std::{text}_t")


def test_elements_that_cpp_does_not_have_are_refused():
    with pytest.raises(BufferFormatError, match="Python objects are no C\\+\\+ numbers"):
        cpp.cpp_type(md.MDView([1, 2], (2,)))
    with pytest.raises(BufferFormatError, match="format '>d' are no C"):
        cpp.cpp_type(md.bitcast(md.MDView(bytearray(16), (16,)), ">d"))
    with pytest.raises(NullViewError):
        cpp.cpp_type(md.MDView(None, (2,)))


def test_the_index_type_holds_the_extents():
    assert "int8_t, 127" in cpp.cpp_type(md.Mapping((md.dim(127),)), index="std::int8_t")
    with pytest.raises(CppTypeError, match="extent 128 of dimension 1 is greater than std::int8_t holds, 127"):
        cpp.cpp_type(md.Mapping((1, 128)), index="std::int8_t")
    with pytest.raises(CppTypeError, match="an index type is a signed or unsigned integer"):
        cpp.cpp_type(md.Mapping((1,)), index="double")


MAPPINGS = [
    md.Mapping(extents, layout)
    for extents in ((3, 4), (md.dim(3), 4), (md.dim(3), md.dim(4)), (0, md.dim(4)), (1, 1))
    for layout in (
        md.LayoutRight(),
        md.LayoutLeft(),
        md.LayoutRightPadded(md.dim(8)),
        md.LayoutRightPadded(6),
        md.LayoutRightPadded(),
        md.LayoutLeftPadded(md.dim(8)),
        md.LayoutLeftPadded(7),
        md.LayoutStride((20, 3)),
        md.LayoutStrideRelaxed((-4, 1), offset=8),
        md.LayoutStrideRelaxed((0, 1), offset=0),
        md.LayoutStrideRelaxed((2, 2), offset=3),
    )
]


@pytest.mark.parametrize(
    "mapping", [*MAPPINGS, md.Mapping(()), md.Mapping((), md.LayoutStrideRelaxed((), offset=3))], ids=repr
)
@pytest.mark.parametrize("namespace", [None, "std", "cuda::std", "Kokkos"])
def test_a_mapping_comes_back_from_its_type_and_numbers(mapping, namespace):
    try:
        text = cpp.cpp_type(mapping, namespace=namespace)
    except CppTypeError:
        assert namespace is not None
        return
    dynamic = [e for e, s in zip(mapping.extents, mapping.static_extents, strict=True) if s is None]
    for extents in (dynamic, mapping.extents):
        found = cpp.mapping_from_cpp(text, *extents, strides=mapping.strides, offset=mapping.origin)
        assert found == mapping
        assert found.static_extents == mapping.static_extents
        assert cpp.cpp_type(found, namespace=namespace) == text


def test_without_numbers_a_mapping_is_as_cpp_makes_it():
    spelt = "std::mdspan<float, std::extents<int, 3, std::dynamic_extent>, std::layout_{}>".format
    assert cpp.mapping_from_cpp(spelt("left")) == md.Mapping((md.dim(3), 0), md.LayoutLeft())
    assert cpp.mapping_from_cpp(spelt("stride")).extents == (3, 0)
    assert cpp.mapping_from_cpp("std::layout_stride::mapping<std::extents<int, 3, 4>>").strides == (4, 1)
    assert cpp.mapping_from_cpp("std::mdspan<int, std::dims<2>>").extents == (0, 0)


def test_numbers_that_do_not_fit_the_type_are_refused():
    spelt = "std::mdspan<float, std::extents<std::int8_t, 3, std::dynamic_extent>, std::layout_{}>".format
    with pytest.raises(RankError, match="has 1 dynamic extent of 2 dimensions, 3 extents given"):
        cpp.mapping_from_cpp(spelt("left"), 3, 4, 5)
    with pytest.raises(CppTypeError, match="extent 4 of dimension 0 is not the static extent 3"):
        cpp.mapping_from_cpp(spelt("left"), 4, 4)
    with pytest.raises(CppTypeError, match="extent 128 is greater than std::int8_t can hold, 127"):
        cpp.mapping_from_cpp(spelt("left"), 128)
    with pytest.raises(StrideError, match=r"layout_stride does not tell its strides; say them: strides="):
        cpp.mapping_from_cpp(spelt("stride"), 4)
    with pytest.raises(StrideError, match=r"strides \(4, 1\) are not those of layout_left, \(1, 3\)"):
        cpp.mapping_from_cpp(spelt("left"), 4, strides=(4, 1))
    with pytest.raises(StrideError, match="offset 2 is given, and layout_left has none"):
        cpp.mapping_from_cpp(spelt("left"), 4, offset=2)
    with pytest.raises(RankError, match="has 2 dimensions, 1 stride given"):
        cpp.mapping_from_cpp(spelt("stride"), 4, strides=(1,))
    with pytest.raises(StrideError):
        cpp.mapping_from_cpp(spelt("stride"), 4, strides=(-4, 1))


def test_a_mapping_that_the_index_type_does_not_count_is_refused_both_ways():
    text = "std::mdspan<float, std::dims<2, std::int8_t>, std::layout_{}>"
    with pytest.raises(
        CppTypeError, match=r"the span 400 over extents \(20, 20\) is greater than std::int8_t can hold"
    ):
        cpp.mapping_from_cpp(text.format("right"), 20, 20)
    with pytest.raises(CppTypeError, match=r"the stride 200 over extents \(1, 2\) is greater than std::int8_t can"):
        cpp.mapping_from_cpp(text.format("stride"), 1, 2, strides=(200, 1))
    assert cpp.mapping_from_cpp(text.format("right"), 0, 100).extents == (0, 100)
    for extents in ((20, 20), (md.dim(20), md.dim(20))):
        with pytest.raises(CppTypeError, match="the span of 400 elements is more than std::int8_t holds, 127; choose"):
            cpp.cpp_type(md.Mapping(extents), index="std::int8_t")
    assert "int8_t" in cpp.cpp_type(md.broadcast_to(md.Mapping((1, 1)), (100, 100)), index="std::int8_t")


@pytest.mark.parametrize("index", [3, None, b"int", "float", "const int", "int, 3>"])
def test_an_index_type_is_a_text_of_an_integer_type(index):
    with pytest.raises((TypeError, CppTypeError), match=r"an index type is a signed|index must be the text of an int"):
        cpp.cpp_type(md.Mapping((3,)), index=index)


def test_a_view_of_a_type():
    data = bytearray(96)
    view = cpp.view_from_cpp("std::mdspan<float, std::extents<int, 3, std::dynamic_extent>, std::layout_left>", data, 8)
    view[1, 2] = 5.0
    assert memoryview(data).cast("f")[7] == 5.0
    assert (view.format, view.static_extents) == ("f", (3, None))
    constant = cpp.view_from_cpp("std::mdspan<const double, std::dims<1>>", DOUBLES, 64)
    assert constant.accessor == md.ReadOnlyAccessor(md.DefaultAccessor())
    with pytest.raises(CppTypeError, match=r"the data has items of format 'd', .* has float"):
        cpp.view_from_cpp("std::mdspan<float, std::dims<1>>", DOUBLES, 4)
    with pytest.raises(BufferSizeError, match="the data has 90 bytes, no whole number of double, which has 8"):
        cpp.view_from_cpp("std::mdspan<const double, std::dims<1>>", bytes(90), 4)
    with pytest.raises((TypeError, ValueError)):
        cpp.view_from_cpp("std::layout_left::mapping<std::dims<1>>", DOUBLES, 4)


@pytest.mark.parametrize(
    ("element", "letter"),
    [
        ("float", "f"),
        ("const double", "d"),
        ("unsigned char", "B"),
        ("std::byte", "B"),
        ("long long int", "q"),
        ("unsigned", "I"),
        ("bool", "?"),
        ("char", "c"),
        ("std::complex<float>", "Zf"),
        ("cuda::std::complex<double>", "Zd"),
        ("std::size_t", "Q"),
        ("_Float16", "e"),
    ],
)
def test_the_format_of_elements(element, letter):
    assert cpp.element_format(f"std::mdspan<{element}, std::dims<1>>") == letter


def test_elements_of_a_class_have_no_format():
    with pytest.raises(CppTypeError, match="the element type 'my::Point' is no number that Python reads"):
        cpp.element_format("std::mdspan<my::Point, std::dims<1>>")
    assert cpp.mapping_from_cpp("std::mdspan<my::Point, std::dims<1>>", 3).extents == (3,)


def test_a_linear_layout_of_another_name_has_the_type_of_its_strides():
    mapping = md.Mapping((2, 2), md.LayoutTiled(2, 2))
    assert cpp.cpp_type(mapping).startswith("std::layout_right::mapping<")
