"""Pages as modules: the code of a page of the documentation, or of the docstrings of a module, for a type checker.

Each line of code stands in the line that it has on the page, so that a diagnostic names the place to look at.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAMS: Final = ROOT / "docs" / "interop.md"
"""Each block of this page is a program of its own, as `tests/interop/matrix` runs them: a function, so to speak."""
BLOCK: Final = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Code(NamedTuple):
    """Statements of a page from a line on (from 0), and whether the page shows the error that they give."""

    line: int
    text: str
    raises: bool


class Page(NamedTuple):
    """The module of a page, and the lines (from 1) whose code the page shows to be wrong."""

    text: str
    wrong: frozenset[int]


def pages() -> dict[Path, Page]:
    """The module of each page that has code, by the path of the page."""
    texts = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = {
        path: (_of_programs if path == PROGRAMS else _of_text)(path.read_text(encoding="utf-8"))
        for path in texts
        if "_build" not in path.parts
    }
    found |= {path: _of_docstrings(path) for path in _public_modules()}
    return {path: page for path, page in found.items() if page.text.strip()}


def _public_modules() -> list[Path]:
    """The files of the modules that define public names, and of the public packages."""
    stub = (ROOT / "mdview" / "__init__.pyi").read_text(encoding="utf-8")
    names = re.findall(r"^from (mdview\.[\w.]+) import", stub, re.MULTILINE)
    for page in sorted((ROOT / "docs" / "api").glob("*.md")):
        names += re.findall(
            r"^\.\. (?:auto|current)module:: (mdview\.[\w.]+)$", page.read_text(encoding="utf-8"), re.MULTILINE
        )
    places = [ROOT.joinpath(*name.split(".")) for name in names]
    files = [path for place in places for path in [place.with_suffix(".py"), *place.rglob("*.py")] if path.exists()]
    return sorted(set(files) - {ROOT / "mdview" / "__init__.py"})


def _of_text(text: str) -> Page:
    """The code of a page as one module, in order."""
    return _page(text.count("\n") + 1, list(_code_of_text(text)))


def _of_programs(text: str) -> Page:
    """The code of a page as functions, one for each block, which begin in the line of the fence."""
    codes = list(_code_of_text(text))
    page = _page(text.count("\n") + 1, codes, depth=4)
    lines = page.text.splitlines()
    for code in codes:
        lines[code.line - 1] = f"def program_{code.line}() -> None:"
    return Page("\n".join(lines) + "\n", page.wrong)


def _code_of_text(text: str) -> Iterator[Code]:
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        if ">>>" in block[1]:
            yield from (Code(first + code.line, code.text, code.raises) for code in _examples(block[1]))
        else:
            yield Code(first, block[1], raises=False)


def _examples(text: str) -> Iterator[Code]:
    for example in doctest.DocTestParser().get_examples(text):
        yield Code(example.lineno, example.source, example.exc_msg is not None)


def _page(length: int, codes: list[Code], depth: int = 0) -> Page:
    lines, wrong = [""] * length, set()
    for code in codes:
        shown = indent(_displayed(code.text), " " * depth).splitlines()
        lines[code.line : code.line + len(shown)] = shown
        if code.raises:
            wrong |= set(range(code.line + 1, code.line + 1 + len(shown)))
    return Page("\n".join(lines).rstrip() + "\n", frozenset(wrong))


def _displayed(text: str) -> str:
    """The text with values printed that the page shows: a value that nobody uses is a mistake to a checker."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call) and node.end_lineno is not None:
            end = lines[node.end_lineno - 1].encode()
            lines[node.end_lineno - 1] = (end[: node.end_col_offset] + b")" + end[node.end_col_offset or 0 :]).decode()
            lines[node.lineno - 1] = "print(" + lines[node.lineno - 1]
    return "\n".join(lines)


def _of_docstrings(path: Path) -> Page:
    """The examples of a module's docstrings, a function each, with the names that the module gives them."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    each = [
        [Code(first + line, code, raises) for line, code, raises in _examples(text)]
        for first, text in _docstrings(tree)
    ]
    codes = [code for found in each for code in found]
    page = _page(source.count("\n") + 1, codes, depth=4)
    lines = page.text.splitlines()
    for found in each:
        if found:
            lines[found[0].line - 1] = f"def docstring_{found[0].line + 1}() -> None:"
    if codes:
        lines[0] = "; ".join(_imports(path, tree, "\n".join(lines)))
    return Page("\n".join(lines), page.wrong)


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Each docstring with the line it begins in, from 0; it keeps its lines but not its indentation."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            value = node.body[0]
            assert isinstance(value, ast.Expr)
            assert isinstance(value.value, ast.Constant)
            yield value.lineno - 1, str(value.value.value)


def _imports(path: Path, tree: ast.Module, text: str) -> list[str]:
    """Statements that give the names which the examples take from their module."""
    nodes = list(ast.walk(ast.parse(text)))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    bound = {alias.asname or alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    wanted = used - bound - set(dir(builtins))
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    found = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            found += [f"from {node.module} import {a.name}" for a in node.names if (a.asname or a.name) in wanted]
        elif isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in wanted:
            found.append(f"from {module} import {node.name}")
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [f"from {module} import {t.id}" for t in targets if isinstance(t, ast.Name) and t.id in wanted]
    return list(dict.fromkeys(found))


def module_name(path: Path) -> str:
    """The name of the module of a page: no other module's, as checkers find modules by their names."""
    return "page_" + re.sub(r"\W", "_", path.relative_to(ROOT).with_suffix("").as_posix())
