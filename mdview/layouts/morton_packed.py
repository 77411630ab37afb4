"""Layouts that follow a formula: Morton (Z order), linear over bits (Gaussian elimination), and BLAS packed triangles.

Morton order interleaves the bits of all indices, so elements that are near in any dimension are near in memory. At each
level, from the lowest bit up, each dimension contributes one bit of its index to the offset. In *plain* order every
dimension contributes at every level, up to the bits of the longest dimension; shorter dimensions leave holes. In
*compact* order a dimension contributes only the bits that its extent needs; there are no holes if all extents are
powers of two.

The offset of a layout that is linear over bits is the exclusive or of a number (a basis) for each set bit of the
indices. Morton order is such a layout, and so are swizzles over extents that are powers of two. Gaussian elimination of
the bases gives rank, bounds and inverses.

A *run* is a group of neighbouring bits of an index that are shifted by the same distance, in a single operation. The
runs of Morton order share no bits, so their sum is their exclusive or, and the offset is a sum of terms in one index.

A packed symmetric matrix stores one triangle, column by column or row by row. Index (i, j) and index (j, i) have the
same offset, so an N × N matrix takes N(N + 1)/2 elements (BLAS's packed format, ``AP``). Let ``low`` be the smaller
and ``high`` the larger of i and j. There are two formulas::

    low + high(high + 1)/2          upper by columns, lower by rows: each line is longer than the previous line
    high + N low - low(low + 1)/2   upper by rows, lower by columns: each line is shorter than the previous line

A comparison of i and j would make the offset a choice between two formulas; the sign bit avoids the comparison:
``d >> 63`` is -1 for a negative ``d``, else 0, so ``below = d & (d >> 63)`` with ``d = i - j`` is the smaller of i - j
and 0; then ``low = j + below`` and ``high = i - below``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, TypeAlias, final

from mdview.base import ValueType, as_entries, as_integer, as_text, brief, value
from mdview.base.caches import cached_property
from mdview.errors import LayoutError, RankError
from mdview.index.extents import shape_text
from mdview.layouts.layout import Layout, MonotoneLayout, PlainLayout, check_span

BitRun: TypeAlias = tuple[int, int, int]
"""A run: its lowest bit in the index, the mask of its bits shifted down to bit 0, and its lowest bit in the offset."""


@final
@value
class LayoutLinear(PlainLayout, metaclass=ValueType):
    """The exclusive or of ``start`` and of ``bases[r][k]`` for each bit ``k`` that is 1 in index ``r``.

    Extents are powers of two. The layout is linear over bits if ``start`` is 0, else affine.

    >>> layout = LayoutLinear(((4 ^ 1, 8 ^ 2), (1, 2)))
    >>> [[layout.offset((4, 4), (i, j)) for j in range(4)] for i in range(4)]
    [[0, 1, 2, 3], [5, 4, 7, 6], [10, 11, 8, 9], [15, 14, 13, 12]]
    """

    short_name = "linear"
    bases: tuple[tuple[int, ...], ...]
    start: int = 0

    def __post_init__(self) -> None:
        """Check that bases and start are ints of at least 0.

        Raises
        ------
        LayoutError
            A basis or the start is negative.
        """
        rows = [as_entries(each, "bases of a dimension") for each in as_entries(self.bases, "bases")]
        bases = tuple([tuple([int(as_integer(b, "a basis")) for b in each]) for each in rows])
        object.__setattr__(self, "bases", bases)
        object.__setattr__(self, "start", int(as_integer(self.start, "a start")))
        if min([self.start, *[b for each in bases for b in each]]) < 0:
            raise LayoutError(f"bases and start of LayoutLinear are at least 0: {brief(self)}")

    @property
    def is_linear(self) -> bool:
        """Whether index 0 has offset 0."""
        return self.start == 0

    @cached_property
    def _runs(self) -> list[list[BitRun]]:
        """The runs of bits of each index."""
        return list(map(_runs_of, self.bases))

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the exclusive or of the start and each shifted run of bits."""
        return _moved(index, self._runs, operator.xor, self.start)

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Return the largest offset plus 1."""
        return 1 + self.offset_bounds(extents)[1]

    def offset_bounds(self, extents: Sequence[int]) -> tuple[int, int]:
        """Return the lowest and highest offset: the leading bits of the eliminated bases are all 0, or all 1."""
        low = high = self.start
        for row, _ in self.eliminated()[0]:
            top = 1 << row.bit_length() - 1
            low, high = low ^ (row if low & top else 0), high ^ (0 if high & top else row)
        return low, high

    def eliminated(self) -> tuple[list[tuple[int, int]], list[int]]:
        """Return the Gaussian elimination of the bases of all dimensions; the bases of dimension 0 come first."""
        return eliminated(base for each in self.bases for base in each)

    def check(self, extents: Sequence[int]) -> None:
        """Refuse another rank, and an extent other than 2 to the power of the number of its bases."""
        if len(self.bases) != len(extents):
            raise RankError(f"{brief(self)} is of rank {len(self.bases)}, extents {shape_text(extents)} are not")
        for r, (each, extent) in enumerate(zip(self.bases, extents, strict=True)):
            if extent != 1 << len(each):
                raise LayoutError(
                    f"extent {as_text(extent)} of dimension {r} is not 2**{len(each)}, one bit for a basis"
                )
        check_span(self, extents, LayoutError)

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether no exclusive or of bases is 0."""
        return not self.eliminated()[1]

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether every offset below the span is the offset of an index."""
        return self.required_span_size(extents) == 1 << len(self.eliminated()[0])

    def permuted(self, extents: Sequence[int], axes: Sequence[int]) -> LayoutLinear:
        """Return the layout over permuted extents, with its bases permuted."""
        return LayoutLinear(tuple([self.bases[r] for r in axes]), self.start)

    def transposed(self, extents: Sequence[int]) -> LayoutLinear:
        """Return the layout with the bases of both dimensions exchanged."""
        return self.permuted(extents, (1, 0))


Fastest: TypeAlias = Literal["first", "last"]


@final
@value
class LayoutMorton(PlainLayout, MonotoneLayout, metaclass=ValueType):
    """Z order for any rank and any extents; ``fastest`` is the dimension with the lowest bit of each level.

    Plain order has holes if extents differ or are not powers of two, ``compact`` order only if extents are not powers
    of two. The offset depends on the number of bits of each extent, so extents must be numbers, not symbols.

    >>> layout = LayoutMorton()
    >>> [[layout.offset((4, 4), (i, j)) for j in range(4)] for i in range(4)]
    [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    """

    short_name = "morton"
    compact: bool
    fastest: Fastest

    def __init__(self, *, compact: bool = False, fastest: Fastest = "last") -> None:
        """Choose plain or compact order, and whether the first or the last dimension has the lowest bit.

        Raises
        ------
        LayoutError
            ``fastest`` is neither ``"first"`` nor ``"last"``.
        """
        if fastest not in ("first", "last"):
            raise LayoutError(f"the fastest dimension of LayoutMorton is 'first' or 'last', got {brief(fastest)}")
        object.__setattr__(self, "compact", bool(compact))
        object.__setattr__(self, "fastest", fastest)

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the sum of the shifted runs of bits of all indices."""
        bits = _bits_of(extents)
        known: tuple[tuple[int, ...], list[list[BitRun]]] | None = self.__dict__.get("_known")
        if known is None or known[0] != bits:  # the runs of the last extents are cached
            known = bits, _interleaved(bits, self.compact, self.fastest)
            object.__setattr__(self, "_known", known)
        return _moved(index, known[1], operator.add)

    def enclosing(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return each extent rounded up to a power of two."""
        return tuple([1 << bits for bits in _bits_of(extents)])

    def check(self, extents: Sequence[int]) -> None:
        """Refuse a span above 2**63 - 1, which plain order reaches soon if extents differ much."""
        check_span(self, extents, LayoutError, "" if self.compact else "; use LayoutMorton(compact=True)")

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the rank is at most 1, or all extents are static and leave no hole."""
        return len(static) <= 1 or super().is_always_exhaustive(static)

    def is_always_strided(self, static: Sequence[int | None]) -> bool:
        """Tell whether the rank is at most 1, or all extents are static and the layout has strides over them."""
        known = [e for e in static if e is not None]
        return len(static) <= 1 or (len(known) == len(static) and self.strides(known) is not None)


def _bits_of(extents: Sequence[int]) -> tuple[int, ...]:
    """Return the number of bits that the indices of each dimension need."""
    return tuple([(e - 1).bit_length() if e > 1 else 0 for e in extents])


def _moved(
    index: Sequence[int], runs: Iterable[Sequence[BitRun]], join: Callable[[int, int], int], place: int = 0
) -> int:
    """Combine ``place`` with the shifted runs of bits of all indices."""
    for i, its in zip(index, runs, strict=True):
        for low, mask, to in its:
            place = join(place, (i >> low & mask) << to)
    return place


def _interleaved(bits: tuple[int, ...], compact: bool, fastest: Fastest) -> list[list[BitRun]]:  # noqa: FBT001
    """Return the runs of each dimension in Morton order; ``bits`` has the number of bits of each index."""
    bases: list[list[int]] = [[] for _ in bits]
    order = range(len(bits)) if fastest == "first" else range(len(bits) - 1, -1, -1)
    place = 0
    for level in range(max(bits, default=0)):
        for r in order:
            if level < bits[r]:
                bases[r].append(1 << place)
            place += level < bits[r] or not compact
    return list(map(_runs_of, bases))


def _runs_of(bases: Sequence[int]) -> list[BitRun]:
    """Return the runs of a dimension: groups of neighbouring bits that are shifted by the same distance."""
    moves = [(to - k, k) for k, base in enumerate(bases) for to in range(base.bit_length()) if base >> to & 1]
    found: list[BitRun] = []
    for distance, k in sorted(moves):
        low, mask, to = found[-1] if found else (0, 0, 0)
        if found and to - low == distance and mask + 1 == 1 << k - low:
            found[-1] = low, 2 * mask + 1, to
        else:
            found.append((k, 1, k + distance))
    return found


def eliminated(bases: Iterable[int]) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the Gaussian elimination over F2 of bases: reduced rows, and the sets of bases whose exclusive or is 0.

    Each row is paired with the set of bases whose exclusive or is the row; a set is a mask. No two rows share a leading
    bit, and a leading bit is 0 in all other rows.

    >>> eliminated([3, 1, 2])
    ([(1, 2), (2, 3)], [7])
    """
    rows: list[tuple[int, int]] = []
    zeros: list[int] = []
    for k, base in enumerate(bases):
        bits = 1 << k
        for row, its in rows:
            if base >> row.bit_length() - 1 & 1:
                base, bits = base ^ row, bits ^ its  # noqa: PLW2901 - the remainder
        if base:
            top = base.bit_length() - 1
            rows = [(row ^ base, its ^ bits) if row >> top & 1 else (row, its) for row, its in rows]
            rows.append((base, bits))
        else:
            zeros.append(bits)
    return sorted(rows), zeros


def linear_layout(layout: Layout) -> LayoutLinear | None:
    """Return the layout itself if it is a `LayoutLinear`, else None."""
    return layout if isinstance(layout, LayoutLinear) else None


Triangle: TypeAlias = Literal["upper", "lower"]
LineOrder: TypeAlias = Literal["column", "row"]

_SIGN: Final = 63
"""The right shift that maps a negative difference of indices to -1, and others to 0; extents are below 2**32."""


@final
@value
class LayoutBlasPacked(PlainLayout, MonotoneLayout, metaclass=ValueType):
    """One triangle of a square matrix in packed storage (C++26 ``layout_blas_packed``).

    ``triangle`` is ``"upper"`` or ``"lower"``, and ``order`` is ``"column"`` or ``"row"``: the lines that are stored
    one after the other. An element off the diagonal has two indices, so only mappings below 2 × 2 are unique. In a
    Hermitian matrix, the index for which `is_stored` is False stands for the conjugate of the stored element.

    >>> layout = LayoutBlasPacked("upper", "column")
    >>> layout.offset((3, 3), (0, 2)), layout.offset((3, 3), (2, 0))
    (3, 3)
    """

    short_name = "packed"
    triangle: Triangle
    order: LineOrder

    def __post_init__(self) -> None:
        """Check that triangle and order have valid names."""
        choices = {"triangle": (self.triangle, "upper", "lower"), "order": (self.order, "column", "row")}
        for name, (given, *known) in choices.items():
            if given not in known:
                raise LayoutError(f"the {name} of LayoutBlasPacked is {known[0]!r} or {known[1]!r}, got {brief(given)}")

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the offset of the element (i, j) or (j, i), whichever lies in the stored triangle."""
        i, j = index
        difference = i - j
        below = difference & (difference >> _SIGN)
        low, high = j + below, i - below
        if (self.triangle == "upper") == (self.order == "column"):  # each stored line is longer than the previous one
            return low + high * (high + 1) // 2
        return high + extents[0] * low - low * (low + 1) // 2

    def transposed(self, extents: Sequence[int] = ()) -> LayoutBlasPacked:
        """Return the layout of the transpose: the other triangle in the other order."""
        triangle: Triangle = "lower" if self.triangle == "upper" else "upper"
        order: LineOrder = "row" if self.order == "column" else "column"
        return LayoutBlasPacked(triangle, order)

    def is_stored(self, index: Sequence[int]) -> bool:
        """Tell whether ``index`` lies in the stored triangle, to which the diagonal belongs.

        >>> LayoutBlasPacked("lower", "row").is_stored((0, 2))
        False
        """
        i, j = index
        return i <= j if self.triangle == "upper" else i >= j

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Return the number of elements in a triangle with its diagonal."""
        return extents[0] * (extents[0] + 1) // 2

    def check(self, extents: Sequence[int]) -> None:
        """Refuse any rank but 2, and a matrix that is not square."""
        if len(extents) != 2:  # noqa: PLR2004
            raise RankError(f"LayoutBlasPacked needs rank 2, got rank {len(extents)}")
        if extents[0] != extents[1]:
            raise LayoutError(
                f"LayoutBlasPacked needs a square matrix, got extents {shape_text(extents)}; "
                f"make a subview of a square one"
            )

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether the matrix has no element off the diagonal."""
        return extents[0] < 2  # noqa: PLR2004

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Return True: there are no holes."""
        return True

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell whether a static extent is below 2, so that the matrix has no element off the diagonal."""
        return any(e is not None and e < 2 for e in static)  # noqa: PLR2004

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Return True: there are no holes."""
        return True

    def is_always_strided(self, static: Sequence[int | None]) -> bool:
        """Tell whether a static extent is at most 2, so that the matrix has strides."""
        return any(e is not None and e <= 2 for e in static)  # noqa: PLR2004
