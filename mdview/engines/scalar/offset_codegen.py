"""Code generation for offsets: the code that computes the offset of an index, and the numbers it takes.

`offset_codes` has the ways to compute it, for a mapping and for a part of which only the plan is known. What varies
from view to view (tables, extents, strides, the numbers of a transform) is a parameter; what decides the code (rank,
static extents, numbers that are 0 or 1, the arithmetic of a layout without strides) is in the key.

Where there are tables an access adds entries of them, and they bound the index: list indexing refuses what is out of
range and counts negative indices from the end. Those of a padded view are continued over the padding, so that the
padding costs nothing more than the inside. An index in the padding leads to the element that stands in for it, or to a
mark: a number below `OUTSIDE`, which stands for no element, as nowhere in a fill by a constant, and for no store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, TypeAlias

from mdview.base import Dim
from mdview.engines import bounds_check
from mdview.engines.mapping_plan import AnyMapping, Plan
from mdview.engines.offset_tables import led_indices, vector_offset
from mdview.engines.scalar.access_signature import AccessSignature, has_grid
from mdview.engines.scalar.view_class_codegen import OUTSIDE, Finish, Lines, OffsetCode
from mdview.expressions.expression_tree import Const, Index, Node, Param, replaced
from mdview.expressions.normal_form import combined
from mdview.expressions.python_codegen import Writer
from mdview.expressions.tracing import node_of, numbers, trace
from mdview.index.boundary_modes import LED
from mdview.index.extents import static_extents
from mdview.index.index_map import IndexMap, Radix

TABLE_LIMIT: Final = 4096
"""How many entries the tables of one view may have in all; beyond that arithmetic is used instead."""

MARK: Final = 2 * OUTSIDE
"""Far enough below that no sum with offsets and an origin reaches `OUTSIDE`."""

Tables: TypeAlias = tuple[list[int], ...]
"""One list per dimension, never changed. The entries for one index, one of each list, add up to its offset."""


def offset_codes(
    access: AccessSignature,
    extents: tuple[int, ...],
    plan: Callable[[], Plan],
    mapping: AnyMapping | None,
    *,
    moved: bool,
) -> Iterator[OffsetCode | None]:
    """How offsets may be computed, the best way first; the last way serves all.

    Parameters
    ----------
    access, extents
        The access, and the extents, of which some may be static.
    plan
        Returns the plan, which may take a table of each dimension.
    mapping
        The mapping; None for a part of a view, of which no position is negative.
    moved
        Whether the origin of the view may be another one than 0.
    """
    if mapping is not None and has_grid(access, mapping):
        yield OffsetCode(("grid", len(extents)), (), lambda _, finish: [finish("key")], bounded=True, is_grid=True)
    is_total = plan().is_total if mapping is None else mapping.layout.is_total()
    if not is_total:
        yield padded_code(plan(), access.mode)
    else:
        if mapping is None or (sum(extents) <= TABLE_LIMIT and 0 not in extents):
            natural = mapping is None or (plan().ends or (0, -1))[0] >= 0
            way = tables_code if plan().axes is not None else digits_code
            yield way(plan(), moved=moved, natural=natural)
        if mapping is not None and (strides := mapping.found_strides()) is not None:
            yield strided_code(extents, strides, mapping.origin, moved=moved)
        yield traced_code(extents, plan, mapping, moved=moved)
    yield called_code(extents, plan(), access.mode, moved=moved)


def strided_code(extents: Sequence[int], strides: Sequence[int], start: int, *, moved: bool) -> OffsetCode:
    """Code of strides: the sum of the start and of index times stride."""
    rank = len(strides)
    way = IndexMap((start, *[0] * rank), (0, *strides), (None, *range(rank)))
    root: Node = Index(0)
    for d in range(1, rank + 1):
        root = root + Index(d)
    return arithmetic_code(root, way, extents, moved=moved, natural=True)


def traced_code(
    extents: tuple[int, ...], plan: Callable[[], Plan], mapping: AnyMapping | None, *, moved: bool
) -> OffsetCode | None:
    """Code of a layout's own arithmetic, seen through the transform that it is composed with; None if it has none."""
    if mapping is not None:
        found = mapping.layout.composition(mapping.extents)
        layout, counts, way = found.base, found.extents, found.transform
        known = vector_offset(layout, counts)
    else:
        part, base = plan(), plan().base
        if base is None or base.mapping is None or not isinstance(part.transform, IndexMap):
            return None
        layout, counts, way, known = base.mapping.layout, base.mapping.extents, part.transform, base.vector
    root = trace(layout, tuple(map(int, counts))).root if known is None else known.root
    if root is None:
        return None
    return arithmetic_code(root, way, extents, moved=moved, natural=known is not None and known.low >= 0)


