"""Offset code says how the offsets of one mapping are computed: code found by a key, and the numbers that it takes.

What varies from view to view (extents, strides, the numbers of a transform) is a parameter; what decides the code
(rank, static extents, strides of 0 and 1, the arithmetic of a layout without strides) is in the key.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias, final

from mdview.base.integers import Dim
from mdview.base.values import value
from mdview.expressions.folding import combined, folded
from mdview.expressions.nodes import Const, Index, Node, Op, Param, alternatives, replaced
from mdview.expressions.operators import COMPARISONS
from mdview.expressions.python_source import Writer
from mdview.expressions.ranges import RangeError, expression_range, spans, within
from mdview.expressions.tracing import node_of, numbers, trace
from mdview.index.transforms import IndexMap, Radix
from mdview.layouts.base import Composition, Layout
from mdview.mappings.mapping import Mapping

AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]
Finish: TypeAlias = Callable[[str], str]
"""Makes a statement of the source of an offset."""
Lines: TypeAlias = Callable[[Writer, Finish], list[str]]
"""Writes the statements that compute an offset and end with what is done with it."""
Known: TypeAlias = tuple[int | None, ...]
"""Numbers that belong to the code; None for each one that is a parameter."""

OUTSIDE: Final = -(1 << 79)
"""What is below is no offset: the index lies in the padding (see `mdview.engines.scalar.lookups`)."""


@final
@value
class OffsetCode:
    """How the offsets of one mapping are computed.

    Attributes
    ----------
    key
        Equal keys: equal code.
    values
        Values of the parameters, all but the start; the dynamic extents come first. A function gives those that are
        not made before an element is asked for.
    lines
        Writes the statements of a load, and where there is no padding those of a store.
    start
        What the view's origin is added to; the sum is the last parameter, if there is one for it.
    shifted
        Whether there is.
    bounded
        Whether tables bound the index, so that no extents are among the values.
    natural
        Whether no offset is known to be negative, whatever the layout's text says; else the code tests it.
    stores
        Writes the statements of a store to a padded view, whose numbers may be below `OUTSIDE` as those of its loads.
    """

    key: Hashable
    # Any: ints, tables, or the bound function that a layout that cannot be traced is called by
    values: tuple[Any, ...] | Callable[[], tuple[Any, ...]]
    lines: Lines
    start: int = 0
    shifted: bool = True
    bounded: bool = False
    natural: bool = True
    stores: Lines | None = None


def strided_code(mapping: AnyMapping, *, moved: bool) -> OffsetCode | None:
    """Code of a strided mapping: the sum of index times stride; ``moved`` tells that the view's origin is not 0."""
    strides = mapping.found_strides()
    if strides is None:
        return None
    dynamic, known = dynamic_extents(mapping.extents), _known(strides)
    values, start = (*dynamic, *_free(strides)), mapping.origin
    shifted = moved or start != 0

    def root() -> Node:
        rest = map(Param, range(len(dynamic), len(values) + 1))
        steps = _mixed(known, rest)
        total: Node = next(rest) if shifted else Const(0)
        for r, step in enumerate(steps):
            total = folded("add", total, folded("mul", Index(r), step))
        return total

    return OffsetCode(
        ("strided", mapping.static_extents, known, shifted), values, expression_lines(root), start, shifted
    )


def traced_code(mapping: AnyMapping, *, moved: bool, concrete: bool) -> OffsetCode | None:
    """Code of a layout's own arithmetic, seen through the transform that it is composed with; None if it has no trace.

    Dynamic extents are parameters, unless all of them are made ``concrete``: for arithmetic that asks for numbers (how
    many bits an extent has) or compares extents, where one answer is better than one at each access.
    """
    found = mapping.layout.composition(mapping.extents)
    baked = baked_extents(found.extents, concrete=concrete)
    base, dynamic, static = _base_trace(found, baked), dynamic_extents(mapping.extents), mapping.static_extents
    if base is None:
        return None
    natural = _is_natural(base, found.extents, baked)
    if found.base is mapping.layout:
        lines = expression_lines(lambda: _sum(base, Param(len(dynamic))) if moved else base)
        return OffsetCode(("traced", base, static, moved, natural), dynamic, lines, shifted=moved, natural=natural)

    transform = found.transform
    values = composed_values(mapping.extents, found.extents, transform, baked)
    lines = expression_lines(lambda: _composed_root(base, mapping, found, baked, len(values)))
    key = ("composed", base, static, baked, natural, *form_of(transform))
    return OffsetCode(key, values, lines, natural=natural)


