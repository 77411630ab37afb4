"""The overloads of ``subview``: one per slice pattern and group of layouts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from signature_patterns import (
    LEFT,
    RIGHT,
    WIDE,
    WIDE_STRIDE,
    layouts,
    left_result,
    overload,
    result_extents,
    right_result,
    source_extents,
)

IMPORTS = """\
from typing import Any, SupportsIndex, TypeAlias, TypeVar, overload

from mdview.accessors.base import Accessor
from mdview.index.slices import All, ExtentSlice, RangeSlice, StridedSlice
from mdview.layouts.base import Layout
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.right import LayoutRight
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.stride import LayoutStride
from mdview.layouts.strided import StridedLayout
from mdview.mappings.slicing import submapping
from mdview.views.protocols import SliceForEachDimension, UnknownRank, Wanted
from mdview.views.view import MDView
"""

NAMES = """\
T = TypeVar("T")
A = TypeVar("A", bound=Accessor[object, object])
N0 = TypeVar("N0", bound=int)
N1 = TypeVar("N1", bound=int)
N2 = TypeVar("N2", bound=int)
N3 = TypeVar("N3", bound=int)
# `slice(i, None)` is `slice[int, Any, Any]` in typeshed: its step is unknown to a checker, and an overload on the step
# would be ambiguous. A slice object therefore counts as a range of stride 1.
Int: TypeAlias = SupportsIndex
Span: TypeAlias = tuple[int, int] | slice[Any, Any, Any]
Steps: TypeAlias = range | ExtentSlice | RangeSlice | StridedSlice
Range: TypeAlias = Span | Steps
Slice: TypeAlias = Int | All | Range
"""

EXACT = 3
"""Up to this rank the result layout is exact; above it, the widest that is true."""
MAX_RANK = 4
"""Up to this rank there is one parameter for each slice."""
LETTERS = {"I": "Int", "A": "All", "U": "Span", "R": "Steps", "X": "Range"}


def overloads() -> dict[str, list[str]]:
    return {"subview": [*_of_patterns(), *_of_any_slices()]}


def _of_patterns() -> Iterator[str]:
    for rank in range(1, MAX_RANK + 1):
        for letters in product("IAU", repeat=rank):
            pattern = "".join(letters)
            yield from _exact(pattern) if rank <= EXACT else _coarse(pattern)


def _one(pattern: str, source: str, result: str) -> str:
    slices = ", ".join(f"s{r}: {LETTERS[letter]}" for r, letter in enumerate(pattern))
    view = f"view: MDView[T, {source_extents(pattern)}, {source}, A]"
    return overload("subview", f"{view}, {slices}, /", f"MDView[T, {result_extents(pattern)}, {result}, A]")


def _exact(pattern: str) -> Iterator[str]:
    pairs = list(layouts(pattern))
    if "U" not in pattern:
        yield from (_one(pattern, *pair) for pair in (*pairs, *WIDE))
    elif not pairs:
        yield from (_one(pattern.replace("U", "X"), *pair) for pair in WIDE)
    else:
        # A layout that survives a range of stride 1 alone. Span and Steps stay apart in all of these: where
        # a `slice` with its Any step matched two different parameter types, checkers would answer Any.
        yield from (_one(pattern, *pair) for pair in (*pairs, *WIDE_STRIDE))
        yield from (_one(pattern.replace("U", "R"), *pair) for pair in WIDE)


def _coarse(pattern: str) -> Iterator[str]:
    """Beyond the exact ranks every distinction would cost seconds: mypy compares overloads in pairs."""
    kept = [(RIGHT, RIGHT)] * (right_result(pattern) == RIGHT) + [(LEFT, LEFT)] * (left_result(pattern) == LEFT)
    yield from (_one(pattern, *pair) for pair in kept)
    if kept and "U" in pattern:
        yield _one(pattern, "StridedLayout", "StridedLayout")
        yield _one(pattern.replace("U", "R"), "StridedLayout", "StridedLayout")
    else:
        yield _one(pattern.replace("U", "X"), "StridedLayout", "StridedLayout")


def _of_any_slices() -> Iterator[str]:
    """The overloads for the layouts that rank 4 leaves out, for higher ranks, and for views of unknown rank."""
    result = "MDView[T, tuple[int, ...], Layout, A]"
    slices = ", ".join([f"s{r}: Slice" for r in range(MAX_RANK)])
    yield overload("subview", f"view: MDView[T, tuple[int, int, int, int], Layout, A], {slices}, /", result)
    # The count of slices is not checked from rank 5 on.
    higher = "MDView[T, tuple[int, int, int, int, int, *tuple[int, ...]], Layout, A]"
    yield overload("subview", f"view: {higher}, /, *slices: Slice", result)
    yield overload("subview", "view: UnknownRank[T, A], /, *slices: Slice", result)
    yield overload("subview", "view: object, first: Wanted[SliceForEachDimension], /, *slices: object", "Any")
    yield overload("subview", "view: Wanted[SliceForEachDimension], /, *slices: object", "Any")  # a None, above all
