"""Texts of others: headers of files and metadata of zarr. None of them loads a module."""

import atexit
import contextlib
import io
import json
import shutil
import struct
import sys
import tempfile
from copy import deepcopy
from pathlib import Path

import numpy as np
from outcomes import Wrong

import mdview as md
from mdview.cli import main

UNLOADED = ("antigravity", "this", "numpy.f2py", "turtledemo.clock", "xmlrpc.server")
"""Modules that a text may name, and that are there to be loaded."""
FOLDER = Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
LAYOUTS = (
    *("right", "left", "morton", "tiled(2, 2)", "tiled(4, 4, outer=left)", "left_padded(8)", "right_padded(0x10)"),
    *("stride((4, 1))", "relaxed((-4, 1), offset=12)", "swizzled(right, 2, 1, 3)", "transpose(tiled(2, 3))", "packed"),
    *("composed(tiled(2, 2), (4, 4), transform((3, 0), (-1, 1), (0, 1)))", "tiled(2, 2, inner=tiled(1, 2))"),
)
EXTENTS = ("(4, 4)", "(4, 6)", "(10, 12)", "(16,)", "()", "(0, 4)", f"({'1, ' * 70})", f"({'1, ' * 900})")
STEPS = (
    *("transposed()", "flip(0)", "[1:]", "[::-1, None]", "[..., 0]", "reshape((-1,))", "reshape((2, -1))", "pad(1)"),
    *(
        "sliding_window((2, 2))",
        "permute_dims((1, 0))",
        "expand_dims(0)",
        "squeeze()",
        "diagonal()",
        "ravel(order='F')",
    ),
    *("broadcast_to((2, 4, 4))", "swapaxes(0, -1)", "shrink(((0, 1), (0, 2)))", "[dim(1):dim(3)]", "evil.mod:X(3)"),
)
MARKS = (
    *"()[],:.=-'\"\\#\n\0 {}É٣²",
    *("9" * 5000, "0x" + "f" * 5000, "1e999", "b'", "dim(2)", "complex(1, 2)", "None", "|O", "V0", "[" * 5000),
)
VALUES = (
    *(0, 1, 2, 4, -1, 2**31, 2**62, 2**70, 1.5, None, "4", [], {}, True, [4, 4], [[4, 4]], {"name": "bytes"}),
    *("bytes", "zstd", "float64", "<f8", "C", "array", "group", "c", "/"),
)


def texts(pick):
    """One text of any kind: what it says, or a named error; and no module has been loaded because it is named."""
    try:
        pick.choice((_header, _header, _folder))(pick)
    finally:
        if not sys.modules.keys().isdisjoint(UNLOADED):
            raise Wrong(f"a text has loaded {sys.modules.keys() & {*UNLOADED}}")


def _changed(pick, content, marks):
    """Change a text or bytes in a place or two."""
    for _ in range(pick.choice((0, 1, 1, 2))):
        place = pick.randrange(min(len(content), 400) + 1)
        content = content[:place] + pick.choice(marks) + content[place + pick.randrange(4) :]
    return content


def _name(pick):
    """Name a class of a module, as the grammar allows or nearly so."""
    module = pick.choice((*UNLOADED, "sys", "os.path", "samples", "numpy", "mdview", "É.n", "_private", "__main__"))
    name = pick.choice(("Layout", "X", "f2py.X", "LayoutTiled", "__class__", "modules", "LayoutLooping", "É"))
    return f"{module}{pick.choice((':', ' : ', ':', '::'))}{name}{pick.choice(('', '()', '(2, 2)', ' (3)'))}"


def _mapping(pick):
    """Write a layout, extents and steps, of which now and then something is wrong, or very many."""
    layout = pick.choice(LAYOUTS) if pick.randrange(3) else _name(pick)
    if pick.randrange(4) == 0:
        outer = pick.choice(("transpose", "tiled", "swizzled", _name(pick)))
        layout = f"{outer}({pick.choice(('', 'inner='))}{layout}, 2)"
    steps = [pick.choice(STEPS) for _ in range(pick.choice((0, 0, 1, 2, 5)))] * pick.choice((1, 1, 1, 1, 30, 400))
    return _changed(pick, " ".join([layout, pick.choice(EXTENTS), *steps]), MARKS)[:9000]


