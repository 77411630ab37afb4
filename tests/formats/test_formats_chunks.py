"""Chunks and tiles of stores, compared with the bytes that their libraries write."""

import struct
import subprocess
import sys
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from owners import RANDOM, agrees, formats, numbers, shapes


def parts_of(shape, most):
    """Return random extents of parts, at most as long as the whole."""
    return tuple(RANDOM.randint(1, min(extent, most)) for extent in shape)


def grid(shape, tile):
    """Yield the corner of each tile, in C order."""
    return product(*(range(0, extent, size) for extent, size in zip(shape, tile, strict=True)))


def test_blosc2_chunks_are_tiles_of_blocks():
    blosc2 = pytest.importorskip("blosc2", reason="blosc2 is not installed")
    for shape in shapes((1, 2, 3, 4), 60):
        chunks = parts_of(shape, 7)
        blocks = parts_of(chunks, 4)
        values = numbers(shape)
        stored = blosc2.asarray(values, chunks=chunks, blocks=blocks)
        memory = b"".join(stored.schunk.decompress_chunk(k) for k in range(stored.schunk.nchunks))
        expression = formats.blosc2(shape, chunks, blocks)
        assert len(memory) == 4 * expression.layout.allocation_size(shape)
        agrees(expression, memory, "<i4", values)


@pytest.mark.parametrize("cell", ["row-major", "col-major"])
@pytest.mark.parametrize("tile", ["row-major", "col-major"])
def test_tiledb_tiles_are_whole_and_in_both_orders(tmp_path, tile, cell):
    for number, shape in enumerate(shapes((2, 3), 6)):
        size, values = parts_of(shape, 4), numbers(shape)
        path = str(tmp_path / f"{number}")
        store(path, values, size, tile, cell)
        memory = b"".join(data for _, data in generic_tiles(attribute(path), size))
        agrees(formats.tiledb(shape, size, tile, cell), memory, "<i4", values)


def test_a_file_of_tiledb_has_20_bytes_before_each_tile(tmp_path):
    for number, shape in enumerate(shapes((1, 2, 3), 9)):
        size, values = parts_of(shape, 4), numbers(shape)
        path = str(tmp_path / f"{number}")
        store(path, values, size)
        memory = np.frombuffer(attribute(path).read_bytes(), "<i4")
        agrees(formats.tiledb_file(shape, size), memory, "<i4", values)
        assert -7 not in memory  # edge tiles are padded with zeros, not with the fill value


TILEDB = """
import sys
import numpy as np
import tiledb
path, *orders = sys.argv[1:4]
values, tile = np.load(sys.argv[4]), map(int, sys.argv[5:])
axes = [tiledb.Dim(f"d{r}", domain=(0, n - 1), tile=t, dtype="u8") for r, (n, t) in enumerate(zip(values.shape, tile))]
attributes = [tiledb.Attr("a", dtype="i4", fill=-7)]
domain = tiledb.Domain(*axes)
schema = tiledb.ArraySchema(domain=domain, attrs=attributes, tile_order=orders[0], cell_order=orders[1])
tiledb.Array.create(path, schema)
with tiledb.open(path, "w") as array:
    array[:] = values
"""


def store(path, values, tile, *orders):
    """Store an array in dense tiles, in a process: tiledb changes how NumPy prints, and warns of forks."""
    if find_spec("tiledb") is None:
        pytest.skip("tiledb is not installed")
    np.save(f"{path}.npy", values)
    orders = orders or ("row-major", "row-major")
    subprocess.run([sys.executable, "-c", TILEDB, path, *orders, f"{path}.npy", *map(str, tile)], check=True)


def attribute(path):
    """Return the file of the attribute."""
    [found] = Path(path).rglob("a0.tdb")
    return found


def generic_tiles(file, tile):
    """Yield header and cells of each tile of a file."""
    data, size = file.read_bytes(), 4 * int(np.prod(tile))
    for begin in range(0, len(data), size + 20):
        yield data[begin : begin + 20], data[begin + 20 : begin + 20 + size]


