"""Kernels: a view is an argument of functions that Numba compiles, where ``v[i, j]`` is the layout's arithmetic.

Numba finds this package by its entry point, so ``numba.njit`` functions take views without an import. The names here
are for more: `jit` for calls with less overhead, `atomic_add` for loops in threads, and walks by `tile` and `run`.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    atomic_lowering="atomic_add",
    query_lowering="tile tile_count",
    kernels="jit _init",
)
