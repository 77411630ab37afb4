"""Late plans: whatever is asked of a part, in whatever order, has the answer of a part that is derived at once."""

import gc
import pickle
import sys
import weakref
from array import array
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from itertools import combinations, product
from typing import final

import numpy as np
import pytest
from samples import LayoutBanded, LayoutMortonLike, LayoutSymmetric, all_indices

from mdview import (
    ALL,
    AtomicAccessor,
    CheckedAccessor,
    DefaultAccessor,
    ExtentSlice,
    Layout,
    LayoutBlasPacked,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    ScaledAccessor,
    broadcast_to,
    diagonal,
    dim,
    flip,
    permute_dims,
    reshape,
    sliding_window,
    submapping,
    subview,
)
from mdview.engines.scalar import late_plans
from mdview.errors import IndexOutOfRangeError, NullViewError
from mdview.views.base import late_tables_of

E = 6


@final
@dataclass(frozen=True)
class LayoutBlocks(Layout):
    """A sum of a term in each index, which nobody has declared to be one."""

    def offset(self, extents, index):
        i, j = index
        return i // 3 * 24 + j // 2 * 6 + i % 3 * 2 + j % 2

    def required_span_size(self, extents):
        return 100


@final
@dataclass(frozen=True)
class LayoutOwnSlices(Layout):
    """Says of its slices what its offsets do not: rows are reversed in every part."""

    def offset(self, extents, index):
        return index[0] // 2 * 12 + index[0] % 2 + index[1] * 2

    def required_span_size(self, extents):
        return 40

    def sub(self, extents, slices):
        return LayoutRight(), 1


def view_of(mapping, accessor=None):
    return MDView.from_mapping(list(range(1000, 1000 + mapping.required_span_size)), mapping, accessor)


def of(layout, *extents):
    return view_of(Mapping(extents or (E, E), layout))


TILED = LayoutTiled(2, 3)
WHOLES = {
    "tiled": lambda: of(TILED),
    "static": lambda: of(TILED, dim(E), E),
    "nested": lambda: of(LayoutTiled(4, 4, inner=LayoutTiled(2, 2))),
    "left tiles": lambda: of(LayoutTiled(4, 2, outer=LayoutLeft(), inner=LayoutLeft())),
    "morton": lambda: of(LayoutMorton()),
    "compact": lambda: of(LayoutMorton(compact=True, fastest="first"), E, 3),
    "swizzled": lambda: of(LayoutSwizzled(LayoutRight(), 1, 0, 2)),
    "swizzled tiles": lambda: of(LayoutSwizzled(TILED, 1, 0, 2)),
    "packed": lambda: of(LayoutBlasPacked("upper", "column")),
    "packed by rows": lambda: of(LayoutBlasPacked("upper", "row")),
    "transposed": lambda: permute_dims(of(TILED), (1, 0)),
    "blocks": lambda: of(LayoutBlocks()),
    "banded": lambda: of(LayoutBanded(6, 6)),
    "morton-like": lambda: of(LayoutMortonLike()),
    "symmetric": lambda: of(LayoutSymmetric()),
    "sliced": lambda: of(TILED, 9, 9)[2:8, 1:7],
    "stepped": lambda: of(TILED, 12, 12)[::2, 10::-2],
    "flipped": lambda: flip(of(TILED)),
    "reshaped": lambda: reshape(of(TILED, 4, 9), (E, E)),
    "reshaped and sliced": lambda: reshape(of(TILED, 4, 12), (8, E))[1:7],
    "broadcast": lambda: broadcast_to(of(TILED)[1:2], (E, E)),
    "sliding": lambda: sliding_window(of(TILED, 8, 3), 3, 0)[:, 1],
    "diagonal": lambda: diagonal(sliding_window(of(TILED, 4, 4), (2, 2)), 0, 0, 1),
    "line": lambda: of(LayoutTiled(4, inner=LayoutRight()), 16)[1:10:2],
    "own slices": lambda: of(LayoutOwnSlices()),
    "scaled": lambda: view_of(Mapping((E, E), TILED), ScaledAccessor(3, DefaultAccessor())),
    "atomic": lambda: view_of(Mapping((E, E), LayoutMorton()), AtomicAccessor()),
    "checked": lambda: view_of(Mapping((E, E), LayoutMorton()), CheckedAccessor()),
}
RANGES = [(a, z) for a in range(E) for z in range(a + 1, E + 1)]
STEPPED = [slice(None, None, 2), slice(4, 0, -3), slice(None, None, -1), slice(1, None, 7)]


def keys(view):
    """Every range of each dimension with one of the others, and some keys of every other kind."""
    each = []
    for e in view.extents:
        some = [slice(a, z) for a, z in RANGES if z <= e]
        each.append([*some, *STEPPED, slice(None), 0, e - 1])
    for key in product(*[own[:: 1 + r] for r, own in enumerate(each)]):
        if not all(isinstance(k, int) for k in key):
            yield key


