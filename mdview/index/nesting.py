"""Nested dimensions as in CuTe: trees of extents and steps; values, bounds and splits of their digits.

A *digit* is a pair of an extent and a step, which CuTe calls stride. A list of digits, fastest first, is a function of
a number: the extents split the number into mixed-radix digits, and the value is the sum of each digit times its step.
Digits are *normal* if no two neighbours can be merged into one digit; such a list is unique. A *tree* is an int or a
nested tuple of ints. It groups digits into dimensions; functions on digits take flat lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, TypeAlias

from mdview.base import as_integer, image_bounds, is_index, merged_digits, refuse
from mdview.base.strided_sets import strided_offsets
from mdview.errors import NotNested
from mdview.index.extents import digits as digits_of
from mdview.index.extents import left_strides

Tree: TypeAlias = "int | tuple[Tree, ...]"
Digit: TypeAlias = tuple[int, int]
"""An extent and a step."""


def as_tree(given: Any, name: str) -> Tree:  # Any: an argument of a caller
    """Return an int or nested sequences of ints as a tree; refuse anything else."""
    if isinstance(given, tuple | list):
        try:
            return tuple([as_tree(part, name) for part in given])
        except RecursionError:
            refuse(name, "nested at will, and not within itself", type(given))
    if not is_index(given):
        refuse(name, "an int or a tuple of such, nested at will", given)
    return int(as_integer(given, name))


def leaves(tree: Tree) -> list[int]:
    """Return the leaves of a tree, from left to right.

    >>> leaves((2, (3, (4,))))
    [2, 3, 4]
    """
    if isinstance(tree, int):
        return [tree]
    numbers: list[int] = []
    for part in tree:
        numbers += (part,) if isinstance(part, int) else leaves(part)
    return numbers


def rebuilt(tree: Tree, parts: Iterator[Tree]) -> Tree:
    """Return the tree with each leaf replaced by the next tree of ``parts``.

    >>> rebuilt((2, (3, 4)), iter([5, (6, 7), 8]))
    (5, ((6, 7), 8))
    """
    return next(parts) if isinstance(tree, int) else tuple([rebuilt(part, parts) for part in tree])


def dimensions(tree: Tree) -> tuple[Tree, ...]:
    """Return a tree as a tuple with one tree for each dimension; an int is a single dimension."""
    return (tree,) if isinstance(tree, int) else tree


def turned(tree: Tree, order: str) -> Tree:
    """Return a tree with its dimensions fastest first: unchanged for order "F", reversed for order "C"."""
    return tree[::-1] if order == "C" and isinstance(tree, tuple) else tree


def compact(shape: Tree) -> Tree:
    """Return the steps of a tree of extents without gaps between elements; the first leaf is the fastest.

    >>> compact((2, (3, 4)))
    (1, (2, 6))
    """
    return rebuilt(shape, iter(left_strides(leaves(shape))))


def tree_text(tree: Tree) -> str:
    """Return a tree in CuTe's notation: ``(4,(2,8))``."""
    return str(tree) if isinstance(tree, int) else f"({','.join(map(tree_text, tree))})"


def tree_of(digits: Sequence[Digit]) -> tuple[Tree, Tree]:
    """Return digits as a tree of extents and a tree of steps; for no digits, extent 1 and step 0."""
    if len(digits) == 1:
        return digits[0]
    return (tuple([n for n, _ in digits]), tuple([d for _, d in digits])) if digits else (1, 0)


def at(digits: Sequence[Digit], number: int, first: int = 0) -> int:
    """Return ``first`` plus the value of digits at a number; the last digit of the number has no bound.

    >>> at([(6, 1), (4, 10)], 8)
    12
    """
    for n, step in digits[:-1]:
        first = first + number % n * step if step else first
        number = number // n
    return first + number * digits[-1][1] if digits else first


