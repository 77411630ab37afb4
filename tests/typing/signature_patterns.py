"""Slice patterns: one letter per dimension, and the layout that a view has after such slices.

I is an int, A the whole dimension, U a range of stride 1, R a range of any stride, X any range, E an ellipsis, N a new
axis, which is no dimension of the source. The layout rules are those of the C++ draft, [mdspan.sub.map].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

RIGHT, LEFT, STRIDE = "LayoutRight", "LayoutLeft", "LayoutStride"

# Explicit overloads, not one with a constrained TypeVar: where the source's layout is itself a TypeVar (pyright), or in
# a self type (mypy), the checkers solve a constrained TypeVar to the source's own layout, which would be wrong.
WIDE = (("StridedLayout", "StridedLayout"), ("Layout", "Layout"))
WIDE_STRIDE = ((STRIDE, STRIDE), *WIDE)


def right_result(pattern: str) -> str:
    """The layout of ``LayoutRight`` under a pattern of I, A and U."""
    kept = pattern.lstrip("I")
    if "I" not in kept and set(kept[1:]) <= {"A"}:
        return RIGHT
    block = kept[:-1].rstrip("I")
    if kept[-1] != "I" and set(block[1:]) <= {"A"}:
        return "LayoutRightPadded"
    return STRIDE


def left_result(pattern: str) -> str:
    return right_result(pattern[::-1]).replace("Right", "Left")


def layouts(pattern: str) -> Iterator[tuple[str, str]]:
    """(source, result) pairs of layout types, narrowest source first, for a pattern of I, A and U.

    A padded result is only spelled out for I and A up to rank 3, otherwise it is given as ``StridedLayout``:
    mypy compares overloads in pairs, and every distinction costs.
    """
    results = {RIGHT: right_result(pattern), LEFT: left_result(pattern), STRIDE: STRIDE}
    if "U" in pattern or len(pattern) > 3:
        results = {source: result for source, result in results.items() if not result.endswith("Padded")}
    if "U" in pattern:
        results = {source: result for source, result in results.items() if result != STRIDE}
    for result in dict.fromkeys(results.values()):
        yield " | ".join(source for source in results if results[source] == result), result


def tuple_of(items: Sequence[str]) -> str:
    return f"tuple[{', '.join(items) or '()'}]"


def source_extents(pattern: str) -> str:
    return tuple_of([extent for _, extent in _dimensions(pattern)])


def result_extents(pattern: str) -> str:
    extents = iter([extent for kind, extent in _dimensions(pattern) if kind != "I"])
    return tuple_of(["int" if kind == "N" else next(extents) for kind in pattern if kind != "I"])


def _dimensions(pattern: str) -> list[tuple[str, str]]:
    """The letter and the extent of each dimension of the source."""
    letters = pattern.replace("N", "")
    return [(kind, f"N{r}" if kind == "A" else "int") for r, kind in enumerate(letters)]


def overload(name: str, parameters: str, result: str) -> str:
    """One overload on one line, so that the file reads as a table."""
    return f"@overload\ndef {name}({parameters}) -> {result}: ...\n"
