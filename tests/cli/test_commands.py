"""`mdview`: finding the command, pictures, explanations and files of other layouts."""

import fcntl
import io
import os
import pty
import re
import runpy
import shlex
import struct
import sys
import termios
from pathlib import Path
from xml.dom import minidom

import numpy as np
import pytest
from command_runs import ROOT, command, python

import mdview
from mdview import Mapping, explain, parse
from mdview.drawing import to_html, to_svg, to_text

NAMES = ["info", "draw", "explain", "certify", "relayout"]
VALUES = np.arange(40 * 30, dtype="<u2").reshape(40, 30)


def names():
    return sorted(path.name for path in Path().iterdir())


# The program.


def test_the_overview_names_every_command(run):
    status, overview, error = run("--help")
    assert (status, error) == (0, "")
    assert re.findall(r"^ {4}([a-z]+)  ", overview, re.MULTILINE) == NAMES
    assert run("--version") == (0, f"mdview {mdview.__version__}\n", "")
    assert run() == (0, overview, "")
    assert "invalid choice: 'drwa'" in run("drwa")[2]


def test_the_package_is_the_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["mdview", "--version"])
    with pytest.raises(SystemExit) as left:
        runpy.run_module("mdview", run_name="__main__")
    assert (left.value.code, capsys.readouterr().out) == (0, f"mdview {mdview.__version__}\n")


@pytest.mark.parametrize("name", NAMES)
def test_every_command_shows_examples(name, run):
    status, text, _ = run(name, "--help")
    assert status == 0
    assert f"\nfor example:\n  mdview {name} " in text


@pytest.fixture
def folder(run):
    np.save("a.npy", VALUES)
    Path("a.raw").write_bytes(b"headers" + VALUES.tobytes())
    return Path()


def written(text):
    """The commands of a text, and the line of the error after each."""
    for block in text.split("$ mdview ")[1:]:
        arguments, error = block.strip().split("\n")
        yield shlex.split(arguments), error


