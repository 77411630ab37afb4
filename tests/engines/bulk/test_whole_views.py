"""Whole-view access is the definition: load every element, then store each in index order, for all layouts and ways.

Each property runs by every way there is: NumPy arrays with all their limits made small, NumPy arrays with the limits as
they are, slices of the items with small limits, and what a view of this size takes by itself.
"""

import functools
import math
import operator
import sys
from array import array
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import final
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import (
    MAPPINGS,
    CountingAccessor,
    LayoutBanded,
    LayoutMortonLike,
    LayoutSymmetric,
    all_indices,
)

from mdview import (
    AtomicAccessor,
    AtomicRef,
    CheckedAccessor,
    ConjugatedAccessor,
    DefaultAccessor,
    Layout,
    LayoutBlasPacked,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    RestrictAccessor,
    ScaledAccessor,
    asview,
    atomic,
    broadcast_to,
    copy,
    elements,
    equal,
    fill,
    flip,
    pad,
    reduce,
    reshape,
    submapping,
)
from mdview.engines.bulk import padded_runs, row_buffers, runs, small_views, staging, whole_views
from mdview.engines.bulk.arrays import cache_order, gather, progressions, regions, strided_blocks, transfers
from mdview.engines.bulk.arrays.sides import side_of
from mdview.errors import HaloError
from mdview.views.base import parts_of
from mdview.views.derive import derived

SMALL_ARRAYS = {
    whole_views: {"PAYS_FROM": 0},
    small_views: {"MOST": 0, "_known": {}},
    strided_blocks: {"SMALLEST": 0, "SHORTEST_RUN": 0},
    gather: {"CHUNK": 5, "LONGEST": 6},
    transfers: {"STEP": 7, "LONGEST": 4},
    cache_order: {"STEP": 7, "TRANSPOSED_FROM": 0, "PANEL_ROWS": 2, "PANEL_LENGTH": 3, "LONGEST_RUN": 32},
    regions: {"SMALLEST": 3, "SMALLEST_CALLED": 2, "PAYS_FROM": 1},
    progressions: {"SHORTEST": 2, "LONGEST": 3, "CHUNK": 5},
    staging: {"MOST_MEMORY": 16},
}
WAYS = {
    "arrays, small limits": SMALL_ARRAYS,
    "arrays": {whole_views: {"PAYS_FROM": 0}, small_views: {"MOST": 0, "_known": {}}},
    "runs, small limits": {
        whole_views: {"PAYS_FROM": 10**9},
        small_views: {"MOST": 0, "_known": {}},
        padded_runs: {"AT_ONCE": 5},
        runs: {"TRACED_FROM": 0, "MOST": 2, "MOST_REPEATED": 4},
        row_buffers: {"PAYS_FROM": 1, "SMALLEST": 1, "SHORTEST_RUN": 2},
        staging: {"MOST_MEMORY": 16},
    },
    "by itself": {},
}


@contextmanager
def way(name):
    with ExitStack() as stack:
        for module, limits in WAYS[name].items():
            stack.enter_context(mock.patch.multiple(module, **limits))
        strided_blocks.common_blocks.cache_clear()
        regions.regions.cache_clear()
        yield
    strided_blocks.common_blocks.cache_clear()
    regions.regions.cache_clear()


WAY = st.sampled_from(sorted(WAYS))
"""How to get there."""


@st.composite
def extents_of(draw):
    rank = draw(st.integers(0, 3))
    return tuple(draw(st.lists(st.integers(0 if draw(st.integers(0, 9)) == 0 else 1, 7), min_size=rank, max_size=rank)))


