"""A view gets static extents: `assume` checks them once and keeps them, `has_extents` tests for them."""

# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

from typing import Any, TypeVar, overload

from typing_extensions import TypeIs

from mdview.accessors.base import Accessor
from mdview.errors import ExtentsError
from mdview.index.extents import as_extents, shape_text
from mdview.layouts.base import Layout
from mdview.mappings.mapping import Mapping
from mdview.views.base import check_view
from mdview.views.derive import derived
from mdview.views.protocols import Admits, ExtentsInOneTuple, UnknownRank, ViewAndThenExtents, Wanted
from mdview.views.view import MDView

T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
A = TypeVar("A", bound=Accessor[object, object])
N0 = TypeVar("N0", bound=int)
N1 = TypeVar("N1", bound=int)
N2 = TypeVar("N2", bound=int)
N3 = TypeVar("N3", bound=int)


@overload
def assume(v: UnknownRank[T, A], extents: E, /) -> MDView[T, E, Layout, A]: ...
@overload
def assume(v: Admits[T, tuple[()], L, A], extents: tuple[()], /) -> MDView[T, tuple[()], L, A]: ...
@overload
def assume(v: Admits[T, tuple[N0], L, A], extents: tuple[N0], /) -> MDView[T, tuple[N0], L, A]: ...
@overload
def assume(v: Admits[T, tuple[N0, N1], L, A], extents: tuple[N0, N1], /) -> MDView[T, tuple[N0, N1], L, A]: ...
@overload
def assume(
    v: Admits[T, tuple[N0, N1, N2], L, A], extents: tuple[N0, N1, N2], /
) -> MDView[T, tuple[N0, N1, N2], L, A]: ...
@overload
def assume(
    v: Admits[T, tuple[N0, N1, N2, N3], L, A], extents: tuple[N0, N1, N2, N3], /
) -> MDView[T, tuple[N0, N1, N2, N3], L, A]: ...
@overload
def assume(v: Admits[T, E, L, A], extents: E, /) -> MDView[T, E, L, A]: ...
@overload  # for no call that is right, as the next one
def assume(v: MDView[Any, Any, Any, Any], extents: Wanted[ExtentsInOneTuple], /) -> Any: ...
@overload
def assume(v: Wanted[ViewAndThenExtents], /, *rest: object) -> Any: ...
def assume(v: Any, extents: Any, /) -> Any:  # type: ignore[misc]  # pyright: ignore[reportInconsistentOverload]
    """Return the same view under ``extents``, once they have been found to agree.

    Raises
    ------
    ExtentsError
        The view has other ones.
    """
    check_view(v, "what has extents")
    checked_extents = as_extents(extents)
    if checked_extents != v.extents:
        message = f"the view has extents {shape_text(v.extents)}, not {shape_text(checked_extents)}"
        raise ExtentsError(message)
    return derived(v, Mapping.trusted(checked_extents, v.layout), 0, v.accessor)


def has_extents(v: MDView[T, tuple[int, ...], L, A], extents: E, /) -> TypeIs[MDView[T, E, L, A]]:
    """Tell whether the extents of ``v`` are ``extents``; where they are, a type checker knows ``v`` by them."""
    check_view(v, "what has extents")
    own = v.extents
    return own == extents or own == as_extents(extents)
