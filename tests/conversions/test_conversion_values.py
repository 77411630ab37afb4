from array import array

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from samples import LayoutConstant, LayoutEveryOther, SquareAccessor

from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.hints import AlignedAccessor
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.scaled import ScaledAccessor
from mdview.conversions import (
    AccessorKind,
    ExtentsKind,
    MappingKind,
    convert,
    kind_of,
)
from mdview.errors import AccessorError, ConversionError, ExtentsError, ReadOnlyError
from mdview.index.extents import Dim, dim
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.right import LayoutRight
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.stride import LayoutStride
from mdview.layouts.stride_relaxed import LayoutStrideRelaxed
from mdview.layouts.tiled import LayoutTiled
from mdview.mappings.mapping import Mapping
from mdview.views.view import MDView


def kind(layout, *static, padding=None, index_type="int64"):
    return MappingKind(layout, ExtentsKind(static, index_type), padding)


STANDARD = [LayoutLeft, LayoutRight, LayoutLeftPadded, LayoutRightPadded, LayoutStride, LayoutStrideRelaxed]


@st.composite
def mappings(draw):
    extents = draw(st.lists(st.integers(0, 5), max_size=3))
    extents = tuple([dim(e) if draw(st.booleans()) else e for e in extents])
    padding = draw(st.sampled_from([None, 2, 3, dim(2), dim(4)]))
    layout = draw(st.sampled_from([LayoutLeft(), LayoutRight(), LayoutLeftPadded(padding), LayoutRightPadded(padding)]))
    mapping = Mapping(extents, layout)
    change = draw(st.sampled_from([None, LayoutStride, LayoutStrideRelaxed]))
    return mapping if change is None else convert(mapping, change)


# Extents and mappings.


@given(mappings(), st.sampled_from(STANDARD))
def test_a_converted_mapping_is_the_same_function(mapping, layout):
    try:
        result = convert(mapping, layout)
    except ConversionError:
        return
    assert type(result.layout) is layout
    assert result.extents == mapping.extents
    assert list(result.offsets()) == list(mapping.offsets())
    assert result.strides == mapping.strides


@given(mappings())
def test_every_standard_mapping_converts_to_stride_and_back(mapping):
    assume(type(mapping.layout) is not LayoutStrideRelaxed)
    strided = convert(mapping, LayoutStride)
    assert strided == mapping
    back = type(mapping.layout)
    row_is_kept = mapping.rank < 2 or "Padded" not in back.__name__ or 0 not in strided.strides
    assume(row_is_kept)
    assert convert(strided, back) == mapping


@given(mappings())
def test_extents_alone_change_and_change_back(mapping):
    static = convert(mapping, tuple([dim(int(e)) for e in mapping.extents]))
    assert static.static_extents == tuple(mapping.extents)
    assert type(static.layout) is type(mapping.layout)
    dynamic = convert(static, (None,) * mapping.rank)
    assert dynamic == mapping
    assert not any(type(e) is Dim for e in dynamic.extents)


def test_extents_convert():
    converted = convert((3, 4), (dim(3), None))
    assert repr(converted) == "(dim(3), 4)"
    assert repr(convert((dim(3), dim(4)), (3, None))) == "(3, 4)"


@pytest.mark.parametrize(
    ("source", "target", "text"),
    [
        ((5, 4), (dim(3), None), "extent 5 of dimension 0 is not 3"),
        ((3, 5), (None, 4), "extent 5 of dimension 1 is not 4"),
        ((3, 4), (None,), "the rank 2 of the source is not the rank 1 of the target"),
        ((dim(3),), (dim(4),), "the static extent 3 of dimension 0 is not the target's, 4"),
        ((200,), ExtentsKind((None,), "int8"), "extent 200 of dimension 0 exceeds 127, the largest int8"),
    ],
)
def test_extents_that_do_not_convert(source, target, text):
    with pytest.raises(ConversionError, match=text):
        convert(source, target)