def _valid_files():
    for whole in (np.zeros((2, 3)), np.zeros((3, 2), order="F"), np.zeros((), "c16"), np.zeros(4, "i2, f4")):
        file = io.BytesIO()
        np.save(file, whole)
        yield file.getvalue()
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, a=np.zeros((20, 20)), b=np.zeros(3))
        yield file.getvalue()


FILES = (*_valid_files(),)
BYTES = (*[mark.encode() for mark in MARKS], b"\xff", b"<f8", bytes(9))


def _header(pick):
    """A file of others, or one of ours with any mapping: described, and opened without elements beyond its bytes."""
    shape = pick.choice(("(16,)", "(24,)", "(120,)", "(1,)", "(4, 4)", "(0,)"))
    said = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }} # mdview: {_mapping(pick)}\n".encode()
    ours = b"\x93NUMPY\3\0" + struct.pack("<I", len(said)) + said + bytes(1000)
    content = pick.choice((ours, _changed(pick, pick.choice(FILES), BYTES)))
    path = FOLDER / "a.npy"
    path.write_bytes(content)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if main(["info", str(path)]) not in {0, 1, 2}:
            raise Wrong("the command ends otherwise")
    with md.open_view(path) as view:
        if view.itemsize and view.mapping.required_span_size * view.itemsize > len(content):
            raise Wrong(f"more is described than there is: {view!r}")
        if 0 < view.size < 400:
            view.tolist()


def _folder(pick):
    """An array of zarr whose metadata, index of a shard, or chunk is not right."""
    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}]
    grid = {"name": "regular", "configuration": {"chunk_shape": [4, 4]}}
    third = {"zarr_format": 3, "node_type": "array", "shape": [4, 4], "data_type": "float64", "chunk_grid": grid}
    third |= {"chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": codecs}
    if pick.randrange(2):
        sharding = {"chunk_shape": [2, 2], "codecs": codecs, "index_codecs": codecs}
        third["codecs"] = [{"name": "sharding_indexed", "configuration": sharding}]
    second = {"zarr_format": 2, "shape": [4, 4], "chunks": [4, 4], "dtype": "<f8", "order": "C", "compressor": None}
    given = deepcopy(pick.choice((third, third, second)))
    for _ in range(pick.choice((0, 1, 1, 2))):
        _spoilt(pick, given)
    text = _changed(pick, json.dumps(given), MARKS) if pick.randrange(6) == 0 else json.dumps(given)
    is_third = "node_type" in given or "codecs" in given
    for name in ("zarr.json", ".zarray"):
        (FOLDER / name).unlink(missing_ok=True)
    (FOLDER / ("zarr.json" if is_third else ".zarray")).write_text(text, encoding="utf-8")
    (FOLDER / "c/0").mkdir(parents=True, exist_ok=True)
    index = [pick.choice((32 * (k // 2), 32, 0, 2**63, 2**64 - 1, 7)) if k % 2 == 0 else 32 for k in range(8)]
    shard = bytes(128) + (struct.pack("<8Q", *index) if is_third else b"")
    for chunk in (FOLDER / "c/0/0", FOLDER / "0.0"):
        chunk.write_bytes(shard[: pick.choice((None, None, 128, 100))])
    with md.from_zarr(FOLDER, copy=False) as view:
        if view.size < 400:
            view.tolist()


def _spoilt(pick, given):
    """Change one entry, somewhere."""
    key = pick.choice([*(range(len(given)) if isinstance(given, list) else given)] or [None])
    if key is None:
        return
    if isinstance(given[key], dict | list) and pick.randrange(3):
        _spoilt(pick, given[key])
    elif isinstance(given[key], list) and pick.randrange(2):
        given[key] = given[key] * pick.choice((0, 2, 20, 3000))
    else:
        given[key] = deepcopy(pick.choice(VALUES))
