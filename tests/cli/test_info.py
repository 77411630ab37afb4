"""`mdview info`: what it says of files: facts, or one line of error, and no more memory than they justify."""

import io
import json
import os
import re
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from command_runs import python

from mdview import asview, save, to_zarr


def npy(array, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asanyarray(array), **options)
    return file.getvalue()


def header(text, version=(1, 0)):
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version == (1, 0) else "<I", len(text)) + text.encode()


def said(shape, descr="'<f8'", *, order=False):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}"


EYE = npy(np.eye(3))


def test_an_array_is_described(info, run):
    assert info(npy(np.zeros((3, 4)))) == {
        "shape": "(3, 4)",
        "format": "float64 (8 bytes)",
        "layout": "LayoutRight()",
        "strides": "(4, 1)",
        "span": "12 elements",
        "contiguous": "C",
        "unique": "yes",
        "exhaustive": "yes",
        "size": "12 elements, 96 bytes",
    }
    facts = info(npy(np.zeros((3, 4), "f", order="F")))
    assert (facts["layout"], facts["strides"], facts["contiguous"]) == ("LayoutLeft()", "(1, 3)", "Fortran")
    for shape, span in (((), "1 element"), ((0, 3), "0 elements")):
        facts = info(npy(np.zeros(shape)))
        assert (facts["shape"], facts["span"], facts["contiguous"]) == (str(shape), span, "C and Fortran")
    for version in ((1, 0), (2, 0), (3, 0)):
        info(npy(np.zeros(3), version=version))
    info(header(said("(2,)").ljust(10000)) + bytes(16))
    save(asview(np.zeros((5, 7))), "tiles.npy", "tiled(2, 3)")
    output = run("info", "tiles.npy")[1]
    assert "LayoutTiled(2, 3, outer=LayoutRight(), inner=LayoutRight())" in output
    assert "35 elements, 280 bytes" in output


FORMATS = {
    "<f8": "float64 (8 bytes)",
    ">f8": ">f8 (8 bytes)",
    "u1": "uint8 (1 byte)",
    "f2": "float16 (2 bytes)",
    "c16": "complex128 (16 bytes)",
    "?": "bool (1 byte)",
    "f4, >i2": "[('f0', 'float32'), ('f1', '>i2')] (6 bytes)",
    "<U3": "<U3 (12 bytes)",
    "<M8[ns]": "datetime64[ns] (8 bytes)",
}
RAW = {"d": "float64", ">i": ">i4", "e": "float16", "Zf": "complex64", ">Zd": ">c16", "c": "S1", "S5": "|S5"}
RAW |= {name: name for name in ("float64", "int8", ">i4", "bool", "complex128", "datetime64[ns]")}
RAW |= {"f8, i1": "[('f0', 'float64'), ('f1', 'int8')]", "[('x', '<f4')]": "[('x', 'float32')]"}


@pytest.mark.parametrize(("dtype", "expected"), FORMATS.items())
def test_formats_of_headers(info, dtype, expected):
    kind = np.dtype(dtype)
    content = header(said("(2,)", repr(np.lib.format.dtype_to_descr(kind)))) + bytes(2 * kind.itemsize)
    assert info(content)["format"] == expected


@pytest.mark.parametrize(("text", "expected"), RAW.items())
def test_formats_of_raw_bytes(info, text, expected):
    assert info(bytes(64), "--mapping", "right (2, 2)", "--dtype", text)["format"].startswith(f"{expected} (")


def test_raw_bytes(info):
    facts = info(bytes(100), "--mapping", "left (3, 4)", "--dtype", "d", "--offset", "3")
    assert (facts["shape"], facts["layout"], facts["strides"]) == ("(3, 4)", "LayoutLeft()", "(1, 3)")
    assert info(bytes(8), "--dtype", "d")["shape"] == "(1,)"
    assert info(EYE, "--dtype", "B", "--offset", "1")["format"] == "uint8 (1 byte)"
    assert info(bytes(136 * 8), "--mapping", "tiled(4, 4) (10, 12)", "--dtype", "f8")["span"] == "136 elements"


def test_several_files(run):
    for name in ("a.npy", "-x.npy", "b.npy"):
        Path(name).write_bytes(EYE)
    status, both, error = run("info", "a.npy", "b.npy")
    assert (status, error) == (0, "")
    status, output, error = run("info", "a.npy", "none.npy", ".", "b.npy", "nul\0")
    assert (status, output) == (2, both)
    for line, name in zip(error.splitlines(), ["none.npy: ", "'.' ", r"nul\x00"], strict=True):
        assert name in line
    assert run("info", "--", "-x.npy")[0] == 0


