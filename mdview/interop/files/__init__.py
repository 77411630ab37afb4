"""Files hold the elements of views: at each offset of a mapping, counted from where the data begins, lies an element.

`save` writes the elements of a view, `relayout_file` those of a file again, in little memory whatever its size.
`file_opening` maps files; `npy_headers` says what is in a file: the format of its elements, and where they lie. A new
file takes the place of an old one at once or not at all; see `atomic_replace`. What does not fit in memory is copied
part by part: an index space is halved until a part touches few enough bytes of each file, and behind a part the system
takes the pages back.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    file_opening="TileBytes open_view tile_bytes",
    file_saving="relayout_file save",
)
