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


ACCEPTED = [
    (
        ["mdview:LayoutTiled(2, 3)", "mdview:CheckedAccessor", "--extents", "4,6"],
        0,
        ["accepted LayoutTiled", "accepted C"],
    ),
    (["planted:RaggedTile", "--extents", "2,2", "--extents", "3,3"], 1, ["REJECTED RaggedTile(tile=2)", "(3, 3)"]),
    (
        ["tiled(2, 3)", "transpose(planted:RaggedTile(2))", "--extents", "4,6"],
        1,
        ["accepted LayoutTiled(2,", "REJECTED LayoutTranspose"],
    ),
]


# Of the first three each of the 65 536 values is tried.
@pytest.mark.parametrize("dtype", ["int16", ">i2", "float16", "B", "complex64", "bool", "c"])
def test_accessors_are_tried_on_items_of_a_format(capsys, dtype):
    targets = ["mdview:DefaultAccessor", "mdview:ReadOnlyAccessor", "mdview.accessors:AlignedAccessor(8)"]
    assert main(["certify", *targets, "--dtype", dtype]) == 0
    status = main(["certify", "planted:Negating", "--dtype", dtype])
    assert status == (dtype == "c")  # which are no numbers
    assert capsys.readouterr().err == ""


def test_items_that_are_no_numbers_are_one_line_and_status_2(capsys):
    pytest.importorskip("numpy")
    assert main(["certify", "mdview:DefaultAccessor", "--dtype", "S4"]) == 2
    assert "not items of type |S4; give another format" in capsys.readouterr().err


def test_laws_that_follow_from_a_broken_one_are_not_asked(capsys):
    assert main(["certify", "planted:WrongStrides", "--extents", "2,3"]) == 1
    head, _, rest = capsys.readouterr().out.rstrip("\n").split("\n\n")
    assert head.endswith(": 1 of 24 laws on 1 cases broken")
    assert rest.startswith("not asked, as they follow from what is broken: numbers, unique, ")
    assert rest.endswith(", views read, views write")


@pytest.mark.parametrize(("arguments", "status", "words"), ACCEPTED)
def test_a_verdict_is_printed_with_its_counterexample(capsys, arguments, status, words):
    assert main(["certify", *arguments]) == status
    printed = capsys.readouterr()
    assert printed.err == ""
    assert all(word in printed.out for word in words)


NOT_FOUND = {
    "planted": "'planted'",
    "nowhere:Layout": "ModuleNotFoundError",
    "planted:Missing": "NameError",
    "planted:Tiles(1, 2)": "TypeError",
    "planted:SMALL": "'planted:SMALL'",
    "mdview:Layout": "TypeError",
    "tilde(2)": "tiled",
    "tiled(2, 3) (4, 6)": "layout",
    "transpose(nowhere:Layout)": "nowhere:Layout",
    "leaves_at_once:Layout": "SystemExit: 7",
    "leaves_later:leave()": "SystemExit: 7",
}


def test_a_target_that_cannot_be_made_is_one_line_and_does_not_keep_others_from_being_looked_at(
    capsys, tmp_path, monkeypatch
):
    (tmp_path / "leaves_at_once.py").write_text("raise SystemExit(7)")
    (tmp_path / "leaves_later.py").write_text("def leave(): raise SystemExit(7)")
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["certify", "mdview:LayoutRight", *NOT_FOUND, "planted:RaggedTile", "--extents", "3,3"]) == 2
    printed = capsys.readouterr()
    verdicts = [text.split("(")[0] for text in printed.out.split("\n\n")]
    assert [text for text in verdicts if text.startswith(("accepted", "REJECTED"))] == [
        "accepted LayoutRight",
        "REJECTED RaggedTile",
    ]
    for line, words in zip(printed.err.splitlines(), NOT_FOUND.values(), strict=True):
        assert line.startswith("mdview: error: ")
        assert words in line


def test_extents_that_break_their_rule_are_status_2(capsys):
    assert main(["certify", "mdview:LayoutRight", "--extents=-1"]) == 2
    assert "-1" in capsys.readouterr().err


@pytest.mark.deep
def test_the_examples_are_accepted_by_the_command_that_they_show():
    root = HERE.parents[1]
    targets = ["examples.layouts:LayoutBanded(1, 2)", "examples.layouts:LayoutSymmetric"]
    text = (root / "examples" / "layouts.py").read_text(encoding="utf-8")
    assert all(target in text for target in ("mdview certify", *targets))
    command = [sys.executable, "-m", "mdview", "certify", *targets]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("accepted Layout") == 2
