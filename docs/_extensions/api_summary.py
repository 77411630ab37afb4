"""Additions to autodoc for the API pages: the directive ``api-summary``, examples in docstrings, links to `mdview`.

The directive makes a table of the objects that its page describes, each with the first sentence of its docstring.
Examples at the end of a docstring need no heading. A name in single backticks that the own module of a docstring does
not have becomes a link to the public module that has it.
"""

# ruff: noqa: INP001 - Sphinx finds it by its name on the path
from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, final

import linked_names
from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.util.typing import ExtensionMetadata

BEFORE_NAPOLEON: Final = 400
UNDERLINE: Final = re.compile(r"-{3,}$")
EXAMPLES: Final = ["Examples", "--------"]


class Summary(nodes.General, nodes.Element):
    """The position of the table in a page."""


@final
class SummaryDirective(SphinxDirective):
    """The directive ``api-summary``, which marks the position of the table."""

    def run(self) -> list[nodes.Node]:
        """Return the mark."""
        return [Summary()]


@final
class FillSummaries(SphinxTransform):
    """The transform that inserts the tables after a page is read."""

    default_priority = 880

    def apply(self, **_: Any) -> None:
        """Replace each mark by the table."""
        for mark in list(self.document.findall(Summary)):
            mark.replace_self(table([row(entry) for entry in described(self.document)]))


def described(document: nodes.document) -> Iterator[addnodes.desc]:
    """Yield the descriptions of a page that are not nested in other descriptions."""
    for entry in document.findall(addnodes.desc):
        if not isinstance(entry.parent, addnodes.desc_content):
            yield entry


def row(entry: addnodes.desc) -> nodes.row:
    """Return a row of the table: a link to a description, and its first sentence."""
    signature = next(entry.findall(addnodes.desc_signature))
    name = nodes.reference("", "", nodes.literal("", signature["fullname"]), refid=signature["ids"][0], internal=True)
    return nodes.row("", *[nodes.entry("", nodes.paragraph("", "", *cell)) for cell in ([name], sentence(entry))])


def sentence(entry: addnodes.desc) -> list[nodes.Node]:
    """Return the first sentence of a description."""
    content = next(entry.findall(addnodes.desc_content))
    texts = [node for node in content.children if isinstance(node, nodes.paragraph)]
    for paragraph in texts:
        if not paragraph.astext().startswith("Bases:"):
            return list(_sentence(paragraph))
    return []


def _sentence(paragraph: nodes.paragraph) -> Iterator[nodes.Node]:
    for node in paragraph.children:
        head, stop, _ = node.partition(". ") if isinstance(node, nodes.Text) else (node, "", "")
        if stop:
            yield nodes.Text(f"{head}.")
            return
        yield node.deepcopy()


def table(rows: list[nodes.row]) -> nodes.table:
    """Return a table of two columns."""
    group = nodes.tgroup("", *[nodes.colspec(colwidth=width) for width in (30, 70)], cols=2)
    group += nodes.tbody("", *rows)
    return nodes.table("", group, classes=["api-summary"])


def read_docstring(_app: Sphinx, what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    """Prepare a docstring for Napoleon: the text before a colon is not a type, and examples become a section."""
    if what in {"attribute", "data", "property"}:
        lines.insert(0, "\\ ")  # an escaped space: an invisible first line
    sections = [number for number, line in enumerate(lines) if UNDERLINE.match(line)]
    behind = sections[-1] if sections else len(lines)
    if sections and lines[behind - 1] != EXAMPLES[0]:
        text = len(list(takewhile(lambda line: not line.startswith(">>>"), lines[behind:])))
        if behind + text < len(lines):
            lines[behind + text : behind + text] = [*EXAMPLES, ""]


def lead_to_mdview(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.Node | None:
    """Resolve a name of Python that its own module does not have to the first public module that has it, or to None."""
    if node.get("refdomain") != "py" or node["reftarget"].startswith("mdview."):
        return None
    domain = env.domains.python_domain
    for module in linked_names.MODULES:
        target = f"{module}.{node['reftarget']}"
        found = domain.resolve_xref(env, node["refdoc"], app.builder, node["reftype"], target, node, content)
        if found is not None:
            return found
    return None


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive, the transform, and the handlers of docstrings and references."""
    app.add_node(Summary)
    app.add_directive("api-summary", SummaryDirective)
    app.add_transform(FillSummaries)
    app.connect("autodoc-process-docstring", read_docstring, priority=BEFORE_NAPOLEON)
    app.connect("missing-reference", lead_to_mdview)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
