"""The directive ``picture``: a layout expression, drawn by mdview while the page is built.

The picture is an SVG inside the page, so that it follows the theme. Each line of the body is a further expression and
becomes a panel of its own. Below stands a caption, and a link that opens the first expression in the explorer. An
expression that cannot be drawn is a warning that names the page and the line.

    ```{picture} tiled(2, 3) (4, 6)
    :caption: Tiles of 2 × 3
    right (4, 6)
    ```
"""

# ruff: noqa: INP001 - Sphinx finds it by its name on the path
from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, ClassVar, Final, final
from urllib.parse import quote

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from mdview import parse
from mdview.drawing import to_svg
from mdview.errors import MDViewError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

EXPLORER: Final = "explorer"
"""The page that draws the expression in its address."""


def draw(expression: str, options: dict[str, str]) -> str:
    """Return the SVG of an expression; `walk` and `after` are those of `mdview.drawing.to_svg`."""
    told: dict[str, object] = {}
    if "walk" in options:
        told["walk"] = options["walk"]
    if "after" in options:
        told["after"] = parse(options["after"])
    return to_svg(parse(expression), **told)


@final
class Picture(SphinxDirective):
    """Draw the expressions, each in a panel, with a caption below them."""

    required_arguments = 1
    optional_arguments = 0
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], object]]] = {
        "caption": directives.unchanged_required,
        "after": directives.unchanged_required,
        "walk": directives.unchanged_required,
        "class": directives.class_option,
    }

    def run(self) -> list[nodes.Node]:
        """Return the figure."""
        expressions = [line.strip() for line in [self.arguments[0], *self.content] if line.strip()]
        try:
            pictures = [draw(expression, self.options) for expression in expressions]
        except MDViewError as error:
            return [self.state.document.reporter.warning(f"picture: {error}", line=self.lineno)]
        figure = nodes.figure("", classes=["mdview-picture", *self.options.get("class", [])])
        panels = "".join(f'<div class="mdview-panel">{picture}</div>' for picture in pictures)
        figure += nodes.raw("", f'<div class="mdview-panels">{panels}</div>', format="html")
        figure += self.caption(expressions)
        self.set_source_info(figure)
        return [figure]

    def caption(self, expressions: list[str]) -> nodes.caption:
        """Return what stands below: the text of the page if any, then each expression as a link to the explorer."""
        caption = nodes.caption()
        if "caption" in self.options:
            children, messages = self.parse_inline(self.options["caption"])
            caption += [*children, *messages, nodes.Text(" ")]
        for expression in expressions:
            caption += nodes.raw("", self.link(expression), format="html")
        return caption

    def link(self, expression: str) -> str:
        """Return the link that opens an expression in the explorer."""
        page = self.env.app.builder.get_relative_uri(self.env.docname, EXPLORER)
        return f'<a class="mdview-expression" href="{page}#{quote(expression)}"><code>{escape(expression)}</code></a> '


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
