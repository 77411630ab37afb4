"""The command `mdview certify`: verdicts, exit statuses, and errors in one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from mdview.cli import main

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _beside_the_planted_bugs(monkeypatch):
    monkeypatch.chdir(HERE)


def test_what_keeps_all_laws_is_accepted(capsys):
    assert main(["certify", "mdview:LayoutTiled(2, 3)", "mdview:CheckedAccessor", "--extents", "4,6"]) == 0
    first, second = capsys.readouterr().out.split("\n\n")
    assert first.startswith("accepted LayoutTiled(2, 3, outer=LayoutRight(), inner=LayoutRight()): ")
    assert second.startswith("accepted CheckedAccessor(): ")


def test_what_breaks_a_law_is_rejected_with_a_counterexample(capsys):
    assert main(["certify", "planted:RaggedTile", "--extents", "2,2", "--extents", "3,3"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("REJECTED RaggedTile(tile=2): ")
    assert "  extents   (3, 3)\n" in printed
    assert "is_unique False: both lie at offset" in printed


def test_several_targets_are_compared_with_each_other(capsys):
    targets = ["planted:EqualWithoutReason(2)", "planted:EqualWithoutReason(3)"]
    assert main(["certify", *targets, "--extents", "2,3"]) == 1
    assert "equality: equal values do the same" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("planted", "a target is package.module:Layout or package.module:Layout(arguments), got 'planted'"),
        ("nowhere:Layout", "the module of 'nowhere:Layout' cannot be imported: ModuleNotFoundError"),
        ("planted:Missing", "'planted:Missing' cannot be made: NameError"),
        ("planted:Tiles(1, 2)", "'planted:Tiles(1, 2)' cannot be made: TypeError"),
        ("planted:SMALL", "'planted:SMALL' is neither a layout nor an accessor"),
        ("mdview:Layout", "'mdview:Layout' cannot be made: TypeError"),
    ],
)
def test_a_target_that_cannot_be_found_is_one_line_and_status_2(capsys, target, message):
    assert main(["certify", target]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith(f"mdview: error: {message}")


def test_a_target_that_cannot_be_made_does_not_keep_the_others_from_being_looked_at(capsys):
    targets = ["mdview:LayoutRight", "planted:Missing", "planted:RaggedTile", "nowhere:Layout"]
    assert main(["certify", *targets, "--extents", "3,3"]) == 2
    printed = capsys.readouterr()
    assert [text.split("(")[0] for text in printed.out.split("\n\n")[:2]] == [
        "accepted LayoutRight",
        "REJECTED RaggedTile",
    ]
    first, second = printed.err.splitlines()
    assert first.startswith("mdview: error: 'planted:Missing' cannot be made: NameError")
    assert second.startswith("mdview: error: the module of 'nowhere:Layout' cannot be imported")


def test_layouts_of_the_language(capsys):
    assert main(["certify", "tiled(2, 3)", "--extents", "4,6", "transpose(planted:RaggedTile(2))"]) == 1
    first, second = [text.split(" ")[:2] for text in capsys.readouterr().out.split("\n\n")[:2]]
    assert first == ["accepted", "LayoutTiled(2,"]
    assert second[0] == "REJECTED"


def test_what_is_no_layout_of_the_language_is_one_line(capsys):
    assert main(["certify", "tilde(2)", "tiled(2, 3) (4, 6)", "transpose(nowhere:Layout)"]) == 2
    tilde, extents, nowhere = capsys.readouterr().err.splitlines()
    assert "did you mean tiled?" in tilde
    assert "expected nothing behind the layout" in extents
    assert "nowhere:Layout cannot be imported" in nowhere


def test_a_module_that_ends_the_process_is_one_line(capsys, tmp_path, monkeypatch):
    (tmp_path / "leaves_at_once.py").write_text("raise SystemExit(7)")
    (tmp_path / "leaves_later.py").write_text("def leave(): raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    assert main(["certify", "leaves_at_once:Layout", "leaves_later:leave()"]) == 2
    assert [line.endswith(": SystemExit: 7") for line in capsys.readouterr().err.splitlines()] == [True, True]


def test_extents_that_break_their_rule_are_status_2(capsys):
    assert main(["certify", "mdview:LayoutRight", "--extents=-1"]) == 2
    assert "extents must be at least 0" in capsys.readouterr().err


def test_the_examples_are_accepted_by_the_command_that_they_show():
    root = HERE.parents[1]
    shown = next(
        line.strip()
        for line in (root / "examples" / "layouts.py").read_text(encoding="utf-8").splitlines()
        if "mdview certify" in line
    )
    targets = ["examples.layouts:LayoutBanded(1, 2)", "examples.layouts:LayoutSymmetric"]
    assert all(target in shown for target in targets)
    ran = subprocess.run(
        [sys.executable, "-m", "mdview", "certify", *targets], cwd=root, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("accepted Layout") == 2
