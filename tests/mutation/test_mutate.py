"""The mutation check itself: what it changes and leaves alone, which tests it runs, and that a test's notice counts."""

import ast
from pathlib import Path

from mutate import mutant, sites
from processes import output_of

RUN = Path(__file__).with_name("run.py")

SOURCE = '''
"""Module 1 + 1."""
def area(n: 1, m=2):
    """Return 1 + 1."""
    note(n)
    most: 1 = 4
    if most:
        most -= n
    if not n < 3 and m is not None:
        message = f"{n + 1} is too small"
        raise ValueError(message, 1 + 1)
    return [min(-n, m) * x for x in zip(n, m, strict=True)]
'''
CHANGES = {
    "2 to 3": "def area(n: 1, m=3):",
    "2 to 1": "def area(n: 1, m=1):",
    "Lt to LtE": "if not n <= 3 and m is not None:",
    "IsNot to Is": "if not n < 3 and m is None:",
    "And to Or": "if not n < 3 or m is not None:",
    "without Not": "if not not n < 3 and m is not None:",
    "Mult to Add": "return [min(-n, m) + x for x in zip(n, m, strict=True)]",
    "4 to 5": "most: 1 = 5",
    "4 to 3": "most: 1 = 3",
    "3 to 4": "if not n < 4 and m is not None:",
    "3 to 2": "if not n < 2 and m is not None:",
    "with Not": "if not most:",
    "Sub to Add": "most += n",
    "without the call": "None",
    "min to max": "return [max(-n, m) * x for x in zip(n, m, strict=True)]",
    "without USub": "return [min(+n, m) * x for x in zip(n, m, strict=True)]",
}
"""Each change and the line that it gives; texts, annotations, errors and guards are left alone."""


def test_one_place_is_changed_and_nothing_else_can_be():
    before = ast.unparse(ast.parse(SOURCE)).splitlines()
    found = {}
    for site in sites(SOURCE):
        after = mutant(SOURCE, site).splitlines()
        [found[site.change]] = [new.strip() for old, new in zip(before, after, strict=True) if old != new]
    assert found == CHANGES


def started(code):
    """What a process of its own prints, which may fork."""
    begin = (
        f"import sys; sys.path.insert(0, {str(RUN.parent)!r}); import pytest, hypothesis; from pathlib import Path\n"
    )
    return output_of(begin + code).splitlines()


def test_a_mutant_is_noticed_by_a_test_and_none_by_no_test(tmp_path):
    """Unchanged and changed, by one test, by two, by one that is not there, and by one that hangs."""
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "small.py").write_text("def add(a, b):\n    return a + b\n")
    (tmp_path / "test_small.py").write_text(
        "import small\n\n"
        "def test_zero():\n    assert small.add(1, 0) == 1\n\n"
        "def test_sum():\n    assert small.add(1, 2) == 3\n\n"
        "def test_long():\n    while small.add(1, 2) == -1:\n        pass\n"
    )
    assert started(
        "from selected_tests import failure; from mutate import *\n"
        f"folder = Path({str(tmp_path)!r}); module = folder / 'small.py'; source = module.read_text()\n"
        "[site] = sites(source); zero, total, long = [f'test_small.py::test_{x}' for x in ('zero', 'sum', 'long')]\n"
        "for text in (source, mutant(source, site)):\n"
        "    module.write_text(text)\n"
        "    for names in ([zero], [total, zero], ['test_small.py::test']):\n"
        "        print(failure(folder, names, 60))\n"
        "print(failure(folder, [long], 1) is None)\n"
    ) == [*["None"] * 4, "test_small.py::test_sum", "None", "False"]
