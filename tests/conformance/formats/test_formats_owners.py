"""Formats of NumPy, LAPACK and zarr, compared with what these libraries store."""

import itertools
import struct

import pytest
from named import PIXELS, mapping

from mdview import MDView, copy, parse

np = pytest.importorskip("numpy", reason="NumPy is not installed")
SHAPES = ((10, 13), (8, 12), (1, 1), (4, 7), (3, 19))


def numbers(shape):
    return np.arange(1, np.prod(shape) + 1, dtype="<i4").reshape(shape)


@pytest.mark.parametrize("triangle", ["upper", "lower"])
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_packed_is_what_lapack_packs(triangle, n):
    lapack = pytest.importorskip("scipy.linalg.lapack", reason="SciPy is not installed")
    full = np.arange(1.0, n * n + 1).reshape(n, n)
    full = full + full.T  # each element of the triangle is another number
    packed, status = lapack.dtrttp(np.asfortranarray(full), uplo=triangle[0].upper())
    view = MDView.from_mapping(packed, mapping(f"packed {triangle}", (n, n)))
    assert status == 0
    assert view.mapping.required_span_size == len(packed)
    assert [list(row) for row in view.tolist()] == full.tolist()


@pytest.mark.parametrize("n", [1, 3, 6])
def test_lapack_unpacks_what_a_copy_packed(n):
    lapack = pytest.importorskip("scipy.linalg.lapack", reason="SciPy is not installed")
    full = np.arange(1.0, n * n + 1).reshape(n, n)
    full = full + full.T
    packed = np.zeros(n * (n + 1) // 2)
    copy(MDView(full, (n, n)), MDView.from_mapping(packed, mapping("packed upper", (n, n))))
    unpacked, status = lapack.dtpttr(n, packed, uplo="U")
    assert status == 0
    assert np.triu(unpacked).tolist() == np.triu(full).tolist()


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_a_packed_product_is_that_of_blas(n):
    blas = pytest.importorskip("scipy.linalg.blas", reason="SciPy is not installed")
    packed = np.arange(1.0, n * (n + 1) // 2 + 1)
    full = np.array(MDView.from_mapping(packed, mapping("packed upper", (n, n))).tolist())
    x = np.arange(2.0, n + 2)
    assert blas.dspmv(n, 1.0, packed, x).tolist() == (full @ x).tolist()


@pytest.mark.parametrize("shape", [(5, 5), (4, 4), (8, 8), (4, 6), (7, 5)], ids=str)
def test_a_band_is_that_of_blas(shape):
    """The matrix with 2 diagonals below and 1 above, times a vector."""
    blas = pytest.importorskip("scipy.linalg.blas", reason="SciPy is not installed")
    full = np.triu(np.tril(numbers(shape).astype(float), 1), -2)
    banded, x = stored_band(full), np.arange(2.0, shape[1] + 2)
    assert blas.dgbmv(*shape, 2, 1, 1.0, banded, x).tolist() == (full @ x).tolist()


def test_a_band_is_that_of_lapack():
    linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")
    full = np.triu(np.tril(numbers((6, 6)) + 50.0 * np.eye(6), 1), -2)
    solution = np.arange(1.0, 7)
    assert np.allclose(linalg.solve_banded((2, 1), stored_band(full), full @ solution, check_finite=False), solution)


def stored_band(full):
    """Return LAPACK's array AB of a matrix, written element by element through a view."""
    memory = np.full(4 * full.shape[1], np.nan)  # what no index of the band reaches is never looked at
    view = MDView.from_mapping(memory, mapping("band", full.shape))
    for i, j in itertools.product(*map(range, full.shape)):
        if -2 <= j - i <= 1:
            view[i, j] = full[i, j]
    return memory.reshape((4, full.shape[1]), order="F")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_files_of_zarr_chunks_one_after_the_other_are_tiles(shape, tmp_path):
    store_numbers(tmp_path / "a", shape, chunks=(4, 5))
    tiled = mapping("zarr chunks", shape)
    grid = itertools.product(*map(range, tiled.layout.grid(shape)))
    files = b"".join((tmp_path / "a/c" / "/".join(map(str, chunk))).read_bytes() for chunk in grid)
    assert files == memory_of(tiled)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_chunks_of_zarr_shards_are_tiles_within_tiles(shape, tmp_path):
    store_numbers(tmp_path / "a", shape, chunks=(2, 2), shards=(4, 6))
    tiled = mapping("zarr shards", shape)
    grid = itertools.product(*map(range, tiled.layout.grid(shape)))
    shards = [(tmp_path / "a/c" / "/".join(map(str, shard))).read_bytes() for shard in grid]
    assert b"".join(map(in_index_order, shards)) == memory_of(tiled)


def store_numbers(path, shape, **parts):
    """Store 1, 2, ... as zarr does, without compression."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    plain = {"compressors": None, "filters": None, "fill_value": 0}
    zarr.create_array(path, shape=shape, dtype="<i4", **plain, **parts)[:] = numbers(shape)


def in_index_order(shard):
    """Return the 6 chunks (of 4 elements) of a shard in the order of their indices; its index, at the end, has them."""
    places = struct.unpack("<12Q", shard[-16 * 6 - 4 : -4])
    missing = 2**64 - 1
    chunks = zip(places[::2], places[1::2], strict=True)
    return b"".join(bytes(16) if start == missing else shard[start : start + size] for start, size in chunks)


def memory_of(tiled):
    """Return the bytes of a buffer for all tiles in full, into which 1, 2, ... were copied."""
    memory = np.zeros(tiled.layout.allocation_size(tiled.extents), dtype="<i4")
    copy(MDView(numbers(tiled.extents), tiled.extents), MDView.from_mapping(memory, tiled))
    return memory.tobytes()


@pytest.mark.parametrize("shape", [(5, 3), (8, 2), (1, 4)], ids=str)
def test_a_leading_dimension_is_that_of_the_upper_rows_of_a_fortran_array(shape):
    rows = np.asfortranarray(numbers((8, shape[1])))[: shape[0]]
    view = MDView.from_mapping(
        rows.base if rows.base.ndim == 1 else rows.base.ravel("K"), mapping("leading dimension", shape)
    )
    assert view.tolist() == rows.tolist()
    assert [s * rows.itemsize for s in view.mapping.strides] == list(rows.strides)


@pytest.mark.parametrize("kind", PIXELS)
def test_pixels_are_those_of_numpy(kind):
    image = numbers((4, 6, 3)) if kind == "interleaved" else np.moveaxis(numbers((3, 4, 6)), 0, 2)
    found = parse(PIXELS[kind])
    assert tuple(found.extents) == image.shape
    assert [s * image.itemsize for s in found.strides] == list(image.strides)
