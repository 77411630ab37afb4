"""A view is data seen through a mapping and an accessor: ``view[i, j]`` is ``accessor.load(data, mapping(i, j))``.

`MDView` is the façade over `mdview.views.access`: it says in types what that does. ``MDView[T, Extents, Layout, Accessor]``
has whose elements, which index space, where an index lies and what an access does as four type parameters.
"""

# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

from collections.abc import Iterator
from types import EllipsisType, TracebackType
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, Self, SupportsIndex, TypeAlias, TypeVar, cast, overload

from typing_extensions import TypeVar as DefaultTypeVar

from mdview.accessors.atomic import AtomicAccessor, AtomicRef
from mdview.accessors.base import Accessor, Writable
from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.unchecked import UncheckedAccessor
from mdview.base.integers import as_integer
from mdview.engines.bulk import whole_views
from mdview.errors import RankTypeError
from mdview.index.slices import All
from mdview.layouts.base import Layout
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.narrowest import RIGHT
from mdview.layouts.right import LayoutRight
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.stride import LayoutStride
from mdview.layouts.strided import StridedLayout
from mdview.mappings.mapping import Mapping
from mdview.views.access import ViewAccess
from mdview.views.base import parts_of
from mdview.views.parts import null_mapping
from mdview.views.validation import check_accessor

__all__ = ["MDView", "UnknownRank"]

T = TypeVar("T")
W = TypeVar("W")
R = TypeVar("R")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
A = TypeVar("A", bound=Accessor[object, object])
N0 = TypeVar("N0", bound=int)
N1 = TypeVar("N1", bound=int)
N2 = TypeVar("N2", bound=int)
N3 = TypeVar("N3", bound=int)
# Covariant in all four; what may be stored is checked by `Writable`, which is invariant in its element type.
T_co = TypeVar("T_co", covariant=True)
R_co = TypeVar("R_co", covariant=True)
E_co = DefaultTypeVar("E_co", bound="tuple[int, ...]", covariant=True, default="tuple[int, ...]")
L_co = DefaultTypeVar("L_co", bound=Layout, covariant=True, default=LayoutRight)
A_co = DefaultTypeVar("A_co", bound=Accessor[object, object], covariant=True, default=DefaultAccessor[T_co])
AP_co = TypeVar("AP_co", bound=Accessor[object, object], covariant=True)

DEFAULT: Final[DefaultAccessor[Any]] = DefaultAccessor()

# In quotes: `slice` cannot be subscripted at run time.
Int: TypeAlias = SupportsIndex
Bound: TypeAlias = "SupportsIndex | None"
Whole: TypeAlias = "All | slice[None, None, None]"
Span: TypeAlias = "slice[Bound, Bound, None]"
Steps: TypeAlias = "slice[Bound, Bound, Bound]"
Part: TypeAlias = "Steps | All | EllipsisType"
Spec: TypeAlias = "Int | Part"
Parts1: TypeAlias = "Part | tuple[Part]"
Parts2: TypeAlias = "Spec | tuple[Spec] | tuple[Part, Spec] | tuple[Spec, Part]"
Lead2: TypeAlias = "Spec | tuple[Spec] | tuple[Spec, Spec]"
Parts3: TypeAlias = "Lead2 | tuple[Part, Spec, Spec] | tuple[Spec, Part, Spec] | tuple[Spec, Spec, Part]"
Rest: TypeAlias = tuple[Spec, ...]
Lead3: TypeAlias = "Lead2 | tuple[Spec, Spec, Spec]"
Mixed: TypeAlias = "tuple[Part, *Rest] | tuple[Spec, Part, *Rest] | tuple[Spec, Spec, Part, *Rest]"
PartsN: TypeAlias = "Lead3 | Mixed | tuple[Spec, Spec, Spec, Part, *Rest]"
Rank4Up: TypeAlias = tuple[int, int, int, int, *tuple[int, ...]]


