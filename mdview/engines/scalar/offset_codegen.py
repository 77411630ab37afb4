"""Code generation for offsets: the code that computes the offset of an index, and the numbers it takes.

What varies from view to view (tables, extents, strides, the numbers of a transform) is a parameter; what decides the
code (rank, static extents, strides of 0 and 1, the arithmetic of a layout without strides) is in the key.

Where there are tables an access adds entries of them, and they bound the index: list indexing refuses what is out of
range and counts negative indices from the end. Those of a padded view are continued over the padding, so that the
padding costs nothing more than the inside. An index in the padding leads to the element that stands in for it, or to a
mark: a number below `OUTSIDE`, which stands for no element, as nowhere in a fill by a constant, and for no store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from mdview.base import Dim
from mdview.engines import bounds_check
from mdview.engines.mapping_plan import AnyMapping, Plan, plan_of
from mdview.engines.offset_tables import led_indices
from mdview.engines.scalar.view_class_codegen import OUTSIDE, Finish, Lines, OffsetCode
from mdview.expressions.expression_tree import Const, Index, Node, Op, Param, alternatives, replaced
from mdview.expressions.normal_form import combined, folded
from mdview.expressions.operators import COMPARISONS
from mdview.expressions.python_codegen import Writer
from mdview.expressions.range_analysis import RangeError, expression_range, spans, within
from mdview.expressions.tracing import node_of, numbers, trace
from mdview.index.boundary_modes import LED
from mdview.index.extents import static_extents
from mdview.index.index_map import IndexMap, Radix

Known: TypeAlias = tuple[int | None, ...]
"""Numbers that belong to the code; None for each one that is a parameter."""

TABLE_LIMIT: Final = 4096
"""How many entries the tables of one view may have in all; beyond that arithmetic is used instead."""

MARK: Final = 2 * OUTSIDE
"""Far enough below that no sum with offsets and an origin reaches `OUTSIDE`."""

Tables: TypeAlias = tuple[list[int], ...]
"""One list per dimension, never changed. The entries for one index, one of each list, add up to its offset."""


def grid_code(rank: int) -> OffsetCode:
    """Code of a grid (see `access_signature`), which checks bounds and counts negative indices from the end."""
    return OffsetCode(("grid", rank), (), text_lines([], "key", []), bounded=True, items="self._grid")


def strided_code(extents: Sequence[int], strides: Sequence[int], start: int, *, moved: bool) -> OffsetCode:
    """Code of strides: the sum of index times stride; ``moved`` tells that the view's origin is not 0."""
    dynamic, known = dynamic_extents(extents), _known(strides)
    values, is_moved = (*dynamic, *_free(strides)), moved or start != 0

    def root() -> Node:
        rest = map(Param, range(len(dynamic), len(values) + 1))
        steps = _mixed(known, rest)
        total: Node = next(rest) if is_moved else Const(0)
        for r, step in enumerate(steps):
            total = folded("add", total, folded("mul", Index(r), step))
        return total

    return OffsetCode(("strided", static_extents(extents), known, is_moved), values, expression_lines(root), start)


def traced_code(mapping: AnyMapping, *, moved: bool, concrete: bool) -> OffsetCode | None:
    """Code of a layout's own arithmetic, seen through the transform that it is composed with; None if it has no trace.

    Dynamic extents are parameters, unless all of them are made ``concrete``: for arithmetic that asks for numbers (how
    many bits an extent has) or compares extents, where one answer is better than one at each access.
    """
    found, dynamic = mapping.layout.composition(mapping.extents), dynamic_extents(mapping.extents)
    baked = tuple([int(e) if concrete or type(e) is Dim else None for e in found.extents])
    base = trace(found.base, baked).root
    if base is None or (None in baked and _compares_extents(base)):
        return None
    natural = _is_natural(base, found.extents, baked)

    def composed(extents: tuple[int, ...], transform: IndexMap) -> OffsetCode:
        values = composed_values(extents, found.extents, transform, baked)
        lines = expression_lines(lambda: _composed_root(base, extents, transform, baked, len(values)))
        kind = transform.source, _known(_factors(transform)), transform.radix and transform.radix.shape
        key = "composed", base, static_extents(extents), baked, natural, kind
        return OffsetCode(key, values, lines, natural=natural, traced=part)

    def part(plan: Plan) -> OffsetCode | None:
        return composed(plan.extents, plan.transform) if isinstance(plan.transform, IndexMap) else None

    if found.base is not mapping.layout:
        return composed(mapping.extents, found.transform)
    lines = expression_lines(lambda: _sum(base, Param(len(dynamic))) if moved else base)
    key = "traced", base, mapping.static_extents, moved, natural
    return OffsetCode(key, dynamic, lines, natural=natural, traced=part)


