"""Writes the stubs in which type checkers find the signatures of ``MDView``, ``subview``, the manipulations and the public names.

Run it from anywhere; ``--check`` only says whether the files are up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import signature_creation
import signature_layouts
import signature_operations
import signature_subviews
import signature_views
from signature_stubs import literal, package_stub, stub

HEAVY = {"numba"}
"""Public modules that a checker reads only where they are imported: it would look for their partners in any program."""
PACKAGE = Path(__file__).resolve().parents[2] / "mdview"
VIEW, SUBVIEWS, INIT = PACKAGE / "views" / "view.py", PACKAGE / "views" / "subviews.py", PACKAGE / "__init__.py"
MANIPULATION = PACKAGE / "operations" / "manipulation.py"
SLICING = PACKAGE / "mappings" / "slicing.py"
TILES = PACKAGE / "interop" / "dask" / "tile_mapping.py"
LAYOUTS = {PACKAGE / "layouts" / f"{module}.py": module for module in signature_layouts.LAYOUTS}
PATHS = (
    VIEW, SUBVIEWS, MANIPULATION, SLICING, PACKAGE / "operations" / "creation.py", PACKAGE / "mappings" / "mapping.py",
    PACKAGE / "views" / "static_extents.py", PACKAGE / "interop" / "zarr" / "reading.py", TILES, *LAYOUTS, INIT,
)  # fmt: skip


def given() -> dict[Path, tuple[Any, ...]]:
    """What each stub has beside its source: names, overloads, members and bases. Any: as `stub` takes them."""
    rows = dict(
        zip(
            PATHS[2:8],
            (
                ("", signature_operations.overloads()),
                (signature_subviews.NAMES, signature_subviews.of_mappings()),
                (signature_creation.names(), signature_creation.of_memory()),
                ("", signature_creation.of_mappings()),
                ("", signature_creation.of_static_extents()),
                ("", signature_creation.of_stores()),
            ),
            strict=True,
        )
    )
    views = {"MDView": signature_views.WITNESSES}
    return {
        VIEW: (signature_views.names(), signature_views.overloads(), views, "_Described, "),
        SUBVIEWS: (signature_subviews.NAMES, signature_subviews.overloads(), {}),
        TILES: ("", signature_creation.of_tiles(TILES.read_text()), {}),
        **{path: (*row, {}) for path, row in rows.items()},
        **{path: ("", {}, signature_layouts.members(module)) for path, module in LAYOUTS.items()},
    }


def texts() -> dict[Path, str]:
    """The text of each stub, by its path."""
    init = INIT.read_text()
    modules = [module for module in literal(init, "_SUBMODULES") if module not in HEAVY]
    found = {path.with_suffix(".pyi"): stub(path, *row) for path, row in given().items()}
    return found | {INIT.with_suffix(".pyi"): package_stub(INIT.name, init, literal(init, "_NAMES"), modules)}


def main() -> int:
    stale = [(path, text) for path, text in texts().items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        return len(stale)
    for path, text in stale:
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
