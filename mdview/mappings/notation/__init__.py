"""A textual language of mappings: ``tiled(4, 4) (10, 12) [1:6:2, ::-1]`` is a layout, extents, and steps.

`parser.parse` makes the mapping of a text, `formatter.format` the text of a mapping.
Begin at `tokenizer` (pieces of a text and their trees), then `parser` (their values, and the mapping).
"""
