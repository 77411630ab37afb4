# Signatures of static_extents.py for type checkers: a table of overloads, one a line.
#
# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false

from typing import Any, TypeVar, TypeVarTuple, overload
from typing_extensions import TypeIs
from mdview.accessors.base import Accessor
from mdview.layouts.base import Layout
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
Ns = TypeVarTuple("Ns")

@overload
def assume(v: UnknownRank[T, A], extents: tuple[N0], /) -> MDView[T, tuple[N0], Layout, A]: ...
@overload
def assume(v: UnknownRank[T, A], extents: tuple[N0, N1, *Ns], /) -> MDView[T, tuple[N0, N1, *Ns], Layout, A]: ...
@overload
def assume(v: UnknownRank[T, A], extents: E, /) -> MDView[T, E, Layout, A]: ...
@overload
def assume(v: Admits[T, tuple[N0], L, A], extents: tuple[N0], /) -> MDView[T, tuple[N0], L, A]: ...
@overload
def assume(v: Admits[T, tuple[N0, N1], L, A], extents: tuple[N0, N1], /) -> MDView[T, tuple[N0, N1], L, A]: ...
@overload
def assume(v: Admits[T, tuple[N0, N1, N2], L, A], extents: tuple[N0, N1, N2], /) -> MDView[T, tuple[N0, N1, N2], L, A]: ...
@overload
def assume(v: Admits[T, tuple[N0, N1, N2, N3, *Ns], L, A], extents: tuple[N0, N1, N2, N3, *Ns], /) -> MDView[T, tuple[N0, N1, N2, N3, *Ns], L, A]: ...
@overload
def assume(v: Admits[T, E, L, A], extents: E, /) -> MDView[T, E, L, A]: ...
@overload
def assume(v: MDView[Any, Any, Any, Any], extents: Wanted[ExtentsInOneTuple], /) -> Any: ...
@overload
def assume(v: Wanted[ViewAndThenExtents], /, *rest: object) -> Any: ...

@overload
def has_extents(v: MDView[T, tuple[Any, ...], L, A], extents: tuple[N0], /) -> TypeIs[MDView[T, tuple[N0], L, A]]: ...
@overload
def has_extents(v: MDView[T, tuple[Any, ...], L, A], extents: tuple[N0, N1, *Ns], /) -> TypeIs[MDView[T, tuple[N0, N1, *Ns], L, A]]: ...
@overload
def has_extents(v: MDView[T, tuple[Any, ...], L, A], extents: E, /) -> TypeIs[MDView[T, E, L, A]]: ...
