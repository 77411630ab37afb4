"""Metadata: what an array of zarr says of itself in ``zarr.json`` (version 3) or ``.zarray`` (version 2).

It is read without zarr. Nothing in it is taken for granted: what is not understood, or not simply elements in a row, is
left to zarr itself, which `CopyNeededError` says.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, final

from mdview.accessors.formats import known_format
from mdview.base.texts import shown, told
from mdview.base.values import value
from mdview.errors import CopyNeededError, ZarrError
from mdview.index.orders import right_strides

DATA_TYPES: Final = {
    "bool": "?",
    **{
        f"{word}{8 * size}": letter
        for word, own in (("int", "bhiq"), ("uint", "BHIQ"))
        for size, letter in zip((1, 2, 4, 8), own, strict=True)
    },
    "float16": "e",
    "float32": "f",
    "float64": "d",
    "complex64": "Zf",
    "complex128": "Zd",
}
"""Names of version 3, as letters of `struct`."""
KINDS: Final = {"b1": "?", "f2": "e", "f4": "f", "f8": "d", "c8": "Zf", "c16": "Zd"} | {
    f"{kind}{size}": letter
    for kind, own in (("i", "bhiq"), ("u", "BHIQ"))
    for size, letter in zip((1, 2, 4, 8), own, strict=True)
}
"""NumPy's names, which version 2 has, likewise."""
KNOWN: Final = {
    *("zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs"),
    *("attributes", "dimension_names", "storage_transformers"),
}
LARGEST: Final = 1 << 62
"""No array whose elements lie in files is so large."""
NAMED: Final = 8
"""How many arrays of a group an error names."""


@final
@value
class ShardIndex:
    """How a shard keeps the places of its chunks: at its start or its end, with a checksum or without."""

    at_start: bool
    has_crc: bool
    order: str


@final
@value
class Form:
    """What is needed to find an element in the files of an array.

    ``strides`` are those within a chunk. ``shard`` is what a file holds, ``index`` is None where that is one chunk.
    """

    extents: tuple[int, ...]
    chunk: tuple[int, ...]
    shard: tuple[int, ...]
    item_format: str
    itemsize: int
    strides: tuple[int, ...]
    index: ShardIndex | None
    prefix: str
    separator: str

    def key(self, place: Sequence[int]) -> str:
        """Return the name of a file from the array's folder on."""
        return self.separator.join([*([self.prefix] if self.prefix else []), *map(str, place)]) or "0"


def read_form(folder: Path) -> Form:
    """Return the form of an array in a folder.

    Raises
    ------
    ZarrError
        There is no array, or it breaks a rule of its format.
    CopyNeededError
        Only zarr reads it.
    """
    for name, read in (("zarr.json", _third), (".zarray", _second)):
        path = folder / name
        if path.is_file():
            try:
                given = json.loads(path.read_bytes())
                return read(_dict(given), folder)
            except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
                if isinstance(error, ZarrError):
                    raise
                message = f"{str(path)!r} describes no array of zarr: {type(error).__name__}: {shown(error)}"
                raise ZarrError(message) from None
    if (folder / ".zgroup").is_file():
        _refuse_group(folder)
    message = f"{str(folder)!r} is no array of zarr: it has neither zarr.json nor .zarray"
    raise ZarrError(message)


def _third(given: dict[str, Any], folder: Path) -> Form:
    if given.get("node_type") == "group":
        _refuse_group(folder)
    if given["zarr_format"] != 3 or given["node_type"] != "array":  # noqa: PLR2004 - of the format
        message = f"{str(folder)!r} is of format {told(given['zarr_format'])}, and {told(given['node_type'])}"
        raise ZarrError(message)
    if not KNOWN.issuperset(given) or given.get("storage_transformers"):
        raise CopyNeededError("its metadata has extensions")
    grid = _dict(given["chunk_grid"])
    if grid["name"] != "regular":
        raise CopyNeededError(f"its chunks are no regular grid: {told(grid['name'])}")
    extents = _sizes(given["shape"], "the shape")
    shard = _sizes(_dict(grid["configuration"])["chunk_shape"], "the chunk shape", len(extents), 1)
    chunk, codecs, index = _sharding(given["codecs"], shard)
    strides, order = _plain(codecs, chunk)
    letter = DATA_TYPES.get(given["data_type"]) if isinstance(given["data_type"], str) else None
    if letter is None:
        raise CopyNeededError(f"its elements are of type {told(given['data_type'])}")
    return Form(
        extents, chunk, shard, *known_format(order + letter), strides, index, *_keys(given["chunk_key_encoding"])
    )


def _keys(given: Any) -> tuple[str, str]:
    """Return how names of chunks begin, and what is between their numbers. Any: of a file."""
    encoding = _codec(given)
    default = {"default": ("c", "/"), "v2": ("", ".")}.get(encoding["name"])
    if default is None:
        raise CopyNeededError(f"its chunks are named by {told(encoding['name'])}")
    prefix, separator = default
    return prefix, _separator(encoding.get("configuration", {}).get("separator", separator))


def _separator(given: object) -> str:
    if given not in {"/", "."}:
        message = f"the separator in names of chunks is '/' or '.', got {told(given)}"
        raise ZarrError(message)
    return str(given)


