"""Random types of extents, mappings and slices, and random values of them, in the encoding of `data/cpp/SCHEMA.md`.

Types are drawn first and get many values each: a type costs compile time, a value does not.
"""

from random import Random
from typing import Any, Final

Description = dict[str, Any]

INDEX_TYPES: Final = ("int8", "int16", "int32", "int64", "uint8", "uint32", "uint64")
SIGNED: Final = ("int16", "int32", "int64")
RANKS: Final = (0, 1, 1, 2, 2, 2, 3, 3, 4)
LARGEST: Final = (0, 9, 6, 4, 3)
"""Largest extent by rank: every offset stays below 127, for the sake of 8-bit index types."""
MOST_8_BIT: Final = 127
PADDED: Final = ("left_padded", "right_padded")


def extent(rng: Random, rank: int) -> int:
    """One extent, now and then 0 or 1."""
    return rng.choice((0, 1)) if rng.random() < 0.15 else rng.randint(1, LARGEST[rank])


def pattern(rng: Random, rank: int) -> list[int | None]:
    """Static extents and None."""
    share = rng.choice((0, 0, 0.4, 0.7, 1))
    return [extent(rng, rank) if rng.random() < share else None for _ in range(rank)]


def filled(rng: Random, static: list[int | None]) -> list[int]:
    """Extents of a pattern."""
    return [extent(rng, len(static)) if s is None else s for s in static]


def extents_type(rng: Random, rank: int | None = None) -> Description:
    """Type of extents."""
    rank = rng.choice(RANKS) if rank is None else rank
    return {"static": pattern(rng, rank), "index": rng.choice(INDEX_TYPES)}


def related_extents_type(rng: Random, other: Description) -> Description:
    """Type of extents to which some values of the other one convert: parts become dynamic, or static."""
    values = filled(rng, other["static"])
    static = [rng.choice((s, None, v)) for s, v in zip(other["static"], values, strict=True)]
    return {**other, "static": static, "index": rng.choice((other["index"], "int32", "int64"))}


def common_values(rng: Random, a: Description, b: Description) -> list[int]:
    """Extents that belong to both types."""
    both = zip(a["static"], b["static"], strict=True)
    return filled(rng, [s if t is None else t for s, t in both])


def mapping_type(rng: Random, layouts: tuple[str, ...], rank: int | None = None) -> Description:
    """Type of a mapping."""
    layout = rng.choice(layouts)
    description = {**extents_type(rng, rank), "layout": layout}
    if layout == "stride_relaxed":
        description["index"] = rng.choice(SIGNED)
    if layout in PADDED:
        description |= {"index": "int32", "padding": rng.choice((None, 1, 2, 4))}
    return description


def mapping(rng: Random, of: Description, extents: list[int] | None = None) -> Description:
    """Return a mapping of a type."""
    values = filled(rng, of["static"]) if extents is None else extents
    if of["layout"] == "stride":
        return {**of, "extents": values, "strides": strides(rng, values)}
    if of["layout"] == "stride_relaxed":
        return {**of, "extents": values, **relaxed(rng, values, of.get("static_strides"))}
    if of["layout"] in PADDED and of["padding"] is None:
        return {**of, "extents": values, "in_padding": rng.randint(1, 5)}
    return {**of, "extents": values}


def strides(rng: Random, extents: list[int]) -> list[int]:
    """Positive strides in any order of the dimensions, with gaps where the offsets stay small.

    A stride exceeds the reach of the smaller ones; now and then by 1 only, as in (4, 3) over (5, 2), which slicing
    gives.
    """
    result = [1] * len(extents)
    gaps, close = rng.choice((0, 0, 1, 2)), rng.random() < 0.2
    step, reach = rng.choice((1, 1, 1, 2)), 0
    for r in rng.sample(range(len(extents)), len(extents)):
        result[r] = step
        reach += step * max(extents[r] - 1, 0)
        step = (reach + 1 if close else step * max(extents[r], 1)) + rng.randint(0, gaps)
    return result if step < MOST_8_BIT else dense(extents, rng.choice(("left", "right")))


def dense(extents: list[int], layout: str) -> list[int]:
    """Strides of left or right."""
    result, step = [0] * len(extents), 1
    for r in range(len(extents)) if layout == "left" else reversed(range(len(extents))):
        result[r] = step
        step *= extents[r]
    return result


def relaxed(rng: Random, extents: list[int], static: list[int | None] | None = None) -> Description:
    """Strides of any sign and an offset that covers the negative ones."""
    given: list[int | None] = static or [None] * len(extents)
    steps = [rng.randint(-6, 6) if s is None else s for s in given]
    reach = sum(-s * max(e - 1, 0) for e, s in zip(extents, steps, strict=True) if s < 0)
    return {"strides": steps, "offset": reach + rng.choice((0, 0, 1, 3))}


def slices_type(rng: Random, rank: int, *, strided: bool = True) -> list[Description]:
    """Kinds of slices, with the numbers of those that are constants."""
    usual = rng.choice(("firr", "ffffr", "ffir", "irs", "firs"))
    usual = usual if strided else usual.replace("s", "r")
    return [_slice_type(rng, rng.choice(usual)) for _ in range(rank)]


def _slice_type(rng: Random, kind: str) -> Description:
    if kind == "i":
        return {"k": "i", "s": 1, "v": rng.randint(0, 1)} if rng.random() < 0.3 else {"k": "i"}
    if kind == "r":
        begin = rng.randint(0, 1)
        fixed = rng.choice(((), (), (), ("b",), ("e",), ("b", "e")))
        return {
            "k": "r",
            **{f"s{key}": 1 for key in fixed},
            **({"b": begin} if "b" in fixed else {}),
            **({"e": begin + rng.randint(0, 2)} if "e" in fixed else {}),
        }
    return {"k": kind}


def least_extent(s: Description) -> int:
    """Smallest extent that a slice of this kind can be taken of."""
    if s["k"] == "i":
        return int(s.get("v", 0)) + 1
    return max(s.get("b", 0), s.get("e", 0)) if s["k"] == "r" else 0


def sliceable(rng: Random, of: Description, slices: list[Description]) -> list[int]:
    """Extents of a pattern that are long enough for the slices."""
    return [
        v if s is not None else max(v, least_extent(kind))
        for v, s, kind in zip(filled(rng, of["static"]), of["static"], slices, strict=True)
    ]


def slice_value(rng: Random, kind: Description, extent: int) -> Description:
    """Return a slice of a kind, within an extent."""
    if kind["k"] == "i":
        return {"v": rng.randrange(extent), **kind}
    if kind["k"] == "r":
        begin = kind.get("b", rng.randint(0, kind.get("e", extent)))
        return {**kind, "b": begin, "e": kind.get("e", rng.randint(begin, extent))}
    if kind["k"] == "s":
        offset = rng.randint(0, extent)
        return {**kind, "o": offset, "e": rng.randint(0, extent - offset), "t": rng.randint(1, 4)}
    return kind
