"""Arrays that zarr wrote, as views: where they lie, or copied."""

import json
import pickle
import struct
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdview import LayoutLeft, LayoutRight, LayoutTiled, empty, from_zarr, tiles, to_zarr, zeros
from mdview.errors import CopyNeededError, LayoutError, ReadOnlyError, ShapeError, ZarrError
from mdview.interop.dask import map_tiles

np = pytest.importorskip("numpy", reason="NumPy is not installed")
zarr = pytest.importorskip("zarr", reason="zarr is not installed")


def numbers(shape, dtype="<i4"):
    return np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def written(path, shape, chunks, shards=None, dtype="<i4", compressors=None, **options):
    """What zarr wrote, and the elements."""
    array = zarr.create_array(
        path, shape=shape, chunks=chunks, shards=shards, dtype=dtype, compressors=compressors, overwrite=True, **options
    )
    array[...] = values = numbers(shape, dtype)
    return array, values


SHAPES = [
    ((5,), (2,), (6,)),
    ((7, 5), (2, 3), (8, 6)),
    ((8, 8), (2, 2), (8, 8)),
    ((10, 7), (3, 2), (12, 8)),
    ((3, 4, 7), (2, 2, 2), (4, 4, 8)),
    ((2, 3, 4, 5), (1, 2, 2, 3), (2, 4, 4, 6)),
]


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("location", ["start", "end"])
@pytest.mark.parametrize(("shape", "chunks", "shards"), SHAPES)
def test_a_shard_is_viewed_where_it_lies(tmp_path, shape, chunks, shards, location, order):
    filters = [zarr.codecs.TransposeCodec(order=range(len(shape))[::-1])] if order == "F" else ()
    _, values = written(tmp_path / "a", shape, chunks, {"shape": shards, "index_location": location}, filters=filters)
    view = from_zarr(tmp_path / "a", copy=False)
    assert view.tolist() == values.tolist()
    assert np.asarray(view).tolist() == values.tolist()
    assert sorted(e for tile in tiles(view) for e in np.asarray(tile).ravel().tolist()) == values.ravel().tolist()
    assert view.layout.tiling().sizes == chunks
    for key in [(slice(None),) * r + (slice(1, None),) for r in range(len(shape))] + [
        (slice(0, None, 2),) * len(shape)
    ]:
        assert view[key].tolist() == values[key].tolist()
    assert pickle.loads(pickle.dumps(view)).tolist() == values.tolist()  # noqa: S301 - of our own


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("separator", "./")
def test_one_chunk_of_version_2_is_viewed_where_it_lies(tmp_path, order, separator):
    keys = {"name": "v2", "separator": separator}
    _, values = written(
        tmp_path / "a", (4, 3), (5, 3), dtype=">i4", zarr_format=2, order=order, chunk_key_encoding=keys
    )
    view = from_zarr(tmp_path / "a", copy=False)
    assert view.tolist() == values.tolist()
    assert view.layout == LayoutTiled(5, 3, inner=LayoutRight() if order == "C" else LayoutLeft())


def test_a_chunk_is_a_strided_view(tmp_path):
    written(tmp_path / "a", (4, 3), (4, 3))
    assert from_zarr(tmp_path / "a", copy=False).layout == LayoutRight()


def test_an_array_without_dimensions_or_elements_is_a_view(tmp_path):
    array, values = written(tmp_path / "a", (), ())
    assert from_zarr(array, copy=False)[()] == values
    written(tmp_path / "b", (0, 3), (1, 2))
    assert from_zarr(tmp_path / "b", copy=False).extents == (0, 3)


