"""dask: a view becomes a dask array whose chunks are its tiles, and a function runs over the tiles of views.

A task of the graph has a part of a view, a *block*, without the elements of the part; these are read, or sent, when the
task runs. `dask_arrays` has blocks and `to_dask`, `dask_maps` has `map_tiles`, which makes a task for each tile.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    dask_arrays="to_dask",
    dask_maps="map_tiles",
)