WRONG = [*written(Path(__file__).with_name("mistakes.txt").read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("arguments", "error"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_what_is_wrong_is_one_line_and_nothing_is_written(folder, run, arguments, error):
    before = names()
    status, output, said = run(*arguments)
    assert (status, output, names()) == (2, "", before)
    assert said.splitlines()[-1] == error


def test_a_package_of_another_project_in_its_place_is_told(tmp_path):
    package = tmp_path / "mdview"
    package.mkdir()
    for each in (ROOT / "mdview").iterdir():
        (package / each.name).symlink_to(each)
    package.joinpath("__init__.py").unlink()
    package.joinpath("__init__.py").write_text('__version__ = "another"\n', encoding="utf-8")
    ran = command("draw", "right (2, 3)", cwd=tmp_path, variables={"PYTHONPATH": str(tmp_path)})
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("mdview: error: another project, which pip install mdview brings")
    assert ran.stderr.count("\n") == 1


USER = """
from mdview import Layout
class LayoutHere(Layout):
    def offset(self, extents, index): return index[0] + extents[0] * index[1]
    def required_span_size(self, extents): return extents[0] * extents[1]
class LayoutFails(Layout):
    def offset(self, extents, index): raise ZeroDivisionError("of two\\nlines \\x1b[31m")
    def required_span_size(self, extents): raise ZeroDivisionError("of two\\nlines \\x1b[31m")
"""


@pytest.mark.parametrize("name", ["draw", "explain"])
def test_layouts_of_users_are_found_beside_the_caller(name, run):
    Path("users_of_cli.py").write_text(USER, encoding="utf-8")
    assert run(name, "users_of_cli:LayoutHere (2, 3)")[::2] == (0, "")
    status, _, error = run(name, "users_of_cli:LayoutFails (3, 4)")
    assert (status, error.count("\n")) == (2, 1)
    assert r"ZeroDivisionError: of two lines \x1b[31m" in error


# Pictures.


@pytest.mark.parametrize(
    "text", ["tiled(2, 3) (4, 6)", "tiled(2,3)(4,6) [1:3 , ::2]", "samples.layouts:LayoutEvensFirst (5,)"]
)
def test_the_ending_says_the_format(run, text):
    mapping, title = parse(text), " ".join(text.split())
    assert run("draw", text) == (0, f"{to_text(mapping, title=title)}\n", "")
    for name, make in (("a.svg", to_svg), ("A.SVG", to_svg), ("a.html", to_html), ("a.txt", to_text)):
        assert run("draw", text, "-o", name) == (0, "", "")
        assert Path(name).read_text(encoding="utf-8") == f"{make(mapping, title=title)}\n"


@pytest.mark.parametrize("after", ["flip(0)", " [1:3, ::-1] transposed()"])
def test_what_comes_after_is_drawn_too(run, after):
    title = f"right (4, 6) → {' '.join(f'right (4, 6) {after}'.split())}"
    expected = to_text(Mapping((4, 6)), parse(f"right (4, 6) {after}"), title=title)
    assert run("draw", "right (4, 6)", "--after", after) == (0, f"{expected}\n", "")


def test_the_look(run):
    look = {"title": "T <& ü", "line": 4, "memory": 32, "cells": 10}
    options = ["--line", "4", "--memory", "32", "--cells", "10", "--title", "T <& ü"]
    assert run("draw", "left (4, 6)", "-o", "a.svg", *options, "--walk")[0] == 0
    assert Path("a.svg").read_text(encoding="utf-8") == f"{to_svg(parse('left (4, 6)'), walk=True, **look)}\n"
    assert run("draw", "left (4, 6)", *options)[1] == f"{to_text(parse('left (4, 6)'), **look)}\n"
    assert run("draw", "right (2,)", "--title", "a\x01b\ud800", "-o", "a.svg")[0] == 0
    assert minidom.parseString(Path("a.svg").read_bytes()).documentElement.tagName == "svg"  # noqa: S318 - ours


def test_several_expressions(run):
    status, output, error = run("draw", "right (2, 2)", "lft (2, 2)", "left (2, 2)")
    assert (status, "did you mean left?" in error) == (2, True)
    assert output == f"{to_text(parse('right (2, 2)'))}\n\n{to_text(parse('left (2, 2)'))}\n"
    error = run("draw", "right (4, 6)", "--after", "flop(0)")[2].splitlines()
    assert error[1:] == ["    right (4, 6) flop(0)", "                 ^^^^"]


@pytest.mark.parametrize("text", ["", "\0", "right (2,) \x1b[31m", "tiled(" * 5000, "\ud800"], ids=range(5))
def test_strange_expressions_are_an_error_without_noise(run, text):
    status, output, error = run("draw", text)
    assert (status, output, error[:15]) == (2, "", "mdview: error: ")
    assert all(line.isprintable() for line in error.splitlines())
    assert len(error) < 2000


# Explanations.


def test_an_explanation_has_the_text_and_the_sentences(run):
    status, output, error = run("explain", "tiled(2,3)(4,6) [1:3 , ::2]")
    first, *lines = output.splitlines()
    assert (status, error, first) == (0, "", "tiled(2,3)(4,6) [1:3 , ::2]")
    assert [line.strip() for line in lines] == explain(parse("tiled(2,3)(4,6) [1:3 , ::2]")).splitlines()


@pytest.mark.parametrize(("text", "variables"), [("morton (8, 8)", ("y", "x")), ("right ()", ())])
def test_an_offset_is_written_as_c(run, text, variables):
    said = run("explain", text, "--c", ", ".join(variables))[1]
    assert said.endswith(f"\n\n#include <stdint.h>\n\n{parse(text).to_c(variables, function='offset')}")


def test_one_wrong_expression_does_not_keep_the_others_from_being_explained(run):
    status, output, error = run("explain", "right (2,)", "right (2,) [7]", "left (3,)")
    assert (status, "\n\nleft (3,)\n" in output) == (2, True)
    assert error.splitlines()[1:] == ["    right (2,) [7]", "                ^"]


# Files of other layouts.


def test_a_file_goes_there_and_back(folder, run):
    assert run("relayout", "a.npy", "tiles.npy", "--layout", "tiled(8, 8)") == (0, "", "")
    assert np.load("tiles.npy").shape == (5 * 4 * 64,)
    options = ("--layout", "right", "--max-memory", "1048576", "--force")
    assert run("relayout", "tiles.npy", "tiles.npy", *options) == (0, "", "")
    assert Path("tiles.npy").read_bytes() == Path("a.npy").read_bytes()
    raw = ["--mapping", "right (40, 30)", "--dtype", "uint16", "--offset", "7"]
    assert run("relayout", "a.raw", "b.raw", "--layout", "tiled(10, 10)", *raw) == (0, "", "")
    raw[1] = "tiled(10, 10) (40, 30)"
    assert run("relayout", "b.raw", "c.npy", "--layout", "left", *raw[:4]) == (0, "", "")
    assert (np.load("c.npy") == VALUES).all()


# As a process, whose output is unread, full or narrow.


@pytest.mark.parametrize("has_tqdm", [True, False], ids=["with tqdm", "without"])
def test_a_terminal_sees_progress(folder, has_tqdm):
    program = "import sys\n" + ("" if has_tqdm else "sys.modules['tqdm'] = None\n")
    program += "from mdview.cli import main\nmain(['relayout', 'a.npy', 'b.npy', '--layout', 'left'])"
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    assert python("-c", program, cwd=folder, stderr=theirs).returncode == 0
    os.close(theirs)
    shown = os.read(ours, 10_000).decode() if has_tqdm else ""
    os.close(ours)
    assert ("100" in shown, "elements" in shown) == (has_tqdm, has_tqdm)


def test_an_interrupt_is_no_traceback(run, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdout", type("Interrupted", (io.StringIO,), {"write": interrupted})())
    assert run("explain", "right (3,)")[::2] == (130, "")


@pytest.mark.parametrize("arguments", [("draw", *["right (30, 30)"] * 20), ("info", "a.npy")], ids=["draw", "info"])
def test_output_that_nobody_reads_or_that_does_not_fit_is_no_traceback(arguments, folder):
    other, unread = os.pipe()
    os.close(other)
    assert command(*arguments, cwd=folder, stdout=unread).stderr == ""
    os.close(unread)
    with Path("/dev/full").open("wb") as full:
        ran = command(*arguments, cwd=folder, stdout=full)
    assert (ran.returncode, ran.stderr) == (2, "mdview: error: No space left on device\n")


def test_a_narrow_encoding_gets_what_it_can_show(tmp_path):
    narrow = {"PYTHONIOENCODING": "ascii"}
    ran = command("draw", "right (4, é)", variables=narrow)
    first, line, carets = ran.stderr.splitlines()
    assert (ran.returncode, first.isascii(), line.isascii(), "^" in carets) == (2, True, True, True)
    np.save(tmp_path / "two\nlines ü.npy", VALUES)
    ran = command("info", tmp_path / "two\nlines ü.npy", variables=narrow)
    assert (ran.returncode, ran.stdout.splitlines()[0].endswith("two\\nlines \\xfc.npy")) == (0, True)