def test_facts_are_an_object_of_json_for_each_array(run):
    for name in ("a.npy", "b\n.npy"):
        Path(name).write_bytes(EYE)
    status, output, _ = run("info", "--json", "a.npy", "none.npy", "b\n.npy")
    facts = [json.loads(line) for line in output.splitlines()]
    assert (status, [each["file"] for each in facts]) == (2, ["a.npy", "b\n.npy"])
    assert {(each["shape"], each["layout"], each["strides"]) for each in facts} == {
        ("(3, 3)", "LayoutRight()", "(3, 1)")
    }


OBJECTS = npy(np.array([1, None], object))
SENSELESS = {
    b"": "empty",
    b"hello": "raw bytes",
    b"\x93NUMPY\x09\x00" + bytes(100): "9.0",
    OBJECTS: "pickled",
    b"PK\x03\x04": "archive",
    **{npy(np.zeros((3, 4)))[:kept]: "file" for kept in (6, 7, 8, 9, 10, 11, 40, 127, 128, 129, 128 + 95)},
    **{header(text) + bytes(24): "file" for text in (said("(-3,)"), "(" * 3000, "{'a\\n': \x00}", " " * 20000)},
    header(said("(1000000000, 1000000)")): "truncated",
    header(said("(2,)").ljust(10001), (2, 0)) + bytes(16): "10001 .* 10000",
}


@pytest.mark.parametrize(("content", "values"), SENSELESS.items(), ids=range(len(SENSELESS)))
def test_files_that_make_no_sense_are_one_line(fails, content, values):
    Path("file").write_bytes(content)
    assert re.search(values, fails("info", "file"))


def test_what_is_no_file_is_one_line(fails, monkeypatch):
    os.mkfifo("pipe")
    assert "No such file" in fails("info", "none")
    assert "directory" in fails("info", ".")
    assert "regular file" in fails("info", "pipe")
    Path("file").write_bytes(EYE)

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert "Permission denied" in fails("info", "file")


def test_numbers_are_described_without_numpy(tmp_path):
    (tmp_path / "dates.npy").write_bytes(npy(np.array(["2020-02-02"], "M8[D]")))
    (tmp_path / "eye.npy").write_bytes(EYE)
    code = "import sys; sys.modules['numpy'] = None; from mdview.cli import main; sys.exit(main(sys.argv[1:]))"
    assert python("-c", code, "info", "eye.npy", cwd=tmp_path).returncode == 0
    ran = python("-c", code, "info", "dates.npy", cwd=tmp_path)
    assert (ran.returncode, "NumPy" in ran.stderr, ran.stderr.count("\n")) == (2, True, 1)


HEAVY = {
    "a header of 4 GiB": lambda: b"\x93NUMPY\x03\x00" + struct.pack("<I", (1 << 32) - 1),
    "gaps in records": lambda: header(said("(1,)", "[('a', 'u1'), ('', '|V1000000000'), ('b', 'u1')]")),
    "long texts": lambda: header(said("(1,)", "'<U500000000'")),
    "arrays in a record": lambda: header(said("(1,)", "[('a', '<f8', (200000000,))]")),
}
MEASURED = """
import sys
from pathlib import Path
from mdview.cli import main
main(["info", sys.argv[1]])
(most,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(int(most.split()[1]) // 1024)
"""
"""Prints the most MiB that the process had. (`resource` counts what its parent had, too.)"""


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process had at most")
@pytest.mark.parametrize("content", HEAVY.values(), ids=HEAVY)
def test_no_more_memory_is_taken_than_the_file_justifies(content, tmp_path):
    (tmp_path / "file").write_bytes(content())
    ran = python("-c", MEASURED, tmp_path / "file")
    assert (ran.returncode, len(ran.stderr.splitlines()) <= 1) == (0, True), ran.stderr
    assert int(ran.stdout.splitlines()[-1]) < 150  # MiB: Python and NumPy take 30


def test_folders_of_zarr(run, fails):
    pytest.importorskip("zarr")
    to_zarr(asview(np.arange(30, dtype="<f4").reshape(5, 6)), "tiles", chunks=(2, 3))
    told = run("info", "tiles")[1]
    assert "tiles\n  shape:       (5, 6)\n  format:      float32 (4 bytes)\n  layout:      LayoutTiled(2, 3" in told
    to_zarr(asview(np.arange(30.0).reshape(5, 6)), "many", chunks=(2, 3), shards=None)
    facts = [line.split(maxsplit=1) for line in run("info", "many")[1].splitlines()[1:]]
    assert facts[:3] == [["shape:", "(5, 6)"], ["format:", "float64"], ["chunks:", "(2, 3)"]]
    Path("within").mkdir()
    Path("many").rename("within/many")
    for folder in (".", "within"):
        Path(folder, "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}', encoding="utf-8")
    both = run("info", ".")[1].splitlines()
    assert [line for line in both if not line.startswith(" ")] == ["tiles", "within/many"]
    Path("zarr.json").write_text("{", encoding="utf-8")
    assert "no array of zarr" in fails("info", ".")
