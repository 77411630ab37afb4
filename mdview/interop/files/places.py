"""Places: where the elements of an open file lie, and the mapping that tells each index its offset there."""

from __future__ import annotations

from typing import NamedTuple, final

from mdview.mappings.facts import AnyMapping


@final
class Place(NamedTuple):
    """Elements of ``size`` bytes in an open file: the one at offset 0 lies at byte ``begin``."""

    descriptor: int
    mapping: AnyMapping
    begin: int
    size: int
    writes: bool = False
