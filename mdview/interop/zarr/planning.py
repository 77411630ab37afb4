"""Plans: how the elements of a view are cut into chunks and files, and the metadata that tells zarr of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Final

from mdview.accessors.formats import typestr
from mdview.base.integers import as_integer
from mdview.base.texts import shown, told
from mdview.errors import OperandError, ZarrError
from mdview.index.extents import size_of
from mdview.index.orders import right_strides
from mdview.interop.zarr.copying import AnyView
from mdview.interop.zarr.metadata import DATA_TYPES, LARGEST, Form, ShardIndex
from mdview.layouts.tiled import LayoutTiled

NAMES: Final = {letter: name for name, letter in DATA_TYPES.items()}
"""Letters of `struct`, as names of version 3."""
AUTOMATIC: Final = "auto"


def plan(view: AnyView, item_format: str, itemsize: int, chunks: Any, shards: Any, *, at_start: bool) -> Form:
    """Return the form of the array that a view becomes. Any: what a user gave."""
    extents = tuple(map(int, view.extents))
    tile, outer, strides = _tile(view, extents)
    chunk = tile if chunks is None else sizes(chunks, "chunks", len(extents))
    if chunk != tile:
        outer, strides = None, None
    if shards == AUTOMATIC:
        shard = outer or tuple([-(-max(e, 1) // c) * c for e, c in zip(extents, chunk, strict=True)])
    else:
        shard = chunk if shards is None else sizes(shards, "shards", len(extents))
    if any(s % c for s, c in zip(shard, chunk, strict=True)):
        message = f"a shard holds whole chunks: shards {shard} are no multiple of chunks {chunk}"
        raise ZarrError(message)
    index = None if shards is None or shard == chunk else ShardIndex(at_start, has_crc=True, order="<")
    mark = typestr(item_format, itemsize)[0].strip("|")
    order = strides or right_strides(chunk)
    return Form(extents, chunk, shard, mark + item_format.lstrip("<>=@!"), itemsize, order, index, "c", "/")


def _tile(view: AnyView, extents: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...] | None, Any]:
    """Return the tile of a view, what is around it where tiles are in tiles, and its strides where these are dense."""
    layout = view.layout
    outer = None
    if isinstance(layout, LayoutTiled) and isinstance(layout.inner, LayoutTiled):
        inner = layout.inner
        if all(t % n == 0 for t, n in zip(layout.tile, inner.tile, strict=True)):
            outer, layout = tuple(map(int, layout.tile)), inner
    tiling = layout.tiling()
    if tiling is None:
        return tuple([max(e, 1) for e in extents]), None, None
    return tiling.sizes, outer, _dense(tiling.sizes, tiling.strides)


def _dense(chunk: Sequence[int], strides: Sequence[int] | None) -> tuple[int, ...] | None:
    """Return the strides of a transposed chunk, None where no transpose has these."""
    if strides is None:
        return None
    axes = sorted(range(len(chunk)), key=lambda r: (-strides[r], chunk[r] == 1, r))
    step, found = 1, [0] * len(chunk)
    for r in reversed(axes):
        if chunk[r] > 1 and strides[r] != step:
            return None
        found[r], step = step, step * chunk[r]
    return tuple(found)


def sizes(given: Any, what: str, rank: int) -> tuple[int, ...]:  # Any: what a user gave
    """Return one size of 1 or more per dimension."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        message = f"{what} are sizes, one per dimension, got {told(given)}"
        raise OperandError(message)
    found = tuple([int(as_integer(n, "a size")) for n in given])
    if len(found) != rank or min(found, default=1) < 1:
        message = f"{what} are {rank} sizes of 1 or more, got {told(found)}"
        raise ZarrError(message)
    if size_of(found) >= LARGEST:
        message = f"no file holds {shown(size_of(found))} elements: {what} are {told(found)}"
        raise ZarrError(message)
    return found


def metadata(form: Form, fill: Any, attributes: Mapping[str, Any] | None, names: Any) -> bytes:
    """Return ``zarr.json``. Any: a number, and what JSON has."""
    order = form.item_format[:1] if form.item_format[:1] in "<>" else ""
    plain: list[Any] = [_bytes_codec(order)]
    axes = sorted(range(len(form.chunk)), key=lambda r: (-form.strides[r], form.chunk[r] == 1, r))
    if form.strides != right_strides(form.chunk):
        plain.insert(0, {"name": "transpose", "configuration": {"order": axes}})
    codecs = plain if form.index is None else [_sharding(form, form.index, plain)]
    found: dict[str, Any] = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": form.extents,
        "data_type": NAMES[form.item_format.lstrip("<>")],
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": form.shard}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": _fill_text(fill),
        "codecs": codecs,
        "attributes": dict(attributes or {}),
    }
    if names is not None:
        found["dimension_names"] = _names(names, len(form.extents))
    found["storage_transformers"] = []
    try:
        return json.dumps(found, indent=2, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        message = f"attributes of zarr are what JSON has: {error}"
        raise ZarrError(message) from None


def _bytes_codec(order: str) -> dict[str, Any]:
    return {"name": "bytes", "configuration": {"endian": {"<": "little", ">": "big"}[order]} if order else {}}


def _sharding(form: Form, index: ShardIndex, plain: list[Any]) -> dict[str, Any]:
    of = {
        "chunk_shape": form.chunk,
        "codecs": plain,
        "index_codecs": [_bytes_codec(index.order), {"name": "crc32c"}],
        "index_location": "start" if index.at_start else "end",
    }
    return {"name": "sharding_indexed", "configuration": of}


def _names(given: Any, rank: int) -> list[str | None]:  # Any: what a user gave
    found = list(given)
    if isinstance(given, str) or len(found) != rank or not all(n is None or isinstance(n, str) for n in found):
        message = f"dimension_names are {rank} texts, or None for those without one, got {told(given)}"
        raise ZarrError(message)
    return found


def _fill_text(fill: Any) -> Any:  # Any: a number
    """Return a fill value as JSON has it, where there is no word for what is not finite."""
    if isinstance(fill, complex):
        return [_fill_text(fill.real), _fill_text(fill.imag)]
    if isinstance(fill, float) and not isfinite(fill):
        return "NaN" if fill != fill else "Infinity" if fill > 0 else "-Infinity"  # noqa: PLR0124
    return fill
