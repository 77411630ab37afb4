"""Writes ``programs/messages.txt``: what mypy says of each wrong program, for people to read and review.

Run it from anywhere after a change of types; a test compares the file with what mypy says.
"""

from __future__ import annotations

import ast
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from checkers import Diagnostic, mypy

PROGRAMS = Path(__file__).resolve().parent / "programs"
MESSAGES = PROGRAMS / "messages.txt"


Found = dict[int, list[Diagnostic]]
"""The diagnostics of a program by line."""


def blocks_of(path: Path, found: Found) -> Iterator[str]:
    """What mypy says of a program, or of each function of one, below the lines that are wrong."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    parts = [node for node in tree.body if isinstance(node, ast.FunctionDef) and ast.get_docstring(node)]
    for part in parts or [tree]:
        first, last = (part.lineno, part.end_lineno or 0) if isinstance(part, ast.FunctionDef) else (1, 10**9)
        name = part.name if isinstance(part, ast.FunctionDef) else path.stem
        lines = [line.strip() for line in text.splitlines()[first - 1 : last] if "  # error: " in line]
        said = [f"{d.severity}: {d.message}" for line in sorted(found) if first <= line <= last for d in found[line]]
        yield "\n".join([f"{name}: {ast.get_docstring(part)}", *(f"    {line}" for line in lines), *said])


def text_of(found: Mapping[Path, Found]) -> str:
    """The text of the file."""
    return "\n\n".join(sorted([block for path in found for block in blocks_of(path, found[path])])) + "\n"


def main() -> int:
    """Ask mypy about the wrong programs alone."""
    found: dict[Path, Found] = {path: {} for path in (PROGRAMS / "wrong").glob("*.py")}
    with TemporaryDirectory() as folder:
        shutil.copytree(PROGRAMS / "wrong", Path(folder, "wrong"))
        for diagnostic in mypy(Path(folder)):
            said = found[PROGRAMS / "wrong" / Path(diagnostic.path).name]
            said.setdefault(diagnostic.line, []).append(diagnostic)
    MESSAGES.write_text(text_of(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
