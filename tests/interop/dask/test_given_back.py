"""Memory that a task mapped of a file is given back, so that dask does not stop workers for what the system caches."""

import mmap
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from mdview import LayoutTiled, Mapping, MDView
from mdview.interop.dask.blocks import Block, Source
from mdview.interop.dask.halos import Halo
from mdview.interop.dask.tile_tasks import TileWork

pytest.importorskip("dask")
SMAPS = Path("/proc/self/smaps")
BOX = ((0, 512), (512, 1024))
HALO = Halo((0, 0), "none")
needs_smaps = pytest.mark.skipif(not SMAPS.exists(), reason="only Linux tells what is resident of a map")


def view_of(path):
    """A view of a new file of 16 MiB in tiles, which stores to it."""
    mapping = Mapping((2048, 1024), LayoutTiled(512, 512))
    path.write_bytes(bytes(8 * mapping.required_span_size))
    with path.open("r+b") as file:
        return MDView.from_mapping(memoryview(mmap.mmap(file.fileno(), 0)).cast("d"), mapping)


def arrived(view):
    return pickle.loads(pickle.dumps(Block(Source(view), BOX, (), HALO)))  # noqa: S301 - a block of our own


def resident(path):
    """Kilobytes of a file that count as memory of this process."""
    parts = re.split(r"(?m)^(?=[0-9a-f]+-[0-9a-f]+ )", SMAPS.read_text(encoding="utf-8"))
    return sum(int(re.search(r"Rss:\s+(\d+)", part)[1]) for part in parts if str(path) in part)


@needs_smaps
def test_after_a_task_nothing_of_its_files_is_memory_of_the_worker(tmp_path):
    source, target = view_of(tmp_path / "source"), view_of(tmp_path / "target")
    work, blocks = TileWork(lambda block: block + 1.0, np.dtype("d"), "plus"), (arrived(source), arrived(target))
    work(BOX, None, blocks[1], blocks[0])
    assert resident(tmp_path) == 0
    assert target[0, 512] == 1.0
    assert np.fromfile(tmp_path / "target").sum() == 512 * 512


@needs_smaps
def test_maps_of_the_process_itself_stay_as_they_are(tmp_path):
    view = view_of(tmp_path / "source")
    block = Block(Source(view), BOX, (), HALO)
    before = float(block.array().sum())
    there = resident(tmp_path)
    block.give_back()
    assert there == resident(tmp_path) > 0
    assert before == 0.0


def test_what_is_stored_stays_after_memory_is_given_back(tmp_path):
    view = view_of(tmp_path / "target")
    block = arrived(view)
    block.store(np.full((512, 512), 3.0))
    block.give_back()
    assert float(block.array().min()) == view[511, 1023] == 3.0


def test_memory_that_is_no_file_is_kept():
    block = Block(Source(MDView(bytearray(b"12345678"), (2, 4))), ((0, 1), (0, 4)), (), HALO)
    sent = pickle.loads(pickle.dumps(block))  # noqa: S301 - as above
    sent.give_back()
    assert bytes(sent.array()) == b"1234"
