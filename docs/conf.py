"""Sphinx configuration: Markdown sources, built without the network."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))
import generate_operations

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "mdview"
author = "The mdview authors"
copyright = author
version = release = installed_version("mdview-layouts")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "_generated"]
source_suffix = {".md": "markdown"}

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "pydata_sphinx_theme"
html_title = "mdview"
html_static_path = ["_static"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"show_toc_level": 2, "navbar_end": ["theme-switcher"], "secondary_sidebar_items": ["page-toc"]}
# Without it, the address of a server would be the default.
mathjax_path = "_static/mathjax.js"


def setup(app: Sphinx) -> None:
    """Write what pages include before they are read."""
    app.connect("builder-inited", lambda _: generate_operations.write())
