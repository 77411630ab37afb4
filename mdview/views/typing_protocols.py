"""Protocols for type checkers: views of unknown rank, results of slices, and messages where no overload fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, SupportsIndex, TypeAlias, TypeVar, final

from typing_extensions import TypeVar as DefaultTypeVar

from mdview.accessors.accessor import Accessor, AnyExporter, ShapedArray
from mdview.index.extents import Dims1, Dims2, Dims3, Dims4, Dims5, Dims6
from mdview.layouts.layout import Layout

__all__ = ["Admits", "AnyRank", "Rank", "UnknownRank", "Wanted"]

# Type variables of the stubs: elements, extents of some and of any rank, single extents, what accessors take and give.
T = TypeVar("T")
S = TypeVar("S", bound="tuple[Any, ...]")
N2 = TypeVar("N2", bound=int)
N3 = TypeVar("N3", bound=int)
W = TypeVar("W")
Gradual: TypeAlias = tuple[Any, ...]
A = TypeVar("A", bound=Accessor[object, object])
R = TypeVar("R")
P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
T_co = TypeVar("T_co", covariant=True)
E_contra = TypeVar("E_contra", bound="tuple[Any, ...]", contravariant=True)
L_co = TypeVar("L_co", bound=Layout, covariant=True)
S_co = TypeVar("S_co", bound="tuple[Any, ...]", covariant=True)
M_co = TypeVar("M_co", covariant=True)
A_co = TypeVar("A_co", bound=Accessor[object, object], covariant=True)

Rank7Up: TypeAlias = tuple[int, int, int, int, int, int, int, *tuple[int, ...]]
# Extents of which only the rank is known: a view or mapping of any extents matches with those of its rank, each of them
# dynamic. So a function that keeps the rank and no more takes and returns `Rank`. From rank 7 on it is unknown.
Rank = TypeVar("Rank", tuple[()], Dims1, Dims2, Dims3, Dims4, Dims5, Dims6, Rank7Up)
# The rank of a shape that is an argument.
AnyShape = TypeVar("AnyShape", tuple[()], Dims1, Dims2, Dims3, Dims4, Dims5, Dims6, tuple[int, ...])
# Extents of a result that are known only at run time: those of its declaration.
AnyRank = DefaultTypeVar("AnyRank", bound="tuple[int, ...]", default="tuple[int, ...]")


class _Placed(Protocol[S_co, M_co]):
    """A view or a mapping by its extents and its layout."""

    @property
    def extents(self) -> S_co:
        """How many values each index may take."""
        ...

    @property
    def layout(self) -> M_co:
        """Where an index lies."""
        ...


class _Accessed(Protocol[T_co, A_co]):
    """A view by its elements and its accessor."""

    @property
    def accessor(self) -> A_co:
        """The policy of element access."""
        ...

    def _element(self) -> T_co: ...


class Of(Protocol[T_co]):
    """A view by its elements alone."""

    def _element(self) -> T_co: ...


class Laid(Protocol[M_co]):
    """A view by its layout alone."""

    @property
    def layout(self) -> M_co:
        """Where an index lies."""
        ...


class _Reading(Protocol[R_co]):
    """An accessor by the type that it reads."""

    def _reads(self) -> R_co: ...


class ReadIn(Protocol[S_co, R_co]):
    """A view by its extents and the type that it reads: of the element, or of the value of a proxy."""

    @property
    def extents(self) -> S_co:
        """How many values each index may take."""
        ...

    @property
    def accessor(self) -> _Reading[R_co]:
        """The policy of element access."""
        ...


class Whole(Protocol[T_co, S_co]):
    """A view by its elements and its extents, whatever its layout and accessor."""

    @property
    def extents(self) -> S_co:
        """How many values each index may take."""
        ...

    def _element(self) -> T_co: ...


# What functions of whole views take: a view, or what `asview` takes, in the order of what a checker knows of it.
Source: TypeAlias = Whole[T, S] | ShapedArray[S, T]
AnySource: TypeAlias = Whole[Any, Any] | AnyExporter


class ViewIn(_Placed[S_co, M_co], _Accessed[T_co, A_co], Protocol[T_co, S_co, M_co, A_co]):
    """A view whose layout matches a protocol, one of those below on the layout of a result."""


class MappingIn(_Placed[S_co, M_co], Protocol[S_co, M_co]):
    """A mapping whose layout matches a protocol, as in `ViewIn`. A view is not one, as it cannot be called."""

    def __call__(self, *index: SupportsIndex) -> int: ...


# The layout of the result of a change of the index space. Layouts have these methods for a type checker only, with
# the answer of their base class where they have none of their own.


class RowOf(Protocol[M_co]):
    """The type of a part whose first dimensions are fixed by ints, and all others kept whole."""

    def _as_row(self) -> M_co: ...


class ColumnOf(Protocol[M_co]):
    """The type of a part whose last dimensions are fixed, and all others kept."""

    def _as_column(self) -> M_co: ...


class MiddleOf(Protocol[M_co]):
    """The type of a part whose second of three dimensions is fixed."""

    def _as_middle(self) -> M_co: ...


class SpanOf(Protocol[M_co]):
    """The type of a part whose only dimension becomes a range of stride 1."""

    def _as_span(self) -> M_co: ...


class FrontOf(Protocol[M_co]):
    """The type of a part whose first dimension becomes a range of stride 1, and all others are kept whole."""

    def _as_front(self) -> M_co: ...


class BackOf(Protocol[M_co]):
    """The type of a part whose last dimension becomes a range of stride 1, and all others are kept whole."""

    def _as_back(self) -> M_co: ...


class WholeOf(Protocol[M_co]):
    """The type of a part that keeps two dimensions or more, all of them whole; tiles may turn out to be rows."""

    def _as_whole(self) -> M_co: ...


class PartOf(Protocol[M_co]):
    """Under any slices, flips, permutations and the like: strided if it was."""

    def _as_part(self) -> M_co: ...


class TurnedOf(Protocol[M_co]):
    """The layout of the transpose of a matrix."""

    def _as_turned(self) -> M_co: ...


class ReversedOf(Protocol[M_co]):
    """The layout with the dimensions in reverse order; an empty one may become dense."""

    def _as_reversed(self) -> M_co: ...


class DenseOf(Protocol[M_co]):
    """The layout after dimensions of extent 1 come or go at an end."""

    def _as_dense(self) -> M_co: ...


class ReshapedOf(Protocol[M_co]):
    """The layout after a reshape in C order."""

    def _as_reshaped(self) -> M_co: ...


class UnknownExtents(Protocol[S_co]):
    """A view or a mapping of unknown rank for the checker, as in `UnknownRank`."""

    @property
    def extents(self) -> S_co:
        """How many values each index may take."""
        ...

    def _rank_witness(self, extents: tuple[int, ...], /) -> None: ...


class UnknownRank(_Placed[S_co, M_co], _Accessed[T_co, A_co], Protocol[T_co, S_co, M_co, A_co]):
    """A view of unknown rank for the checker, as in ``MDView[float]`` or of an array whose type tells no shape.

    Views have ``_rank_witness`` for a type checker only. It has the extents in a contravariant position, so this
    protocol matches exactly the views with extents ``tuple[int, ...]`` or ``tuple[Any, ...]``: every rank is a subtype
    of these, and no covariant pattern distinguishes them. Results keep the one of the two, since nothing may be refused
    for a rank that is ``Any``. Its overload comes first, since ``Any`` matches each rank.
    """

    def _rank_witness(self, extents: tuple[int, ...], /) -> None: ...


class Admits(_Accessed[T_co, A_co], Protocol[T_co, E_contra, L_co, A_co]):
    """A view whose extents may turn out to be these: each of them is static there with the same value, or dynamic.

    The extents are in a contravariant position, as in `UnknownRank`. So a checker finds extents that contradict each
    other: the view of the one does not admit the other.
    """

    @property
    def layout(self) -> L_co:
        """Where an index lies."""
        ...

    def _rank_witness(self, extents: E_contra, /) -> None: ...


class Compiled(Protocol[P, R_co]):
    """The compiled function that `jit` returns; here, where nothing of Numba is imported."""

    @property
    def dispatcher(self) -> Any:
        """Numba's object. Any: Numba has no types."""

    @property
    def py_func(self) -> Callable[P, R_co]:
        """The function itself."""
        ...

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Run the compiled function."""
        ...


class Wanted(Protocol[T_co]):
    """An uninhabited type: the parameter of a last overload, which makes a checker's message one line.

    A checker that finds no overload lists them all, unless one has the right number of parameters. This one matches
    every value, as each has a class, but no class is one of those below; their names are the message.
    """

    @property  # type: ignore[misc]
    def __class__(self) -> type[T_co]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        """The type `T_co`."""
        ...


@final
class IndexForEachDimension:
    """An int, a slice, ``...`` or None for each dimension."""


@final
class ViewOfOneRank:
    """A view whose type has a rank, or none; a type variable has neither."""


@final
class IndexForEachDimensionAndValueOfTheElements:
    """An index of the view's rank, and a value of the type of the elements or, for a part, sequences of them."""


@final
class ViewIsWritable:
    """A view whose accessor stores."""


@final
class DataAndThenExtents:
    """Data, and after it extents."""


@final
class ExtentsBesideFittingDataLayoutAndAccessor:
    """A tuple of integers, beside data that can be stored to (or an accessor that reads), a layout, an accessor."""


@final
class ViewAndSliceForEachDimension:
    """A view, and for each dimension an int, `ALL`, or a range in one of its forms."""


@final
class ViewOrMappingAndThenArguments:
    """A view or a mapping, and after it all that the function takes."""


@final
class UnfitFormat:
    """The static result of storing a value in items that cannot hold it."""


@final
class ExtentsLayoutAndDType:
    """A tuple of integers; then, where given, a layout that is made, and a letter, a name or a type of numbers."""


@final
class ExtentsValueLayoutAndDType:
    """A tuple of integers and what every element shall be; then a layout and a dtype, as in `ExtentsLayoutAndDType`."""


@final
class MatrixAsViewOrMapping:
    """A view or a mapping of rank 2."""


@final
class ViewOfThoseExtents:
    """A view, and after it a tuple of integers."""
