"""What the checkers find in all modules of this folder's tests, found once in a test run."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from checkers import CHECKERS, Diagnostic
from contract_module import build
from page_modules import ROOT, module_name, pages

HERE = Path(__file__).resolve().parent
Found = dict[tuple[str, int], list[Diagnostic]]

collect_ignore = ["programs", "conftest.py"]
"""No places for doctests: programs, which would run, and modules with the name of another one."""


@pytest.fixture(scope="session")
def diagnostics(tmp_path_factory, worker_id):
    """A function from a checker to its diagnostics by file and line."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent  # the workers of a run have a folder in common

    @cache
    def found(checker: str) -> Found:
        result: Found = defaultdict(list)
        for diagnostic in once(shared / f"{checker}.sqlite", checker):
            result[diagnostic.path, diagnostic.line].append(diagnostic)
        return result

    return found


def once(path: Path, checker: str) -> list[Diagnostic]:
    """The diagnostics in the database, put there by whoever comes first; others wait for them."""
    with sqlite3.connect(path, timeout=600, isolation_level="EXCLUSIVE") as database:
        database.execute("BEGIN EXCLUSIVE")
        database.execute("CREATE TABLE IF NOT EXISTS found (diagnostics TEXT)")
        row = database.execute("SELECT diagnostics FROM found").fetchone()
        if row is None:
            folder = path.with_suffix("")
            write_modules(folder)
            row = (json.dumps(CHECKERS[checker](folder)),)
            database.execute("INSERT INTO found VALUES (?)", row)
    database.close()
    return [Diagnostic(*each) for each in json.loads(row[0])]


def write_modules(folder: Path) -> None:
    """Write all modules that are checked into a folder."""
    shutil.copytree(HERE / "programs", folder, ignore=shutil.ignore_patterns("__pycache__", "*.txt"))
    (folder / "contract.py").write_text(build().text, encoding="utf-8")
    for path in HERE.glob("reveal_*.py"):
        shutil.copy(path, folder)
    (folder / "pages").mkdir()
    for path, page in pages().items():
        (folder / "pages" / f"{module_name(path)}.py").write_text(page.text, encoding="utf-8")
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__", "*.png"))
