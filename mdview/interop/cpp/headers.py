"""The header ``mdview.hpp``, which comes with the package."""

from __future__ import annotations

from pathlib import Path


def include_folder() -> Path:
    """Return the folder that a C++ compiler looks for ``mdview.hpp`` in: ``c++ -I$FOLDER``.

    >>> (include_folder() / "mdview.hpp").exists()
    True
    """
    return Path(__file__).parent
