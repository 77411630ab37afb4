"""Write the list of examples for the gallery: what each program says of itself, and its source to unfold.

Run by Sphinx (see conf.py) and by hand: ``python docs/generate_examples.py``.
"""

# ruff: noqa: INP001 - a script beside the pages, no module
from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
TARGET: Final = HERE / "_generated" / "examples.md"
EXAMPLES: Final = HERE.parent / "examples"


def section(path: Path) -> str:
    """Return the section of one program."""
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return "\n".join(
        [
            f"### {path.name}",
            "",
            told.replace("``", "`"),
            "",
            "<details><summary>Source</summary>",
            "",
            f"```{{literalinclude}} ../examples/{path.name}",
            ":language: python",
            "```",
            "",
            "</details>",
            "",
        ]
    )


def write() -> None:
    """Write the sections where the gallery includes them from; an unchanged file stays untouched."""
    written = "\n".join(section(path) for path in sorted(EXAMPLES.glob("*.py")))
    TARGET.parent.mkdir(exist_ok=True)
    if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != written:
        TARGET.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    write()
