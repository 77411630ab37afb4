"""Pictures of views: pure functions from extents, offsets and elements to text, SVG and HTML.

It may know the index space and mappings, and no view: what it draws is handed to it. Begin with `text` and `svg`;
`figure` makes a picture answer, `page` puts it into a file of its own, `notebook` into a card. `facts` names what can
be said of a mapping: shape, layout, strides, span, traits; `quick_facts` what can be said at once.
"""

from mdview.drawing.page import to_html
from mdview.drawing.svg import to_svg

__all__ = ["to_html", "to_svg"]
