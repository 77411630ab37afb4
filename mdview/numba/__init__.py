"""Kernels: a view is an argument of functions that Numba compiles, where ``v[i, j]`` is the layout's arithmetic.

Numba finds this package by its entry point, so that no import is needed where views just go into ``numba.njit``
functions. The names here are for more: `jit` for calls with less overhead, `atomic_add` for loops in threads, and
walks by `tile` and `run`.
"""

from mdview.errors import MissingExtraError

try:
    import numba as _numba  # noqa: F401 - to say what to install where it is missing
except ImportError as _error:
    raise MissingExtraError("kernels need Numba; install the extra: pip install 'mdview-layouts[numba]'") from _error

from mdview.numba import boxing  # noqa: F401 - importing it tells Numba about views
from mdview.numba.atomics import atomic_add
from mdview.numba.calls import jit
from mdview.numba.queries import run, run_count, tile, tile_count

__all__ = ["atomic_add", "jit", "run", "run_count", "tile", "tile_count"]


def _init() -> None:  # pyright: ignore[reportUnusedFunction]
    """Be imported: what Numba calls through the entry point; importing has registered everything."""
