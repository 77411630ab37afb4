"""Rewriting: slices and operations that may say what a composed mapping is, for people to read.

They are candidates: whoever asks takes the first one that makes the mapping again. An affine transform is brackets, a
diagonal, a permutation, new axes; a mixed-radix step is a reshape, and perhaps windows, behind that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import prod
from typing import Final, TypeAlias

from mdview.index.orders import right_strides
from mdview.index.transforms import IndexTransform, Radix
from mdview.layouts.base import Composition
from mdview.mappings.language.arguments import value_text

Moving: TypeAlias = tuple[int, int, int]
"""A dimension of the base, its first index, and the step."""

MOST_TRIED: Final = 6
"""How many candidates of one mapping are tried."""
MOST_DIMENSIONS: Final = 16
"""Up to how many dimensions windows are looked for one by one."""


def rewritten(part: Composition, extents: tuple[int, ...]) -> Iterator[str]:
    """Steps that may make a composition over ``extents`` from its base, the simplest first."""
    radix = part.transform.radix
    if radix is None:
        yield from _affine(part, extents)
    elif part.box is None:
        affine = IndexTransform(part.transform.offset, part.transform.stride, part.transform.source)
        first = _sliced(affine, part.extents, _whole(radix.shape))
        if first is not None:
            yield from (first + rest for rest in islice(_numbered(radix, _ints(extents)), MOST_TRIED))


def _affine(part: Composition, extents: tuple[int, ...]) -> Iterator[str]:
    """Brackets and what follows them, with padding behind or before."""
    ranges = _whole(extents) if part.box is None else list(part.box)
    if len(ranges) != len(extents):
        return
    widths = tuple([(low, int(e) - high) for (low, high), e in zip(ranges, extents, strict=True)])
    found = _sliced(part.transform, part.extents, ranges)
    if found is not None:
        yield found if part.box is None else f"{found} pad({_widths(widths)})"
    if part.box is not None:
        yield from _padded_first(part.transform, _ints(part.extents), extents)


def _padded_first(transform: IndexTransform, base_extents: Sequence[int], extents: Sequence[int]) -> Iterator[str]:
    """Padding as wide as the indices reach, then a slice of that."""
    reach = transform.ranges(extents)
    widths = tuple([(max(0, -low), max(0, high + 1 - e)) for (low, high), e in zip(reach, base_extents, strict=True)])
    wider = [e + before + after for e, (before, after) in zip(base_extents, widths, strict=True)]
    offset = tuple([first + before for first, (before, _) in zip(transform.offset, widths, strict=True)])
    found = _sliced(IndexTransform(offset, transform.stride, transform.source), wider, _whole(extents))
    if found is not None:
        yield f" pad({_widths(widths)}){found}"


def _numbered(radix: Radix, extents: Sequence[int]) -> Iterator[str]:
    """Steps from the shape of a mixed-radix step to ``extents``: a reshape and a slice of it, or windows."""
    weights = radix.all_weights(len(extents))
    windows = _windows(radix, weights, extents)
    if windows is not None:
        yield windows
    if radix.first == 0 and prod(radix.shape) == prod(extents) and weights == right_strides(extents):
        yield _reshape(extents)
    moving = sorted([r for r, e in enumerate(extents) if e != 1 and weights[r]], key=lambda r: -abs(weights[r]))
    middle = _middle(prod(radix.shape), [abs(weights[r]) for r in moving])
    if middle is not None:
        steps = [weights[r] // abs(weights[r]) for r in moving[:-1]] + [weights[r] for r in moving[-1:]]
        digits = Radix(0, (1,), middle).digits_of(radix.first)
        found = _sliced(IndexTransform(digits, tuple(steps), tuple(moving)), middle, _whole(extents))
        if found is not None:
            yield _reshape(middle) + found
    if 1 < len(extents) <= MOST_DIMENSIONS:
        yield from _windowed(radix, weights, extents)


def _middle(size: int, weights: Sequence[int]) -> tuple[int, ...] | None:
    """Return a shape whose strides are these weights, falling, but 1 for the last; None where there is none."""
    strides = [*weights[:-1], 1] if weights else []
    shape: list[int] = []
    for larger, stride in zip([size, *strides], strides, strict=False):
        if larger % stride or larger // stride < 1:
            return None
        shape.append(larger // stride)
    return tuple(shape) if shape else None


def _windows(radix: Radix, weights: Sequence[int], extents: Sequence[int]) -> str | None:
    """One step that makes windows along dimensions of the whole shape, each of which has a weight of its own."""
    rank = len(radix.shape)
    own, lengths = list(weights[:rank]), extents[rank:]
    if radix.first or tuple(own) != right_strides(radix.shape) or len(set(own)) < rank or not lengths:
        return None
    if not {*weights[rank:]} <= {*own}:
        return None
    axes = [own.index(weight) for weight in weights[rank:]]
    if axes == [*range(rank)]:
        return f" sliding_window({_one_or_more(lengths)})"
    return f" sliding_window({_one_or_more(lengths)}, axis={_one_or_more(axes)})"


def _windowed(radix: Radix, weights: Sequence[int], extents: Sequence[int]) -> Iterator[str]:
    """Windows along a dimension, as the last one moves along another one."""
    *outer, length = extents
    axis = next((r for r, weight in enumerate(weights[:-1]) if weight == weights[-1] != 0), None)
    if axis is not None:
        wider = [e + (length - 1) * (r == axis) for r, e in enumerate(outer)]
        step = f" sliding_window({length}{'' if len(outer) == 1 else f', axis={axis}'})"
        yield from (rest + step for rest in _numbered(Radix(radix.first, tuple(weights[:-1]), radix.shape), wider))


def _sliced(transform: IndexTransform, base_extents: Sequence[int], ranges: Sequence[tuple[int, int]]) -> str | None:
    """Brackets, diagonals, a permutation and new axes; None where three dimensions move together."""
    entries: list[str] = []
    places: dict[int, list[Moving]] = {}
    rows = zip(transform.offset, transform.stride, transform.source, base_extents, strict=True)
    for first, step, source, extent in rows:
        if source is None or step == 0:
            entries.append(str(first))
            continue
        low, high = ranges[source]
        places.setdefault(source, []).append((len(entries), first + step * low, step))
        entries.append(_slice(first + step * low, step, high - low, int(extent)))
    sources = sorted(places, key=lambda source: places[source][0])
    kept = [k for k, entry in enumerate(entries) if ":" in entry]
    text = ""
    for source in [s for s in sources if len(places[s]) > 1]:
        low, high = ranges[source]
        joined = _diagonal(places[source], base_extents, high - low, entries, kept)
        if joined is None:
            return None
        text += joined
        sources = [*[s for s in sources if s != source], source]
    brackets = f" [{', '.join(_without_full_tail(entries))}]" if any(entry != ":" for entry in entries) else ""
    return brackets + text + _placed(sources, [high - low for low, high in ranges])


def _diagonal(
    pair: Sequence[Moving], base_extents: Sequence[int], count: int, entries: list[str], kept: list[int]
) -> str | None:
    """The diagonal of two dimensions, whose entries become whole where it begins at an edge, as whole ones do.

    ``kept`` are the dimensions that there are before it, and become those behind it.
    """
    if len(pair) != 2:  # noqa: PLR2004 - what a diagonal joins
        return None
    (r, first, step), (s, other, other_step) = pair
    offset = 0
    length = min(int(base_extents[r]) - first, int(base_extents[s]) - other)
    if step == other_step == 1 and 0 in {first, other} and length == count:
        entries[r] = entries[s] = ":"
        offset = other - first
    axes = (kept.index(r), kept.index(s))
    kept[:] = [*[k for k in kept if k not in {r, s}], r]
    given = [f"offset={offset}"] if offset else []
    given += [] if axes == (0, 1) else [f"axis1={axes[0]}, axis2={axes[1]}"]
    return f" diagonal({', '.join(given)})"


def _placed(sources: Sequence[int], extents: Sequence[int]) -> str:
    """Bring dimensions to their places, with new ones in between, which are perhaps repeated."""
    order = sorted(sources)
    text = ""
    if [*sources] != order:
        place = {source: k for k, source in enumerate(sources)}
        text = f" permute_dims({value_text(tuple([place[s] for s in order]), 'axes')})"
    new = sorted({*range(len(extents))}.difference(order))
    repeated = any(extents[r] != 1 for r in new)
    if new and not (repeated and new == [*range(len(new))]):
        text += f" expand_dims({_one_or_more(new)})"
    return f"{text} broadcast_to({value_text(tuple(extents), 'extents')})" if repeated else text


def _slice(first: int, step: int, count: int, extent: int) -> str:
    """Return the slice of ``count`` indices from ``first`` on; ``:`` for all of them."""
    if (first, step, count) == (0, 1, extent):
        return ":"
    stop = first + step * (count - 1) + (1 if step > 0 else -1)
    start = "" if first == (0 if step > 0 else extent - 1) else str(first)
    end = str(stop) if 0 <= first + step * count < extent else ""
    return f"{start}:{end}" if step == 1 else f"{start}:{end}:{step}"


def _without_full_tail(entries: Sequence[str]) -> Sequence[str]:
    """Leave out what brackets take for granted, the dimensions at the end that are kept whole."""
    last = max([k for k, entry in enumerate(entries) if entry != ":"], default=-1)
    return entries[: last + 1]


def _one_or_more(numbers: Sequence[int]) -> str:
    """Return one number as itself, several as a tuple."""
    return value_text(numbers[0] if len(numbers) == 1 else tuple(numbers), "numbers")


def _reshape(shape: Sequence[int]) -> str:
    return " ravel()" if len(shape) == 1 else f" reshape({value_text(tuple(shape), 'shape')})"


def _widths(widths: tuple[tuple[int, int], ...]) -> str:
    """Return the shortest text of widths: one number where all are equal."""
    known = {width for pair in widths for width in pair}
    return str(known.pop()) if len(known) == 1 else value_text(widths, "widths")


def _whole(extents: Sequence[int]) -> list[tuple[int, int]]:
    return [(0, int(e)) for e in extents]


def _ints(extents: Sequence[int]) -> list[int]:
    return [int(e) for e in extents]
