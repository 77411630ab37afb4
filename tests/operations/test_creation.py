"""New memory: empty, zeros and full views, and the elements of a view in another layout."""

from array import array

import numpy as np
import pytest
from processes import output_of
from samples.mappings import MAPPINGS, LayoutBanded, LayoutEveryOther, LayoutSymmetric

import mdview as md
from mdview import errors

LAYOUTS = [
    *(md.LayoutRight(), md.LayoutLeft(), md.LayoutRightPadded(7), md.LayoutLeftPadded(md.dim(5))),
    *(md.LayoutStride((1, 6)), md.LayoutStrideRelaxed((-6, 1), 18), md.LayoutTiled(2, 3), md.LayoutMorton()),
    md.LayoutSwizzled(md.LayoutRight(), 1, 0, 1),
    *(md.layouts.LayoutTranspose(md.LayoutTiled(2, 2)), LayoutEveryOther(), LayoutBanded(3, 5)),
]
FORMATS = [*"bBhHiIlLqQnNefd?cO", "Zf", "Zd", "bfloat16", "float8_e5m2"]
FORMATS += [">h", "<i", "=q", "@d", ">d", "!f", ">e", ">Zd"]


@pytest.mark.parametrize("item_format", FORMATS)
def test_new_views_have_the_memory_that_the_layout_spans(item_format):
    zero = {"c": b"\0"}.get(item_format, 0)
    for layout in LAYOUTS:
        mapping = md.Mapping((4, 6), layout)
        for make, value in ((md.empty, None), (md.zeros, zero)):
            view = make((4, 6), layout, item_format)
            assert (view.mapping, view.origin, type(view.layout)) == (mapping, 0, type(layout))
            length = len(view.data) * (view.itemsize if isinstance(view.data, list) else view.data.itemsize)
            assert length == mapping.required_span_size * view.itemsize
            if make is md.zeros or item_format == "O":  # other numbers are any
                assert view.tolist() == [[value] * 6] * 4
            assert view.format == item_format or item_format[0] in "<=@!"


def test_full_views_have_the_value_and_nothing_else_is_stored():
    for layout in LAYOUTS:
        view = md.full((4, 6), 3, layout, "h")
        assert view.tolist() == [[3] * 6] * 4
        assert sum(view.data) == 3 * len(set(view.offsets()))


@pytest.mark.parametrize("extents", [(), (0,), (3, 0, 2), (1,), (md.dim(2), 3), (2, 1, 3, 1)])
def test_c_order_of_doubles_of_any_extents_is_the_default(extents):
    for view in (md.empty(extents), md.zeros(extents), md.full(extents, 2.5)):
        assert (view.extents, view.layout, view.format, type(view.data)) == (extents, md.LayoutRight(), "d", memoryview)
        assert tuple(map(type, view.extents)) == tuple(map(type, extents))
        view[...] = 2.5
        made = md.relayout(view, md.LayoutLeft())
        assert made.extents == extents
        assert md.equal(made, view)
        made[...] = 7.0  # each has memory of its own
        assert 7.0 not in view


NAMED = {
    "d": ["float64", "f8", "<f8", float, np.float64, np.dtype("f8"), "=d"],
    "b": ["int8", "i1", np.int8, np.dtype("b")],
    "q": ["int64", int, np.int64, ">i8"[1:]],
    ">i": [">i4", np.dtype(">i4")],
    "Zd": ["complex128", complex, np.complex128],
    "?": ["bool", bool, np.bool_, np.dtype("?")],
    "bfloat16": ["=bfloat16", "<bfloat16", "@bfloat16"],
    "O": [object, np.dtype("O")],
    "|S5": ["S5", np.dtype("S5")],
    "<M8[s]": ["M8[s]", np.dtype("M8[s]")],
}


@pytest.mark.parametrize("item_format", NAMED)
def test_a_format_has_the_names_that_struct_numpy_and_python_give_it(item_format):
    for dtype in NAMED[item_format]:
        made = md.empty((2, 3), "tiled(2, 2)", dtype)
        assert (made.format, made.layout) == (item_format, md.LayoutTiled(2, 2)), dtype
        assert (
            md.relayout(made, "left", dtype).format == md.empty_like(md.ones((2,)), dtype=dtype).format == item_format
        )
    if len(item_format.lstrip(">")) == 1 and item_format != "O":
        bytes_of = md.MDView(bytearray(16), (2, 8))
        assert {md.operations.bitcast(bytes_of, dtype).format for dtype in NAMED[item_format]} == {item_format}


