"""Algorithms on whole views, whatever their layouts and accessors: compare, copy, fill."""

from __future__ import annotations

from typing import Any

from mdview.accessors.base import Accessor, T, Writable
from mdview.errors import ReadOnlyError
from mdview.layouts.base import Layout
from mdview.view import MDView

# Any: comparing takes any two element types.
AnyView = MDView[Any, tuple[int, ...], Layout, Accessor[Any, Any]]


def equal(first: AnyView, second: AnyView) -> bool:
    """Tell whether two views have equal extents and equal elements, whatever their layouts.

    >>> equal(MDView([1, 2], (2,)), MDView([1.0, 2.0], (2,)))
    True
    """
    if first.extents != second.extents:
        return False
    return all(x == y for x, y in zip(first._values(), second._values(), strict=True))


def copy(
    source: MDView[T, tuple[int, ...], Layout, Accessor[T, object]],
    target: MDView[T, tuple[int, ...], Layout, Writable[T, object]],
) -> None:
    """Copy the elements of ``source`` into ``target``; they may overlap.

    Raises
    ------
    ShapeError
        The extents differ.
    ReadOnlyError
        ``target`` does not store.
    """
    _check_writable(target)
    target._assign(source)


def fill(target: MDView[T, tuple[int, ...], Layout, Writable[T, object]], value: T) -> None:
    """Make ``value`` every element of ``target``.

    Raises
    ------
    ReadOnlyError
        ``target`` does not store.
    """
    _check_writable(target)
    target._fill(value)


def _check_writable(target: AnyView) -> None:
    if not isinstance(target.accessor, Writable):
        message = f"the target is read-only: its accessor {target.accessor!r} has no store"
        raise ReadOnlyError(message)
