"""Files hold the elements of views: the element at each offset of a mapping, counted from where the data begins.

`save` writes the elements of a view, `relayout_file` those of a file again, in little memory whatever its size.
`file_opening` maps files; `npy_headers` reads the format and the layout of a file from its header. A new file replaces
an old one at once or not at all; see `atomic_replace`. Elements that do not fit in memory are copied part by part: the
index space is halved until a part touches few enough bytes of each file, and after each part its pages are given back.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    file_opening="open_view",
    file_saving="relayout_file save",
)
