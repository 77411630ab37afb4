"""Offset code says how the offsets of one mapping are computed: code found by a key, and the numbers that it takes.

What varies from view to view (extents, strides, the numbers of a transform) is a parameter; what decides the code
(rank, static extents, strides of 0 and 1, the arithmetic of a layout without strides) is in the key.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeAlias, final

from mdview.base.caches import remembered_by_value
from mdview.base.integers import Dim
from mdview.base.values import value
from mdview.expressions.folding import combined, folded
from mdview.expressions.nodes import Const, Index, Node, Op, Param, alternatives, replaced
from mdview.expressions.operators import COMPARISONS
from mdview.expressions.python_source import Writer
from mdview.expressions.ranges import RangeError, expression_range, spans, within
from mdview.expressions.tracing import node_of, numbers, trace
from mdview.index.transforms import IndexTransform, Radix
from mdview.layouts.base import Composition, Layout
from mdview.mappings.mapping import Mapping

AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]
Finish: TypeAlias = Callable[[str], str]
"""Makes a statement of the source of an offset."""
Known: TypeAlias = tuple[int | None, ...]
"""Numbers that belong to the code; None for each one that is a parameter."""


@final
@value
class OffsetCode:
    """How the offsets of one mapping are computed.

    Attributes
    ----------
    key
        Equal keys: equal code.
    values
        Values of the parameters, all but the start; the dynamic extents come first.
    lines
        Writes the statements that compute the offset and end with what is done with it.
    start
        What the view's origin is added to; the sum is the last parameter, if there is one for it.
    shifted
        Whether there is.
    bounded
        Whether tables bound the index, so that no extents are among the values.
    natural
        Whether no offset is known to be negative, whatever the layout's text says; else the code tests it.
    """

    key: Hashable
    values: tuple[Any, ...]  # Any: ints, or the bound function that a layout that cannot be traced is called by
    lines: Callable[[Writer, Finish], list[str]]
    start: int = 0
    shifted: bool = True
    bounded: bool = False
    natural: bool = True


def strided_code(mapping: AnyMapping, *, moved: bool) -> OffsetCode | None:
    """Code of a strided mapping: the sum of index times stride; ``moved`` tells that the view's origin is not 0."""
    strides = mapping.found_strides()
    if strides is None:
        return None
    dynamic, known = _dynamic(mapping.extents), _known(strides)
    values, start = (*dynamic, *_free(strides)), mapping.origin
    shifted = moved or start != 0

    def root() -> Node:
        rest = map(Param, range(len(dynamic), len(values) + 1))
        steps = _mixed(known, rest)
        total: Node = next(rest) if shifted else Const(0)
        for r, step in enumerate(steps):
            total = folded("add", total, folded("mul", Index(r), step))
        return total

    return OffsetCode(("strided", mapping.static_extents, known, shifted), values, _written(root), start, shifted)


def traced_code(mapping: AnyMapping, *, moved: bool, concrete: bool) -> OffsetCode | None:
    """Code of a layout's own arithmetic, seen through the transform that it is composed with; None if it has no trace.

    Dynamic extents are parameters, unless all of them are made ``concrete``: for arithmetic that asks for numbers (how
    many bits an extent has) or compares extents, where one answer is better than one at each access.
    """
    found = mapping.layout.composition(mapping.extents)
    baked = tuple([int(e) if concrete or type(e) is Dim else None for e in found.extents])
    base = trace(found.base, baked).root
    if base is None or (not concrete and _compares_extents(base)):
        return None
    dynamic, static = _dynamic(mapping.extents), mapping.static_extents
    if found.base is not mapping.layout:
        return _composed_code(found, base, (baked, dynamic, static))

    lines = _written(lambda: _sum(base, Param(len(dynamic))) if moved else base)
    natural = _is_natural(base, mapping.extents, baked)
    return OffsetCode(("traced", base, static, moved, natural), dynamic, lines, shifted=moved, natural=natural)


def calling_code(mapping: AnyMapping, *, moved: bool) -> OffsetCode:
    """Code for arithmetic that asks for the index itself (a loop over it): the layout is called at each access."""
    extents, offset, dynamic = mapping.extents, mapping.layout.offset, _dynamic(mapping.extents)
    index = "".join([f"i{r}, " for r in range(mapping.rank)])
    called = len(dynamic)

    def call(index: tuple[int, ...]) -> int:
        return offset(extents, index)

    def lines(writer: Writer, finish: Finish) -> list[str]:
        writer.parameters.update(range(called, called + 1 + moved))
        return [finish(f"self._p{called}(({index})){f' + self._p{called + 1}' if moved else ''}")]

    key = "called", mapping.static_extents, moved
    return OffsetCode(key, (*dynamic, call), lines, shifted=moved, natural=False)


def _composed_code(found: Composition, base: Node, shape: tuple[Known, tuple[int, ...], Known]) -> OffsetCode:
    """Code with the numbers of the transform as parameters, so that all slices of one base share it."""
    baked, dynamic, static = shape
    transform, radix = found.transform, found.transform.radix
    base_dynamic = tuple([int(e) for e, known in zip(found.extents, baked, strict=True) if known is None])
    steps, weights = _known(transform.stride), () if radix is None else _known(radix.weights)
    digits = () if radix is None else (radix.first, *_free(radix.weights))
    values = (*dynamic, *base_dynamic, *transform.offset, *_free(transform.stride), *digits)

    def root() -> Node:
        parameters = list(map(Param, range(len(values) + 1)))
        rest = iter(parameters[len(dynamic) + len(base_dynamic) :])
        firsts, strides = tuple([next(rest) for _ in steps]), _mixed(steps, rest)
        digits = None if radix is None else _open_radix(radix, next(rest), _mixed(weights, rest))
        moved = IndexTransform(_symbols(*firsts), _symbols(*strides), transform.source, digits)
        indices = moved.apply(_symbols(*map(Index, range(len(static)))))
        leaves: dict[Node, Node] = {Index(r): node_of(i) for r, i in enumerate(indices)}
        leaves |= {Param(k): parameters[len(dynamic) + k] for k in range(len(base_dynamic))}
        return _sum(replaced(base, lambda leaf: leaves.get(leaf, leaf), combined), parameters[-1])

    natural, of_radix = _is_natural(base, found.extents, baked), None if radix is None else radix.shape
    key = ("composed", base, static, baked, transform.source, steps, weights, of_radix, natural)
    return OffsetCode(key, values, _written(root), natural=natural)


@remembered_by_value()
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


def _written(root: Callable[[], Node]) -> Callable[[Writer, Finish], list[str]]:
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


def _dynamic(extents: Sequence[int]) -> tuple[int, ...]:
    return tuple([e for e in extents if type(e) is not Dim])
