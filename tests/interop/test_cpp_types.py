"""C++ types of mappings: their texts, which views fit them, and how compilers lay them out."""

import ctypes
from array import array

import pytest
from recorded import cases

import mdview as md
from mdview.errors import ConversionError, CppTypeError, StrideError
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
        (md.layouts.LayoutTranspose(md.LayoutLeft()), "std::layout_right"),
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


def test_accessors_and_const():
    def spelt(accessor, data=DOUBLES):
        return cpp.cpp_type(md.MDView(data, (), md.LayoutRight(), accessor)).removeprefix("std::mdspan<")

    assert spelt(md.CheckedAccessor()).startswith("double, ")
    assert spelt(md.ReadOnlyAccessor()).startswith("const double, ")
    assert cpp.cpp_type(md.readonly(md.MDView(DOUBLES, ()))).startswith("std::mdspan<const double")
    assert cpp.cpp_type(md.MDView(bytes(4), (), md.LayoutRight(), md.ReadOnlyAccessor())).startswith(
        "std::mdspan<const std::uint8_t"
    )
    assert spelt(md.accessors.AlignedAccessor(8)).endswith("std::layout_right, std::aligned_accessor<double, 8>>")
    assert spelt(md.accessors.RestrictAccessor()).endswith(
        "cuda::restrict_accessor<cuda::std::default_accessor<double>>>"
    )
    assert "const double, 8" in spelt(md.ReadOnlyAccessor(md.accessors.AlignedAccessor(8)))


