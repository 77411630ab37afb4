# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.drawing.svg import side_by_side, to_svg
from mdview.drawing.figures import to_html, to_text

__all__ = ["side_by_side", "to_html", "to_svg", "to_text"]
