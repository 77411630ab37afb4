"""A textual language of mappings: ``tiled(4, 4) (10, 12) [1:6:2, ::-1]`` is a layout, extents, and steps.

`reading.parse` makes the mapping of a text, `writing.format` the text of a mapping.
Begin at `syntax` (pieces of a text and their trees), then `reading` (their values, and the mapping).
"""
