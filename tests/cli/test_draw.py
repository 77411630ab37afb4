"""`mdview draw`: pictures on the terminal and in files, of one expression or several, and what does not go together."""

import io
import os
import subprocess
import sys
from xml.dom import minidom

import pytest
from command_runs import ROOT, command

from mdview import Mapping, flip, parse
from mdview.cli import draw, main
from mdview.drawing import to_html, to_svg, to_text


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run `mdview draw` in a folder of its own; give status, output, error."""
    monkeypatch.chdir(tmp_path)

    def drawn(*arguments):
        status = main(["draw", *arguments])
        return status, *capsys.readouterr()

    return drawn


def test_a_picture_on_the_terminal(run):
    assert run("tiled(2, 3) (4, 6)") == (0, f"{to_text(parse('tiled(2, 3) (4, 6)'))}\n", "")


@pytest.mark.parametrize(
    ("name", "make"),
    [("a.svg", to_svg), ("A.SVG", to_svg), ("a.html", to_html), ("a.txt", to_text), ("a.b.svg", to_svg)],
)
def test_the_ending_says_the_format(run, tmp_path, name, make):
    assert run("tiled(2, 3) (4, 6) [1:3, ::2]", "-o", name) == (0, "", "")
    written = (tmp_path / name).read_text(encoding="utf-8")
    assert written == f"{make(parse('tiled(2, 3) (4, 6) [1:3, ::2]'))}\n"


@pytest.mark.parametrize(
    ("after", "mapping"),
    [
        ("flip(0)", flip(Mapping((4, 6)), 0)),
        (" [1:3, ::-1] transposed()", parse("right (4, 6) [1:3, ::-1] transposed()")),
        ("left (4, 6)", parse("left (4, 6)")),
        ("morton (4, 6) [1:]", parse("morton (4, 6) [1:]")),
        ("transpose(left) (4, 6)", parse("transpose(left) (4, 6)")),
        ("mdview.testing.samples.layouts:LayoutEvensFirst (5,)", None),
    ],
)
def test_what_comes_after_is_steps_or_an_expression(run, after, mapping):
    mapping = parse(after) if mapping is None else mapping
    assert run("right (4, 6)", "--after", after) == (0, f"{to_text(Mapping((4, 6)), mapping)}\n", "")


def test_an_unknown_step_after_is_shown_at_its_place(run):
    status, output, error = run("right (4, 6)", "--after", "flop(0)")
    assert (status, output) == (2, "")
    assert error.splitlines() == [
        "mdview: error: line 1, column 14: there is no operation 'flop'; did you mean flip?",
        "    right (4, 6) flop(0)",
        "                 ^^^^",
    ]


def test_the_look(run, tmp_path):
    look = {"title": "T <& ü", "line": 4, "memory": 32, "cells": 10, "walk": True}
    options = ["--title", "T <& ü", "--line", "4", "--memory", "32", "--cells", "10", "--walk"]
    for name, make in (("a.svg", to_svg), ("a.html", to_html)):
        assert run("left (4, 6)", "-o", name, *options)[0] == 0
        assert (tmp_path / name).read_text(encoding="utf-8") == f"{make(parse('left (4, 6)'), **look)}\n"
    assert run("left (4, 6)", "--line", "4", "--memory", "32", "--cells", "10")[1] == (
        f"{to_text(parse('left (4, 6)'), line=4, memory=32, cells=10)}\n"
    )


def test_several_expressions_below_each_other(run):
    status, output, error = run("right (2, 2)", "lft (2, 2)", "left (2, 2)")
    assert status == 2
    assert output == f"{to_text(parse('right (2, 2)'))}\n\n{to_text(parse('left (2, 2)'))}\n"
    assert "did you mean left?" in error


def test_several_expressions_in_one_picture(run, tmp_path):
    assert run("right (2, 2)", "left (2, 2)", "-o", "a.svg", "--walk") == (0, "", "")
    picture = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert picture.count('class="cell"') == 8
    assert ">right (2, 2)<" in picture
    assert ">left (2, 2)<" in picture


def test_each_stage_of_an_expression(run, tmp_path):
    text = "right (4, 6) [1:] transposed()"
    expected = "\n\n".join(map(to_text, map(parse, ("right (4, 6)", "right (4, 6) [1:]", text))))
    assert run(text, "--steps")[1] == f"{expected}\n"
    assert run(text, "--steps", "-o", "a.svg") == (0, "", "")
    picture = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert all(f">{title}<" in picture for title in ("right (4, 6)", "[1:]", "transposed()"))


def test_a_file_of_several_is_written_for_all_or_none(run, tmp_path):
    (tmp_path / "a.svg").write_text("before")
    status, output, error = run("right (2, 2)", "lft (2, 2)", "-o", "a.svg")
    assert (status, output) == (2, "")
    assert "did you mean left?" in error
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]
    assert (tmp_path / "a.svg").read_text() == "before"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere/a.svg", "nowhere/a.svg: there is no folder 'nowhere'"),
        ("folder.html", "folder.html: is a directory"),
        (f"{'x' * 300}.txt", "File name too long"),
        ("nul\0.svg", r"nul\x00.svg: ValueError: "),
    ],
)
def test_a_file_that_cannot_be_written_is_one_line(run, tmp_path, name, message):
    (tmp_path / "folder.html").mkdir()
    status, output, error = run("right (2, 2)", "-o", name)
    assert (status, output) == (2, "")
    assert error.startswith("mdview: error: ")
    assert message in error
    assert len(error.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["folder.html"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: EXPRESSION"),
        (["right (2,)", "-o", "a.png"], "ends in .svg, .html or .txt, got 'a.png'"),
        (["right (2,)", "-o", "svg"], "ends in .svg, .html or .txt, got 'svg'"),
        (["right (2,)", "-o", ""], "ends in .svg, .html or .txt, got ''"),
        (["right (2,)", "--walk"], "--walk is for pictures in .svg and .html: give -o FILE.svg"),
        (["right (2,)", "--title", "T", "-o", "a.txt"], "--title is for pictures"),
        (["right (2,)", "left (2,)", "-o", "a.html"], "a page shows one EXPRESSION"),
        (["right (2,)", "--steps", "-o", "a.html"], "a page shows one EXPRESSION"),
        (["right (2,)", "left (2,)", "--line", "4", "-o", "a.svg"], "a picture of several takes no --line"),
        (["right (2,)", "left (2,)", "--after", "[1:]"], "--after is for one EXPRESSION"),
        (["right (2,)", "--steps", "--after", "[1:]"], "--after is for one EXPRESSION"),
        (["right (2,)", "--line", "0"], "1 or more"),
        (["right (2,)", "--cells", "-3"], "1 or more"),
        (["right (2,)", "--memory", "9" * 5000], "1 or more"),
        (["right (2,)", "--memory", "²"], "1 or more"),
        (["right (2,)", "--colour", "red"], "invalid choice"),
        (["right (2,)", "-x.svg"], "a name that begins with '-' follows after --"),
    ],
)
def test_wrong_arguments_are_one_line(run, arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        run(*arguments)
    printed = capsys.readouterr()
    assert (stop.value.code, printed.out) == (2, "")
    assert printed.err.startswith("mdview: error: ")
    assert message in printed.err
    assert len(printed.err.splitlines()) == 1


USER = """
from mdview import Layout
class LayoutFails(Layout):
    def offset(self, extents, index): raise ZeroDivisionError("of two\\nlines \\x1b[31m")
    def required_span_size(self, extents): raise ZeroDivisionError("of two\\nlines \\x1b[31m")
