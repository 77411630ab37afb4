"""The example of a certified layout: the wire is addressed as a picture, and its mistake is found."""

import subprocess
import sys
from pathlib import Path

import pytest

from mdview import Mapping, parse
from mdview.testing import examine_layout

SCRIPT = Path(__file__).parents[2] / "examples" / "certified_layout.py"


@pytest.fixture
def example(script):
    return script("certified_layout")


def test_it_certifies_finds_the_mistake_and_draws(tmp_path):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--out", "zigzag.svg"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "goes down the wire as #...###.###.#.##...#" in done.stdout
    assert "accepted Zigzag()" in done.stdout
    assert "REJECTED Frayed(): 1 of" in done.stdout
    assert "index     (1, 0)\n  expected  0 <= offset < 2, the required span size\n  got       offset 2" in done.stdout
    assert "As an expression: certified_layout:Zigzag (4, 5)" in done.stdout
    assert (tmp_path / "zigzag.svg").read_text(encoding="utf-8").startswith("<svg")


def test_offsets_are_those_of_the_wire(example):
    assert [[Mapping((3, 3), example.Zigzag())(i, j) for j in range(3)] for i in range(3)] == [
        [0, 1, 2],
        [5, 4, 3],
        [6, 7, 8],
    ]


def test_the_expression_is_the_mapping(example):
    mapping = Mapping((4, 5), example.Zigzag())
    assert parse(example.as_expression(mapping)) == mapping


def test_a_verdict_that_is_wrong_either_way_is_told(example, monkeypatch, tmp_path, capsys):
    for name, stand_in in (("Zigzag", example.Frayed), ("Frayed", example.Zigzag)):
        with monkeypatch.context() as patch:
            patch.setattr(example, "examine_layout", lambda layout, n=name, s=stand_in: verdict(layout, n, s))
            assert example.main(["--out", str(tmp_path / "x.svg")]) == 1
    assert "REJECTED" in capsys.readouterr().out


def verdict(layout, name, stand_in):
    return examine_layout(stand_in() if type(layout).__name__ == name else layout)


def test_a_picture_that_cannot_be_written_is_one_error(example, tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        example.main(["--out", str(tmp_path / "missing" / "zigzag.svg")])
    assert stop.value.code == 2
    assert "cannot write the picture" in capsys.readouterr().err
