"""The mutation check itself: what it changes and leaves alone, which tests it runs, and that a test's notice counts."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from line_tests import LineTests, digest
from mutate import mutant, sites
from near_tests import MODULES, ROOT, folder_tests, modules, near_tests, pattern_of

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
        ("4 to 5", "most: 1 = 5"),
        ("with Not", "if not most:"),
        ("Sub to Add", "most += n"),
        ("without the call", "None"),
        ("min to max", "return [max(-n, m) * x for x in zip(n, m, strict=True)]"),
        ("without USub", "return [min(+n, m) * x for x in zip(n, m, strict=True)]"),
    ],
)
def test_one_place_is_changed(change, line):
    assert changed(change) == line


def test_texts_annotations_errors_and_guards_are_left_alone():
    assert len(sites(SOURCE)) == 16
    assert {site.line for site in sites(SOURCE)} == {3, 5, 6, 7, 8, 9, 12}


def test_every_mutant_of_a_module_is_another_module_that_compiles():
    source = (RUN.parents[2] / "mdview" / "mappings" / "slicing.py").read_text(encoding="utf-8")
    found = sites(source)
    unchanged = ast.unparse(ast.parse(source))
    mutants = [mutant(source, site) for site in found]
    assert len(found) > 40
    assert unchanged not in mutants
    for text in mutants:
        compile(text, "mutant", "exec")


def started(code):
    """What a process of its own prints, which may fork."""
    begin = (
        f"import sys; sys.path.insert(0, {str(RUN.parent)!r}); import pytest, hypothesis; from pathlib import Path\n"
    )
    ran = subprocess.run([sys.executable, "-c", begin + code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.fixture
def project(tmp_path):
    """A small module and its tests: one notices its mutant, one does not, one never ends."""
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "small.py").write_text("def add(a, b):\n    return a + b\n")
    (tmp_path / "test_small.py").write_text(
        "import small\n\n"
        "def test_zero():\n    assert small.add(1, 0) == 1\n\n"
        "def test_sum():\n    assert small.add(1, 2) == 3\n\n"
        "def test_long():\n    while small.add(1, 2) == -1:\n        pass\n"
    )
    return tmp_path


def test_a_mutant_is_noticed_by_a_test_and_none_by_no_test(project):
    """Unchanged and changed, by all tests, by one, by all but one, by one that is not there, and by one that hangs."""
    assert started(
        "from selected_tests import failure; from mutate import *\n"
        f"folder = Path({str(project)!r}); module = folder / 'small.py'; source = module.read_text()\n"
        "[site] = sites(source); file = 'test_small.py'\n"
        "for text in (source, mutant(source, site)):\n"
        "    module.write_text(text)\n"
        "    print(failure(folder, [file], [], 60, without=True))\n"
        "    for names in ([f'{file}::test_zero'], [f'{file}::test_sum', f'{file}::test_zero'], ['x::test']):\n"
        "        print(failure(folder, [file], names, 60))\n"
        "print(failure(folder, [file], [f'{file}::test_sum'], 1, without=True) is None)\n"
    ) == [*["None"] * 4, "test_small.py::test_sum", "None", "test_small.py::test_sum", "None", "False"]


def test_every_module_has_near_tests_which_are_there():
    """None but the first lines of packages goes without a test of its folder; no pattern is left over."""
    used = {pattern_of(module) for module in modules()}
    assert used == {*MODULES}
    for module in modules():
        found = [*near_tests(module), *folder_tests(module)]
        assert found
        assert all(path.is_file() and path.is_relative_to(ROOT / "tests") for path in found), module


def test_tests_that_mirror_a_module_are_the_nearest():
    near = near_tests(Path("mdview/index/slices.py"))
    assert near[0] == ROOT / "tests" / "index" / "test_slices.py"


def test_the_tests_of_a_line_are_those_that_run_it_or_the_nearest_line_above():
    lines = {"a.py": {1: [], 3: ["t::slow", "t::quick"], 7: ["t::quick"]}}
    known = LineTests({"t::slow": 2.0, "t::quick": 1.0}, {"a.py": digest("text")}, lines)
    assert known.of("a.py", "text", 3) == known.of("a.py", "text", 6) == ["t::quick", "t::slow"]
    assert known.of("a.py", "text", 9) == ["t::quick"]
    assert known.of("a.py", "text", 2) == known.of("a.py", "other", 3) == known.of("b.py", "text", 3) == []


def test_it_is_recorded_which_tests_run_which_line(project):
    """What a test finds in a cache that another one has filled it makes again; a test that fails is left out."""
    (project / "mdview").mkdir()
    (project / "mdview" / "__init__.py").touch()
    (project / "mdview" / "small.py").write_text(
        "from functools import lru_cache\n\n"
        "@lru_cache\ndef halved(n):\n    return n // 2\n\n"
        "def doubled(n):\n    return 2 * n\n"
    )
    (project / "test_small.py").write_text(
        "from mdview.small import doubled, halved\n\n"
        "def test_half():\n    assert halved(4) == 2\n\n"
        "def test_half_again():\n    assert halved(4) == 2\n\n"
        "def test_double():\n    assert doubled(4) == 8\n\n"
        "def test_fails():\n    assert doubled(4) == 9\n"
    )
    printed = started(
        "import os; from line_tests import record, load\n"
        f"root = Path({str(project)!r}); os.chdir(root); sys.path.insert(0, str(root))\n"
        "record(root, root / 'lines'); found = load(root / 'lines')\n"
        "source = (root / 'mdview' / 'small.py').read_text()\n"
        "print(sorted(found.of('mdview/small.py', source, 5)), found.of('mdview/small.py', source, 8))"
    )
    assert "left out, as it fails without any change: test_small.py::test_fails" in printed
    assert printed[-1] == str(["test_small.py::test_half", "test_small.py::test_half_again"]) + " " + str(
        ["test_small.py::test_double"]
    )


def test_of_each_function_the_quickest_tests_run_first_for_a_few_seconds():
    assert started(
        "from run import quick_tests\n"
        "seconds = {'t::a[1]': 0.1, 't::a[2]': 0.2, 't::a[3]': 0.3, 't::b': 0.25, 't::c': 2.9}\n"
        "print(*quick_tests([*seconds], seconds, 2))\n"
        "print(*quick_tests([*seconds], seconds, None))\n"
    ) == ["t::a[1] t::a[2] t::b", "t::a[1] t::a[2] t::b t::a[3] t::c"]


def test_answers_are_kept_and_read_again(tmp_path):
    assert started(
        "from run import Answers, Place; from mutate import sites\n"
        "source = 'x = 1 + 2'; place = Place(Path('mdview/x.py'), source, sites(source)[0])\n"
        f"path = Path({str(tmp_path)!r}) / 'answers'\n"
        "Answers(path).add(place, None); Answers(path).add(place, 'tests/a.py::test')\n"
        "print(Answers(path).known[place.key], place.name, place.text, sep=' | ')"
    ) == ["tests/a.py::test | mdview/x.py:1: Add to Sub | x = 1 + 2"]


def test_a_name_of_no_mutant_is_refused():
    command = [sys.executable, RUN, "--named", "mdview/index/slices.py:1: Lt to LtE"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "no such mutant: mdview/index/slices.py:1: Lt to LtE" in ran.stderr
