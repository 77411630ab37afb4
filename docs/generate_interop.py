"""Generate the tables of the page on interop, from the rules by which tests check the partner libraries.

By hand: ``python docs/generate_interop.py``; `tests/interop/matrix/test_interop_page.py` compares the page.
"""

# ruff: noqa: INP001 - a script beside the pages, no module
from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
TARGET: Final = ROOT / "docs" / "interop.md"
TESTS: Final = ROOT / "tests" / "interop" / "matrix"


def write() -> None:
    """Write the page with new tables."""
    sys.path[:0] = [str(ROOT), str(TESTS)]
    page = runpy.run_path(str(TESTS / "matrix_page.py"))
    TARGET.write_text(page["with_tables"](TARGET.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()
