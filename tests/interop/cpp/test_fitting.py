"""Which mappings a padded mdspan type takes, and the numbers that it holds; no library here has such types."""

import pytest

from mdview import (
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    Mapping,
    broadcast_to,
    dim,
)
from mdview.errors import ConversionError, StrideError
from mdview.interop.cpp.fitting import fit
from mdview.interop.cpp.parsing import parse

TEXT = "std::mdspan<float, std::dims<{}>, std::layout_{}_padded{}>"


def numbers(text, mapping):
    return fit(parse(text).type, mapping)


@pytest.mark.parametrize(
    ("side", "padding", "mapping"),
    [
        ("right", "", Mapping((3, 5), LayoutRightPadded(8))),
        ("right", "<8>", Mapping((3, 5), LayoutRightPadded(8))),
        ("right", "<8>", Mapping((3, 5), LayoutRightPadded(dim(8)))),
        ("right", "<4>", Mapping((3, 5), LayoutStride((8, 1)))),
        ("right", "", Mapping((3, 5), LayoutRight())),
        ("right", "<5>", Mapping((3, 5), LayoutRight())),
        ("right", "", Mapping((2, 3, 5), LayoutRightPadded(7))),
        ("left", "", Mapping((5, 3), LayoutLeftPadded(8))),
        ("left", "<8>", Mapping((5, 3), LayoutLeftPadded(8))),
        ("left", "", Mapping((5, 3), LayoutLeft())),
        ("left", "", Mapping((5, 3, 2), LayoutLeftPadded(7))),
    ],
)
def test_a_padded_type_takes_the_strides_that_its_padding_gives(side, padding, mapping):
    found = numbers(TEXT.format(mapping.rank, side, padding), mapping)
    assert (found.extents, found.strides) == (mapping.extents, mapping.strides)
    assert (found.start, found.offset, found.low, found.high) == (0, 0, 0, mapping.required_span_size - 1)


@pytest.mark.parametrize("extents", [(), (5,), (0, 3), (3, 0), (1, 1)])
@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("padding", ["", "<4>"])
def test_strides_that_no_element_needs_are_those_of_the_type(extents, side, padding):
    layout = LayoutRight() if side == "right" else LayoutLeft()
    found = numbers(TEXT.format(len(extents), side, padding), Mapping(extents, layout))
    assert len(found.strides) == len(extents)
    assert (found.low, found.high) == ((0, -1) if 0 in extents else (0, max([1, *extents]) - 1))


@pytest.mark.parametrize(
    ("side", "padding", "mapping"),
    [
        ("right", "<4>", Mapping((3, 5), LayoutRight())),
        ("right", "<4>", Mapping((5, 1), LayoutRight())),
        ("right", "<8>", Mapping((3, 5), LayoutRightPadded(16))),
        ("right", "", Mapping((3, 5), LayoutLeft())),
        ("right", "", Mapping((3, 5), LayoutStride((10, 2)))),
        ("left", "<4>", Mapping((5, 3), LayoutLeft())),
        ("left", "", Mapping((5, 3), LayoutRight())),
    ],
)
def test_other_strides_are_refused(side, padding, mapping):
    with pytest.raises(StrideError, match=f"are not those of std::mdspan<.*_{side}_padded"):
        numbers(TEXT.format(2, side, padding), mapping)


@pytest.mark.parametrize(
    ("index", "mapping", "what"),
    [
        ("std::int8_t", Mapping((128,)), "extent 128 of dimension 0"),
        ("std::int8_t", Mapping((100, 2)), "the span of 200 elements"),
        ("std::int16_t", Mapping((2, 2), LayoutStride((40000, 1))), "stride 40000 of dimension 0"),
        ("std::uint8_t", Mapping((2, 200)), "the span of 400 elements"),
    ],
)
def test_numbers_that_the_index_type_cannot_hold_are_refused(index, mapping, what):
    text = f"std::mdspan<float, std::dims<{mapping.rank}, {index}>, std::layout_stride>"
    with pytest.raises(ConversionError, match=f"{what} is not from"):
        numbers(text, mapping)


def test_the_strides_of_a_relaxed_type_have_a_sign():
    text = "cuda::std::mdspan<float, cuda::std::dims<1, unsigned char>, cuda::layout_stride_relaxed>"
    assert numbers(text, Mapping((9,), LayoutStride((3,)))).strides == (3,)
    assert numbers(text, broadcast_to(Mapping((1,)), (200,))).extents == (200,)
    with pytest.raises(ConversionError, match="stride 128 of dimension 0 is not from -128 to 127"):
        numbers(text, Mapping((2,), LayoutStride((128,))))
