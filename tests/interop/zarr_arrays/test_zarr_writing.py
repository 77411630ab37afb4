"""Views, as arrays that zarr reads: byte for byte the tiles of the view."""

import struct

import pytest
from samples.mappings import SquareAccessor

import mdview as md
from mdview import LayoutLeft, LayoutMorton, LayoutRight, LayoutTiled, from_zarr, to_zarr, zeros
from mdview.errors import ZarrError

np = pytest.importorskip("numpy", reason="NumPy is not installed")
zarr = pytest.importorskip("zarr", reason="zarr is not installed")


def numbers(shape, dtype="<i4"):
    return np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def tiled(values, layout):
    """A view of whole tiles with the values, and its memory."""
    mapping = md.Mapping(values.shape, layout)
    size = layout.allocation_size(values.shape) if isinstance(layout, LayoutTiled) else mapping.required_span_size
    memory = np.zeros(size, values.dtype)
    view = md.MDView.from_mapping(memory, mapping)
    md.copy(md.asview(values), view)
    return view, memory.tobytes()


def read_by_zarr(path):
    return zarr.open_array(path, mode="r")[...].tolist()


@pytest.mark.parametrize("location", ["start", "end"])
@pytest.mark.parametrize("dtype", ["?", "<i4", ">f8", "<f2", "<c8"])
@pytest.mark.parametrize(
    ("shape", "layout"),
    [
        ((5,), LayoutTiled(2)),
        ((7, 5), LayoutTiled(2, 3)),
        ((7, 5), LayoutTiled(2, 3, outer=LayoutLeft())),
        ((7, 5), LayoutTiled(2, 3, inner=LayoutLeft())),
        ((3, 4, 5), LayoutTiled(2, 2, 2)),
    ],
    ids=str,
)
def test_a_shard_is_the_bytes_of_the_view_and_an_index(tmp_path, shape, layout, dtype, location):
    values = numbers(shape, dtype)
    view, memory = tiled(values, layout)
    to_zarr(view, tmp_path / "a", index_location=location)
    assert read_by_zarr(tmp_path / "a") == values.tolist()
    data = (tmp_path / "a" / "/".join(["c", *"0" * len(shape)])).read_bytes()
    assert (data.startswith if location == "end" else data.endswith)(memory)
    again = from_zarr(tmp_path / "a", copy=False)
    assert again.tolist() == values.tolist()
    assert again.layout == layout


OPTIONS = [
    {"shards": None},
    {"chunks": (2, 3), "shards": (4, 6)},
    {"chunks": (3, 3), "shards": (3, 6)},
    {"compressors": "auto"},
    {"compressors": None, "chunks": (2, 3), "shards": (2, 6)},
    {"compressors": "auto", "zarr_format": 2, "shards": None},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(
    "layout", [LayoutTiled(2, 3), LayoutTiled(4, 6, inner=LayoutTiled(2, 3)), LayoutMorton(), LayoutRight()], ids=str
)
def test_zarr_reads_what_was_written(tmp_path, layout, options):
    values = numbers((7, 5))
    to_zarr(tiled(values, layout)[0], tmp_path / "a", **options)
    assert read_by_zarr(tmp_path / "a") == values.tolist()
    assert from_zarr(tmp_path / "a").tolist() == values.tolist()


def test_tiles_within_tiles_are_shards(tmp_path):
    to_zarr(tiled(numbers((9, 9)), LayoutTiled(4, 4, inner=LayoutTiled(2, 2)))[0], tmp_path / "a")
    array = zarr.open_array(tmp_path / "a", mode="r")
    assert (array.shards, array.chunks) == ((4, 4), (2, 2))
    assert array[...].tolist() == numbers((9, 9)).tolist()


def test_parts_and_turned_views_are_written(tmp_path):
    values = numbers((8, 6))
    view, _ = tiled(values, LayoutTiled(2, 3))
    cases = [
        (view[1:7:2], values[1:7:2]),
        (view[::-1, 2], values[::-1, 2]),
        (md.permute_dims(view, (1, 0)), values.T),
        (view[2:6], values[2:6]),
        (md.flip(view), values[::-1, ::-1]),
        (md.pad(view, 1, constant=7), np.pad(values, 1, constant_values=7)),
    ]
    for k, (part, expected) in enumerate(cases):
        to_zarr(part, tmp_path / str(k))
        assert read_by_zarr(tmp_path / str(k)) == expected.tolist()


def test_a_tiled_file_is_read_by_zarr_where_it_lies(tmp_path):
    values = numbers((7, 5))
    view, memory = tiled(values, LayoutTiled(2, 3))
    to_zarr(view, tmp_path / "a")
    path = tmp_path / "a/c/0/0"
    md.save(view, tmp_path / "tiles.npy", view.layout)
    saved = md.open_view(tmp_path / "tiles.npy")
    first = (tmp_path / "tiles.npy").stat().st_size - len(memory)
    begins = [first + 4 * saved.mapping(2 * i, 3 * j) for i in range(4) for j in range(2)]
    (tmp_path / "tiles.npy").replace(path)
    assert path.read_bytes().endswith(memory)
    index = np.array([(begin, 24) for begin in begins], "<u8").tobytes()
    crc = pytest.importorskip("google_crc32c").value(index)
    with path.open("ab") as file:
        file.write(index + crc.to_bytes(4, "little"))
    assert read_by_zarr(tmp_path / "a") == values.tolist()
    assert from_zarr(tmp_path / "a", copy=False).tolist() == values.tolist()


@pytest.mark.parametrize("fill", [float("nan"), float("-inf"), 2.5])
def test_attributes_names_and_fill_values_are_kept(tmp_path, fill):
    more = {"attributes": {"unit": "m"}, "dimension_names": ["y", None]}
    to_zarr(zeros((3, 3), LayoutTiled(2, 2)), tmp_path / "a", fill_value=fill, **more)
    array = zarr.open_array(tmp_path / "a", mode="r")
    assert dict(array.attrs) == {"unit": "m"}
    assert array.metadata.dimension_names == ("y", None)
    assert str(float(array.fill_value)) == str(fill)
    assert struct.unpack("<d", (tmp_path / "a/c/0/0").read_bytes()[40:48])[0].hex() == fill.hex()


def test_an_array_is_replaced_if_that_is_asked_for_and_nothing_else_ever(tmp_path):
    to_zarr(zeros((3,)), tmp_path / "a")
    with pytest.raises(ZarrError, match="overwrite=True"):
        to_zarr(zeros((4,)), tmp_path / "a")
    to_zarr(zeros((4,)), tmp_path / "a", overwrite=True)
    assert from_zarr(tmp_path / "a").extents == (4,)
    (tmp_path / "file").write_text("mine")
    zarr.create_group(tmp_path / "group")
    for name in ("file", "group", "."):
        with pytest.raises(ZarrError, match="something else"):
            to_zarr(zeros((4,)), tmp_path / name, overwrite=True)
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "file", "group"]


