"""Serving: what a type checker asks of data, of its elements, and of the accessor that serves it.

An accessor that only reads serves whatever has elements; one that stores wants data that can be stored to.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

__all__ = ["Array", "Indexable", "MutableIndexable", "Reads", "Serves", "ShapedArray"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
E_co = TypeVar("E_co", bound="tuple[int, ...]", covariant=True)
A_co = TypeVar("A_co", covariant=True)
B_contra = TypeVar("B_contra", contravariant=True)


class Indexable(Protocol[T_co]):
    """Anything a view can look at: a buffer or a sequence."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> T_co: ...


class MutableIndexable(Indexable[T_co], Protocol[T_co]):
    """Anything a view can look at and store to; no method, as a checker would take the elements from what it stores."""

    @property
    def __setitem__(self) -> object:  # noqa: PLE0302 - asked for, not called
        """What stores."""
        ...


class Array(Protocol[T_co]):
    """An array of NumPy's kind: brackets tell nothing of its elements to a checker, ``item`` does."""

    def __len__(self) -> int: ...
    @property
    def __setitem__(self) -> object:  # noqa: PLE0302 - asked for, not called
        """What stores."""
        ...

    def item(self, /) -> T_co:
        """Element of an array of one."""
        ...


class ShapedArray(Array[T_co], Protocol[E_co, T_co]):
    """An array of NumPy's kind, by its shape; with NumPy's own types, a checker would read all of NumPy."""

    @property
    def shape(self) -> E_co:
        """How many elements there are along each dimension."""
        ...


class Serves(Protocol[B_contra, T_co, A_co]):
    """An accessor ``A_co`` to data ``B_contra`` whose elements are ``T_co``."""

    def _serves(self, data: B_contra, /) -> tuple[T_co, A_co]: ...


class Reads(Protocol[T]):
    """An accessor to anything whose elements are ``T``; invariant, so that it is no accessor to other elements."""

    def _serves(self, data: Indexable[T], /) -> tuple[T, object]: ...