def test_extents_must_be_valid_to_convert():
    with pytest.raises(ExtentsError):
        convert((3, -1), (None, None))


def test_padded_targets_take_the_padded_stride():
    source = Mapping((3, 4), LayoutStride((6, 1)))
    assert convert(source, LayoutRightPadded).layout == LayoutRightPadded(6)
    assert convert(source, LayoutRightPadded(dim(3))).layout == LayoutRightPadded(dim(3))
    assert convert(source, kind(LayoutRightPadded, None, None, padding=3)).layout == LayoutRightPadded(dim(3))
    assert convert(Mapping((0, 4), LayoutLeft()), LayoutLeftPadded).layout == LayoutLeftPadded(None)
    assert convert(Mapping((4,)), LayoutLeftPadded).layout == LayoutLeftPadded(None)


def test_strided_mappings_convert_to_layouts_with_these_strides():
    assert convert(Mapping((3, 4), LayoutStride((4, 1))), LayoutRight).layout == LayoutRight()
    assert convert(Mapping((3, 4), LayoutStride((1, 3))), LayoutLeft()).layout == LayoutLeft()


def test_a_given_layout_is_the_result():
    layout = LayoutRightPadded(4)
    assert convert(Mapping((3, 4)), layout).layout is layout
    assert convert(Mapping((3, 4), LayoutRightPadded(2)), LayoutRightPadded).layout == LayoutRightPadded(2)


@pytest.mark.parametrize(
    ("source", "target", "text"),
    [
        (Mapping((3, 5), LayoutRightPadded(4)), LayoutRight, "stride 8 of dimension 0 would become 5"),
        (
            Mapping((3, 4), LayoutStride((1, 3))),
            LayoutRight,
            "stride 1 of dimension 0 would become 4.*LayoutStride keeps",
        ),
        (Mapping((3, 5)), LayoutRightPadded(dim(4)), "stride 5 of dimension 0 would become 8"),
        (Mapping((3, 4)), LayoutLeft, "agree up to rank 1 only, the rank is 2; convert to LayoutStride"),
        (Mapping((3, 4), LayoutLeftPadded()), LayoutRight, "lie in opposite orders"),
        (Mapping((4,), LayoutStrideRelaxed((2,), 3)), LayoutStride, r"offset 3 of index \(0, \.\.\.\) would become 0"),
        (Mapping((4,), LayoutStrideRelaxed((-1,), 3)), LayoutStride, "use LayoutStrideRelaxed"),
        (Mapping((4,), LayoutStrideRelaxed((1,))), LayoutRight, "nothing converts LayoutStrideRelaxed to LayoutRight"),
        (Mapping((4, 4), LayoutTiled(2, 2)), LayoutTiled(4, 4), "not strided, and their parameters differ"),
        (Mapping((4, 4), LayoutTiled(2, 2)), LayoutStride, "always unique and always strided, LayoutTiled is not"),
        (Mapping((16, 8)), kind(LayoutRight, None, None, index_type="int8"), "spans 128 elements, more than 127"),
        (Mapping((4, 4)), LayoutStride((4, 1, 1)), "2 extents take 2 strides, got 3"),
        (Mapping((dim(4),), LayoutStrideRelaxed((1,))), kind(LayoutStride, None), "of the very same extents only"),
    ],
)
def test_mappings_that_do_not_convert(source, target, text):
    with pytest.raises(ConversionError, match=text):
        convert(source, target)


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        (Mapping((3, 4)), (dim(3), None), "the dynamic extent of dimension 0 becomes the static 3"),
        (Mapping((3, 4)), ExtentsKind((None, None), "int32"), "the index type int32 holds less than int64"),
        (Mapping((3, 4), LayoutStride((4, 1))), LayoutRight, "LayoutStride leaves the strides open"),
        (Mapping((3, 4), LayoutRightPadded(4)), LayoutRightPadded(dim(4)), "only from a static to a dynamic padding"),
        (Mapping((4,), LayoutStrideRelaxed((1,))), LayoutStride, "leaves open whether the strides are positive"),
        (Mapping((4,), LayoutEveryOther()), LayoutStride, "LayoutEveryOther is no layout of the standard"),
    ],
)
def test_explicit_conversions_may_be_refused(source, target, reason):
    with pytest.raises(ConversionError, match=f"explicitly only: .*{reason}"):
        convert(source, target, implicit_only=True)
    assert list(convert(source, target).offsets()) == list(source.offsets())


