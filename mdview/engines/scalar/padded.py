"""Code of padded views: an index in the padding leads to the element that stands in for it, or to a mark.

Where offsets are looked up, the tables of the base are continued over the padding, each dimension by the rule of the
fill, so that the padding costs nothing more than the inside. Otherwise the arithmetic selects by a test of the box. A
mark is a number below `OUTSIDE`: its index stands for no element, as nowhere in a fill by a constant, and for no store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from mdview.accessors.fill import inside_index
from mdview.engines import padding
from mdview.engines.axis_tables import TABLE_LIMIT, Tables, offset_tables, position_tables, selected_tables
from mdview.engines.scalar.lookups import digit_statements, terms
from mdview.engines.scalar.offset_code import (
    OUTSIDE,
    AnyMapping,
    Finish,
    Lines,
    OffsetCode,
    base_trace,
    composed_indices,
    composed_root,
    composed_values,
    dynamic_extents,
    text_lines,
)
from mdview.expressions.nodes import Index, Node
from mdview.expressions.python_source import Writer
from mdview.index.transforms import IndexTransform
from mdview.layouts.answers import offset_of
from mdview.layouts.base import Box, Composition
from mdview.mappings.mapping import Mapping

MARK: Final = 2 * OUTSIDE
"""Far enough below that no sum with offsets and an origin reaches `OUTSIDE`."""

_LED: Final = frozenset({"edge", "reflect", "wrap"})
"""Modes of a fill in which padding leads to an element."""

LateTables = Callable[[], tuple[Tables, Tables]]
"""Gives the tables that loads and stores add up, when an element is first asked for."""


def padded_codes(mapping: AnyMapping, mode: str | None) -> Iterator[OffsetCode]:
    """How offsets of a padded mapping may be computed, the best way first; ``mode`` is that of its fill, if any."""
    for make in (_looked_up, _digits, partial(_selected, concrete=False), partial(_selected, concrete=True)):
        code = make(mapping, mode)
        if code is not None:
            yield code
    yield _called(mapping, mode)


def _looked_up(mapping: AnyMapping, mode: str | None) -> OffsetCode | None:
    late, rank, again = _tables(mapping, mode), mapping.rank, mode in _LED
    if late is None:
        return None

    def values() -> Tables:
        loads, stores = late()
        return (*loads, *stores) if again else loads

    def lines(first: int) -> Lines:
        return text_lines([], f"{terms('i', first, rank)} + self._origin", range(first, first + rank))

    key = "padded tables", rank, mode
    return OffsetCode(key, values, lines(0), shifted=False, bounded=True, stores=lines(rank if again else 0))


def _digits(mapping: AnyMapping, mode: str | None) -> OffsetCode | None:
    """Code of a reshape of a padded mapping, windows above all; see `mdview.engines.scalar.lookups.digits_code`."""
    found, rank = mapping.layout.composition(mapping.extents), mapping.rank
    radix, inner = found.transform.radix, Mapping.trusted(found.extents, found.base)
    positions = None if radix is None or not radix.shape else position_tables(mapping.extents, radix)
    late = None if found.box is not None or positions is None else _tables(inner, mode)
    if radix is None or positions is None or late is None or sum(radix.shape) > TABLE_LIMIT:
        return None
    count, again, transform = len(radix.shape), mode in _LED, found.transform
    shape, total = radix.shape, rank + count * (1 + again)

    def values() -> tuple[list[int] | int, ...]:
        both = [_from_start(*selected_tables(each, transform, shape)) for each in late()]
        return (*positions, *both[0], *(both[1] if again else ()), *shape[1:], radix.first)

    def lines(first: int) -> Lines:
        statements = digit_statements(rank, count, total, total + count - 1)
        read = (*range(rank), *range(first, first + count), *range(total, total + count))
        return text_lines(statements, f"{terms('d', first, count)} + self._origin", read)

    key, last = ("padded digits", rank, count, mode), rank + count if again else rank
    return OffsetCode(key, values, lines(rank), shifted=False, bounded=True, stores=lines(last))


def _selected(mapping: AnyMapping, mode: str | None, *, concrete: bool) -> OffsetCode | None:
    """Code that tests the box and computes the offset of the element, or of what stands in for it."""
    found, rank = mapping.layout.composition(mapping.extents), mapping.rank
    base = base_trace(mapping, concrete=concrete) if rank and _has_border(found) else None
    if base is None:
        return None
    root, baked = base
    known = composed_values(mapping, found, baked)
    values = (*known, *[end for ends in _box(found, mapping.extents) for end in ends])

    def select(writer: Writer, finish: Finish, inner: str | None) -> list[str]:
        ends = range(len(known), len(values))
        writer.parameters.update(ends)
        test = " and ".join([f"self._p{e} <= i{r} < self._p{e + 1}" for r, e in enumerate(ends[::2])])
        indices, counts = composed_indices(mapping, found, baked, len(values))
        inside = writer.lines(composed_root(root, indices, counts, baked, len(values)), finish)
        outside = [finish(str(MARK))]
        if inner is not None:
            led = [line for d in range(len(indices)) for line in _led(inner, rank + d, indices[d], counts[d], writer)]
            stand_in = composed_root(
                root, list(map(Index, range(rank, rank + len(indices)))), counts, baked, len(values)
            )
            outside = [*led, *writer.lines(stand_in, finish)]
        return [f"if {test}:", *[f"    {x}" for x in inside], "else:", *[f"    {x}" for x in outside]]

    transform = found.transform
    key = ("padded", root, mapping.static_extents, baked, transform.source, transform.stride, mode)
    loads = partial(select, inner=mode if mode in _LED else None)
    return OffsetCode(key, values, loads, stores=partial(select, inner=None))


def _called(mapping: AnyMapping, mode: str | None) -> OffsetCode:
    """Code for what no arithmetic tells: a call of the layout at each access."""
    layout, extents, dynamic = mapping.layout, mapping.extents, dynamic_extents(mapping.extents)

    def store(*index: int) -> int:
        return offset_of(layout, extents, index) if layout.has_element(extents, index) else MARK

    def load(*index: int) -> int:
        if layout.has_element(extents, index):
            return offset_of(layout, extents, index)
        return padding.stand_in(str(mode), layout, extents, index)

    names, count = ", ".join([f"i{r}" for r in range(mapping.rank)]), len(dynamic)
    loads, stores = (text_lines([], f"self._p{k}({names}) + self._origin", [k]) for k in (count, count + 1))
    key = "padded, called", mapping.static_extents, mode
    values = (*dynamic, load if mode in _LED else store, store)
    return OffsetCode(key, values, loads, shifted=False, stores=stores)


def _tables(mapping: AnyMapping, mode: str | None) -> LateTables | None:
    """Tables of a padded mapping, which are not made before they are asked for; None where there are none."""
    extents, found = mapping.extents, mapping.layout.composition(mapping.extents)
    if not extents or 0 in (*extents, *found.extents) or sum(extents) > TABLE_LIMIT or not _has_border(found):
        return None
    base = offset_tables(Mapping.trusted(found.extents, found.base))
    if base is None:
        return None
    led = mode if mode in _LED else "edge"  # what a mark takes the place of may be any element

    def tables() -> tuple[Tables, Tables]:
        continued = [
            _continued(led, table, first, step, 1 if source is None else extents[source])
            for table, first, step, source in zip(base[0], *_rows(found.transform), strict=True)
        ]
        whole = IndexTransform.taking(found.transform.source)
        loads = _from_start(*selected_tables(continued, whole, extents), base[1])
        stores = tuple([[*[MARK] * a, *t[a:b], *[MARK] * (len(t) - b)] for t, (a, b) in zip(loads, box, strict=True)])
        return loads if mode in _LED else stores, stores

    box = _box(found, extents)
    return tables


def _rows(transform: IndexTransform) -> tuple[Sequence[int], Sequence[int], Sequence[int | None]]:
    return transform.offset, transform.stride, transform.source


def _continued(mode: str, table: list[int], first: int, step: int, extent: int) -> list[int]:
    """Return the offsets of a dimension of the base along indices that may lead out of it."""

    def led(begin: int, end: int) -> list[int]:
        places = [first + step * k for k in range(begin, end)]
        return [table[i] for i in inside_index(mode, places, [(0, len(table))] * len(places))]

    if step < 0:
        return _continued(mode, table, first + step * (extent - 1), -step, extent)[::-1]
    begin = min(extent, max(0, -(first // step))) if step else extent
    end = min(extent, max(begin, -((first - len(table)) // step))) if step else extent
    start = first + step * begin
    return [*led(0, begin), *table[start : start + step * (end - begin) : step or 1], *led(end, extent)]


def _from_start(tables: Tables, *starts: int) -> Tables:
    """Return tables that add up to the offset itself."""
    start = sum(starts)
    return ([start + offset for offset in tables[0]], *tables[1:])


def _has_border(found: Composition) -> bool:
    """Tell whether all padding is outside of a box, and the element is an affine step from there."""
    return found.box is not None and found.transform.is_affine and found.base.is_total()


def _box(found: Composition, extents: Sequence[int]) -> Box:
    """Box of the elements, one pair for each dimension; one that is longer than the rank leaves none."""
    given, rank = found.box or (), len(extents)
    box = (*given, *[(0, e) for e in extents[len(given) :]]) if len(given) <= rank else ((0, 0),) * rank
    return tuple(
        [(max(0, min(low, int(e))), max(0, min(high, int(e)))) for (low, high), e in zip(box, extents, strict=True)]
    )


_RULES: Final = {
    "edge": ["{i} = 0 if {i} < 0 else {n} - 1"],
    "reflect": ["{i} %= 2 * {n} - 2 or 1", "if {i} >= {n}: {i} = 2 * {n} - 2 - {i}"],
    "wrap": ["{i} %= {n}"],
}
"""What `inside_index` computes, as statements on an index that lies outside of an extent."""


def _led(mode: str, name: int, index: Node, extent: Node, writer: Writer) -> list[str]:
    """Statements that give an index of the base the name of index ``name``, and lead it inside by ``mode``."""
    found, n = writer.source(index), writer.source(extent).result
    rules = [rule.format(i=f"i{name}", n=n) for rule in _RULES[mode]]
    test = f"if not 0 <= i{name} < {n}:"
    return [*found.statements, f"i{name} = {found.result}", test, *[f"    {rule}" for rule in rules]]
