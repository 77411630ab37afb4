"""The overloads of ``subview`` and ``submapping``: one per slice pattern."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from signature_patterns import (
    dynamic,
    layout_after,
    mapping_in,
    overload,
    result_extents,
    source_extents,
    view_in,
)

NAMES = """\
# `slice(i, None)` is `slice[int, Any, Any]` in typeshed: its step is unknown to a checker, and an overload on the step
# would be ambiguous. A slice object therefore counts as a range of stride 1.
Int: TypeAlias = SupportsIndex
Span: TypeAlias = tuple[int, int] | slice[Any, Any, Any]
Steps: TypeAlias = range | ExtentSlice | RangeSlice | StridedSlice
Range: TypeAlias = Span | Steps
Part: TypeAlias = All | Range
Spec: TypeAlias = Int | Part
"""
EXACT = 3
"""Up to this rank what is kept whole is exact, where all others are ints."""
MAX_RANK = 4
"""Up to this rank there is one parameter for each slice."""
ROWS = "IUA IIU UAA IAAA"
"""Patterns above rank 2 with a range, and of rank 4, that are exact."""
LETTERS = {"I": "Int", "A": "All", "U": "Span", "R": "Steps", "X": "Range", "P": "Part"}


def overloads() -> dict[str, list[str]]:
    return {"subview": [*_of_patterns(), *_of_any_slices()]}


def of_mappings() -> dict[str, list[str]]:
    """What is kept whole has its extent, and the layout that follows; of any other part the rank is known."""
    return {"submapping": [*_mappings()]}


def _words(letters: str, rank: int) -> list[str]:
    return ["".join(word) for word in product(letters, repeat=rank)]


def _mappings() -> Iterator[str]:
    def one(pattern: str, source: str) -> str:
        result = f"tuple[Mapping[{result_extents(pattern)}, L], int]"
        given = [f"mapping: {mapping_in(source_extents(pattern), source)}", *_slices(pattern), "/"]
        return overload("submapping", ", ".join(given), result)

    for rank in range(EXACT + 1):
        exact = _words("IA", rank) if rank < EXACT else ["III", "IIA", "IAA", "AAI"]
        yield from (one(pattern, layout_after(pattern)) for pattern in exact)
        yield from (one(pattern, "PartOf[L]") for pattern in _words("IP", rank) if pattern not in exact)
    unknown = "Mapping[tuple[int, ...], Layout]"
    yield overload("submapping", f"mapping: {unknown}, /, *slices: Spec", f"tuple[{unknown}, int]")


def _slices(pattern: str) -> list[str]:
    return [f"s{r}: {LETTERS[letter]}" for r, letter in enumerate(pattern)]


def _of_patterns() -> Iterator[str]:
    """Span and Steps stay apart wherever one of them does: a `slice` with its Any step would match both."""
    for rank in range(1, EXACT):
        for pattern in _words("IAU", rank):
            follows = layout_after(pattern)
            if "U" not in pattern:
                yield _one(pattern, follows)
            elif follows == "PartOf[L]" or follows.startswith("ColumnOf["):
                yield _one(pattern.replace("U", "X"), "PartOf[L]")
            else:
                yield _one(pattern, follows)
                yield _one(pattern.replace("U", "R"), "PartOf[L]")
    for rank in range(EXACT, MAX_RANK + 1):
        exact = _words("IA", EXACT) if rank == EXACT else ["I" * rank]
        yield from (_one(pattern, layout_after(pattern)) for pattern in [*exact, *ROWS.split()] if len(pattern) == rank)
        yield from (_one(pattern, "PartOf[L]") for pattern in _words("IP", rank)[1:])


def _one(pattern: str, source: str) -> str:
    given = [f"view: {view_in(source_extents(pattern), source)}", *_slices(pattern), "/"]
    return overload("subview", ", ".join(given), f"MDView[T, {result_extents(pattern)}, L, A]")


def _of_any_slices() -> Iterator[str]:
    """Higher ranks, of which the count of slices is not checked, views of unknown rank, and mistakes."""
    result = "MDView[T, tuple[int, ...], Layout, A]"
    higher = dynamic(MAX_RANK + 1)[:-1] + ", *tuple[int, ...]]"
    yield overload("subview", f"view: MDView[T, {higher}, Layout, A], /, *slices: Spec", result)
    yield overload("subview", "view: UnknownRank[T, A], /, *slices: Spec", result)
    yield overload("subview", "view: object, first: Wanted[SliceForEachDimension], /, *slices: object", "Any")
    yield overload("subview", "view: Wanted[SliceForEachDimension], /, *slices: object", "Any")  # a None, above all
