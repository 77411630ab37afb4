"""Files hold the elements of views: at each offset of a mapping, counted from where the data begins, lies an element.

Begin with `file_opening` and `file_saving`; `npy_headers` says what is in a file: the format of its elements, and where
they lie. A new file takes the place of an old one at once or not at all; see `atomic_replace`. `out_of_core` copies
what does not fit in memory.
"""

from mdview.interop.files.file_opening import open_view
from mdview.interop.files.file_saving import relayout_file, save
from mdview.interop.files.out_of_core import TileBytes, tile_bytes

__all__ = [
    "TileBytes",
    "open_view",
    "relayout_file",
    "save",
    "tile_bytes",
]
