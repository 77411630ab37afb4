"""Element access and parts: what brackets take and refuse, and that a part seen before is what is derived anew."""

import sys
import threading
from array import array
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from calls import calls_of
from effort import some
from samples.layouts import bound
from samples.mappings import MAPPINGS, LayoutBy, LayoutMortonLike
from samples.variants import indices_of

import mdview as md
from mdview.engines.mapping_plan import Plan
from mdview.errors import IndexOutOfRangeError

SMALL, LARGE = (3, 4), (40, 41)


def matrix(shape=SMALL, layout=None, accessor=None, data=list):
    mapping = md.Mapping(shape, layout or md.LayoutRight())
    return md.MDView.from_mapping(data(range(mapping.required_span_size)), mapping, accessor)


def grids(shape):
    """Views of one kind of access each: over memory and objects, of sums, of arithmetic, and of calls."""
    names = ("right", "left", "tiled", "Morton", "user's, symmetric", "user's, looping", "swizzled")
    for name, data in product(names, (list, lambda r: array("q", r))):
        if (mapping := bound(name, shape)) is not None:
            yield md.MDView.from_mapping(data(range(mapping.required_span_size + 9)), mapping)


class Point(NamedTuple):
    row: int
    column: int


@pytest.mark.parametrize("shape", [SMALL, (40, 40)])
def test_any_integer_is_an_index_and_wraps_once(shape):
    for view in grids(shape):
        wanted = view.data[view.mapping(1, 2)]
        for integer in (np.int8, np.uint8, np.int64, np.uint64, md.dim, int):
            assert view[integer(1), integer(2)] == view.at((integer(1), integer(2))) == wanted
        assert view[Point(1, 2)] == view[True, 2] == view[1 - shape[0], np.int8(2 - shape[1])] == wanted
        for index in [(0, shape[1]), (shape[0], 0), (-shape[0] - 1, 0), (0, -shape[1] - 1), (1 << 70, 0)]:
            for access in (lambda i=index, v=view: v[i], lambda i=index, v=view: v.__setitem__(i, 0)):
                with pytest.raises(IndexOutOfRangeError):
                    access()
    assert md.MDView(range(4000), (4, 1000), accessor=md.ReadOnlyAccessor())[np.int8(3), np.int8(100)] == 3100


def test_a_slice_never_reaches_data_that_knows_what_to_do_with_it():
    texts = np.array([f"{k:02}" for k in range(12)])
    for held, keys in (
        (texts, [slice(None, None, -2), slice(1, 3)]),
        (texts.reshape(3, 4), [(slice(1, 3), slice(0, 2)), (slice(None), 1), range(1, 3), 1, (), ..., (..., 1)]),
    ):
        for key in keys:
            view, same = md.asview(held.copy()), held[slice(1, 3) if isinstance(key, range) else key].tolist()
            assert view[(0,) * held.ndim] == "00"  # from now on by compiled code
            assert isinstance(view[key], md.MDView)
            assert view[key].tolist() == same
            view[key] = view[key]
            assert view[key].tolist() == same


def deep(extents, index):
    """More nesting than Python compiles."""
    total = 0
    for bit in range(300):
        total = total | (index[0] & (1 << bit))
    return total * 9 + index[1]


def shared(extents, index):
    """Ways within ways."""
    i, j = index
    part = (i + 1) * (j + 2)
    if part > 6:
        return part * part % 17 if i * j < 4 else part // 2 + i * j
    return part if i == j else extents[1] + part * 2


def waiting(extents, index):
    i, j = index
    while j > 0:
        i, j = i + 3, j - 1
    return i if i < 400 else i // 2


def hashed(extents, index):
    i, j = index
    for _ in range(300):
        i, j = (i ^ (i >> 1) ^ j) & 511, (j * 5 + 1) % 509
    return i


class Unhashable(LayoutBy):
    __hash__ = None


