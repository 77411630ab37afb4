"""Rewriting: slices and operations that may say what a composed mapping is, for people to read.

They are candidates: whoever asks takes the first one that makes the mapping again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdview.index.transforms import IndexTransform
from mdview.language.arguments import layout_text, value_text
from mdview.layouts.base import Box
from mdview.mappings.rearranging import AnyMapping


def rewritten(mapping: AnyMapping) -> Iterator[str]:
    """Candidates for the text of a mapping, the simplest first; none where it is no composition."""
    part = mapping.layout.composition(mapping.extents)
    if part.base is mapping.layout:
        return
    whole = f"{layout_text(part.base)} {value_text(tuple(part.extents), 'extents')}"
    if part.transform.radix is None:
        for steps in _affine(part.transform, part.extents, mapping.extents, part.box):
            yield whole + steps


def _affine(
    transform: IndexTransform, base_extents: Sequence[int], extents: Sequence[int], box: Box | None
) -> Iterator[str]:
    """Steps that may make an affine transform: a slice, new axes, a permutation; and padding around it or before."""
    ranges = [(0, int(e)) for e in extents] if box is None else list(box)
    if len(ranges) != len(extents):
        return
    widths = tuple([(low, int(e) - high) for (low, high), e in zip(ranges, extents, strict=True)])
    padded = "" if box is None else f" pad({_widths(widths)})"
    found = _sliced(transform, base_extents, ranges)
    if found is not None:
        yield found + padded
    if box is not None and any(any(pair) for pair in widths):
        yield from _padded_first(transform, base_extents, extents)


def _padded_first(transform: IndexTransform, base_extents: Sequence[int], extents: Sequence[int]) -> Iterator[str]:
    """Padding as wide as the indices reach, then a slice of that."""
    reach = transform.ranges(extents)
    widths = tuple(
        [(max(0, -low), max(0, high + 1 - int(e))) for (low, high), e in zip(reach, base_extents, strict=True)]
    )
    wider = [int(e) + before + after for e, (before, after) in zip(base_extents, widths, strict=True)]
    offset = tuple([first + before for first, (before, _) in zip(transform.offset, widths, strict=True)])
    moved = IndexTransform(offset, transform.stride, transform.source)
    found = _sliced(moved, wider, [(0, int(e)) for e in extents])
    if found is not None:
        yield f" pad({_widths(widths)}){found}"


def _sliced(transform: IndexTransform, base_extents: Sequence[int], ranges: Sequence[tuple[int, int]]) -> str | None:
    """Brackets, new axes and a permutation; None where one index moves two dimensions or a new one repeats."""
    entries: list[str] = []
    sources: list[int] = []
    for first, step, source, extent in zip(
        transform.offset, transform.stride, transform.source, base_extents, strict=True
    ):
        if source is None:
            entries.append(str(first))
            continue
        low, high = ranges[source]
        entries.append(_slice(first + step * low, step, high - low, int(extent)))
        sources.append(source)
    if len(set(sources)) != len(sources):
        return None
    new = [r for r in range(len(ranges)) if r not in sources]
    order = [*sources, *new]
    text = f" [{', '.join(_without_full_tail(entries))}]" if any(entry != ":" for entry in entries) else ""
    if new:
        text += f" expand_dims({_numbers([len(sources) + k for k in range(len(new))])})"
    axes = [order.index(r) for r in range(len(ranges))]
    if axes != sorted(axes):
        text += f" permute_dims({value_text(tuple(axes), 'axes')})"
    repeated = any(ranges[r][1] - ranges[r][0] != 1 for r in new)
    return f"{text} broadcast_to({value_text(tuple([h - l for l, h in ranges]), 'extents')})" if repeated else text


def _slice(first: int, step: int, count: int, extent: int) -> str:
    """Return the slice of ``count`` indices from ``first`` on; ``:`` for all of them."""
    if (first, step, count) == (0, 1, extent):
        return ":"
    stop = first + step * (count - 1) + (1 if step > 0 else -1)
    start = "" if first == (0 if step > 0 else extent - 1) else str(first)
    end = "" if stop in {-1, extent} else str(stop)
    return f"{start}:{end}" if step == 1 else f"{start}:{end}:{step}"


def _without_full_tail(entries: Sequence[str]) -> Sequence[str]:
    """Leave out what brackets take for granted, the dimensions at the end that are kept whole."""
    last = max([k for k, entry in enumerate(entries) if entry != ":"], default=-1)
    return entries[: last + 1]


def _numbers(axes: Sequence[int]) -> str:
    return str(axes[0]) if len(axes) == 1 else value_text(tuple(axes), "axes")


def _widths(widths: tuple[tuple[int, int], ...]) -> str:
    """Return the shortest text of widths: one number where all are equal."""
    known = {width for pair in widths for width in pair}
    return str(known.pop()) if len(known) == 1 else value_text(widths, "widths")
