"""What users hold and hand over: immutable values, equal numbers of other types, texts of anything in a message."""

import copy
import gc
import pickle
import sys
import types
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from public import PUBLIC
from samples import accessors, layouts, mappings

import mdview as md
from mdview.errors import AbsentAttributeError, ExtentsTypeError, OperandError

BIG = 10**5000
VALUES = [
    *(md.ExtentSlice(1, 2), md.RangeSlice(1, 2, 3), md.StridedSlice(1, 2, 1), md.ALL, md.dim(3)),
    *(md.index.IndexMap.of_reshape((2, 3), (6,)), md.Mapping((2, 3))),
    *[layouts.LAYOUTS[name]((4, 4)) for name in layouts.LAYOUTS],
    *[make() for name, make in accessors.ACCESSORS.items() if "counting" not in name],
]
NAMES = vars(layouts) | vars(mappings) | vars(accessors) | PUBLIC


@pytest.mark.parametrize("value", VALUES, ids=[f"{k} {type(value).__name__}" for k, value in enumerate(VALUES)])
def test_a_value_travels_equals_its_like_alone_and_cannot_be_changed(value):
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):  # noqa: S301 - our own
        assert (again, hash(again), type(again), repr(again)) == (value, hash(value), type(value), repr(value))
    if isinstance(value, md.Layout | md.Accessor):
        assert eval(repr(value), NAMES) == value  # noqa: S307 - our own
    assert [other for other in VALUES if type(other) is not type(value) and other == value] == []
    for name in (*getattr(value, "__match_args__", ()), "unknown") if not isinstance(value, int) else ():
        for change in (lambda: setattr(value, name, 1), lambda: delattr(value, name)):  # noqa: B023 - called at once
            with pytest.raises(AttributeError, match=name):
                change()


def test_fields_are_given_by_place_by_name_or_by_default():
    assert md.ExtentSlice(1, 2) == md.ExtentSlice(1, extent=2) == md.ExtentSlice(extent=2, offset=1, stride=1)
    match md.RangeSlice(1, 7, 3):
        case md.RangeSlice(first, last, step):
            assert (first, last, step) == (1, 7, 3)


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((1, 2, 3, 4), {}, r"ExtentSlice\(\) .*3 .*4"),
        ((), {}, "offset"),
        ((1, 2), {"z": 1}, "'z'"),
        ((1, 2), {"extent": 1}, "'extent'"),
    ],
)
def test_fields_that_do_not_fit_are_named(args, kwargs, words):
    with pytest.raises(OperandError, match=words):
        md.ExtentSlice(*args, **kwargs)


def test_a_value_checks_itself_also_when_it_arrives():
    make, ([(cls, fields, inner), *within],) = md.accessors.AlignedAccessor(16).__reduce__()
    for call in (lambda: md.accessors.AlignedAccessor(3), lambda: make([(cls, [3, *fields[1:]], inner), *within])):
        with pytest.raises(md.errors.AccessorError, match="3"):
            call()


class Refusing:
    """What has no text."""

    def __repr__(self):
        raise ValueError("no text")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((BIG,), "(<integer of about 5000 digits>,)"),
        ([1, (-BIG, "a")], "[1, (<negative integer of about 5000 digits>, 'a')]"),
        (slice(None, BIG), "slice(None, <integer of about 5000 digits>, None)"),
        (range(BIG), "range(0, <integer of about 5000 digits>, 1)"),
        ({1: BIG}, "<dict that has no text>"),
        (Refusing(), "<Refusing that has no text>"),
        ((Refusing(), 1), "(<Refusing that has no text>, 1)"),
    ],
    ids=range(7),
)
def test_what_python_does_not_write_is_described(value, text):
    with pytest.raises(ExtentsTypeError) as caught:
        md.dim(value)
    assert text in str(caught.value)


def test_long_numbers_have_a_text_and_a_process_may_have_a_lower_limit():
    number = "<integer of about 5000 digits>"
    assert (repr(md.Dim(BIG)), str(md.Dim(BIG))) == (f"dim({number})", number)
    assert repr(md.ExtentSlice(0, BIG)) == f"ExtentSlice(offset=0, extent={number}, stride=dim(1))"
    assert repr(md.LayoutStrideRelaxed((BIG, 1))) == f"LayoutStrideRelaxed(({number}, 1), offset=0)"
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(IndexError, match=r"integer of about 700 digits.* 3"):
            md.Mapping((3,))(10**700)
    finally:
        sys.set_int_max_str_digits(limit)


# What is derived from equal objects is shared, and never taken for that of others.


