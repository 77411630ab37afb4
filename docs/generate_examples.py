"""Generate the list of examples for the gallery: the docstring of each program, and its source in a folded block.

Run by Sphinx (see conf.py) and by hand: ``python docs/generate_examples.py``.
"""

# ruff: noqa: INP001 - a script beside the pages, no module
from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
TARGET: Final = HERE / "_generated" / "examples.md"
EXAMPLES: Final = HERE.parent / "examples"


def program(path: Path) -> str:
    """Return the section of a program: its docstring and its source."""
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    source = f"```{{literalinclude}} ../examples/{path.name}\n:language: python\n```"
    unfolded = f"<details><summary>Source of {path.name}</summary>\n\n{source}\n\n</details>"
    return f"### {path.name}\n\n{told.replace('``', '`')}\n\n{unfolded}\n"


def notebook(path: Path) -> str:
    """Return the section of a notebook: the text of its first cell without the heading."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    first = next(("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"), "")
    told = "\n".join(line for line in first.splitlines() if not line.startswith("#")).strip()
    return f"### {path.name}\n\n{told}\n"


def write() -> None:
    """Write the sections into the file that the gallery includes; an unchanged file is not touched."""
    sections = [program(path) for path in sorted(EXAMPLES.glob("*.py"))]
    sections += [notebook(path) for path in sorted(EXAMPLES.glob("*.ipynb"))]
    written = "\n".join(sections)
    TARGET.parent.mkdir(exist_ok=True)
    if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != written:
        TARGET.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    write()
