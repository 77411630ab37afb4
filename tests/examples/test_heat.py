"""The heat equation example: each kind of edge against the solution, heat that is kept, and a run that is wrong."""

import importlib.util
import sys
from math import fsum, pi, sin
from pathlib import Path

import pytest

from mdview import MDView, elements

SCRIPT = Path(__file__).parents[2] / "examples" / "heat.py"
SPEC = importlib.util.spec_from_file_location("heat_example", SCRIPT)
example = importlib.util.module_from_spec(SPEC)
sys.modules["heat_example"] = example  # where dataclasses look for their module
SPEC.loader.exec_module(example)


def test_both_kinds_of_edges_agree_with_the_solution(capsys):
    assert example.main(["--cells", "8", "--steps", "6"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Edges fixed at 0 degrees, after 6 steps:"
    assert "Edges insulated, after 6 steps:" in lines
    assert sum(line.startswith("The largest difference from the solution is ") for line in lines) == 2
    assert [len(line) for line in lines[1:9]] == [16] * 8
    assert lines[-1] == "Both agree with the solution."


def test_fixed_edges_scale_the_wave_by_the_factor_of_the_scheme():
    factor = (
        1 - 8 * example.RATIO * sin(pi / 22) ** 2
    )  # two cells of halo and ten of the plate: eleven steps of pi / 11
    found = example.simulate(example.FIXED, 10, 3)
    expected = [factor**3 * x for x in elements(example.plate(example.FIXED, 10))]
    assert list(elements(found)) == pytest.approx(expected)


def test_insulated_edges_keep_all_heat_and_fixed_ones_lose_some():
    now, later = (MDView([0.0] * 64, (8, 8)) for _ in range(2))
    now[0, 0] = 1.0
    example.step(now, later, example.INSULATED)
    assert fsum(elements(later)) == pytest.approx(1.0)
    example.step(now, later, example.FIXED)
    assert fsum(elements(later)) == pytest.approx(1 - 2 * example.RATIO)


def test_a_simulation_that_departs_is_an_error(monkeypatch, capsys):
    monkeypatch.setattr(example, "step", lambda now, later, edges: None)
    assert example.main(["--cells", "8", "--steps", "80"]) == 1
    assert capsys.readouterr().out.endswith("The simulation departs from the solution.\n")


@pytest.mark.parametrize("arguments", [["--cells", "7"], ["--steps", "-1"]])
def test_arguments_out_of_range_are_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        example.main(arguments)
    assert "at least 8 cells" in capsys.readouterr().err
