"""The README, the documentation, the docstrings of public modules and the examples type-check as users' code does."""

from __future__ import annotations

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
