"""The directive ``picture``: a layout expression, drawn by mdview while the page is built.

The picture is an SVG inside the page, so it follows the theme; indices and positions in memory react to the mouse and
the keyboard. Each line of the body is a further expression, drawn in another panel. Below the panels are a caption,
and for each expression a link that opens it in the explorer. An expression that cannot be drawn is a warning that names
the page and the line.

    ```{picture} tiled(2, 3) (4, 6)
    :caption: Tiles of 2 × 3
    right (4, 6)
    ```
"""

# ruff: noqa: INP001 - Sphinx finds it by its name on the path
from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, final
from urllib.parse import quote

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from mdview import parse
from mdview.drawing.figures import figure
from mdview.drawing.scene import LINE, Look
from mdview.drawing.svg import asset
from mdview.errors import MDViewError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

EXPLORER: Final = "explorer"
"""The page of the explorer, which draws the expression in its address."""
SCRIPT: Final = "mdview-figure.js"
STYLE: Final = "mdview-figure.css"
WIDTH: Final = re.compile(r'<svg [^>]*\bwidth="([\d.]+)"')
OWN_STYLE: Final = re.compile(r"<style>(.*?)</style>", re.DOTALL)
"""The style element inside a picture; the pages of a site load the style from one file instead."""


def draw(expression: str, options: dict[str, Any]) -> str:
    """Return the picture of an expression, and of the one in the option ``after``. Any: options have several types."""
    after = parse(options["after"]) if "after" in options else None
    look: Look = {"walk": "walk" in options, "line": options.get("line", LINE), "memory": options.get("memory")}
    look["title"] = " → ".join([expression, *filter(None, [options.get("after")])])
    return OWN_STYLE.sub("", figure(parse(expression), after, **look))


def panel(expression: str, picture: str) -> str:
    """Return a picture in a panel with a label for screen readers, and its width, which the style sheet limits."""
    width = WIDTH.search(picture)
    style_of = f' style="--mdview-width: {width[1]}px"' if width else ""
    label = f"Picture of {escape(expression)}"
    return f'<div class="mdview-panel" role="group" aria-label="{label}"{style_of}>{picture}</div>'


@final
class Picture(SphinxDirective):
    """The directive ``picture``: expressions, each drawn in a panel, with a caption below."""

    required_arguments = 1
    optional_arguments = 0
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = {
        "caption": directives.unchanged_required,
        "after": directives.unchanged_required,
        "class": directives.class_option,
        "line": directives.positive_int,
        "memory": directives.positive_int,
        "walk": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """Return the figure."""
        expressions = [line.strip() for line in [self.arguments[0], *self.content] if line.strip()]
        try:
            pictures = [draw(expression, self.options) for expression in expressions]
        except MDViewError as error:
            return [self.state.document.reporter.warning(f"picture: {error}", line=self.lineno)]
        found = nodes.figure("", classes=["mdview-picture", *self.options.get("class", [])])
        panels = "".join(map(panel, expressions, pictures))
        found += nodes.raw("", f'<div class="mdview-panels">{panels}</div>', format="html")
        found += self.caption([*expressions, *([self.options["after"]] if "after" in self.options else [])])
        self.set_source_info(found)
        return [found]

    def caption(self, expressions: list[str]) -> nodes.caption:
        """Return the caption: the text of the option, if any, then each expression as a link to the explorer."""
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


def add_script(app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Add the script and the style of figures to pages with figures."""
    if "mdview-figure" in context.get("body", ""):
        app.add_js_file(SCRIPT, loading_method="defer")
        app.add_css_file(STYLE)


def write_files(app: Sphinx, error: Exception | None) -> None:
    """Write the script and the style of figures into the static files of the site."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir) / "_static"
        folder.joinpath(SCRIPT).write_text(asset("figure.js"), encoding="utf-8")
        shared = OWN_STYLE.findall(figure(parse("right (1,)")))
        folder.joinpath(STYLE).write_text("\n".join([asset("figure.css"), *shared]), encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("picture", Picture)
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
