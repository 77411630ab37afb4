"""Stores as users have them: views and mappings of tiles, arrays of zarr and h5py, and what stands for them."""

from types import SimpleNamespace

import pytest

import mdview as md
from mdview import LayoutTiled, MDView, conflicts, errors


def view(extents, layout):
    return MDView([0] * layout.allocation_size(extents), extents, layout)


def test_the_inner_tiles_are_units_where_that_is_said():
    nested = view((12, 12), LayoutTiled(6, 6, inner=LayoutTiled(4, 3)))
    rows = [slice(0, 6), slice(6, 8), slice(8, 10), slice(10, 12)]
    assert conflicts(rows, nested, unit="inner").box == ((6, 10), (0, 3))


class Rectilinear:
    """An array of zarr whose chunks, or shards, are of several sizes."""

    shape = (12, 10)
    write_chunk_sizes = ((5, 3, 4), (2, 8))

    def __init__(self, has_shards):
        self.has_shards = has_shards

    @property
    def shards(self):
        if self.has_shards:
            raise NotImplementedError

    @property
    def chunks(self):
        raise NotImplementedError


@pytest.mark.parametrize(("has_shards", "kind"), [(False, "chunk"), (True, "shard")])
def test_chunks_of_several_sizes_of_an_array_are_its_units(has_shards, kind):
    array = Rectilinear(has_shards)
    assert conflicts([slice(0, 5), slice(5, 12)], array) is None
    found = conflicts([slice(0, 6), slice(6, 12)], array)
    assert (found.unit, found.kind) == ((1, 0), kind)


def test_shards_of_a_zarr_array_are_its_units_else_its_chunks():
    zarr = pytest.importorskip("zarr")
    plain = zarr.create_array({}, shape=(10, 10), chunks=(4, 4), dtype="i8")
    sharded = zarr.create_array({}, shape=(10, 10), chunks=(2, 2), shards=(4, 4), dtype="i8")
    scalar = zarr.create_array({}, shape=(), dtype="i8")
    assert conflicts([slice(0, 2), slice(2, 10)], plain).kind == "chunk"
    assert conflicts([slice(0, 2), slice(2, 10)], sharded).kind == "shard"
    assert conflicts([slice(0, 4), slice(4, 10)], sharded) is None
    assert conflicts([(), ()], scalar).kind == "chunk"


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
    padded = md.pad(md.zeros((4, 4)), 1, constant=0)
    assert conflicts([slice(0, 3), slice(3, 6)], padded, unit=(3, 6)) is None
    assert conflicts([slice(0, 1), slice(1, 6)], padded, unit=(3, 6)) is None
    assert conflicts([slice(0, 2), slice(2, 6)], padded, unit=(3, 6)).box == ((1, 3), (1, 5))
    assert conflicts([slice(0, 3), slice(3, 4)], padded, region=(0, slice(1, 5)), unit=(1, 6)) is None
