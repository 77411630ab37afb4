"""Links from prose to the API: a code span with a class or a call of a function of mdview is linked to its page.

``LayoutTiled`` and ``flip(view, 1)`` are linked. A word such as ``copy`` alone is not, since it may have another
meaning.
"""

# ruff: noqa: INP001 - Sphinx finds it by its name on the path
from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, final

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

SPAN: Final = re.compile(r"(\w+)(\(.*\))?", re.DOTALL)
WITHIN: Final = (nodes.title, nodes.reference, addnodes.pending_xref, addnodes.desc)
"""Nodes in which code spans are not linked: headings, links, and docstrings, which Sphinx links itself."""


MODULES: Final = [
    "mdview",
    *[
        f"mdview.{name}"
        for name in ("accessors", "atomics", "conversions", "index", "iteration", "layouts", "mappings")
    ],
    *[f"mdview.{name}" for name in ("operations", "interop.dask", "interop.writers")],
]
"""The modules whose names are linked without a module in the text, in the order of the search."""
for each in MODULES:
    import_module(each)


@final
class LinkNames(SphinxTransform):
    """The transform that links code spans."""

    default_priority = 870

    def apply(self, **_: Any) -> None:
        """Wrap each code span that names an object of mdview in a reference."""
        for span in list(self.document.findall(nodes.literal)):
            name = named(span.astext())
            if name and not span.get("classes") and not any(map(is_left_alone, ancestors(span))):
                link = addnodes.pending_xref("", refdomain="py", reftype="obj", reftarget=name, refdoc=self.env.docname)
                span.replace_self(link)
                link += span


def named(text: str) -> str | None:
    """Return the full public name of the class or function in a code span, or None."""
    match = SPAN.fullmatch(text)
    if match is None or not (match[1][0].isupper() or match[2]):
        return None
    module = next((module for module in MODULES if match[1] in sys.modules[module].__all__), None)
    return None if module is None else f"{module}.{match[1]}"


def ancestors(node: nodes.Node) -> list[nodes.Node]:
    """Return the ancestors of a node, the parent first."""
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def is_left_alone(node: nodes.Node) -> bool:
    """Tell whether code spans within a node are not linked."""
    return isinstance(node, WITHIN)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the transform."""
    app.add_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
