"""New memory: empty, zeros and full views, and the elements of a view in another layout."""

import subprocess
import sys
from array import array

import numpy as np
import pytest
from samples import MAPPINGS, LayoutBanded, LayoutEveryOther, LayoutSymmetric

from mdview import (
    LayoutBlasPacked,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    asview,
    atomic,
    broadcast_to,
    checked,
    conjugated,
    convert,
    dim,
    empty,
    equal,
    explain,
    flip,
    full,
    pad,
    readonly,
    relayout,
    scaled,
    zeros,
)
from mdview.errors import (
    BufferFormatError,
    BufferSizeError,
    ConversionError,
    ElementError,
    ElementTypeError,
    ExtentsError,
    HaloError,
    LayoutError,
    LayoutTypeError,
    NullViewError,
    OperandError,
    RankError,
)

LAYOUTS = [
    LayoutRight(),
    LayoutLeft(),
    LayoutRightPadded(7),
    LayoutLeftPadded(dim(5)),
    LayoutStride((1, 6)),
    LayoutStrideRelaxed((-6, 1), 18),
    LayoutTiled(2, 3),
    LayoutMorton(),
    LayoutSwizzled(LayoutRight(), 1, 0, 1),
    LayoutTranspose(LayoutTiled(2, 2)),
    LayoutEveryOther(),
]
FORMATS = ["b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N", "e", "f", "d", "?", "c", "Zf", "Zd"]
FORMATS += [">h", "<i", "=q", "@d", ">d", "!f", ">e", ">Zd", "O"]


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
@pytest.mark.parametrize("item_format", FORMATS)
def test_new_views_have_the_memory_that_the_layout_spans(layout, item_format):
    mapping = Mapping((4, 6), layout)
    for view in (empty((4, 6), layout, item_format), zeros((4, 6), layout, item_format)):
        assert view.mapping == mapping
        assert type(view.layout) is type(layout)
        assert len(view.data) * (1 if isinstance(view.data, bytearray) else view.itemsize) == (
            mapping.required_span_size * view.itemsize
        )
        assert view.origin == 0
    kind = {"c": b"\0"}.get(item_format, 0)
    assert zeros((4, 6), layout, item_format).tolist() == [[kind] * 6] * 4
    assert empty((4, 6), layout, item_format).tolist() == [[None if item_format == "O" else kind] * 6] * 4


@pytest.mark.parametrize("item_format", ["b", "n", "e", "d", "?", "c", "Zf", ">h", ">Zd", "O"])
def test_the_format_is_that_which_was_asked_for(item_format):
    assert empty((2,), format=item_format).format == item_format


def test_c_order_of_doubles_is_the_default():
    for view in (empty((2, 3)), zeros((2, 3))):
        assert view.layout == LayoutRight()
        assert view.format == "d"
        assert type(view.data) is array
    assert full((2, 3), 1.5).layout == LayoutRight()


@pytest.mark.parametrize("extents", [(), (0,), (3, 0, 2), (1,), (dim(2), 3), (2, 1, 3, 1)])
def test_any_extents(extents):
    for view in (empty(extents), zeros(extents), full(extents, 2.5)):
        assert view.extents == extents
        assert tuple(map(type, view.extents)) == tuple(map(type, extents))
        assert np.asarray(view).shape == tuple(extents)
    assert equal(full(extents, 0.0), zeros(extents))


def test_each_call_has_memory_of_its_own():
    first, second = zeros((2, 2)), zeros((2, 2))
    first[...] = 1.0
    assert second.tolist() == [[0, 0], [0, 0]]


VALUES = [
    *[(True, "?"), (7, "q"), (-7, "q"), (2.5, "d"), (1 + 2j, "Zd"), ("text", "O"), (None, "O"), ((1, 2), "O")],
    *[(np.float32(1.5), "f"), (np.float64(1.5), "d"), (np.int16(3), "h"), (np.uint8(3), "B"), (np.bool_(True), "?")],
    *[(np.complex64(3 + 1j), "Zf"), (np.float16(0.5), "e"), (np.datetime64(1, "s"), "O"), (b"a", "O"), ([1], "O")],
]


