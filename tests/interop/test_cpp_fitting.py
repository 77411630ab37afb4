"""Which mappings a padded mdspan type takes, and the numbers that it holds; no library here has such types."""

import ctypes
from array import array

import pytest

import mdview as md
from mdview.errors import ConversionError, StrideError
from mdview.interop import cpp

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