@pytest.mark.parametrize("planar", [False, True], ids=["contig", "separate"])
def test_tiff_tiles_lie_in_the_order_of_their_offsets(tmp_path, planar):
    tifffile = pytest.importorskip("tifffile", reason="tifffile is not installed")
    for height, width in shapes((2,), 12, longest=70):
        tile, values = RANDOM.choice([(16, 16), (16, 32), (32, 16)]), numbers((height, width, 3), "<u2")
        path = tmp_path / "a.tif"
        stored, config = (np.moveaxis(values, 2, 0), "separate") if planar else (values, "contig")
        tifffile.imwrite(path, stored, tile=tile, photometric="rgb", planarconfig=config)
        memory = in_order(tifffile, path)
        agrees(formats.tiff_tiles(values.shape, tile, planar=planar), memory, "<u2", values)


@pytest.mark.parametrize("planar", [False, True], ids=["contig", "separate"])
def test_tiff_strips_are_rows(tmp_path, planar):
    tifffile = pytest.importorskip("tifffile", reason="tifffile is not installed")
    for height, width in shapes((2,), 6, longest=20):
        values, path = numbers((height, width, 3), "<u2"), tmp_path / "a.tif"
        stored, config = (np.moveaxis(values, 2, 0), "separate") if planar else (values, "contig")
        tifffile.imwrite(path, stored, rowsperstrip=3, photometric="rgb", planarconfig=config)
        agrees(formats.tiff_strips(values.shape, planar=planar), in_order(tifffile, path), "<u2", values)


def in_order(tifffile, path):
    """Return the bytes of strips or tiles one after the other."""
    data = path.read_bytes()
    with tifffile.TiffFile(path) as file:
        page = file.pages[0]
        return b"".join(data[at : at + n] for at, n in zip(page.dataoffsets, page.databytecounts, strict=True))


