# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.numba.atomic_lowering import atomic_add as atomic_add
from mdview.numba.query_lowering import tile as tile, tile_count as tile_count
from mdview.numba.kernels import jit as jit
