"""Stores as users have them: views and mappings of tiles, arrays of zarr and h5py, and what stands for them."""

from types import SimpleNamespace

import pytest

import mdview as md
from mdview import LayoutTiled, MDView, errors
from mdview.interop.writers import conflicts


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
