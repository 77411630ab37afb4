"""Writers: which regions of chunks conflict, how regions are aligned, and what reports of others and stores say."""

import pickle
from itertools import combinations, product
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
import random_parts
from effort import share

import mdview as md
from mdview import LayoutTiled, MDView, errors
from mdview.interop.writers import aligned, conflicts


def test_answers_agree_with_a_look_at_each_element():
    random = Random(1)  # noqa: S311 - drawn again by its seed
    found = [random_parts.try_case(random) for _ in range(share(1200, 300))]
    assert 0 < sum(found) < len(found) * 2


def test_a_conflict_names_who_where_and_what_to_do():
    found = md.interop.writers.conflicts({"left": (..., slice(0, 5)), "right": (..., slice(5, 9))}, ((9, 9), (4, 4)))
    assert found == md.interop.writers.Conflict("left", "right", (0, 1), (0, 4), ((0, 4), (4, 8)), "unit")
    text = str(found)
    assert "writers 'left' and 'right' both store to unit (0, 1), [0:4, 4:8] of the store" in text
    assert "aligned(...)" in text
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - made here
    with pytest.raises(AttributeError, match="immutable"):
        found.unit = (0, 0)


def test_billions_of_tiles_and_many_writers_are_not_looked_at_one_by_one():
    side, n = 10**9, 40
    store, step = ((side, side), (1000, 1000)), side // n
    boxes = [((i, i + step), (j, j + step)) for i in range(0, side, step) for j in range(0, side, step)]
    assert md.interop.writers.conflicts(boxes, store) is None
    moved = [*boxes[:-1], ((side - step - 1, side), (side - step, side))]
    assert md.interop.writers.conflicts(moved, store).second == n * n - 1
    chunks = ((side // 1000,) * 1000,) * 2
    assert md.interop.writers.conflicts(chunks, ((side, side), (1000, side // 1000))) is None
    assert md.interop.writers.conflicts([(slice(w * 8, None, 8000),) for w in range(1000)], ((10**15,), (8,))) is None
    assert (
        md.interop.writers.conflicts([(slice(w * 8, None, 8000),) for w in range(1001)], ((10**15,), (8,))) is not None
    )
    assert (
        md.interop.writers.conflicts([(slice(0, None, 1000),), (slice(500, None, 1001),)], ((10**15,), (7,)))
        is not None
    )
    assert (
        md.interop.writers.conflicts([(slice(0, None, 9 * 10**6),), (slice(500, None, 6 * 10**6),)], ((10**15,), (7,)))
        is None
    )


def test_woven_boxes_that_no_plane_divides_are_compared_two_by_two():
    lines = [tuple([(0, 60) if r == d else (3 * p[r] + d, 3 * p[r] + d + 1) for r in range(3)])
             for d in range(3) for p in product(range(4), repeat=3) if p[d] == 0]  # fmt: skip
    shifted = [md.interop.writers.conflicts([a, b], ((60, 60, 60), (1, 1, 1))) for a, b in combinations(lines, 2)]
    found = md.interop.writers.conflicts(lines, ((60, 60, 60), (1, 1, 1)))
    assert (found is None) == (not any(shifted))


def test_borders_of_chunks_move_to_the_nearest_of_units():
    assert aligned(((3, 4, 3), (5, 5)), ((10, 10), (4, 10))) == ((4, 4, 2), (10,))
    assert aligned(((6, 1, 3),), ((10,), (4,))) == ((4, 4, 2),)
    assert aligned(((3, 3, 4),), ((10,), (5,))) == ((5, 5),)
    assert aligned(((2, 0, 8), (0,)), ((10, 0), (1, 1))) == ((2, 8), (0,))


def test_borders_count_in_the_region():
    assert aligned(((2, 2, 2, 2),), ((10,), (4,)), region=(slice(1, 9),)) == ((3, 4, 1),)
    assert aligned(((2, 2, 2, 2),), ((10,), (4,)), region=(slice(8, 0, -1),)) == ((1, 4, 3),)


def test_other_parts_than_chunks_are_refused():
    with pytest.raises(errors.OperandError, match="chunks are sizes for each dimension"):
        aligned([slice(0, 5), slice(5, 10)], ((10,), (4,)))


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


def view(extents, layout):
    return MDView([0] * layout.allocation_size(extents), extents, layout)


class Rectilinear:
    """An array of zarr whose chunks are of several sizes."""

    shape, shards = (12, 10), None

    @property
    def chunks(self):
        raise NotImplementedError


def test_an_array_of_chunks_of_several_sizes_is_asked_for_units():
    with pytest.raises(errors.LayoutError, match=r"chunks of .* differ in size; write unit="):
        conflicts([slice(0, 5), slice(5, 12)], Rectilinear())


def test_the_one_chunk_of_a_zarr_array_without_dimensions_is_its_unit():
    zarr = pytest.importorskip("zarr")
    assert conflicts([(), ()], zarr.create_array({}, shape=(), dtype="i8")).kind == "chunk"


def test_chunks_of_a_dataset_are_its_units_else_its_elements(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "file.h5", "w") as file:
        chunked = file.create_dataset("chunked", shape=(10, 10), chunks=(4, 4), dtype="f4")
        whole = file.create_dataset("whole", shape=(10, 10), dtype="f4")
        assert conflicts([slice(0, 2), slice(2, 10)], chunked).kind == "chunk"
        assert conflicts([slice(0, 2), slice(2, 10)], whole) is None
        assert conflicts([slice(0, 3), slice(2, 10)], whole).kind == "element"


def test_an_array_without_units_is_asked_for_them():
    array = SimpleNamespace(shape=(10,))
    with pytest.raises(errors.OperandError, match="in which units it is written"):
        conflicts([0, 1], array)
    assert conflicts([0, 1], array, unit=(1,)) is None


def test_a_unit_is_one_size_for_each_dimension():
    with pytest.raises(errors.OperandError, match="one size for each dimension"):
        conflicts([0], ((8, 8), "text"))


def test_a_view_may_have_units_that_are_said():
    view = md.zeros((6, 6))
    assert conflicts([slice(0, 3), slice(3, 6)], view, unit=(3, 6)) is None
    assert conflicts([slice(0, 2), slice(2, 6)], view, unit=(3, 6)).box == ((0, 3), (0, 6))


@pytest.mark.parametrize("layout", [md.LayoutRight(), LayoutTiled(2, 2)])
def test_a_padded_view_is_no_store(layout):
    with pytest.raises(errors.LayoutError, match="the view that was padded"):
        conflicts([0, 1], md.pad(view((4, 4), layout), 1, constant=0))
