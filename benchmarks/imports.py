"""Imports: an interpreter that imports the package, `MDView` or NumPy, compared with one that imports nothing."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from benchmarks.harness import Case, Report, compare

BUDGET: Final = 20e-3
"""Seconds that `import mdview` may add."""
STATEMENTS: Final = {
    "import mdview": "import mdview",
    "the view": "from mdview import MDView",
    "typing_extensions": "import typing_extensions",
    "numpy": "import numpy",
}


def start(statement: str) -> None:
    """Run a statement in a new interpreter."""
    subprocess.run([sys.executable, "-c", statement], check=True)


def main() -> list[Report]:
    """Measure each import."""
    bare = Case("nothing", "start('pass')", {"start": start})
    seconds = compare(bare, [], rounds=5).rows[0].seconds
    goals = {"import mdview": (seconds + BUDGET) / seconds}
    cases = [
        Case(name, "start(statement)", {"start": start, "statement": statement}, goal=goals.get(name))
        for name, statement in STATEMENTS.items()
    ]
    return [compare(bare, cases, title=f"an interpreter that imports; goal: {BUDGET * 1e3:.0f} ms more than nothing")]
