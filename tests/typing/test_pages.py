"""The README, the documentation, docstrings and examples type-check, and the page on typing shows what checkers say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checked_modules import STRICT
from page_modules import ROOT, module_name, pages

PAGES = pages()
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
UNTYPED = {
    "mypy": {"no-untyped-call", "untyped-decorator", "import-not-found", "import-untyped"},
    "pyright-strict": {
        "reportMissingImports", "reportMissingTypeStubs", "reportUnknownMemberType", "reportUnknownArgumentType", "reportUnknownVariableType",
        "reportUnknownLambdaType", "reportUntypedFunctionDecorator", "reportAttributeAccessIssue",
        "reportUnusedImport",
    },
}  # fmt: skip
"""What Numba, llvmlite, pyarrow and psutil, which have no types, Matplotlib, dask and zarr, which have some, and what is not installed, make of
calls; and what is imported for what it registers."""


PARTNERS = (
    *("numba", "llvmlite", "matplotlib", "scipy", "sklearn", "pyarrow", "torch"),
    *("dask", "distributed", "psutil", "zarr"),
)


def untyped_partners(text):
    return any(f"import {name}" in text or f"from {name}" in text for name in PARTNERS)


def found_in(diagnostics, checker, file, text):
    partner = UNTYPED[checker] if untyped_partners(text) else set()
    return {
        line: [(d.rule, d.message) for d in said]
        for (path, line), said in diagnostics(checker).items()
        if path == file and any(d.rule not in partner for d in said if d.severity == "error")
    }


@pytest.mark.parametrize("checker", STRICT)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_code_of_a_page_type_checks(path: Path, checker, diagnostics):
    page = PAGES[path]
    found = found_in(diagnostics, checker, f"pages/{module_name(path)}.py", page.text)
    assert {line: said for line, said in found.items() if line not in page.wrong} == {}


@pytest.mark.parametrize("checker", STRICT)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_type_checks(path: Path, checker, diagnostics):
    text = path.read_text(encoding="utf-8")
    assert found_in(diagnostics, checker, f"examples/{path.name}", text) == {}


def test_there_is_code_on_the_pages():
    assert {"README.md", "choosing.md", "kernels.md", "polymorphic.py"} <= {path.name for path in PAGES}


PAGE = (Path(__file__).parents[2] / "docs" / "typing.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"/programs/(wrong/\w+\.py)\n(?:.*\n)*?```text\n((?:.*\n)*?)```", PAGE)
CHECKERS = {"mypy": "mypy", "pyright": "pyright-strict"}


def without_aliases(line):
    """A line with what aliases stand for: pyright writes the one or the other, by what it has read before."""
    return re.sub(r"\bDyn\b", "int", re.sub(r"\bDims2\b", "tuple[int, int]", line))


def shown(text, checker):
    """The lines that the page has of a checker: those behind its name, and the indented ones that follow."""
    found, ours = [], False
    for line in text.splitlines():
        head = re.match(r"(mypy|pyright): ", line)
        ours = head[1] == checker if head else ours
        if ours and line.strip() != "...":
            found.append(line.removeprefix(f"{checker}: ").strip())
    return found


def test_each_program_has_its_messages():
    assert len(SHOWN) == PAGE.count("{literalinclude}") == PAGE.count("```text\n") >= 9


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize(("program", "text"), SHOWN, ids=[program for program, _ in SHOWN])
def test_the_messages_are_those_of_the_checker(program, text, checker, diagnostics):
    said = [
        line.strip()
        for (path, _), found in diagnostics(CHECKERS[checker]).items()
        if path == program
        for each in found
        for line in each.message.splitlines()
    ]
    lines = shown(text, checker)
    assert lines, said
    known = set(map(without_aliases, said))
    assert [line for line in lines if without_aliases(line) not in known] == []
