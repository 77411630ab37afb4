"""Pictures of views: pure functions from extents, offsets and elements to text, SVG and HTML.

It may know the index space and mappings, and no view: what it draws is handed to it. Begin with `scene`, which says
what a picture shows; `terminal_text` and `svg` write it, and `html_page` puts it into a file of its own or into a card
of a notebook. `mapping_summary` names what can be said of a mapping: shape, layout, strides, span, traits; and writes a
few elements.
"""

from mdview.drawing.html_page import to_html
from mdview.drawing.svg import side_by_side, to_svg
from mdview.drawing.terminal_text import to_text

__all__ = ["side_by_side", "to_html", "to_svg", "to_text"]
