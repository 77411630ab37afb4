"""Views of memory that other libraries hold, without copies: `asview` takes any object that shares memory.

The folder imports views and everything below them; the export of a view is `mdview.views.memory_export`. Begin with
`asview`, which says how an object is asked for its memory. Partners are loaded by their users. `mdview.interop.cpp`, a
submodule of its own, takes views to functions of C++ and back. `mdview.interop.files` opens, saves and converts files,
`mdview.interop.writers` tells which parallel writers collide.
"""

from mdview import _on_first_use

_on_first_use(globals(), cpp="", dask="", files="", writers="", zarr="")
