"""Links from prose to the API: a class of mdview, or a call of one of its functions, in a code span leads to its page.

``LayoutTiled`` and ``flip(view, 1)`` are linked; a word such as ``copy`` alone is not, since it may be anybody's.
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
"""What stays as it is: headings, links, and docstrings, which Sphinx links itself."""


MODULES: Final = [
    "mdview",
    *[
        f"mdview.{name}"
        for name in ("accessors", "atomics", "conversions", "index", "iteration", "layouts", "mappings")
    ],
    *[f"mdview.{name}" for name in ("operations", "interop.dask", "interop.writers")],
]
"""The modules whose names prose may give without a module, in the order in which they are looked up."""
for each in MODULES:
    import_module(each)


@final
class LinkNames(SphinxTransform):
    """Make code spans links."""

    default_priority = 870

    def apply(self, **_: Any) -> None:
        """Wrap each code span that names something of mdview in a reference."""
        for span in list(self.document.findall(nodes.literal)):
            name = named(span.astext())
            if name and not span.get("classes") and not any(map(is_left_alone, ancestors(span))):
                link = addnodes.pending_xref("", refdomain="py", reftype="obj", reftarget=name, refdoc=self.env.docname)
                span.replace_self(link)
                link += span


def named(text: str) -> str | None:
    """Return the full public name that a code span is about, if it is about one."""
    match = SPAN.fullmatch(text)
    if match is None or not (match[1][0].isupper() or match[2]):
        return None
    module = next((module for module in MODULES if match[1] in sys.modules[module].__all__), None)
    return None if module is None else f"{module}.{match[1]}"


def ancestors(node: nodes.Node) -> list[nodes.Node]:
    """Return what a node stands in, from within."""
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def is_left_alone(node: nodes.Node) -> bool:
    """Tell whether code spans within a node are no links."""
    return isinstance(node, WITHIN)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the transform."""
    app.add_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