def slices_of(key, extents):
    found = []
    for k, e in zip(key, extents, strict=True):
        if isinstance(k, int):
            found.append(k)
        elif k == slice(None):
            found.append(ALL)
        else:
            taken = range(e)[k]
            found.append(
                (taken.start, taken.stop) if taken.step == 1 else ExtentSlice(taken.start, len(taken), taken.step)
            )
    return found


def derived(view, key):
    """Return the part as a view of its own mapping, derived at once."""
    mapping, start = submapping(view.mapping, *slices_of(key, view.extents))
    return MDView.from_mapping(view.data, mapping, view.accessor, origin=view.origin + start)


def told(view):
    """Everything that a view says of where its elements lie."""
    mapping = view.mapping
    facts = type(mapping.layout), mapping, view.static_extents, view.origin, mapping.found_strides(), repr(view)
    return facts, list(mapping.offsets())


def elements(view):
    return [view[index] for index in all_indices(view.extents)]


@pytest.mark.no_cover
@pytest.mark.parametrize("name", WHOLES)
def test_each_part_is_what_is_derived_at_once(name):
    view = WHOLES[name]()
    for key in keys(view):
        expected = derived(view, key)
        if expected.size == 0:
            continue
        for part in (view[key], view[key]):
            assert elements(part) == elements(expected), key
            assert part.rank == expected.rank
            assert told(part) == told(expected), key


@pytest.mark.parametrize("name", ["tiled", "static", "morton", "transposed", "blocks", "sliced", "stepped", "flipped"])
def test_tables_tell_where_the_elements_of_a_part_lie(name):
    view = WHOLES[name]()
    memory = MDView.from_mapping(array("d", view.data), view.mapping, origin=view.origin)
    for key in [key for key in list(keys(view))[::11] if derived(view, key).size]:
        found = late_tables_of(memory[key])
        assert found is not None
        storage, tables, start = found
        assert [storage.items[start + sum(entries)] for entries in product(*tables)] == elements(view[key])
    assert late_tables_of(WHOLES["reshaped"]()[1:4]) is late_tables_of(WHOLES["packed"]()[1:4]) is None


@pytest.mark.parametrize("layout", [LayoutTiled(2, 3), LayoutMorton(), LayoutTranspose(LayoutTiled(2, 2))], ids=repr)
def test_an_array_of_a_part_shares_memory_where_the_mapping_has_strides(layout):
    data = np.arange(64.0)
    view = MDView(data, (6, 6), layout)
    for first, last in product(combinations(range(7), 2), repeat=2):
        key = slice(*first), slice(*last)
        found, part = np.asarray(view[key]), view[key]
        assert part.mapping.extents == found.shape
        assert found.tolist() == np.asarray(part).tolist() == np.asarray(view)[key].tolist()
        assert np.shares_memory(found, data) == np.shares_memory(np.asarray(part), data) == part.is_strided


@pytest.mark.no_cover
@pytest.mark.parametrize("name", WHOLES)
def test_parts_of_parts_turned_and_not_are_those_of_what_is_derived(name):
    view = WHOLES[name]()
    for key in list(keys(view))[::5]:
        expected = derived(view, key)
        if 0 in expected.extents:
            continue
        assert (elements(flip(view[key])), told(flip(view[key]))) == (elements(flip(expected)), told(flip(expected)))
        for inner in list(keys(expected))[::9]:
            turned, own = flip(flip(view[key]), -1)[inner], flip(flip(expected), -1)[inner]
            assert (elements(turned), told(turned)) == (elements(own), told(own)), (key, inner)
            part, own = view[key][inner], expected[inner]
            assert (elements(part), told(part)) == (elements(own), told(own)), (key, inner)


@pytest.mark.parametrize("name", [name for name in WHOLES if name != "scaled"])
def test_stores_reach_the_element_and_no_other(name):
    view = WHOLES[name]()
    for key in list(keys(view))[::7]:
        part, expected = view[key], derived(view, key)
        if not part.size:
            continue
        for index in all_indices(expected.extents):
            before = list(view.data)
            part[index] = -3
            after = list(view.data)
            view.data[:] = before
            expected[index] = -3
            assert list(view.data) == after
            view.data[:] = before


def window():
    return of(TILED)[1:5, 2:6]


WAYS = {
    "copy": copy,
    "pickle": lambda w: pickle.loads(pickle.dumps(w)),  # noqa: S301 - what it has made itself
    "move": lambda w: w.move(),
    "brackets": lambda w: w[:, :],
    "subview": lambda w: subview(w, ALL, ALL),
}


@pytest.mark.parametrize("ask", WAYS.values(), ids=WAYS)
def test_a_part_travels_before_anybody_asks_for_its_mapping(ask):
    made = ask(window())
    assert (elements(made), made.mapping) == (elements(window()), window().mapping)


@pytest.mark.parametrize("touch", [lambda _: None, lambda w: w.mapping, lambda w: w[0], flip])
def test_a_part_that_is_released_is_the_null_view(touch):
    part = window()
    touch(part)
    part.release()
    assert (part.data, part.extents, part.origin) == (None, (0, 0), 0)
    assert (flip(part).data, subview(part, ALL, ALL).data) == (None, None)
    with pytest.raises(NullViewError):
        part[0, 0]


