"""Whether a copy is done by compiled kernels.

Numba takes some tenths of a second to load, and about one more to compile a kernel for an item size on its first use
ever; later processes find it in a cache on disk. So kernels copy where Numba is loaded already and the copy is not
small, and where so much has been copied without them that loading it will pay.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from mdview.engines.bulk.arrays.kernels import Kernels

PAYS_FROM: Final = 1 << 20
"""Bytes of a copy from which kernels are faster, once they are loaded."""
PAYS_TO_LOAD_FROM: Final = 1 << 28
"""Bytes that this process has copied in strided blocks without kernels, from which they are loaded."""
STREAMED_FROM: Final = 1 << 22
"""Bytes of a copy from which it goes past the caches: it would leave little else in them."""


@final
class _Account:
    """How many bytes have been copied without kernels that they could have copied."""

    copied = 0


def kernels_for(size: int) -> Kernels | None:
    """Kernels for a copy of ``size`` bytes in strided blocks, or None where NumPy does it."""
    if size < PAYS_FROM:
        return None
    if "numba" not in sys.modules:
        _Account.copied += size
        if _Account.copied < PAYS_TO_LOAD_FROM:
            return None
    make = _loaded()
    return make(streams=size >= STREAMED_FROM) if make is not None else None


@cache
def _loaded() -> type[Kernels] | None:
    try:
        from mdview.engines.bulk.arrays.kernels import Kernels  # noqa: PLC0415 - loads Numba
    except ImportError:
        return None
    return Kernels