@st.composite
def mapping_over(draw, extents):
    """Mapping of any kind of layout over given extents, with offsets that are not negative."""
    rank = len(extents)
    kinds = ["right", "left", "relaxed", "relaxed", "tiled", "tiled", "nested", "morton", "morton-like", "swizzled"]
    kinds += ["composed", "reshaped", "padded"] if rank else []
    kinds += ["banded", "symmetric"] if rank == 2 else []
    kinds += ["packed"] if rank == 2 and extents[0] == extents[1] else []
    kind = draw(st.sampled_from(kinds))
    tile = draw(st.tuples(*[st.integers(1, 4)] * rank))
    if kind == "relaxed":
        strides = draw(st.tuples(*[st.integers(-9, 9)] * rank))
        low = sum((n - 1) * s for n, s in zip(extents, strides, strict=True) if s < 0 and n)
        return Mapping(extents, LayoutStrideRelaxed(strides, max(0, -low) + draw(st.integers(0, 2))))
    if kind == "composed":
        wider = tuple(2 * e + 2 for e in extents)
        base = Mapping(wider, draw(st.sampled_from([LayoutTiled(*tile), LayoutMortonLike(), LayoutMorton()])))
        first = draw(st.tuples(*[st.integers(0, 2)] * rank))
        slices = [
            slice(f, f + 2 * e, 2) if draw(st.booleans()) else slice(f, f + e)
            for f, e in zip(first, extents, strict=True)
        ]
        cut = submapping(base, *[(s.start, s.stop) if s.step is None else s for s in slices])[0]
        return flip(cut) if draw(st.booleans()) else cut
    if kind == "reshaped":
        return reshape(Mapping((math.prod(extents),), LayoutTiled(draw(st.integers(1, 5)))), extents)
    layouts = {
        "right": LayoutRight(),
        "left": LayoutLeft(),
        "padded": LayoutRightPadded(9),
        "tiled": LayoutTiled(*tile, outer=draw(st.sampled_from([LayoutRight(), LayoutLeft()]))),
        "nested": LayoutTiled(*[4] * rank, inner=LayoutTiled(*[2] * rank, inner=LayoutLeft())),
        "morton": LayoutMorton(compact=draw(st.booleans())),
        "morton-like": LayoutMortonLike(),
        "swizzled": LayoutSwizzled(LayoutRight(), 1, 0, 2),
        "banded": LayoutBanded(7, 7),
        "symmetric": LayoutSymmetric(),
        "packed": LayoutBlasPacked("upper", "row"),
    }
    if kind == "symmetric":
        side = max(extents)
        return submapping(Mapping((side, side), LayoutSymmetric()), (0, extents[0]), (0, extents[1]))[0]
    return Mapping(extents, layouts[kind])


def spans(mapping):
    return 1 + max([mapping(*index) for index in all_indices(mapping.extents)], default=-1)


NUMBERS = {
    "b": st.integers(-128, 127),
    "B": st.integers(0, 255),
    "h": st.integers(-(2**15), 2**15 - 1),
    "q": st.integers(-(2**63), 2**63 - 1),
    "Q": st.integers(0, 2**64 - 1),
    "f": st.floats(width=32, allow_nan=False),
    "d": st.floats(allow_nan=False),
    "?": st.booleans(),
    "e": st.floats(width=16, allow_nan=False),
    "Zd": st.complex_numbers(allow_nan=False),
    ">i": st.integers(-(2**31), 2**31 - 1),
    "c": st.binary(min_size=1, max_size=1),
    "O": st.one_of(st.integers(), st.text(max_size=2), st.none()),
}


def numpy_type(item_format):
    return {"Zd": "c16", ">i": ">i4", "e": "f2"}.get(item_format, item_format)


@st.composite
def data_of(draw, length, item_format=None):
    """Memory or list of at least ``length`` items, and their format."""
    chosen = item_format or draw(st.sampled_from(sorted(NUMBERS)))
    numbers = draw(st.lists(NUMBERS[chosen], min_size=3, max_size=8))
    items = [numbers[(k * k + k) % len(numbers)] for k in range(length)]
    if chosen == "O":
        return items
    if chosen in {"Zd", ">i", "e"}:
        return np.array(items, dtype=numpy_type(chosen))
    memory = memoryview(bytearray(max(1, length) * np.dtype(numpy_type(chosen)).itemsize)).cast(chosen)
    for k, item in enumerate(items):
        memory[k] = item
    return memory


def dump(data):
    """What data holds, bit for bit."""
    return list(data) if isinstance(data, list) else bytes(data)


def clone(data):
    if isinstance(data, list):
        return list(data)
    if isinstance(data, np.ndarray):
        return data.copy()
    return memoryview(bytearray(data)).cast(data.format) if len(data) else data


def plain(value):
    return value.load() if isinstance(value, AtomicRef) else value


def values_of(view):
    """All values in index order, element by element."""
    return [plain(view[index]) for index in all_indices(view.extents)]


