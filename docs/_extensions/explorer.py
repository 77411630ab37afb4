"""The directive ``explorer``: the page that shows the layout of an expression. Each line of the body is an example.

The answers for the examples, and for each expression that a page links to, are made while the docs are built: they are
shown at once and without Python. A link to a wrong expression is a warning.
"""

# ruff: noqa: INP001 - Sphinx finds it by its name on the path
from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Final, final
from urllib.parse import unquote

import explorer_page
import vendor_pyodide
from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

PAGE: Final = "explorer"
FOLDER: Final = "_static/explorer"
EXAMPLE: Final = re.compile(r'<li><a href="#([^"]+)"><code>')
"""A link to an expression, on the page itself."""
LINK: Final = re.compile(r'href="(?:[^"#]*/)?explorer(?:\.html|/)#([^"]+)"')
"""A link to an expression, on any page."""

logger = logging.getLogger(__name__)


@final
class Explorer(SphinxDirective):
    """The directive ``explorer``: the form, and links to the examples."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the element of the page."""
        self.assert_has_content()
        examples = [line.strip() for line in self.content if line.strip()]
        return [nodes.raw("", explorer_page.element(examples), format="html")]


def write_files(app: Sphinx, exception: Exception | None) -> None:
    """Write the files that the page loads, after all pages are written."""
    page = Path(app.outdir) / f"{PAGE}.html"
    if exception is None and app.builder.format == "html" and page.exists():
        archive = vendor_pyodide.kept()
        for error in explorer_page.write(Path(app.outdir) / FOLDER, linked(page), archive):
            logger.warning("a link to the explorer has a wrong expression: %s", error)
        if archive is None:
            logger.info("The explorer has no Python in it; docs/_extensions/vendor_pyodide.py fetches it.")


def linked(page: Path) -> list[str]:
    """Return all expressions to which pages link, the examples first, in a fixed order."""
    text = page.read_text(encoding="utf-8")
    pages = [path.read_text(encoding="utf-8") for path in sorted(page.parent.rglob("*.html"))]
    links = sorted({link for other in pages for link in LINK.findall(other) if f' id="{link}"' not in text})
    return list(dict.fromkeys([unquote(unescape(link)).strip() for link in [*EXAMPLE.findall(text), *links]]))


def add_files(app: Sphinx, pagename: str, _template: str, _context: object, _doctree: object) -> None:
    """Add the style and the scripts of the explorer to its page."""
    if pagename == PAGE:
        app.add_css_file("explorer/explorer.css")
        app.add_js_file("explorer/explorer.js", loading_method="defer")
        app.add_js_file("explorer/index.js", loading_method="defer")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive and the handlers of its files."""
    app.add_directive("explorer", Explorer)
    app.connect("html-page-context", add_files)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
