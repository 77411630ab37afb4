"""Conversions between kinds of extents, mappings, accessors and views: which there are, and what each gives."""

from array import array

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from samples.mappings import LayoutConstant, LayoutEveryOther, SquareAccessor

import mdview as md
from mdview import dim, errors
from mdview.conversions import (
    AccessorKind,
    Conversion,
    ExtentsKind,
    MappingKind,
    ViewKind,
    conversion,
    convert,
    kind_of,
    mandates,
)

IMPLICIT, EXPLICIT, NONE = Conversion.IMPLICIT, Conversion.EXPLICIT, Conversion.NONE
LEFT, RIGHT, LEFT_PADDED, RIGHT_PADDED = md.LayoutLeft, md.LayoutRight, md.LayoutLeftPadded, md.LayoutRightPadded
STRIDE, RELAXED = md.LayoutStride, md.LayoutStrideRelaxed
STANDARD = [LEFT, RIGHT, LEFT_PADDED, RIGHT_PADDED, STRIDE, RELAXED]
MAPPING, TILED = md.Mapping((3, 4)), md.Mapping((4, 4), md.LayoutTiled(2, 2))
DEFAULT, CHECKED, ATOMIC = md.DefaultAccessor(), md.CheckedAccessor(), md.AtomicAccessor()
ALIGNED, RESTRICT, CONST = md.accessors.AlignedAccessor, md.accessors.RestrictAccessor, md.ReadOnlyAccessor

REFUSED = errors.ConversionError


def doubles(*extents, layout=None):
    mapping = md.Mapping(extents or (3, 4), layout or RIGHT())
    return md.MDView.from_mapping(array("d", range(mapping.required_span_size)), mapping)


def kind(layout, *static, padding=None, index_type="int64"):
    return MappingKind(layout, ExtentsKind(static, index_type), padding)


def space(name):
    return md.accessors.MemorySpaceAccessor(name)


# Kinds.


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((dim(3), 4, None), ExtentsKind((3, None, None))),
        (md.Mapping((dim(3), 4)), kind(RIGHT, 3, None)),
        (md.Mapping((3, 4), LEFT_PADDED(dim(4))), kind(LEFT_PADDED, None, None, padding=4)),
        (md.Mapping((3, 4), LEFT_PADDED(4)), kind(LEFT_PADDED, None, None)),
        (DEFAULT, AccessorKind("default")),
        (SquareAccessor(), AccessorKind("samples.mappings.SquareAccessor", const=True)),
        (ALIGNED(16), AccessorKind("aligned", alignment=16, inner=AccessorKind())),
        (space("device"), AccessorKind("memory_space", space="device", inner=AccessorKind())),
        (CONST(CHECKED), AccessorKind("checked", const=True)),
    ],
)
def test_the_kind_of_a_value_is_what_its_types_tell(value, expected):
    assert kind_of(value) == expected


def test_the_kind_of_a_view_is_that_of_its_mapping_and_of_its_accessor():
    view = doubles(dim(3), 4, layout=LEFT())
    assert kind_of(view) == ViewKind(kind(LEFT, 3, None), AccessorKind("default", "d"))
    text = str(kind_of(md.MDView([0], (1,), accessor=space("host"))))
    assert text == "LayoutRight over (None,), memory_space host default access"


def test_kinds_of_other_layouts_know_their_traits_and_static_extents_are_plain_ints():
    assert kind_of(md.Mapping((3, 4), LayoutEveryOther())).always_unique
    assert not kind_of(md.Mapping((3, 4), LayoutConstant())).always_unique
    assert not kind_of(TILED).always_strided
    assert ExtentsKind((dim(3), None)) == ExtentsKind((3, None))
    assert type(ExtentsKind((dim(3),)).static[0]) is int
    assert kind(RIGHT_PADDED, None, padding=dim(4)).padding == 4


@pytest.mark.parametrize(
    ("own", "text"),
    [
        (ExtentsKind((3, None)), "(3, None)"),
        (kind(RIGHT, 3, index_type="int8"), "LayoutRight over (3,) of int8"),
        (kind(LEFT_PADDED, None, None, padding=4), "LayoutLeftPadded(dim(4)) over (None, None)"),
        (kind_of(CONST(ALIGNED(16, CHECKED))), "const aligned 16 checked"),
    ],
)
def test_kinds_print_as_messages_show_them(own, text):
    assert str(own) == text


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_a_static_extent_must_fit_the_index_type(bits):
    for index_type, most in ((f"int{bits}", 2 ** (bits - 1) - 1), (f"uint{bits}", 2**bits - 1)):
        most_extent = min(most, 2**63 - 1)
        assert ExtentsKind((most_extent,), index_type).static == (most_extent,)
        for wrong in (most + 1, -1):
            with pytest.raises(errors.ExtentsError, match=str(wrong)):
                ExtentsKind((3, wrong), index_type)


