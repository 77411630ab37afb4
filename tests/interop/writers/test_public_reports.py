"""Data that was lost, as those who reported it wrote it down: each is refused before anything is written.

With the parts that `aligned` proposes the same programs give the right data, written by threads.
"""

import numpy as np
import pytest

from mdview import aligned, conflicts

da = pytest.importorskip("dask.array")
zarr = pytest.importorskip("zarr")


def stored(array, target, **options):
    """What a store holds after threads have stored an array to it."""
    da.store(array, target, lock=False, scheduler="threads", num_workers=4, **options)
    return target[...]


@pytest.mark.parametrize(
    ("made", "collides"),
    [
        ({"chunks": (2, 2)}, None),
        ({"chunks": (4, 4)}, "chunk"),
        ({"chunks": (2, 2), "shards": (4, 4)}, "shard"),
    ],
)
def test_chunks_or_shards_are_named_to_to_zarr(made, collides):
    a = da.arange(100).reshape((10, 10)).rechunk((2, 2))
    target = zarr.create_array({}, shape=a.shape, dtype=a.dtype, **made)
    found = conflicts(a, target)
    assert (found and found.kind) == collides
    safe = a.rechunk(aligned(a.chunks, target))
    assert conflicts(safe, target) is None
    assert (stored(safe, target) == np.arange(100).reshape(10, 10)).all()


@pytest.mark.parametrize("made", [{"chunks": (4, 4)}, {"shards": (4, 4)}])
def test_chunks_or_shards_that_to_zarr_will_make(made, tmp_path):
    a = da.arange(100).reshape((10, 10)).rechunk((2, 2))
    store = (a.shape, (4, 4))
    assert conflicts(a, store).unit == (0, 0)
    safe = a.rechunk(aligned(a.chunks, store))
    da.to_zarr(safe, str(tmp_path / "test.zarr"), overwrite=True, **made)
    assert (zarr.open(tmp_path / "test.zarr")[...] == np.arange(100).reshape(10, 10)).all()


def test_chunks_of_an_hdf5_dataset_are_named_to(tmp_path):
    h5py = pytest.importorskip("h5py")
    a = da.arange(100).reshape((10, 10)).rechunk((2, 2))
    with h5py.File(tmp_path / "test.h5", "w") as file:
        assert conflicts(a, file.create_dataset("x", shape=a.shape, dtype=a.dtype, chunks=(4, 4))).kind == "chunk"
        assert conflicts(a, file.create_dataset("y", shape=a.shape, dtype=a.dtype)) is None


def test_partial_shards_written_by_dask():
    np_data = np.arange(100 * 100 * 100, dtype=np.float64).reshape(100, 100, 100)
    dask_data = da.from_array(np_data, chunks=(25, 25, 25))
    arr = zarr.create_array(store={}, shape=(100, 100, 100), dtype=np.float64, chunks=(25, 25, 25), shards=(50, 50, 50))
    found = conflicts(dask_data, arr)
    assert (found.first, found.second, found.unit, found.kind) == ((0, 0, 0), (1, 0, 0), (0, 0, 0), "shard")
    assert found.box == ((0, 50), (0, 50), (0, 50))
    safe = dask_data.rechunk(aligned(dask_data, arr))
    assert safe.chunks == ((50, 50),) * 3
    assert (stored(safe, arr) == np_data).all()


def test_shards_of_two_inner_chunks_in_one_dimension():
    shape, chunks = (1000, 300, 300), (255, 255, 255)
    a = da.zeros(shape, chunks=chunks, dtype="i1")
    arr = zarr.create_array({}, shape=shape, dtype="i1", chunks=chunks, shards=(510, 255, 255))
    assert conflicts(a, arr).unit == (0, 0, 0)
    assert aligned(a.chunks, arr) == ((510, 490), (255, 45), (255, 45))


def test_regions_that_begin_inside_a_chunk():
    arr = zarr.create_array({}, shape=(10,), dtype="i8", chunks=(2,))
    a = da.arange(10, chunks=2)
    b, region = a[1:], (slice(1, None),)
    assert conflicts(a, arr) is None
    assert b.chunks == ((1, 2, 2, 2, 2),)
    assert conflicts(b, arr, region=region) is None
    shifted = b.rechunk(2)
    assert conflicts(shifted, arr, region=region).unit == (1,)
    safe = shifted.rechunk(aligned(shifted, arr, region=region))
    assert (stored(safe, arr, regions=region)[1:] == np.arange(1, 10)).all()
    assert conflicts({"first": slice(0, 1), "rest": region}, arr).unit == (0,)


def test_buffers_that_are_disjoint_and_share_a_shard():
    arr = zarr.create_array({}, shape=(100, 8), dtype="f8", chunks=(5, 8), shards=(20, 8))
    buffers = [slice(start, start + 15) for start in range(0, 90, 15)]
    assert conflicts(buffers, arr).kind == "shard"
    tasks = aligned(buffers, arr)
    assert conflicts(tasks, arr) is None
    assert sum(len(range(*key[0].indices(100))) for keys in tasks for key in keys) == 90
