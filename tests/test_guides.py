"""The guides: what they show of a layout of one's own is what its file does."""

from __future__ import annotations

import ast
import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from array import array
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest

from mdview import Accessor, Layout
from mdview.testing import examine_accessor, examine_layout

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SNAKE = DOCS / "snake.py"
PAGES = ("start.md", "writing_layouts.md", "writing_accessors.md")
SESSIONS = {
    command: output
    for page in PAGES
    for block in re.findall(r"(?ms)^```console\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"))
    for command, output in re.findall(r"^\$ (mdview .*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
}  # fmt: skip
"""What the pages type into a shell, and what they show of it."""


def code_of(page):
    """What the examples of a page import, define and name, and all of their code."""
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```$", page.read_text(encoding="utf-8"))
    parts = [[one.source for one in doctest.DocTestParser().get_examples(block)] or [block] for block in blocks]
    tree = ast.parse("".join([source for part in parts for source in part]))
    kinds = ast.Import | ast.ImportFrom | ast.ClassDef | ast.Assign
    return [node for node in tree.body if isinstance(node, kinds)], tree


def run(command, folder):
    """The outcome of a command in a folder that has the file of the layout, and one of the accessors."""
    shutil.copy(SNAKE, folder)
    made = [node for node in code_of(DOCS / "writing_accessors.md")[0] if not isinstance(node, ast.Assign)]
    (folder / "mymodule.py").write_text(ast.unparse(made), encoding="utf-8")
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


BROKEN = {"LayoutPadded": "numbers", "Square": "bounds"}
"""What pages show as wrong, and the law that it breaks."""


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda page: page.stem)
def test_what_a_page_defines_is_certified_as_it_says(page, monkeypatch):
    nodes, tree = code_of(page)
    defined = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    module = ModuleType("page_of_the_docs")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for node in nodes if defined else []:
        with suppress(Exception):  # an assignment of what another example makes, a partner that there is not
            exec(compile(ast.Module([node], []), str(page), "exec"), module.__dict__)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) in defined]
    for call in calls:
        one = eval(ast.unparse(call), module.__dict__)  # noqa: S307 - a page of ours
        if isinstance(one, Layout | Accessor):
            name = type(one).__name__
            items = "h" if page.stem == "writing_accessors" and "Calibrated" in repr(one) else "d"
            made = (lambda size, items=items: array(items, range(1, size + 1)),)
            verdict = examine_layout(one) if isinstance(one, Layout) else examine_accessor(one, *made)
            broken = [example.law.name for example in verdict.broken]
            assert (name, BROKEN.get(name) in broken, not broken) == (name, name in BROKEN, name not in BROKEN)


def test_the_sessions_are_there():
    assert {command.split()[1] for command in SESSIONS} == {"certify", "draw"}


@pytest.mark.deep
@pytest.mark.parametrize("command", SESSIONS)
def test_a_session_gives_what_it_shows(command, tmp_path):
    if command.split()[1] == "draw" and "draw" not in run("mdview --help", tmp_path).stdout:
        pytest.skip("this version of the command draws nothing")
    done = run(command, tmp_path)
    assert (done.returncode, done.stdout) == (int("REJECTED" in SESSIONS[command]), SESSIONS[command])
    if "-o" in command:
        assert (tmp_path / shlex.split(command)[-1]).read_text(encoding="utf-8").startswith("<svg")


def test_the_layout_of_the_page_is_that_of_the_file():
    page = (DOCS / "writing_layouts.md").read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(page)
    [shown] = [example.source for example in examples if "class LayoutSnake" in example.source]
    assert methods(shown) == methods(SNAKE.read_text(encoding="utf-8"))