@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=3))
@settings(max_examples=20, deadline=None)
def test_shards_of_any_shape_are_read(tmp_path_factory, sizes):
    shape, chunks = tuple(e for e, _, _ in sizes), tuple(c for _, c, _ in sizes)
    shards = tuple(c * max(n, -(-e // c)) for e, c, n in sizes)
    path = tmp_path_factory.mktemp("any") / "a"
    _, values = written(path, shape, chunks, shards)
    assert from_zarr(path).tolist() == values.tolist()
    assert from_zarr(path, copy=True).tolist() == values.tolist()


def test_stores_reach_the_file_where_they_are_asked_for(tmp_path):
    array, values = written(tmp_path / "a", (7, 5), (2, 3), (8, 6))
    with pytest.raises(ReadOnlyError):
        from_zarr(tmp_path / "a")[0, 0] = 9
    from_zarr(tmp_path / "a", mode="r+")[6, 4] = -1
    values[6, 4] = -1
    assert array[...].tolist() == values.tolist()


def missing_chunk(path):
    array, values = written(path, (7, 5), (2, 3), (8, 6), fill_value=0)
    array[:2, :3] = values[:2, :3] = 0
    return values


def nothing_stored(path):
    zarr.create_array(path, shape=(7, 5), chunks=(7, 5), dtype="<i4", fill_value=3, compressors=None)
    return np.full((7, 5), 3)


COPIED = {
    "8 chunks lie in as many files": lambda path: written(path, (7, 5), (2, 3))[1],
    "zstd": lambda path: written(path, (7, 5), (2, 3), (8, 6), compressors="auto")[1],
    "crc32c": lambda path: written(path, (7, 5), (7, 5), compressors=[zarr.codecs.Crc32cCodec()])[1],
    "is not stored": missing_chunk,
    "nothing is stored": nothing_stored,
}


@pytest.mark.parametrize(("reason", "write"), COPIED.items(), ids=COPIED)
def test_what_cannot_be_mapped_is_copied_or_refused(tmp_path, reason, write):
    values = write(tmp_path / "a")
    assert from_zarr(tmp_path / "a").tolist() == values.tolist()
    for options in ({"copy": False}, {"mode": "r+"}):
        with pytest.raises(CopyNeededError, match=f"{reason}.*copy=True"):
            from_zarr(tmp_path / "a", **options)
    out = empty((7, 5), LayoutTiled(3, 3), dtype="i")
    assert from_zarr(tmp_path / "a", out=out) is out
    assert out.tolist() == values.tolist()
    with pytest.raises(ShapeError, match="extents"):
        from_zarr(tmp_path / "a", out=zeros((5, 7), dtype="i"))


def test_a_copy_of_shards_has_tiles_in_tiles(tmp_path):
    written(tmp_path / "a", (9, 9), (2, 2), (4, 4))
    assert from_zarr(tmp_path / "a").layout == LayoutTiled(4, 4, inner=LayoutTiled(2, 2))


def test_other_stores_are_copied(tmp_path):
    memory = zarr.storage.MemoryStore()
    array, values = written(memory, (5, 3), (2, 2))
    assert from_zarr(array).tolist() == from_zarr(memory).tolist() == values.tolist()
    with zarr.storage.ZipStore(tmp_path / "a.zip", mode="w") as store:
        filled = zarr.create_array(store, shape=(5, 3), chunks=(2, 2), dtype="<i4")
        filled[...] = values
    assert from_zarr(zarr.storage.ZipStore(tmp_path / "a.zip", mode="r")).tolist() == values.tolist()


def test_a_group_is_refused_with_the_arrays_in_it(tmp_path):
    group = zarr.create_group(tmp_path / "g")
    written(tmp_path / "g/heights", (3,), (3,))
    for source in (tmp_path / "g", group.store):
        with pytest.raises(ZarrError, match=r"a group of zarr.*'heights'"):
            from_zarr(source)


@pytest.mark.parametrize("cut", [0, 1, 40, 150])
def test_a_shard_that_is_cut_is_refused(tmp_path, cut):
    written(tmp_path / "a", (7, 5), (2, 3), (8, 6))
    path = tmp_path / "a/c/0/0"
    path.write_bytes(path.read_bytes()[:cut])
    for copy in (None, False):
        with pytest.raises(ZarrError, match="cut"):
            from_zarr(tmp_path / "a", copy=copy)


def test_a_damaged_index_is_refused(tmp_path):
    written(tmp_path / "a", (7, 5), (2, 3), (8, 6))
    path = tmp_path / "a/c/0/0"
    data = bytearray(path.read_bytes())
    data[-10] ^= 1
    path.write_bytes(data)
    with pytest.raises(ZarrError, match="checksum"):
        from_zarr(tmp_path / "a")


@pytest.mark.parametrize("begin", [2**63, 2**64 - 2, 300])
def test_an_index_that_leads_out_of_the_file_is_refused(tmp_path, begin):
    plain = [zarr.codecs.BytesCodec()]
    codec = zarr.codecs.ShardingCodec(chunk_shape=(2,), codecs=plain, index_codecs=plain)
    array = zarr.create(shape=(4,), chunks=(4,), dtype="<i4", store=tmp_path / "a", codecs=[codec])
    array[...] = numbers((4,))
    assert from_zarr(tmp_path / "a", copy=False).tolist() == [1, 2, 3, 4]
    (tmp_path / "a/c/0").write_bytes(bytes(16) + struct.pack("<4Q", 0, 8, begin, 8))
    with pytest.raises(ZarrError, match="has chunk"):
        from_zarr(tmp_path / "a")


CHANGES = [
    {"shape": [-1, 5]},
    {"shape": [2**70, 5]},
    {"shape": "wide"},
    {"shape": [7]},
    {"shape": None},
    {"codecs": 3},
    {"codecs": [3]},
    {"codecs": [{"name": "bytes", "configuration": {"endian": "upwards"}}]},
    {"chunk_grid": []},
    {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0, 5]}}},
    {"zarr_format": 4},
    {"node_type": "thing"},
    {"chunk_key_encoding": {"name": "default", "configuration": {"separator": "../../"}}},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_metadata_that_breaks_a_rule_is_refused(tmp_path, change):
    written(tmp_path / "a", (7, 5), (2, 3), (8, 6))
    path = tmp_path / "a/zarr.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ZarrError):
        from_zarr(tmp_path / "a")


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", "[" * 100_000, '{"shape": 1' + "0" * 5000 + "}", "\xff"])
def test_metadata_that_is_none_is_refused(tmp_path, text):
    (tmp_path / "zarr.json").write_text(text, encoding="latin-1")
    with pytest.raises(ZarrError, match=r"zarr"):
        from_zarr(tmp_path)


def test_where_there_is_no_array_the_error_says_so(tmp_path):
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(ZarrError, match=r"is no array of zarr|there is no"):
            from_zarr(path)


def test_a_copy_that_no_memory_holds_is_refused(tmp_path):
    zarr.create_array(tmp_path / "a", shape=(2**50,), chunks=(2**50,), dtype="<i8", compressors=None)
    with pytest.raises(ZarrError, match="out="):
        from_zarr(tmp_path / "a")


@pytest.mark.parametrize("dtype", ["S3", ">U2", "V5", "S1,S2"], ids=str)
@pytest.mark.parametrize("version", [2, 3])
def test_texts_and_records_are_read(tmp_path, dtype, version):
    values = np.array([b"ab", b"c", b""]).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some versions of zarr warn that these have no specification
        zarr.create_array(tmp_path / "a", data=values, compressors=None, zarr_format=version)
        assert np.asarray(from_zarr(tmp_path / "a")).tolist() == values.tolist()


def test_arguments_that_contradict_each_other_are_refused(tmp_path):
    to_zarr(zeros((3,)), tmp_path / "a")
    for options in ({"copy": True, "mode": "r+"}, {"copy": False, "out": zeros((3,))}):
        with pytest.raises(ZarrError):
            from_zarr(tmp_path / "a", **options)


@pytest.mark.parametrize("chunks", [[[2, 3, 5], [4, 4]], [[10], [1, 7]], [[1] * 10, [8]]], ids=str)
@pytest.mark.parametrize("compressors", [None, "auto"])
def test_an_array_of_chunks_of_several_sizes_is_copied(chunks, compressors, tmp_path):
    if "array.rectilinear_chunks" not in zarr.config:
        pytest.skip("this zarr has one size of chunks")
    with zarr.config.set({"array.rectilinear_chunks": True}), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is new may change
        about = {"shape": (10, 8), "dtype": "<i4", "chunks": chunks, "compressors": compressors}
        array = zarr.create_array(tmp_path / "a", **about)
        array[...] = numbers((10, 8))
        for view in (from_zarr(array, copy=True), from_zarr(tmp_path / "a"), from_zarr(array, out=zeros((10, 8)))):
            assert view.tolist() == numbers((10, 8)).tolist()
        for options in ({"copy": False}, {"mode": "r+"}):
            with pytest.raises(CopyNeededError, match="is not mapped"):
                from_zarr(array, **options)
        with pytest.raises(LayoutError, match="differ in size"):
            map_tiles(lambda tile: tile, zeros((10, 8), dtype="i"), out=array)
