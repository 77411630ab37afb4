"""Pictures in files: the format that the ending of a name asks for, written whole or not at all."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, final

from mdview.base.values import value
from mdview.cli.output import FileError
from mdview.drawing import side_by_side, to_html, to_svg, to_text
from mdview.drawing.scene import LINE, MOST_CELLS, Look, title_of
from mdview.mappings.facts import AnyMapping


@final
@value
class Drawing:
    """What is drawn: a mapping, perhaps what has become of it, and its title among others, its expression if None."""

    mapping: AnyMapping
    after: AnyMapping | None
    title: str | None = None


def picture_path(text: str) -> Path:
    """Read the name of a picture; its ending says the format."""
    path = Path(text)
    if path.suffix.lower() not in FORMATS:
        message = f"the name of a picture ends in .svg, .html or .txt, got {text!r}"
        raise ArgumentTypeError(message)
    return path


def as_text(drawings: Sequence[Drawing], look: Look, *, colour: bool = False) -> str:
    """Return pictures of characters, one below the other."""
    line, memory, cells = look.get("line", LINE), look.get("memory"), look.get("cells", MOST_CELLS // 2)
    return "\n\n".join(
        [to_text(d.mapping, d.after, colour=colour, line=line, memory=memory, cells=cells) for d in drawings]
    )


def as_svg(drawings: Sequence[Drawing], look: Look) -> str:
    """Return one picture, of several drawings side by side."""
    if len(drawings) == 1:
        return to_svg(drawings[0].mapping, drawings[0].after, **look)
    titles = [each.title or title_of(each.mapping) for each in drawings]
    return side_by_side(*[each.mapping for each in drawings], titles=titles, walk=look.get("walk", False))


def as_html(drawings: Sequence[Drawing], look: Look) -> str:
    """Return a page of one drawing."""
    (drawing,) = drawings
    return to_html(drawing.mapping, drawing.after, **look)


FORMATS: Final[dict[str, Callable[[Sequence[Drawing], Look], str]]] = {
    ".svg": as_svg,
    ".html": as_html,
    ".txt": as_text,
}
"""How a picture is made, by the ending of its name."""


def replace(path: Path, content: str) -> None:
    """Write a file under another name first, so that an error leaves what was there before; a pipe is written to.

    Raises
    ------
    FileError, OSError
        The file cannot be written.
    """
    target = path.resolve()  # a link goes on to lead to the file
    if target.is_dir():
        raise FileError("is a directory")
    if not target.parent.is_dir():
        raise FileError(f"there is no folder {str(path.parent)!r}")
    if target.exists() and not os.access(target, os.W_OK):
        raise FileError("may not be written")
    data = f"{content}\n".encode("utf-8", "backslashreplace")
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    beside = target.with_name(f".mdview-{os.getpid()}.part")
    try:
        with beside.open("xb") as file:
            file.write(data)
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