class Indexable(Protocol[T_co]):
    """Anything a view can look at: a buffer or a sequence."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> T_co: ...


class UnknownRank(Protocol[T_co, AP_co]):
    """A view whose rank the checker does not know, as in ``MDView[float]``."""

    @property
    def accessor(self) -> AP_co:
        """What an access does."""
        ...

    def _element(self) -> T_co: ...
    def _rank_witness(self, extents: tuple[int, ...], /) -> None: ...


# What may be stored where the elements are W. An AtomicRef because `v[i] += 1` stores back what `v[i]` was.
Stored: TypeAlias = W | AtomicRef[W]
Fill: TypeAlias = "W | MDView[W, tuple[int, ...], Layout, Accessor[W, W]]"


class MDView(ViewAccess, Generic[T_co, E_co, L_co, A_co]):
    """A multidimensional view of data that it does not own; making one copies nothing.

    Parameters
    ----------
    data
        Any contiguous buffer (``array.array``, ``bytearray``, ``bytes``, ``mmap``, ``memoryview``, a NumPy array) or
        sequence (``list``); None makes the null view. Buffers are kept alive and locked.
    extents
        How many values each index may take; ``dim(n)`` makes one static.
    layout
        Where an index lies in the data; C order by default.
    accessor
        What an access does; plain elements under Python's index rules by default.

    Raises
    ------
    ExtentsError, LayoutError, RankError
        The extents or the layout break their rules.
    BufferSizeError
        The data has fewer elements than the mapping spans.
    BufferFormatError
        The data is no contiguous buffer or sequence, or its element format cannot be read.
    ReadOnlyError
        The data is read-only and the accessor stores.

    >>> view = MDView(list(range(12)), (3, 4))
    >>> view[2, 1], view[:, 1].tolist()
    (9, [1, 5, 9])
    """

    __slots__ = ()

    if TYPE_CHECKING:
        # E in a contravariant place, which makes `UnknownRank` match exactly the views whose extents are
        # `tuple[int, ...]`; every rank is a subtype of that, so no covariant pattern can tell them apart.
        def _rank_witness(self, extents: E_co, /) -> None: ...  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues]
        def _element(self) -> T_co: ...

    # BEGIN generated by tests/typing/generate_signatures.py: constructor
    # fmt: off
    if TYPE_CHECKING:  # at run time every overload would cost a part of the import
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[()]) -> MDView[T, tuple[()], LayoutRight, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[()], layout: L) -> MDView[T, tuple[()], L, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[()], layout: L, accessor: A) -> MDView[T, tuple[()], L, A]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[()], *, accessor: A) -> MDView[T, tuple[()], LayoutRight, A]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0]) -> MDView[T, tuple[N0], LayoutRight, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], layout: L) -> MDView[T, tuple[N0], L, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], layout: L, accessor: DefaultAccessor[T]) -> MDView[T, tuple[N0], L, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], *, accessor: DefaultAccessor[T]) -> MDView[T, tuple[N0], LayoutRight, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], layout: L, accessor: CheckedAccessor[T]) -> MDView[T, tuple[N0], L, CheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], *, accessor: CheckedAccessor[T]) -> MDView[T, tuple[N0], LayoutRight, CheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], layout: L, accessor: UncheckedAccessor[T]) -> MDView[T, tuple[N0], L, UncheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], *, accessor: UncheckedAccessor[T]) -> MDView[T, tuple[N0], LayoutRight, UncheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], layout: L, accessor: ReadOnlyAccessor[T]) -> MDView[T, tuple[N0], L, ReadOnlyAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], *, accessor: ReadOnlyAccessor[T]) -> MDView[T, tuple[N0], LayoutRight, ReadOnlyAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], layout: L, accessor: AtomicAccessor[T]) -> MDView[T, tuple[N0], L, AtomicAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], *, accessor: AtomicAccessor[T]) -> MDView[T, tuple[N0], LayoutRight, AtomicAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], layout: L, accessor: A) -> MDView[T, tuple[N0], L, A]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0], *, accessor: A) -> MDView[T, tuple[N0], LayoutRight, A]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1]) -> MDView[T, tuple[N0, N1], LayoutRight, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], layout: L) -> MDView[T, tuple[N0, N1], L, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], layout: L, accessor: DefaultAccessor[T]) -> MDView[T, tuple[N0, N1], L, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], *, accessor: DefaultAccessor[T]) -> MDView[T, tuple[N0, N1], LayoutRight, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], layout: L, accessor: CheckedAccessor[T]) -> MDView[T, tuple[N0, N1], L, CheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], *, accessor: CheckedAccessor[T]) -> MDView[T, tuple[N0, N1], LayoutRight, CheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], layout: L, accessor: UncheckedAccessor[T]) -> MDView[T, tuple[N0, N1], L, UncheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], *, accessor: UncheckedAccessor[T]) -> MDView[T, tuple[N0, N1], LayoutRight, UncheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], layout: L, accessor: ReadOnlyAccessor[T]) -> MDView[T, tuple[N0, N1], L, ReadOnlyAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], *, accessor: ReadOnlyAccessor[T]) -> MDView[T, tuple[N0, N1], LayoutRight, ReadOnlyAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], layout: L, accessor: AtomicAccessor[T]) -> MDView[T, tuple[N0, N1], L, AtomicAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], *, accessor: AtomicAccessor[T]) -> MDView[T, tuple[N0, N1], LayoutRight, AtomicAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], layout: L, accessor: A) -> MDView[T, tuple[N0, N1], L, A]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1], *, accessor: A) -> MDView[T, tuple[N0, N1], LayoutRight, A]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2]) -> MDView[T, tuple[N0, N1, N2], LayoutRight, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], layout: L) -> MDView[T, tuple[N0, N1, N2], L, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], layout: L, accessor: DefaultAccessor[T]) -> MDView[T, tuple[N0, N1, N2], L, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], *, accessor: DefaultAccessor[T]) -> MDView[T, tuple[N0, N1, N2], LayoutRight, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], layout: L, accessor: CheckedAccessor[T]) -> MDView[T, tuple[N0, N1, N2], L, CheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], *, accessor: CheckedAccessor[T]) -> MDView[T, tuple[N0, N1, N2], LayoutRight, CheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], layout: L, accessor: UncheckedAccessor[T]) -> MDView[T, tuple[N0, N1, N2], L, UncheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], *, accessor: UncheckedAccessor[T]) -> MDView[T, tuple[N0, N1, N2], LayoutRight, UncheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], layout: L, accessor: ReadOnlyAccessor[T]) -> MDView[T, tuple[N0, N1, N2], L, ReadOnlyAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], *, accessor: ReadOnlyAccessor[T]) -> MDView[T, tuple[N0, N1, N2], LayoutRight, ReadOnlyAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], layout: L, accessor: AtomicAccessor[T]) -> MDView[T, tuple[N0, N1, N2], L, AtomicAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], *, accessor: AtomicAccessor[T]) -> MDView[T, tuple[N0, N1, N2], LayoutRight, AtomicAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], layout: L, accessor: A) -> MDView[T, tuple[N0, N1, N2], L, A]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2], *, accessor: A) -> MDView[T, tuple[N0, N1, N2], LayoutRight, A]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2, N3]) -> MDView[T, tuple[N0, N1, N2, N3], LayoutRight, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2, N3], layout: L) -> MDView[T, tuple[N0, N1, N2, N3], L, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2, N3], layout: L, accessor: A) -> MDView[T, tuple[N0, N1, N2, N3], L, A]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: tuple[N0, N1, N2, N3], *, accessor: A) -> MDView[T, tuple[N0, N1, N2, N3], LayoutRight, A]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E) -> MDView[T, E, LayoutRight, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, layout: L) -> MDView[T, E, L, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, layout: L, accessor: DefaultAccessor[T]) -> MDView[T, E, L, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, *, accessor: DefaultAccessor[T]) -> MDView[T, E, LayoutRight, DefaultAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, layout: L, accessor: CheckedAccessor[T]) -> MDView[T, E, L, CheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, *, accessor: CheckedAccessor[T]) -> MDView[T, E, LayoutRight, CheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, layout: L, accessor: UncheckedAccessor[T]) -> MDView[T, E, L, UncheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, *, accessor: UncheckedAccessor[T]) -> MDView[T, E, LayoutRight, UncheckedAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, layout: L, accessor: ReadOnlyAccessor[T]) -> MDView[T, E, L, ReadOnlyAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, *, accessor: ReadOnlyAccessor[T]) -> MDView[T, E, LayoutRight, ReadOnlyAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, layout: L, accessor: AtomicAccessor[T]) -> MDView[T, E, L, AtomicAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, *, accessor: AtomicAccessor[T]) -> MDView[T, E, LayoutRight, AtomicAccessor[T]]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, layout: L, accessor: A) -> MDView[T, E, L, A]: ...
        @overload
        def __new__(cls, data: Indexable[T], extents: E, *, accessor: A) -> MDView[T, E, LayoutRight, A]: ...
    # fmt: on
    # END generated
    def __new__(cls, data: Indexable[Any] | None, extents: Any, layout: Any = None, accessor: Any = None) -> Any:
        """See the class."""
        policy: Accessor[Any, Any] = DEFAULT if accessor is None else check_accessor(accessor)
        return cls._over(data, extents, RIGHT if layout is None else layout, policy)

    @overload
    @classmethod
    def from_mapping(
        cls, data: Indexable[T], mapping: Mapping[E, L], *, origin: int = 0
    ) -> MDView[T, E, L, DefaultAccessor[T]]: ...
    @overload
    @classmethod
    def from_mapping(
        cls, data: Indexable[T], mapping: Mapping[E, L], accessor: A, *, origin: int = 0
    ) -> MDView[T, E, L, A]: ...
    @classmethod
    def from_mapping(
        cls, data: Indexable[Any] | None, mapping: Mapping[Any, Any], accessor: Any = None, *, origin: int = 0
    ) -> Any:
        """Look at ``data`` through ``mapping``, whose offset 0 lies at position ``origin`` of the data."""
        policy: Accessor[Any, Any] = DEFAULT if accessor is None else check_accessor(accessor)
        return cls._of(data, int(as_integer(origin, "an origin")), mapping, policy)

    @classmethod
    def null(cls, extents: E) -> MDView[Any, E]:
        """Null view: no data; dynamic extents count as 0, static ones keep their value. Any: it has no elements."""
        return cast("MDView[Any, E]", cls._make(None, 0, null_mapping(Mapping(extents)), DefaultAccessor()))

    @overload
    def __getitem__(self: MDView[object, tuple[()], Layout, Accessor[object, R]], index: tuple[()], /) -> R: ...
    @overload
    def __getitem__(self: MDView[object, tuple[int], Layout, Accessor[object, R]], index: Int | tuple[Int], /) -> R: ...
    @overload
    def __getitem__(
        self: MDView[object, tuple[int, int], Layout, Accessor[object, R]], index: tuple[Int, Int], /
    ) -> R: ...
    @overload
    def __getitem__(
        self: MDView[object, tuple[int, int, int], Layout, Accessor[object, R]], index: tuple[Int, Int, Int], /
    ) -> R: ...
    @overload
    def __getitem__(
        self: MDView[object, tuple[int, int, int, int], Layout, Accessor[object, R]],
        index: tuple[Int, Int, Int, Int],
        /,
    ) -> R: ...
    @overload
    def __getitem__(
        self: MDView[object, tuple[int, int, int, int, int], Layout, Accessor[object, R]],
        index: tuple[Int, Int, Int, Int, Int],
        /,
    ) -> R: ...
    @overload
    def __getitem__(
        self: MDView[object, tuple[int, int, int, int, int, int], Layout, Accessor[object, R]],
        index: tuple[Int, Int, Int, Int, Int, Int],
        /,
    ) -> R: ...

    # BEGIN generated by tests/typing/generate_signatures.py: brackets
    # fmt: off
    if TYPE_CHECKING:  # at run time every overload would cost a part of the import
        @overload
        def __getitem__(self: MDView[T, tuple[N0], LayoutRight, A], index: Whole | EllipsisType | tuple[Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0], LayoutLeft, A], index: Whole | EllipsisType | tuple[Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0], LayoutStride, A], index: Whole | EllipsisType | tuple[Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0], StridedLayout, A], index: Whole | EllipsisType | tuple[Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0], Layout, A], index: Whole | EllipsisType | tuple[Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int], LayoutRight, A], index: Span | tuple[Span], /) -> MDView[T, tuple[int], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int], LayoutLeft, A], index: Span | tuple[Span], /) -> MDView[T, tuple[int], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int], StridedLayout, A], index: Steps | tuple[Steps], /) -> MDView[T, tuple[int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int], Layout, A], index: Steps | tuple[Steps], /) -> MDView[T, tuple[int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1], LayoutRight, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1], LayoutLeft | LayoutStride, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1], StridedLayout, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1], Layout, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int], LayoutRight, A], index: tuple[Int, Span], /) -> MDView[T, tuple[int], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int], StridedLayout, A], index: tuple[Int, Steps], /) -> MDView[T, tuple[int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int], Layout, A], index: tuple[Int, Steps], /) -> MDView[T, tuple[int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int], LayoutRight | LayoutStride, A], index: tuple[Whole, Int] | tuple[EllipsisType, Int], /) -> MDView[T, tuple[N0], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int], LayoutLeft, A], index: tuple[Whole, Int] | tuple[EllipsisType, Int], /) -> MDView[T, tuple[N0], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int], StridedLayout, A], index: tuple[Whole, Int] | tuple[EllipsisType, Int], /) -> MDView[T, tuple[N0], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int], Layout, A], index: tuple[Whole, Int] | tuple[EllipsisType, Int], /) -> MDView[T, tuple[N0], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1], LayoutRight, A], index: Whole | EllipsisType | tuple[Whole] | tuple[Whole, Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0, N1], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1], LayoutLeft, A], index: Whole | EllipsisType | tuple[Whole] | tuple[Whole, Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0, N1], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1], LayoutStride, A], index: Whole | EllipsisType | tuple[Whole] | tuple[Whole, Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0, N1], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1], StridedLayout, A], index: Whole | EllipsisType | tuple[Whole] | tuple[Whole, Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0, N1], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1], Layout, A], index: Whole | EllipsisType | tuple[Whole] | tuple[Whole, Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0, N1], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int], LayoutLeft, A], index: tuple[Whole, Span] | tuple[EllipsisType, Span], /) -> MDView[T, tuple[N0, int], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int], StridedLayout, A], index: tuple[Whole, Steps] | tuple[EllipsisType, Steps], /) -> MDView[T, tuple[N0, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int], Layout, A], index: tuple[Whole, Steps] | tuple[EllipsisType, Steps], /) -> MDView[T, tuple[N0, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int], LayoutLeft, A], index: tuple[Span, Int], /) -> MDView[T, tuple[int], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int], StridedLayout, A], index: tuple[Steps, Int], /) -> MDView[T, tuple[int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int], Layout, A], index: tuple[Steps, Int], /) -> MDView[T, tuple[int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1], LayoutRight, A], index: Span | tuple[Span] | tuple[Span, Whole] | tuple[Span, EllipsisType], /) -> MDView[T, tuple[int, N1], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1], StridedLayout, A], index: Steps | tuple[Steps] | tuple[Steps, Whole] | tuple[Steps, EllipsisType], /) -> MDView[T, tuple[int, N1], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1], Layout, A], index: Steps | tuple[Steps] | tuple[Steps, Whole] | tuple[Steps, EllipsisType], /) -> MDView[T, tuple[int, N1], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int], StridedLayout, A], index: tuple[Steps, Steps], /) -> MDView[T, tuple[int, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int], Layout, A], index: tuple[Steps, Steps], /) -> MDView[T, tuple[int, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, N2], LayoutRight, A], index: tuple[Int, Int] | tuple[Int, Int, Whole] | tuple[Int, Int, EllipsisType], /) -> MDView[T, tuple[N2], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, N2], LayoutLeft | LayoutStride, A], index: tuple[Int, Int] | tuple[Int, Int, Whole] | tuple[Int, Int, EllipsisType], /) -> MDView[T, tuple[N2], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, N2], StridedLayout, A], index: tuple[Int, Int] | tuple[Int, Int, Whole] | tuple[Int, Int, EllipsisType], /) -> MDView[T, tuple[N2], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, N2], Layout, A], index: tuple[Int, Int] | tuple[Int, Int, Whole] | tuple[Int, Int, EllipsisType], /) -> MDView[T, tuple[N2], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], LayoutRight, A], index: tuple[Int, Int, Span], /) -> MDView[T, tuple[int], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], StridedLayout, A], index: tuple[Int, Int, Steps], /) -> MDView[T, tuple[int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], Layout, A], index: tuple[Int, Int, Steps], /) -> MDView[T, tuple[int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, int], LayoutRight | LayoutLeft | LayoutStride, A], index: tuple[Int, Whole, Int] | tuple[Int, EllipsisType, Int], /) -> MDView[T, tuple[N1], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, int], StridedLayout, A], index: tuple[Int, Whole, Int] | tuple[Int, EllipsisType, Int], /) -> MDView[T, tuple[N1], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, int], Layout, A], index: tuple[Int, Whole, Int] | tuple[Int, EllipsisType, Int], /) -> MDView[T, tuple[N1], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, N2], LayoutRight, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, Whole, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1, N2], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, N2], LayoutLeft | LayoutStride, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, Whole, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1, N2], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, N2], StridedLayout, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, Whole, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1, N2], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, N2], Layout, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, Whole, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1, N2], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, int], StridedLayout, A], index: tuple[Int, Whole, Steps] | tuple[Int, EllipsisType, Steps], /) -> MDView[T, tuple[N1, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, int], Layout, A], index: tuple[Int, Whole, Steps] | tuple[Int, EllipsisType, Steps], /) -> MDView[T, tuple[N1, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], StridedLayout, A], index: tuple[Int, Steps, Int], /) -> MDView[T, tuple[int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], Layout, A], index: tuple[Int, Steps, Int], /) -> MDView[T, tuple[int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, N2], LayoutRight, A], index: tuple[Int, Span] | tuple[Int, Span, Whole] | tuple[Int, Span, EllipsisType], /) -> MDView[T, tuple[int, N2], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, N2], StridedLayout, A], index: tuple[Int, Steps] | tuple[Int, Steps, Whole] | tuple[Int, Steps, EllipsisType], /) -> MDView[T, tuple[int, N2], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, N2], Layout, A], index: tuple[Int, Steps] | tuple[Int, Steps, Whole] | tuple[Int, Steps, EllipsisType], /) -> MDView[T, tuple[int, N2], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], StridedLayout, A], index: tuple[Int, Steps, Steps], /) -> MDView[T, tuple[int, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], Layout, A], index: tuple[Int, Steps, Steps], /) -> MDView[T, tuple[int, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, int], LayoutRight | LayoutStride, A], index: tuple[Whole, Int, Int] | tuple[EllipsisType, Int, Int], /) -> MDView[T, tuple[N0], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, int], LayoutLeft, A], index: tuple[Whole, Int, Int] | tuple[EllipsisType, Int, Int], /) -> MDView[T, tuple[N0], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, int], StridedLayout, A], index: tuple[Whole, Int, Int] | tuple[EllipsisType, Int, Int], /) -> MDView[T, tuple[N0], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, int], Layout, A], index: tuple[Whole, Int, Int] | tuple[EllipsisType, Int, Int], /) -> MDView[T, tuple[N0], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, N2], LayoutRight, A], index: tuple[Whole, Int] | tuple[Whole, Int, Whole] | tuple[EllipsisType, Int, Whole], /) -> MDView[T, tuple[N0, N2], LayoutRightPadded, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, N2], LayoutLeft, A], index: tuple[Whole, Int] | tuple[Whole, Int, Whole] | tuple[EllipsisType, Int, Whole], /) -> MDView[T, tuple[N0, N2], LayoutLeftPadded, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, N2], LayoutStride, A], index: tuple[Whole, Int] | tuple[Whole, Int, Whole] | tuple[EllipsisType, Int, Whole], /) -> MDView[T, tuple[N0, N2], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, N2], StridedLayout, A], index: tuple[Whole, Int] | tuple[Whole, Int, Whole] | tuple[EllipsisType, Int, Whole], /) -> MDView[T, tuple[N0, N2], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, N2], Layout, A], index: tuple[Whole, Int] | tuple[Whole, Int, Whole] | tuple[EllipsisType, Int, Whole], /) -> MDView[T, tuple[N0, N2], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, int], StridedLayout, A], index: tuple[Whole, Int, Steps] | tuple[EllipsisType, Int, Steps], /) -> MDView[T, tuple[N0, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, int], Layout, A], index: tuple[Whole, Int, Steps] | tuple[EllipsisType, Int, Steps], /) -> MDView[T, tuple[N0, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, int], LayoutRight | LayoutStride, A], index: tuple[Whole, Whole, Int] | tuple[EllipsisType, Int], /) -> MDView[T, tuple[N0, N1], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, int], LayoutLeft, A], index: tuple[Whole, Whole, Int] | tuple[EllipsisType, Int], /) -> MDView[T, tuple[N0, N1], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, int], StridedLayout, A], index: tuple[Whole, Whole, Int] | tuple[EllipsisType, Int], /) -> MDView[T, tuple[N0, N1], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, int], Layout, A], index: tuple[Whole, Whole, Int] | tuple[EllipsisType, Int], /) -> MDView[T, tuple[N0, N1], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, N2], LayoutRight, A], index: Whole | EllipsisType | tuple[Whole] | tuple[Whole, Whole] | tuple[Whole, Whole, Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0, N1, N2], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, N2], LayoutLeft, A], index: Whole | EllipsisType | tuple[Whole] | tuple[Whole, Whole] | tuple[Whole, Whole, Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0, N1, N2], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, N2], LayoutStride, A], index: Whole | EllipsisType | tuple[Whole] | tuple[Whole, Whole] | tuple[Whole, Whole, Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0, N1, N2], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, N2], StridedLayout, A], index: Whole | EllipsisType | tuple[Whole] | tuple[Whole, Whole] | tuple[Whole, Whole, Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0, N1, N2], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, N2], Layout, A], index: Whole | EllipsisType | tuple[Whole] | tuple[Whole, Whole] | tuple[Whole, Whole, Whole] | tuple[EllipsisType], /) -> MDView[T, tuple[N0, N1, N2], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, int], LayoutLeft, A], index: tuple[Whole, Whole, Span] | tuple[EllipsisType, Span], /) -> MDView[T, tuple[N0, N1, int], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, int], StridedLayout, A], index: tuple[Whole, Whole, Steps] | tuple[EllipsisType, Steps], /) -> MDView[T, tuple[N0, N1, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, N1, int], Layout, A], index: tuple[Whole, Whole, Steps] | tuple[EllipsisType, Steps], /) -> MDView[T, tuple[N0, N1, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, int], LayoutLeft, A], index: tuple[Whole, Span, Int] | tuple[EllipsisType, Span, Int], /) -> MDView[T, tuple[N0, int], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, int], StridedLayout, A], index: tuple[Whole, Steps, Int] | tuple[EllipsisType, Steps, Int], /) -> MDView[T, tuple[N0, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, int], Layout, A], index: tuple[Whole, Steps, Int] | tuple[EllipsisType, Steps, Int], /) -> MDView[T, tuple[N0, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, N2], StridedLayout, A], index: tuple[Whole, Steps] | tuple[Whole, Steps, Whole] | tuple[EllipsisType, Steps, Whole], /) -> MDView[T, tuple[N0, int, N2], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, N2], Layout, A], index: tuple[Whole, Steps] | tuple[Whole, Steps, Whole] | tuple[EllipsisType, Steps, Whole], /) -> MDView[T, tuple[N0, int, N2], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, int], StridedLayout, A], index: tuple[Whole, Steps, Steps] | tuple[EllipsisType, Steps, Steps], /) -> MDView[T, tuple[N0, int, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[N0, int, int], Layout, A], index: tuple[Whole, Steps, Steps] | tuple[EllipsisType, Steps, Steps], /) -> MDView[T, tuple[N0, int, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], LayoutLeft, A], index: tuple[Span, Int, Int], /) -> MDView[T, tuple[int], LayoutLeft, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], StridedLayout, A], index: tuple[Steps, Int, Int], /) -> MDView[T, tuple[int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], Layout, A], index: tuple[Steps, Int, Int], /) -> MDView[T, tuple[int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, N2], StridedLayout, A], index: tuple[Steps, Int] | tuple[Steps, Int, Whole] | tuple[Steps, Int, EllipsisType], /) -> MDView[T, tuple[int, N2], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, N2], Layout, A], index: tuple[Steps, Int] | tuple[Steps, Int, Whole] | tuple[Steps, Int, EllipsisType], /) -> MDView[T, tuple[int, N2], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], StridedLayout, A], index: tuple[Steps, Int, Steps], /) -> MDView[T, tuple[int, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], Layout, A], index: tuple[Steps, Int, Steps], /) -> MDView[T, tuple[int, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, int], StridedLayout, A], index: tuple[Steps, Whole, Int] | tuple[Steps, EllipsisType, Int], /) -> MDView[T, tuple[int, N1], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, int], Layout, A], index: tuple[Steps, Whole, Int] | tuple[Steps, EllipsisType, Int], /) -> MDView[T, tuple[int, N1], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, N2], LayoutRight, A], index: Span | tuple[Span] | tuple[Span, Whole] | tuple[Span, Whole, Whole] | tuple[Span, EllipsisType], /) -> MDView[T, tuple[int, N1, N2], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, N2], StridedLayout, A], index: Steps | tuple[Steps] | tuple[Steps, Whole] | tuple[Steps, Whole, Whole] | tuple[Steps, EllipsisType], /) -> MDView[T, tuple[int, N1, N2], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, N2], Layout, A], index: Steps | tuple[Steps] | tuple[Steps, Whole] | tuple[Steps, Whole, Whole] | tuple[Steps, EllipsisType], /) -> MDView[T, tuple[int, N1, N2], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, int], StridedLayout, A], index: tuple[Steps, Whole, Steps] | tuple[Steps, EllipsisType, Steps], /) -> MDView[T, tuple[int, N1, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, int], Layout, A], index: tuple[Steps, Whole, Steps] | tuple[Steps, EllipsisType, Steps], /) -> MDView[T, tuple[int, N1, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], StridedLayout, A], index: tuple[Steps, Steps, Int], /) -> MDView[T, tuple[int, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], Layout, A], index: tuple[Steps, Steps, Int], /) -> MDView[T, tuple[int, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, N2], StridedLayout, A], index: tuple[Steps, Steps] | tuple[Steps, Steps, Whole] | tuple[Steps, Steps, EllipsisType], /) -> MDView[T, tuple[int, int, N2], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, N2], Layout, A], index: tuple[Steps, Steps] | tuple[Steps, Steps, Whole] | tuple[Steps, Steps, EllipsisType], /) -> MDView[T, tuple[int, int, N2], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], StridedLayout, A], index: tuple[Steps, Steps, Steps], /) -> MDView[T, tuple[int, int, int], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, int, int], Layout, A], index: tuple[Steps, Steps, Steps], /) -> MDView[T, tuple[int, int, int], Layout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, N2, N3], LayoutRight, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, Whole, Whole] | tuple[Int, Whole, Whole, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1, N2, N3], LayoutRight, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, N2, N3], LayoutLeft | LayoutStride, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, Whole, Whole] | tuple[Int, Whole, Whole, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1, N2, N3], LayoutStride, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, N2, N3], StridedLayout, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, Whole, Whole] | tuple[Int, Whole, Whole, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1, N2, N3], StridedLayout, A]: ...
        @overload
        def __getitem__(self: MDView[T, tuple[int, N1, N2, N3], Layout, A], index: Int | tuple[Int] | tuple[Int, Whole] | tuple[Int, Whole, Whole] | tuple[Int, Whole, Whole, Whole] | tuple[Int, EllipsisType], /) -> MDView[T, tuple[N1, N2, N3], Layout, A]: ...
    # fmt: on
    # END generated
    @overload
    def __getitem__(self: MDView[T, Rank4Up, Layout, A], index: PartsN, /) -> MDView[T, tuple[int, ...], Layout, A]: ...
    # Of unknown rank, `v[i, j]` is an element or a row; Any, because a union would be of no use without a cast.
    @overload
    def __getitem__(self: UnknownRank[T, A], index: Int | tuple[Int, ...], /) -> Any: ...
    @overload
    def __getitem__(
        self: UnknownRank[T, A], index: Part | tuple[Spec, ...], /
    ) -> MDView[T, tuple[int, ...], Layout, A]: ...
    def __getitem__(self, index: Any, /) -> Any:
        """Element of an index, or subview of a key with a slice or too few indices, by NumPy's basic indexing."""
        return self._get(index)

    @overload
    def __setitem__(
        self: MDView[object, tuple[()], Layout, Writable[W, object]], index: tuple[()], value: Stored[W], /
    ) -> None: ...
    @overload
    def __setitem__(
        self: MDView[object, tuple[int], Layout, Writable[W, object]], index: Int | tuple[Int], value: Stored[W], /
    ) -> None: ...
    @overload
    def __setitem__(
        self: MDView[object, tuple[int, int], Layout, Writable[W, object]], index: tuple[Int, Int], value: Stored[W], /
    ) -> None: ...
    @overload
    def __setitem__(
        self: MDView[object, tuple[int, int, int], Layout, Writable[W, object]],
        index: tuple[Int, Int, Int],
        value: Stored[W],
        /,
    ) -> None: ...
    @overload
    def __setitem__(
        self: MDView[object, tuple[int, int, int, int], Layout, Writable[W, object]],
        index: tuple[Int, Int, Int, Int],
        value: Stored[W],
        /,
    ) -> None: ...
    @overload
    def __setitem__(
        self: MDView[object, tuple[int, int, int, int, int], Layout, Writable[W, object]],
        index: tuple[Int, Int, Int, Int, Int],
        value: Stored[W],
        /,
    ) -> None: ...
    @overload
    def __setitem__(
        self: MDView[object, tuple[int, int, int, int, int, int], Layout, Writable[W, object]],
        index: tuple[Int, Int, Int, Int, Int, Int],
        value: Stored[W],
        /,
    ) -> None: ...
    @overload
    def __setitem__(
        self: MDView[object, tuple[int], Layout, Writable[W, object]], index: Parts1, value: Fill[W], /
    ) -> None: ...
    @overload
    def __setitem__(
        self: MDView[object, tuple[int, int], Layout, Writable[W, object]], index: Parts2, value: Fill[W], /
    ) -> None: ...
    @overload
    def __setitem__(
        self: MDView[object, tuple[int, int, int], Layout, Writable[W, object]], index: Parts3, value: Fill[W], /
    ) -> None: ...
    @overload
    def __setitem__(
        self: MDView[object, Rank4Up, Layout, Writable[W, object]], index: PartsN, value: Fill[W], /
    ) -> None: ...
    @overload
    def __setitem__(
        self: UnknownRank[object, Writable[W, object]], index: Spec | tuple[Spec, ...], value: Fill[W], /
    ) -> None: ...
    def __setitem__(self, index: Any, value: Any, /) -> None:
        """Store an element; through a slice, copy from a view or sequence of that shape, or fill with a value."""
        self._set(index, value)

    def at(self: MDView[object, tuple[int, ...], Layout, Accessor[object, R]], index: tuple[int, ...], /) -> R:
        """Rank-generic access; accepts surplus zeros."""
        return cast("R", self._at(index))

    @overload
    def __iter__(self: MDView[object, tuple[int], Layout, Accessor[object, R]]) -> Iterator[R]: ...
    @overload
    def __iter__(self: MDView[T, tuple[int, N1], LayoutRight, A]) -> Iterator[MDView[T, tuple[N1], LayoutRight, A]]: ...
    @overload
    def __iter__(
        self: MDView[T, tuple[int, N1], LayoutLeft | LayoutStride, A],
    ) -> Iterator[MDView[T, tuple[N1], LayoutStride, A]]: ...
    @overload
    def __iter__(
        self: MDView[T, tuple[int, N1], StridedLayout, A],
    ) -> Iterator[MDView[T, tuple[N1], StridedLayout, A]]: ...
    @overload
    def __iter__(self: MDView[T, tuple[int, N1], Layout, A]) -> Iterator[MDView[T, tuple[N1], Layout, A]]: ...
    @overload
    def __iter__(
        self: MDView[T, tuple[int, N1, N2], LayoutRight, A],
    ) -> Iterator[MDView[T, tuple[N1, N2], LayoutRight, A]]: ...
    @overload
    def __iter__(
        self: MDView[T, tuple[int, N1, N2], LayoutLeft | LayoutStride, A],
    ) -> Iterator[MDView[T, tuple[N1, N2], LayoutStride, A]]: ...
    @overload
    def __iter__(
        self: MDView[T, tuple[int, N1, N2], StridedLayout, A],
    ) -> Iterator[MDView[T, tuple[N1, N2], StridedLayout, A]]: ...
    @overload
    def __iter__(self: MDView[T, tuple[int, N1, N2], Layout, A]) -> Iterator[MDView[T, tuple[N1, N2], Layout, A]]: ...
    @overload
    def __iter__(
        self: MDView[T, tuple[int, N1, N2, N3], LayoutRight, A],
    ) -> Iterator[MDView[T, tuple[N1, N2, N3], LayoutRight, A]]: ...
    @overload
    def __iter__(
        self: MDView[T, tuple[int, N1, N2, N3], LayoutLeft | LayoutStride, A],
    ) -> Iterator[MDView[T, tuple[N1, N2, N3], LayoutStride, A]]: ...
    @overload
    def __iter__(
        self: MDView[T, tuple[int, N1, N2, N3], StridedLayout, A],
    ) -> Iterator[MDView[T, tuple[N1, N2, N3], StridedLayout, A]]: ...
    @overload
    def __iter__(
        self: MDView[T, tuple[int, N1, N2, N3], Layout, A],
    ) -> Iterator[MDView[T, tuple[N1, N2, N3], Layout, A]]: ...
    @overload
    def __iter__(self: MDView[T, Rank4Up, Layout, A]) -> Iterator[MDView[T, tuple[int, ...], Layout, A]]: ...
    @overload
    def __iter__(self: UnknownRank[T, A]) -> Iterator[Any]: ...  # elements or rows, see __getitem__
    def __iter__(self) -> Iterator[Any]:
        """Elements of a view of rank 1; at higher ranks, subviews along dimension 0."""
        return self._rows()

    @overload
    def tolist(self: MDView[object, tuple[()], Layout, Accessor[object, R]]) -> R: ...
    @overload
    def tolist(self: MDView[object, tuple[int], Layout, Accessor[object, R]]) -> list[R]: ...
    @overload
    def tolist(self: MDView[object, tuple[int, int], Layout, Accessor[object, R]]) -> list[list[R]]: ...
    @overload
    def tolist(self: MDView[object, tuple[int, int, int], Layout, Accessor[object, R]]) -> list[list[list[R]]]: ...
    @overload
    def tolist(
        self: MDView[object, tuple[int, int, int, int], Layout, Accessor[object, R]],
    ) -> list[list[list[list[R]]]]: ...
    @overload
    def tolist(
        self: MDView[object, tuple[int, int, int, int, int], Layout, Accessor[object, R]],
    ) -> list[list[list[list[list[R]]]]]: ...
    @overload
    def tolist(
        self: MDView[object, tuple[int, int, int, int, int, int], Layout, Accessor[object, R]],
    ) -> list[list[list[list[list[list[R]]]]]]: ...
    @overload
    def tolist(self) -> Any: ...  # nested lists as deep as the rank, which is not known here
    def tolist(self) -> Any:
        """Nested lists of the elements."""
        return whole_views.nested(parts_of(self).values(), self._mapping.extents)

    def __len__(self) -> int:
        """Extent of dimension 0."""
        if not self._mapping.extents:
            message = "a view of rank 0 has no length"
            raise RankTypeError(message)
        return int(self._mapping.extents[0])

    @property
    def strides(self: MDView[object, tuple[int, ...], StridedLayout, Accessor[object, object]]) -> tuple[int, ...]:
        """The strides, in elements."""
        return self.mapping.strides

    def stride(self: MDView[object, tuple[int, ...], StridedLayout, Accessor[object, object]], r: int, /) -> int:
        """The stride of dimension ``r``, in elements."""
        return self.mapping.stride(r)

    def extent(self, r: int, /) -> int:
        """The extent of dimension ``r``, 1 from the rank on."""
        return self._mapping.extent(r)

    def is_valid(self, *index: int) -> bool:
        """Whether ``index`` lies in the valid box."""
        return self._mapping.is_valid(*index)

    def offsets(self) -> Iterator[int]:
        """The offsets in index order."""
        return self._mapping.offsets()

    @property
    def origin(self) -> int:
        """Position in the data, in elements, of the mapping's offset 0."""
        return self._origin

    def __enter__(self) -> Self:
        """Return the view; leaving the block releases it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Release the view."""
        self.release()

    @property
    def mapping(self) -> Mapping[E_co, L_co]:
        """Layout bound to extents."""
        return cast("Mapping[E_co, L_co]", self._mapping)

    @property
    def extents(self) -> E_co:
        """How many values each index may take; a `Dim` is static."""
        return cast("E_co", self._mapping.extents)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents as plain ints."""
        return tuple(map(int, self._mapping.extents))

    @property
    def layout(self) -> L_co:
        """Where an index lies."""
        return cast("L_co", self._mapping.layout)

    @property
    def accessor(self) -> A_co:
        """What an access does."""
        return cast("A_co", self._accessor)

    @property
    def data(self) -> Any:
        """Buffer or sequence that was given; None for the null view."""
        return None if self._storage is None else self._storage.source

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return self._mapping.rank

    @property
    def ndim(self) -> int:
        """Count the dimensions (NumPy's name for the rank)."""
        return self._mapping.rank

    @property
    def size(self) -> int:
        """Count the elements; 1 for rank 0."""
        return self._mapping.size

    @property
    def format(self) -> str:
        """Element format in the notation of `struct`; ``"O"`` for the objects of a sequence."""
        return "O" if self._storage is None else self._storage.format

    @property
    def itemsize(self) -> int:
        """Bytes of one element; 0 for the null view."""
        return 0 if self._storage is None else self._storage.itemsize

    @property
    def static_extents(self) -> tuple[int | None, ...]:
        """Static extents, None where an extent is dynamic."""
        return self._mapping.static_extents

    @property
    def required_span_size(self) -> int:
        """How many elements of data the mapping spans."""
        return self._mapping.required_span_size

    @property
    def is_unique(self) -> bool:
        """Whether no two indices share an element."""
        return self._mapping.is_unique

    @property
    def is_exhaustive(self) -> bool:
        """Whether every offset below the span is an index's."""
        return self._mapping.is_exhaustive

    @property
    def is_strided(self) -> bool:
        """Whether one stride per dimension says where elements lie."""
        return self._mapping.is_strided

    @property
    def is_always_unique(self) -> bool:
        """Whether all mappings of this layout and these static extents are unique."""
        return self._mapping.is_always_unique

    @property
    def is_always_exhaustive(self) -> bool:
        """Whether all mappings of this layout and these static extents are exhaustive."""
        return self._mapping.is_always_exhaustive

    @property
    def is_always_strided(self) -> bool:
        """Whether all mappings of this layout and these static extents are strided."""
        return self._mapping.is_always_strided

    @property
    def valid_box(self) -> tuple[tuple[int, int], ...]:
        """For each dimension the half-open range of indices that stand for an element."""
        return self._mapping.valid_box


MDView._base = MDView  # noqa: SLF001 - the class has no name in its own body
