from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import LayoutConstant, LayoutEveryOther, SquareAccessor

from mdview.accessors.atomic import AtomicAccessor
from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.conjugated import ConjugatedAccessor
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.hints import AlignedAccessor, MemorySpaceAccessor, NonTemporalAccessor, RestrictAccessor
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.scaled import ScaledAccessor
from mdview.accessors.unchecked import UncheckedAccessor
from mdview.conversions import (
    AccessorKind,
    Conversion,
    ExtentsKind,
    MappingKind,
    ViewKind,
    comparable,
    conversion,
    convert,
    kind_of,
    mandates,
)
from mdview.errors import ConversionError, ExtentsError
from mdview.index.extents import MAX_SIZE, dim
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.right import LayoutRight
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.stride import LayoutStride
from mdview.layouts.stride_relaxed import LayoutStrideRelaxed
from mdview.layouts.tiled import LayoutTiled
from mdview.layouts.transpose import LayoutTranspose
from mdview.mappings.mapping import Mapping
from mdview.views.view import MDView

IMPLICIT, EXPLICIT, NONE = Conversion.IMPLICIT, Conversion.EXPLICIT, Conversion.NONE


def kind(layout, *static, padding=None, index_type="int64"):
    return MappingKind(layout, ExtentsKind(static, index_type), padding)


# Kinds.


def test_static_extents_of_a_kind_are_plain_ints():
    assert ExtentsKind((dim(3), None)) == ExtentsKind((3, None))
    assert type(ExtentsKind((dim(3),)).static[0]) is int


@pytest.mark.parametrize(("static", "index_type"), [((128,), "int8"), ((-1,), "int64"), ((3, 256), "uint8")])
def test_a_static_extent_must_fit_the_index_type(static, index_type):
    with pytest.raises(
        ExtentsError, match=f"static extent {static[-1]} of dimension {len(static) - 1} is no {index_type}"
    ):
        ExtentsKind(static, index_type)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_an_index_type_holds_what_its_bits_do(bits):
    for index_type, most in ((f"int{bits}", 2 ** (bits - 1) - 1), (f"uint{bits}", 2**bits - 1)):
        assert ExtentsKind((min(most, MAX_SIZE),), index_type).static == (min(most, MAX_SIZE),)
        with pytest.raises(ExtentsError):
            ExtentsKind((most + 1,), index_type)


def test_an_index_type_is_one_of_the_integer_types():
    with pytest.raises(ConversionError, match=r"int64.*got 'float'"):
        ExtentsKind((3,), "float")


def test_only_padded_layouts_have_a_padding():
    with pytest.raises(ConversionError, match="LayoutRight has no padding, got 4"):
        kind(LayoutRight, None, padding=4)
    assert kind(LayoutRightPadded, None, padding=dim(4)).padding == 4


def test_the_layout_of_a_kind_is_a_class():
    with pytest.raises(ConversionError, match=r"got LayoutRight\(\)"):
        MappingKind(LayoutRight(), ExtentsKind((3,)))


def test_kind_of_extents_and_mappings():
    assert kind_of((dim(3), 4, None)) == ExtentsKind((3, None, None))
    assert kind_of(Mapping((dim(3), 4))) == kind(LayoutRight, 3, None)
    assert kind_of(Mapping((3, 4), LayoutLeftPadded(dim(4)))) == kind(LayoutLeftPadded, None, None, padding=4)
    assert kind_of(Mapping((3, 4), LayoutLeftPadded(4))) == kind(LayoutLeftPadded, None, None)


def test_kind_of_other_layouts_knows_their_traits():
    assert kind_of(Mapping((3, 4), LayoutEveryOther())).always_unique
    assert not kind_of(Mapping((3, 4), LayoutConstant())).always_unique
    assert not kind_of(Mapping((4, 4), LayoutTiled(2, 2))).always_strided


def test_kind_of_accessors():
    assert kind_of(DefaultAccessor()) == AccessorKind("default")
    assert kind_of(SquareAccessor()) == AccessorKind("samples.SquareAccessor", const=True)
    assert kind_of(AlignedAccessor(16)) == AccessorKind("aligned", alignment=16, inner=AccessorKind())
    assert kind_of(MemorySpaceAccessor("device")) == AccessorKind("memory_space", space="device", inner=AccessorKind())


def test_a_read_only_accessor_is_that_of_const_elements():
    assert kind_of(ReadOnlyAccessor(CheckedAccessor())) == AccessorKind("checked", const=True)


