"""Atomic additions: in a kernel compared with ``std::atomic_ref`` in C++, and from Python compared with a plain sum."""

from __future__ import annotations

import ctypes
from array import array
from pathlib import Path
from typing import Any, Final

from numba import njit

import mdview.numba  # noqa: F401 - registers the type of views
from benchmarks.harness import Case, Report, compare
from benchmarks.mdspan import compiled
from mdview import MDView, atomic, unchecked

SOURCE: Final = Path(__file__).with_name("atomics.cpp")
SIZE: Final = 16
TIMES: Final = 100_000
GOAL: Final = 1.2
"""The largest ratio of a kernel to C++."""


@njit
def count(v: Any, size: int, times: int) -> None:
    """Add 1 to the elements in turn, ``times`` times."""
    for k in range(times):
        v[k % size] += 1


def peer() -> Any:
    """Return the same loop, compiled from C++."""
    call = compiled(SOURCE, "-O2").count
    call.argtypes = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    call.restype = None
    return call


def main() -> list[Report]:
    """Compare a kernel with C++, and atomic operations from Python with a plain one."""
    call, theirs, ours = peer(), array("q", [0] * SIZE), array("q", [0] * SIZE)
    view = atomic(unchecked(MDView(ours, (SIZE,))))
    address = theirs.buffer_info()[0]
    call(address, SIZE, TIMES)
    count(view, SIZE, TIMES)
    assert ours == theirs
    numbers = {"size": SIZE, "times": TIMES}
    kernel = compare(
        Case("std::atomic_ref", "f(v, size, times)", {"f": call, "v": address, **numbers}, units=TIMES),
        [Case("kernel", "f(v, size, times)", {"f": count, "v": view, **numbers}, GOAL, TIMES)],
        title="atomic additions in compiled code",
    )
    plain = MDView(array("q", [0] * 12), (3, 4))
    names = {"v": atomic(plain), "i": 1, "j": 2}
    steps = [Case(text, text, names) for text in ("v[i, j].fetch_add(1)", "v[i, j] += 1", "v[i, j] *= 1")]
    reference = Case("v[i, j] += 1, not atomic", "v[i, j] += 1", names | {"v": plain})
    return [kernel, compare(reference, steps, title="atomic steps from Python")]