# Which conversions there are.


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (md.Mapping((4, 4), LayoutEveryOther()), STRIDE, EXPLICIT),
        (md.Mapping((4, 4), LayoutEveryOther()), RELAXED, EXPLICIT),
        (md.Mapping((4, 4), LayoutEveryOther()), LayoutEveryOther, IMPLICIT),
        (md.Mapping((4, 4), LayoutEveryOther()), RIGHT, NONE),
        (md.Mapping((4, 4), LayoutConstant()), STRIDE, NONE),
        (md.Mapping((4, 4), LayoutConstant()), RELAXED, EXPLICIT),
        *[(TILED, target, NONE) for target in (STRIDE, RELAXED, md.layouts.LayoutTranspose)],
        (TILED, md.LayoutTiled, IMPLICIT),
        (md.Mapping((4, 4), md.layouts.LayoutTranspose(RIGHT())), STRIDE, EXPLICIT),
        (MAPPING, md.LayoutTiled, NONE),
        (MAPPING, md.Mapping((5, 6), LEFT()), NONE),
        (DEFAULT, CHECKED, EXPLICIT),
        (CHECKED, md.UncheckedAccessor(), EXPLICIT),
        (DEFAULT, RESTRICT(), IMPLICIT),
        (DEFAULT, CONST(RESTRICT()), EXPLICIT),
        (CONST(RESTRICT()), RESTRICT(), NONE),
        (ALIGNED(16), RESTRICT(), IMPLICIT),
        (DEFAULT, RESTRICT(ALIGNED(16)), EXPLICIT),
        (ALIGNED(16), RESTRICT(ALIGNED(16)), IMPLICIT),
        (RESTRICT(), md.accessors.NonTemporalAccessor(RESTRICT()), IMPLICIT),
        (RESTRICT(), ALIGNED(16), EXPLICIT),
        (ALIGNED(16, CHECKED), ALIGNED(8), EXPLICIT),
        (ALIGNED(8), ALIGNED(16), NONE),
        (space("host"), space("device"), NONE),
        (RESTRICT(space("host")), space("device"), NONE),
        (space("managed"), space("device"), IMPLICIT),
        (space("shared"), space("device"), IMPLICIT),
        (DEFAULT, ATOMIC, IMPLICIT),
        (ATOMIC, DEFAULT, NONE),
        (md.accessors.ScaledAccessor(2), DEFAULT, NONE),
        (md.accessors.ScaledAccessor(2), md.accessors.ScaledAccessor(2, CHECKED), EXPLICIT),
        (md.accessors.ScaledAccessor(2), CONST(ALIGNED(8)), NONE),
        (DEFAULT, CONST(md.accessors.ConjugatedAccessor()), NONE),
        (md.accessors.ScaledAccessor(2), md.accessors.ConjugatedAccessor(), NONE),
        (SquareAccessor(), SquareAccessor(), IMPLICIT),
        (SquareAccessor(), CONST(), NONE),
        (DEFAULT, CONST(), IMPLICIT),
        (AccessorKind(element="int"), AccessorKind(element="int", const=True), IMPLICIT),
        (AccessorKind(element="int", const=True), AccessorKind(element="int"), NONE),
        (AccessorKind(element="int"), AccessorKind(), NONE),
        (AccessorKind(), AccessorKind(element="int"), NONE),
    ],
)
def test_a_conversion_is_implicit_explicit_or_none(source, target, expected):
    assert conversion(source, target) is expected


def test_a_view_converts_where_its_mapping_and_its_accessor_do():
    targets = (STRIDE, CHECKED, AccessorKind("default", "d", const=True), doubles(layout=LEFT()))
    assert [conversion(doubles(), target) for target in targets] == [IMPLICIT, EXPLICIT, IMPLICIT, NONE]
    assert "4" in mandates(doubles(3, dim(3), layout=RIGHT_PADDED(dim(4))), RIGHT)


# What they give.


@st.composite
def mappings(draw):
    extents = tuple(draw(st.lists(st.one_of(st.integers(0, 5), st.integers(0, 5).map(dim)), max_size=3)))
    padding = draw(st.sampled_from([None, 2, 3, dim(2), dim(4)]))
    layout = draw(st.sampled_from([LEFT(), RIGHT(), LEFT_PADDED(padding), RIGHT_PADDED(padding)]))
    change = draw(st.sampled_from([None, STRIDE, RELAXED]))
    mapping = md.Mapping(extents, layout)
    return mapping if change is None else convert(mapping, change)


@given(mappings(), st.sampled_from(STANDARD))
def test_a_converted_mapping_is_the_same_function_and_converts_back(mapping, layout):
    try:
        result = convert(mapping, layout)
    except REFUSED:
        result = mapping
    else:
        assert type(result.layout) is layout
    assert (result.extents, list(result.offsets()), result.strides) == (
        *(mapping.extents, list(mapping.offsets())),
        mapping.strides,
    )
    static = convert(mapping, tuple([dim(int(e)) for e in mapping.extents]))
    assert (static.static_extents, type(static.layout)) == (tuple(mapping.extents), type(mapping.layout))
    dynamic = convert(static, (None,) * mapping.rank)
    assert (dynamic, dynamic.static_extents) == (mapping, (None,) * mapping.rank)
    assume(type(mapping.layout) is not RELAXED)
    strided = convert(mapping, STRIDE)
    assert strided == mapping
    back = type(mapping.layout)
    assume(mapping.rank < 2 or "Padded" not in back.__name__ or 0 not in strided.strides)  # the row is kept
    assert convert(strided, back) == mapping


