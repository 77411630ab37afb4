"""Atomic access: every operation on an element is one step, whoever else is at work."""

from array import array
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import pytest

from mdview import AlignedAccessor, AtomicAccessor, AtomicRef, LayoutTiled, MDView, ReadOnlyAccessor, atomic, readonly

THREADS = 8
TIMES = 300


def counters(count=4):
    return atomic(MDView(array("q", [0] * count), (count,)))


def in_threads(work):
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


def test_no_update_by_several_threads_is_lost():
    view = counters()

    def work(_):
        for _ in range(TIMES):
            view[0] += 1
            view[1].fetch_sub(1)
            view[2] = view[0]

    in_threads(work)
    assert [view[0].load(), view[1].load()] == [THREADS * TIMES, -THREADS * TIMES]


def test_each_thread_gets_another_value_before():
    view = counters()
    found = in_threads(lambda _: [view[3].fetch_add(1) for _ in range(TIMES)])
    assert sorted(chain.from_iterable(found)) == list(range(THREADS * TIMES))


def test_compare_exchange_lets_one_of_several_threads_win():
    view = counters()
    won = in_threads(lambda me: [k for k in range(TIMES) if view[0].compare_exchange(k, k + 1)[0] and me >= 0])
    assert sorted(chain.from_iterable(won)) == list(range(view[0].load()))


def test_views_of_one_buffer_are_atomic_to_each_other():
    buffer = array("q", [0] * 16)
    views = [atomic(MDView(buffer, (4, 4), layout)) for layout in (LayoutTiled(2, 2), LayoutTiled(4, 4))]

    def work(me):
        for _ in range(TIMES):
            views[me % 2][0, 0] += 1

    in_threads(work)
    assert buffer[0] == THREADS * TIMES


@pytest.mark.parametrize(
    ("operation", "argument", "after"),
    [
        ("exchange", 3, 3),
        ("fetch_add", 3, 15),
        ("fetch_sub", 3, 9),
        ("fetch_and", 10, 8),
        ("fetch_or", 3, 15),
        ("fetch_xor", 10, 6),
        ("fetch_min", 3, 3),
        ("fetch_min", 30, 12),
        ("fetch_max", 3, 12),
        ("fetch_max", 30, 30),
    ],
)
def test_an_operation_returns_the_value_before(operation, argument, after):
    view = atomic(MDView(array("q", [0, 12]), (2,)))
    assert getattr(view[1], operation)(argument) == 12
    assert view[1].load() == after


def test_compare_exchange_tells_what_it_found():
    ref = atomic(MDView(array("q", [12]), (1,)))[0]
    assert ref.compare_exchange(12, 13) == (True, 12)
    assert ref.compare_exchange(12, 14) == (False, 13)
    assert ref.load() == 13


def test_augmented_assignment_is_one_step_on_the_element():
    view = atomic(MDView(array("q", [12]), (1, 1)))
    view[0, 0] += 3
    view[0, 0] -= 1
    view[-1, -1] &= 12
    view[0, 0] |= 1
    view[0, 0] ^= 5
    assert view.tolist() == [[((12 + 3 - 1) & 12 | 1) ^ 5]]


def test_a_proxy_stands_for_the_value_of_its_element():
    view = atomic(MDView(array("q", [3, 0]), (2,)))
    ref = view[0]
    assert isinstance(ref, AtomicRef)
    assert ref == 3
    assert ref != 4
    assert ref == view[0]
    assert (bool(ref), bool(view[1])) == (True, False)
    assert (int(ref), float(ref), [0, 1, 2, 30][ref], repr(ref)) == (3, 3.0, 30, "AtomicRef(3)")
    with pytest.raises(TypeError, match="unhashable"):
        hash(ref)


def test_a_proxy_is_stored_as_its_value_unless_it_is_the_very_element():
    view = atomic(MDView(array("q", [3, 4]), (2,)))
    view[0] = view[1]
    assert view.tolist() == [4, 4]
    ref = view[0]
    assert ref.refers_to(*[ref._data, ref._offset])
    view[0] = ref
    assert view.tolist() == [4, 4]


def test_what_may_not_store_gets_values_and_no_proxies():
    view = readonly(atomic(MDView(array("q", [3, 4]), (2,))))
    assert view.accessor == ReadOnlyAccessor(AtomicAccessor())
    assert type(view[0]) is int
    assert view.tolist() == [3, 4]


def test_a_subview_drops_the_promise_of_alignment():
    accessor = AtomicAccessor(AlignedAccessor(8))
    assert accessor.offset_policy() == AtomicAccessor()
    assert MDView(array("q", [3, 4]), (2,), accessor=accessor)[1:].accessor == AtomicAccessor()


def test_lists_hand_out_values():
    view = counters()
    view[:] = [1, 2, 3, 4]
    assert view.tolist() == [1, 2, 3, 4]
    assert all(isinstance(element, AtomicRef) for element in view)
    assert 3 in view
