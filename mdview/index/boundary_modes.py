"""Boundary modes: arithmetic that maps an index outside an extent to an index inside (clip, wrap, reflect).

The modes and their meanings are those of ``numpy.pad``. `led` returns the expression of a mode, which the engines
compile for ints, for arrays and for kernels. An index within the extent maps to itself. The mode ``"constant"`` has no
expression: an index outside has no index inside.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias, get_args

from mdview.expressions.expression_tree import Index, Node, Op, Select
from mdview.expressions.python_codegen import on_arrays, python_function

Mode: TypeAlias = Literal["constant", "edge", "reflect", "symmetric", "wrap"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
"""The names of all modes."""
PERIODIC: Final = frozenset({"reflect", "symmetric", "wrap"})
"""The modes in which the index inside is a periodic function of the index."""
LED: Final = PERIODIC | {"edge"}
"""The modes that map every index to an index inside."""


def led(mode: str, index: Node, extent: Node) -> Node:
    """Return the index within ``extent``, which is at least 1, to which a mode of `LED` maps ``index``.

    >>> from mdview.expressions.expression_tree import Const, Param
    >>> led("wrap", Index(0), Param(0)), led("symmetric", Index(0), Const(4)).substitute({Index(0): 5}).eval()
    ((i0 % (p0 + (p0 < 1))), 2)
    """
    if mode == "edge":
        return _least(Select(Op("lt", index, 0), 0, index), extent - 1)
    period = _period(mode, extent)
    remainder = Op("mod", index, period)
    if mode == "wrap":
        return remainder
    return _least(remainder, period - remainder - (1 if mode == "symmetric" else 0))


def _period(mode: str, extent: Node) -> Node:
    """Return the period of a mode of `PERIODIC`; it is at least 1, so that division by it is defined."""
    if mode == "reflect":  # the outermost elements are not repeated
        return extent * 2 - 2 + Op("lt", extent, 2)
    return (extent if mode == "wrap" else extent * 2) + Op("lt", extent, 1)


def _least(left: Node, right: Node) -> Node:
    return Select(Op("lt", left, right), left, right)


_RULES: Final = {mode: led(mode, Index(0), Index(1)) for mode in LED}


def inside_index(mode: str, index: Any, extent: int) -> Any:
    """Return the index within ``extent`` to which a mode maps ``index``. Any: an int, or an array of integers.

    >>> inside_index("reflect", -1, 4), inside_index("reflect", 6, 5)
    (1, 2)
    """
    compiled = python_function if type(index) is int else on_arrays
    return compiled(_RULES[mode], 2)(index, extent)
