"""The hillshade example: planes, whose slope and shade are known, and real terrain under every layout."""

import importlib.util
import sys
from math import atan, cos, degrees, hypot, radians, sin, sqrt
from pathlib import Path

import numpy as np
import pytest

from mdview import LayoutLeft, LayoutRight, LayoutRightPadded, LayoutTiled, asview, checked, equal, readonly

SCRIPT = Path(__file__).parents[2] / "examples" / "hillshade.py"
SPEC = importlib.util.spec_from_file_location("hillshade", SCRIPT)
hillshade = importlib.util.module_from_spec(SPEC)
sys.modules["hillshade"] = hillshade  # where dataclasses look for their module
SPEC.loader.exec_module(hillshade)

COMPILED = hillshade.kernel
"""The kernel that the example chooses; most tests run the plain one, as compiling takes longer than these grids."""

CELL, SUN = hillshade.Cell(30.0, 20.0), hillshade.Sun()
LAYOUTS = [*hillshade.LAYOUTS, LayoutTiled(3, 5, outer=LayoutLeft(), inner=LayoutLeft())]

CROP_PLACE = (slice(250, 262), slice(150, 168))
"""Where `CROP` lies in the terrain model that the example loads."""
CROP = [
    [562, 570, 582, 593, 609, 622, 632, 632, 639, 658, 660, 664, 670, 657, 649, 660, 653, 641],
    [553, 557, 567, 579, 593, 611, 622, 633, 650, 672, 683, 691, 696, 684, 680, 687, 683, 677],
    [520, 530, 549, 567, 582, 597, 612, 630, 654, 683, 705, 723, 731, 719, 715, 717, 710, 708],
    [503, 524, 545, 565, 581, 593, 606, 626, 652, 680, 708, 735, 757, 758, 756, 750, 747, 744],
    [509, 534, 555, 570, 583, 598, 609, 625, 648, 675, 696, 728, 757, 776, 782, 791, 789, 775],
    [500, 519, 535, 550, 565, 586, 607, 634, 653, 671, 688, 712, 745, 776, 809, 836, 840, 825],
    [486, 504, 521, 539, 561, 587, 612, 641, 662, 676, 695, 718, 749, 777, 815, 854, 875, 871],
    [510, 528, 541, 557, 574, 590, 617, 642, 662, 677, 694, 722, 759, 788, 824, 860, 891, 901],
    [510, 532, 549, 567, 587, 608, 632, 649, 667, 682, 699, 733, 766, 799, 842, 868, 880, 890],
    [486, 509, 527, 548, 576, 601, 625, 647, 670, 688, 711, 739, 766, 791, 820, 835, 843, 852],
    [471, 504, 529, 548, 569, 592, 619, 644, 665, 685, 709, 734, 752, 766, 778, 780, 790, 806],
    [459, 493, 526, 553, 573, 598, 624, 642, 654, 673, 689, 709, 719, 728, 737, 734, 746, 765],
]


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setattr(hillshade, "kernel", lambda: hillshade.stencil)


@pytest.fixture
def crop():
    return np.array(CROP, dtype=np.int16)


def plane(east, north, rows=7, columns=9):
    """Elevations that rise by `east` metres a metre eastwards and by `north` northwards."""
    i, j = np.indices((rows, columns))
    return 500.0 + east * CELL.east * j - north * CELL.north * i


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


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
@pytest.mark.parametrize(("east", "north"), [(0.0, 0.0), (0.3, 0.0), (0.0, -0.25), (0.4, 0.4), (-0.1, 0.7)])
def test_a_plane_has_its_own_slope_and_shade_everywhere(layout, east, north):
    result = hillshade.run(hillshade.placed(asview(plane(east, north)), layout), CELL, SUN)
    # The light comes from (-1/2, 1/2, sqrt(1/2)), the plane's normal is along (-east, -north, 1).
    shade = max((east / 2 - north / 2 + sqrt(0.5)) / hypot(east, north, 1), 0)
    assert result.slope.extents == result.shade.extents == (5, 7)
    np.testing.assert_allclose(np.asarray(result.slope), degrees(atan(hypot(east, north))), rtol=1e-9)
    np.testing.assert_allclose(np.asarray(result.shade), shade, rtol=1e-9)


def test_a_slope_that_faces_the_sun_is_fully_lit_and_its_back_is_dark():
    facing, averted = (run(asview(plane(s * sqrt(0.5), -s * sqrt(0.5)))) for s in (1, -1.1))
    np.testing.assert_allclose(np.asarray(facing.shade), 1)
    np.testing.assert_allclose(np.asarray(facing.slope), 45)
    assert not np.asarray(averted.shade).any()


@pytest.mark.parametrize(
    ("azimuth", "altitude", "direction"),
    [(0, 0, (0, 1, 0)), (90, 0, (1, 0, 0)), (270, 0, (-1, 0, 0)), (12, 90, (0, 0, 1))],
)
def test_azimuth_is_clockwise_from_north(azimuth, altitude, direction):
    assert hillshade.Sun(azimuth, altitude).direction == pytest.approx(direction)