def test_kind_of_a_view_names_its_elements():
    view = MDView(array("d", [0] * 12), (dim(3), 4), LayoutLeft())
    assert kind_of(view) == ViewKind(kind(LayoutLeft, 3, None), AccessorKind("default", "d"))


@pytest.mark.parametrize("value", [3, [3, 4], LayoutRight(), "right"])
def test_other_values_have_no_kind(value):
    with pytest.raises(ConversionError, match="only extents, mappings, accessors and views have a kind"):
        kind_of(value)


@pytest.mark.parametrize(
    ("own", "text"),
    [
        (ExtentsKind((3, None)), "(3, None)"),
        (kind(LayoutRight, 3, index_type="int8"), "LayoutRight over (3,) of int8"),
        (kind(LayoutLeftPadded, None, None, padding=4), "LayoutLeftPadded(dim(4)) over (None, None)"),
        (kind_of(ReadOnlyAccessor(AlignedAccessor(16, CheckedAccessor()))), "const aligned 16 checked"),
        (kind_of(MDView([0], (1,), accessor=MemorySpaceAccessor("host"))),
         "LayoutRight over (None,), memory_space host default access"),
    ],
)  # fmt: skip
def test_kinds_print_as_messages_show_them(own, text):
    assert str(own) == text


# Types.


def test_left_padded_converts_to_another_static_padding_and_then_fails_to_compile():
    source, target = kind(LayoutLeftPadded, None, 8, padding=4), kind(LayoutLeftPadded, None, 8, padding=8)
    assert conversion(source, target) is EXPLICIT
    assert mandates(source, target) == "the static padding 4 is not the target's, 8"
    assert mandates(source, kind(LayoutLeftPadded, None, 8)) is None
    with pytest.raises(ConversionError, match=r"static padding 4.*make one of them dynamic"):
        convert(Mapping((8, dim(8)), LayoutLeftPadded(dim(4))), target)


@pytest.mark.parametrize(
    ("source", "target", "broken"),
    [
        (kind(LayoutLeftPadded, 3, 4, padding=4), kind(LayoutLeft, 3, 4), True),
        (kind(LayoutLeftPadded, 3, 4, padding=4), kind(LayoutLeft, None, 4), False),
        (kind(LayoutLeftPadded, 4, 3, padding=4), kind(LayoutLeft, 4, 3), False),
        (kind(LayoutRightPadded, 4, 3, padding=4), kind(LayoutRight, 4, 3), True),
        (kind(LayoutRightPadded, 3, 4, padding=4), kind(LayoutRight, 3, 4), False),
        (kind(LayoutRightPadded, 3, None, padding=4), kind(LayoutRight, 3, 4), False),
        (kind(LayoutLeft, 3, 4), kind(LayoutLeftPadded, 3, 4, padding=4), True),
        (kind(LayoutLeft, 3, 4), kind(LayoutLeftPadded, None, 4, padding=4), False),
        (kind(LayoutLeft, 3, 4), kind(LayoutLeftPadded, 3, 4), False),
        (kind(LayoutLeft, 3), kind(LayoutLeftPadded, 3, padding=4), False),
        (kind(LayoutLeft, 3), kind(LayoutRight, 3), False),
        (kind(LayoutStride, 3, 4), kind(LayoutLeftPadded, 3, 4, padding=4), False),
        (kind(LayoutLeft, 3, 4), kind(LayoutRightPadded, 3, 4, padding=8), False),
        (kind(LayoutLeft, 3, 4), kind(LayoutLeft, None, 4), False),
    ],
)
def test_mandates_compare_static_rows(source, target, broken):
    assert (mandates(source, target) is not None) is broken


@pytest.mark.parametrize(
    ("layout", "target", "expected"),
    [
        (LayoutEveryOther(), LayoutStride, EXPLICIT),
        (LayoutEveryOther(), LayoutStrideRelaxed, EXPLICIT),
        (LayoutEveryOther(), LayoutEveryOther, IMPLICIT),
        (LayoutEveryOther(), LayoutRight, NONE),
        (LayoutConstant(), LayoutStride, NONE),
        (LayoutConstant(), LayoutStrideRelaxed, EXPLICIT),
        (LayoutTiled(2, 2), LayoutStride, NONE),
        (LayoutTiled(2, 2), LayoutStrideRelaxed, NONE),
        (LayoutTiled(2, 2), LayoutTranspose, NONE),
        (LayoutTiled(2, 2), LayoutTiled, IMPLICIT),
        (LayoutTranspose(LayoutRight()), LayoutStride, EXPLICIT),
        (LayoutRight(), LayoutTiled, NONE),
    ],
)
def test_layouts_outside_the_standard(layout, target, expected):
    assert conversion(Mapping((4, 4), layout), target) is expected


