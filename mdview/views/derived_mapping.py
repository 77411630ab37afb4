"""Lazy mappings of derived views: the mapping is computed from the mapping of the source view on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from mdview.engines.mapping_plan import plan_of
from mdview.engines.plan_parts import near, read_box
from mdview.mappings.bracket_keys import ReadKey
from mdview.mappings.mapping_manipulation import keyed
from mdview.mappings.slicing import Moved
from mdview.views.view_parts import AnyMapping

Pending: TypeAlias = "tuple[Found, Callable[..., Moved], tuple[Any, ...], int]"
Found: TypeAlias = "tuple[AnyMapping, int] | Pending"
"""The mapping of a view and the position of its offset 0 in the data, or a pending derivation of both.

A pending derivation has the pair or the derivation of the source view, a function from the mapping of the source to the
mapping and a shift, further arguments of the function, and the number of pending derivations. Any: arguments of any
type.
"""

MOST_STEPS: Final = 32
"""The most pending derivations; without a limit ``v = v[1:]`` in a loop would add one in each round."""


def known_mapping(found: Found) -> tuple[AnyMapping, int]:
    """Return the mapping of a view and the position of its offset 0, after the pending derivations."""
    steps: list[Any] = []
    while len(found) != 2:  # noqa: PLR2004 - the mapping is known
        steps.append(found)
        found = steps[-1][0]
    mapping, origin = found
    for _, derive, args, _ in reversed(steps):
        mapping, shift = derive(mapping, *args)
        origin += shift
    return mapping, origin


def part_mapping(mapping: AnyMapping, read: ReadKey) -> Moved:
    """Return the mapping of the part that a key selects, and its shift; from a cache if possible (1 µs, not 20 µs)."""
    plan = plan_of(mapping)
    nearest, before = near(plan, read)
    part, shift = _kept_mapping(mapping, read, ("mapping alike", nearest), before)
    if part.layout.stride_rule() is not None:
        return part, shift
    return _kept_mapping(mapping, read, ("mapping", read), 0)  # the layout may depend on the position of the part


def box_mapping(mapping: AnyMapping, box: Sequence[tuple[int, int]]) -> Moved:
    """Return the mapping of a box (a range of indices for each dimension) and its shift."""
    return part_mapping(mapping, read_box(plan_of(mapping), box)[0])


def _kept_mapping(mapping: AnyMapping, read: ReadKey, name: tuple[str, ReadKey], before: int) -> Moved:
    """Return the mapping of a part, and its shift, from the cache of the plan of the whole under ``name``.

    ``before`` is the shift of the part relative to the cached part.
    """
    parts = plan_of(mapping).parts
    known: Moved = parts.get(name) or parts.remember(name, _counted_from(before, keyed(mapping, read)))
    return known[0], known[1] + before


def _counted_from(before: int, moved: Moved) -> Moved:
    """Return a mapping, and its shift minus ``before``."""
    return moved[0], moved[1] - before


def derived_from(found: Found, derive: Callable[..., Moved], args: tuple[Any, ...]) -> Pending:
    """Return the pending derivation of a mapping; ``found`` is the mapping or pending derivation of the source."""
    if len(found) == 2:  # noqa: PLR2004 - the mapping is known
        return found, derive, args, 1
    if found[3] == MOST_STEPS:
        return known_mapping(found), derive, args, 1
    return found, derive, args, found[3] + 1


def row_part(mapping: AnyMapping, index: int, row: ReadKey) -> Moved:
    """Return the mapping of the part at an index of dimension 0, and its shift; ``row`` is the key of another index."""
    return part_mapping(mapping, (((index, 0, None), *row[0][1:]), *row[1:]))
