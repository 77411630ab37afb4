"""Functions that the tables of formats call: blocks, choices and strides, and the notation of computed formats.

Computed formats are those that arithmetic in a table cannot express: oneDNN's tags, XLA's and CuTe's layouts, GGML
blocks. Each of their functions returns a string in the notation of layouts, which `mdview.parse` reads.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from math import prod
from typing import Any, Final

from mdview.algebra import from_cute
from mdview.errors import ExtentsError, LayoutError
from mdview.mappings.notation.formatter import format as text_of
from mdview.memory.data_types import read_dtype

Blocks = list[tuple[int, int]]
"""The blocks of a tag, from slow to fast: pairs of a size and the dimension that is blocked."""

_TAG: Final = re.compile(r"([a-zA-Z]+)((?:[1-9]\d*[a-z])*)")
_NAMED: Final = "nc ncw nchw ncdhw oi oiw oihw oidhw goi goiw goihw goidhw tnc ldnc ldigo ldio ldgo"
_LOGICAL: Final = {frozenset(x): x for x in (*_NAMED.split(), *["abcdefghijkl"[:n] for n in range(1, 13)])}
"""The letters of the dimensions in their logical order, by the set of letters in a tag."""

GGML: Final[dict[str, dict[str, Any]]] = tomllib.loads(files("mdview.formats").joinpath("ggml.toml").read_text("utf-8"))
"""The blocks of each GGML type: numbers of elements and bytes, and the parts. ``Any`` stands for values in TOML."""


def blocks(extent: int, block: int, what: str) -> int:
    """Return the number of blocks in an extent; ``what`` names the extent in the error.

    Raises
    ------
    ExtentsError
        The extent is not a multiple of ``block``.
    """
    if extent % block:
        raise ExtentsError(
            f"{what} come in blocks of {block}, got {extent}; the next multiple is {up(extent, block) * block}"
        )
    return extent // block


def up(extent: int, block: int) -> int:
    """Return the number of blocks in an extent; a partial last block counts."""
    return -(-extent // block)


def place(value: object, choices: Sequence[object], what: str) -> int:
    """Return the position of a value in a list of choices; ``what`` names the value in the error.

    Raises
    ------
    LayoutError
        The value is not in the list.
    """
    if value not in choices:
        raise LayoutError(f"{what} is one of {', '.join(map(repr, choices))}, got {value!r}")
    return choices.index(value)


def steps(extents: Sequence[int], step: int = 1) -> tuple[int, ...]:
    """Return the strides of an array in C order whose elements are ``step`` items apart.

    >>> steps((2, 3, 4), 5)
    (60, 20, 5)
    """
    return tuple([step * prod(extents[r + 1 :]) for r in range(len(extents))])


def listed(numbers: Sequence[int]) -> str:
    """Return numbers as the text of arguments: ``2, 3``."""
    return ", ".join(map(str, numbers))


def cut(extents: Sequence[int]) -> str:
    """Return the text of slices that keep the first ``extent`` indices of each dimension.

    >>> cut((5, 7))
    ':5, :7'
    """
    return ", ".join([f":{extent}" for extent in extents])


def read_tag(tag: str) -> tuple[list[int], Blocks] | None:
    """Return the dimensions of a oneDNN tag from slow to fast, and its blocks; None if ``tag`` is not a tag.

    >>> read_tag("OIhw4i16o4i")
    ([0, 1, 2, 3], [(4, 1), (16, 0), (4, 1)])
    """
    match = _TAG.fullmatch(tag)
    outer, inner = (match[1], re.findall(r"(\d+)([a-z])", match[2])) if match else ("", [])
    logical = _LOGICAL.get(frozenset(outer.lower()), "")
    if not outer or len(logical) != len(outer) or {x for _, x in inner} != {x.lower() for x in outer if x.isupper()}:
        return None
    return [logical.index(x) for x in outer.lower()], [(int(size), logical.index(x)) for size, x in inner]


def onednn_tag(shape: tuple[int, ...], tag: str) -> str:
    """Return the notation of a oneDNN tag: tiles of the dimensions from slow to fast, permuted to the logical order."""
    order, inner = read_tag(tag) or ([], [])
    if len(order) != len(shape):
        raise LayoutError(
            f"tag {tag!r} has {len(order) or 'no'} dimensions, extents {shape} are of rank {len(shape)}; tags are like "
            "nhwc, aBcd16b or OIhw16i16o, with blocked dimensions in upper case"
        )
    layout = _tiles([(size, order.index(axis)) for size, axis in inner], len(order), "") if inner else "right"
    return f"{layout} {tuple([shape[axis] for axis in order])}{_moved(order)}"


def _moved(order: list[int]) -> str:
    """Return the notation that permutes dimensions from ``order`` to ascending order; empty if they are ascending."""
    return "" if order == sorted(order) else f" permute_dims({tuple(map(order.index, range(len(order))))})"


def _tiles(inner: Blocks, rank: int, outer: str) -> str:
    """Return the notation of the tiles that blocks, listed from slow to fast, form; ``outer`` is the order of tiles.

    The leading blocks of distinct dimensions determine the order within a tile: C order if the dimensions ascend, else
    Fortran order. Blocks after them form tiles within the tile.
    """
    axes = [axis for _, axis in inner]
    first = next((k for k, axis in enumerate(axes) if axis in axes[:k]), len(axes))
    order = "left" if first > 1 and axes[:first] == sorted(axes[:first], reverse=True) else ""
    if not order and axes[:first] != sorted(axes[:first]):
        raise LayoutError("three or more blocks of different dimensions lie in their order, or in reverse")
    within = _tiles(inner[first:], rank, order) if inner[first:] else order
    sizes = listed([prod([size for size, axis in inner if axis == r]) for r in range(rank)])
    return f"tiled({sizes}{outer and f', outer={outer}'}{within and f', inner={within}'})"


def xla_layout(shape: tuple[int, ...], layout: str) -> str:
    """Return the notation of a layout of XLA, which lists dimensions from fast to slow and tiles the fastest ones."""
    match = re.fullmatch(r"\{([\d,]*)(?::T((?:\([\d,]+\))+))?\}", layout.replace(" ", ""))
    order = [int(n) for n in match[1].split(",") if n][::-1] if match else []
    tiles = [tile.split(",") for tile in re.findall(r"\(([\d,]+)\)", (match and match[2]) or "")]
    if sorted(order) != [*range(len(shape))] or any(
        len(tile) != len(tiles[0]) or len(tile) > len(shape) for tile in tiles
    ):
        raise LayoutError(
            f"a layout of XLA of rank {len(shape)} is like {{1,0:T(8,128)(2,1)}}, and all its tiles have one number of "
            f"dimensions here, got {layout!r}"
        )
    text = ""
    for tile in tiles[::-1]:
        sizes = listed(["1"] * (len(shape) - len(tile)) + tile)
        text = f"tiled({sizes}, inner={text})" if text else f"tiled({sizes})"
    return f"{text or 'right'} {tuple([shape[r] for r in order])}{_moved(order)}"


def cute_layout(shape: tuple[int, ...], layout: str) -> str:
    """Return the text of a mapping whose layout is given in CuTe's notation; check that its extents are ``shape``."""
    mapping = from_cute(layout)
    if tuple(mapping.extents) != shape:
        raise LayoutError(f"layout {layout} has extents {tuple(mapping.extents)}, got {shape}")
    return text_of(mapping)


def ggml_part(shape: tuple[int, ...], kind: str, part: str) -> str:
    """Return the notation of one part (such as codes or scales) of a tensor with the GGML type ``kind``."""
    place(kind, [*GGML], "a type of GGML that is described")
    row = GGML[kind]
    place(part, [*row["parts"]], f"a part of {kind}")
    about = row["parts"][part]
    per_block = 8 * row["bytes"] // read_dtype(about["items"]).bits
    count = blocks(shape[-1], row["elements"], f"elements of a row of {kind}")
    modes = (*shape[:-1], (*about["digits"], count))
    digits = (*steps(shape[:-1], count * per_block), (*about["steps"], per_block))
    return f"nested({modes}, {digits}, origin={about['first']}) {shape}"