def test_hdf5_chunks_are_padded_with_the_fill_value(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for number, shape in enumerate(shapes((1, 2, 3), 30)):
            chunk, values = parts_of(shape, 5), numbers(shape)
            stored = file.create_dataset(f"{number}", data=values, chunks=chunk, fillvalue=-7)
            memory = b"".join(stored.id.read_direct_chunk(corner)[1] for corner in grid(shape, chunk))
            expression = formats.hdf5_chunk(shape, chunk)
            agrees(expression, memory, "<i4", values)
            padding = np.frombuffer(memory, "<i4").tolist()
            assert padding.count(-7) == expression.layout.allocation_size(shape) - expression.size


@pytest.mark.parametrize(("version", "order"), [(2, "C"), (2, "F"), (3, "C")])
def test_zarr_chunks_are_files(tmp_path, version, order):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    for number, shape in enumerate(shapes((1, 2, 3), 6)):
        chunks, values = parts_of(shape, 4), numbers(shape)
        path, options = tmp_path / f"{number}", {"order": order} if version == 2 else {}
        plain = {"compressors": None, "filters": None, "fill_value": 0, "zarr_format": version}
        zarr.create_array(path, shape=shape, dtype="<i4", chunks=chunks, **plain, **options)[:] = values
        names = ("/".join(map(str, place)) for place in places(shape, chunks))
        files = [path / (name.replace("/", ".") if version == 2 else f"c/{name}") for name in names]
        agrees(formats.zarr_chunk(shape, chunks, order), b"".join(f.read_bytes() for f in files), "<i4", values)


def places(shape, tile):
    return product(*(range(-(-extent // size)) for extent, size in zip(shape, tile, strict=True)))


def test_zarr_shards_are_files_of_chunks(tmp_path):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    shape, shards, chunks = (10, 13), (4, 6), (2, 2)
    values = numbers(shape)
    plain = {"compressors": None, "filters": None, "fill_value": 0}
    zarr.create_array(tmp_path / "a", shape=shape, dtype="<i4", chunks=chunks, shards=shards, **plain)[:] = values
    files = [(tmp_path / "a/c" / "/".join(map(str, place))).read_bytes() for place in places(shape, shards)]
    agrees(formats.zarr_shard(shape, shards, chunks), b"".join(map(in_index_order, files)), "<i4", values)


def in_index_order(shard):
    """Return the 6 chunks (of 4 elements) of a shard in the order of their indices, which stand behind them."""
    found = struct.unpack("<12Q", shard[-16 * 6 - 4 : -4])
    chunks = zip(found[::2], found[1::2], strict=True)
    return b"".join(bytes(16) if start == 2**64 - 1 else shard[start : start + size] for start, size in chunks)


def test_a_block_of_n5_is_the_example_of_its_document():
    """N5, "File-system specification", Block: a block of 1 x 2 x 3 of uint16, uncompressed, with its header."""
    block = bytes.fromhex("0000 0003 00000001 00000002 00000003 0001 0002 0003 0004 0005 0006")
    expected = [[[1, 3, 5], [2, 4, 6]]]
    agrees("n5_block (1, 2, 3)", block, ">u2", expected, offset=16)


@pytest.mark.parametrize("driver", ["n5", "neuroglancer_precomputed"])
def test_blocks_are_those_that_tensorstore_writes(tmp_path, driver):
    tensorstore = pytest.importorskip("tensorstore", reason="tensorstore is not installed")
    shape = (3, 4, 2) if driver == "n5" else (3, 4, 2, 2)
    values = numbers(shape, "u2")
    place = {"driver": driver, "kvstore": {"driver": "file", "path": f"{tmp_path}/"}}
    about = {"dataType": "uint16", "dimensions": shape, "blockSize": shape, "compression": {"type": "raw"}}
    volume = {"data_type": "uint16", "num_channels": 2, "type": "image"}
    scale = {"size": shape[:3], "encoding": "raw", "chunk_size": shape[:3], "resolution": [1, 1, 1], "key": "s"}
    how = {"metadata": about} if driver == "n5" else {"multiscale_metadata": volume, "scale_metadata": scale}
    tensorstore.open({**place, **how}, create=True).result().write(values).result()
    if driver == "n5":
        agrees(formats.n5_block(shape), (tmp_path / "0/0/0").read_bytes(), ">u2", values, offset=16)
    else:
        agrees(formats.neuroglancer_chunk(shape), (tmp_path / "s/0-3_0-4_0-2").read_bytes(), "<u2", values)


def test_a_raw_chunk_of_neuroglancer_is_in_fortran_order():
    """Neuroglancer, *Precomputed: raw chunk encoding*: "the [x, y, z, channel] array in Fortran order"."""
    values = numbers((3, 4, 2, 2), "<u2")
    agrees("neuroglancer_chunk (3, 4, 2, 2)", values.tobytes(order="F"), "<u2", values)


@pytest.mark.parametrize("side", [1, 2, 4, 8, 16])
def test_healpix_interleaves_x_and_y(side):
    healpy = pytest.importorskip("healpy", reason="healpy is not installed")
    face, y, x = np.indices((12, side, side))
    pixels = np.arange(12 * side * side, dtype="<i4")
    agrees(formats.healpix_nested((12, side, side)), pixels, "<i4", healpy.xyf2pix(side, x, y, face, nest=True))


def test_a_quadkey_is_the_example_of_its_document():
    """Bing Maps, *Tile System*: tile x = 3, y = 5 of level 3 has the quadkey "213"."""
    assert formats.quadkey((8, 8))(5, 3) == int("213", 4)


def test_a_geohash_is_that_of_its_article():
    """Wikipedia, *Geohash*: "ezs42" is latitude 42.605, longitude -5.603."""
    letters, key = "0123456789bcdefghjkmnpqrstuvwxyz", 0
    for letter in "ezs4":
        key = 32 * key + letters.index(letter)
    latitude, longitude = int((42.605 + 90) / 180 * 1024), int((-5.603 + 180) / 360 * 1024)
    assert formats.geohash((1024, 1024))(latitude, longitude) == key
