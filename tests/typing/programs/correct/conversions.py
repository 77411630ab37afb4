"""Questions about conversions, and carrying them out."""

from array import array

from mdview import LayoutLeft, LayoutRight, LayoutStride, Mapping, MDView, dim
from mdview.conversions import Conversion, comparable, conversion, convert
from mdview.errors import ConversionError
from mdview.layouts import StridedLayout


def main() -> None:
    view = MDView(array("d", range(6)), (2, 3))
    as_stride = convert(view, LayoutStride((3, 1)))
    assert as_stride.layout == LayoutStride((3, 1))
    assert as_stride[1, 2] == 5.0
    rule: Conversion = conversion(view.mapping, Mapping((2, 3), LayoutStride((3, 1))))
    assert rule is Conversion.IMPLICIT
    assert conversion(Mapping((2,)), Mapping((dim(2),))) is Conversion.EXPLICIT
    assert comparable(view.mapping, as_stride.mapping)
    wider: MDView[float, tuple[int, int], StridedLayout] = view
    assert wider.strides == (3, 1)
    try:
        convert(view, LayoutLeft())
    except ConversionError as error:
        assert "LayoutLeft" in str(error)
    assert convert(Mapping((3,), LayoutLeft()), LayoutRight()) == Mapping((3,), LayoutRight())


main()
