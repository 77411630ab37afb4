"""Views of memory that other libraries hold, without copies: `asview` takes any object that shares memory.

The folder imports views and everything below them; the export of a view is `mdview.views.memory_export`. Begin with
`memory_protocols`, which has `asview`. A partner library is imported at its first use. `mdview.interop.cpp` passes
views to functions of C++ and back, `file_opening` and `file_saving` open, save and convert files, `mdview.interop.dask`
makes dask arrays and runs functions over tiles, `zarr_import` and `zarr_export` read and write zarr arrays, and
`mdview.interop.writers` finds parallel writers that collide.
"""

from mdview import _on_first_use

_on_first_use(globals())