@pytest.mark.parametrize("dtype", ["floating", "i3", "f4;i4", "", 3, None.__class__, np.dtype("(2,)f8"), b"d"])
def test_what_names_no_format_is_refused(dtype):
    for call in (md.zeros, md.ones, md.empty):
        with pytest.raises(errors.BufferFormatError):
            call((2,), dtype=dtype)
    with pytest.raises(errors.LayoutTypeError, match="dtype="):  # one in the place of a layout
        md.zeros((2, 2), "float64")


def test_new_memory_like_a_view_has_its_extents_layout_and_format():
    for name, make in MAPPINGS.items():
        mapping = make()
        if not mapping.layout.is_total():
            continue
        view = md.MDView.from_mapping(array("h", range(mapping.required_span_size)), mapping)
        for made in (md.empty_like(view), md.zeros_like(view), md.full_like(view, 7), view.copy()):
            assert (made.extents, made.format, type(made.accessor)) == (view.extents, "h", md.DefaultAccessor), name
            assert tuple(map(type, made.extents)) == tuple(map(type, view.extents)), name
            assert made.layout == view.copy().layout, name
            assert made.flags.owndata, name
        assert set(md.iteration.elements(md.full_like(view, 7))) <= {7}, name
        assert not any(md.iteration.elements(md.zeros_like(view))), name
        assert md.equal(view.copy(), view), name
        assert md.zeros_like(view, "left", "float32").format == "f", name
    assert md.full_like(view, 2.5, dtype=float).tolist() == md.full(view.extents, 2.5).tolist()
    assert md.zeros_like(md.MDView(["a"], (1,))).tolist() == [0]


COPIES = {
    md.LayoutRight(): lambda v: v[1:, ::2],
    md.LayoutLeft(): lambda v: v.T[::2],
    md.LayoutTiled(2, 3): lambda v: md.relayout(v, "tiled(2, 3)"),
}


def test_a_copy_keeps_the_layout_and_leaves_gaps_out():
    view = md.MDView(array("i", range(24)), (4, 6))
    for layout, part in COPIES.items():
        made = part(view).copy()
        assert (made.layout, made.tolist()) == (layout, part(view).tolist())
        made[...] = 0
    assert list(view.data) == list(range(24))
    assert md.relayout(view, md.LayoutMorton())[1:, 1:].copy().layout == md.LayoutRight()


VALUES = [
    *[(True, "?"), (7, "q"), (-7, "q"), (2.5, "d"), (1 + 2j, "Zd"), ("text", "O"), (None, "O"), ((1, 2), "O")],
    *[(np.float32(1.5), "f"), (np.float64(1.5), "d"), (np.int16(3), "h"), (np.uint8(3), "B"), (np.bool_(True), "?")],
    *[(np.complex64(3 + 1j), "Zf"), (np.float16(0.5), "e"), (np.datetime64(1, "s"), "O"), (b"a", "O"), ([1], "O")],
]


def test_a_view_is_a_value_as_any_object_is():
    view = md.zeros((1,))
    assert md.full((2,), view).format == "O"
    assert md.full((2,), view).tolist() == [view, view]


@pytest.mark.parametrize(("value", "item_format"), VALUES)
def test_a_value_has_the_format_of_its_own(value, item_format):
    view = md.full((2, 3), value, md.LayoutTiled(2, 2))
    assert view.tolist() == [[value] * 3] * 2
    assert view.format == md.full((0,), value).format == item_format


REFUSED = [
    *[(300, "B"), (-1, "Q"), (1.5, "i"), (2**63, "q"), (2**70, None), (1e300, "f"), (70000.0, "e"), (10**400, "d")],
    *[("x", "d"), (None, "i"), (1j, "d"), (2, "?"), ("", "?"), (b"ab", "c"), (1, "c"), (1e300 * 1j, "Zf")],
    (1e300, ">f"),
]


@pytest.mark.parametrize(("value", "item_format"), REFUSED)
def test_a_value_that_the_format_does_not_hold_is_refused(value, item_format):
    for extents in ((2, 2), (0,), ()):
        with pytest.raises((errors.ElementError, errors.ElementTypeError), match=f"format '{item_format or 'q'}'"):
            md.full(extents, value, dtype=item_format)
    for view in (md.MDView([value], (1,)), md.MDView([0, value], (2,))):
        if item_format is not None:
            with pytest.raises((errors.ElementError, errors.ElementTypeError), match=f"format '{item_format}'"):
                md.relayout(view, md.LayoutRight(), item_format)
    assert md.full((1,), value, dtype="O")[0] == value


