"""Elementwise functions: transform into views and bins, accumulate into shared elements."""

import operator
import struct
from array import array
from itertools import product

import numpy as np
import pytest
from effort import share
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import MAPPINGS, CountingAccessor

from mdview import (
    AtomicAccessor,
    Binned,
    DefaultAccessor,
    LayoutLeft,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    ScaledAccessor,
    accumulate,
    asview,
    atomic,
    broadcast_to,
    errors,
    flip,
    pad,
    readonly,
    transform,
)
from mdview.accessors.buffers import Storage

SHARE = share(1000, 60)


def lists(view):
    return view.events.tolist() if isinstance(view, Binned) else view.tolist()


def on_array(mapping, start=0, before=0):
    """View of numbers in a buffer, some way into it."""
    length = before + mapping.required_span_size
    return MDView.from_mapping(array("d", range(start, start + length)), mapping, origin=before)


def of_bytes(drawn, k):
    """Mapping of operand ``k``: up to four dimensions, each as the others have it, of extent 1, or left out."""
    extents = [1 + n % 3 for n in drawn[:4]]
    strides = [n // 3 % (9 + 4 * k) - 4 for n in drawn[:4]]
    cut = drawn[4 + k] % (len(extents) + 1) if k and len(drawn) > 4 + k else 0
    ones = [r for r in range(len(extents)) if k and len(drawn) > 6 and drawn[6] >> (r + k) & 1]
    extents = [1 if r in ones else e for r, e in enumerate(extents)][cut:]
    strides = strides[cut:]
    lowest = sum((e - 1) * s for e, s in zip(extents, strides, strict=True) if s < 0)
    return Mapping(tuple(extents), LayoutStrideRelaxed(strides, -lowest))


@settings(max_examples=SHARE)
@given(st.binary(max_size=7), st.booleans())
def test_a_transform_is_the_function_at_each_index(drawn, in_arrays):
    views = [on_array(of_bytes(drawn, k), start=7 * k, before=k) for k in range(3)]
    f = np.add if in_arrays else operator.add
    expected = np.asarray(views[0]) + np.asarray(views[1])
    found = transform(f, views[0], views[1])
    assert found.extents == expected.shape
    assert found.tolist() == expected.tolist()


@settings(max_examples=SHARE)
@given(st.binary(max_size=7), st.booleans())
def test_accumulation_meets_each_index_in_turn(drawn, in_arrays):
    target, operand = on_array(of_bytes(drawn, 1), before=2), on_array(of_bytes(drawn, 0), start=50)
    expected = list(target.data)
    shared, given_ = broadcast_to(target, operand.extents), operand.tolist()
    for index in product(*map(range, operand.extents)):
        value = given_
        for i in index:
            value = value[i]
        place = target.origin + shared.mapping(*index)
        expected[place] = expected[place] - value
    accumulate(np.subtract if in_arrays else operator.sub, target, operand)
    assert target.data.tolist() == expected


@pytest.mark.parametrize("f", [operator.mul, np.multiply], ids=["values", "arrays"])
@pytest.mark.parametrize("mapping", MAPPINGS.values(), ids=MAPPINGS)
def test_operands_and_outputs_have_any_layout(mapping, f):
    view = on_array(mapping, before=1)
    expected = (np.asarray(view) * np.asarray(view)).tolist()
    assert transform(f, view, view).tolist() == expected
    if not mapping.is_unique:
        return
    out = on_array(mapping, before=3)
    untouched = [k for k in range(len(out.data)) if k - 3 not in set(mapping.offsets())]
    before = out.data.tolist()
    assert transform(f, view, view, out=out) is out
    assert out.tolist() == expected
    assert [out.data[k] for k in untouched] == [before[k] for k in untouched]
    accumulate(np.add if f is np.multiply else operator.add, out, view)
    assert out.tolist() == (np.asarray(view) * np.asarray(view) + np.asarray(view)).tolist()


# The output may overlap operands.


@pytest.mark.parametrize("f", [operator.add, np.add], ids=["values", "arrays"])
def test_operands_are_read_before_the_output_is_written(f):
    data = array("q", [1, 2, 4, 8, 16])
    line = MDView(data, (5,))
    transform(f, line[:4], line[1:], out=line[1:])
    assert data.tolist() == [1, 3, 6, 12, 24]
    transform(f, line, flip(line), out=flip(line))
    assert data.tolist() == [25, 15, 12, 15, 25]
    accumulate(f, line[:1], line)
    assert data.tolist() == [25 + 92, 15, 12, 15, 25]
    accumulate(f, broadcast_to(line[1:2], (5,)), line)
    assert data.tolist() == [117, 15 + 184, 12, 15, 25]


# Bins.


@pytest.fixture
def binned():
    """Six events in cells of 2, 0 and 3; one event lies between."""
    return Binned(MDView(array("d", [1, 2, 9, 3, 4, 5]), (6,)), [(0, 2), (1, 1), (3, 6)])


@pytest.mark.parametrize("f", [operator.mul, np.multiply], ids=["values", "arrays"])
def test_dense_operands_have_one_value_for_all_events_of_a_cell(binned, f):
    found = transform(f, binned, MDView([10.0, 20.0, 30.0], (3,)))
    assert found.events.tolist() == [10, 20, 90, 120, 150]
    assert found.bins.ranges == [(0, 2), (2, 2), (2, 5)]
    assert transform(f, MDView([10.0, 20.0, 30.0], (3,)), binned, out=binned) is binned
    assert binned.events.tolist() == [10, 20, 9, 90, 120, 150]


@pytest.mark.parametrize("f", [operator.add, np.add], ids=["values", "arrays"])
def test_events_are_accumulated_into_dense_elements_and_back(binned, f):
    total = MDView(array("d", [0, 0, 0, 0]), (4,), LayoutStrideRelaxed((-1,), 3))
    accumulate(f, total[:3], binned)
    assert total.tolist() == [3, 0, 12, 0]
    accumulate(f, binned, total[:3])
    assert binned.events.tolist() == [4, 5, 9, 15, 16, 17]
    grand = MDView(array("d", [0]), (1,))
    accumulate(f, grand, binned)
    assert grand[0] == 4 + 5 + 15 + 16 + 17


@pytest.mark.parametrize("f", [operator.sub, np.subtract], ids=["values", "arrays"])
@pytest.mark.parametrize("axis", [0, 1])
def test_bins_of_arrays_keep_their_extents(f, axis):
    events = MDView(array("d", range(12)), (3, 4) if axis else (4, 3), LayoutLeft())
    cells = Mapping((2,), LayoutStrideRelaxed((-1,), 1))
    binned = Binned(events, [(0, 1), (1, 4)], axis=axis, cells=cells)
    found = transform(f, binned, MDView([10.0, 20.0], (2,)))
    for cell, shift in ((0, 10), (1, 20)):
        assert found[cell].tolist() == (np.asarray(binned[cell]) - shift).tolist()
    assert found.bins.ranges == [(0, 3), (3, 4)]
    assert found.bins.axis == axis


@pytest.mark.parametrize("f", [operator.add, np.add], ids=["values", "arrays"])
def test_several_binned_operands_go_in_step(binned, f):
    other = Binned(MDView(array("d", [300, 400, 500, 100, 200]), (5,)), [(3, 5), (0, 0), (0, 3)])
    assert transform(f, binned, other).events.tolist() == [101, 202, 303, 404, 505]
    column = MDView([1000.0, 2000.0], (2, 1))
    grid = transform(f, binned, column)
    assert grid.extents == (2, 3)
    assert [grid[1, k].tolist() for k in range(3)] == [[2001, 2002], [], [2003, 2004, 2005]]
    wrong = Binned(other.events, [(3, 5), (0, 1), (0, 3)])
    with pytest.raises(errors.BinsError, match=r"cell \(1,\) of \(3,\) has 0 and 1 elements"):
        transform(f, binned, wrong)
    with pytest.raises(errors.BinsError):
        transform(f, binned, out=wrong) if f is operator.add else transform(np.negative, binned, out=wrong)


@pytest.mark.parametrize("f", [operator.neg, np.negative], ids=["values", "arrays"])
def test_bins_of_a_plain_list_of_other_accessors_and_of_nothing(f):
    plain = Binned(MDView([1, 2, 3], (3,)), [(1, 3), (0, 0)])
    transform(f, plain, out=plain)
    assert plain.events.tolist() == [1, -2, -3]
    scaled = Binned(MDView([1.0, 2.0, 3.0], (3,), accessor=ScaledAccessor(10)), [(1, 3)])
    assert transform(f, scaled).events.tolist() == [-20, -30]
    empty = Binned(MDView(array("d"), (0, 2)), [(0, 0)] * 3)
    assert transform(f, empty).events.extents == (0, 2)
    hollow = Binned(MDView(array("d"), (2, 0)), [(0, 2)])
    assert transform(f, hollow).bins.ranges == [(0, 0)]
    none = Binned(MDView(array("d"), (0,)), [])
    assert transform(f, none).extents == (0,)


@pytest.mark.parametrize("f", [operator.add, np.add], ids=["values", "arrays"])
def test_nothing_is_accumulated_where_there_is_nothing(f):
    out = MDView(array("d", [5]), (1,))
    accumulate(f, out, MDView(array("d"), (0,)))
    assert out[0] == 5


# A failure changes nothing.


def test_a_function_that_fails_changes_nothing():
    data = [4, 2, 0, 1]
    view = MDView(data, (4,))
    with pytest.raises(ZeroDivisionError):
        transform(lambda x: 8 // x, view, out=view)
    with pytest.raises(ZeroDivisionError):
        accumulate(lambda out, x: out + 8 // x, view, view)
    assert data == [4, 2, 0, 1]


def test_a_result_that_does_not_fit_changes_nothing(binned):
    small = Binned(MDView(array("b", [1, 2, 3]), (3,)), [(0, 3)])
    with pytest.raises(ValueError, match="format"):
        transform(lambda x: 100 * x, small, out=small)
    with pytest.raises(ValueError, match="format"):
        transform(np.multiply, small, MDView(array("q", [100]), (1,)), out=small)
    with pytest.raises(ValueError, match="format"):
        accumulate(lambda x: 100 * x, small)
    assert small.events.tolist() == [1, 2, 3]
    with pytest.raises(TypeError):
        transform(str, binned, out=binned)
    with pytest.raises(TypeError):
        accumulate(np.add, MDView(array("q", [0]), (1,)), binned)
    with pytest.raises(ValueError, match="format"):
        accumulate(np.add, small, MDView(array("q", [200]), (1,)))
    with pytest.raises(TypeError):
        accumulate(np.true_divide, MDView(array("q", [3]), (1,)), MDView(array("q", [2]), (1,)))
    assert small.events.tolist() == [1, 2, 3]
    assert binned.events.tolist() == [1, 2, 9, 3, 4, 5]


@pytest.mark.parametrize("f", [operator.add, np.add], ids=["values", "arrays"])
@pytest.mark.parametrize("accessor", [DefaultAccessor(), AtomicAccessor()], ids=repr)
@pytest.mark.parametrize("item_format", ["h", ">h"])
def test_a_dense_output_keeps_its_elements_if_one_result_does_not_fit(f, accessor, item_format):
    data = bytearray(8)
    view = MDView.from_mapping(Storage(data, item_format), Mapping((2, 2), LayoutLeft()), accessor)
    transform(np.add, view, MDView(array("q", [1, 2, 3, 30000]), (2, 2)), out=view)
    before = bytes(data)
    with pytest.raises((ValueError, struct.error)):
        transform(f, view, asview(np.full((2, 2), 10000)), out=view)
    with pytest.raises((ValueError, struct.error)):
        accumulate(f, view, asview(np.full((2, 2), 10000)))
    assert bytes(data) == before


def test_what_fits_after_rounding_is_stored_rounded():
    single = Binned(MDView(array("f", [1, 2]), (2,)), [(0, 2)])
    transform(np.true_divide, single, MDView(array("d", [3.0]), (1,)), out=single)
    assert single.events.tolist() == pytest.approx([1 / 3, 2 / 3], rel=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda v, b: transform(operator.neg), errors.OperandError, "at least one operand; fill"),
        (
            lambda v, b: transform(operator.add, v, 2),
            errors.OperandError,
            "operand 1 must be a view or Binned, got int",
        ),
        (lambda v, b: accumulate(operator.add, [1], v), errors.OperandError, "operand 0 must be"),
        (lambda v, b: transform(operator.add, v, v[:2]), errors.BroadcastError, "operand 1 of extents"),
        (lambda v, b: transform(operator.neg, v, out=v[:1]), errors.BroadcastError, r"have extents \(3,\), the output"),
        (
            lambda v, b: transform(operator.neg, v, out=broadcast_to(v[:1], (3,))),
            errors.BroadcastError,
            "is broadcast: several results would go to one element; use accumulate",
        ),
        (lambda v, b: transform(operator.neg, b, out=v), errors.OperandError, "a dense output cannot hold; use acc"),
        (lambda v, b: transform(operator.neg, v, out=readonly(v)), errors.ReadOnlyError, "the output is read-only"),
        (lambda v, b: accumulate(operator.add, readonly(v), v), errors.ReadOnlyError, "the output is read-only"),
        (lambda v, b: transform(operator.neg, MDView.null((2,))), errors.NullViewError, "no elements to walk over"),
        (lambda v, b: transform(operator.neg, v[:0], out=MDView.null((2,))), errors.NullViewError, "null view"),
        (lambda v, b: transform(operator.neg, v, out=pad(v[1:2], 1)), errors.HaloError, "padding"),
        (lambda v, b: accumulate(operator.add, pad(v[1:2], 1), v), errors.HaloError, "valid_box"),
        (lambda v, b: transform(np.add, v), errors.OperandError, "'add' is a function of 2 values, got 1"),
        (lambda v, b: transform(np.add, v, v, v), errors.OperandError, "is a function of 2 values, got 3"),
        (lambda v, b: accumulate(np.add, v), errors.OperandError, "is a function of 2 values, got 1"),
        (lambda v, b: transform(np.divmod, v, v), errors.OperandError, "does not give one value at each index"),
        (lambda v, b: transform(np.matmul, v, v), errors.OperandError, "does not give one value at each index"),
    ],
)
def test_what_does_not_go_together_is_refused_and_changes_nothing(binned, call, error, message):
    data = array("d", [1, 2, 3])
    with pytest.raises(error, match=message):
        call(MDView(data, (3,)), binned)
    assert data.tolist() == [1, 2, 3]
    assert binned.events.tolist() == [1, 2, 9, 3, 4, 5]


# Results and accessors.


def test_results_that_no_buffer_holds_are_held_by_a_list():
    objects = np.empty(2, dtype=object)
    objects[:] = ["a", "b"]
    found = transform(np.add, asview(objects), asview(objects))
    assert found.tolist() == ["aa", "bb"]
    assert found.format == "O"
    assert transform(str, MDView([1, 2], (2,))).tolist() == ["1", "2"]


def test_types_of_results_are_those_of_numpy_for_its_functions():
    small = MDView(array("b", [100, 100]), (2,))
    assert transform(np.add, small, small).tolist() == [-56, -56]
    assert transform(operator.add, small, small).tolist() == [200, 200]
    assert transform(np.greater, small, small).format == "?"


def test_a_halo_reads_as_its_fill_says():
    view = pad(MDView([1, 2], (2,)), 1, constant=7)
    assert transform(operator.neg, view).tolist() == transform(np.negative, view).tolist() == [-7, -1, -2, -7]


@pytest.mark.parametrize("f", [operator.add, np.add], ids=["values", "arrays"])
def test_other_accessors_take_part(f):
    numbers = atomic(MDView([1, 2, 3], (3,)))
    accumulate(f, numbers, numbers)
    assert numbers.data == [2, 4, 6]
    assert transform(f, numbers, numbers, out=numbers).data == [4, 8, 12]
    negated = MDView.from_mapping([1.0, 2.0], Mapping((2,)), CountingAccessor())
    assert transform(f, negated, negated).tolist() == [-2, -4]
    accumulate(f, negated, negated)
    assert negated.data == [2.0, 4.0]


def test_rank_0_is_one_value():
    one = MDView([3], ())
    assert transform(operator.neg, one)[()] == transform(np.negative, one)[()] == -3
    total = MDView(array("q", [0]), ())
    accumulate(np.add, total, MDView(array("q", [1, 2, 3]), (3,)))
    accumulate(operator.add, total, MDView(array("q", [1, 2, 3]), (3,), LayoutTiled(2)))
    assert total[()] == 12


def test_functions_of_other_numbers_of_values():
    view = MDView(array("d", [1, 4]), (2,))
    accumulate(np.sqrt, view)
    assert view.tolist() == [1, 2]
    accumulate(lambda out, x, y: out + x * y, view, view, view)
    assert view.tolist() == [2, 6]
    assert transform(lambda x, y, z: x + y + z, view, view, view).tolist() == [6, 18]