def test_targets_may_name_a_part():
    mapping = Mapping((3, 4))
    assert conversion(mapping, (dim(3), None)) is EXPLICIT
    assert conversion(mapping, ExtentsKind((None, None), "int32")) is EXPLICIT
    assert conversion(mapping, LayoutRightPadded(dim(4))) is IMPLICIT
    assert conversion(mapping, LayoutStride, (3, None)) is IMPLICIT
    assert conversion(mapping, Mapping((5, 6), LayoutLeft())) is NONE
    assert conversion((dim(3),), (7,)) is IMPLICIT
    assert mandates((dim(3),), (None,)) is None


@pytest.mark.parametrize(
    ("source", "target", "extents", "text"),
    [
        ((3, 4), LayoutRight(), None, "only extents, mappings"),
        ((3, 4), Mapping((3, 4)), None, "extents convert to extents such as"),
        ((3, 4), (3, 4), (3, 4), "extents convert to extents such as"),
        (Mapping((3, 4)), DefaultAccessor(), None, "mappings convert to a layout, extents"),
        (Mapping((3, 4)), int, None, "mappings convert to a layout, extents"),
        (MDView([0], (1,)), CheckedAccessor, None, "an accessor, a view or a ViewKind, got the class"),
        (Mapping((3, 4)), (3, 4), (3, 4), "mappings convert to a layout, extents"),
        (DefaultAccessor(), Mapping((3, 4)), None, "accessors convert to an accessor"),
        (MDView([0], (1,)), kind_of(MDView([0], (1,))), (1,), "views convert to a layout, extents, both, an accessor"),
        (MDView([0], (1,)), DefaultAccessor(), (1,), "only extents, mappings|views convert"),
    ],
)
def test_sorts_do_not_mix(source, target, extents, text):
    with pytest.raises(ConversionError, match=text):
        conversion(source, target, extents)


def test_comparable_takes_two_of_a_sort():
    assert comparable((3, 4), (dim(3),))
    assert comparable(Mapping((3, 4)), Mapping((3, 4), LayoutStride()))
    with pytest.raises(ConversionError, match="extents compare with extents"):
        comparable((3, 4), Mapping((3, 4)))


def test_mappings_compare_at_equal_rank_alone():
    assert not comparable(Mapping((3,)), Mapping((3, 4)))
    assert not comparable(Mapping((3,), LayoutStride()), Mapping((3, 4)))


def test_comparison_with_layouts_outside_the_standard():
    other, tiled, stride = Mapping((4, 4), LayoutEveryOther()), Mapping((4, 4), LayoutTiled(2, 2)), LayoutStride
    assert comparable(other, Mapping((4, 4), stride()))
    assert not comparable(tiled, Mapping((4, 4), stride()))
    assert comparable(tiled, Mapping((dim(4), 4), LayoutTiled(4, 4)))


statics = st.one_of(st.none(), st.integers(1, 5))
STANDARD = [LayoutLeft, LayoutRight, LayoutLeftPadded, LayoutRightPadded, LayoutStride, LayoutStrideRelaxed]
index_types = st.sampled_from(["int8", "int32", "uint32", "int64"])


@st.composite
def mapping_kinds(draw, rank=None):
    rank = draw(st.integers(0, 3)) if rank is None else rank
    layout = draw(st.sampled_from(STANDARD))
    padding = draw(st.sampled_from([None, 2, 4])) if "Padded" in layout.__name__ else None
    static = draw(st.tuples(*[statics] * rank))
    return MappingKind(layout, ExtentsKind(static, draw(index_types)), padding)


@given(mapping_kinds())
def test_a_copy_is_implicit(own):
    assert conversion(own, own) is IMPLICIT
    assert mandates(own, own) is None
    assert comparable(own, own)


@given(st.integers(0, 3).flatmap(lambda rank: st.tuples(mapping_kinds(rank=rank), mapping_kinds(rank=rank))))
def test_a_mapping_converts_no_better_than_its_extents(pair):
    source, target = pair
    found, extents = conversion(source, target), conversion(source.extents, target.extents)
    assert found is NONE or extents is not NONE
    assert found is not IMPLICIT or extents is IMPLICIT
    assert mandates(source, target) is None or found is not NONE
    assert comparable(source, target) == comparable(target, source)


