"""`Mapping`: a layout bound to extents, which is a function from indices to offsets, with its traits.

``m(i, j)`` is the offset of index (i, j) in elements. The other properties (span, strides, unique, exhaustive, strided)
are facts about this function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Generic,
    Literal,
    Protocol,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    cast,
    final,
    overload,
)

from typing_extensions import TypeVar as DefaultTypeVar
from typing_extensions import TypeVarTuple

from mdview.base import answer_calls, as_integer, as_text, brief, image_bounds, refuse_unviewed
from mdview.base.strided_sets import strided_offsets
from mdview.errors import AxisError, ImmutableError, IndexOutOfRangeError, LayoutError, NotStridedError
from mdview.expressions.tracing import trace
from mdview.index.extents import as_extents, check_index, extent_of, shape_text, size_of, static_extents
from mdview.index.padding import whole
from mdview.layouts.explicit_strides import LayoutStrideRelaxed, first_steps, irregularity, narrowest_layout
from mdview.layouts.layout import Layout, Strides, as_layout, stated_strides, unless_undecided
from mdview.layouts.offset_analysis import WAY, element_box, element_offsets, offset_of
from mdview.layouts.strided_layout import LayoutRight, StridedLayout

E = TypeVar("E", bound=tuple[int, ...])
L = TypeVar("L", bound=Layout)
E_co = DefaultTypeVar("E_co", bound=tuple[Any, ...], covariant=True, default=tuple[int, ...])
L_co = DefaultTypeVar("L_co", bound=Layout, covariant=True, default=LayoutRight)

N0 = TypeVar("N0", bound=int)
N1 = TypeVar("N1", bound=int)
Ns = TypeVarTuple("Ns")
K = DefaultTypeVar("K", bound=Layout, default=LayoutRight)

if TYPE_CHECKING:
    from mdview.base.integers import AnInteger

    # Only extents of unknown rank, ``tuple[Any, ...]``, match it. Its overload precedes the overloads with a rank.
    AnyTuple: TypeAlias = tuple[AnInteger, AnInteger, AnInteger, AnInteger, AnInteger, AnInteger, AnInteger]

_set = object.__setattr__  # sets attributes of an immutable mapping
UNASKED: Final = False  # the value of cached strides that are not computed yet


@final
class Mapping(Generic[E_co, L_co]):
    """A layout bound to extents: an immutable function from an index to an offset.

    >>> m = Mapping((3, 4))
    >>> m(2, 1), m.strides, m.required_span_size
    (9, (4, 1), 12)

    Raises
    ------
    ExtentsError, ExtentsTypeError
        The extents are invalid, see `mdview.index.extents.as_extents`.
    LayoutTypeError
        ``layout`` is not a layout: for example, it is a class instead of an instance.
    LayoutError, RankError
        The layout cannot be bound to these extents.
    """

    __slots__ = ("_extents", "_layout", "_origin", "_plan", "_reach", "_span", "_strides")

    _extents: E_co
    _layout: L_co
    _origin: int | None
    _plan: Any  # the plan of the engines, which this folder may not import
    _reach: tuple[int, int] | Literal[False] | None
    _span: int | None
    _strides: Strides | Literal[False] | None

    if TYPE_CHECKING:
        # The member of the protocol `UnknownExtents`. The comments are for E_co in a contravariant position.
        def _rank_witness(self, extents: E_co, /) -> None: ...  # type: ignore[misc]  # pyright: ignore[reportGeneralTypeIssues]
        @overload
        def __new__(cls, extents: AnyTuple, layout: Layout | str = ...) -> Mapping[tuple[Any, ...], Any]: ...
        @overload
        def __new__(cls, extents: tuple[N0]) -> Mapping[tuple[N0], LayoutRight]: ...
        @overload
        def __new__(  # type: ignore[overload-overlap]
            cls, extents: tuple[N0, N1, *Ns]
        ) -> Mapping[tuple[N0, N1, *Ns], LayoutRight]: ...
        @overload
        def __new__(cls, extents: E) -> Mapping[E, LayoutRight]: ...
        @overload
        def __new__(cls, extents: tuple[N0], layout: L) -> Mapping[tuple[N0], L]: ...
        @overload
        def __new__(  # type: ignore[overload-overlap]
            cls, extents: tuple[N0, N1, *Ns], layout: L
        ) -> Mapping[tuple[N0, N1, *Ns], L]: ...
        @overload
        def __new__(cls, extents: E, layout: L) -> Mapping[E, L]: ...
        @overload
        def __new__(cls, extents: E, layout: str) -> Mapping[E, Layout]: ...
        def __new__(cls, extents: Any, layout: Any = ...) -> Any:
            """Bind a layout to extents."""
            ...
    else:

        @answer_calls
        def __init__(self, extents, layout=LayoutRight()):  # noqa: ANN001, ANN204 - typed above
            """Check ``extents`` and ``layout`` and bind them."""
            checked = as_extents(extents)
            found = as_layout("a layout is", layout)
            found.check(checked)
            self._bind(checked, found)

    @classmethod
    def trusted(cls, extents: E, layout: L, strides: Strides | Literal[False] | None = UNASKED) -> Mapping[E, L]:
        """Return the mapping of a valid layout and valid extents without checks, as the result of an operation.

        ``strides`` is the result of `found_strides` if the caller knows it.
        """
        self = cast("Mapping[E, L]", object.__new__(cls))
        self._bind(extents, layout, strides)
        return self

    def _bind(
        self, extents: tuple[int, ...], layout: Layout, strides: Strides | Literal[False] | None = UNASKED
    ) -> None:
        _set(self, "_extents", extents)
        _set(self, "_layout", layout)
        _set(self, "_span", None)
        _set(self, "_reach", UNASKED)
        _set(self, "_strides", strides)
        _set(self, "_origin", None)
        _set(self, "_plan", None)

    def __setattr__(self, name: str, value: object) -> None:
        """Raise `ImmutableError`, since a mapping is immutable."""
        raise ImmutableError(f"a Mapping is immutable; make another one instead of setting {name}")

    @property
    def extents(self) -> E_co:
        """The number of indices of each dimension."""
        return self._extents

    @property
    def layout(self) -> L_co:
        """The layout, which maps an index to its offset."""
        return self._layout

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self._extents)

    @property
    def static_extents(self) -> tuple[int | None, ...]:
        """The static extent of each dimension; None for a dynamic extent."""
        return static_extents(self._extents)

    @property
    def size(self) -> int:
        """The number of indices; 1 for rank 0."""
        return size_of(self._extents)

    def extent(self, r: int, /) -> int:
        """Return the extent of dimension ``r``; 1 if ``r`` is the rank or more."""
        return extent_of(self._extents, r)

    def __call__(self, *index: SupportsIndex) -> int:
        """Return the offset of an index, in elements.

        Raises
        ------
        RankError
            The number of indices differs from the rank.
        IndexOutOfRangeError
            An index is negative or not below its extent, or lies in padding.
        IndexTypeError
            An index is not an integer.
        """
        checked = check_index(self._extents, index)
        if not self._layout.has_element(self._extents, checked):
            try:
                hint = f"valid indices are {self.valid_box}"
            except LayoutError:
                hint = "is_valid(index) tells which indices have one"
            raise IndexOutOfRangeError(f"index {as_text(tuple(checked))} lies in the padding and has no offset; {hint}")
        return offset_of(self._layout, self._extents, checked)

    @property
    def is_strided(self) -> bool:
        """Whether the offset of every index is an origin plus index times strides; the answer is exact."""
        return self.exact_strides() is not None

    @property
    def strides(self: Mapping[tuple[int, ...], StridedLayout]) -> Strides:
        """The distance, in elements, of neighbours along each dimension.

        Raises
        ------
        NotStridedError
            This mapping has no strides.
        """
        strides = self.exact_strides()
        if strides is None:
            raise NotStridedError(
                f"{brief(self)} has no strides: the distance of neighbours is not the same everywhere along each "
                "dimension; ask is_strided first"
            )
        return strides

    def found_strides(self) -> Strides | None:
        """Return the strides that the layout or its arithmetic gives, without enumeration of offsets.

        None means that there are no strides if `Layout.knows_strides` is true, else that none are found.
        """
        strides = self._strides
        if strides is UNASKED:
            strides = stated_strides(self._layout, self._extents)
            _set(self, "_strides", strides)
        return strides

    def exact_strides(self) -> Strides | None:
        """Return the strides, by enumeration of offsets if the layout does not decide; None if there are none.

        Raises
        ------
        UndecidedError
            The enumeration needs too many offsets.
        """
        strides = self.found_strides()
        if strides is not None or self._layout.knows_strides():
            return strides
        extents = tuple(map(int, self._extents))
        return None if irregularity(self._layout, extents) is not None else first_steps(self._layout, extents).strides

    def as_strided(self) -> Mapping[E_co, StridedLayout]:
        """Return the mapping with the same offsets and the narrowest strided layout.

        Raises
        ------
        NotStridedError
            The mapping has no strides; the message names the dimension and the indices that show it.
        StrideError
            The mapping has negative offsets.
        """
        strides = self.exact_strides()
        if strides is None:
            reason = unless_undecided(lambda: irregularity(self._layout, tuple(map(int, self._extents))))
            why = "has no strides" if reason is None else f"is not strided: {reason}"
            raise NotStridedError(f"{brief(self._layout)} over {shape_text(self._extents)} {why}")
        layout, first = narrowest_layout(self._extents, strides)
        if first != self.origin and self.size:
            return Mapping.trusted(self._extents, LayoutStrideRelaxed(strides, self.origin))
        return Mapping.trusted(self._extents, layout)

    def stride(self: Mapping[tuple[int, ...], StridedLayout], r: int, /) -> int:
        """Return the distance, in elements, of neighbours along dimension ``r``.

        Raises
        ------
        NotStridedError
            This mapping has no strides.
        AxisError
            ``r`` is not in [0, rank).
        """
        strides, r = self.strides, as_integer(r, "a dimension")
        if not 0 <= r < len(strides):
            raise AxisError(f"dimension {as_text(r)} is out of range for rank {len(strides)}")
        return strides[r]

    @property
    def origin(self) -> int:
        """The offset of index (0, ..., 0); 0 if that index has no element and the layout has no strides."""
        origin = self._origin
        if origin is None:
            origin = int(as_integer(self._layout.origin(self._extents), "the origin of a layout", WAY))
            _set(self, "_origin", origin)
        return origin

    @property
    def required_span_size(self) -> int:
        """The number of elements that data must have: the largest offset plus 1, or 0 for an empty index space."""
        span = self._span
        if span is None:
            span = int(as_integer(self._layout.required_span_size(self._extents), "the span of a layout", WAY))
            _set(self, "_span", span)
        return span

    def reach(self) -> tuple[int, int] | None:
        """Return the lowest and the highest offset; None if `found_strides` is None or the index space is empty."""
        reach = self._reach
        if reach is UNASKED:
            ends = None if (strides := self.found_strides()) is None else image_bounds(self._extents, strides)
            reach = None if ends is None else (self.origin + ends[0], self.origin + ends[1])
            _set(self, "_reach", reach)
        return reach

    @property
    def is_unique(self) -> bool:
        """Whether no two indices share an offset."""
        return self._layout.is_unique(self._extents)

    @property
    def is_exhaustive(self) -> bool:
        """Whether every offset below the required span size is the offset of an index."""
        return self._layout.is_exhaustive(self._extents)

    @property
    def is_always_unique(self) -> bool:
        """Whether mappings of this layout and these static extents are unique for all dynamic extents."""
        return self._layout.is_always_unique(self.static_extents)

    @property
    def is_always_exhaustive(self) -> bool:
        """Whether mappings of this layout and these static extents are exhaustive for all dynamic extents."""
        return self._layout.is_always_exhaustive(self.static_extents)

    @property
    def is_always_strided(self) -> bool:
        """Whether mappings of this layout and these static extents are strided for all dynamic extents."""
        return self._layout.is_always_strided(self.static_extents)

    @property
    def valid_box(self) -> tuple[tuple[int, int], ...]:
        """The half-open range of the indices with elements in each dimension: all but the padding of `pad`."""
        box, what = self._layout.valid_box(self._extents), "a bound of a valid box"
        return tuple([(int(as_integer(begin, what)), int(as_integer(end, what))) for begin, end in box])

    def is_valid(self, *index: SupportsIndex) -> bool:
        """Tell whether ``index`` has an element; False for a wrong number of indices."""
        if len(index) != self.rank:
            return False
        indices = [as_integer(i, "an index") for i in index]
        inside = all(0 <= i < e for i, e in zip(indices, self._extents, strict=True))
        return inside and self._layout.has_element(self._extents, indices)

    def offsets(self) -> Iterator[int]:
        """Return an iterator over the offsets of all indices with an element, last index fastest."""
        strides = self.found_strides()
        if strides is None:
            return element_offsets(self._layout, self._extents)
        return strided_offsets(self._extents, strides, self.origin)

    def to_c(self, names: Sequence[str], *, function: str | None = None) -> str:
        """Return the offset as an expression of C and C++ over the variables ``names``, one for each dimension.

        The variables have any integer types; the expression has type ``int64_t`` and needs ``<stdint.h>``. It is
        correct for indices for which `is_valid` is True, and has no checks. With ``function`` the text is a function of
        that name.

        >>> print(Mapping((4, 6), LayoutStrideRelaxed((-6, 1), 18)).to_c(("i", "j")))
        (INT64_C(18) - ((int64_t)i * INT64_C(6)) + (int64_t)j)

        Raises
        ------
        RankError, OperandError
            The number of names differs from the rank, or a name is not a string.
        SourceError
            A name is not an identifier, or the arithmetic of the layout cannot be traced, exceeds 64 bits, or is too
            long for one expression.
        """
        from mdview.expressions.c_codegen import as_names, offset_text  # noqa: PLC0415 - loaded on use

        layout, extents = self._layout, tuple(map(int, self._extents))
        names = as_names(self.rank, names)
        box = [(low, high - 1) for low, high in element_box(layout, extents) or whole(extents)]
        traced = trace(layout, extents)
        strides = self.found_strides() if traced.root is None else None
        stated = None if strides is None else (self.origin, strides)
        what = f"{brief(layout)} over extents {shape_text(extents)}"
        return offset_text(what, traced, box, stated, names, function)

    def __eq__(self, other: object) -> bool:
        """Tell whether extents are equal and the function is the same: equal layouts, or equal strides and origin."""
        if not isinstance(other, Mapping):
            return NotImplemented
        if self._extents != other._extents:
            return False
        # The types are compared first, since `==` of a user's layout may return True for any object.
        if type(self._layout) is type(other._layout) and self._layout == other._layout:
            return True
        mine, its = self.found_strides(), other.found_strides()
        return mine is not None and mine == its and self.origin == other.origin

    def __hash__(self) -> int:
        """Return the hash of the extents, since equal mappings may have different layouts."""
        return hash(self._extents)

    def __reduce__(self) -> tuple[object, tuple[E_co, L_co]]:
        """Pickle as extents and layout."""
        return Mapping, (self._extents, self._layout)

    def __repr__(self) -> str:
        """Return ``Mapping((3, 4), LayoutRight())``."""
        return f"Mapping({as_text(self._extents, repr)}, {as_text(self._layout, repr)})"

    def _repr_html_(self) -> str:
        """Return facts and a picture as HTML, which notebooks show."""
        from mdview import mapping_card  # noqa: PLC0415 - above this folder

        return mapping_card(self)


AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]
"""A mapping of any extents and any layout."""


class HasMapping(Protocol[E_co]):
    """An object with a mapping, such as a view."""

    @property
    def mapping(self) -> Mapping[E_co, Layout]: ...  # noqa: D102


AnyMapped: TypeAlias = AnyMapping | HasMapping[tuple[int, ...]]
"""A mapping, or an object with a mapping such as a view."""


def mapping_of(given: object, name: str = "the argument") -> AnyMapping:
    """Return the mapping of a view, or a mapping itself.

    Raises
    ------
    OperandError
        ``given`` is neither a mapping nor has one; the message calls it ``name``.
    """
    mapping = given if isinstance(given, Mapping) else getattr(given, "mapping", None)
    if not isinstance(mapping, Mapping):
        way = "parse(text)" if isinstance(given, str) else "MDView(data, extents), or Mapping(extents, layout)"
        way = "asview(array)" if hasattr(type(given), "__array_interface__") else way
        refuse_unviewed(name, "a view or a mapping", given, f"write {way}")
    return mapping