def arithmetic_code(root: Node, way: IndexMap, extents: Sequence[int], *, moved: bool, natural: bool) -> OffsetCode:
    """Code of arithmetic at the index that a transform leads to, and of the view's origin if that is ``moved`` from 0.

    The numbers of the transform are parameters, but for those that are 0 or 1, so that slices of one base share it.
    """
    radix, count, dynamic = way.radix, len(way.stride), [e for e in extents if type(e) is not Dim]
    fixed = (*way.offset, *way.stride, *(() if radix is None else (radix.first, *radix.weights)))
    values = (*dynamic, *[n for n in fixed if n not in {0, 1}])

    def lines(writer: Writer, finish: Finish) -> list[str]:
        rest = map(Param, range(len(dynamic), len(values)))
        each = numbers([Const(n) if n in {0, 1} else next(rest) for n in fixed])
        digits = None if radix is None else Radix(each[2 * count], each[2 * count + 1 :], radix.shape)
        through = IndexMap(each[:count], each[count : 2 * count], way.source, digits)
        indices = map(node_of, through.apply(numbers([*map(Index, range(len(extents)))])))
        leaves: dict[Node, Node] = {Index(d): i for d, i in enumerate(indices)}
        place = replaced(root, lambda leaf: leaves.get(leaf, leaf), combined)
        origin = Param(len(values))
        return writer.lines(combined(place + origin, [place, origin]) if moved else place, finish)

    known = tuple([n if n in {0, 1} else None for n in fixed])
    key = "arithmetic", root, static_extents(extents), moved, natural, way.source, known, radix and radix.shape
    return OffsetCode(key, values, lines, natural=natural)


def from_zero(plan: Plan) -> Tables:
    """Return tables that add up to the offset itself: one addition for each index now spares one for each access."""
    each = zip(plan.extents, plan.axes or (), strict=True)
    first, *others = [[i * axis for i in range(n)] if isinstance(axis, int) else axis.offsets for n, axis in each]
    return ([plan.start + offset for offset in first] if plan.start else first, *others)


def tables_code(plan: Plan, *, moved: bool, natural: bool) -> OffsetCode:
    """Code that adds one entry per dimension, of a plan with axes; ``natural`` tells that no offset is negative."""
    rank = len(plan.extents)
    if not rank:
        return strided_code((), (), plan.start, moved=moved)
    lines = _table_lines(rank, moved=moved)
    return OffsetCode(("tables", rank, moved, natural), from_zero(plan), lines, bounded=True, natural=natural)


def _table_lines(rank: int, *, moved: bool, first: int = 0) -> Lines:
    """Return what writes the sum of one entry for each dimension, and of the view's origin if it is ``moved``."""
    return lambda writer, finish: [finish(f"{terms(writer, 'i', first, rank)}{' + self._place' * moved}")]


def digits_code(plan: Plan, *, moved: bool, natural: bool) -> OffsetCode | None:
    """Code of a reshape: the sum of one entry per dimension is a number, each of whose digits is looked up.

    None where the plan is that of no reshape, or takes other than short tables.
    """
    way, base, rank = plan.transform, plan.base, len(plan.extents)
    if not isinstance(way, IndexMap) or way.radix is None or base is None or base.axes is None:
        return None
    radix, short = way.radix, max(sum(way.radix.shape), sum(plan.extents)) <= TABLE_LIMIT
    if not (short and rank and radix.shape):  # without a digit nothing is looked up by the sum: a slice were an index
        return None
    digits = base.taken([*zip(way.offset, way.stride, way.source, strict=True)], radix.shape)
    number, count = Plan(plan.extents, radix.first, radix.all_weights(rank)), len(radix.shape)

    def lines(writer: Writer, finish: Finish) -> list[str]:
        statements = [f"d0 = {terms(writer, 'i', 0, rank)}"]
        for digit in range(count - 1, 0, -1):
            place = writer.parameter(rank + count + digit - 1)
            statements += [f"d{digit} = d0 % {place}", f"d0 //= {place}"]
        return [*statements, finish(f"{terms(writer, 'd', rank, count)}{' + self._place' * moved}")]

    values = (*from_zero(number), *from_zero(digits), *radix.shape[1:])
    return OffsetCode(("digits", rank, count, moved, natural), values, lines, bounded=True, natural=natural)