def store_each(view, values):
    for index, value in zip(all_indices(view.extents), values, strict=True):
        view[index] = value


def errors_of(source, target):
    """Load all elements and store them; kinds of errors of that, none where all is well.

    Where one cannot be loaded and an earlier one cannot be stored, either may be found out first.
    """
    errors = []
    loaded = []
    try:
        for index in all_indices(source.extents):
            loaded.append(plain(source[index]))  # noqa: PERF401 - so that those before an error stay
    except Exception as error:  # noqa: BLE001 - whatever it is, the other way raises it, too
        errors.append(type(error))
    try:
        for index, value in zip(all_indices(target.extents), loaded, strict=False):
            target[index] = value
    except Exception as error:  # noqa: BLE001 - likewise
        errors.append(type(error))
    return tuple(errors)


ACCESSORS = [DefaultAccessor(), CheckedAccessor(), RestrictAccessor(), AtomicAccessor(), CountingAccessor()]
READING = [*ACCESSORS, ReadOnlyAccessor(), ScaledAccessor(2), ConjugatedAccessor()]


@given(st.data(), WAY)
def test_copying_is_loading_all_and_storing_each(data, name):
    extents = data.draw(extents_of())
    into, out = data.draw(mapping_over(extents)), data.draw(mapping_over(extents))
    source_data = data.draw(data_of(spans(out) + 3))
    kinds = [None, source_data.format] if isinstance(source_data, memoryview) else [None]
    target_data = data.draw(data_of(spans(into) + 3, data.draw(st.sampled_from(kinds))))
    origins = data.draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))
    writing, reading = data.draw(st.sampled_from(ACCESSORS)), data.draw(st.sampled_from(READING))
    source = MDView.from_mapping(source_data, out, reading, origin=origins[1])
    target = MDView.from_mapping(target_data, into, writing, origin=origins[0])
    before, expected_data = dump(target_data), clone(target_data)
    expected = MDView.from_mapping(expected_data, into, writing, origin=origins[0])
    errors = errors_of(source, expected)
    with way(name):
        if not errors:
            copy(source, target)
            assert dump(target_data) == dump(expected_data)
        elif writing.is_plain:
            with pytest.raises(errors):
                copy(source, target)
            assert dump(target_data) == before


@given(st.data(), WAY)
def test_source_and_target_may_share_memory(data, name):
    extents = data.draw(extents_of())
    into, out = data.draw(mapping_over(extents)), data.draw(mapping_over(extents))
    origins = data.draw(st.tuples(st.integers(0, 5), st.integers(0, 5)))
    memory = data.draw(data_of(max(spans(into) + origins[0], spans(out) + origins[1], 1)))
    expected_data = clone(memory)
    expected = MDView.from_mapping(expected_data, into, origin=origins[0])
    store_each(expected, values_of(MDView.from_mapping(expected_data, out, origin=origins[1])))
    # Not the same storage: another hold of the same memory.
    held = memory if isinstance(memory, list) or data.draw(st.booleans()) else memoryview(memory)
    with way(name):
        copy(MDView.from_mapping(held, out, origin=origins[1]), MDView.from_mapping(memory, into, origin=origins[0]))
    assert dump(memory) == dump(expected_data)


@given(st.data(), WAY)
def test_filling_is_storing_to_each(data, name):
    mapping = data.draw(mapping_over(data.draw(extents_of())))
    accessor = data.draw(st.sampled_from(ACCESSORS))
    memory = data.draw(data_of(spans(mapping) + 2))
    value = data.draw(st.sampled_from(list(memory) if isinstance(memory, list) else memory.tolist()))
    view = MDView.from_mapping(memory, mapping, accessor, origin=1)
    expected_data = clone(memory)
    try:
        store_each(MDView.from_mapping(expected_data, mapping, accessor, origin=1), [value] * mapping.size)
    except (TypeError, ValueError) as error:  # the accessor's own: no negative of None, or none that fits
        with way(name), pytest.raises(type(error)):
            fill(view, value)
        return
    with way(name):
        fill(view, value)
    assert dump(memory) == dump(expected_data)


