"""Pictures of views: pure functions from extents, offsets and elements to text, SVG and HTML.

The folder imports the index space and mappings, not views: callers pass the mapping or view to draw. `scene` computes
the contents of a picture; `svg` writes them as SVG, and `figures` as text, as a page, or as a card of a notebook.
`mapping_summary` computes the facts about a mapping (shape, layout, strides, span, traits) and writes a few elements.

In pictures of characters, ``*`` marks an offset that several indices share, ``--`` padding, ``##`` a hole, ``..``
memory outside of the drawn mapping, and parentheses an offset that the mapping after an operation does not reach.
"""

from mdview import _on_first_use

_on_first_use(globals())
