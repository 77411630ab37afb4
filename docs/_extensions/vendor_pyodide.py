"""The archive of Pyodide, the Python of the explorer page; ``python docs/_extensions/vendor_pyodide.py`` downloads it.

The archive is kept in a folder that git ignores. The download is the only step that needs a network and npm, and runs
once. Without the archive, the docs are built with an explorer that shows its examples only.
"""

# ruff: noqa: INP001 - a script
from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from base64 import b64encode
from hashlib import sha512
from pathlib import Path
from typing import Final

VERSION: Final = "314.0.7"
INTEGRITY: Final = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""SHA-512 of the archive, as package managers write it."""
FOLDER: Final = Path(__file__).parents[1] / "_vendor"
ARCHIVE: Final = f"pyodide-{VERSION}.tgz"
PATIENCE: Final = 300
"""Seconds that npm may take."""


class VendoringError(Exception):
    """The error for an archive that cannot be downloaded or is not as published."""


def kept(folder: Path = FOLDER) -> Path | None:
    """Return the archive in ``folder``, or None if there is none.

    Raises
    ------
    VendoringError
        The file is not the archive as published.
    """
    archive = folder / ARCHIVE
    if not archive.exists():
        return None
    found = b64encode(sha512(archive.read_bytes()).digest()).decode()
    if found != INTEGRITY:
        message = (
            f"{archive} is not Pyodide {VERSION} as published: its SHA-512 is {found}, expected {INTEGRITY}; remove it"
        )
        raise VendoringError(message)
    return archive


def members(archive: Path, names: list[str]) -> dict[str, bytes]:
    """Return the contents of files of the archive by name."""
    with tarfile.open(archive) as package:
        opened = {name: package.extractfile(f"package/{name}") for name in names}
        return {name: file.read() for name, file in opened.items() if file is not None}


def fetch(folder: Path = FOLDER) -> Path:
    """Return the archive in ``folder``; npm downloads it if it is missing."""
    if (archive := kept(folder)) is not None:
        return archive
    npm = shutil.which("npm")
    if npm is None:
        message = "Pyodide comes by npm, which is not installed"
        raise VendoringError(message)
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "pack", f"pyodide@{VERSION}", "--silent", "--pack-destination", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)  # noqa: S603 - npm
    except subprocess.TimeoutExpired:
        message = f"npm did not answer within {PATIENCE} seconds"
        raise VendoringError(message) from None
    if (archive := kept(folder)) is None:
        message = f"npm has not fetched pyodide {VERSION}: {done.stderr.strip() or f'status {done.returncode}'}"
        raise VendoringError(message)
    return archive


def main(folder: Path = FOLDER) -> int:
    """Download the archive into a folder; return 0, or 1 after a line on standard error if the download fails."""
    try:
        sys.stdout.write(f"{fetch(folder)}\n")
    except VendoringError as error:
        sys.stderr.write(f"vendor_pyodide: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:2])))