def _factors(transform: IndexMap) -> tuple[int, ...]:
    """Return what indices and digits are multiplied by; the 0 and 1 among them belong to the code."""
    return transform.stride if transform.radix is None else (*transform.stride, *transform.radix.weights)


def composed_values(
    extents: Sequence[int], base_extents: Sequence[int], transform: IndexMap, baked: Known
) -> tuple[int, ...]:
    """Values of the parameters of code that goes through a transform, so that all slices of one base share it."""
    bases = [int(e) for e, known in zip(base_extents, baked, strict=True) if known is None]
    firsts = transform.offset if transform.radix is None else (*transform.offset, transform.radix.first)
    return (*dynamic_extents(extents), *bases, *firsts, *_free(_factors(transform)))


def _composed_root(base: Node, extents: Sequence[int], transform: IndexMap, baked: Known, end: int) -> Node:
    """Return the position of an index of a mapping: the arithmetic of the base, and parameter ``end``, the origin.

    The parameters before are those of `composed_values`.
    """
    radix, count = transform.radix, len(transform.stride)
    rest = map(Param, range(len(dynamic_extents(extents)), end))
    counts = [n for n, known in zip(_mixed(baked, rest), baked, strict=True) if known is None]
    firsts = numbers([next(rest) for _ in range(count + (radix is not None))])
    factors = numbers(_mixed(_known(_factors(transform)), rest))
    digits = None if radix is None else Radix(firsts[-1], factors[count:], radix.shape)
    moved = IndexMap(firsts[:count], factors[:count], transform.source, digits)
    indices = map(node_of, moved.apply(numbers([*map(Index, range(len(extents)))])))
    leaves: dict[Node, Node] = {Index(d): i for d, i in enumerate(indices)}
    leaves |= {Param(k): n for k, n in enumerate(counts)}
    return _sum(replaced(base, lambda leaf: leaves.get(leaf, leaf), combined), Param(end))


def _is_natural(root: Node, extents: tuple[int, ...], baked: Known) -> bool:
    """Tell whether an offset is known to be 0 or more over all of ``extents``; those not ``baked`` are parameters."""
    dynamic = [e for e, known in zip(extents, baked, strict=True) if known is None]
    try:
        return expression_range(root, within(spans(extents), dynamic), None)[0] >= 0
    except RangeError:
        return False


def text_lines(statements: Sequence[str], result: str, read: Iterable[int]) -> Lines:
    """Return what writes these statements and the result, which read some parameters."""

    def lines(writer: Writer, finish: Finish) -> list[str]:
        writer.parameters.update(read)
        return [*statements, finish(result)]

    return lines


def expression_lines(root: Callable[[], Node]) -> Lines:
    """Return what writes an expression, which is made when it is needed."""
    return lambda writer, finish: writer.lines(root(), finish)


def _sum(root: Node, origin: Node) -> Node:
    return combined(root + origin, [root, origin])


def _compares_extents(root: Node) -> bool:
    """Tell whether an expression chooses by a comparison that no index enters."""
    return any(isinstance(part, Op) and part.name in COMPARISONS and not part.dimensions for part in alternatives(root))


def _known(numbers: Sequence[int]) -> Known:
    """Which numbers are 0 or 1 and belong to the code; None for those that are parameters."""
    return tuple([n if n in {0, 1} else None for n in numbers])


def _free(numbers: Sequence[int]) -> list[int]:
    """Return the numbers that are parameters."""
    return [n for n in numbers if n not in {0, 1}]


