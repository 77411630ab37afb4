"""Threads that count into one view: an element of an atomic view is a reference with atomic steps."""

from array import array
from concurrent.futures import ThreadPoolExecutor
from typing import assert_type

from mdview import AtomicAccessor, Dims1, LayoutRight, MDView, atomic, readonly
from mdview.atomics import AtomicRef

Histogram = MDView[int, Dims1, LayoutRight, AtomicAccessor[int]]


def count(histogram: Histogram, values: range) -> None:
    for value in values:
        histogram[value % len(histogram)] += 1


def main() -> None:
    counts = MDView(array("q", bytes(8 * 4)), (4,))
    shared = atomic(counts)
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(count, shared, range(50)), pool.submit(count, shared, range(50, 100))]:
            done.result()
    assert counts.tolist() == [25, 25, 25, 25]
    reference = shared[2]
    assert_type(reference, AtomicRef[int])
    before: int = reference.fetch_add(5)
    assert (before, counts[2]) == (25, 30)
    shared[0] = 7
    assert_type(readonly(shared)[0], int)
    assert readonly(shared)[0] == 7
    relaxed = atomic(counts, order="relaxed")
    assert_type(relaxed, Histogram)
    assert relaxed.accessor == AtomicAccessor[int](order="relaxed")
    for view in (
        atomic(counts, order="seq_cst"),
        atomic(counts, order="acq_rel"),
        atomic(counts, order="acquire"),
        atomic(counts, order="release"),
        atomic(relaxed, order=None),
    ):
        assert_type(view, Histogram)
        assert_type(view[0].compare_exchange(7, 8), tuple[bool, int])
        view[0] = 7


main()
