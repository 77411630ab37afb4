"""How many lines a terminal shows for a mistake: a few, in the checkers that do not list what they have tried.

pyrefly and ty print each overload of a function, and ty where a function is defined, which is ten lines for any call. Their
short formats have one line for each mistake.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from statistics import median

import pytest
from checked_modules import HERE
from checkers import CACHE, ROOT, program

pytestmark = pytest.mark.deep
MISTAKES = (HERE / "programs" / "mistakes.txt").read_text(encoding="utf-8").splitlines()
HEAD = """from mdview import *
def wants_vector(v: MDView[float, Dims1]) -> None: ...
def wants_matrix(v: MDView[float, Dims2, Layout]) -> None: ...
def wants_left(v: MDView[float, Dims2, LayoutLeft]) -> None: ...
def wants_right(v: MDView[float, Dims2]) -> None: ...
def mistakes(
    v: MDView[float, Dims2], x: MDView[float, Dims1], r: MDView[float, Dims2, LayoutRight, ReadOnlyAccessor[float]],
    t: MDView[float, Dims2, LayoutTiled]
) -> None:
"""
PYTHON = [sys.executable, "-m"]
PYREFLY = [program("pyrefly"), "check", f"--search-path={ROOT}", f"--python-interpreter-path={sys.executable}"]
PYREFLY += ["--summary=none"]
TY = [program("ty"), "check", "--no-progress", f"--extra-search-path={ROOT}", f"--python={sys.prefix}"]
COMMANDS = {
    "mypy": [*PYTHON, "mypy", "--strict", "--no-error-summary", f"--cache-dir={CACHE.as_posix()}"],
    "pyright": [*PYTHON, "pyright", "--pythonpath", sys.executable],
    "basedpyright": [*PYTHON, "basedpyright", "--level=error", "--pythonpath", sys.executable],
    "pyrefly": PYREFLY,
    "pyrefly, short": [*PYREFLY, "--output-format=min-text"],
    "ty": TY,
    "ty, short": [*TY, "--output-format=concise"],
}
FIRST = r"^(?=ERROR |error\[| *[^ ]*mistakes\.py:\d)"
"""Where a checker begins to speak of a mistake."""
MOST = {"pyrefly": (10.5, 31), "pyrefly, short": (1, 1), "ty": (13, 37), "ty, short": (1, 1)}
"""The median and the maximum of lines, where they are not eight and twelve."""


@pytest.mark.parametrize("checker", COMMANDS)
def test_a_mistake_takes_few_lines_of_a_terminal(checker, tmp_path):
    (tmp_path / "mistakes.py").write_text(HEAD + "".join([f"    {line}\n" for line in MISTAKES]), encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text(f'{{"extraPaths": ["{ROOT.as_posix()}"]}}', encoding="utf-8")
    command = [*COMMANDS[checker], "mistakes.py"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, check=False)
    lines = Counter[str]()
    for said in re.split(FIRST, done.stdout, flags=re.MULTILINE)[1:]:
        at = int(re.findall(r"mistakes\.py:(\d+)", said)[0])
        shown = [line for line in said.splitlines() if line.strip() and not re.match(r"\d+ errors?|Found \d+", line)]
        lines[MISTAKES[at - HEAD.count("\n") - 1]] += len(shown)
    assert set(lines) == set(MISTAKES)
    middle, most = MOST.get(checker, (8, 12))
    assert max(lines.values()) <= most
    assert median(lines.values()) <= middle
