"""A textual language of mappings: ``tiled(4, 4) (10, 12) [1:6:2, ::-1]`` is a layout, extents, and steps.

`mdview.language.reading.parse` makes the mapping of a text, `mdview.language.writing.format` the text of a mapping.
Begin at `tokens`, then `grammar` (the tree), `building` (values of the tree), `steps` and `reading`.
"""
