"""Caches: what is derived from one object is found again, for that object alone, up to a bound."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import final

import pytest

from mdview import (
    ALL,
    Layout,
    LayoutRight,
    LayoutStride,
    LayoutTiled,
    Mapping,
    MDView,
    broadcast_to,
    dim,
    flip,
    subview,
)
from mdview.base import caches
from mdview.base.caches import SIZE, SharedCache, remember, remembered
from mdview.errors import ExtentsTypeError


def test_a_full_cache_is_emptied():
    cache = {}
    for k in range(8):
        remember(cache, k, -k, size=3)
    assert cache == {6: -6, 7: -7}


def test_no_key_is_asked_for_its_hash_when_a_cache_is_emptied():
    class Moody:
        asked = 0

        def __hash__(self):
            self.asked += 1
            if self.asked > 2:
                raise ValueError
            return 1

    cache, keys = {}, [Moody() for _ in range(4)]
    for key in keys:
        remember(cache, key, "value", size=3)
    assert [*cache] == [keys[3]]


def test_what_is_remembered_first_stays():
    cache = {}
    assert remember(cache, "key", 1, size=2) == 1
    assert remember(cache, "key", 2, size=2) == 1


def test_caches_that_share_a_bound_keep_the_newest_entries_of_all(monkeypatch):
    monkeypatch.setattr(caches, "_shared", caches.deque())
    monkeypatch.setattr(caches, "MOST_SHARED", 4)
    first, second = SharedCache(), SharedCache()
    for k in range(3):
        assert first.remember(k, -k) == -k
        assert second.remember(k, k) == k
    assert (first, second) == ({1: -1, 2: -2}, {1: 1, 2: 2})


def test_windows_of_many_views_are_bounded_together(monkeypatch):
    monkeypatch.setattr(caches, "MOST_SHARED", 10)
    views = [MDView(list(range(99)), (6, 6), LayoutTiled(k, 2)) for k in (2, 3, 4, 5)]
    for _ in range(2):
        for view in views:
            for i in range(5):
                assert view[i : i + 2, 1:3].tolist() == [[view[i, 1], view[i, 2]], [view[i + 1, 1], view[i + 1, 2]]]
                assert view[i].tolist() == [view[i, j] for j in range(6)]
    assert sum(len(view._plan.parts) for view in views) <= 10


def test_threads_that_remember_at_once_agree():
    cache, count = {}, 8
    barrier = threading.Barrier(count)

    def work(k):
        barrier.wait()
        return [remember(cache, n, (k, n), size=50) for n in range(50)]

    with ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(work, range(count)))
    assert all(answer == answers[0] for answer in answers)


def test_a_function_is_asked_once_for_each_representative_and_arguments():
    asked, representatives = [], {}

    @remembered(lambda subject: representatives.setdefault(tuple(subject), subject))
    def double(subject, factor):
        asked.append((subject, factor))
        return [*subject, factor]

    first, equal, other = [1], [1], [2]
    assert double(first, 2) is double(first, 2) is double(equal, 2)
    assert double(other, 2) == [2, 2]
    assert double(first, 3) == [1, 3]
    assert double(first, [4]) == [1, [4]]  # no hash: nothing to remember by
    assert len(asked) == 4


def test_equal_mappings_share_what_is_derived_from_them():
    first, equal = Mapping((4, 6), LayoutTiled(2, 3)), Mapping((4, 6), LayoutTiled(2, 3))
    assert flip(first, 1) is flip(first, 1) is flip(equal, 1)
    assert flip(Mapping((dim(4), 6), LayoutTiled(2, 3)), 1) is not flip(first, 1)
    views = [MDView(list(range(24)), mapping.extents, mapping.layout) for mapping in (first, equal)]
    assert type(views[0]) is type(views[1])
    assert views[0][1:].mapping is views[1][1:].mapping


def test_nothing_is_remembered_of_a_mapping_whose_layout_has_no_hash():
    @final
    @dataclass
    class LayoutScaled(Layout):
        factors: list
        __hash__ = None

        def offset(self, extents, index):
            return index[0] * self.factors[0]

        def required_span_size(self, extents):
            return 100

    first, other = (Mapping((4,), LayoutScaled([factor])) for factor in (2, 5))
    assert flip(first, 0) is not flip(first, 0)
    assert [[*flip(mapping, 0).offsets()] for mapping in (first, other)] == [[6, 4, 2, 0], [15, 10, 5, 0]]


def test_an_identity_is_no_key_of_two_objects():
    @remembered(lambda subject: subject)
    def text(subject):
        return str(subject)

    assert [text([n]) for n in range(3 * SIZE)] == [f"[{n}]" for n in range(3 * SIZE)]


def test_equal_numbers_of_other_types_are_told_apart():
    data = list(range(12))
    static, dynamic = MDView(data, (dim(3), 4)), MDView(data, (3, 4))
    assert static.static_extents == (3, None)
    assert dynamic.static_extents == (None, None)
    assert MDView(data, (3, 4)).mapping is dynamic.mapping
    row = MDView(list(range(3)), (3,))
    assert broadcast_to(row, (2, 3)).mapping.static_extents == (None, None)
    assert broadcast_to(row, (dim(2), 3)).mapping.static_extents == (2, None)
    with pytest.raises(ExtentsTypeError, match=r"an extent must be an integer, got 2\.0"):
        broadcast_to(row, (2.0, 3))
    with pytest.raises(ExtentsTypeError, match=r"an extent must be an integer, got \[2\]"):
        broadcast_to(row, ([2], 3))


def test_equal_mappings_of_other_layouts_keep_their_own_slices():
    right = MDView(list(range(24)), (4, 6))
    strided = MDView(list(range(24)), (4, 6), LayoutStride((6, 1)))
    assert right.mapping == strided.mapping
    for _ in range(2):
        assert type(right[1:3].layout) is LayoutRight
        assert type(strided[1:3].layout) is LayoutStride
        assert type(subview(right, (1, 3), ALL).layout) is LayoutRight
        assert type(subview(strided, (1, 3), ALL).layout) is LayoutStride


@pytest.mark.parametrize("layout", [LayoutRight(), LayoutTiled(2, 3)], ids=["right", "tiled"])
def test_a_window_is_right_wherever_it_moves(layout):
    mapping = Mapping((6, 9), layout)
    view = MDView.from_mapping(list(range(mapping.required_span_size)), mapping)
    for _ in range(2):
        for i in range(5):
            for j in range(7):
                window = [[view[i + k, j + 2 - m] for m in range(3)] for k in range(2)]
                assert flip(view[i : i + 2, j : j + 3], 1).tolist() == window
                assert flip(subview(view, (i, i + 2), (j, j + 3)), 1).tolist() == window
            assert view[i].tolist() == subview(view, i, ALL).tolist() == [view[i, m] for m in range(9)]
            assert view[-1 - i].tolist() == [view[5 - i, m] for m in range(9)]