def test_a_degree_of_longitude_shrinks_towards_the_pole():
    assert hillshade.Cell.from_degrees(1, 1, 60) == hillshade.Cell(pytest.approx(55_600), 111_200)


def run(dem):
    return hillshade.run(dem, CELL, SUN)


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_terrain_agrees_to_the_bit_under_every_layout(crop, layout):
    loaded = asview(crop)
    stored = hillshade.placed(loaded, layout)
    assert equal(stored, loaded)
    assert stored.layout == run(stored).shade.layout == layout
    assert hillshade.bits(run(stored)) == hillshade.bits(run(loaded))


def test_terrain_agrees_to_the_bit_under_every_accessor_and_slice(crop):
    whole = hillshade.bits(run(asview(crop)))
    assert hillshade.bits(run(readonly(asview(crop)))) == whole
    assert hillshade.bits(run(checked(asview(crop)))) == whole
    backwards = asview(crop[::-1, ::-1])
    assert hillshade.bits(run(backwards[::-1, ::-1])) == whole


@pytest.mark.parametrize("layout", [LayoutRight(), LayoutTiled(16, 16)], ids=repr)
def test_compiled_and_plain_relief_agree_to_the_bit(crop, layout, monkeypatch):
    pytest.importorskip("numba")
    stored = hillshade.placed(asview(crop), layout)
    expected = hillshade.bits(run(stored)), hillshade.bits(run(asview(crop)))
    monkeypatch.setattr(hillshade, "kernel", COMPILED)
    assert COMPILED() is not hillshade.stencil
    assert (hillshade.bits(run(stored)), hillshade.bits(run(asview(crop)))) == expected


def test_without_numba_the_kernel_is_plain(monkeypatch):
    monkeypatch.setitem(sys.modules, "mdview.numba", None)
    assert COMPILED.__wrapped__() is hillshade.stencil


def test_bits_notice_one_bit(crop):
    first, second = run(asview(crop)), run(asview(crop))
    second.slope[3, 4] = np.nextafter(second.slope[3, 4], 90)
    assert hillshade.bits(first) != hillshade.bits(second)


def test_terrain_agrees_with_whole_array_arithmetic(crop):
    result = run(asview(crop))
    shade, slope = horn(crop, CELL, SUN)
    np.testing.assert_allclose(np.asarray(result.shade), shade, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(np.asarray(result.slope), slope, rtol=1e-12)
    assert shade.std() > 0.1


def test_a_view_of_the_terrain_is_no_copy(crop):
    dem = asview(crop)
    crop[2, 3] = 1234
    assert dem[2, 3] == 1234


@pytest.mark.parametrize("shape", [(2, 2), (0, 0), (0, 5), (5, 0), (5, 1), (1, 5), (3, 2), (2, 3)])
def test_a_grid_without_inner_cells_has_no_relief(shape):
    assert run(asview(np.ones(shape))).shade.size == 0


def test_description_says_where_elements_lie(crop):
    lines = [hillshade.describe(hillshade.placed(asview(crop), layout), 0.5) for layout in hillshade.LAYOUTS]
    assert [line.split("\n    ")[1] for line in lines] == [
        "strides (18, 1), spans 216, exhaustive: 500.0 ms",
        "strides (1, 12), spans 216, exhaustive: 500.0 ms",
        "strides (24, 1), spans 282, 66 holes: 500.0 ms",
        "1 x 2 tiles of 16 x 16, spans 434, 218 holes: 500.0 ms",
    ]
    assert LayoutRight() in hillshade.LAYOUTS
    assert LayoutRightPadded(8) in hillshade.LAYOUTS


# What matplotlib ships, and the picture it writes.


def test_the_crop_is_from_the_shipped_terrain(crop):
    pytest.importorskip("matplotlib")
    elevation, cell = hillshade.load()
    assert elevation.shape == (344, 403)
    assert np.array_equal(elevation[CROP_PLACE], crop)
    assert (cell.east, cell.north) == pytest.approx((74.27, 92.67), abs=0.01)


def test_the_example_compares_and_paints(crop, tmp_path, monkeypatch, capsys):
    image = pytest.importorskip("matplotlib.image")
    monkeypatch.setattr(hillshade, "load", lambda: (crop, CELL))
    assert hillshade.main(["--out", str(tmp_path / "relief.png")]) == 0
    printed = capsys.readouterr().out
    assert "agree to the bit" in printed
    assert "shares memory" in printed
    assert printed.count("\n    ") == 5
    picture = image.imread(tmp_path / "relief.png")
    assert min(picture.shape[:2]) > 800
    assert picture[..., :3].std() > 0.05


def test_results_that_differ_are_told(crop, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(hillshade, "load", lambda: (crop, CELL))
    monkeypatch.setattr(hillshade, "bits", id)
    assert hillshade.main(["--out", str(tmp_path / "relief.png")]) == 1
    assert "differ" in capsys.readouterr().out


def test_a_picture_that_cannot_be_written_is_one_error(crop, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(hillshade, "load", lambda: (crop, CELL))
    with pytest.raises(SystemExit) as stop:
        hillshade.main(["--out", str(tmp_path / "missing" / "relief.png")])
    assert stop.value.code == 2
    assert "cannot write the picture" in capsys.readouterr().err
