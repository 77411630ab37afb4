"""Boundary modes: arithmetic that maps an index outside an extent to one inside (clip, wrap, reflect).

The modes and their meanings are those of ``numpy.pad``. The rule of each is one expression, `led`, from which every
engine takes it: as a function of ints, as source, on arrays, as instructions of a kernel. An index within the extent
leads to itself. ``"constant"`` leads nowhere.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias, get_args

from mdview.expressions.expression_tree import Index, Node, Op, Select
from mdview.expressions.python_codegen import on_arrays, python_function

Mode: TypeAlias = Literal["constant", "edge", "reflect", "symmetric", "wrap"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
"""How the padding is filled; names and meanings are those of ``numpy.pad``."""
PERIODIC: Final = frozenset({"reflect", "symmetric", "wrap"})
"""Modes in which the indices that are led to begin again and again."""
LED: Final = PERIODIC | {"edge"}
"""Modes that lead to an element."""


def led(mode: str, index: Node, extent: Node) -> Node:
    """Index within ``extent``, which is at least 1, that a mode of `LED` leads ``index`` to.

    >>> from mdview.expressions.expression_tree import Const, Param
    >>> led("wrap", Index(0), Param(0)), led("symmetric", Index(0), Const(4)).substitute({Index(0): 5}).eval()
    ((i0 % (p0 + (p0 < 1))), 2)
    """
    if mode == "edge":
        return _least(Select(Op("lt", index, 0), 0, index), extent - 1)
    period = _period(mode, extent)
    place = Op("mod", index, period)
    if mode == "wrap":
        return place
    return _least(place, period - place - (1 if mode == "symmetric" else 0))


def _period(mode: str, extent: Node) -> Node:
    """After how many indices a mode of `PERIODIC` begins again; what has none does so at once, to divide by no 0."""
    if mode == "reflect":  # the outermost elements are not repeated
        return extent * 2 - 2 + Op("lt", extent, 2)
    return (extent if mode == "wrap" else extent * 2) + Op("lt", extent, 1)


def _least(left: Node, right: Node) -> Node:
    return Select(Op("lt", left, right), left, right)


_RULES: Final = {mode: led(mode, Index(0), Index(1)) for mode in LED}


def inside_index(mode: str, index: Any, extent: int) -> Any:
    """Index within ``extent`` that a mode leads to. Any: an int, or an array of integers.

    >>> inside_index("reflect", -1, 4), inside_index("reflect", 6, 5)
    (1, 2)
    """
    compiled = python_function if type(index) is int else on_arrays
    return compiled(_RULES[mode], 2)(index, extent)
