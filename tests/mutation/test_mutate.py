"""The mutation check itself: what it changes, what it leaves alone, and that a test's notice counts."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from mutate import mutant, sites

RUN = Path(__file__).with_name("run.py")

SOURCE = '''
"""Module 1 + 1."""
def area(n: 1, m=2):
    """Return 1 + 1."""
    if not n < 3 and m is not None:
        message = f"{n + 1} is too small"
        raise ValueError(message, 1 + 1)
    return [min(-n, m) * x for x in zip(n, m, strict=True)]
'''


def changed(change):
    """The line that differs after the one change of this kind."""
    [site] = [site for site in sites(SOURCE) if site.change == change]
    before, after = ast.unparse(ast.parse(SOURCE)).splitlines(), mutant(SOURCE, site).splitlines()
    [line] = [new.strip() for old, new in zip(before, after, strict=True) if old != new]
    return line


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("2 to 3", "def area(n: 1, m=3):"),
        ("2 to 1", "def area(n: 1, m=1):"),
        ("Lt to LtE", "if not n <= 3 and m is not None:"),
        ("IsNot to Is", "if not n < 3 and m is None:"),
        ("And to Or", "if not n < 3 or m is not None:"),
        ("without Not", "if not not n < 3 and m is not None:"),
        ("Mult to Add", "return [min(-n, m) + x for x in zip(n, m, strict=True)]"),
        ("min to max", "return [max(-n, m) * x for x in zip(n, m, strict=True)]"),
        ("without USub", "return [min(+n, m) * x for x in zip(n, m, strict=True)]"),
    ],
)
def test_one_place_is_changed(change, line):
    assert changed(change) == line


def test_texts_annotations_errors_and_guards_are_left_alone():
    assert len(sites(SOURCE)) == 11
    assert {site.line for site in sites(SOURCE)} == {3, 5, 8}


def test_every_mutant_of_a_module_is_another_module_that_compiles():
    source = (RUN.parents[2] / "mdview" / "mappings" / "slicing.py").read_text(encoding="utf-8")
    found = sites(source)
    unchanged = ast.unparse(ast.parse(source))
    mutants = [mutant(source, site) for site in found]
    assert len(found) > 40
    assert unchanged not in mutants
    for text in mutants:
        compile(text, "mutant", "exec")


def test_a_mutant_is_noticed_by_a_test_and_none_by_no_test(tmp_path):
    """In a process of its own, which forks: the tests of one small module, unchanged and changed."""
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "small.py").write_text("def add(a, b):\n    return a + b\n")
    (tmp_path / "test_small.py").write_text("import small\n\ndef test_sum():\n    assert small.add(1, 2) == 3\n")
    code = (
        f"import sys; sys.path.insert(0, {str(RUN.parent)!r}); import pytest; from pathlib import Path;"
        "from run import noticed; from mutate import *;"
        f"folder = Path({str(tmp_path)!r}); source = (folder / 'small.py').read_text(); [site] = sites(source);"
        "answers = [noticed(folder, 'small.py', ['test_small.py'], s) for s in (source, mutant(source, site))];"
        "assert answers == [False, True], answers;"
        "assert (folder / 'small.py').read_text() == source"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_a_name_of_no_mutant_is_refused():
    command = [sys.executable, RUN, "--named", "mdview/index/slices.py:1: Lt to LtE"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "no such mutant: mdview/index/slices.py:1: Lt to LtE" in ran.stderr
