"""What a type checker asks of data and of views whose rank it does not know."""

from __future__ import annotations

from typing import Protocol, TypeVar

from mdview.accessors.base import Accessor

__all__ = ["Indexable", "UnknownRank"]

T_co = TypeVar("T_co", covariant=True)
A_co = TypeVar("A_co", bound=Accessor[object, object], covariant=True)


class Indexable(Protocol[T_co]):
    """Anything a view can look at: a buffer or a sequence."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> T_co: ...


class UnknownRank(Protocol[T_co, A_co]):
    """A view whose rank the checker does not know, as in ``MDView[float]``.

    Views have the two methods for a type checker only. The second one has the extents in a contravariant place, which
    makes this protocol match exactly the views whose extents are ``tuple[int, ...]``: every rank is a subtype of that,
    so that no covariant pattern can tell them apart.
    """

    @property
    def accessor(self) -> A_co:
        """What an access does."""
        ...

    def _element(self) -> T_co: ...
    def _rank_witness(self, extents: tuple[int, ...], /) -> None: ...
