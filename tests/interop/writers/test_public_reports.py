"""Data that was lost, as those who reported it wrote it down: each is refused before anything is written.

With the parts that `aligned` proposes the same programs give the right data, written by threads.
"""

import numpy as np
import pytest

from mdview.interop.writers import aligned, conflicts

da = pytest.importorskip("dask.array")
zarr = pytest.importorskip("zarr")


def stored(array, target, **options):
    """What a store holds after threads have stored an array to it."""
    da.store(array, target, lock=False, scheduler="threads", num_workers=4, **options)
    return target[...]


REPORTS = {
    # extents and chunks of the array, what zarr makes, the unit of two writers, and chunks that are safe
    "the chunks themselves": ((10, 10), 2, {"chunks": (2, 2)}, None, ((2,) * 5,) * 2),
    "chunks": ((10, 10), 2, {"chunks": (4, 4)}, ("chunk", (0, 0)), ((4, 4, 2),) * 2),
    "shards": ((10, 10), 2, {"chunks": (2, 2), "shards": (4, 4)}, ("shard", (0, 0)), ((4, 4, 2),) * 2),
    "half of a shard": (
        *((100,) * 3, 25, {"chunks": (25,) * 3, "shards": (50,) * 3}),
        *(("shard", (0, 0, 0)), ((50, 50),) * 3),
    ),
}


@pytest.mark.parametrize("name", REPORTS)
def test_chunks_or_shards_that_two_writers_share_are_named(name):
    shape, chunks, made, unit, safe_chunks = REPORTS[name]
    values = np.arange(np.prod(shape)).reshape(shape)
    a = da.from_array(values, chunks=chunks)
    target = zarr.create_array({}, shape=shape, dtype=a.dtype, **made)
    found = conflicts(a, target)
    assert (found and (found.kind, found.unit)) == unit
    safe = a.rechunk(aligned(a.chunks, target))
    assert safe.chunks == safe_chunks
    assert conflicts(safe, target) is None
    assert (stored(safe, target) == values).all()


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
