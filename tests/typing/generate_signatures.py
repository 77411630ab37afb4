"""Writes the stubs in which type checkers find the signatures of ``MDView``, ``subview``, the manipulations and the public names.

Run it from anywhere; ``--check`` only says whether the files are up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path

import signature_operations
import signature_subviews
import signature_views
from signature_stubs import literal, package_stub, stub

HEAVY = {"numba"}
"""Public modules that a checker reads only where they are imported: it would look for their partners in any program."""
PACKAGE = Path(__file__).resolve().parents[2] / "mdview"
VIEW, SUBVIEWS, INIT = PACKAGE / "views" / "view.py", PACKAGE / "views" / "subviews.py", PACKAGE / "__init__.py"
MANIPULATION = PACKAGE / "operations" / "manipulation.py"


def texts() -> dict[Path, str]:
    """The text of each stub, by its path."""
    views, subviews, init = VIEW.read_text(), SUBVIEWS.read_text(), INIT.read_text()
    return {
        VIEW.with_suffix(".pyi"): stub(
            VIEW.name,
            views,
            signature_views.IMPORTS,
            signature_views.names() + signature_views.transposing(),
            signature_views.overloads(),
            signature_views.WITNESSES,
            signature_views.BASES,
        ),
        SUBVIEWS.with_suffix(".pyi"): stub(
            SUBVIEWS.name,
            subviews,
            signature_subviews.IMPORTS,
            signature_subviews.NAMES,
            signature_subviews.overloads(),
        ),
        MANIPULATION.with_suffix(".pyi"): stub(
            MANIPULATION.name,
            MANIPULATION.read_text(),
            signature_operations.IMPORTS,
            signature_operations.NAMES,
            signature_operations.overloads(),
        ),
        INIT.with_suffix(".pyi"): package_stub(
            INIT.name,
            init,
            literal(init, "_NAMES"),
            [module for module in literal(init, "_SUBMODULES") if module not in HEAVY],
        ),
    }


def main() -> int:
    stale = [(path, text) for path, text in texts().items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        return len(stale)
    for path, text in stale:
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