"""


def test_a_layout_that_fails_is_one_line(tmp_path):
    (tmp_path / "users.py").write_text(USER)
    (tmp_path / "leaves.py").write_text("raise SystemExit(7)")
    (tmp_path / "broken.py").write_text("x = (")
    for arguments in (["draw"], ["explain"], ["draw", "-o", "a.svg"], ["draw", "-o", "a.html"]):
        ran = in_folder(tmp_path, *arguments, "users:LayoutFails (3, 4)")
        assert (ran.returncode, ran.stdout) == (2, "")
        assert ran.stderr.startswith("mdview: error: ")
        assert "ZeroDivisionError: of two lines \\x1b[31m" in ran.stderr
        assert len(ran.stderr.splitlines()) == 1
    for name, error in (("leaves", "SystemExit: 7"), ("broken", "SyntaxError"), ("nowhere", "ModuleNotFoundError")):
        ran = in_folder(tmp_path, "draw", f"{name}:Layout (3, 4)")
        assert ran.returncode == 2
        first, line, carets = ran.stderr.splitlines()
        assert f"{name}:Layout cannot be imported: {error}" in first
        assert (line, carets) == (f"    {name}:Layout (3, 4)", f"    {'^' * len(f'{name}:Layout')}")


def in_folder(folder, *arguments):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "mdview", *arguments]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)


def test_carets_stay_below_what_a_narrow_encoding_cannot_show():
    ran = command("draw", "right (4, é)", PYTHONIOENCODING="ascii")
    first, line, carets = ran.stderr.splitlines()
    assert ran.returncode == 2
    assert first.isascii()
    assert line[carets.index("^")] == "?"
    assert command("draw", "tiled(2, 2) (4, 4)", PYTHONIOENCODING="ascii").returncode == 0


@pytest.mark.parametrize(
    "text", ["", "\0", "right (2,) \x1b[31m", "tiled(" * 5000, "right (9," + "9," * 50000 + ")", "\ud800"]
)
def test_strange_expressions_are_an_error_without_noise(run, text):
    status, output, error = run(text)
    assert (status, output) == (2, "")
    assert error.startswith("mdview: error: ")
    assert all(line.isprintable() for line in error.splitlines())
    assert len(error) < 2000


def test_a_title_of_controls_is_still_xml(run, tmp_path):
    assert run("right (2,)", "--title", "a\x01b\ud800", "-o", "a.svg")[0] == 0
    root = minidom.parseString((tmp_path / "a.svg").read_bytes())  # noqa: S318 - written by us
    assert root.documentElement.tagName == "svg"


# Colours.


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("wish", "variables", "on_terminal", "expected"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"TERM": "dumb"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {}, True, False),
    ],
)
def test_colours_are_for_terminals(monkeypatch, wish, variables, on_terminal, expected):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, given in variables.items():
        monkeypatch.setenv(name, given)
    stream = Terminal() if on_terminal else io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    assert draw.has_colours(wish) is expected
    assert main(["draw", "right (2, 2)", "--colour", wish]) == 0
    assert ("\x1b[" in stream.getvalue()) is expected


@pytest.mark.parametrize("stream", [None, "closed"])
def test_no_colours_without_a_stream(monkeypatch, stream):
    given = Terminal()
    given.close()
    monkeypatch.setattr(sys, "stdout", given if stream else None)
    assert not draw.has_colours("auto")


@pytest.mark.parametrize(("wish", "expected"), [("auto", False), ("never", False), ("always", True)])
def test_a_file_has_colours_only_if_asked(run, tmp_path, monkeypatch, wish, expected):
    monkeypatch.setattr(sys, "stdout", Terminal())
    run("right (2, 2)", "--color", wish, "-o", "a.txt")
    assert ("\x1b[" in (tmp_path / "a.txt").read_text()) is expected