@pytest.mark.parametrize(("value", "kind"), [(0.1, "f"), (float("nan"), "e"), (float("inf"), "f"), (2**60 + 1, "d")])
def test_numbers_are_rounded_as_the_format_does(value, kind):
    for view in (md.full((2,), value, dtype=kind), md.relayout(md.MDView([value], (1,)), md.LayoutLeft(), kind)):
        assert view.tolist()[0] == pytest.approx(value, nan_ok=True)


PROGRAMS = {
    "without NumPy": """
import sys; from mdview import *
v = full((2, 3), 1.5, LayoutTiled(2, 2)); w = relayout(v, LayoutLeft()); zeros((2,)), explain(w)
assert w.tolist() == v.tolist() and 'numpy' not in sys.modules
""",
    "without memory": """
import resource; resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
import mdview; from mdview.errors import BufferSizeError
for kind in ('d', '>d', 'O'):
    try: mdview.empty((2**28,), dtype=kind)
    except BufferSizeError: continue
    raise SystemExit(1)
""",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_views_are_made_without_numpy_or_refused_where_there_is_no_memory(program):
    output_of(PROGRAMS[program])


# --- relayout ---


def test_views_of_every_kind_get_another_layout_and_back():
    for name, make in MAPPINGS.items():
        mapping = make()
        view = md.MDView.from_mapping(array("d", range(mapping.required_span_size + 2)), mapping, origin=2)
        for layout in (md.LayoutRight(), md.LayoutLeft(), md.LayoutMorton(compact=True)):
            made = md.relayout(view, layout)
            assert (made.mapping, made.format) == (md.Mapping(view.extents, layout), "d"), name
            assert tuple(map(type, made.extents)) == tuple(map(type, view.extents)), name
            assert md.equal(made, view), name
            assert not np.shares_memory(np.asarray(made), np.asarray(view.data)), name
    view = md.MDView(array("i", range(24)), (4, 6))
    for layout in LAYOUTS:
        made = md.relayout(view, layout)
        back = md.relayout(made, md.LayoutRight())
        assert (made.layout, made.tolist(), back.data) == (layout, view.tolist(), view.data)
        assert md.relayout(made[1:, ::-2], md.LayoutLeft()).tolist() == view[1:, ::-2].tolist()


RECORDS = np.dtype([("a", ">i4"), ("b", "f8", (2,))])


@pytest.mark.parametrize("kind", [">f8", "<i2", "c8", ">c16", "?", "S5", "U3", "M8[s]", "m8[ms]", "O", "f2", RECORDS])
def test_the_type_of_the_items_is_kept(kind):
    given = np.zeros((3, 4), kind)
    given[1, 2] = np.ones((), kind)[()]
    made = md.relayout(md.asview(given), md.LayoutTiled(2, 2))
    assert made.dtype == md.relayout(md.asview(given[:0]), md.LayoutLeft()).dtype == given.dtype
    assert np.array_equal(np.asarray(made), given)
    assert np.array_equal(np.asarray(md.relayout(md.asview(given)[::-1, 1], md.LayoutRight())), given[::-1, 1])


def test_objects_of_sequences_go_into_a_list():
    first = object()
    for data in ([first, None, "a", 4], (first, None, "a", 4)):
        made = md.relayout(md.MDView(data, (2, 2), accessor=md.ReadOnlyAccessor()), md.LayoutLeft())
        assert made.data == [first, "a", None, 4]
        made[0, 0] = 1


def test_what_an_access_does_is_done_and_not_kept():
    view = md.MDView(array("d", range(4)), (2, 2))
    repeated = md.broadcast_to(view[:1], (2, 2))
    policies = md.readonly(view), md.atomic(view), md.checked(view), md.operations.scaled(2, view)
    for given in (*policies, repeated, md.flip(view), md.pad(view, 1)):
        made = md.relayout(given, md.LayoutLeft())
        assert made.accessor == view.accessor
        assert made.tolist() == np.asarray(given).tolist()
        made[0, 0] = 7.0
    assert list(view.data) == [0, 1, 2, 3]
    assert md.relayout(
        md.operations.conjugated(md.MDView(np.array([1j, 2 + 1j]), (2,))), md.LayoutRight()
    ).tolist() == [-1j, 2 - 1j]
    small = md.MDView(array("b", [1, 2, 3, 4]), (2, 2))
    assert md.relayout(md.operations.scaled(0.5, small), md.LayoutLeft(), "d").tolist() == [[0.5, 1.0], [1.5, 2.0]]
    assert md.relayout(small, md.LayoutLeft(), ">d").tolist() == small.tolist()
    assert md.relayout(small, md.LayoutLeft(), "O").data == [1, 3, 2, 4]
    for factor, told in ((0.5, "'b'.*0.5"), (100, "'b'.*-128.*127.*200")):
        with pytest.raises((errors.ElementError, errors.ElementTypeError), match=told):
            md.relayout(md.operations.scaled(factor, small), md.LayoutLeft())


def test_a_layout_with_one_place_for_several_indices_takes_equal_elements_only():
    symmetric = md.MDView([1, 2, 2, float("nan")], (2, 2))
    for layout in (md.LayoutBlasPacked("upper", "row"), LayoutSymmetric()):
        made = md.relayout(symmetric, layout)
        assert (len(made.data), str(made.tolist())) == (3, "[[1, 2], [2, nan]]")
        with pytest.raises(errors.LayoutError, match=r"\(0, 1\) .*2 .*3"):
            md.relayout(md.MDView([1, 2, 3, 4], (2, 2)), layout)
    assert md.relayout(md.full((3,), 1), md.LayoutStrideRelaxed((0,))).data.tolist() == [1]
    with pytest.raises(errors.LayoutError):
        md.relayout(md.MDView([1, 2], (2,)), md.LayoutStrideRelaxed((0,)))


def test_what_has_no_elements_to_copy_is_refused():
    released = md.zeros((2,))
    released.release()
    bare = md.MDView.from_mapping(array("d", [1, 2]), md.pad(md.Mapping((2,)), 1))
    for given, kind in [
        (md.MDView.null((2, 3)), errors.NullViewError),
        (released, errors.NullViewError),
        (bare, errors.HaloError),
        ([[1, 2]], errors.OperandError),
        (md.Mapping((2,)), errors.OperandError),
        (md.operations.scaled(0.5, md.MDView(["a", "b"], (2,))), TypeError),
    ]:
        for item_format in ((), ("d",)):
            with pytest.raises(kind):
                md.relayout(given, md.LayoutLeft(), *item_format)


CONVERSIONS = {
    "columns to rows": (lambda: md.zeros((3, 4)).T, (md.LayoutRight(),), r"LayoutRight\(\)"),
    "steps to rows": (lambda: md.zeros((3, 4))[:, ::2], (md.LayoutRight(),), r"LayoutRight\(\)"),
    "tiles to rows": (lambda: md.zeros((4, 4), md.LayoutTiled(2, 2)), (md.LayoutRight(),), r"LayoutRight\(\)"),
    "rows to tiles": (lambda: md.zeros((4, 4)), (md.LayoutTiled(2, 2),), r"LayoutTiled\(2, 2, .*\)"),
    "rows to Morton": (lambda: md.zeros((4, 4)), (md.LayoutMorton,), r"LayoutMorton\(\)"),
    "halo to rows": (lambda: md.pad(md.zeros((4, 4)), 1), (md.LayoutRight(),), r"LayoutRight\(\)"),
    "rows to padded": (
        lambda: md.zeros((3, md.dim(4))),
        (md.LayoutRightPadded(md.dim(5)),),
        r"LayoutRightPadded\(padding=dim\(5\)\)",
    ),
    "backwards to strides": (lambda: md.zeros((3, 4))[::-1], (md.LayoutStride,), r"LayoutStride\(\)"),
    "layout and other extents": (lambda: md.zeros((3, 4)), (md.LayoutRight(), (md.dim(3), 5)), None),
    "other extents": (lambda: md.zeros((3, 4)), ((md.dim(3), md.dim(5)),), None),
    "mapping": (lambda: md.Mapping((3, 4)), (md.LayoutLeft(),), None),
}


@pytest.mark.parametrize("name", CONVERSIONS)
def test_a_conversion_names_the_copy_that_makes_it_if_one_does(name):
    make, arguments, way = CONVERSIONS[name]
    with pytest.raises(errors.ConversionError, match=rf"relayout\(view, {way}\)$" if way else r"^((?!relayout).)*$"):
        md.conversions.convert(make(), *arguments)