def _sharding(given: Any, shard: tuple[int, ...]) -> tuple[tuple[int, ...], list[dict[str, Any]], ShardIndex | None]:
    """Return the shape and the codecs of a chunk, and the index of the shard that holds it. Any: of a file."""
    codecs = [_codec(codec) for codec in given]
    if [codec["name"] for codec in codecs] != ["sharding_indexed"]:
        return shard, codecs, None
    of = _dict(codecs[0]["configuration"])
    chunk = _sizes(of["chunk_shape"], "the shape of the chunks of a shard", len(shard), 1)
    if any(s % c for s, c in zip(shard, chunk, strict=True)):
        message = f"chunks {chunk} do not divide shards {shard}"
        raise ZarrError(message)
    first, *others = [_codec(codec) for codec in of["index_codecs"]]
    names = [codec["name"] for codec in others]
    if first["name"] != "bytes" or names not in ([], ["crc32c"]):
        raise CopyNeededError(f"the index of its shards goes through {told([first['name'], *names])}")
    location = of.get("index_location", "end")
    if location not in {"start", "end"}:
        message = f"the index of a shard is at its start or its end, got {told(location)}"
        raise ZarrError(message)
    index = ShardIndex(location == "start", bool(names), _order(first) or "<")
    return chunk, [_codec(codec) for codec in of["codecs"]], index


def _plain(codecs: list[dict[str, Any]], chunk: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
    """Return the strides within a chunk whose elements are in a row, and the byte order of an element."""
    axes = list(range(len(chunk)))
    if len(codecs) > 1 and codecs[0]["name"] == "transpose":
        found = _dict(codecs[0]["configuration"])["order"]
        axes = [*found] if isinstance(found, list) else axes[::-1] if found == "F" else axes
        if sorted(axes) != list(range(len(chunk))):
            message = f"a transpose of chunks {chunk} to the order {told(found)}"
            raise ZarrError(message)
        codecs = codecs[1:]
    if [codec["name"] for codec in codecs] != ["bytes"]:
        raise CopyNeededError(f"its chunks go through {', '.join(shown(codec['name'], repr) for codec in codecs)}")
    return _strides(chunk, axes), _order(codecs[0])


def _strides(chunk: tuple[int, ...], axes: Sequence[int]) -> tuple[int, ...]:
    stored = right_strides([chunk[axis] for axis in axes])
    return tuple([stored[axes.index(r)] for r in range(len(chunk))])


def _order(codec: dict[str, Any]) -> str:
    """Return the byte order of a codec: < or >, or none where bytes are alone. Any: of a file."""
    endian = codec.get("configuration", {}).get("endian")
    if endian not in {None, "little", "big"}:
        message = f"a byte order is 'little' or 'big', got {told(endian)}"
        raise ZarrError(message)
    return {None: "", "little": "<", "big": ">"}[endian]


def _second(given: dict[str, Any], folder: Path) -> Form:
    if given["zarr_format"] != 2:  # noqa: PLR2004 - of the format
        message = f"{str(folder)!r} is of format {told(given['zarr_format'])}"
        raise ZarrError(message)
    if given["compressor"] is not None or given.get("filters"):
        raise CopyNeededError("its chunks are compressed or filtered")
    extents = _sizes(given["shape"], "the shape")
    chunk = _sizes(given["chunks"], "the chunks", len(extents), 1)
    dtype = given["dtype"]
    letter = KINDS.get(dtype[1:]) if isinstance(dtype, str) and dtype[:1] in {"<", ">", "|"} else None
    if letter is None or given["order"] not in {"C", "F"}:
        raise CopyNeededError(f"its elements are of type {told(dtype)}")
    axes = list(range(len(chunk)))
    strides = _strides(chunk, axes if given["order"] == "C" else axes[::-1])
    separator = _separator(given.get("dimension_separator", "."))
    return Form(extents, chunk, chunk, *known_format(dtype[0].strip("|") + letter), strides, None, "", separator)


def _sizes(given: Any, what: str, rank: int | None = None, least: int = 0) -> tuple[int, ...]:  # Any: of a file
    """Return numbers that are sizes, as many as the rank."""
    if not isinstance(given, list) or not all(type(n) is int and least <= n < LARGEST for n in given):
        message = f"{what} of an array of zarr has integers from {least} on, got {told(given)}"
        raise ZarrError(message)
    if rank is not None and len(given) != rank:
        message = f"{what} {told(given)} of an array of zarr has another rank than its shape, {rank}"
        raise ZarrError(message)
    return tuple(given)


def _codec(given: object) -> dict[str, Any]:
    return {"name": given} if isinstance(given, str) else _dict(given)


def _dict(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        message = f"metadata of zarr has an object where there is {told(given)}"
        raise ZarrError(message)
    return given


def _refuse_group(folder: Path) -> None:
    found = [p.name for p in sorted(folder.iterdir()) if (p / "zarr.json").is_file() or (p / ".zarray").is_file()]
    names = ", ".join(map(repr, found[:NAMED])) + (", ..." if len(found) > NAMED else "")
    message = f"{str(folder)!r} is a group of zarr, no array; open one of those in it: {names or 'there are none'}"
    raise ZarrError(message)
