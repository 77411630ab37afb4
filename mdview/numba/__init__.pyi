# The public names, which load on first use.

from mdview.numba.view_functions import atomic_add as atomic_add, tile as tile, tile_count as tile_count
from mdview.numba.kernel_calls import _init as _init, jit as jit
