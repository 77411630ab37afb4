"""The guides: what they show of a layout of one's own is what its file does, and figures are those measured."""

from __future__ import annotations

import ast
import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SNAKE = DOCS / "snake.py"
PAGES = ("start.md", "writing_layouts.md")
SESSIONS = {
    command: output
    for page in PAGES
    for block in re.findall(r"(?ms)^```console\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"))
    for command, output in re.findall(r"^\$ (mdview .*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
}  # fmt: skip
"""What the pages type into a shell, and what they show of it."""


def run(command, folder):
    """The outcome of a command in a folder that has the file of the layout."""
    shutil.copy(SNAKE, folder)
    words = [sys.executable, "-m", *shlex.split(command)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), "."])}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120)


def methods(source):
    """The methods of the layout in a source: their code, without docstrings."""
    [snake] = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef) and node.name == "LayoutSnake"
    ]
    found = [node for node in snake.body if isinstance(node, ast.FunctionDef)]
    for node in found:
        node.body = node.body[1:] if ast.get_docstring(node) else node.body
    return [ast.unparse(node) for node in found]


def test_the_sessions_are_there():
    assert {command.split()[1] for command in SESSIONS} == {"certify", "draw"}


@pytest.mark.parametrize("command", SESSIONS)
def test_a_session_gives_what_it_shows(command, tmp_path):
    if command.split()[1] == "draw" and "draw" not in run("mdview --help", tmp_path).stdout:
        pytest.skip("this version of the command draws nothing")
    done = run(command, tmp_path)
    assert (done.returncode, done.stdout) == (0, SESSIONS[command])
    if "-o" in command:
        assert (tmp_path / shlex.split(command)[-1]).read_text(encoding="utf-8").startswith("<svg")


def test_the_layout_of_the_page_is_that_of_the_file():
    page = (DOCS / "writing_layouts.md").read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(page)
    [shown] = [example.source for example in examples if "class LayoutSnake" in example.source]
    assert methods(shown) == methods(SNAKE.read_text(encoding="utf-8"))


def rows(text):
    return [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]


def test_the_costs_of_a_layout_are_those_of_the_performance_page():
    measured = rows(
        (DOCS / "performance.md").read_text(encoding="utf-8").split("### 1000 x 1000, layouts")[1].split("###")[0]
    )
    cells = {(row[0], name): cell for row in measured[2:] for name, cell in zip(measured[0], row, strict=True)}
    head, _, *shown = rows((DOCS / "choosing.md").read_text(encoding="utf-8").split("## What a layout costs")[1])
    assert len(shown) >= 10
    for row in shown:
        assert row[1:] == [cells[row[0], name] for name in head[1:]], row[0]