def digit_values(digits: Sequence[Digit], first: int = 0) -> list[int]:
    """Return ``first`` plus the values of digits at all numbers, in ascending order of the numbers."""
    return list(strided_offsets([n for n, _ in digits[::-1]], [d for _, d in digits[::-1]], first))


def bounds_of(digits: Sequence[Digit]) -> tuple[int, int] | None:
    """Return the lowest and the highest value of digits; None if an extent is 0."""
    return image_bounds([n for n, _ in digits], [d for _, d in digits])


def digits_through(
    digits: Sequence[Digit], parts: Sequence[Digit], first: int = 0
) -> tuple[list[list[Digit]], int] | None:
    """Return the composition ``c -> at(digits, first + sum of c[k] * step of parts[k])`` as digits.

    The result contains the normal digits of each part, and the value at ``c = 0``. Each part is split where a digit
    first carries. The result is None if a part cannot be split there, or if a digit overflows with all parts at their
    largest values together; the composition may then have no such digits. All numbers must lie in the range of
    ``digits``.
    """
    low = first + sum([(n - 1) * step for n, step in parts if step < 0])
    radix = [n for n, _ in digits[::-1]]
    used, start, found = digits_of(low, radix)[::-1], at(digits, low), []
    for n, step in parts:
        part: list[Digit] = []
        left, size = n, abs(step)
        while left > 1:
            steps = digits_of(size, radix)[::-1]
            run = min([left, *[(m - 1) // k + 1 for (m, _), k in zip(digits, steps, strict=True) if k]])
            if left % run or run == 1:
                return None
            add = sum([k * d for (_, d), k in zip(digits, steps, strict=True)])
            used = tuple([k + (run - 1) * more for k, more in zip(used, steps, strict=True)])
            part.append((run, add if step > 0 else -add))
            start += 0 if step > 0 else (run - 1) * add
            left, size = left // run, size * run
        found.append(merged_digits(part))
    return None if any(k >= m for k, (m, _) in zip(used, digits, strict=True)) else (found, start)


def split_digits(digits: Sequence[Digit], sizes: Sequence[int], first: int = 0) -> list[list[Digit]]:
    """Cut normal digits into parts of the given sizes; the product of ``sizes`` is the product of the extents.

    A digit is split if a part ends within it. Normal digits are unique, so no digits have parts of
    these sizes if neither the rest of the part nor the extent of the digit divides the other.

    Raises
    ------
    NotNested
        A part ends within a digit, and does not divide its extent. The error needs ``first``, the value at 0.
    """
    rest, parts, number = list(digits)[::-1], [], 1
    for size in sizes:
        part: list[Digit] = []
        while size > 1:
            n, d = rest.pop()
            if size % n and n % size:
                got = rest[-1][1] if rest else n * d
                way = f"a part of {size} ends within a digit of {n}, which it does not divide"
                raise NotNested(number * n, first + n * d, first + got, way)
            if n > size:
                rest.append((n // size, d * size))
            part.append((min(n, size), d))
            size, number = size // min(n, size), number * min(n, size)  # noqa: PLW2901 - the remaining size
        parts.append(part)
    return parts


def cut_table(table: Sequence[int], sizes: Sequence[int]) -> list[list[Digit]]:
    """Return the digits whose values are ``table``, in parts of the given sizes, whose product is the length.

    Each digit is as long as possible, so the digits of each part are normal.

    Raises
    ------
    NotNested
        No digits have these values; the error contains the first index at which the table and any digits differ.
    """
    below, parts = 1, []
    for size in sizes:
        part: list[Digit] = []
        end = below * size
        while below < end:
            step = table[below] - table[0]
            k = next((k for k in range(below, end) if table[k] != table[k - below] + step), end)
            n = k // below
            if n == 1 or end // below % n:
                raise NotNested(k, table[k - below] + step, table[k])
            part.append((n, step))
            below *= n
        parts.append(part)
    return parts


def size_of_tree(tree: Tree) -> int:
    """Return the product of the leaves of a tree of extents: the size of its index space."""
    return prod(leaves(tree))
