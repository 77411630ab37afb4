"""What the checkers find in all modules of this folder's tests, found once in a test run, by several workers at once."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from checked_modules import write
from checkers import CHECKERS, Diagnostic

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
        for diagnostic in shared_by_workers(shared, checker):
            result[diagnostic.path, diagnostic.line].append(diagnostic)
        return result

    return found


def pytest_collection_modifyitems(items):
    """What looks at diagnostics asks the checkers."""
    for item in items:
        if "diagnostics" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.deep)


def shared_by_workers(folder: Path, checker: str) -> list[Diagnostic]:
    """The diagnostics of a checker. While another worker runs it, this one runs others that nobody has run."""
    for other in CHECKERS:
        diagnostics = once(folder, checker, seconds=0)
        if diagnostics is not None:
            return diagnostics
        once(folder, other, seconds=0)
    diagnostics = once(folder, checker, seconds=600)
    assert diagnostics is not None, f"{checker} has not come to an end"
    return diagnostics


def once(base: Path, checker: str, seconds: float) -> list[Diagnostic] | None:
    """The diagnostics in the database, put there by whoever comes first; nothing if that takes longer from now on."""
    folder = base / checker
    with closing(sqlite3.connect(folder.with_suffix(".sqlite"), timeout=seconds, isolation_level=None)) as database:
        try:
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return None
        database.execute("CREATE TABLE IF NOT EXISTS found (diagnostics TEXT)")
        row = database.execute("SELECT diagnostics FROM found").fetchone()
        if row is None:
            write(folder, checker)
            row = (json.dumps(CHECKERS[checker](folder)),)
            database.execute("INSERT INTO found VALUES (?)", row)
        database.execute("COMMIT")
    return [Diagnostic(*each) for each in json.loads(row[0])]
