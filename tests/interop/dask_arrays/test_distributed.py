"""Tiles on processes of `distributed`: results are in the file, memory is given back, a lost worker loses nothing."""

import numpy as np
import pytest
from stencils import SMAPS, KilledOnce, crossed, doubled, resident

import mdview as md
import mdview.interop.dask
from mdview.errors import AccessorError, ConversionError, TileError

pytest.importorskip("distributed")
SHAPE = (12, 12)
VALUES = np.arange(144.0).reshape(SHAPE)


def test_results_are_in_the_file(cluster, mapped):
    out = mapped("out", SHAPE)
    source = mapped("in", SHAPE, values=VALUES)
    md.interop.dask.map_tiles(crossed, source, out=out, halo=1, boundary="wrap", scheduler=cluster)
    np.testing.assert_array_equal(np.asarray(out), crossed(np.pad(VALUES, 1, mode="wrap")))
    assert cluster.compute(md.interop.dask.to_dask(source).sum()).result(timeout=30) == VALUES.sum()


def test_what_may_get_lost_is_refused(cluster, mapped):
    view = mapped("in", SHAPE, values=VALUES)
    with pytest.raises(AccessorError, match="open_view"):
        md.interop.dask.map_tiles(doubled, view, out=md.zeros(SHAPE), scheduler=cluster)
    with pytest.raises(ConversionError, match="after a worker was lost"):
        md.interop.dask.map_tiles(doubled, view, out=view, scheduler=cluster)
    np.testing.assert_array_equal(np.asarray(view), VALUES)


def test_an_error_names_the_tile(cluster, mapped):
    with pytest.raises(TileError, match=r"tile \[0:4, 0:4\]|tile \["):
        md.interop.dask.map_tiles(lambda a: 1 // 0, mapped("in", SHAPE), out=mapped("out", SHAPE), scheduler=cluster)


def test_a_worker_that_is_killed_loses_nothing(cluster, mapped, tmp_path):
    out = mapped("out", SHAPE)
    f = KilledOnce(tmp_path / "flag", VALUES[6, 6])
    later = md.interop.dask.map_tiles(f, mapped("in", SHAPE, values=VALUES), out=out, scheduler=cluster, compute=False)
    cluster.compute(later).result(timeout=60)
    assert (tmp_path / "flag").exists()
    np.testing.assert_array_equal(np.asarray(out), VALUES * 2)


needs_smaps = pytest.mark.skipif(not SMAPS.exists(), reason="only Linux tells what is resident of a map")


@pytest.fixture
def views(tmp_path):
    """Two views of new files of 16 MiB in tiles."""
    made = []
    for name in ("source", "target"):
        md.save(md.full((2048, 1024), 1.0), tmp_path / name, "tiled(512, 512)")
        made.append(md.open_view(tmp_path / name, "tiled(512, 512) (2048, 1024)", "d", mode="r+"))
    return made


@needs_smaps
def test_after_tasks_nothing_of_their_files_is_memory_of_a_worker(cluster, views, tmp_path):
    source, target = views
    md.interop.dask.map_tiles(doubled, source, out=target, scheduler=cluster)
    assert {*cluster.run(resident, str(tmp_path)).values()} == {0}
    assert np.fromfile(tmp_path / "target").sum() == 2 * target.size


@needs_smaps
def test_maps_of_the_process_itself_stay_as_they_are(views, tmp_path):
    source, target = views
    md.interop.dask.map_tiles(doubled, source, out=target, scheduler="threads")
    assert resident(str(tmp_path)) >= 2 * 16 * 1024
    assert float(np.asarray(md.interop.dask.to_dask(target).sum())) == 2 * target.size