class Stopping(SquareAccessor):
    def load(self, data, offset):
        if offset == 7:
            raise KeyboardInterrupt
        return data[offset]


@pytest.mark.parametrize("options", [{"chunks": (2,)}, {"chunks": (2,), "shards": None}])
def test_an_error_leaves_what_was_there(tmp_path, options):
    to_zarr(zeros((3,)), tmp_path / "a")
    stopping = md.MDView(np.zeros(8), (8,), LayoutRight(), Stopping())
    with pytest.raises(KeyboardInterrupt):
        to_zarr(stopping, tmp_path / "a", overwrite=True, **options)
    assert from_zarr(tmp_path / "a").extents == (3,)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"chunks": (2,)}, "2 sizes of 1 or more"),
        ({"chunks": (2, 0)}, "2 sizes of 1 or more"),
        ({"chunks": (2, 2), "shards": (3, 2)}, "no multiple"),
        ({"fill_value": "none"}, "zarr makes no such array"),
        ({"fill_value": 1.5}, "fill value"),
        ({"dimension_names": ["x"]}, "dimension_names"),
        ({"compresors": "auto"}, "zarr makes no such array"),
        ({"attributes": {"a": 1j}}, "JSON"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(tmp_path, options, says):
    with pytest.raises(ZarrError, match=says):
        to_zarr(zeros((3, 3), dtype="i"), tmp_path / "a", **options)
    assert not list(tmp_path.iterdir())


TYPES = [*map(np.dtype, "?" + np.typecodes["AllInteger"] + "efdFD"), *map(np.dtype, ["M8[25s]", "m8[ns]"])]


@pytest.mark.parametrize(
    "layout", [LayoutRight(), LayoutTiled(2, 3), LayoutTiled(4, 6, inner=LayoutTiled(2, 3))], ids=str
)
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.char)
def test_all_types_of_numbers_become_arrays_and_come_back(tmp_path, kind, order, layout):
    values = numbers((7, 5), kind.newbyteorder(order))
    np.save(tmp_path / "rows.npy", values)
    md.relayout_file(tmp_path / "rows.npy", tmp_path / "tiles.npy", layout)
    views = [md.asview(values), md.relayout(md.asview(values), layout), md.open_view(tmp_path / "tiles.npy")]
    for k, (view, options) in enumerate(zip(views, [{"compressors": "auto"}, {}, {"shards": None}], strict=True)):
        to_zarr(view, tmp_path / str(k), **options)
        array = zarr.open_array(tmp_path / str(k), mode="r")
        assert (array.dtype.str[1:], array[...].tolist()) == (values.dtype.str[1:], values.tolist())
        for found in (from_zarr(tmp_path / str(k)), from_zarr(array, copy=True)):
            assert (found.dtype.str[1:], np.asarray(found).tolist()) == (values.dtype.str[1:], values.tolist())


FORMATS = [f"{order}{kind}" for order in ["", *"@=<>!"] for kind in [*"?bBhHiIlLqQefd", "Zf", "Zd"]]


@pytest.mark.parametrize("item_format", [*FORMATS, "n", "N"])
def test_a_format_of_struct_is_a_type_of_zarr(tmp_path, item_format):
    view = zeros((3,), LayoutTiled(2), item_format)
    view[...] = [0, 1, 1]
    to_zarr(view, tmp_path / "a")
    assert read_by_zarr(tmp_path / "a") == from_zarr(tmp_path / "a").tolist() == [0, 1, 1]
    assert from_zarr(tmp_path / "a").dtype == view.dtype


def test_what_zarr_has_no_type_for_is_refused(tmp_path):
    arrays = [np.zeros(2, kind) for kind in ("i4,f8", "S3", "g", "G")]
    for view in (md.MDView([1, "a"], (2,)), zeros((2,), dtype="c"), *map(md.asview, arrays)):
        with pytest.raises(ZarrError, match=r"no type for elements of (type|format) .*relayout"):
            to_zarr(view, tmp_path / "a")
