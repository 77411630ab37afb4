"""A view gets static extents: `assume` checks them once and keeps them, `has_extents` tests for them."""

from __future__ import annotations

from typing import Any, TypeVar

from typing_extensions import TypeIs

from mdview.accessors.base import Accessor
from mdview.errors import ExtentsError
from mdview.index.extents import as_extents, shape_text
from mdview.layouts.base import Layout
from mdview.mappings.mapping import Mapping
from mdview.views.base import check_view
from mdview.views.derive import derived
from mdview.views.view import MDView

T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
A = TypeVar("A", bound=Accessor[object, object])


def assume(v: Any, extents: Any, /) -> Any:
    """Return the same view under ``extents``, once they have been found to agree.

    Raises
    ------
    ExtentsError
        The view has other ones.
    """
    check_view(v, "what has extents")
    checked_extents = as_extents(extents)
    if checked_extents != v.extents:
        raise ExtentsError(f"the view has extents {shape_text(v.extents)}, not {shape_text(checked_extents)}")
    return derived(v, Mapping.trusted(checked_extents, v.layout), 0, v.accessor)


def has_extents(v: MDView[T, tuple[int, ...], L, A], extents: E, /) -> TypeIs[MDView[T, E, L, A]]:
    """Tell whether the extents of ``v`` are ``extents``; where they are, a type checker knows ``v`` by them."""
    check_view(v, "what has extents")
    own = v.extents
    return own == extents or own == as_extents(extents)
