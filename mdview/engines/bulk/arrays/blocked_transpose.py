"""Blocked copies: strided blocks in an order that suits the caches, by NumPy or by kernels that Numba compiles.

NumPy copies in the order of the target. That is right but in two cases. Short runs that both sides have in common are
copied as items of the run's size, one instruction stream for each instead of one loop. A transposition reads with a
large stride, and where that is a power of two all of it meets in a few cache sets; so a panel of source rows goes into
a small buffer whose rows are a few items longer, and the panel's columns are written from there. Several threads take
parts of a large copy in turn.

Kernels do both in large copies. Numba takes some tenths of a second to load, and about one more to compile a kernel for
an item size on its first use ever; later processes find it in a cache on disk. So kernels copy where Numba is loaded
already, and where so much has been copied without them that loading it will pay. Whatever stops Numba, NumPy copies.
What stops it half-way leaves modules behind that may break it in any manner, so it is not asked again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np
from numpy.typing import NDArray

from mdview.base.optional_libraries import loaded
from mdview.engines.bulk.arrays.strided_blocks import StridedBlock, parts

if TYPE_CHECKING:
    from mdview.engines.bulk.arrays.copy_kernels import Kernels

PANEL_ROWS: Final = 128
PANEL_LENGTH: Final = 8192
PANEL_PADDING: Final = 8
"""Shape of the buffer of a transposition: 8 MB of 64-bit numbers at most."""
LONGEST_RUN: Final = 4096
"""Bytes of a common run up to which it is copied as one item; a loop over a longer one costs nothing."""
TRANSPOSED_FROM: Final = 1 << 15
"""Elements from which a plane is transposed by panels; smaller ones stay in the caches."""
COMPILED_FROM: Final = 64
"""Elements from which a plane is transposed by a kernel, where there are many."""
WIDEST_ITEM: Final = 32
"""Bytes of an item up to which panels pay; wider ones are runs that caches like as they are."""
COMPILED_RUNS: Final = (range(64, 256), range(LONGEST_RUN + 1, 1 << 62))
"""Bytes of common runs that a kernel copies better than NumPy: some, and those that NumPy does not copy as one item."""
STREAMED_RUNS: Final = (range(64, 1 << 62),)
"""Bytes of common runs that a kernel copies better where it stores past the caches or several threads copy."""
STEP: Final = 1 << 25
"""How many elements are copied between two reports of progress."""
THREADED_FROM: Final = 1 << 25
"""Bytes from which it pays to start threads; that takes as long as copying some millions."""
PARTS_OF_A_THREAD: Final = 4
"""How many parts each thread has of a copy, so that one that is held up leaves some to the others."""
PAYS_FROM: Final = 1 << 20
"""Bytes of a copy from which kernels are faster, once they are loaded."""
PAYS_TO_LOAD_FROM: Final = 1 << 28
"""Bytes that this process has copied in strided blocks without kernels, from which they are loaded."""
STREAMED_FROM: Final = 1 << 22
"""Bytes of a copy from which it goes past the caches: it would leave little else in them."""

Array = NDArray[Any]  # Any: of whatever format the items are; both sides have the same


@final
class _KernelUse:
    """The use of compiled copy kernels in this process.

    Attributes
    ----------
    copied
        How many bytes have been copied without kernels that they could have copied.
    is_stopped
        Whether Numba is loading just now, or has been stopped at work.
    kernels
        The class of kernels, once it has been loaded.
    """

    copied = 0
    is_stopped = False
    kernels: type[Kernels] | None = None


def kernels_for(size: int) -> Kernels | None:
    """Kernels for a copy of ``size`` bytes in strided blocks, or None where NumPy does it."""
    if size < PAYS_FROM or _KernelUse.is_stopped or is_compiling():
        return None
    if loaded("numba") is None:
        _KernelUse.copied += size
        if _KernelUse.copied < PAYS_TO_LOAD_FROM:
            return None
    make = _KernelUse.kernels or _loaded()
    return make(streams=size >= STREAMED_FROM) if make is not None else None


def is_compiling() -> bool:
    """Tell whether another thread compiles; in a fork it may have been one of the parent, which never ends there."""
    lock = getattr(getattr(loaded("numba.core.compiler_lock"), "global_compiler_lock", None), "_lock", None)
    if lock is None or not lock.acquire(blocking=False):
        return lock is not None
    lock.release()
    return False


def is_done_by(kernel: Callable[[Array, Array], None], source: Array, target: Array) -> bool:
    """Have a kernel copy all of ``source``; False where it cannot be compiled, and the target may have any elements."""
    try:
        kernel(source, target)
    except Exception:  # noqa: BLE001 - a compiler, and its cache on a disk, may fail in any way
        _KernelUse.is_stopped = True
        return False
    return True


def _loaded() -> type[Kernels] | None:
    _KernelUse.is_stopped = True  # and it stays so where an interrupt leaves here, or a module is missing or broken
    try:
        from mdview.engines.bulk.arrays.copy_kernels import Kernels  # noqa: PLC0415 - loads Numba
    except Exception:  # noqa: BLE001 - what was stopped before may break in any way
        return None
    _KernelUse.kernels = Kernels
    _KernelUse.is_stopped = False
    return Kernels


def copy_blocks(
    source: Array, target: Array, blocks: list[StridedBlock], done: Callable[[int], None], threads: int = 1
) -> None:
    """Copy blocks from row ``source``, the second array of each, to row ``target``, the first; no memory is shared."""
    size, count = target.itemsize, sum([block.size for block in blocks])
    # A block of one dimension is mostly a single run of bytes, which nothing copies better than NumPy does.
    kernels = kernels_for(sum([block.size for block in blocks if len(block.shape) > 1]) * size)
    # More threads than processors, or than parts that pay, only wait for each other.
    if threads > 1:
        threads = min(threads, os.cpu_count() or 1, 1 + 4 * count * size // THREADED_FROM)
    threads = threads if count * size >= THREADED_FROM else 1
    is_streamed = threads > 1 or (kernels is not None and kernels.streams)

    def copied(part: StridedBlock) -> int:
        copy_array(part.of(1, source), part.of(0, target), kernels, STREAMED_RUNS if is_streamed else COMPILED_RUNS)
        return part.size

    limit = STEP if threads == 1 else max(1, min(STEP, count // (PARTS_OF_A_THREAD * threads)))
    work = chain.from_iterable([parts(block, limit) for block in blocks])
    if threads == 1:
        for each in map(copied, work):
            done(each)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - for several threads only

    with ThreadPoolExecutor(threads) as pool:
        for each in pool.map(copied, work):
            done(each)


def copy_array(
    source: Array, target: Array, kernels: Kernels | None = None, runs: Sequence[range] = COMPILED_RUNS
) -> None:
    """Copy between arrays of one shape and type; the target's strides are positive and fall from left to right."""
    if kernels is not None and _have_runs(source, target, runs) and is_done_by(kernels.copy_runs, source, target):
        return
    source, target = _joined(source, target)
    fast = _fastest(source)
    last = target.ndim - 1
    is_compiled = kernels is not None and target.itemsize in kernels.WORDS
    least = COMPILED_FROM if is_compiled else TRANSPOSED_FROM
    if fast == last or target.itemsize > WIDEST_ITEM or target.shape[last] * target.shape[fast] < least:
        np.copyto(target, source)
        return
    # The two fast dimensions come last, the target's own at the very end.
    planes, into = np.moveaxis(source, fast, -2), np.moveaxis(target, fast, -2)
    if kernels is not None and is_compiled and is_done_by(kernels.transpose, planes, into):
        return
    buffer = np.empty((PANEL_ROWS, min(into.shape[-2], PANEL_LENGTH) + PANEL_PADDING), target.dtype)
    for index in np.ndindex(*into.shape[:-2]):
        _transpose(planes[index], into[index], buffer)


