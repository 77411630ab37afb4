"""Deep and long texts, and metadata, take time and memory in proportion, or a limit that has a name refuses them."""

import json
import os
import struct

import pytest
from isolation import in_child

import mdview as md
from mdview import errors
from mdview.interop import cpp

N = 10**5
UNITS = (
    *(" transposed() flip(0)", " [::-1] permute_dims((1, 0)) [:, ::-1]"),
    *(" sliding_window((1, 1)) squeeze((2, 3))", " expand_dims(0) flip() [0] swapaxes(0, 1)"),
)
NESTED = " reshape((8, 3)) permute_dims((1, 0)) reshape((6, 4)) [:, ::-1]"


def within(work, seconds=12):
    """Return what a child makes of it; of an error, the message, once it is one of ours."""
    found = in_child(work, seconds=seconds, megabytes=300)
    if isinstance(found, tuple) and isinstance(getattr(errors, str(found[0]), None), type):
        return found[1]
    return found


@pytest.mark.parametrize("base", ["tiled(4, 4) (12, 12)", "morton (16, 16)", "tiled(2, 3) (6, 6)", "right (5, 5)"])
@pytest.mark.parametrize("unit", UNITS)
def test_steps_without_end_are_read_and_written(base, unit, tmp_path):
    def there_and_back(count):
        mapping = md.parse(base + unit * count)
        return md.parse(md.format(mapping)) == mapping and repr(mapping) != ""

    def opened(count):
        text = base + unit * (9000 // len(unit))
        said = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({count},), }} # mdview: {text}\n".encode()
        (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\2\0" + struct.pack("<I", len(said)) + said + bytes(count))
        with md.open_view(tmp_path / "a.npy") as view:
            return view.tolist() is not None and repr(view) != ""

    assert within(lambda: there_and_back(28)) is True
    assert within(lambda: there_and_back(400)) is True
    mapping = md.parse(base)
    assert within(lambda: opened(mapping.layout.allocation_size(mapping.extents))) is True


def test_layouts_within_each_other_are_bounded_and_have_a_text():
    def text(count):
        mapping = md.Mapping((6, 4), md.LayoutTiled(2, 2))
        for _ in range(count):
            mapping = md.reshape(md.permute_dims(md.reshape(mapping, (8, 3)), (1, 0)), (6, 4))
        return repr(mapping)

    deepest = md.parse("tiled(2, 2) (6, 4)" + NESTED * 28)
    assert within(lambda: md.parse(md.format(deepest)) == deepest) is True
    assert "(...)" not in within(lambda: text(20))
    assert within(lambda: text(250)).startswith("Mapping((6, 4), LayoutComposed(")


LIMITED = (
    ("60", lambda: md.parse("tiled(2, 2) (6, 4)" + NESTED * 400)),
    ("30000", lambda: md.parse(f"tiled({'1, ' * 1250}) ({'1, ' * 1250})" + " [:]" * 1200)),
    ("30000", lambda: md.parse("right (3, 3)" + " [:]" * N)),
    ("the end", lambda: cpp.mapping_from_cpp("std::" * N, 3)),
    ("name", lambda: cpp.mapping_from_cpp("a<b>::" * (N // 4), 3)),
    ("a name is expected", lambda: cpp.mapping_from_cpp("std::mdspan<int, std::dims<" + "-" * N, 3)),
    ("a name is expected", lambda: cpp.mapping_from_cpp("std::mdspan<int, std::dims<" + "(int)" * N, 3)),
    ("from 0 to 64", lambda: cpp.mapping_from_cpp(f"std::mdspan<int, std::dims<{'9' * 5000}>>", 3)),
    ("2147483647", lambda: cpp.mapping_from_cpp(f"std::mdspan<int, std::extents<int, 0x{'f' * 5000}>>")),
    (
        "18446744073709551615",
        lambda: cpp.mapping_from_cpp(f"std::mdspan<int, std::dims<2>, std::layout_left_padded<{'8' * 9999}>>", 3, 3),
    ),
)


def test_a_limit_has_a_name_and_shows_its_number():
    for value, work in LIMITED:
        assert value in within(work)


def test_metadata_of_zarr_that_makes_no_sense_is_refused(tmp_path):
    about = {"zarr_format": 2, "dtype": "<f8", "order": "C", "compressor": None, "filters": None, "fill_value": 0}
    for rank in (65, 40_000):
        (tmp_path / ".zarray").write_text(json.dumps({**about, "shape": [4] * rank, "chunks": [4] * rank}))
        assert f"{rank} dimensions" in within(lambda: md.from_zarr(tmp_path, copy=False))
    (tmp_path / ".zarray").unlink()
    grid = {"name": "regular", "configuration": {"chunk_shape": [4]}}
    about = {"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "int8", "chunk_grid": grid}
    for configuration in (3, []):
        codecs = [{"name": "bytes", "configuration": configuration}]
        whole = about | {"chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": codecs}
        (tmp_path / "zarr.json").write_text(json.dumps(whole))
        with pytest.raises(errors.ZarrError):
            md.from_zarr(tmp_path)
    for name in (".zarray", "zarr.json"):
        (tmp_path / "zarr.json").unlink(missing_ok=True)
        with (tmp_path / name).open("wb") as file:
            file.truncate(2 << 30)
        assert "16777216" in within(lambda: md.from_zarr(tmp_path, copy=False))
    (tmp_path / ".zarray").unlink()
    assert isinstance(within(lambda: md.to_zarr(md.zeros((3,)), tmp_path, overwrite=True)), str)


def test_what_is_no_path_is_refused():
    for path in ("a\0b", "\ud800", b"a\0b"):
        for use in (
            md.open_view,
            lambda path: md.save(md.zeros((3,)), path),
            lambda path: md.from_zarr(os.fsdecode(path)),
            lambda path: md.to_zarr(md.zeros((3,)), path),
            lambda path: md.relayout_file(path, "b.npy", "left"),
            lambda path: md.relayout_file("a.npy", path, "left"),
        ):
            with pytest.raises(errors.FileFormatError):
                use(path)