def test_a_part_of_a_released_view_stays():
    view = of(TILED)
    part = view[1:5, 2:6]
    view.release()
    assert (elements(part), part.mapping) == (elements(window()), window().mapping)


def test_elements_are_reached_without_a_mapping(monkeypatch):
    view = of(TILED)
    monkeypatch.setattr(late_plans, "select", None)
    part = flip(view[1:5, 2:6])[1:3]
    assert [part[i, j] for i in range(2) for j in range(4)] == [view[i, j] for i in (3, 2) for j in (5, 4, 3, 2)]
    with pytest.raises(TypeError):
        _ = part.mapping


def test_a_layout_that_speaks_for_its_slices_is_asked(monkeypatch):
    monkeypatch.setattr(late_plans, "select", None)
    part = of(LayoutOwnSlices())[2:4, 1:3]
    assert (elements(part), part.layout) == ([1001, 1002, 1003, 1004], LayoutRight())


def test_an_offset_below_the_data_is_refused_in_every_part_whichever_is_asked_for_first():
    @dataclass(frozen=True)
    class LayoutBelow(Layout):
        def offset(self, extents, index):
            return index[0] // 2 * 12 + index[0] % 2 + index[1] // 2 * 4 + index[1] % 2 * 2 - 2

        def required_span_size(self, extents):
            return 40

    view = of(LayoutBelow())
    assert view[2:4, 2:4][0, 0] == view[2, 2]
    for below in (
        lambda: view[0:2, 0:2][0, 0],
        lambda: view[0:3, 0:3][:1][0, 0],
        lambda: flip(view[0:3, 0:3], 1)[:, ::-1][0, 0],
        lambda: view[0][0],
    ):
        with pytest.raises(IndexOutOfRangeError):
            below()


def test_an_index_out_of_range_is_refused_as_in_any_view():
    part = window()
    with pytest.raises(IndexOutOfRangeError, match="index 4 is out of range for extent 4 of dimension 0"):
        part[4, 0]
    assert part[-1, -1] == part[3, 3]
    with pytest.raises(AttributeError, match="'MDView' object has no attribute 'nothing'"):
        _ = part.nothing
    assert not hasattr(window(), "__array_interface__")


def test_parts_are_equal_again_when_what_was_known_of_them_is_gone():
    view = of(TILED)
    first = told(view[1:5, 2:6])
    others = of(TILED, 70, 70)
    for i, j in product(range(66), repeat=2):
        _ = others[i : i + 4, j : j + 4]
    assert told(view[1:5, 2:6]) == first


class LayoutUnhashable(Layout):
    __hash__ = None

    def offset(self, extents, index):
        return index[0] // 2 * 12 + index[0] % 2 + index[1] * 2

    def required_span_size(self, extents):
        return 40


def test_a_layout_goes_with_its_last_view_however_its_parts_were_asked_for():
    view = of(LayoutUnhashable())
    known = weakref.ref(view.layout)
    gc.disable()
    try:
        part = view[1:4, 1:4]
        assert (part[1:3][1].tolist(), flip(part, 0).tolist()[-1]) == (view[3, 1:4].tolist(), view[1, 1:4].tolist())
        del view, part
        assert known() is None
    finally:
        gc.enable()


def test_threads_that_ask_at_once_find_one_mapping():
    for _ in range(20):
        part = window()
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda w: (w.mapping, w.origin), [part] * 8))
        assert found == [(window().mapping, window().origin)] * 8


CALLS = {name: WHOLES[name] for name in WHOLES if name not in {"own slices", "diagonal", "line", "banded", "sliding"}}


@pytest.mark.parametrize("name", [name for name in CALLS if "reshaped" not in name])
def test_a_new_window_takes_few_calls(name):
    view = WHOLES[name]()
    for key in ((slice(0, 2), slice(0, 2)), (0,)):
        flip(view[key])[0]
    counted = []
    sys.setprofile(lambda _, event, __: counted.append(event) if event == "call" else None)
    try:
        flip(view[1:3, 1:3])
        view[1]
    finally:
        sys.setprofile(None)
    assert len(counted) < 60


@pytest.mark.parametrize("item_format", ["d", ">d"])
def test_parts_of_a_reshape_that_begins_anywhere_are_those_of_its_elements(item_format):
    data = np.arange(100).astype(f"{item_format[:-1]}f8")
    base = MDView.from_mapping(data, Mapping((3, 7, 2), LayoutStrideRelaxed((4, -4, 2), 25)), origin=24)
    row = flip(reshape(base, (42,)))
    whole = broadcast_to(permute_dims(reshape(row, (42, 1)), (1, 0)), (3, 42))
    wanted = np.broadcast_to(np.asarray(base).reshape(42)[::-1], (3, 42))
    steps = [slice(None), slice(None, None, -1), slice(3, 30, 3), slice(40, None, -1)]
    for key in product([slice(1, 3), slice(None, None, 2)], steps):
        part = whole[key]
        assert [part[i] for i in all_indices(part.shape)] == wanted[key].ravel().tolist()
