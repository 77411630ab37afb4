"""Boxes and parts as sets: what two of them share, what is left of one, and neighbours that are one part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mdview.interop.writers.progressions import Progression
from mdview.interop.writers.stores import Place
from mdview.interop.writers.sweeping import Box


def shared(boxes: Iterable[Box], other: Box) -> list[Box]:
    """Return what each of some boxes has in common with another one, where that is something.

    >>> shared([((0, 5), (0, 5)), ((7, 9), (0, 5))], ((4, 6), (3, 9)))
    [((4, 5), (3, 5))]
    """
    met = [tuple([(max(a, b), min(z, y)) for (a, z), (b, y) in zip(box, other, strict=True)]) for box in boxes]
    return [box for box in met if all(a <= z for a, z in box)]


def without(boxes: Iterable[Box], other: Box) -> list[Box]:
    """Return boxes, none of which overlap if these do not, with what they have and another box has not.

    >>> without([((0, 5), (0, 5))], ((2, 3), (1, 9)))
    [((0, 1), (0, 5)), ((4, 5), (0, 5)), ((2, 3), (0, 0))]
    """
    found: list[Box] = []
    for box in boxes:
        rest = box
        for r, (b, y) in enumerate(other):
            a, z = rest[r]
            sides = [(a, min(z, b - 1)), (max(a, y + 1), z)]
            found += [(*rest[:r], side, *rest[r + 1 :]) for side in sides if side[0] <= side[1]]
            rest = (*rest[:r], (max(a, b), min(z, y)), *rest[r + 1 :])
            if rest[r][0] > rest[r][1]:
                break
    return found


def merged(parts: Iterable[Place]) -> list[Place]:
    """Join parts that continue each other along one dimension and are the same along all others.

    >>> merged([((0, 3, 1), (0, 4, 1)), ((4, 7, 1), (0, 4, 1)), ((9, 9, 1), (0, 4, 1))])
    [((0, 7, 1), (0, 4, 1)), ((9, 9, 1), (0, 4, 1))]
    """
    found, before = sorted(set(parts)), -1
    while len(found) != before:
        before = len(found)
        for r in range(len(found[0]) if found else 0):
            rows: dict[tuple[Place, Place], list[Progression]] = {}
            for part in found:
                rows.setdefault((part[:r], part[r + 1 :]), []).append(part[r])
            found = [(*head, own, *tail) for (head, tail), row in rows.items() for own in _joined(sorted(row))]
    return sorted(found)


def _joined(row: Sequence[Progression]) -> list[Progression]:
    """Join progressions, sorted by their first index, where one goes on with the one before it."""
    found: list[Progression] = []
    for first, last, step in row:
        a, z, s = found[-1] if found else (first, last, 0)
        if s == step == 1 and first <= z + 1:
            found[-1] = a, max(z, last), 1
        else:
            found.append((first, last, step))
    return found