@given(st.data(), WAY)
def test_lists_and_folds_hold_the_values_in_index_order(data, name):
    mapping = data.draw(mapping_over(data.draw(extents_of())))
    accessor = data.draw(st.sampled_from([DefaultAccessor(), ReadOnlyAccessor(), AtomicAccessor()]))
    view = MDView.from_mapping(data.draw(data_of(spans(mapping) + 2)), mapping, accessor, origin=1)
    values = values_of(view)
    with way(name):
        assert repr(list(whole_views.values(parts_of(view).operand()))) == repr(values)
        flat = view.tolist()
        assert reduce(lambda text, value: f"{text}{value!r}", view, initial="") == "".join(map(repr, values))
    for _ in view.extents[1:] if view.size else ():
        flat = functools.reduce(operator.iadd, flat, [])
    if view.size:
        assert repr(flat) == repr(values if view.rank else values[0])


@given(st.data(), WAY)
def test_views_are_equal_when_all_values_are(data, name):
    extents = data.draw(extents_of())
    first, second = data.draw(mapping_over(extents)), data.draw(mapping_over(extents))
    memory = data.draw(data_of(spans(first)))
    mine = MDView.from_mapping(memory, first)
    formats = [memory.format] if isinstance(memory, memoryview) else ["O"]
    other = data.draw(st.sampled_from([*formats, "q", "d"]))
    its = MDView.from_mapping(data.draw(data_of(spans(second), other)), second)
    with way(name):
        assert equal(mine, its) == (values_of(mine) == values_of(its))
        if "?" not in formats:
            row = MDView([0] * mine.size, extents)
            copy(mine, row)
            assert equal(mine, row)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
@pytest.mark.parametrize("name", WAYS)
def test_a_halo_is_read_and_never_stored_to(name, mode):
    tiled = MDView.from_mapping(array("d", range(64)), Mapping((5, 6), LayoutTiled(2, 4)))
    padded = pad(tiled, ((1, 2), (0, 3)), mode=mode, constant=-1.5)
    expected = values_of(padded)
    target = MDView(array("d", bytes(8 * padded.size)), padded.extents, LayoutLeft())
    with way(name):
        copy(padded, target)
        assert values_of(target) == expected
        assert equal(padded, target)
        with pytest.raises(HaloError, match="stored to"):
            copy(target, padded)
        with pytest.raises(HaloError, match="stored to"):
            fill(padded, 1.0)
    assert [tiled.accessor.read(tiled.data, k) for k in range(64)] == list(range(64))


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("sample", MAPPINGS)
def test_every_layout_is_read_and_written_by_every_way(sample, name):
    mapping = MAPPINGS[sample]
    data = array("q", range(100, 103 + mapping.required_span_size))
    view = MDView.from_mapping(data, mapping, origin=2)
    row = MDView(array("q", range(mapping.size)), mapping.extents)
    expected_data = data[:]
    expected = MDView.from_mapping(expected_data, mapping, origin=2)
    store_each(expected, values_of(row))
    with way(name):
        target = MDView(array("q", bytes(8 * max(1, mapping.size))), mapping.extents, LayoutLeft())
        copy(view, target)
        assert values_of(target) == values_of(view)
        copy(row, view)
    assert data == expected_data


def test_a_target_that_repeats_keeps_what_comes_last():
    data = array("q", [0] * 10)
    rows = broadcast_to(MDView(data, (10,)), (4, 10))
    with way("arrays"):
        copy(MDView(array("q", range(40)), (4, 10)), rows)
    assert data.tolist() == list(range(30, 40))


@pytest.mark.parametrize("name", WAYS)
def test_bytes_move_between_items_of_one_format(name):
    payload = np.array([0x7F800001, 0xFFC12345], dtype=np.uint32)
    target = np.zeros(2, dtype=np.float32)
    with way(name):
        copy(MDView(payload.view(np.float32), (2,)), MDView(target, (2,)))
    assert target.view(np.uint32).tolist() == payload.tolist()


@pytest.mark.parametrize("name", WAYS)
def test_records_and_dates_are_moved(name):
    records = np.array([(1, 2.5), (3, 4.5), (5, 6.5)], dtype=[("a", "i4"), ("b", "f8")])
    dates = np.array(["2020-01-01", "2021-02-03", "NaT"], dtype="M8[D]")
    for values in (records, dates):
        expected = values.copy()
        expected[1:] = values[:-1].copy()
        with way(name):
            whole = asview(values)
            copy(whole[:-1], whole[1:])
            assert values.tobytes() == expected.tobytes()
            whole[:] = values[0]
        assert values.tobytes() == expected[:1].tobytes() * 3


