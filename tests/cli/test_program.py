"""The program: finding the command, the overview, and the process."""

import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest
from command_runs import ROOT, command, python
from file_contents import npy

import mdview
from mdview.cli import main, program


def test_as_a_process(tmp_path):
    (tmp_path / "a.npy").write_bytes(npy(np.eye(3)))
    good = command("info", str(tmp_path / "a.npy"))
    assert (good.returncode, good.stderr) == (0, "")
    assert "layout:      LayoutRight()" in good.stdout
    bad = command("info", str(tmp_path / "b.npy"))
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("mdview: error: ")


def test_names_that_cannot_be_printed_are_escaped(tmp_path):
    path = tmp_path / "two\nlines ü.npy"
    path.write_bytes(npy(np.eye(3)))
    run = command("info", str(path), PYTHONIOENCODING="ascii")
    assert run.returncode == 0
    assert run.stdout.splitlines()[0].endswith("two\\nlines \\xfc.npy")


def test_the_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"mdview {mdview.__version__}\n"


def test_the_overview_names_every_command_and_fits_a_screen(capsys):
    assert main(["--help"]) == 0
    overview = capsys.readouterr().out
    named = re.findall(r"^ {4}([a-z]+)  ", overview, re.MULTILINE)
    assert named == list(program.COMMANDS)
    assert max(map(len, overview.splitlines())) < 80
    assert len(overview.splitlines()) <= 40
    shown = [shlex.split(line)[2:] for line in overview.splitlines() if line.startswith("    $ mdview ")]
    assert {words[0] for words in shown} == {*named}


def test_help_as_a_word(capsys):
    assert main(["help"]) == 0
    assert capsys.readouterr().out == program.OVERVIEW
    with pytest.raises(SystemExit) as stop:
        main(["help", "draw"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("usage: mdview draw ")


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a folder in use stays")
@pytest.mark.parametrize(
    "arguments", ['draw "right (2, 2)"', 'explain "right (2, 2)"', "certify mdview:LayoutRight --extents 2"]
)
def test_a_folder_that_is_gone(arguments, tmp_path):
    script = f'cd "$1"; rmdir "$1"; exec "$0" -m mdview {arguments}'
    (tmp_path / "gone").mkdir()
    line = ["sh", "-c", script, sys.executable, str(tmp_path / "gone")]
    ran = subprocess.run(
        line,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("name", program.COMMANDS)
def test_every_command_shows_examples_in_80_columns(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    text = capsys.readouterr().out
    assert stop.value.code == 0
    assert f"\nexamples:\n  mdview {name} " in text
    assert max(map(len, text.splitlines())) <= 80


def test_no_command_is_the_overview_and_an_error(capsys):
    with pytest.raises(SystemExit) as stop:
        main([])
    printed = capsys.readouterr()
    assert stop.value.code == 2
    assert printed.out.startswith("usage: mdview COMMAND")
    assert printed.err == "mdview: error: a COMMAND is needed: info, draw, explain, certify, relayout\n"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("drwa", "there is no COMMAND 'drwa'; did you mean draw?"),
        ("Explain", "there is no COMMAND 'Explain'; did you mean explain?"),
        ("table.npy", "there is no COMMAND 'table.npy'; there is info, draw, explain, certify, relayout; see mdview"),
        ("--info", "there is no option '--info'; did you mean info?"),
        ("two\nlines", r"there is no COMMAND 'two\nlines'; there is"),
        ("x" * 10000, "there is no COMMAND 'xxx"),
        ("", "there is no COMMAND ''; there is"),
    ],
)
def test_an_unknown_command_is_one_line(argument, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main([argument, "a", "--b"])
    printed = capsys.readouterr()
    assert (stop.value.code, printed.out) == (2, "")
    assert printed.err.startswith(f"mdview: error: {message}")
    assert len(printed.err.splitlines()) == 1
    assert len(printed.err) < 400


def test_an_interrupt_is_no_traceback(monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("mdview.cli.explain.run", interrupted)
    assert main(["explain", "right (3,)"]) == 130
    assert capsys.readouterr().err == ""


LOADED = """
import sys
from mdview.cli import main, program
main(sys.argv[1:])
print(*sorted(name for name in sys.modules if name.startswith("mdview.") or name in {"argparse", "zipfile"}))
"""


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_what_says_little_loads_little(argument):
    loaded = python("-c", LOADED, argument).stdout.splitlines()[-1].split()
    assert loaded == ["mdview.cli", "mdview.cli.output", "mdview.cli.program", "mdview.errors"]


def test_the_folder_of_the_caller_is_searched_only_meanwhile(tmp_path, monkeypatch, capsys):
    (tmp_path / "found_here.py").write_text(
        "from mdview import Layout\n"
        "class LayoutHere(Layout):\n"
        "    def offset(self, extents, index): return index[0] + extents[0] * index[1]\n"
        "    def required_span_size(self, extents): return extents[0] * extents[1]\n"
    )
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    for name in ("draw", "explain"):
        assert main([name, "found_here:LayoutHere (2, 3)"]) == 0, capsys.readouterr()
    assert sys.path == before
    assert main(["draw", "found_nowhere:LayoutHere (2, 3)"]) == 2
    error = capsys.readouterr().err
    assert "found_nowhere:LayoutHere cannot be imported: ModuleNotFoundError" in error
    assert "Traceback" not in error
