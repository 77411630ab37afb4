"""Files hold the elements of views: at each offset of a mapping, counted from where the data begins, lies an element.

Begin with `opening` and `saving`; `headers` says what is in a file: the format of its elements, and where they lie.
A new file takes the place of an old one at once or not at all; see `replacing`. `parts` copies what does not fit in
memory.
"""

from mdview.interop.files.opening import open_view
from mdview.interop.files.parts import TileBytes, tile_bytes
from mdview.interop.files.saving import relayout_file, save

__all__ = [
    "TileBytes",
    "open_view",
    "relayout_file",
    "save",
    "tile_bytes",
]
