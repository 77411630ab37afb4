"""The offset of a layout as C: the arithmetic that all engines work from, for code that other compilers compile."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mdview.base.texts import told
from mdview.errors import LayoutError, SourceError
from mdview.expressions import c_source
from mdview.expressions.c_arithmetic import for_c
from mdview.expressions.folding import folded
from mdview.expressions.nodes import Const, Index, Node
from mdview.expressions.ranges import LeafRange, RangeError, within
from mdview.expressions.simplification import simplified
from mdview.expressions.tracing import trace
from mdview.index.extents import shape_text
from mdview.layouts.base import Layout, Strides


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
    root = _arithmetic(layout, extents, strides(), what)
    write = list(names) if function is not None else [f"(int64_t){name}" for name in names]

    def leaf(node: Node) -> str:
        return write[node.dimension] if isinstance(node, Index) else str(node)

    try:
        if function is None:
            return c_source.expression(root, leaf)
        return c_source.function(root, leaf, function, names)
    except SourceError as error:
        message = f"{what}{error}"
        raise SourceError(message) from None


def _arithmetic(layout: Layout, extents: tuple[int, ...], strides: Strides | None, what: str) -> Node:
    """Offset of every index that stands for an element, by operators of C; 0 where there is none."""
    box = _elements(layout, extents)
    if any(low >= high for low, high in box):
        return Const(0)
    root, reason = None if strides is None else _linear(layout.origin(extents), strides), ""
    if root is None:
        traced = trace(layout, tuple(map(int, extents)))
        root, reason = traced.root, traced.reason
    if root is None:
        message = f"{what}{reason}; its offset must be arithmetic (+ - * // % & | ^ << >>) and comparisons"
        raise SourceError(message)
    leaf = within([(low, high - 1) for low, high in box])
    try:
        return _computed(root, leaf)
    except RangeError as error:
        message = f"{what}{error}; C has integers of 64 bits"
        raise SourceError(message) from None


def _computed(root: Node, leaf: LeafRange) -> Node:
    """Return the arithmetic by operators of C; where it is too large when simplified, as it was written."""
    try:
        return for_c(simplified(root, leaf), leaf)
    except RangeError:
        return for_c(root, leaf)


def _elements(layout: Layout, extents: tuple[int, ...]) -> Sequence[tuple[int, int]]:
    """For each dimension a half-open range in which all indices lie that stand for an element."""
    try:
        box = layout.valid_box(extents)
    except LayoutError:  # they are no box
        box = ()
    whole = [(0, int(e)) for e in extents]
    if len(box) > len(whole):  # longer than the rank, which leaves nothing
        return [(0, 0)]
    narrowed = [(max(low, 0), min(high, e)) for (low, high), (_, e) in zip(box, whole, strict=False)]
    return [*narrowed, *whole[len(narrowed) :]]


def _linear(origin: int, strides: Strides) -> Node:
    """Origin plus index times strides: in this order no sum leaves what lies between two offsets."""
    found: Node = Const(int(origin))
    for r, stride in enumerate(strides):
        found = folded("sub" if stride < 0 else "add", found, folded("mul", Index(r), Const(abs(stride))))
    return found