@pytest.mark.parametrize("name", WAYS)
def test_an_array_of_objects_is_copied_one_by_one(name):
    objects = np.array(["a", None, (1,)], dtype=object)
    target = [0, 0, 0]
    with way(name):
        copy(asview(objects), MDView(target, (3,)))
        assert target == ["a", None, (1,)]
        copy(MDView([7, 8, 9], (3,)), asview(objects))
    assert objects.tolist() == [7, 8, 9]


@pytest.mark.parametrize("name", WAYS)
def test_a_number_that_does_not_fit_changes_nothing(name):
    data = array("h", [1, 2, 3])
    with way(name):
        with pytest.raises(ValueError, match="items of format 'h' take integers from -32768 to 32767, got int 40000"):
            copy(MDView(array("q", [5, 6, 40_000]), (3,)), MDView(data, (3,)))
        with pytest.raises(TypeError):
            copy(MDView(array("d", [5, 6, 7]), (3,)), MDView(data, (3,)))
        copy(MDView(array("q", [5, 6, -32_768]), (3,)), MDView(data, (3,)))
    assert data.tolist() == [5, 6, -32_768]


def test_an_integer_becomes_a_float_by_way_of_a_double():
    number = 2**60 + 2**36 + 1  # a double in between rounds twice
    target = array("f", [0.0])
    with way("arrays"):
        copy(MDView(array("q", [number]), (1,)), MDView(target, (1,)))
    assert target[0] == np.float32(float(number))
    assert np.float32(float(number)) != np.array([number]).astype(np.float32)[0]


def test_without_numpy_the_same_comes_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "mdview.engines.bulk.arrays.sides", None)
    monkeypatch.setattr(whole_views, "PAYS_FROM", 0)
    view = MDView(array("d", range(24)), (4, 6), LayoutTiled(2, 3))
    row = MDView(array("d", bytes(8 * 24)), (4, 6))
    copy(view, row)
    assert row.tolist() == view.tolist() == [[view[i, j] for j in range(6)] for i in range(4)]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, AttributeError, MemoryError])
def test_what_stops_numpy_breaks_no_later_copy(error, monkeypatch):
    class Stop:
        @staticmethod
        def find_spec(name, path, target=None):
            if name == "mdview.engines.bulk.arrays.sides":
                raise error

    monkeypatch.setattr(whole_views, "PAYS_FROM", 0)
    monkeypatch.setattr(small_views, "MOST", 0)
    monkeypatch.setattr(small_views, "_known", {})
    source, row = MDView(array("d", range(24)), (4, 6), LayoutLeft()), MDView(array("d", bytes(8 * 24)), (4, 6))
    with monkeypatch.context() as stopped:
        stopped.delitem(sys.modules, "mdview.engines.bulk.arrays.sides")
        stopped.setattr(sys, "meta_path", [Stop, *sys.meta_path])
        if error is KeyboardInterrupt:
            with pytest.raises(KeyboardInterrupt):
                copy(source, row)
            assert set(values_of(row)) == {0.0}
        else:
            copy(source, row)
            assert row.tolist() == source.tolist()
    copy(source, row)
    assert row.tolist() == source.tolist()


@pytest.mark.parametrize("loaded", [True, False])
def test_numpy_is_loaded_where_it_pays(loaded, monkeypatch):
    if not loaded:
        monkeypatch.delitem(sys.modules, "numpy")
    monkeypatch.setattr(whole_views, "PAYS_FROM", 10)
    monkeypatch.setattr(whole_views, "PAYS_TO_LOAD_FROM", 20)
    operand = parts_of(MDView(array("d", bytes(8 * 15)), (15,))).operand()
    assert (whole_views._sides(operand) is not None) == loaded


def sides_of(*views):
    return [side_of(parts_of(view).operand()) for view in views]


def test_operands_are_read_and_written_in_step():
    tiled = [MDView(array("d", range(k, k + 64)), (8, 8), LayoutTiled(4, 4)) for k in range(3)]
    sides = sides_of(*tiled)
    with way("arrays"):
        (place,) = transfers.steps(*sides)
    assert place.shape == (64,)
    sides[0].store(place, sides[1].read(place, 1) + sides[2].read(place, 2))
    expected = MDView([2 * k + 3 for k in range(64)], (8, 8), LayoutTiled(4, 4))
    assert tiled[0].tolist() == expected.tolist()


