# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.numba.view_functions import atomic_add as atomic_add, tile as tile, tile_count as tile_count
from mdview.numba.kernel_calls import jit as jit
