"""Type checking: mypy without a cache on a file of 200 lines with views, compared with the same file with NumPy arrays.

Both packages are copied into the ``site-packages`` of an environment, as a user has them: there mypy skips the bodies
of functions.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from benchmarks.harness import Case, Report, compare

ROOT: Final = Path(__file__).parents[1]
COPIES: Final = 11
GOAL: Final = 1.5

VIEWS: Final = """from array import array
from mdview import Dims1, Dims2, MDView, flip, permute_dims, readonly
Matrix = MDView[float, Dims2]
Vector = MDView[float, Dims1]
def zeros(rows: int, columns: int) -> Matrix:
    return MDView(array("d", bytes(8 * rows * columns)), (rows, columns))
def line(length: int) -> Vector:
    return MDView(array("d", bytes(8 * length)), (length,))
"""
ARRAYS: Final = """import numpy as np
from numpy import flip, permute_dims
Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
def zeros(rows: int, columns: int) -> Matrix:
    return np.zeros((rows, columns))
def line(length: int) -> Vector:
    return np.zeros((length,))
"""
PART: Final = """
def matvec_{k}(a: Matrix, x: Vector) -> Vector:
    rows, columns = a.shape
    out = line(rows)
    for i in range(rows):
        for j in range(columns):
            out[i] += a[i, j] * x[j]
    return out

def smoothed_{k}(a: Matrix) -> Matrix:
    out = zeros(*a.shape[:2])
    inner = a[1:-1, 1:-1]
    for i in range(inner.shape[0]):
        for j in range(inner.shape[1]):
            out[i, j] = (a[i, j + 1] + a[i + 2, j + 1] + a[i + 1, j] + a[i + 1, j + 2]) / 4
    out[0] = out[-1]
    print(flip(out), permute_dims(out, (1, 0)), a[:, 0], a[::2, 1], len(a))
    return out
"""


def installed(folder: Path) -> Path:
    """Make an environment with both packages; return its interpreter."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("[Ll]ib/**/site-packages")
    for package in (ROOT / "mdview", Path(np.__file__).parent):
        shutil.copytree(package, packages / package.name, ignore=shutil.ignore_patterns("__pycache__", "*.so", "tests"))
    (python,) = folder.glob("[bS]*/python.*" if os.name == "nt" else "bin/python")
    return python


def check(path: Path, python: Path) -> None:
    """Run mypy without a cache; reported type errors are ignored."""
    options = ["--strict", "--config-file=", f"--cache-dir={os.devnull}", f"--python-executable={python}"]
    command = [sys.executable, "-m", "mypy", *options, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=path.parent, check=False)
    if done.returncode not in {0, 1}:
        raise RuntimeError(done.stdout + done.stderr)


def case(python: Path, folder: Path, name: str, head: str, goal: float | None = None) -> Case:
    """Write a file, and return the case that checks it."""
    path = folder / f"{name}_file.py"
    path.write_text(head + "".join(PART.format(k=k) for k in range(COPIES)), encoding="utf-8")
    return Case(name, "check(path, python)", {"check": check, "path": path, "python": python}, goal=goal)


def main() -> list[Report]:
    """Measure both files."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        python = installed(folder / "environment")
        arrays, views = case(python, folder, "arrays", ARRAYS), case(python, folder, "views", VIEWS, GOAL)
        return [compare(arrays, [views], title="cold mypy of a file of 200 lines", rounds=3)]