def _transpose(source: Array, target: Array, buffer: Array) -> None:
    """Copy a plane whose rows are near in the target and whose columns are near in the source."""
    length, rows = target.shape
    for start in range(0, length, PANEL_LENGTH):
        for row in range(0, rows, PANEL_ROWS):
            part = np.s_[start : start + PANEL_LENGTH, row : row + PANEL_ROWS]
            columns = source[part]
            panel = buffer[: columns.shape[1], : columns.shape[0]]
            np.copyto(panel, columns.T)
            np.copyto(target[part], panel.T)


def _have_runs(source: Array, target: Array, runs: Sequence[range]) -> bool:
    """Tell whether the last dimension is one of these runs of bytes in both arrays, and there are several."""
    size = target.itemsize
    if target.ndim < 2 or target.strides[-1] != size or source.strides[-1] != size:  # noqa: PLR2004 - a run of many
        return False
    return any(target.shape[-1] * size in lengths for lengths in runs)


def _joined(source: Array, target: Array) -> tuple[Array, Array]:
    """Return the same arrays with a common run of items along the last dimension read as one item."""
    size = target.itemsize
    if target.ndim < 2 or target.strides[-1] != size or source.strides[-1] != size:  # noqa: PLR2004 - a run of many
        return source, target
    run = target.shape[-1] * size
    if run > LONGEST_RUN:
        return source, target
    return source.view(f"V{run}")[..., 0], target.view(f"V{run}")[..., 0]


def _fastest(array: Array) -> int:
    """Dimension of the smallest step; -1 for a single element."""
    return int(np.argmin(np.abs(array.strides))) if array.ndim else -1
