"""Whether a copy is done by compiled kernels.

Numba takes some tenths of a second to load, and about one more to compile a kernel for an item size on its first use
ever; later processes find it in a cache on disk. So kernels copy where Numba is loaded already and the copy is not
small, and where so much has been copied without them that loading it will pay.

Whatever stops Numba, NumPy copies. What stops it half-way leaves modules behind that may break it in any manner, so it
is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, final

from mdview.base.partners import loaded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mdview.engines.bulk.arrays.kernels import Kernels

    Array = NDArray[Any]  # Any: of whatever format the items are

PAYS_FROM: Final = 1 << 20
"""Bytes of a copy from which kernels are faster, once they are loaded."""
PAYS_TO_LOAD_FROM: Final = 1 << 28
"""Bytes that this process has copied in strided blocks without kernels, from which they are loaded."""
STREAMED_FROM: Final = 1 << 22
"""Bytes of a copy from which it goes past the caches: it would leave little else in them."""


@final
class _Account:
    """How this process has fared with kernels.

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
    if size < PAYS_FROM or _Account.is_stopped or is_compiling():
        return None
    if loaded("numba") is None:
        _Account.copied += size
        if _Account.copied < PAYS_TO_LOAD_FROM:
            return None
    make = _Account.kernels or _loaded()
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
        _Account.is_stopped = True
        return False
    return True


def _loaded() -> type[Kernels] | None:
    _Account.is_stopped = True  # and it stays so where an interrupt leaves here, or a module is missing or broken
    try:
        from mdview.engines.bulk.arrays.kernels import Kernels  # noqa: PLC0415 - loads Numba
    except Exception:  # noqa: BLE001 - what was stopped before may break in any way
        return None
    _Account.kernels = Kernels
    _Account.is_stopped = False
    return Kernels
