"""Protocols for type checkers: views of unknown rank, layouts of results, and messages if no overload matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, SupportsIndex, TypeAlias, TypeVar, final

from typing_extensions import TypeVar as DefaultTypeVar

from mdview.accessors.accessor import Accessor, AnyExporter, ShapedArray
from mdview.index.extents import Dims1, Dims2, Dims3, Dims4, Dims5, Dims6
from mdview.layouts.layout import Layout

__all__ = ["Admits", "AnyRank", "Rank", "UnknownRank", "Wanted"]

# Type variables of the stubs: elements, extents of a known and of any rank, single extents, types of accessors.
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
# Extents of known rank: a view or mapping matches with dynamic extents of its rank. So the signature of a function that
# keeps the rank, but not static extents, takes and returns `Rank`. From rank 7 on, the rank is not distinguished.
Rank = TypeVar("Rank", tuple[()], Dims1, Dims2, Dims3, Dims4, Dims5, Dims6, Rank7Up)
# The type of a shape as an argument, from which a checker reads the rank.
AnyShape = TypeVar("AnyShape", tuple[()], Dims1, Dims2, Dims3, Dims4, Dims5, Dims6, tuple[int, ...])
# Extents of a result that are known only at run time: the type follows from the annotation of the variable.
AnyRank = DefaultTypeVar("AnyRank", bound="tuple[int, ...]", default="tuple[int, ...]")


class _HasExtents(Protocol[S_co]):
    """A view or a mapping with extents of type ``S``."""

    @property
    def extents(self) -> S_co:
        """The number of indices along each dimension."""
        ...


class Of(Protocol[T_co]):
    """A view with elements of type ``T``."""

    def _element(self) -> T_co: ...


class Laid(Protocol[M_co]):
    """A view with a layout of type ``M``."""

    @property
    def layout(self) -> M_co:
        """The layout."""
        ...


class _Placed(_HasExtents[S_co], Laid[M_co], Protocol[S_co, M_co]):
    """A view or a mapping with extents of type ``S`` and a layout of type ``M``."""


class _Accessed(Of[T_co], Protocol[T_co, A_co]):
    """A view with elements of type ``T`` and an accessor of type ``A``."""

    @property
    def accessor(self) -> A_co:
        """The policy of element access."""
        ...


class _Reading(Protocol[R_co]):
    """An accessor whose method ``read`` returns ``R``."""

    def _reads(self) -> R_co: ...


class ReadIn(_HasExtents[S_co], Protocol[S_co, R_co]):
    """A view with extents of type ``S`` whose elements are read as ``R``: the element, or the value of a proxy."""

    @property
    def accessor(self) -> _Reading[R_co]:
        """The policy of element access."""
        ...


class Whole(Of[T_co], _HasExtents[S_co], Protocol[T_co, S_co]):
    """A view with elements of type ``T``, extents of type ``S``, and any layout and accessor."""


# Arguments of functions on whole views: a view, or an argument of `asview`; the types with known elements come first.
Source: TypeAlias = Whole[T, S] | ShapedArray[S, T]
AnySource: TypeAlias = Whole[Any, Any] | AnyExporter


class ViewIn(_Placed[S_co, M_co], _Accessed[T_co, A_co], Protocol[T_co, S_co, M_co, A_co]):
    """A view whose layout matches ``M``, one of the protocols below for the layout of a result."""


class MappingIn(_Placed[S_co, M_co], Protocol[S_co, M_co]):
    """A mapping whose layout matches a protocol, as in `ViewIn`; views are not callable, so they do not match."""

    def __call__(self, *index: SupportsIndex) -> int: ...


# Protocols for the layout of the result of an operation. Layouts have these methods for type checkers only; a class
# without the method inherits that of its base class.


class RowOf(Protocol[M_co]):
    """The type of the layout of a part with ints for the first dimensions and all indices of the other dimensions."""

    def _as_row(self) -> M_co: ...


class ColumnOf(Protocol[M_co]):
    """The type of the layout of a part with ints for the last dimensions and all indices of the other dimensions."""

    def _as_column(self) -> M_co: ...


class MiddleOf(Protocol[M_co]):
    """The type of the layout of a part with an int for the second of three dimensions."""

    def _as_middle(self) -> M_co: ...


class SpanOf(Protocol[M_co]):
    """The type of the layout of a part with a range of stride 1 for the only dimension."""

    def _as_span(self) -> M_co: ...


class FrontOf(Protocol[M_co]):
    """The layout type of a part with a unit-stride range of the first dimension and all indices of the others."""

    def _as_front(self) -> M_co: ...


class BackOf(Protocol[M_co]):
    """The type of the layout of a part with a unit-stride range of the last dimension and all indices of the others."""

    def _as_back(self) -> M_co: ...


class WholeOf(Protocol[M_co]):
    """The type of the layout of a part with all indices of two or more dimensions; it may be strided for tiles."""

    def _as_whole(self) -> M_co: ...


class PartOf(Protocol[M_co]):
    """The type of the layout after any slices, flips or permutations: strided if the source is strided."""

    def _as_part(self) -> M_co: ...


class TurnedOf(Protocol[M_co]):
    """The type of the layout of the transpose of a matrix."""

    def _as_turned(self) -> M_co: ...


class ReversedOf(Protocol[M_co]):
    """The type of the layout with the dimensions in reverse order; for an empty view it may become a dense layout."""

    def _as_reversed(self) -> M_co: ...


class DenseOf(Protocol[M_co]):
    """The type of the layout after dimensions of extent 1 are added or dropped at an end."""

    def _as_dense(self) -> M_co: ...


class ReshapedOf(Protocol[M_co]):
    """The type of the layout after a reshape in C order."""

    def _as_reshaped(self) -> M_co: ...


class UnknownExtents(_HasExtents[S_co], Protocol[S_co]):
    """A view or a mapping whose rank the checker does not know, see `UnknownRank`."""

    def _rank_witness(self, extents: tuple[int, ...], /) -> None: ...


class UnknownRank(_Placed[S_co, M_co], _Accessed[T_co, A_co], Protocol[T_co, S_co, M_co, A_co]):
    """A view whose rank the checker does not know.

    Examples are ``MDView[float]``, and a view of an array whose static type does not state a shape.

    Views have ``_rank_witness`` for type checkers only. The extents are in a contravariant position in its type, so
    this protocol matches exactly the views with extents ``tuple[int, ...]`` or ``tuple[Any, ...]``. In a covariant
    position, extents of any rank would match, as they are a subtype of both. Results keep the type of the source, since
    no call may be refused for a rank that is ``Any``. The overload with this protocol comes first, since ``Any``
    matches any rank.
    """

    def _rank_witness(self, extents: tuple[int, ...], /) -> None: ...


class Admits(Laid[L_co], _Accessed[T_co, A_co], Protocol[T_co, E_contra, L_co, A_co]):
    """A view whose extents may equal the extents ``E`` at run time: each extent is dynamic or has an equal value.

    The extents are in a contravariant position, as in `UnknownRank`. So a checker reports views whose static extents
    differ: the first view does not admit the extents of the second.
    """

    def _rank_witness(self, extents: E_contra, /) -> None: ...


class Compiled(Protocol[P, R_co]):
    """The type of the compiled function that `mdview.numba.jit` returns; its definition needs no import of Numba."""

    @property
    def dispatcher(self) -> Any:
        """Numba's dispatcher. Any: Numba has no static types."""

    @property
    def py_func(self) -> Callable[P, R_co]:
        """The Python function."""
        ...

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Run the compiled function."""
        ...


class Wanted(Protocol[T_co]):
    """An uninhabited type for the parameter of a last overload, which makes the message of a checker a single line.

    If no overload matches, a checker lists all overloads, unless a single overload has the right number of parameters.
    The last overload has this number, and matches no call, since the classes below have no instances. The names of the
    classes are the message.
    """

    @property  # type: ignore[misc]
    def __class__(self) -> type[T_co]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        """The class ``T``."""
        ...


@final
class IndexForEachDimension:
    """An int, a slice, ``...`` or None for each dimension."""


@final
class ViewOfOneRank:
    """A view whose type has a known or an unknown rank, and not a type variable for the rank."""


@final
class IndexForEachDimensionAndValueOfTheElements:
    """An index of the view's rank, and a value of the element type or, for a part, nested sequences of such values."""


@final
class ViewIsWritable:
    """A view whose accessor stores."""


@final
class DataAndThenExtents:
    """Data, followed by extents."""


@final
class ExtentsBesideFittingDataLayoutAndAccessor:
    """A tuple of integers, a layout, an accessor, and data that is writable unless the accessor only reads."""


@final
class ViewAndSliceForEachDimension:
    """A view, and for each dimension an int, `ALL`, or a range in one of its forms."""


@final
class ViewOrMappingAndThenArguments:
    """A view or a mapping, followed by the other arguments of the function."""


@final
class UnfitFormat:
    """The static type of the result of a call that stores a value in items which cannot hold the value."""


@final
class ExtentsLayoutAndDType:
    """A tuple of integers; optionally an instance of a layout, and a letter, a name or a type of numbers."""


@final
class ExtentsValueLayoutAndDType:
    """A tuple of integers and the value of all elements; optionally a layout and a dtype."""


@final
class MatrixAsViewOrMapping:
    """A view or a mapping of rank 2."""


@final
class ViewOfThoseExtents:
    """A view, followed by a tuple of integers."""
