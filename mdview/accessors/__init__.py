"""Accessors: objects that load and store the element at an offset, and name the index rule of a view.

An accessor reads and writes the items of a storage (see `mdview.memory.storage`). It gets an offset and never an
index, so the folder does not import layouts or extents; `policies` imports the boundary modes of `mdview.index`.
Begin with `accessor`, the interfaces. `policies` has the shipped accessors, most of which wrap another one, and
`compiled_accessors` compiles elementwise accessors by Numba.
"""

from mdview import _on_first_use

_on_first_use(globals())
