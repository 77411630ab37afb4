"""Keys in brackets: the types of what may stand in ``view[...]``, by the rank of the view and of what comes out.

Exact are the patterns that people write daily, see `bracket_forms` and `EXACT`. All others are told apart by
what they do to the rank alone: an int takes a dimension away, a None adds one, anything else keeps its own. Alias
``Key2to1`` has those that make rank 1 of rank 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from signature_patterns import tuple_of

RANKS = 4
"""Up to this rank of the source the rank of every result is known."""
NEW = (2, 2, 2, 1, 1)
"""How many new axes a key may add, by the rank of the source; with more, the rank of the result is not known."""
EXACT = "A U  IA AI AA IU UA RA  IIA IAI IAA AIA AAI AAA UAA IUA  IAAA  IAAAA"
"""Patterns of which extents and layout of the result are exact."""
NAMES = {
    "I": "Int",
    "A": "Whole",
    "U": "Span",
    "R": "Steps",
    "E": "EllipsisType",
    "N": "None",
    "K": "Kept",
    "P": "Part",
}


def bracket_forms(pattern: str) -> list[str]:
    """The ways to write a pattern in brackets: trailing A's may be left out, one run of A's may be an ellipsis."""
    bare = pattern.rstrip("A")
    spellings = [pattern[:n] for n in range(len(bare), len(pattern) + 1)]
    for n in range(len(pattern), 0, -1):
        at = pattern.find("A" * n)
        if at >= 0:
            spellings += [pattern[:at] + "E" + pattern[at + n :]]
            break
    return _forms(spellings)


def of_pattern(pattern: str) -> str:
    """The alias of `bracket_forms`. mypy copies all overloads at each use, but no alias."""
    return f"Key{pattern}"


def _forms(spellings: Iterable[str]) -> list[str]:
    """Types of keys, a single entry with and without its comma."""
    distinct = list(dict.fromkeys(spellings))
    bare = [NAMES[s] for s in distinct if len(s) == 1]
    return bare + [tuple_of([NAMES[kind] for kind in s]) for s in distinct]


def results(rank: int) -> range:
    """Ranks that keys make of a rank."""
    return range(rank + NEW[rank] + 1)


def alias(rank: int, result: int) -> str:
    return f"Key{rank}to{result}"


def aliases() -> Iterator[str]:
    """The definitions of the aliases, and of ``Keys2``: all keys of a view of rank 2 that name no element."""
    for pattern in EXACT.split():
        yield f"{of_pattern(pattern)}: TypeAlias = {' | '.join(bracket_forms(pattern))}\n"
    for rank in range(RANKS + 1):
        for result in results(rank):
            forms = _forms(_keys(rank, result))
            yield f"{alias(rank, result)}: TypeAlias = {' | '.join(forms)}\n"
        yield f"Keys{rank}: TypeAlias = {' | '.join([alias(rank, result) for result in results(rank)])}\n"


def _keys(rank: int, result: int) -> Iterator[str]:
    """Patterns of I, N and what keeps a dimension: K, at most one E, or P, which is either.

    The key of an int for each dimension is left out, as it names an element. Beside new axes there are P's, since there
    would be too many orders: mypy compares all overloads in pairs, and all types of a union with all of the other one.
    """
    for new in range(NEW[rank] + 1):
        ints = rank + new - result
        if not 0 <= ints <= rank:
            continue
        for kept in range(rank - ints + 1):
            if ints < rank or new:
                yield from _orders({"I": ints, "N": new, "P" if new else "K": kept})
            if not new and (rank < RANKS or ints == rank):
                yield from _orders({"I": ints, "N": new, "K": kept, "E": 1})


def _orders(counts: dict[str, int]) -> Sequence[str]:
    """The words with so many of each letter."""
    left = [letter for letter, count in counts.items() if count]
    if not left:
        return [""]
    return [letter + rest for letter in left for rest in _orders({k: n - (k == letter) for k, n in counts.items()})]
