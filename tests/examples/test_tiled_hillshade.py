"""The example of the tiled hillshade: tiles with halos are shaded as the whole is, on a cluster as in one process."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mdview import LayoutTiled, asview, open_view

pytest.importorskip("distributed")
ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "tiled_hillshade.py"


@pytest.fixture
def example(script):
    return script("tiled_hillshade")


@pytest.fixture
def terrain(example):
    return example.Terrain(side=70, tile=32)


def whole(example, terrain):
    """Brightness of the whole terrain, from an array with its edges repeated."""
    return example.shaded(np.pad(terrain.elevations(((0, terrain.side), (0, terrain.side))), 1, "edge"))


def test_a_box_has_the_elevations_of_the_whole(example, terrain):
    every = np.pad(terrain.elevations(((0, 70), (0, 70))), 1, "edge")
    assert every.dtype == np.float32
    for rows, columns in terrain.boxes:
        box = every[rows[0] : rows[1] + 2, columns[0] : columns[1] + 2]
        assert np.array_equal(terrain.elevations((rows, columns), 1), box)


def test_tiles_at_the_edges_are_cut(terrain):
    assert terrain.boxes[:3] == [((0, 32), (0, 32)), ((0, 32), (32, 64)), ((0, 32), (64, 70))]
    assert len(terrain.boxes) == 9


def test_brightness_is_that_of_the_other_example(example, terrain, script):
    other = script("hillshade")
    elevations = terrain.elevations(((0, 70), (0, 70)))
    result = other.run(asview(elevations), other.Cell(example.CELL, example.CELL), other.Sun())
    np.testing.assert_allclose(np.asarray(result.shade), example.shaded(elevations), atol=1e-5)
    assert np.ptp(example.shaded(elevations)) > 0.1


def test_the_light_is_a_unit_vector(example):
    assert sum(part**2 for part in example.LIGHT) == pytest.approx(1)


def test_the_files_are_tiled_and_what_differs_is_found(example, terrain, tmp_path):
    path = tmp_path / "brightness.npy"
    example.create(path, terrain)
    assert example.differing(path, terrain, terrain.boxes) == terrain.boxes
    with open_view(path, mode="r+") as view:
        assert view.layout == LayoutTiled(32, 32)
        view[:, :] = whole(example, terrain)
        assert example.differing(path, terrain, terrain.boxes) == []
        view[69, 69] = 2.0
    assert example.differing(path, terrain, terrain.boxes) == [((64, 70), (64, 70))]


def test_of_many_tiles_some_are_compared(example):
    few, many = example.Terrain(64, 8), example.Terrain(100, 10)
    assert example.sampled(few.boxes) == few.boxes
    chosen = example.sampled(many.boxes)
    assert len(set(chosen)) == len(chosen) == example.SAMPLES
    assert {((0, 10), (0, 10)), ((0, 10), (90, 100)), ((90, 100), (0, 10)), ((90, 100), (90, 100))} <= set(chosen)


def test_what_is_moved_is_each_tile_with_its_halo_and_its_result(example, terrain):
    read = sum((min(b + 1, 70) - max(a - 1, 0)) * (min(d + 1, 70) - max(c - 1, 0)) for (a, b), (c, d) in terrain.boxes)
    assert example.moved(terrain) == 4 * (read + 70 * 70)


def test_the_program_shades_a_file_on_a_cluster(tmp_path):
    options = ["--gib", "0.0001", "--tile", "64", "--folder", str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *options],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "163 x 163 elevations" in done.stdout
    assert "9 of 9 tiles compared with NumPy: all agree to the bit" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elevations.npy", "hillshade.npy"]


@pytest.mark.parametrize("options", [["--gib", "0"], ["--tile", "0"], ["--workers", "0"]])
def test_nothing_to_do_is_one_error(example, options, capsys):
    with pytest.raises(SystemExit) as stop:
        example.main(options)
    assert stop.value.code == 2
    assert "at least 1 cell" in capsys.readouterr().err