@pytest.mark.parametrize(
    ("source", "target", "layout"),
    [
        (md.Mapping((3, 4), STRIDE((6, 1))), RIGHT_PADDED(dim(3)), RIGHT_PADDED(dim(3))),
        (md.Mapping((3, 4), STRIDE((6, 1))), kind(RIGHT_PADDED, None, None, padding=3), RIGHT_PADDED(dim(3))),
        (md.Mapping((0, 4), LEFT()), LEFT_PADDED, LEFT_PADDED(None)),
        (md.Mapping((4,)), LEFT_PADDED, LEFT_PADDED(None)),
        (md.Mapping((3, 4), STRIDE((1, 3))), LEFT(), LEFT()),
        (md.Mapping((3, 4), RIGHT_PADDED(2)), RIGHT_PADDED, RIGHT_PADDED(2)),
        (md.Mapping((2, 3), LayoutEveryOther()), STRIDE, STRIDE((6, 2))),
        (md.Mapping((2, 3), LayoutConstant()), RELAXED, RELAXED((0, 0))),
        (TILED, (dim(4), None), TILED.layout),
    ],
)
def test_a_converted_mapping_has_the_layout_that_keeps_its_strides(source, target, layout):
    converted = convert(source, target)
    assert (type(converted.layout), converted.layout) == (type(layout), layout)
    assert converted.layout.static_parameters() == layout.static_parameters()


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        (md.Mapping((3, 4), STRIDE((4, 1))), RIGHT, "LayoutStride"),
        (md.Mapping((3, 4), RIGHT_PADDED(4)), RIGHT_PADDED(dim(4)), "padding"),
        (md.Mapping((4,), RELAXED((1,))), STRIDE, "strides"),
        (md.Mapping((4,), LayoutEveryOther()), STRIDE, "LayoutEveryOther"),
    ],
)
def test_explicit_conversions_may_be_refused(source, target, reason):
    with pytest.raises(REFUSED, match=f"explicitly only: .*{reason}"):
        convert(source, target, implicit_only=True)
    assert list(convert(source, target).offsets()) == list(source.offsets())
    assert convert(MAPPING, STRIDE, implicit_only=True).strides == (4, 1)


def test_a_converted_view_reaches_the_same_elements():
    data = array("d", range(20))
    view = md.MDView(data, (3, 4), RIGHT_PADDED(6))
    strided = convert(view, STRIDE, (dim(3), None))
    assert (strided.layout, strided.static_extents) == (STRIDE((6, 1)), (3, None))
    assert conversion(view, STRIDE, (dim(3), None)) is EXPLICIT
    strided[1, 2] = -1
    assert data[8] == -1
    assert convert(view, (dim(3), dim(4))).tolist() == view.tolist()
    assert convert(view, kind_of(strided.mapping)).mapping == strided.mapping
    assert convert(md.MDView(list(range(12)), (3, 4))[1:], STRIDE).tolist() == [[4, 5, 6, 7], [8, 9, 10, 11]]
    null = convert(md.MDView(None, (3, dim(4))), STRIDE)
    assert (null.data, null.mapping) == (None, md.Mapping((0, 4), STRIDE((4, 1))))
    assert [repr(convert((3, 4), (dim(3), None))), repr(convert((dim(3), dim(4)), (3, None)))] == [
        "(dim(3), 4)",
        "(3, 4)",
    ]


def test_a_view_takes_another_accessor_under_which_a_load_means_the_same():
    view = doubles()
    assert convert(view, CHECKED).accessor == CHECKED
    assert convert(view, kind_of(view)).accessor == view.accessor
    with pytest.raises(errors.ReadOnlyError):
        convert(view, AccessorKind("default", "d", const=True))[0, 0] = 1
    scaled = md.MDView([1, 2, 3], (3,), accessor=md.accessors.ScaledAccessor(2))
    for accessor in (md.accessors.ScaledAccessor(2, CHECKED), CONST(md.accessors.ScaledAccessor(2))):
        assert convert(scaled, accessor).tolist() == [2, 4, 6]
    squares = md.MDView([1, 2, 3], (3,), accessor=SquareAccessor())
    assert convert(squares, squares.accessor).tolist() == [1, 4, 9]
    parts, refused = md.MDView(bytearray(8), (8,)), 0
    for part in (parts[:4], parts[1:5]):  # of two neighbouring bytes one lies at an odd address
        try:
            assert convert(part, ALIGNED(2)).accessor == ALIGNED(2)
        except errors.AccessorError:
            refused += 1
    assert refused == 1
