"""Writes ``programs/messages.txt``: what mypy says of each wrong program, for people to read and review.

Run it from anywhere after a change of types; a test compares the file with what mypy says.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from checkers import Diagnostic, mypy

PROGRAMS = Path(__file__).resolve().parent / "programs"
MESSAGES = PROGRAMS / "messages.txt"


def messages_of(found: dict[int, list[Diagnostic]]) -> list[str]:
    """The lines that mypy prints of a program, without their places."""
    return [f"{d.severity}: {d.message}" for line in sorted(found) for d in found[line]]


def text_of(messages: dict[str, list[str]]) -> str:
    """The text of the file."""
    blocks = []
    for name in sorted(messages):
        lines = (PROGRAMS / "wrong" / f"{name}.py").read_text(encoding="utf-8").splitlines()
        wrong = [line.strip() for line in lines if "  # error: " in line]
        blocks.append(
            "\n".join([f"{name}: {lines[0].strip(chr(34))}", *(f"    {line}" for line in wrong), *messages[name]])
        )
    return "\n\n".join(blocks) + "\n"


def main() -> int:
    """Ask mypy about the wrong programs alone."""
    found: dict[str, dict[int, list[Diagnostic]]] = {path.stem: {} for path in (PROGRAMS / "wrong").glob("*.py")}
    with TemporaryDirectory() as folder:
        shutil.copytree(PROGRAMS / "wrong", Path(folder, "wrong"))
        for diagnostic in mypy(Path(folder)):
            found[Path(diagnostic.path).stem].setdefault(diagnostic.line, []).append(diagnostic)
    MESSAGES.write_text(text_of({name: messages_of(each) for name, each in found.items()}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
