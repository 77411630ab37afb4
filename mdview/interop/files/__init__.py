"""Files with the elements of views: views of files, saved views, and files in another layout.

A file has the element at each offset of a mapping, counted from the first byte of the data. `save` writes the elements
of a view, and `relayout_file` the elements of a file under another layout, in little memory for a file of any size.
`file_opening` maps files; `npy_headers` reads the format and the layout of a file from its header. A new file replaces
an old file at once or not at all; see `atomic_replace`. Elements that do not fit in memory are copied part by part: the
index space is halved until a part touches few enough bytes of each file, and after each part the system gets back its
pages.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    file_opening="open_view",
    file_saving="relayout_file save",
)
