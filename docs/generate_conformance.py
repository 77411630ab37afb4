"""Generate the page on conformance: the counts of all facts and all comparisons with C++ implementations that run.

By hand: ``python docs/generate_conformance.py``. The page is part of the sources, since the run needs compilers (the
extra `conformance`); `tests/conformance/cpp/test_page.py` compares it with a run.
"""

# ruff: noqa: INP001 - a script beside the pages, no module
from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
TARGET: Final = ROOT / "docs" / "conformance.md"
TESTS: Final = ROOT / "tests" / "conformance"


def write() -> None:
    """Write the page."""
    sys.path[:0] = [str(ROOT), str(TESTS.parent), str(TESTS), str(TESTS / "cpp")]
    page = runpy.run_path(str(TESTS / "cpp" / "page.py"))
    TARGET.write_text(page["text"](), encoding="utf-8")


if __name__ == "__main__":
    write()