@pytest.mark.parametrize(
    ("letter", "text"),
    [*zip("bBhHiIqQfd", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"], strict=False)],
)
def test_elements(letter, text):
    assert cpp.cpp_type(md.MDView(array(letter, [1]), ())).startswith(f"std::mdspan<std::{text}_t")


def test_the_index_type_holds_the_extents():
    assert "int8_t, 127" in cpp.cpp_type(md.Mapping((md.dim(127),)), index="std::int8_t")
    assert cpp.mapping_from_cpp("std::mdspan<float, std::dims<2, std::int8_t>>", 0, 100).extents == (0, 100)
    assert "int8_t" in cpp.cpp_type(md.broadcast_to(md.Mapping((1, 1)), (100, 100)), index="std::int8_t")


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


def test_a_view_of_a_type():
    data = bytearray(96)
    view = cpp.view_from_cpp("std::mdspan<float, std::extents<int, 3, std::dynamic_extent>, std::layout_left>", data, 8)
    view[1, 2] = 5.0
    assert memoryview(data).cast("f")[7] == 5.0
    assert (view.format, view.static_extents) == ("f", (3, None))
    constant = cpp.view_from_cpp("std::mdspan<const double, std::dims<1>>", DOUBLES, 64)
    assert constant.accessor == md.ReadOnlyAccessor(md.DefaultAccessor())


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


def test_elements_of_a_class_have_extents():
    assert cpp.mapping_from_cpp("std::mdspan<my::Point, std::dims<1>>", 3).extents == (3,)


def test_a_linear_layout_of_another_name_has_the_type_of_its_strides():
    mapping = md.Mapping((2, 2), md.LayoutTiled(2, 2))
    assert cpp.cpp_type(mapping).startswith("std::layout_right::mapping<")


TEXT = "std::mdspan<float, std::dims<{}>, std::layout_{}_padded{}>"


def check(text, mapping, kind="f"):
    """Pass a view with a mapping to a function that says it takes views of a type, and looks at nothing."""
    data = array(kind, bytes(8 * max(1, mapping.required_span_size)))
    takes = cpp.function(ctypes.CDLL(None).abs, text, returns=ctypes.c_int, abi="portable")
    takes(md.MDView.from_mapping(data, mapping))


@pytest.mark.parametrize(
    ("side", "padding", "mapping"),
    [
        ("right", "", md.Mapping((3, 5), md.LayoutRightPadded(8))),
        ("right", "<8>", md.Mapping((3, 5), md.LayoutRightPadded(8))),
        ("right", "<8>", md.Mapping((3, 5), md.LayoutRightPadded(md.dim(8)))),
        ("right", "<4>", md.Mapping((3, 5), md.LayoutStride((8, 1)))),
        ("right", "", md.Mapping((3, 5), md.LayoutRight())),
        ("right", "<5>", md.Mapping((3, 5), md.LayoutRight())),
        ("right", "", md.Mapping((2, 3, 5), md.LayoutRightPadded(7))),
        ("left", "", md.Mapping((5, 3), md.LayoutLeftPadded(8))),
        ("left", "<8>", md.Mapping((5, 3), md.LayoutLeftPadded(8))),
        ("left", "", md.Mapping((5, 3), md.LayoutLeft())),
        ("left", "", md.Mapping((5, 3, 2), md.LayoutLeftPadded(7))),
    ],
)
def test_a_padded_type_takes_the_strides_that_its_padding_gives(side, padding, mapping):
    text = TEXT.format(mapping.rank, side, padding)
    check(text, mapping)
    assert cpp.mapping_from_cpp(text, *mapping.extents, strides=mapping.strides).strides == mapping.strides


@pytest.mark.parametrize("extents", [(), (5,), (0, 3), (3, 0), (1, 1)])
@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("padding", ["", "<4>"])
def test_strides_that_no_element_needs_are_those_of_the_type(extents, side, padding):
    layout = md.LayoutRight() if side == "right" else md.LayoutLeft()
    check(TEXT.format(len(extents), side, padding), md.Mapping(extents, layout))


@pytest.mark.parametrize(
    ("side", "padding", "mapping"),
    [
        ("right", "<4>", md.Mapping((3, 5), md.LayoutRight())),
        ("right", "<4>", md.Mapping((5, 1), md.LayoutRight())),
        ("right", "<8>", md.Mapping((3, 5), md.LayoutRightPadded(16))),
        ("right", "", md.Mapping((3, 5), md.LayoutLeft())),
        ("right", "", md.Mapping((3, 5), md.LayoutStride((10, 2)))),
        ("left", "<4>", md.Mapping((5, 3), md.LayoutLeft())),
        ("left", "", md.Mapping((5, 3), md.LayoutRight())),
    ],
)
def test_other_strides_are_refused(side, padding, mapping):
    with pytest.raises(StrideError, match=f"{side}_padded"):
        check(TEXT.format(2, side, padding), mapping)


@pytest.mark.parametrize(
    ("index", "mapping", "what"),
    [
        ("std::int8_t", md.Mapping((128,)), "extent 128 of dimension 0"),
        ("std::int8_t", md.Mapping((100, 2)), "the span of 200 elements"),
        ("std::int16_t", md.Mapping((2, 2), md.LayoutStride((40000, 1))), "stride 40000 of dimension 0"),
        ("std::uint8_t", md.Mapping((2, 200)), "the span of 400 elements"),
    ],
)
def test_numbers_that_the_index_type_cannot_hold_are_refused(index, mapping, what):
    text = f"std::mdspan<float, std::dims<{mapping.rank}, {index}>, std::layout_stride>"
    with pytest.raises(ConversionError, match=f"{what} is not from"):
        check(text, mapping)


def test_the_strides_of_a_relaxed_type_have_a_sign():
    text = "cuda::std::mdspan<float, cuda::std::dims<1, unsigned char>, cuda::layout_stride_relaxed>"
    check(text, md.Mapping((9,), md.LayoutStride((3,))))
    check(text, md.broadcast_to(md.Mapping((1,)), (200,)))
    with pytest.raises(ConversionError, match="stride 128 of dimension 0 is not from -128 to 127"):
        check(text, md.Mapping((2,), md.LayoutStride((128,))))


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
