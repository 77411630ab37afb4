"""The example of nearest neighbours: the answers of all pairs, and what Morton order changes."""

import numpy as np
import pytest

from mdview import LayoutLeft, LayoutMorton, LayoutRight, LayoutTiled


@pytest.fixture
def nearest(script):
    return script("nearest")


def test_it_finds_the_neighbours_of_all_pairs_and_lies_closer_in_morton_order(nearest, capsys):
    pytest.importorskip("matplotlib")
    assert nearest.main([]) == 0
    printed = capsys.readouterr().out
    assert "1376 peaks in 342 x 401 cells" in printed
    assert "35% lie within 32 places" in printed
    assert "60% lie within 32 places" in printed
    assert "those of all pairs" in printed


@pytest.mark.parametrize("layout", [LayoutRight(), LayoutLeft(), LayoutTiled(3, 5), LayoutMorton()], ids=repr)
def test_any_order_of_the_cells_gives_the_same_neighbours(nearest, layout):
    points = sorted({tuple(point) for point in np.random.default_rng(3).integers(0, 90, (60, 2)).tolist()})
    grid = nearest.Grid(points, (90, 90), layout)
    found = {grid.points[place]: grid.nearest(place)[0] for place in range(len(points))}
    assert [found[point] for point in points] == pytest.approx(nearest.by_brute_force(points).tolist())


def test_two_points_far_apart_find_each_other(nearest):
    grid = nearest.Grid([(0, 0), (89, 89)], (90, 90), LayoutMorton())
    assert [grid.nearest(place)[1] for place in range(2)] == [1, 0]


def test_differing_answers_are_told(nearest, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(nearest, "by_brute_force", lambda points: np.zeros(len(points)))
    assert nearest.main([]) == 1
    assert "differ" in capsys.readouterr().out
