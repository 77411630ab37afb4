"""dask: a view becomes a dask array whose chunks are its tiles, and a function runs over the tiles of views.

A task of the graph names a part of a view, a *block*, and holds no elements: they are reached, or sent, when it runs.
Begin with `dask_arrays`, which says what a task gets; `tile_tasks` has what it does.
"""

from mdview.interop.dask.dask_arrays import to_dask
from mdview.interop.dask.tile_tasks import map_tiles

__all__ = [
    "map_tiles",
    "to_dask",
]