def _mixed(known: Known, rest: Iterator[Param]) -> tuple[Node, ...]:
    """Numbers of the code and parameters in their order."""
    return tuple([next(rest) if n is None else Const(n) for n in known])


def dynamic_extents(extents: Sequence[int]) -> tuple[int, ...]:
    """Return the extents that are parameters."""
    return tuple([e for e in extents if type(e) is not Dim])


def _steps(extent: int, stride: int) -> list[int]:
    """Offsets along one dimension."""
    return [i * stride for i in range(extent)]


def from_zero(plan: Plan) -> Tables:
    """Return tables that add up to the offset itself: one addition for each index now spares one for each access."""
    each = zip(plan.extents, plan.axes or (), strict=True)
    first, *others = [_steps(n, axis) if isinstance(axis, int) else axis.offsets for n, axis in each]
    return ([plan.start + offset for offset in first] if plan.start else first, *others)


def tables_code(plan: Plan, *, moved: bool, natural: bool | None = None) -> OffsetCode | None:
    """Code that adds one entry per dimension; None where there are no tables.

    Whether it is ``natural`` is found out unless it is told. The tables are made when an element is asked for.
    """
    if plan.axes is None:
        return None
    if not plan.axes:
        return strided_code((), (), plan.start, moved=moved)
    rank = len(plan.extents)
    natural = (plan.ends or (0, -1))[0] >= 0 if natural is None else natural
    key = "tables", rank, moved, natural
    lines = _table_lines(rank, moved=moved)
    return OffsetCode(key, partial(from_zero, plan), lines, bounded=True, natural=natural)


def _table_lines(rank: int, *, moved: bool, first: int = 0) -> Lines:
    """Return what writes the sum of one entry for each dimension, and of the view's origin if it is ``moved``."""

    def lines(writer: Writer, finish: Finish) -> list[str]:
        writer.parameters.update(range(first, first + rank))
        return [finish(f"{terms('i', first, rank)}{' + self._place' * moved}")]

    return lines


def digit_plan(plan: Plan) -> Plan | None:
    """Return the plan of the digits that a reshape reads an index as; None where that is none, or has no tables."""
    way, base = plan.transform, plan.base
    if not isinstance(way, IndexMap) or plan.domain is not None or base is None or base.axes is None:
        return None
    # Without a digit nothing would be looked up by the sum, and a slice pass for an index.
    if way.radix is None or not way.radix.shape or not plan.extents:
        return None
    if max(sum(way.radix.shape), sum(plan.extents)) > TABLE_LIMIT:
        return None
    return base.taken([*zip(way.offset, way.stride, way.source, strict=True)], way.radix.shape)


def digits_code(plan: Plan, *, moved: bool, natural: bool | None = None) -> OffsetCode | None:
    """Code of a reshape: the sum of one entry per dimension is a number, each of whose digits is looked up."""
    digits, radix = digit_plan(plan), plan.transform.radix if isinstance(plan.transform, IndexMap) else None
    if radix is None or digits is None:
        return None
    rank, count = len(plan.extents), len(radix.shape)
    natural = (digits.ends or (0, -1))[0] >= 0 if natural is None else natural
    number = Plan(plan.extents, radix.first, radix.all_weights(rank))
    statements = [f"d0 = {terms('i', 0, rank)}"]
    for digit in range(count - 1, 0, -1):
        place = f"self._p{rank + count + digit - 1}"
        statements += [f"d{digit} = d0 % {place}", f"d0 //= {place}"]

    def values() -> tuple[Any, ...]:
        return (*from_zero(number), *from_zero(digits), *radix.shape[1:])

    result = f"{terms('d', rank, count)}{' + self._place' * moved}"
    lines = text_lines(statements, result, range(rank + 2 * count - 1))
    key = ("digits", rank, count, moved, natural)
    return OffsetCode(key, values, lines, bounded=True, natural=natural)


def terms(name: str, first: int, count: int) -> str:
    """Sum of one entry per dimension, or digit; the tables are the parameters from ``first`` on."""
    return " + ".join([f"self._p{first + r}[{name}{r}]" for r in range(count)])


