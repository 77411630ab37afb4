"""What the checkers find in all modules of this folder's tests, found once in a test run."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
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
            write(folder)
            row = (json.dumps(CHECKERS[checker](folder)),)
            database.execute("INSERT INTO found VALUES (?)", row)
    database.close()
    return [Diagnostic(*each) for each in json.loads(row[0])]
