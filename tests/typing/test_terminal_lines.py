"""How many lines a terminal shows for a mistake: a few, in the checkers that do not list what they have tried.

pyrefly and ty print each overload of a function, and so more lines than others for the functions that have many.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from statistics import median

import pytest
from checkers import CACHE, ROOT
from contract_module import HERE

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
COMMANDS = {
    "mypy": ["mypy", "--strict", "--no-error-summary", f"--cache-dir={CACHE.as_posix()}"],
    "pyright": ["pyright", "--pythonpath", sys.executable],
    "basedpyright": ["basedpyright", "--level=error", "--pythonpath", sys.executable],
}


@pytest.mark.parametrize("checker", COMMANDS)
def test_a_mistake_takes_few_lines_of_a_terminal(checker, tmp_path):
    (tmp_path / "mistakes.py").write_text(HEAD + "".join([f"    {line}\n" for line in MISTAKES]), encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text(f'{{"extraPaths": ["{ROOT.as_posix()}"]}}', encoding="utf-8")
    command = [sys.executable, "-m", *COMMANDS[checker], "mistakes.py"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, check=False)
    lines, at = Counter[str](), None
    for line in done.stdout.splitlines():
        found = re.search(r"mistakes\.py:(\d+)", line)
        at = MISTAKES[int(found[1]) - HEAD.count("\n") - 1] if found else at
        if at is not None and line.strip() and not re.match(r"\d+ errors?", line):
            lines[at] += 1
    assert set(lines) == set(MISTAKES)
    assert max(lines.values()) <= 12
    assert median(lines.values()) <= 8
