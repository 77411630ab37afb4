"""Kernels: views as arguments of functions that Numba compiles, in which ``v[i, j]`` is the layout's arithmetic.

Numba finds this package by its entry point, so functions compiled by ``numba.njit`` take views without an import. The
package also exports `jit` for calls with less overhead, `atomic_add` for loops in threads, and `tile` and `tile_count`
for loops over tiles.
"""

from mdview import _on_first_use

_on_first_use(globals())
