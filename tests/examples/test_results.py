"""What the scripts compute is what NumPy and paper say, under every layout, by kernels as they are and compiled."""

from math import atan, cos, degrees, hypot, pi, radians, sin, sqrt

import numpy as np
import pytest

import mdview as md
from mdview import errors

# --- events in pixels ---

ROWS, COLUMNS = 5, 7


def test_pixels_hold_their_events_and_spectra_sort_them(script):
    example = script("event_histogram")
    recording, channels = example.record(ROWS, COLUMNS), example.Channels(1.0, 0.25, 12)
    index = np.frombuffer(recording.index, "<i8")
    all_times, all_weights = np.frombuffer(recording.times, ">f4"), np.frombuffer(recording.weights, "<f8")
    times, weights = example.load(recording)
    lengths = example.path_lengths(ROWS, COLUMNS)
    assert lengths[0, 0] == pytest.approx((100 + 4e-4 * 13) ** 0.5)
    events = example.wavelengths(times, lengths)
    picture, spectra = example.image(weights), example.spectra(events, weights, channels)
    for i, j in np.ndindex(ROWS, COLUMNS):
        number = j * ROWS + (ROWS - 1 - i)
        held = slice(index[number], index[number + 1])
        assert times[i, j].tolist() == all_times[held].tolist()
        assert weights[i, j].tolist() == all_weights[held].tolist()
        waves = example.PLANCK_OVER_MASS * all_times[held].astype(float) * 1e-6 / lengths[i, j]
        assert events[i, j].tolist() == pytest.approx(waves.tolist())
        assert picture[i, j] == pytest.approx(all_weights[held].sum())
        expected, _ = np.histogram(events[i, j].tolist(), 1.0 + 0.25 * np.arange(13), weights=all_weights[held])
        assert spectra[i, j].tolist() == pytest.approx(expected.tolist())
    with pytest.raises(errors.ReadOnlyError):
        times.events[0] = 1.0
    assert not np.asarray(example.spectra(events, weights, example.Channels(9.0, 1.0, 2))).any()
    assert example.load(example.record(0, 4))[0].events.size == 0


# --- a plate that cools ---


@pytest.mark.parametrize("layout", ["right", "left", "tiled(3, 4)", "morton", "packed('upper', 'column')"])
@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_wave_loses_the_same_part_in_each_step(script, kind, layout, compiled, monkeypatch):
    heat = script("heat")
    if compiled:
        pytest.importorskip("numba")
    else:
        monkeypatch.setattr(heat, "kernel", lambda: heat.step)
    edge, cells, steps = heat.EDGES[kind], 9, 7
    start = heat.plate(cells, layout, lambda i, j: edge.on_paper(cells, 0, i, j))
    before = {index: start[index] for index in md.iteration.indices(start)}
    found = heat.cooled(start, edge, steps)
    # The wave is an eigenvector of the step: each time it is multiplied by this.
    factor = 1 - 8 * heat.RATE * sin(pi / (2 * edge.width(cells))) ** 2
    for index in md.iteration.indices(found):
        assert found[index] == pytest.approx(factor**steps * before[index], abs=1e-13)


# --- terrain ---


def plane(cell, east, north, rows=7, columns=9):
    """Elevations that rise by `east` metres a metre eastwards and by `north` northwards."""
    i, j = np.indices((rows, columns))
    return 500.0 + east * cell.east * j - north * cell.north * i


def horn(dem, cell, sun):
    """Shade and slope from whole arrays and from angles, as a reference."""
    kernel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    windows = np.lib.stride_tricks.sliding_window_view(dem.astype(float), (3, 3))
    p = (windows * kernel).sum((2, 3)) / (8 * cell.east)
    q = (windows * -kernel.T).sum((2, 3)) / (8 * cell.north)
    steepness, zenith = np.arctan(np.hypot(p, q)), radians(90 - sun.altitude)
    downhill = np.arctan2(-p, -q)  # clockwise from north
    shade = cos(zenith) * np.cos(steepness) + sin(zenith) * np.sin(steepness) * np.cos(radians(sun.azimuth) - downhill)
    return np.maximum(shade, 0), np.degrees(steepness)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("east", "north"), [(0.0, 0.0), (0.3, 0.0), (0.0, -0.25), (0.4, 0.4), (-0.1, 0.7)])
def test_a_plane_has_its_own_slope_and_shade_everywhere(script, east, north, compiled, monkeypatch):
    hillshade = script("hillshade")
    if compiled:
        pytest.importorskip("numba")
    else:
        monkeypatch.setattr(hillshade, "kernel", lambda: hillshade.stencil)
    cell, sun = hillshade.Cell(30.0, 20.0), hillshade.Sun()
    # The light comes from (-1/2, 1/2, sqrt(1/2)), the plane's normal is along (-east, -north, 1).
    shade = max((east / 2 - north / 2 + sqrt(0.5)) / hypot(east, north, 1), 0)
    for layout in (*hillshade.LAYOUTS, md.LayoutTiled(3, 5, outer=md.LayoutLeft(), inner=md.LayoutLeft())):
        stored = hillshade.placed(md.asview(plane(cell, east, north)), layout)
        result = hillshade.run(stored, cell, sun)
        assert stored.layout == result.shade.layout == layout
        np.testing.assert_allclose(np.asarray(result.slope), degrees(atan(hypot(east, north))), rtol=1e-9)
        np.testing.assert_allclose(np.asarray(result.shade), shade, rtol=1e-9)