def test_what_does_not_fall_apart_is_read_in_index_order():
    views = [MDView(array("d", range(16)), (4, 4), layout) for layout in (LayoutSymmetric(), LayoutMorton())]
    sides = sides_of(*views)
    with way("arrays"):
        read = [[side.read(place) for place in transfers.steps(*sides)] for side in sides]
    assert [np.concatenate(each).ravel().tolist() for each in read] == [values_of(v) for v in views]


@pytest.mark.parametrize("view", [MDView([1, 2], (2,)), atomic(MDView(array("d", [1]), (1,)))])
def test_what_is_no_memory_or_no_arithmetic_is_not_read_as_arrays(view):
    assert sides_of(view) == [None]


@pytest.mark.parametrize("name", WAYS)
def test_items_of_two_words_are_moved_whole(name):
    numbers = np.arange(12) * (1 - 2j)
    target = np.zeros(12, dtype=complex)
    with way(name):
        copy(flip(MDView(numbers, (12,))), MDView(target, (12,)))
    assert target.tolist() == numbers[::-1].tolist()


@pytest.mark.parametrize("columns", [3, 20])
def test_elements_are_read_when_they_are_asked_for(columns):
    data = array("q", range(4 * columns))
    view = MDView(data, (4, columns))
    walk = iter(elements(view[::-1]))
    assert next(walk) == 3 * columns
    data[3 * columns + 1] = -1
    data[0] = -2
    assert list(walk) == [-1, *range(3 * columns + 2, 4 * columns), *view[2], *view[1], -2, *range(1, columns)]


@pytest.mark.parametrize("store", [copy, lambda source, target: target.__setitem__(slice(None), source)])
def test_values_that_do_not_fit_change_nothing_through_an_accessor_either(store):
    data = array("b", [1, 2, 3])
    with pytest.raises((TypeError, ValueError, OverflowError)):
        store(MDView([7, 8, 900], (3,)), MDView(data, (3,), accessor=AtomicAccessor()))
    assert list(data) == [1, 2, 3]


def test_records_are_copied_before_they_are_replaced_through_an_accessor_too():
    data = np.array([(k, k / 2) for k in range(4)], "i2, f4")
    backwards = Mapping((4,), LayoutStrideRelaxed((-1,), 3))
    view = asview(data)
    copy(derived(view, backwards, 0, view.accessor), derived(view, view.mapping, 0, AtomicAccessor()))
    assert data["f0"].tolist() == [3, 2, 1, 0]


def test_more_dimensions_than_an_array_has_take_another_way():
    extents = (*[1] * 70, 2000)
    view, target = MDView(array("q", range(2000)), extents), MDView(array("q", [0] * 2000), extents)
    copy(view, target)
    assert equal(view, target)
    assert reduce(np.add, target) == sum(range(2000))
    fill(target, 5)
    assert list(target.data) == [5] * 2000


@final
@dataclass(frozen=True)
class LayoutEqualToAnything(Layout):
    """A user's mistake: it answers yes to every comparison, and its hash is that of another layout."""

    def offset(self, extents, index):
        return index[0] * 9 + index[1]

    def required_span_size(self, extents):
        return 99

    def __hash__(self):
        return hash(LayoutTiled(2, 3))

    def __eq__(self, other):
        return True


@pytest.mark.parametrize("pays_from", [0, whole_views.PAYS_FROM])
def test_a_layout_that_is_equal_to_anything_harms_no_other(pays_from):
    data = array("q", range(99))
    for layout in (LayoutEqualToAnything(), LayoutTiled(2, 3), LayoutMortonLike(), LayoutEqualToAnything()):
        view = MDView(data, (5, 6), layout)
        wanted = [view.mapping(i, j) for i in range(5) for j in range(6)]
        dense = MDView(array("q", bytes(240)), (5, 6))
        with mock.patch.object(whole_views, "PAYS_FROM", pays_from):
            copy(view, dense)
        assert dense.data.tolist() == [view[i, j] for i in range(5) for j in range(6)] == wanted
    assert Mapping((5, 6), LayoutEqualToAnything()) != Mapping((5, 6), LayoutTiled(2, 3))