def test_equal_numbers_of_other_types_and_equal_mappings_of_other_layouts_are_told_apart():
    row = md.MDView(list(range(3)), (3,))
    for _ in range(2):
        assert md.broadcast_to(row, (2, 3)).mapping.static_extents == (None, None)
        assert md.broadcast_to(row, (md.dim(2), 3)).mapping.static_extents == (2, None)
        for wrong in (2.0, [2]):
            with pytest.raises(ExtentsTypeError, match=r"2\.0|\[2\]"):
                md.broadcast_to(row, (wrong, 3))
        for layout in (md.LayoutRight(), md.LayoutStride((6, 1))):
            view = md.MDView(list(range(24)), (4, 6), layout)
            assert type(view[1:3].layout) is type(md.subview(view, (1, 3), md.ALL).layout) is type(layout)


def test_windows_are_right_however_many_there_are():
    views = [md.MDView(list(range(5000)), (50, 50), md.LayoutTiled(k, 2)) for k in (2, 3)]
    for view in (*views, *views):
        for i in range(48):
            assert [view[i : i + 2, j : j + 2][1, 1] for j in range(48)] == [view[i + 1, j + 1] for j in range(48)]


@dataclass
class LayoutScaled(md.Layout):
    """A layout that changes and has no hash, or holds what a test hands it."""

    factors: list
    held: Any = None
    __hash__ = None

    def offset(self, extents, index):
        return index[0] * self.factors[0]

    def required_span_size(self, extents):
        return 100


def test_nothing_is_remembered_of_a_layout_that_has_no_hash():
    layout = LayoutScaled([2])
    for factor in (2, 5):
        layout.factors[0] = factor
        assert [*md.flip(md.Mapping((4,), layout), 0).offsets()] == [3 * factor, 2 * factor, factor, 0]
        assert md.MDView(list(range(100)), (4,), layout)[1:].tolist() == [factor, 2 * factor, 3 * factor]


class Much(bytearray):
    """What nobody keeps alive."""


class Slotted:
    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held


WAYS = {
    "itself": lambda held: held,
    "attribute": lambda held: types.SimpleNamespace(held=held),
    "slot": Slotted,
    "method": lambda held: types.MethodType(lambda self: self, held),
    "containers": lambda held: ({"key": [held]},),
    "array": lambda held: np.frombuffer(held, np.uint8)[:1],
    "memoryview": lambda held: memoryview(held)[:1],
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_layout_holds_much_of_is_let_go_with_it(way):
    class LayoutHolding(LayoutScaled):
        __hash__ = object.__hash__
        __eq__ = object.__eq__

    much = Much(1 << 14)
    known = weakref.ref(much)
    layout = LayoutHolding([3], WAYS[way](much))
    view = md.MDView(list(range(100)), (4,), layout)
    assert (view[1:][0], view.tolist(), md.flip(view)[0], *md.iteration.indices(md.flip(view, 0))) == (
        *(3, [0, 3, 6, 9], 9),
        *[(k,) for k in range(4)],
    )
    del much, layout, view, LayoutHolding
    gc.collect()
    assert known() is None


# Names that the package has not.


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("LayoutRigth", "LayoutRight"), ("layoutright", "LayoutRight"), ("mdview", "MDView"), ("error", "errors")],
)
def test_a_misspelt_name_is_told_the_name_that_is_meant(wrong, meant):
    with pytest.raises(AbsentAttributeError, match=rf"{wrong!r}; .* {meant}\?$"):
        getattr(md, wrong)
    with pytest.raises(ImportError, match=wrong):
        exec(f"from mdview import {wrong}")


def test_what_is_written_instead_of_a_name_of_numpys_runs(tmp_path):
    ways = []
    for name in {"mdspan", *dir(np)} - {*dir(md)}:
        with pytest.raises(AttributeError) as caught:
            getattr(md, name)
        way = str(caught.value).partition("; ")[2]
        ways += [way.removeprefix("write ")] if way.startswith("write ") else []
        assert way.startswith(("write ", "did you mean ", f"NumPy has np.{name}: ")) or name.startswith("_")
    assert len(ways) > 5
    names = PUBLIC | {"extents": (2, 3), "data": [0] * 6, "mdview": md, "path": tmp_path / "array.npy"}
    names |= {"view": md.zeros((4, 4)), "np": np}
    np.save(names["path"], np.zeros(3))
    for way in ways:
        for text in way.split(", or "):
            made = eval(text, names)  # noqa: S307 - text of our own
            assert made is None or callable(made) or isinstance(made, md.MDView | np.ndarray | float)


def test_names_that_python_asks_for_are_absent_without_a_guess():
    for name in ("__wrapped__", "_repr_html_", "__path2__"):
        with pytest.raises(AttributeError, match=f"{name!r}$"):
            getattr(md, name)