@pytest.mark.parametrize(("value", "item_format"), VALUES)
def test_a_value_has_the_format_of_its_own(value, item_format):
    view = full((2, 3), value, LayoutTiled(2, 2))
    assert view.format == item_format
    assert view.tolist() == [[value] * 3] * 2
    assert full((0,), value).format == item_format


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_all_elements_are_the_value_and_what_lies_between_is_not(layout):
    view = full((4, 6), 3, layout, "h")
    assert view.tolist() == [[3] * 6] * 4
    assert sum(view.data) == 3 * len(set(view.offsets()))


REFUSED = [
    *[(300, "B"), (-1, "Q"), (1.5, "i"), (2**63, "q"), (2**70, None), (1e300, "f"), (70000.0, "e"), (10**400, "d")],
    *[
        ("x", "d"),
        (None, "i"),
        (1j, "d"),
        (2, "?"),
        ("", "?"),
        (b"ab", "c"),
        (1, "c"),
        (1e300 * 1j, "Zf"),
        (1e300, ">f"),
    ],
]


@pytest.mark.parametrize(("value", "item_format"), REFUSED)
@pytest.mark.parametrize("extents", [(2, 2), (0,), ()])
def test_a_value_that_the_format_does_not_hold_is_refused(extents, value, item_format):
    with pytest.raises((ElementError, ElementTypeError), match=r"format '.+' (does not hold|takes?) .+(; | choose )"):
        full(extents, value, format=item_format)
    assert full(extents, value, format="O").format == "O"


@pytest.mark.parametrize(
    ("value", "item_format"), [(0.1, "f"), (float("nan"), "e"), (float("inf"), "f"), (2**60 + 1, "d")]
)
def test_numbers_are_rounded_as_the_format_does(value, item_format):
    assert full((2,), value, format=item_format).tolist()[0] == pytest.approx(value, nan_ok=True)


@pytest.mark.parametrize("make", [empty, zeros, lambda *args: full(args[0], 0, *args[1:])])
def test_what_cannot_be_made_is_refused_with_the_place(make):
    with pytest.raises(ExtentsError, match="extent -1 of dimension 1"):
        make((2, -1))
    with pytest.raises(BufferFormatError, match="format 'zz' names no items: write one letter of struct's"):
        make((2,), LayoutRight(), "zz")
    with pytest.raises(LayoutTypeError, match=r"write LayoutRight\(\)"):
        make((2,), LayoutRight)
    with pytest.raises(RankError, match="tile sizes"):
        make((2,), LayoutTiled(2, 2))
    with pytest.raises(LayoutError):
        make((2, 3), LayoutBlasPacked("upper", "row"))
    with pytest.raises(
        BufferSizeError, match=r"over extents \(1152921504606846976, 4\) spans \d+ items of 8 bytes, which do not"
    ):
        make((2**60, 4), LayoutRight(), "d")
    with pytest.raises(BufferSizeError, match="do not fit in memory"):
        make((2**62,), LayoutRight(), "O")
    with pytest.raises(BufferSizeError, match="do not fit in memory"):
        make((2**59,), LayoutRight(), "Zd")


