"""Memory that a task mapped of a file is given back, so that dask does not stop workers for what the system caches."""

import numpy as np
import pytest
from stencils import SMAPS, doubled, resident

import mdview as md
import mdview.interop.dask

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
