"""Sphinx configuration: Markdown sources, built without the network."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "_extensions"))
import generate_command_line
import generate_examples
import generate_operations

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "mdview"
author = "The mdview authors"
copyright = author
version = release = installed_version("mdview-layouts")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "picture",
    "api_summary",
    "linked_names",
    "explorer",
]
exclude_patterns = ["_build", "_generated"]
source_suffix = {".md": "markdown"}
# A name in single backticks of a docstring is a link where the docs describe it.
default_role = "py:obj"
# Elsewhere what is named as a part of mdview is described on one of the API pages.
nitpicky = True
nitpick_ignore_regex = [("py:obj", ".*"), ("py:.*", r"(?!mdview\.).*")]

myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "substitution"]
myst_substitutions = {"version": version}
myst_heading_anchors = 3

autodoc_member_order = "bysource"
# Types of parameters are for checkers; with them each function would be shown once for each of its overloads.
autodoc_typehints = "none"
autodoc_preserve_defaults = True
add_module_names = False
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_attr_annotations = False

html_theme = "pydata_sphinx_theme"
html_title = "mdview"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "gallery": []},
}
html_sidebars: dict[str, list[str]] = {"index": [], "gallery": [], "explorer": []}
# Without it, the address of a server would be the default.
mathjax_path = "_static/mathjax.js"


def setup(app: Sphinx) -> None:
    """Write what pages include before they are read."""
    for generated in (generate_command_line, generate_examples, generate_operations):
        app.connect("builder-inited", lambda _, write=generated.write: write())
