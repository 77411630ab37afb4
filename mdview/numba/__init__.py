"""Kernels: a view is an argument of functions that Numba compiles, where ``v[i, j]`` is the layout's arithmetic.

Numba finds this package by its entry point, so that no import is needed where views just go into ``numba.njit``
functions. The names here are for more: `jit` for calls with less overhead, `atomic_add` for loops in threads, and
walks by `tile` and `run`.

Numba's own dispatcher asks each argument that it does not know for its type, in several steps. A function made by `jit`
looks the types of its views up in a table of its own, by a number that each view carries; whatever is not there goes
the usual way.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    atomic_lowering="atomic_add",
    query_lowering="run run_count tile tile_count",
    kernels="jit _init",
)