def test_memory_that_is_not_there_is_an_error_of_ours():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        "import mdview\n"
        "for kind in ('d', '>d', 'O'):\n"
        "    try: mdview.empty((2**28,), format=kind)\n"
        "    except mdview.errors.BufferSizeError: continue\n"
        "    raise SystemExit(1)\n"
    ).replace("import mdview\n", "import mdview, mdview.errors\n")
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_creation_needs_no_numpy():
    code = (
        "import sys; from mdview import *\n"
        "v = full((2, 3), 1.5, LayoutTiled(2, 2)); w = relayout(v, LayoutLeft()); zeros((2,)), explain(w)\n"
        "assert w.tolist() == v.tolist() and 'numpy' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


# --- relayout ---


@pytest.mark.parametrize("name", MAPPINGS)
def test_views_of_every_kind_get_another_layout(name):
    mapping = MAPPINGS[name]
    view = MDView.from_mapping(array("d", range(mapping.required_span_size + 2)), mapping, origin=2)
    for layout in (LayoutRight(), LayoutLeft(), LayoutMorton(compact=True)):
        made = relayout(view, layout)
        assert equal(made, view)
        assert made.mapping == Mapping(view.extents, layout)
        assert made.format == "d"
        assert made.extents == view.extents
        assert tuple(map(type, made.extents)) == tuple(map(type, view.extents))
        assert not np.shares_memory(np.asarray(made), np.asarray(view.data))


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_elements_move_into_every_layout_and_back(layout):
    view = MDView(array("i", range(24)), (4, 6))
    made = relayout(view, layout)
    assert made.layout == layout
    assert made.tolist() == view.tolist()
    assert relayout(made, LayoutRight()).data == view.data
    part = relayout(made[1:, ::-2], LayoutLeft())
    assert part.tolist() == view[1:, ::-2].tolist()
    made[0, 0] = -1
    assert view[0, 0] == 0


STRUCTURED = np.dtype([("a", ">i4"), ("b", "f8", (2,))])


@pytest.mark.parametrize(
    "kind", [">f8", "<i2", "c8", ">c16", "?", "S5", "U3", "M8[s]", "m8[ms]", "O", "f2", STRUCTURED]
)
def test_the_type_of_the_items_is_kept(kind):
    given = np.zeros((3, 4), kind)
    given[1, 2] = np.ones((), kind)[()]
    made = relayout(asview(given), LayoutTiled(2, 2))
    assert made.dtype == given.dtype
    assert np.array_equal(np.asarray(made), given)
    assert relayout(asview(given[:0]), LayoutLeft()).dtype == given.dtype
    assert np.array_equal(np.asarray(relayout(asview(given)[::-1, 1], LayoutRight())), given[::-1, 1])


def test_objects_of_sequences_go_into_a_list():
    first = object()
    for data in ([first, None, "a", 4], (first, None, "a", 4)):
        view = MDView(data, (2, 2), accessor=ReadOnlyAccessor())
        made = relayout(view, LayoutLeft())
        assert made.data == [first, "a", None, 4]
        assert made[0, 0] is first
        made[0, 0] = 1


@pytest.mark.parametrize("extents", [(), (0,), (3, 0, 2), (1, 1)])
def test_empty_views_and_views_of_rank_0(extents):
    made = relayout(full(extents, 2.5), LayoutLeft())
    assert made.extents == extents
    assert equal(made, full(extents, 2.5))


def test_what_an_access_does_is_done_and_not_kept():
    view = MDView(array("d", range(4)), (2, 2))
    for given in (
        readonly(view),
        atomic(view),
        checked(view),
        scaled(2, view),
        broadcast_to(view[:1], (2, 2)),
        flip(view),
    ):
        made = relayout(given, LayoutLeft())
        assert made.accessor == view.accessor
        assert made.tolist() == np.asarray(given).tolist()
        made[0, 0] = 7.0
    assert list(view.data) == [0, 1, 2, 3]
    numbers = MDView(np.array([1j, 2 + 1j]), (2,))
    assert relayout(conjugated(numbers), LayoutRight()).tolist() == [-1j, 2 - 1j]


def test_values_that_do_not_fit_need_a_format_of_their_own():
    view = MDView(array("b", [1, 2, 3, 4]), (2, 2))
    with pytest.raises(ElementTypeError, match=r"format 'b' take integers, got float 0.5"):
        relayout(scaled(0.5, view), LayoutLeft())
    with pytest.raises(ElementError, match=r"format 'b' take integers from -128 to 127, got int 200"):
        relayout(scaled(100, view), LayoutLeft())
    assert relayout(scaled(0.5, view), LayoutLeft(), "d").tolist() == [[0.5, 1.0], [1.5, 2.0]]
    assert relayout(view, LayoutLeft(), ">d").tolist() == view.tolist()
    assert relayout(view, LayoutLeft(), "O").data == [1, 3, 2, 4]


@pytest.mark.parametrize(
    ("values", "item_format"), [([1.0, 1e300], "f"), ([0, 2], "?"), ([1.0, 1e300], "e"), ([1.5], "i")]
)
def test_another_format_changes_no_element_but_by_rounding(values, item_format):
    view = (
        MDView(array("d", values), (len(values),)) if isinstance(values[0], float) else MDView(values, (len(values),))
    )
    with pytest.raises((ElementError, ElementTypeError), match=r"(does not hold|take) "):
        relayout(view, LayoutRight(), item_format)
    thirds = MDView(array("d", [1 / 3, float("nan")]), (2,))
    assert relayout(thirds, LayoutRight(), "f")[0] == pytest.approx(1 / 3)


def test_what_the_accessor_raises_is_raised_as_it_is():
    with pytest.raises(TypeError, match="can't multiply sequence by non-int"):
        relayout(scaled(0.5, MDView(["a", "b"], (2,))), LayoutRight())
    with pytest.raises(TypeError, match="can't multiply sequence by non-int"):
        relayout(scaled(0.5, MDView(["a", "b"], (2,))), LayoutRight(), "d")


def test_padding_reads_as_its_constant_or_is_refused():
    view = MDView(array("d", [1, 2]), (2,))
    assert relayout(pad(view, 1), LayoutRight()).tolist() == [0, 1, 2, 0]
    assert relayout(pad(view, 1, "edge"), LayoutRight()).tolist() == [1, 1, 2, 2]
    bare = MDView.from_mapping(view.data, pad(view.mapping, 1))
    with pytest.raises(HaloError):
        relayout(bare, LayoutRight())


def test_a_layout_with_one_place_for_several_indices_takes_equal_elements_only():
    symmetric = MDView([1, 2, 2, float("nan")], (2, 2))
    for layout in (LayoutBlasPacked("upper", "row"), LayoutSymmetric()):
        made = relayout(symmetric, layout)
        assert len(made.data) == 3
        assert str(made.tolist()) == "[[1, 2], [2, nan]]"
        with pytest.raises(
            LayoutError, match=r"has one place for several indices, .* index \(0, 1\) had 2 and would have 3"
        ):
            relayout(MDView([1, 2, 3, 4], (2, 2)), layout)
    assert relayout(full((3,), 1), LayoutStrideRelaxed((0,))).data.tolist() == [1]
    with pytest.raises(LayoutError, match="one place for several indices"):
        relayout(MDView([1, 2], (2,)), LayoutStrideRelaxed((0,)))


def test_what_has_no_elements_to_copy_is_refused():
    with pytest.raises(NullViewError):
        relayout(MDView.null((2, 3)), LayoutLeft())
    released = zeros((2,))
    released.release()
    with pytest.raises(NullViewError):
        relayout(released, LayoutLeft())
    with pytest.raises(OperandError, match="what is laid out anew must be an MDView"):
        relayout([[1, 2]], LayoutLeft())
    with pytest.raises(OperandError, match="what is laid out anew must be an MDView"):
        relayout(Mapping((2,)), LayoutLeft())


def test_a_users_layout():
    layout = LayoutBanded(3, 3)
    assert equal(relayout(zeros((3, 3)), layout), zeros((3, 3)))
    view = full((3, 3), 1.5, layout)
    assert len(view.data) == view.required_span_size
    assert relayout(view, LayoutRight()).tolist() == [[1.5] * 3] * 3


# --- the ways that lead here ---


@pytest.mark.parametrize(
    ("view", "target", "named"),
    [
        (zeros((3, 4)).T, LayoutRight(), r"LayoutRight\(\)"),
        (zeros((3, 4))[:, ::2], LayoutRight(), r"LayoutRight\(\)"),
        (zeros((4, 4), LayoutTiled(2, 2)), LayoutRight(), r"LayoutRight\(\)"),
        (zeros((4, 4)), LayoutTiled(2, 2), r"LayoutTiled\(2, 2, .*\)"),
        (zeros((4, 4)), LayoutMorton, r"LayoutMorton\(\)"),
        (pad(zeros((4, 4)), 1), LayoutRight(), r"LayoutRight\(\)"),
        (zeros((3, dim(4))), LayoutRightPadded(dim(5)), r"LayoutRightPadded\(padding=dim\(5\)\)"),
        (zeros((3, 4))[::-1], LayoutStride, r"LayoutStride\(\)"),
    ],
)
def test_a_conversion_that_takes_a_copy_names_relayout(view, target, named):
    with pytest.raises(ConversionError, match=rf"; copy by relayout\(view, {named}\)$"):
        convert(view, target)


@pytest.mark.parametrize("extents", [(dim(3), 5), None])
def test_a_conversion_that_no_copy_makes_does_not(extents):
    with pytest.raises(ConversionError) as caught:
        convert(zeros((3, 4)).mapping, LayoutLeft()) if extents is None else convert(
            zeros((3, 4)), LayoutRight(), extents
        )
    assert "relayout" not in str(caught.value)
    with pytest.raises(ConversionError) as caught:
        convert(zeros((3, 4)), (dim(3), dim(5)))
    assert "relayout" not in str(caught.value)


def test_new_views_are_explained():
    assert "Data of type array: 14 items of format 'd', 8 bytes each" in explain(empty((3, 4), LayoutTiled(2, 2)))