STRANGE = {
    "deep": LayoutBy(deep, 999),
    "fractions of symbols": LayoutBy(lambda _, index: index[0] * 9 + index[1] if type(index[0]) is int else 0.5, 999),
    "shared": LayoutBy(shared, 999),
    "by shape": LayoutBy(lambda e, i: i[0] * e[1] + i[1] if e[0] < e[1] else i[1] * e[0] + i[0], 999),
    "waiting": LayoutBy(waiting, 999),
    "hashed": LayoutBy(hashed, 999),
    "shifted": LayoutBy(lambda _, index: index[0] << -1 if index[0] > 1000 else (index[0] ^ index[1]) * 3, 999),
    "unhashable": Unhashable(lambda _, index: index[0] // 2 * 24 + index[0] % 2 + index[1] * 2, 999),
    "tiled": md.LayoutTiled(2, 3),
}
"""What a user's layout may do."""


def test_access_that_reads_many_numbers_is_that_of_few():
    whole = matrix((2, 1, 3, 1, 2, 2, 2), md.LayoutLeft(), md.CheckedAccessor())
    for view in (whole, md.reshape(whole, (4, 2, 6)), md.pad(whole, 1, "edge"), md.pad(whole, 1, constant=-1)):
        indices, array_of_view = some(indices_of(view.shape), 99), np.array(view)
        assert [view[index] for index in indices] == [array_of_view[index] for index in indices]


@pytest.mark.parametrize("shape", [(5, 6), (6, 5), (20, 30)], ids=str)
@pytest.mark.parametrize("name", STRANGE)
def test_whatever_a_layout_does_its_elements_are_those_of_its_offset(name, shape):
    layout = STRANGE[name]
    wanted = [layout.offset(shape, index) for index in indices_of(shape)]
    for accessor in (None, md.CheckedAccessor(), md.ReadOnlyAccessor(), md.AtomicAccessor()):
        view = md.MDView.from_mapping(array("q", range(1009)), md.Mapping(shape, layout), accessor)
        assert [view[index] for index in indices_of(shape)] == wanted
        assert np.array(view).ravel().tolist() == list(md.iteration.elements(view)) == wanted
        part = view[1:4, ::-2]
        places = [(1 + i, shape[1] - 1 - 2 * j) for i, j in indices_of(part.shape)]
        assert [part[index] for index in indices_of(part.shape)] == [view[place] for place in places]


def told(view):
    """Everything that a view says of where its elements lie."""
    return type(view.layout), view.mapping, view.static_extents, view.origin, [view[i] for i in indices_of(view.shape)]


def test_parts_keep_accessors_and_static_bounds():
    for accessor in (md.ReadOnlyAccessor(), md.AtomicAccessor(), md.CheckedAccessor()):
        view = matrix((6, 6), accessor=accessor)
        assert view[1].accessor == view[1:3].accessor == md.subview(view, 1, md.ALL).accessor == accessor
    view = md.MDView(array("d", range(36)), (6, 6), accessor=md.ReadOnlyAccessor(md.accessors.AlignedAccessor(8)))
    assert {part.accessor for part in (view[1], view[1:, 2:], md.subview(view, 1, md.ALL))} == {md.ReadOnlyAccessor()}
    for _ in range(2):
        assert md.subview(view, (1, 3), md.ALL).static_extents == (None, None)
        assert md.subview(view, (md.dim(1), md.dim(3)), md.ALL).static_extents == (2, None)
        assert [view[key].extents for key in (slice(3, 3), slice(3, 1), slice(1, 3, -1), slice(9, 20))] == [(0, 6)] * 4


def test_threads_that_meet_new_kinds_at_once_find_the_same():
    barrier = threading.Barrier(8)

    def made(k):
        barrier.wait()
        layouts = (md.LayoutTiled(2, 3), md.LayoutMorton(), LayoutMortonLike())
        views = [matrix((k % 2 + 5, 7), layout) for layout in layouts]
        return [told(part) for view in views for part in (view[1:4, 2:], view[0], md.flip(view))]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(made, range(8)))
    assert (found[::2], found[1::2]) == (found[:1] * 4, found[1:2] * 4)


@pytest.mark.parametrize("name", ["tiled", "morton", "swizzled", "composed, morton"])
def test_a_thread_reads_a_new_plan_between_any_two_steps_of_another_one(name):
    names = ("is_total", "base", "transform", "domain", "axes", "start", "strides", "vector")
    wanted = [getattr(Plan.of(MAPPINGS[name]()), attribute) is None for attribute in names]

    def read(number):
        plan, steps, answers = Plan.of(MAPPINGS[name]()), [], []

        def step(frame, event, _):
            if frame.f_code is Plan.__getattr__.__code__ and event == "line":
                steps.append(event)
                if len(steps) == number:  # the other thread goes on here
                    answers.extend([getattr(plan, attribute) is None for attribute in names])
            return step

        before = sys.gettrace()
        sys.settrace(step)
        try:
            plan.is_total  # noqa: B018 - its attributes are computed
        finally:
            sys.settrace(before)
        return answers

    answers = [read(number) for number in range(1, 40)]
    assert answers[0] == wanted
    assert all(found in ([], wanted) for found in answers)


TABLED = {
    "tiles": md.LayoutTiled(4, 8),
    "tiles within tiles": md.LayoutTiled(8, 8, inner=md.LayoutTiled(2, 4)),
    "columns within tiles": md.LayoutTiled(2, 8, inner=md.LayoutLeft()),
    "Morton": md.LayoutMorton(),
    "user's": LayoutMortonLike(),
    "swizzled": md.LayoutSwizzled(md.LayoutRight(), 2, 0, 4),
}


@pytest.mark.parametrize("shape", [(32, 32), (27, 21)], ids=str)
@pytest.mark.parametrize("name", TABLED)
def test_windows_lie_where_they_begin(name, shape):
    view = matrix(shape, TABLED[name], data=lambda entries: array("q", entries))
    elements = np.asarray(view).copy()
    for first, second, count, step in product(range(0, 21, 3), range(0, 19, 4), (1, 3, 8), (1, 2, -1)):
        rows = slice(first, first + count * step if first + count * step >= 0 else None, step)
        for key in ((rows, slice(second, second + count)), (rows, second), (first, slice(second, None, step), None)):
            part = view[key]
            assert part.tolist() == elements[key].tolist() == view[(*key,)].tolist(), key
            assert [part.origin + offset for offset in part.offsets()] == elements[key].ravel().tolist(), key
            assert part.size == 0 or part[(-1,) * part.rank] == elements[key][(-1,) * part.rank], key


@pytest.mark.parametrize(
    "layout", [md.LayoutTiled(2, 2), md.LayoutTiled(4, 4, inner=md.LayoutTiled(2, 2)), md.LayoutMorton()]
)
def test_thousands_of_tiles_take_a_few_calls_each(layout):
    view = matrix((128, 256), layout, data=lambda entries: array("q", entries))
    places = [*product(range(0, 128, 2), range(0, 256, 2))]
    tiles = [view[i : i + 2, j : j + 2] for i, j in places]
    assert calls_of(lambda: [view[i : i + 2, j : j + 2] for i, j in places]) <= 20 * len(tiles)
    assert calls_of(lambda: [tile.layout for tile in tiles]) <= 30 * len(tiles)
    assert [tile[1, 1] for tile in tiles] == [view[i + 1, j + 1] for i, j in places]
