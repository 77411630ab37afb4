"""Mappings that are linear over bits (over F2), such as swizzles: basis, kernel, inverse, composition, bank conflicts.

A mapping ``L`` is linear over bits if ``L(i ^ j) == L(i) ^ L(j) ^ L(0)`` for all 1-D indices ``i`` and ``j``; its
extents are powers of two. The lowest bits of the 1-D index are the bits of the first index in order "F", and the bits
of the last index in order "C". All functions but `conflicts` raise the errors of `linear` for other mappings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from operator import or_, xor
from typing import Any, SupportsIndex, TypeAlias, final

from mdview.algebra.nested_forms import Order, check_order
from mdview.base import answer_calls, as_integer, as_text, value
from mdview.engines.offset_tables import vector_offset
from mdview.errors import IndexOutOfRangeError, LayoutError, NotLinear, NotNested, ShapeError, UndecidedError
from mdview.layouts.layout import Layout
from mdview.layouts.morton_packed import LayoutLinear, eliminated, linear_layout
from mdview.layouts.nested import nested_form, offset_table
from mdview.layouts.offset_analysis import check_count, offset_of
from mdview.layouts.swizzle_transpose import swizzle_of
from mdview.mappings.mapping import AnyMapped, AnyMapping, Mapping, mapping_of

__all__ = ["Conflicts", "compose", "conflicts", "image", "inverse", "kernel", "linear", "rank"]

LinearMapping: TypeAlias = Mapping[tuple[int, ...], LayoutLinear]


@final
@value
class Conflicts:
    """The bank with the most conflicts.

    ``degree`` words of the bank ``bank`` are accessed at once; ``indices`` contains a 1-D index for each of the words.
    """

    degree: int
    bank: int
    indices: tuple[int, ...]


def linear(m: AnyMapped, *, order: Order = "F") -> LinearMapping:
    """Return the mapping with a `LayoutLinear` that has the same extents and the same offset at each index.

    >>> from mdview import LayoutMorton
    >>> linear(Mapping((4, 4), LayoutMorton()))
    Mapping((4, 4), LayoutLinear(bases=((2, 8), (1, 4)), start=0))

    Raises
    ------
    NotLinear
        The mapping is not linear over bits; the message contains two 1-D indices that violate the rule.
    LayoutError
        An extent is not a power of two, or the mapping has padding.
    UndecidedError
        The steps of the layout do not prove linearity, and the mapping has more than a million indices to compare.
    """
    check_order(order)
    mapping = mapping_of(m)
    layout = linear_layout(mapping.layout)
    if layout is not None:
        return Mapping.trusted(mapping.extents, layout)
    extents = tuple(map(int, mapping.extents))
    for r, extent in enumerate(extents):
        if extent.bit_count() != 1:
            way = f"pad to {1 << extent.bit_length()}" if extent else "there is no index"
            raise LayoutError(f"extent {extent} of dimension {r} is no power of two; {way}")
    if not mapping.layout.is_total():
        raise LayoutError(f"{as_text(mapping.layout)} has padding; take a slice of its valid_box")
    if not _adds_no_bit_twice(mapping.layout, extents):
        _check_linear(mapping.layout, extents, order)
    start = offset_of(mapping.layout, extents, (0,) * len(extents))
    parts = [
        tuple(
            [
                offset_of(mapping.layout, extents, [1 << k if d == r else 0 for d in range(len(extents))]) ^ start
                for k in range(extent.bit_length() - 1)
            ]
        )
        for r, extent in enumerate(extents)
    ]
    return Mapping(mapping.extents, LayoutLinear(tuple(parts), start))


def _adds_no_bit_twice(layout: Layout, extents: tuple[int, ...]) -> bool:
    """Tell whether each bit of an index adds a term to the offset, and no two terms share a bit.

    Such offsets are linear over bits, and a swizzle of such offsets is linear over bits, too.
    """
    if linear_layout(layout) is not None:
        return True
    front, inner = swizzle_of(layout)
    if front is not None:
        return _adds_no_bit_twice(inner, extents)
    try:
        form = nested_form(layout, extents)
    except (NotNested, UndecidedError):
        return False
    terms = [form.first, *[d << k for n, d in form.flat() for k in range(n.bit_length() - 1)]]
    return all(n.bit_count() == 1 for n, _ in form.flat()) and min(terms) >= 0 and sum(terms) == reduce(or_, terms)


def _check_linear(layout: Layout, extents: tuple[int, ...], order: Order) -> None:
    """Check that a layout is linear over bits by comparing all its offsets; raise `NotLinear` if not."""
    check_count(layout, extents, "linear over bits")
    table, size = _table(layout, extents, order), 1
    while size < len(table):
        base = int(table[size]) ^ int(table[0])
        if isinstance(table, list):
            wrong = [j for j in range(size) if table[j] ^ base != table[size + j]]
        else:
            wrong = (table[:size] ^ base != table[size : 2 * size]).nonzero()[0].tolist()
        if wrong:
            raise NotLinear(size, wrong[0])
        size *= 2


def _table(layout: Layout, extents: tuple[int, ...], order: Order) -> Any:  # Any: a list or an array
    """Return the offset at each 1-D index: an array if NumPy can compute the offsets at once, else a list."""
    with suppress(ImportError):
        import numpy as np  # noqa: PLC0415 - NumPy is optional

        vector = vector_offset(layout, extents) if extents else None
        if vector is not None:
            offsets = np.broadcast_to(vector.offset(*np.ogrid[tuple(map(slice, extents))]), extents)
            return offsets.ravel(order)
    return offset_table(layout, extents, order)


def _bases(m: AnyMapped, order: Order) -> tuple[list[int], LayoutLinear]:
    """Return the bases, one for each bit of the 1-D index from the lowest bit on, and the linear layout."""
    layout = linear(m, order=order).layout
    return [base for row in layout.bases[:: 1 if order == "F" else -1] for base in row], layout


def rank(m: AnyMapped) -> int:
    """Return the rank over F2 of the bases; it equals the number of bases if and only if the mapping is unique."""
    return len(linear(m).layout.eliminated()[0])


def image(m: AnyMapped) -> tuple[int, ...]:
    """Return a basis over F2 of the numbers ``offset ^ offset of index 0``; its entries have different leading bits."""
    return tuple([row for row, _ in linear(m).layout.eliminated()[0]])


def kernel(m: AnyMapped, *, order: Order = "F") -> tuple[int, ...]:
    """Return a basis over F2 of the 1-D indices that have the same offset as index 0.

    Each such index is an exclusive or of elements of the basis.

    >>> from mdview.algebra import from_cute
    >>> kernel(from_cute("(2,4):(0,1)"))
    (1,)
    """
    return tuple(eliminated(_bases(m, order)[0])[1])


def inverse(m: AnyMapped, offset: SupportsIndex | None = None, *, order: Order = "F") -> LinearMapping | int:
    """Return the least 1-D index that has ``offset``; without ``offset``, the mapping from offsets to these indices.

    All indices with the same offset are exclusive ors of the least one with combinations of the `kernel`.

    >>> from mdview import LayoutMorton
    >>> inverse(Mapping((4, 4), LayoutMorton()), 6)
    9

    Raises
    ------
    IndexOutOfRangeError
        No index has ``offset``; or, if ``offset`` is omitted, an offset below the span belongs to no index.
    """
    bases, layout = _bases(m, order)
    rows, zeros = eliminated(bases)

    def least(target: int) -> int | None:
        source = 0
        for row, bits in rows:
            if target >> row.bit_length() - 1 & 1:
                target, source = target ^ row, source ^ bits
        for bits in zeros[::-1]:
            source = min(source, source ^ bits)
        return None if target else source

    if offset is not None:
        return _found(least(as_integer(offset, "an offset") ^ layout.start), int(offset))
    top = layout.required_span_size(())
    size = top.bit_length() - 1 if top.bit_count() == 1 else top.bit_length()
    parts = tuple([_found(least(1 << k), 1 << k) for k in range(size)])
    return Mapping((1 << size,), LayoutLinear((parts,), _found(least(layout.start), 0)))


def _found(index: int | None, offset: int) -> int:
    if index is None:
        raise IndexOutOfRangeError(f"no index has offset {as_text(offset)}; ask for another one: inverse(m, offset)")
    return index


def compose(a: AnyMapped, b: AnyMapped, *, order: Order = "F") -> LinearMapping:
    """Return the mapping ``c -> a(b(c))``; both are linear over bits, and ``b`` returns 1-D indices of ``a``.

    Raises
    ------
    IndexOutOfRangeError
        An offset of ``b`` is not a 1-D index of ``a``.
    """
    (bases, layout), inner = _bases(a, order), linear(b, order=order)
    if inner.required_span_size > 1 << len(bases):
        raise IndexOutOfRangeError(
            f"b has values up to {inner.required_span_size - 1}, a has {1 << len(bases)} indices"
        )

    def through(number: int) -> int:
        return reduce(xor, [base for k, base in enumerate(bases) if number >> k & 1], 0)

    parts = tuple([tuple(map(through, row)) for row in inner.layout.bases])
    return Mapping(inner.extents, LayoutLinear(parts, layout.start ^ through(inner.layout.start)))


@answer_calls
def conflicts(
    m: AnyMapped, banks: SupportsIndex, width: SupportsIndex = 1, lanes: SupportsIndex = 32, *, order: Order = "F"
) -> Conflicts:
    """Return the bank with the most conflicts when groups of ``lanes`` consecutive 1-D indices are accessed at once.

    A word is ``width`` consecutive elements, and word ``w`` lies in bank ``w % banks``. A bank serves one word at a
    time; lanes that access the same word are served together. The first group starts at index 0. Only the first group
    is examined if offsets are linear over bits and the three numbers are powers of two: all groups conflict equally.

    >>> from mdview.algebra import from_cute
    >>> conflicts(from_cute("(8,8):(8,1)"), banks=16, lanes=8)
    Conflicts(degree=4, bank=0, indices=(0, 2, 4, 6))

    Raises
    ------
    ShapeError
        ``banks``, ``width`` or ``lanes`` is below 1.
    UndecidedError
        All groups must be examined, and the mapping has more than a million indices.
    """
    counts = [int(as_integer(n, what)) for n, what in ((banks, "banks"), (width, "width"), (lanes, "lanes"))]
    if min(counts) < 1:
        raise ShapeError(f"banks, width and lanes are at least 1, got {as_text(tuple(counts))}")
    mapping, worst = mapping_of(m), Conflicts(0, 0, ())
    for first, offsets in _groups(mapping, counts[2], order, is_regular=all(n.bit_count() == 1 for n in counts)):
        asked: dict[int, dict[int, int]] = defaultdict(dict)
        for lane, offset in enumerate(offsets):
            asked[offset // counts[1] % counts[0]].setdefault(offset // counts[1], first + lane)
        for bank, words in asked.items():
            if len(words) > worst.degree:
                worst = Conflicts(len(words), bank, tuple(words.values()))
    return worst


def _groups(mapping: AnyMapping, lanes: int, order: Order, *, is_regular: bool) -> Iterator[tuple[int, list[int]]]:
    """Yield the first index and the offsets of each group of lanes; only the first group if all conflict equally."""
    if is_regular:
        with suppress(NotLinear, LayoutError):
            bases, layout = _bases(mapping, order)
            offsets = [layout.start]
            for base in bases[: lanes.bit_length() - 1]:
                offsets += [offset ^ base for offset in offsets]
            yield 0, offsets
            return
    check_count(mapping.layout, mapping.extents, "free of conflicts")
    table = list(map(int, _table(mapping.layout, tuple(map(int, mapping.extents)), order)))
    yield from ((first, table[first : first + lanes]) for first in range(0, len(table), lanes))
