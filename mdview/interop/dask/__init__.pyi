# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.interop.dask.dask_arrays import to_dask as to_dask
from mdview.interop.dask.dask_maps import map_tiles as map_tiles
