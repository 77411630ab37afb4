"""Pictures of views: pure functions from extents, offsets and elements to text, SVG and HTML.

It may know the index space and mappings, and no view: what it draws is handed to it. Begin with `scene`, which says
what a picture shows; `svg` writes it, and `figures` puts it into text, a page or a card of a notebook.
In characters ``*`` marks what several indices share, ``--`` padding, ``##`` a hole, ``..`` memory outside of what is
drawn, and brackets what comes after does not reach. `mapping_summary` names what can be said of a mapping: shape,
layout, strides, span, traits; and writes a few elements.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    svg="side_by_side to_svg",
    figures="to_html to_text",
)