def terms(writer: Writer, name: str, first: int, count: int) -> str:
    """Sum of one entry per dimension, or digit; the tables are the parameters from ``first`` on."""
    return " + ".join([f"{writer.parameter(first + r)}[{name}{r}]" for r in range(count)])


def padded_code(plan: Plan, mode: str | None) -> OffsetCode | None:
    """Code of a padded plan, the best there is without a call; ``mode`` is that of its fill, if any."""
    domain, rank, again = plan.domain, len(plan.extents), mode in LED
    if not domain or not rank or sum(plan.extents) > TABLE_LIMIT:
        return None
    led = plan.led(str(mode) if again else "edge")  # of a constant any will do: its marks cover what is led
    if led is None or led.axes is None:
        return _computed(plan, mode) if len(domain) == rank else None

    tables = from_zero(led)
    marked = [_marked(table, ends) for table, ends in zip(tables, domain, strict=False)]
    if len(domain) > rank:
        marked = [_marked(table, (0, 0)) for table in tables]
    values = (*tables, *marked) if again else tuple(marked)
    loads, stores = _table_lines(rank, moved=True), _table_lines(rank, moved=True, first=rank if again else 0)
    return OffsetCode(("padded tables", rank, mode), values, loads, bounded=True, stores=stores)


def _computed(plan: Plan, mode: str | None) -> OffsetCode | None:
    """Code that leads each index to one of the base by a table, and computes its offset; None without arithmetic."""
    base, way, rank, again = plan.base, plan.transform, len(plan.extents), mode in LED
    if base is None or base.vector is None or not isinstance(way, IndexMap) or not way.is_affine:
        return None
    if 0 in (*plan.extents, *base.extents) or not {*range(rank)} <= {*way.source}:  # a table bounds each index
        return None
    root, count, source = base.vector.root, len(base.extents), way.source
    rows = zip(base.extents, way.offset, way.stride, source, strict=True)
    rule = str(mode) if again else "edge"
    tables = [led_indices(rule, n, f, s, 1 if r is None else plan.extents[r]) for n, f, s, r in rows]
    marks = [_marked([0] * n, ends) for n, ends in zip(plan.extents, plan.domain or (), strict=True)]
    bounds = [[0] * n for n in plan.extents]  # of each index: no dimension of the base need follow it

    def lines(*, marked: bool) -> Lines:
        def write(writer: Writer, finish: Finish) -> list[str]:
            mark = f" + {terms(writer, 'i', count if marked else count + rank, rank)}"
            led = [f"{writer.parameter(d)}[{0 if r is None else f'i{r}'}], " for d, r in enumerate(source)]
            statements = writer.lines(root, lambda text: finish(f"place + {text}"))
            names = "".join([f"i{d}, " for d in range(count)])
            return [f"place = self._place{mark}", f"{names}= {''.join(led)}", *statements]

        return write

    key = "padded, computed", root, rank, source, mode
    loads, stores = lines(marked=not again), lines(marked=True)
    return OffsetCode(key, (*tables, *marks, *bounds), loads, bounded=True, stores=stores)


def _marked(table: list[int], ends: tuple[int, int]) -> list[int]:
    """Return a table with marks for what lies outside a range."""
    low, high = (max(0, min(end, len(table))) for end in ends)
    return [*[MARK] * low, *table[low:high], *[MARK] * (len(table) - max(low, high))]


def called_code(extents: tuple[int, ...], plan: Plan, mode: str | None, *, moved: bool) -> OffsetCode:
    """Code for what neither arithmetic nor tables tell (a loop over the index, say): a call at each access."""
    dynamic = [e for e in extents if type(e) is not Dim]
    indices = "".join([f"i{r}, " for r in range(len(extents))])

    def element(index: Sequence[int]) -> int:
        return plan.at(index) if plan.has_element(index) else MARK

    def lines(writer: Writer, finish: Finish, number: int = len(dynamic)) -> list[str]:
        return [finish(f"{writer.parameter(number)}(({indices})){' + self._place' * moved}")]

    key = "called", static_extents(extents), moved, plan.is_total, mode
    if plan.is_total:
        return OffsetCode(key, (*dynamic, plan.at), lines, natural=False)
    led = partial(bounds_check.offset, plan, mode) if mode in LED else element
    return OffsetCode(key, (*dynamic, led, element), lines, stores=partial(lines, number=len(dynamic) + 1))
