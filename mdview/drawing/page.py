"""A page around a figure: one file that needs no network and no other file, to be kept on a disk or sent to somebody.

What the page may do is told to the browser by a content security policy: nothing is loaded, and of all scripts only the
one that links indices and places runs.
"""

from __future__ import annotations

from base64 import b64encode
from functools import partial
from hashlib import sha256
from html import escape
from typing import Final, Unpack

from mdview.drawing.figure import asset, figure, script, style
from mdview.drawing.html import table
from mdview.drawing.quick_facts import told, traits
from mdview.drawing.scene import Drawable, Look, mapping_of, title_of

PAGE: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{title}</h1><button type="button" class="mdview-theme" hidden>Light or dark</button></header>
<main>
{figure}
{facts}
</main>
<script>
{script}</script>
</body>
</html>
"""


def to_html(target: Drawable, after: Drawable | None = None, *, page: bool = True, **look: Unpack[Look]) -> str:
    """Return a page with the picture of a view or a mapping, in which indices and places in memory light each other.

    It is one file without anything to load. The mouse, the keyboard (Tab, arrow keys, Enter, Escape) and screen readers
    reach every index and every place.

    Parameters
    ----------
    target
        A view or a mapping.
    after
        What an operation has made of ``target``: both are in the picture.
    page
        False for the figure alone, with its style and its script, to be put into a page; of several on one page all
        but the first may be `mdview.drawing.figure.figure` without them.
    **look
        The other parameters of `to_svg`: ``title``, also the heading of the page, ``walk``, ``line``, ``memory``,
        ``cells``.

    Raises
    ------
    OperandError
        ``target`` or ``after`` is neither a view nor a mapping.

    >>> from mdview import LayoutTiled, Mapping
    >>> to_html(Mapping((4, 6), LayoutTiled(2, 2))).splitlines()[:2]
    ['<!DOCTYPE html>', '<html lang="en">']
    """
    drawn = figure(target, after, **look)
    if not page:
        return f"<style>{style()}</style>{drawn}<script>{script()}</script>"
    scripts = f"{script()}{asset('page.js')}"
    return PAGE.format(
        policy=_policy(scripts),
        title=escape(look.get("title") or _title(target, after)),
        style=f"{asset('page.css')}{style()}",
        figure=drawn,
        facts=_facts(target) if after is None else f"<h2>Before</h2>{_facts(target)}<h2>After</h2>{_facts(after)}",
        script=scripts,
    )


def _facts(given: Drawable) -> str:
    return table({name: told(ask) for name, ask in traits(mapping_of(given)).items()})


def _policy(script: str) -> str:
    digest = b64encode(sha256(f"\n{script}".encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _title(target: Drawable, after: Drawable | None) -> str:
    return " → ".join([told(partial(title_of, mapping_of(given))) for given in (target, after) if given is not None])
