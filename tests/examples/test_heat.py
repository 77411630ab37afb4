"""The example of the heat equation: waves fade as they must, under every layout, with both kinds of edges."""

from math import pi, sin

import pytest

from mdview import elements, indices


@pytest.fixture
def heat(script):
    return script("heat")


def test_it_agrees_with_paper_and_draws(heat, capsys):
    assert heat.main([]) == 0
    printed = capsys.readouterr().out
    assert "30 x 30 cells in layout tiled(8, 8), 400 steps" in printed
    assert printed.count("from the solution on paper") == 2
    assert "edges held at 0; 24% of its heat is left" in printed
    assert "edges insulated; 100% of its heat is left" in printed
    assert len(printed.splitlines()) == 3 + 2 * 18


@pytest.mark.parametrize("layout", ["right", "left", "tiled(3, 4)", "morton", "packed('upper', 'column')"])
@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_wave_loses_the_same_part_in_each_step(heat, kind, layout, compiled, monkeypatch):
    if compiled:
        pytest.importorskip("numba")
    else:
        monkeypatch.setattr(heat, "kernel", lambda: heat.step)
    edge, cells, steps = heat.EDGES[kind], 9, 7
    start = heat.plate(cells, layout, lambda i, j: edge.on_paper(cells, 0, i, j))
    before = {index: start[index] for index in indices(start)}
    found = heat.cooled(start, edge, steps)
    # The wave is an eigenvector of the step: each time it is multiplied by this.
    factor = 1 - 8 * heat.RATE * sin(pi / (2 * edge.width(cells))) ** 2
    for index in indices(found):
        assert found[index] == pytest.approx(factor**steps * before[index], abs=1e-13)


def test_no_heat_leaves_an_insulated_plate(heat):
    found = heat.cooled(heat.plate(6, "tiled(4, 4)", lambda i, j: float(i == 0)), heat.EDGES[1], 9)
    assert sum(elements(found)) == pytest.approx(6)
    assert found[5, 0] > 0


def test_without_numba_the_kernel_is_plain(heat, monkeypatch):
    monkeypatch.setitem(heat.sys.modules, "mdview.numba", None)
    assert heat.kernel.__wrapped__() is heat.step


def test_a_wrong_step_is_told(heat, monkeypatch, capsys):
    monkeypatch.setattr(heat, "kernel", lambda: lambda before, after, rate: None)
    assert heat.main(["--cells", "5"]) == 1
    assert "Edges insulated" in capsys.readouterr().out


@pytest.mark.parametrize("expression", ["tild(3)", "packed('middle', 'row')", "stride(1, 1, 1)"])
def test_a_layout_that_there_is_not_is_one_error(heat, expression, capsys):
    with pytest.raises(SystemExit) as stop:
        heat.main(["--layout", expression])
    assert stop.value.code == 2
    assert "error:" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--cells", "0"], ["--steps", "-1"]])
def test_arguments_out_of_range_are_refused(heat, arguments, capsys):
    with pytest.raises(SystemExit):
        heat.main(arguments)
    assert "at least 1 cell" in capsys.readouterr().err
