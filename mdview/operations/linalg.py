"""Views of linear algebra: transposed, scaled and conjugated (C++26 ``std::linalg``, P1673 and P3222).

Nothing is copied: `transposed` changes the mapping of a view, `scaled` and `conjugated` change its accessor. The
elements of a scaled or conjugated view are computed at each load, so the view is read-only.
"""

# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

from typing import Any, Protocol, TypeVar, cast, overload

from mdview.accessors.accessor import Accessor, T
from mdview.accessors.policies import ConjugatedAccessor, ScaledAccessor
from mdview.base import answer_calls
from mdview.layouts.layout import Layout
from mdview.mappings import mapping_manipulation
from mdview.mappings.mapping import E, L, Mapping
from mdview.memory.item_formats import KINDS
from mdview.views.derived_views import derived
from mdview.views.typing_protocols import A, MappingIn, MatrixAsViewOrMapping, TurnedOf, UnknownRank, ViewIn, Wanted
from mdview.views.view import MDView
from mdview.views.view_base import check_view
from mdview.views.view_parts import AnyAccessor

__all__ = ["conjugate_transposed", "conjugated", "scaled", "transposed"]

N0 = TypeVar("N0", bound=int)
N1 = TypeVar("N1", bound=int)
T_contra = TypeVar("T_contra", contravariant=True)
P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)


class Times(Protocol[T_contra, P_co]):
    """The left factor of a product: a type with ``__mul__``."""

    def __mul__(self, other: T_contra, /) -> P_co: ...


class Timed(Protocol[T_contra, P_co]):
    """The right factor of a product: a type with ``__rmul__``."""

    def __rmul__(self, other: T_contra, /) -> P_co: ...


@overload
def transposed(matrix: ViewIn[T, tuple[N0, N1], TurnedOf[L], A]) -> MDView[T, tuple[N1, N0], L, A]: ...
@overload
def transposed(matrix: UnknownRank[T, tuple[Any, ...], object, A]) -> MDView[T, tuple[int, int], Layout, A]: ...
@overload
def transposed(matrix: MappingIn[tuple[N0, N1], TurnedOf[L]]) -> Mapping[tuple[N1, N0], L]: ...
@overload  # matches wrong calls only, see `Wanted`
def transposed(matrix: Wanted[MatrixAsViewOrMapping]) -> Any: ...
@answer_calls
def transposed(matrix: Any) -> Any:
    """Exchange the two dimensions of a view or mapping: element (i, j) of the result is element (j, i) of the source.

    `LayoutRight` becomes `LayoutLeft` and vice versa. A padded form becomes the other padded form with the same
    padding. A strided layout exchanges its strides. Any other layout is wrapped in a `LayoutTranspose`, which a second
    transposition removes.

    Raises
    ------
    RankError
        The rank is not 2.

    >>> transposed(Mapping((2, 3)))
    Mapping((3, 2), LayoutLeft())
    """
    if isinstance(matrix, Mapping):
        return mapping_manipulation.transposed(matrix)[0]
    check_view(matrix, "what is transposed")
    return derived(matrix, mapping_manipulation.transposed(matrix.mapping)[0], 0, matrix.accessor)


@overload
def scaled(factor: Times[T, P], view: MDView[T, E, L, AnyAccessor]) -> MDView[P, E, L, ScaledAccessor[P]]: ...
@overload
def scaled(factor: T, view: MDView[Timed[T, P], E, L, AnyAccessor]) -> MDView[P, E, L, ScaledAccessor[P]]: ...
@answer_calls
def scaled(factor: Any, view: MDView[Any, E, L, AnyAccessor]) -> MDView[Any, E, L, ScaledAccessor[Any]]:
    """Return a view whose elements are ``factor * element`` for each element of ``view``; it is read-only.

    >>> scaled(10, MDView([1, 2, 3], (3,))).tolist()
    [10, 20, 30]
    """
    check_view(view, "what is scaled")
    accessor: ScaledAccessor[Any] = ScaledAccessor(factor, view.accessor)
    return derived(view, view.mapping, 0, accessor)


@answer_calls
def conjugated(view: MDView[T, E, L, Accessor[object, P]]) -> MDView[T, E, L, Accessor[T, T | P]]:
    """Return a view whose elements are the complex conjugates of the elements of ``view``.

    The conjugates are computed at each load, so the result is read-only. There are two exceptions. If the format of the
    items is real, the result is ``view`` itself. The conjugate of a conjugated view has the original accessor.

    >>> conjugated(MDView([1 + 2j], (1,))).tolist()
    [(1-2j)]
    """
    check_view(view, "what is conjugated")
    accessor = view.accessor
    item_format = view.format.lstrip("@=<>!")
    if KINDS.get(item_format, item_format) in "biufg":  # real numbers
        return cast("MDView[T, E, L, Accessor[T, T | P]]", view)
    if isinstance(accessor, ConjugatedAccessor):
        return derived(view, view.mapping, 0, cast("Accessor[T, T | P]", accessor.inner))
    return derived(view, view.mapping, 0, cast("Accessor[T, T | P]", ConjugatedAccessor(accessor)))


@overload
def conjugate_transposed(
    matrix: ViewIn[T, tuple[N0, N1], TurnedOf[L], Accessor[object, P]],
) -> MDView[T, tuple[N1, N0], L, Accessor[T, T | P]]: ...
@overload
def conjugate_transposed(
    matrix: UnknownRank[T, tuple[Any, ...], object, Accessor[object, P]],
) -> MDView[T, tuple[int, int], Layout, Accessor[T, T | P]]: ...
@answer_calls
def conjugate_transposed(matrix: Any) -> Any:
    """Return the conjugate transpose: element (i, j) of the result is the conjugate of element (j, i) of the source.

    Raises
    ------
    RankError
        The rank is not 2.

    >>> conjugate_transposed(MDView([1j, 2j], (1, 2))).tolist()
    [[-1j], [-2j]]
    """
    return conjugated(transposed(matrix))