def padded_code(plan: Plan, mode: str | None) -> OffsetCode | None:
    """Code of a padded plan, the best there is without a call; ``mode`` is that of its fill, if any."""
    domain, rank, again = plan.domain, len(plan.extents), mode in LED
    if not domain or not rank or sum(plan.extents) > TABLE_LIMIT:
        return None
    led = plan.led(str(mode) if again else "edge")  # of a constant any will do: its marks cover what is led
    if led is None or led.axes is None:
        return _computed(plan, mode) if len(domain) == rank else None

    def values() -> tuple[Any, ...]:
        loads = from_zero(led)
        stores = [_marked(table, ends) for table, ends in zip(loads, domain, strict=False)]
        if len(domain) > rank:
            stores = [_marked(table, (0, 0)) for table in loads]
        return (*loads, *stores) if again else tuple(stores)

    loads, stores = _table_lines(rank, moved=True), _table_lines(rank, moved=True, first=rank if again else 0)
    return OffsetCode(("padded tables", rank, mode), values, loads, bounded=True, stores=stores)


def _computed(plan: Plan, mode: str | None) -> OffsetCode | None:
    """Code that leads each index to one of the base by a table, and computes its offset; None without arithmetic."""
    base, way, rank, again = plan.base, plan.transform, len(plan.extents), mode in LED
    if base is None or base.vector is None or not isinstance(way, IndexMap) or not way.is_affine:
        return None
    if 0 in (*plan.extents, *base.extents):
        return None
    root, count, source = base.vector.root, len(base.extents), way.source
    led = ", ".join([f"self._p{d}[{0 if r is None else f'i{r}'}]" for d, r in enumerate(source)])

    def values() -> tuple[Any, ...]:
        rows = zip(base.extents, way.offset, way.stride, source, strict=True)
        rule = str(mode) if again else "edge"
        tables = [led_indices(rule, n, f, s, 1 if r is None else plan.extents[r]) for n, f, s, r in rows]
        marks = [_marked([0] * n, ends) for n, ends in zip(plan.extents, plan.domain or (), strict=True)]
        return (*tables, *marks)

    def lines(*, marks: bool) -> Lines:
        def write(writer: Writer, finish: Finish) -> list[str]:
            writer.parameters.update(range(count + marks * rank))
            mark = f" + {terms('i', count, rank)}" if marks else ""
            first = f"place = self._place{mark}"
            statements = writer.lines(root, lambda text: finish(f"place + {text}"))
            return [first, f"{''.join([f'i{d}, ' for d in range(count)])}= {led},", *statements]

        return write

    key = "padded, computed", root, rank, source, mode
    loads, stores = lines(marks=not again), lines(marks=True)
    return OffsetCode(key, values, loads, bounded=True, stores=stores)


def _marked(table: list[int], ends: tuple[int, int]) -> list[int]:
    """Return a table with marks for what lies outside a range."""
    low, high = (max(0, min(end, len(table))) for end in ends)
    return [*[MARK] * low, *table[low:high], *[MARK] * (len(table) - max(low, high))]


def called_code(mapping: AnyMapping, mode: str | None, *, moved: bool) -> OffsetCode:
    """Code for what neither arithmetic nor tables tell (a loop over the index, say): a call at each access."""
    extents, dynamic, offset = mapping.extents, dynamic_extents(mapping.extents), mapping.layout.offset
    is_total, plan = mapping.layout.is_total(), plan_of(mapping)

    def at(*index: int) -> int:
        return offset(extents, index)

    def element(*index: int) -> int:
        return plan.at(index) if plan.has_element(index) else MARK

    def led(*index: int) -> int:
        return bounds_check.offset(plan, mode, index)

    names, count = "".join([f"i{r}, " for r in range(len(extents))]), len(dynamic)
    loads, stores = (text_lines([], f"self._p{k}({names}){' + self._place' * moved}", [k]) for k in (count, count + 1))
    key = "called", mapping.static_extents, moved, is_total, mode
    if is_total:
        return OffsetCode(key, (*dynamic, at), loads, natural=False)
    return OffsetCode(key, (*dynamic, led if mode in LED else element, element), loads, stores=stores)
