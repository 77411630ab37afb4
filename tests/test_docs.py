"""The documentation: every block of code runs and gives what it shows.

The blocks of a page run in order and share their names, in a folder of their own that has the examples. A block of
Python without prompts is a script. Of a block of shell the commands `mdview …` are run; what is shown right behind it,
in a block of text, is what they print. A block that cannot run has the comment `<!-- not run: REASON -->` above it.
"""

import doctest
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if not page.relative_to(DOCS).parts[0].startswith("_"))
PARTNERS = {"algebra_disagreements.md": ["tensor_layouts"], "design/bulk.md": ["numpy"]}
"""What the examples of a page need besides what they import."""
OPTIONAL = re.compile(
    r"^(?:>>> |\.\.\. )?\s*(?:from|import) "
    r"(numpy|numba|sympy|torch|jax|pyarrow|pandas|polars|zarr|h5py|scipy|sklearn|hypothesis|PIL|matplotlib|dask)\b"
)
FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,})(?P<kind>.*)$")
ELSEWHERE = {"interop.md": "tests/interop/matrix/test_interop_programs.py runs each block as a program"}
COMMAND = re.compile(r"^(?:\$ )?(?:python -m )?mdview\b(?!\.)")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Block(NamedTuple):
    """A block of code: what kind, the line it begins in (from 1), its text, and why it is not run, if so."""

    kind: str
    line: int
    text: str
    reason: str | None


def name_of(page):
    return page.relative_to(DOCS).as_posix()


def blocks(text):
    """The fenced blocks of a page, in order."""
    lines = text.splitlines()
    number, above = 0, ""
    while number < len(lines):
        fence = FENCE.match(lines[number])
        if fence is None:
            above = lines[number] if lines[number].strip() else above
            number += 1
            continue
        end = lines.index(fence["indent"] + fence["fence"], number + 1)
        body = "\n".join(line.removeprefix(fence["indent"]) for line in lines[number + 1 : end])
        reason = re.fullmatch(r"<!-- not run: (.+) -->", above.strip())
        yield Block(fence["kind"].strip(), number + 2, body + "\n", reason and reason[1])
        number, above = end + 1, ""


def blocks_of(page):
    return list(blocks(page.read_text(encoding="utf-8")))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder in which the code of a page runs."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.fixture
def names(monkeypatch):
    """The names of the code of a page: those of a module, so that its classes are found by name."""
    module = ModuleType("page_of_the_docs")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module.__dict__


def need_partners(page):
    wanted = PARTNERS.get(name_of(page), [])
    found = [OPTIONAL.match(line) for block in blocks_of(page) for line in block.text.splitlines()]
    for partner in sorted({*wanted, *(match[1] for match in found if match)}):
        pytest.importorskip(partner)


def is_slow(page):
    """Whether the code of a page asks partners, compiles or runs the command."""
    return name_of(page).startswith("howto/") or any(block.kind in {"sh", "console"} for block in blocks_of(page))


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.deep] * is_slow(page), id=name_of(page))
        for page in PAGES
        if name_of(page) not in ELSEWHERE
    ],
)
def test_the_code_of_a_page_runs(page, folder, names):
    need_partners(page)
    page_blocks = blocks_of(page)
    for number, block in enumerate(page_blocks):
        if block.reason is not None:
            continue
        if block.kind in {"python", "pycon"}:
            run_python(page, block, names)
        elif block.kind == "sh":
            behind = page_blocks[number + 1] if number + 1 < len(page_blocks) else None
            run_commands(block, behind.text if behind and is_output(block, behind) else None)


def is_output(block, behind):
    """Whether a block of text stands right behind a block of shell, a blank line between them at most."""
    return behind.kind == "text" and behind.line <= block.line + block.text.count("\n") + 3


def run_python(page, block, names):
    if ">>>" not in block.text:
        exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec", dont_inherit=True), names)
        return
    test = doctest.DocTestParser().get_doctest(block.text, {}, name_of(page), str(page), block.line - 1)
    test.globs = names
    said = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append, clear_globs=False)
    assert not said, "".join(said)


def run_commands(block, shown):
    printed = []
    for line in block.text.replace("\\\n", " ").splitlines():
        if COMMAND.match(line):
            command = shlex.split(line.removeprefix("$ ").removeprefix("python -m "), comments=True)
            printed.append(run_command(command[1:]))
    if printed and shown is not None:
        assert doctest.OutputChecker().check_output(shown, "".join(printed), FLAGS), "".join(printed)


def run_command(arguments):
    """What a command prints; it ends with success, or says why not in what is printed."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}.", "COLUMNS": "100", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "mdview", *arguments]
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_some_pages_have_code():
    assert sum(block.kind == "python" for page in PAGES for block in blocks_of(page)) > 50


def test_every_block_says_what_it_is_and_imports_by_name_and_prompts_stand_in_blocks():
    for page in PAGES:
        text, found = page.read_text(encoding="utf-8"), blocks_of(page)
        assert [block.line for block in found if not block.kind or "import *" in block.text] == [], page
        assert text.count(">>> ") == sum(block.text.count(">>> ") for block in found), page


def test_the_tests_to_start_with_are_there():
    named = re.findall(r"`(tests/\S+)::(test_\w+)`", (DOCS / "contributing.md").read_text(encoding="utf-8"))
    assert len(named) == 10
    for path, name in named:
        assert f"\ndef {name}(" in (DOCS.parent / path).read_text(encoding="utf-8"), name


def test_the_picture_of_the_readme_is_the_one_that_its_script_draws():
    script = runpy.run_path(str(DOCS / "draw_layouts.py"))
    assert script["FILE"].read_text(encoding="utf-8") == script["draw"]()


def test_the_pictures_of_the_iteration_page_are_those_that_its_script_draws():
    script = runpy.run_path(str(DOCS / "draw_iteration.py"))
    for name, draw in script["PICTURES"].items():
        assert (DOCS / "_static" / name).read_text(encoding="utf-8") == draw()


def test_the_page_of_modules_has_the_first_sentences_of_their_docstrings():
    script = runpy.run_path(str(DOCS / "generate_modules.py"))
    assert script["FILE"].read_text(encoding="utf-8") == script["page"](), "run: python docs/generate_modules.py"


def test_the_pages_of_formats_are_those_of_the_tables():
    script = runpy.run_path(str(DOCS / "generate_formats.py"))
    for file, text in script["pages"]().items():
        assert file.read_text(encoding="utf-8") == text, "run: python docs/generate_formats.py"
