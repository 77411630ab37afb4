"""The notation, a textual language of mappings: ``tiled(4, 4) (10, 12) [1:6:2, ::-1]``.

A text has a layout, extents, and any number of *steps*, which are slices in brackets and operations. `parser.parse`
returns the mapping that a text denotes, `formatter.format` the text of a mapping. `tokenizer` cuts a text into pieces
with syntax trees, from which `parser` makes values and the mapping.
"""