def form_of(transform: IndexMap) -> tuple[Hashable, ...]:
    """Return what of a transform is in the code of those who go through it; other numbers are parameters."""
    radix = transform.radix
    of_radix = None if radix is None else (radix.shape, _known(radix.weights))
    return transform.source, _known(transform.stride), of_radix


def _base_trace(found: Composition, baked: Known) -> Node | None:
    """Arithmetic of the layout that a mapping is composed with, if it has any."""
    base = trace(found.base, baked).root
    return None if base is None or (None in baked and _compares_extents(base)) else base


def baked_extents(extents: Sequence[int], *, concrete: bool) -> Known:
    """Return the extents of a base that belong to the code: the static ones, or all."""
    return tuple([int(e) if concrete or type(e) is Dim else None for e in extents])


def calling_code(mapping: AnyMapping, *, moved: bool) -> OffsetCode:
    """Code for arithmetic that asks for the index itself (a loop over it): the layout is called at each access."""
    extents, offset, dynamic = mapping.extents, mapping.layout.offset, dynamic_extents(mapping.extents)
    index = "".join([f"i{r}, " for r in range(mapping.rank)])
    called = len(dynamic)

    def call(index: tuple[int, ...]) -> int:
        return offset(extents, index)

    result = f"self._p{called}(({index})){f' + self._p{called + 1}' if moved else ''}"
    lines = text_lines([], result, range(called, called + 1 + moved))
    key = "called", mapping.static_extents, moved
    return OffsetCode(key, (*dynamic, call), lines, shifted=moved, natural=False)


def composed_values(
    extents: Sequence[int], base_extents: Sequence[int], transform: IndexMap, baked: Known
) -> tuple[int, ...]:
    """Values of the parameters of code that goes through a transform, so that all slices of one base share it."""
    radix = transform.radix
    digits = () if radix is None else (radix.first, *_free(radix.weights))
    bases = [int(e) for e, known in zip(base_extents, baked, strict=True) if known is None]
    return (*dynamic_extents(extents), *bases, *transform.offset, *_free(transform.stride), *digits)


def _composed_root(base: Node, mapping: AnyMapping, found: Composition, baked: Known, end: int) -> Node:
    """Return the position of an index of a mapping: the arithmetic of the base, and parameter ``end``, the origin.

    The parameters before are those of `composed_values`.
    """
    transform, radix = found.transform, found.transform.radix
    rest = map(Param, range(len(dynamic_extents(mapping.extents)), end))
    counts = [n for n, known in zip(_mixed(baked, rest), baked, strict=True) if known is None]
    firsts = tuple([next(rest) for _ in transform.stride])
    strides = _mixed(_known(transform.stride), rest)
    digits = None if radix is None else _open_radix(radix, next(rest), _mixed(_known(radix.weights), rest))
    moved = IndexMap(_symbols(*firsts), _symbols(*strides), transform.source, digits)
    indices = map(node_of, moved.apply(_symbols(*map(Index, range(mapping.rank)))))
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


def _open_radix(radix: Radix, first: Node, weights: Sequence[Node]) -> Radix:
    """Return a mixed-radix step with other numbers than its shape left open."""
    return Radix(numbers([first])[0], _symbols(*weights), radix.shape)


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


def _symbols(*nodes: Node) -> tuple[Any, ...]:  # Any: they stand for the ints that a transform takes
    return numbers(nodes)


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
