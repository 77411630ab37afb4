"""Generate the page of modules: each module of mdview with the first line of its docstring and its names, by folder.

By hand: ``python docs/generate_modules.py``. A test compares the page with the generated text.
"""

# ruff: noqa: INP001 - a script beside the pages, no module
from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "mdview"
FILE: Final = ROOT / "docs" / "design" / "modules.md"
HEAD: Final = """\
# The modules

Each module of `mdview` in one line, by folder, from the ground up: a folder imports only folders above it on this page.
The lines are the first lines of the docstrings; behind them are the classes and functions that other modules may use.
`python docs/generate_modules.py` writes the page.
"""


def layers() -> list[str]:
    """Return the folders of the package in the order of the contract in pyproject.toml, the lowest layer first."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    folders = next(contract for contract in tools["importlinter"]["contracts"] if contract["id"] == "folders")
    return re.findall(r"\w+", " ".join(reversed(folders["layers"])))


def sentence(file: Path) -> str:
    """Return the first line of the docstring of a file."""
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def names(file: Path) -> str:
    """Return the public classes and functions that a file defines."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    defined = [node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return " ".join([f"`{name}`" for name in dict.fromkeys(defined) if not name.startswith("_")])


def table(files: list[Path]) -> Iterator[str]:
    """Yield a table of modules."""
    yield from ("", "| Module | Concept | Classes and functions |", "|---|---|---|")
    yield from (f"| `{file.stem}` | {sentence(file)} | {names(file)} |" for file in files)


def section(folder: Path) -> Iterator[str]:
    """Yield the lines of the page on a folder and its subfolders."""
    modules = sorted(file for file in folder.glob("*.py") if file.stem != "__init__")
    yield from ("", f"## `{folder.relative_to(PACKAGE).as_posix()}`", "", sentence(folder / "__init__.py"))
    if modules:
        yield from table(modules)
    for package in sorted(folder.glob("*/__init__.py")):
        yield from section(package.parent)


def page() -> str:
    """Return the page."""
    folders = [PACKAGE / name for name in layers() if (PACKAGE / name).is_dir()]
    lines = [HEAD.rstrip()]
    for folder in folders:
        lines += section(folder)
    lines += ["", "## Modules without a folder", *table([PACKAGE / "__init__.py", *sorted(PACKAGE.glob("[!_]*.py"))])]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
