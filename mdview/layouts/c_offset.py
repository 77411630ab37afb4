"""The offset of a layout as C: the arithmetic that all engines work from, for code that other compilers compile."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mdview.base.texts import told
from mdview.errors import SourceError
from mdview.expressions import c_source
from mdview.expressions.c_source import for_c
from mdview.expressions.folding import folded
from mdview.expressions.nodes import Const, Index, Node
from mdview.expressions.ranges import Range, RangeError, spans, within
from mdview.expressions.simplification import linear_form, simplified
from mdview.expressions.tracing import trace
from mdview.index.extents import shape_text
from mdview.layouts.base import Layout, Strides
from mdview.layouts.enumeration import element_box


def c_offset(
    layout: Layout,
    extents: tuple[int, ...],
    strides: Callable[[], Strides | None],
    names: Sequence[str],
    function: str | None,
) -> str:
    """Return the offset of an index as an expression in C, or as the function of that name.

    ``strides`` gives those of the layout, if there are any.

    Raises
    ------
    RankError, OperandError
        See `mdview.expressions.c_source.as_names`.
    SourceError
        A name is none, the arithmetic cannot be followed or leaves 64 bits, or it is too long for one expression.
    """
    names = c_source.as_names(len(extents), names)
    if function is not None:
        function = c_source.as_name(function, "the name of a function", names)
    what = f"no C is known for {told(layout)} over extents {shape_text(extents)}: "
    root = _arithmetic(layout, extents, strides, what)
    write = list(names) if function is not None else [f"(int64_t){name}" for name in names]

    def leaf(node: Node) -> str:
        return write[node.dimension] if isinstance(node, Index) else str(node)

    try:
        if function is None:
            return c_source.expression(root, leaf)
        return c_source.function(root, leaf, function, names)
    except SourceError as error:
        raise SourceError(f"{what}{error}; write a function: function='offset' names it") from None


def _arithmetic(layout: Layout, extents: tuple[int, ...], strides: Callable[[], Strides | None], what: str) -> Node:
    """Offset of every index that stands for an element, by operators of C; 0 where there is none."""
    elements = element_box(layout, extents)
    box = spans(extents) if elements is None else tuple([(low, high - 1) for low, high in elements])
    if any(low > high for low, high in box):
        return Const(0)
    traced = trace(layout, tuple(map(int, extents)))
    forms = [] if traced.root is None else _forms(traced.root, box)
    if traced.root is None and (stated := strides()) is not None:
        forms = [lambda: _linear(layout.origin(extents), stated, spans(extents))]
    reason = f"{traced.reason}; its offset must be arithmetic (+ - * // % & | ^ << >>) and comparisons"
    for form in forms:
        try:
            return for_c(form(), within(box))
        except RangeError as error:
            reason = f"{error}, and each part must be a number of 64 bits for every index"
    raise SourceError(f"{what}{reason}")


def _forms(root: Node, box: Sequence[Range]) -> list[Callable[[], Node]]:
    """Return ways to write arithmetic, best first: by strides, if it has them in the box, simplified, as it is."""
    found = linear_form(root, [(low, high - low + 1, 1) for low, high in box])
    ways: list[Callable[[], Node]] = [lambda: simplified(root, within(box)), lambda: root]
    return ways if found is None else [lambda: _linear(*found, box), *ways]


def _linear(first: int, strides: Strides, box: Sequence[Range]) -> Node:
    """Write the offset of the first index of a box, and the strides along it.

    The number comes first, so that over a whole index space no sum leaves what lies between two offsets.
    """
    moves = [(r, s, low) for r, (s, (low, high)) in enumerate(zip(strides, box, strict=True)) if low < high]
    found: Node = Const(int(first) - sum([s * low for _, s, low in moves]))
    for r, stride, _ in moves:
        found = folded("sub" if stride < 0 else "add", found, folded("mul", Index(r), Const(abs(stride))))
    return found
