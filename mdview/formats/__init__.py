"""Formats of files and libraries by name: each is a function from extents to the mapping of an array in that format.

``formats.bmp((40, 30, 3))`` is the mapping of the pixels of a BMP file. The notation of layouts has the same names:
``"bmp (40, 30, 3)"``. Options of a format are further arguments. `expression_of` returns the text of a mapping in the
notation, and `view_bytes` makes a view of a buffer from a mapping or its text. The docs have a page for each group
of formats, such as images or tensors.
"""

from mdview import _on_first_use

_on_first_use(globals(), families="*")
