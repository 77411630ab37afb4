# The public names, which load on first use.

from mdview.drawing.svg import side_by_side as side_by_side, to_svg as to_svg
from mdview.drawing.figures import to_html as to_html, to_text as to_text
