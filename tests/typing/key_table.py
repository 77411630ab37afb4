"""Writes ``mdview/views/key_types.pyi``: the keys of brackets by what they select, for the signatures of views.

A pattern has a letter for each item: I is an int, K a slice that keeps a dimension, A the whole of one, U a range of
stride 1, E is ``...`` and N a new axis. Run it from anywhere after a change; a test compares the file with it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby, product
from pathlib import Path

STUB = Path(__file__).resolve().parents[2] / "mdview" / "views" / "key_types.pyi"
HIGHEST = 4
"""The highest rank whose keys are listed."""
MOST = 390
"""How many characters an alias has at most."""
KNOWN = [
    "U",
    "IA",
    "AI",
    "AA",
    "IU",
    "UA",
    "KA",
    "IIA",
    "IAA",
    "AIA",
    "AAI",
    "UAA",
    "IAAA",
]
"""Patterns of the keys for which the layout of the part is known, or static extents are kept."""
HEAD = """# Keys of brackets by what they select; written by tests/typing/key_table.py.

from types import EllipsisType
from typing import SupportsIndex, TypeAlias
from mdview.index.slices import All

I: TypeAlias = SupportsIndex
Bound: TypeAlias = SupportsIndex | None
A: TypeAlias = All | slice[None, None, None]
U: TypeAlias = slice[Bound, Bound, None]
K: TypeAlias = slice[Bound, Bound, Bound] | All
E: TypeAlias = EllipsisType
N: TypeAlias = None
Real: TypeAlias = I | K
New: TypeAlias = E | N
Axis: TypeAlias = Real | N
Spec: TypeAlias = Real | New
KeyN: TypeAlias = Spec | tuple[Spec, ...]
NamedField: TypeAlias = str | tuple[str, *tuple[str | int, ...]]
"""


def keys(pattern: Sequence[str]) -> list[str]:
    """The keys of a pattern: a tuple, and what stands alone where it is one."""
    return [*(pattern if len(pattern) == 1 else []), f"tuple[{', '.join(pattern) or '()'}]"]


def spellings(pattern: str) -> Iterator[str]:
    """The patterns that select the same: whole dimensions are left out at the end, or in a row replaced by ``...``."""
    short = pattern.rstrip("A")
    yield from [pattern[:n] for n in range(len(short), len(pattern) + 1)]
    runs = [(letter, len(list(run))) for letter, run in groupby(pattern)]
    for k, (letter, _) in enumerate(runs):
        if letter == "A":
            yield "".join("E" if k == n else one * count for n, (one, count) in enumerate(runs))


def with_ints(rank: int, count: int) -> list[str]:
    """The patterns of so many ints; dimensions at the end that are not named are kept."""
    found = ["".join(letters) for length in range(rank + 1) for letters in product("IK", repeat=length)]
    return [pattern for pattern in found if pattern.count("I") == count]


def selecting(rank: int, result: int) -> list[str]:
    """The patterns that leave so many dimensions, with ``...`` or below the highest rank None at either end."""
    plain, new = with_ints(rank, rank - result), with_ints(rank, rank - result + 1)
    found = [*plain, *["E" + p for p in plain], *[p + "E" for p in plain if p]]
    found += ["N" + p for p in new] + [p + "N" for p in new if p] if rank < HIGHEST else []
    return found + (["NE", "EN"] if result == rank + 1 else [])


def aliases(name: str, patterns: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of as few aliases as have all keys of the patterns; the second one is named with a ``b``, and so on."""
    members = list(dict.fromkeys(key for pattern in patterns for key in keys(pattern)))
    for letter in ("", *"bcd"):
        count = len(members)
        while len(line := f"{name}{letter}: TypeAlias = {' | '.join(members[:count])}") > MOST:
            count -= 1
        yield line
        members = members[count:]
        if not members:
            return


def all_aliases() -> Iterator[str]:
    """All lines below the head."""
    for pattern in KNOWN:
        yield from aliases(f"Key{pattern}", list(spellings(pattern)))
    for rank in range(HIGHEST + 1):
        for result in range(1, rank + 1 + (0 < rank < HIGHEST)):
            yield from aliases(f"Key{rank}to{result}", selecting(rank, result))
        mixed = [
            [*["Real"] * n, *more]
            for n in range(rank)
            for more in (("E", "*tuple[Axis, ...]"), ("N", "*tuple[Spec, ...]"))
        ]
        mixed += [[*["Real"] * rank, *more] for more in (("E", "*tuple[N, ...]"), ("N", "*tuple[New, ...]"))]
        mixed += [["N"]] if rank == HIGHEST else []
        if rank:
            yield from aliases(f"Mixed{rank}", mixed)
        short = [["Real"] * n for n in range(min(1, rank), rank)]
        sliced = [[*["I"] * n, "K", *["Real"] * (rank - n - 1)] for n in range(rank)]
        yield from aliases(f"Parts{rank}", [["New"], *([[]] if rank else []), *short, *sliced, *mixed])


def text() -> str:
    """The text of the file."""
    return HEAD + "\n".join(all_aliases()) + "\n"


def main() -> int:
    """Write the file."""
    STUB.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