@given(
    st.lists(st.tuples(statics, st.booleans(), st.booleans()), max_size=3), st.permutations(["int8", "int32", "int64"])
)
def test_implicit_conversions_of_extents_chain(dimensions, types):
    a = ExtentsKind(tuple([s for s, _, _ in dimensions]), types[0])
    b = ExtentsKind(tuple([s if kept else None for s, kept, _ in dimensions]), types[1])
    c = ExtentsKind(tuple([s if kept and still else None for s, kept, still in dimensions]), types[2])
    if conversion(a, b) is conversion(b, c) is IMPLICIT:
        assert conversion(a, c) is IMPLICIT
    else:
        assert types != ["int8", "int32", "int64"]


# Accessors and views.


def test_index_rules_change_explicitly():
    assert conversion(DefaultAccessor(), CheckedAccessor()) is EXPLICIT
    assert conversion(CheckedAccessor(), UncheckedAccessor()) is EXPLICIT
    assert conversion(CheckedAccessor(), CheckedAccessor()) is IMPLICIT


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (RestrictAccessor(), DefaultAccessor(), IMPLICIT),
        (DefaultAccessor(), RestrictAccessor(), IMPLICIT),
        (RestrictAccessor(), RestrictAccessor(), IMPLICIT),
        (DefaultAccessor(), ReadOnlyAccessor(RestrictAccessor()), EXPLICIT),
        (ReadOnlyAccessor(RestrictAccessor()), RestrictAccessor(), NONE),
        (AlignedAccessor(16), RestrictAccessor(), EXPLICIT),
        (DefaultAccessor(), RestrictAccessor(AlignedAccessor(16)), NONE),
        (AlignedAccessor(16), RestrictAccessor(AlignedAccessor(16)), IMPLICIT),
        (RestrictAccessor(), NonTemporalAccessor(RestrictAccessor()), IMPLICIT),
        (RestrictAccessor(), AlignedAccessor(16), EXPLICIT),
        (AlignedAccessor(16, CheckedAccessor()), AlignedAccessor(8), EXPLICIT),
        (AlignedAccessor(8), AlignedAccessor(16), NONE),
        (MemorySpaceAccessor("host"), MemorySpaceAccessor("device"), NONE),
        (RestrictAccessor(MemorySpaceAccessor("host")), MemorySpaceAccessor("device"), NONE),
        (MemorySpaceAccessor("managed"), MemorySpaceAccessor("device"), IMPLICIT),
        (MemorySpaceAccessor("shared"), MemorySpaceAccessor("device"), IMPLICIT),
        (DefaultAccessor(), AtomicAccessor(), IMPLICIT),
        (AtomicAccessor(), DefaultAccessor(), NONE),
        (ScaledAccessor(2), DefaultAccessor(), NONE),
        (ScaledAccessor(2), ScaledAccessor(2, CheckedAccessor()), EXPLICIT),
        (DefaultAccessor(), ReadOnlyAccessor(ConjugatedAccessor()), NONE),
        (ScaledAccessor(2), ConjugatedAccessor(), NONE),
        (SquareAccessor(), SquareAccessor(), IMPLICIT),
        (SquareAccessor(), ReadOnlyAccessor(), NONE),
        (ScaledAccessor(2), ReadOnlyAccessor(AlignedAccessor(8)), NONE),
        (DefaultAccessor(), ReadOnlyAccessor(), IMPLICIT),
    ],
)
def test_policies(source, target, expected):
    assert conversion(source, target) is expected


def test_elements_convert_to_const_ones_alone():
    assert conversion(AccessorKind(element="int"), AccessorKind(element="int", const=True)) is IMPLICIT
    assert conversion(AccessorKind(element="int", const=True), AccessorKind(element="int")) is NONE
    assert conversion(AccessorKind(element="int"), AccessorKind(element="float")) is NONE
    assert conversion(AccessorKind(element="int"), AccessorKind()) is NONE
    assert conversion(AccessorKind(), AccessorKind(element="int")) is NONE


def test_a_view_converts_as_its_parts_do():
    view = MDView(array("d", range(12)), (3, 4))
    assert conversion(view, LayoutStride) is IMPLICIT
    assert conversion(view, LayoutStride, (dim(3), None)) is EXPLICIT
    assert conversion(view, CheckedAccessor()) is EXPLICIT
    assert conversion(view, AccessorKind("default", "d", const=True)) is IMPLICIT
    assert conversion(view, MDView(array("d", range(12)), (3, 4), LayoutLeft())) is NONE
    padded = MDView(array("d", range(24)), (3, dim(3)), LayoutRightPadded(dim(4)))
    assert mandates(padded, LayoutRight) is not None
