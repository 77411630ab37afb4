"""Tiles on processes of `distributed`: paths travel, results are in the file, and a lost worker loses nothing."""

import numpy as np
import pytest
from stencils import KilledOnce, crossed, doubled

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
