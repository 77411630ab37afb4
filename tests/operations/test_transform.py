"""Elementwise functions: transform into views and bins, accumulate into shared elements."""

import operator
from array import array
from itertools import product

import numpy as np
import pytest
from effort import share
from hypothesis import given, settings
from hypothesis import strategies as st
from processes import output_of
from samples.layouts import LAYOUTS, bound, takes

import mdview as md
from mdview import errors

SHARE = share(1000, 60)
EACH_WAY = pytest.mark.parametrize("in_arrays", [False, True], ids=["values", "arrays"])
"""A function of values, or one of NumPy for whole arrays."""
ADD, SUB, MUL, NEG = [
    (getattr(operator, name), getattr(np, ufunc))
    for name, ufunc in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("neg", "negative"))
]


def on_array(mapping, start=0, before=0):
    """View of numbers in a buffer, some way into it."""
    length = before + mapping.required_span_size
    return md.MDView.from_mapping(array("d", range(start, start + length)), mapping, origin=before)


def of_bytes(drawn, k):
    """Mapping of operand ``k``: up to four dimensions, each as the others have it, of extent 1, or left out."""
    extents = [1 + n % 3 for n in drawn[:4]]
    strides = [n // 3 % (9 + 4 * k) - 4 for n in drawn[:4]]
    cut = drawn[4 + k] % (len(extents) + 1) if k and len(drawn) > 4 + k else 0
    ones = [r for r in range(len(extents)) if k and len(drawn) > 6 and drawn[6] >> (r + k) & 1]
    extents = [1 if r in ones else e for r, e in enumerate(extents)][cut:]
    strides = strides[cut:]
    lowest = sum((e - 1) * s for e, s in zip(extents, strides, strict=True) if s < 0)
    return md.Mapping(tuple(extents), md.LayoutStrideRelaxed(strides, -lowest))


@settings(max_examples=SHARE)
@given(st.binary(max_size=7), st.booleans())
def test_a_transform_is_the_function_at_each_index(drawn, in_arrays):
    views = [on_array(of_bytes(drawn, k), start=7 * k, before=k) for k in range(3)]
    expected = np.asarray(views[0]) + np.asarray(views[1])
    found = md.transform(ADD[in_arrays], views[0], views[1])
    assert found.extents == expected.shape
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("shape", [(1, 4), (4, 1)], ids=str)
@pytest.mark.parametrize("name", [name for name in LAYOUTS if takes(name, (1, 4))])
def test_an_operand_of_any_layout_repeats(name, shape):
    mapping = bound(name, shape)
    for view in (on_array(mapping), md.pad(on_array(mapping), 1, "wrap")[:1]):
        other = np.ones((2, *[4 if n == 1 else n for n in view.extents]))
        for f in ADD:
            assert md.transform(f, view, md.asview(other)).tolist() == (np.asarray(view) + other).tolist()


@settings(max_examples=SHARE)
@given(st.binary(max_size=7), st.booleans())
def test_accumulation_meets_each_index_in_turn(drawn, in_arrays):
    target, operand = on_array(of_bytes(drawn, 1), before=2), on_array(of_bytes(drawn, 0), start=50)
    expected = list(target.data)
    shared, values = md.broadcast_to(target, operand.extents), np.asarray(operand)
    for index in product(*map(range, operand.extents)):
        expected[target.origin + shared.mapping(*index)] -= values[index]
    md.operations.accumulate(SUB[in_arrays], target, operand)
    assert target.data.tolist() == expected


@EACH_WAY
def test_operands_are_read_before_the_output_is_written(in_arrays):
    data, f = array("q", [1, 2, 4, 8, 16]), ADD[in_arrays]
    line = md.MDView(data, (5,))
    md.transform(f, line[:4], line[1:], out=line[1:])
    assert data.tolist() == [1, 3, 6, 12, 24]
    md.transform(f, line, md.flip(line), out=md.flip(line))
    assert data.tolist() == [25, 15, 12, 15, 25]
    md.operations.accumulate(f, line[:1], line)
    assert data.tolist() == [25 + 92, 15, 12, 15, 25]
    md.operations.accumulate(f, md.broadcast_to(line[1:2], (5,)), line)
    assert data.tolist() == [117, 15 + 184, 12, 15, 25]


# Bins.


def numbers(*values):
    return md.MDView(array("d", values), (len(values),))


@pytest.fixture
def binned():
    """Six events in cells of 2, 0 and 3; one event lies between."""
    return md.iteration.Binned(numbers(1, 2, 9, 3, 4, 5), [(0, 2), (1, 1), (3, 6)])


@EACH_WAY
def test_dense_operands_have_one_value_for_all_events_of_a_cell(binned, in_arrays):
    f, dense = MUL[in_arrays], numbers(10, 20, 30)
    found = md.transform(f, binned, dense)
    assert found.events.tolist() == [10, 20, 90, 120, 150]
    assert found.bins.ranges == [(0, 2), (2, 2), (2, 5)]
    assert md.transform(f, dense, binned, out=binned) is binned
    assert binned.events.tolist() == [10, 20, 9, 90, 120, 150]


@EACH_WAY
def test_events_are_accumulated_into_dense_elements_and_back(binned, in_arrays):
    total, grand = md.MDView(array("d", [0, 0, 0, 0]), (4,), md.LayoutStrideRelaxed((-1,), 3)), numbers(0)
    md.operations.accumulate(ADD[in_arrays], total[:3], binned)
    assert total.tolist() == [3, 0, 12, 0]
    md.operations.accumulate(ADD[in_arrays], binned, total[:3])
    assert binned.events.tolist() == [4, 5, 9, 15, 16, 17]
    md.operations.accumulate(ADD[in_arrays], grand, binned)
    md.operations.accumulate(ADD[in_arrays], grand, numbers())  # nothing
    assert grand[0] == 4 + 5 + 15 + 16 + 17


@EACH_WAY
def test_padding_beside_bins_has_its_value_for_all_events_of_a_cell(binned, in_arrays):
    padded = md.pad(numbers(10), 1, mode="constant", constant=1)
    assert md.transform(MUL[in_arrays], binned, padded).events.tolist() == [1, 2, 3, 4, 5]
    assert md.transform(MUL[in_arrays], binned, padded[1:2]).events.tolist() == [10, 20, 30, 40, 50]


def test_bins_need_no_numpy():
    output_of("""
import sys; sys.modules["numpy"] = None
import mdview, operator; from mdview.iteration import Binned
binned, factor = Binned(mdview.MDView([1, 2, 9, 3], (4,)), [(0, 2), (3, 4), (1, 1)]), mdview.MDView([10, 20, 30], (3,))
assert mdview.transform(operator.mul, binned, factor).events.tolist() == [10, 20, 60]
mdview.operations.accumulate(operator.add, factor, binned)
assert factor.tolist() == [13, 23, 30]
""")


@EACH_WAY
@pytest.mark.parametrize("axis", [0, 1])
def test_bins_of_arrays_keep_their_extents(axis, in_arrays):
    events = md.MDView(array("d", range(12)), (3, 4) if axis else (4, 3), md.LayoutLeft())
    cells = md.Mapping((2,), md.LayoutStrideRelaxed((-1,), 1))
    binned = md.iteration.Binned(events, [(0, 1), (1, 4)], axis=axis, cells=cells)
    found = md.transform(SUB[in_arrays], binned, numbers(10, 20))
    for cell, shift in ((0, 10), (1, 20)):
        assert found[cell].tolist() == (np.asarray(binned[cell]) - shift).tolist()
    assert (found.bins.ranges, found.bins.axis) == ([(0, 3), (3, 4)], axis)


@EACH_WAY
def test_several_binned_operands_go_in_step(binned, in_arrays):
    other = md.iteration.Binned(numbers(300, 400, 500, 100, 200), [(3, 5), (0, 0), (0, 3)])
    wrong = md.iteration.Binned(other.events, [(3, 5), (0, 1), (0, 3)])
    assert md.transform(ADD[in_arrays], binned, other).events.tolist() == [101, 202, 303, 404, 505]
    grid = md.transform(ADD[in_arrays], binned, md.MDView([1000.0, 2000.0], (2, 1)))
    assert grid.extents == (2, 3)
    assert [grid[1, k].tolist() for k in range(3)] == [[2001, 2002], [], [2003, 2004, 2005]]
    with pytest.raises(errors.BinsError, match=r"\(1,\) of \(3,\).*0 and 1"):
        md.transform(ADD[in_arrays], binned, wrong)
    with pytest.raises(errors.BinsError):
        md.transform(NEG[in_arrays], binned, out=wrong)


@EACH_WAY
def test_bins_of_a_plain_list_of_other_accessors_and_of_nothing(in_arrays):
    f, plain = NEG[in_arrays], md.iteration.Binned(md.MDView([1, 2, 3], (3,)), [(1, 3), (0, 0)])
    md.transform(f, plain, out=plain)
    assert plain.events.tolist() == [1, -2, -3]
    scaled = md.iteration.Binned(md.MDView([1.0, 2.0, 3.0], (3,), accessor=md.accessors.ScaledAccessor(10)), [(1, 3)])
    assert md.transform(f, scaled).events.tolist() == [-20, -30]
    assert md.transform(f, md.iteration.Binned(md.MDView(array("d"), (0, 2)), [(0, 0)] * 3)).events.extents == (0, 2)
    assert md.transform(f, md.iteration.Binned(md.MDView(array("d"), (2, 0)), [(0, 2)])).bins.ranges == [(0, 0)]
    assert md.transform(f, md.iteration.Binned(numbers(), [])).extents == (0,)


# A failure changes nothing.


def test_a_failure_changes_nothing(binned):
    ints = md.MDView([4, 2, 0, 1], (4,))
    small = md.iteration.Binned(md.MDView(array("b", [1, 2, 3]), (3,)), [(0, 3)])
    whole = md.MDView(array("q", [3]), (1,))
    for call, kind in [
        (lambda: md.transform(lambda x: 8 // x, ints, out=ints), ZeroDivisionError),
        (lambda: md.operations.accumulate(lambda out, x: out + 8 // x, ints, ints), ZeroDivisionError),
        (lambda: md.transform(lambda x: 100 * x, small, out=small), errors.ElementError),
        (lambda: md.transform(np.multiply, small, md.MDView(array("q", [100]), (1,)), out=small), errors.ElementError),
        (lambda: md.operations.accumulate(lambda x: 100 * x, small), errors.ElementError),
        (lambda: md.operations.accumulate(np.add, small, md.MDView(array("q", [200]), (1,))), errors.ElementError),
        (lambda: md.transform(str, binned, out=binned), TypeError),
        (lambda: md.operations.accumulate(np.add, whole, binned), TypeError),
        (lambda: md.operations.accumulate(np.true_divide, whole, whole), TypeError),
    ]:
        with pytest.raises(kind):
            call()
    assert (ints.data, small.events.tolist(), whole[0]) == ([4, 2, 0, 1], [1, 2, 3], 3)
    assert binned.events.tolist() == [1, 2, 9, 3, 4, 5]


@EACH_WAY
@pytest.mark.parametrize("accessor", [md.DefaultAccessor(), md.AtomicAccessor()], ids=repr)
@pytest.mark.parametrize("item_format", ["h", ">h"])
def test_a_dense_output_keeps_its_elements_if_one_result_does_not_fit(in_arrays, accessor, item_format):
    data = bytearray(8)
    cast = md.operations.bitcast(md.MDView(data, (8,)), item_format)
    view = md.MDView.from_mapping(np.asarray(cast), md.Mapping((2, 2), md.LayoutLeft()), accessor)
    md.transform(np.add, view, md.MDView(array("q", [1, 2, 3, 30000]), (2, 2)), out=view)
    before = bytes(data)
    for call in (
        lambda v, w: md.transform(ADD[in_arrays], v, w, out=v),
        lambda v, w: md.operations.accumulate(ADD[in_arrays], v, w),
    ):
        with pytest.raises(errors.ElementError):
            call(view, md.asview(np.full((2, 2), 10000)))
        assert bytes(data) == before != bytes(8)


# Results and accessors.


def test_types_of_results_are_those_of_numpy_for_its_functions_and_of_the_values_else():
    objects = md.asview(np.array(["a", "b"], dtype=object))
    joined = md.transform(np.add, objects, objects)
    assert (joined.tolist(), joined.format) == (["aa", "bb"], "O")
    assert md.transform(str, md.MDView([1, 2], (2,))).tolist() == ["1", "2"]
    small = md.MDView(array("b", [100, 100]), (2,))
    assert md.transform(np.add, small, small).tolist() == [-56, -56]
    assert md.transform(operator.add, small, small).tolist() == [200, 200]
    assert md.transform(np.greater, small, small).format == "?"
    single = md.iteration.Binned(md.MDView(array("f", [1, 2]), (2,)), [(0, 2)])
    md.transform(np.true_divide, single, numbers(3), out=single)
    assert single.events.tolist() == pytest.approx([1 / 3, 2 / 3], rel=1e-6)


def test_functions_of_other_numbers_of_values():
    view = numbers(1, 4)
    md.operations.accumulate(np.sqrt, view)
    md.operations.accumulate(lambda out, x, y: out + x * y, view, view, view)
    assert view.tolist() == [2, 6]
    assert md.transform(lambda x, y, z: x + y + z, view, view, view).tolist() == [6, 18]


RESULTS = {
    "floats": (lambda x: x + 0.5, "d"),
    "truth values": (lambda x: x > 1, "?"),
    "integers": (lambda x: 3 * x, "q"),
    "complex numbers": (lambda x: x * 1j, "Zd"),
    "integers among floats": (lambda x: x if x > 1 else 0.5, "O"),
    "integers of 70 bits": (lambda x: x << 70, "O"),
    "NumPy's numbers": (np.float32, "f"),
    "NumPy's texts": (np.str_, "O"),
    "texts": (str, "O"),
    "truth values among integers": (lambda x: x if x > 1 else False, "O"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_new_memory_has_the_type_of_all_results_of_a_function(name):
    function, item_format = RESULTS[name]
    source = md.MDView(array("q", [1, 2, 3, 4]), (2, 2), "left")
    results = md.transform(function, source)
    assert results.format == item_format
    assert results.tolist() == [[function(x) for x in row] for row in source.tolist()]


@pytest.mark.parametrize("function", [np.negative, lambda x: -x], ids=["ufunc", "function"])
def test_a_given_type_decides_and_refuses_what_it_does_not_hold(function):
    source = md.MDView(array("q", [1, 2, 300]), (3,))
    assert md.transform(function, source, dtype="i2").format == "h"
    assert md.transform(function, source, dtype="O").format == "O"
    with pytest.raises(errors.ElementError):
        md.transform(function, source, dtype="i1")
    with pytest.raises(errors.OperandError, match="dtype"):
        md.transform(function, source, out=source, dtype="i2")


@pytest.mark.parametrize("function", [np.sum, np.max, sum], ids=["np.sum", "np.max", "sum"])
def test_a_function_of_all_elements_is_refused(function):
    with pytest.raises(errors.OperandError, match=r"write reduce\(np\."):
        md.transform(function, md.MDView([1, 2], (2,)))