def test_implicit_conversions_are_not_refused():
    assert convert(Mapping((3, 4)), LayoutStride, implicit_only=True).strides == (4, 1)


def test_other_layouts_convert_by_their_strides():
    assert convert(Mapping((2, 3), LayoutEveryOther()), LayoutStride).layout == LayoutStride((6, 2))
    assert convert(Mapping((2, 3), LayoutConstant()), LayoutStrideRelaxed).layout == LayoutStrideRelaxed((0, 0))
    tiled = Mapping((4, 4), LayoutTiled(2, 2))
    assert convert(tiled, (dim(4), None)).static_extents == (4, None)


# Views.


def test_a_converted_view_reaches_the_same_elements():
    data = array("d", range(20))
    view = MDView(data, (3, 4), LayoutRightPadded(6))
    strided = convert(view, LayoutStride, (dim(3), None))
    assert strided.layout == LayoutStride((6, 1))
    assert strided.static_extents == (3, None)
    strided[1, 2] = -1
    assert data[8] == -1
    assert convert(view, (dim(3), dim(4))).tolist() == view.tolist()
    assert convert(view, kind_of(strided.mapping)).mapping == strided.mapping


def test_a_converted_subview_stays_where_it_begins():
    part = MDView(list(range(12)), (3, 4))[1:]
    assert convert(part, LayoutStride).tolist() == [[4, 5, 6, 7], [8, 9, 10, 11]]


def test_the_null_view_converts():
    null = convert(MDView(None, (3, dim(4))), LayoutStride)
    assert null.data is None
    assert null.mapping == Mapping((0, 4), LayoutStride((4, 1)))


def test_a_view_takes_another_accessor():
    view = MDView(array("d", range(4)), (4,))
    assert convert(view, CheckedAccessor()).accessor == CheckedAccessor()
    assert convert(view, kind_of(view)).accessor == view.accessor
    readonly = convert(view, AccessorKind("default", "d", const=True))
    with pytest.raises(ReadOnlyError):
        readonly[0] = 1
    with pytest.raises(
        ConversionError, match=r"a view of LayoutRight over \(None,\), const default access does not convert"
    ):
        convert(readonly, CheckedAccessor())
    with pytest.raises(ConversionError, match="pass the accessor itself"):
        convert(view, AccessorKind("checked", "d"))


def test_data_must_keep_what_the_accessor_promises():
    """Of two neighbouring bytes one lies at an odd address."""
    view = MDView(bytearray(8), (8,))
    refused = 0
    for part in (view[:4], view[1:5]):
        try:
            assert convert(part, AlignedAccessor(2)).accessor == AlignedAccessor(2)
        except AccessorError:
            refused += 1
    assert refused == 1


def test_what_a_load_means_does_not_change():
    view = MDView([1, 2, 3], (3,), accessor=ScaledAccessor(2))
    assert convert(view, ScaledAccessor(2, CheckedAccessor())).tolist() == [2, 4, 6]
    assert convert(view, ReadOnlyAccessor(ScaledAccessor(2))).tolist() == [2, 4, 6]
    with pytest.raises(ConversionError, match="their parameters differ"):
        convert(view, ScaledAccessor(3))
    square = MDView([1, 2, 3], (3,), accessor=SquareAccessor())
    with pytest.raises(ConversionError, match="their parameters differ"):
        convert(square, SquareAccessor())
    assert convert(square, square.accessor).tolist() == [1, 4, 9]