def test_terrain_agrees_with_whole_array_arithmetic(script):
    pytest.importorskip("matplotlib")
    hillshade = script("hillshade")
    elevation, cell = hillshade.load()
    crop, sun = elevation[250:262, 150:168], hillshade.Sun()
    result = hillshade.run(md.asview(crop), cell, sun)
    shade, slope = horn(crop, cell, sun)
    np.testing.assert_allclose(np.asarray(result.shade), shade, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(np.asarray(result.slope), slope, rtol=1e-12)
    assert shade.std() > 0.05
    whole = hillshade.bits(result)
    for view in (md.readonly(md.asview(crop)), md.checked(md.asview(crop)), md.asview(crop[::-1, ::-1])[::-1, ::-1]):
        assert hillshade.bits(hillshade.run(view, cell, sun)) == whole
    lines = [hillshade.describe(hillshade.placed(md.asview(crop), layout), 0.5) for layout in hillshade.LAYOUTS]
    assert [line.split("\n    ")[1] for line in lines] == [
        "strides (18, 1), spans 216, exhaustive: 500.0 ms",
        "strides (1, 12), spans 216, exhaustive: 500.0 ms",
        "strides (24, 1), spans 282, 66 holes: 500.0 ms",
        "1 x 2 tiles of 16 x 16, spans 434, 218 holes: 500.0 ms",
    ]
    for shape in [(2, 2), (0, 0), (0, 5), (5, 1), (3, 2)]:
        assert hillshade.run(md.asview(np.ones(shape)), cell, sun).shade.size == 0


def test_tiles_of_terrain_have_their_halos_and_what_differs_is_found(script, tmp_path):
    pytest.importorskip("distributed")
    example, other = script("tiled_hillshade"), script("hillshade")
    terrain = example.Terrain(side=70, tile=32)
    elevations = terrain.elevations(((0, 70), (0, 70)))
    every = np.pad(elevations, 1, "edge")
    for rows, columns in terrain.boxes:
        box = every[rows[0] : rows[1] + 2, columns[0] : columns[1] + 2]
        assert np.array_equal(terrain.elevations((rows, columns), 1), box)
    result = other.run(md.asview(elevations), other.Cell(example.CELL, example.CELL), other.Sun())
    np.testing.assert_allclose(np.asarray(result.shade), example.shaded(elevations), atol=1e-5)
    path = tmp_path / "brightness.npy"
    example.create(path, terrain)
    assert example.differing(path, terrain, terrain.boxes) == terrain.boxes
    with md.open_view(path, mode="r+") as view:
        view[:, :] = example.shaded(every)
        assert example.differing(path, terrain, terrain.boxes) == []
        view[69, 69] = 2.0
    assert example.differing(path, terrain, terrain.boxes) == [((64, 70), (64, 70))]
    many = example.Terrain(100, 10)
    chosen = example.sampled(many.boxes)
    assert len(set(chosen)) == len(chosen) == example.SAMPLES
    assert {((0, 10), (0, 10)), ((90, 100), (90, 100))} <= set(chosen)


# --- matrices, counts and neighbours ---


@pytest.mark.parametrize("block", [1, 3, 4, 100])
def test_a_product_is_right_without_a_compiler_for_any_block(script, block):
    matmul, random = script("matmul"), np.random.default_rng(3)
    left, right = random.random((5, 7)), random.random((7, 4))
    for _, layout in [*matmul.layouts(block), ("padded", md.LayoutRightPadded(8))]:
        assert matmul.measured(matmul.multiply, "it", layout, (left, right), block).error < 1e-14
    packed = matmul.placed(np.array([[0.0, 4, 8], [4, 8, 12], [8, 12, 16]]), md.LayoutBlasPacked("upper", "column"))
    assert packed.data.tolist() == [0, 4, 8, 8, 12, 16]


@pytest.mark.parametrize("access", [md.atomic, lambda view: view])
def test_a_kernel_counts_without_a_compiler(script, access):
    pytest.importorskip("numba")
    counts = md.MDView([0, 0, 0], (3,))
    script("atomic_histogram").count(md.asview(np.array([7, 38, 39, 102])), access(counts), 7, 2)
    assert counts.tolist() == [4, 2, 2]


@pytest.mark.parametrize("layout", ["right", "left", "tiled(3, 5)", "morton"])
def test_any_order_of_the_cells_gives_the_same_neighbours(script, layout):
    nearest, layout = script("nearest"), md.parse(f"{layout} (90, 90)").layout
    for points in ([(0, 0), (89, 89)], np.random.default_rng(3).integers(0, 90, (60, 2)).tolist()):
        known = sorted({tuple(point) for point in points})
        grid = nearest.Grid(known, (90, 90), layout)
        found = {grid.points[place]: grid.nearest(place)[0] for place in range(len(known))}
        assert [found[point] for point in known] == pytest.approx(nearest.by_brute_force(known).tolist())


def test_an_expression_of_the_wire_is_its_mapping(script):
    example = script("certified_layout")
    mapping = md.Mapping((3, 3), example.Zigzag())
    assert [[mapping(i, j) for j in range(3)] for i in range(3)] == [[0, 1, 2], [5, 4, 3], [6, 7, 8]]
    assert md.parse(example.as_expression(mapping)) == mapping
