"""An expression on arrays of indices: Python source whose operators are those of NumPy.

Both ways of a choice are computed for every index, and the one whose test holds is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from mdview.base.caches import remember
from mdview.expressions.nodes import Node, Select
from mdview.expressions.python_source import Writer, compiled

# Any: an int, or an array of them; NumPy's types are only there where it is.
_functions: dict[tuple[Node, int], Callable[..., Any]] = {}


def function(root: Node, rank: int) -> Callable[..., Any]:
    """Return the function of ``rank`` arrays of indices, which broadcast, that computes an expression.

    It takes ints as well; where NumPy is not installed, nothing else.
    """
    key = root, rank
    return _functions.get(key) or remember(_functions, key, _compiled(root, rank), 256)


def _compiled(root: Node, rank: int) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    if isinstance(root, Select):
        names["where"] = _chosen
        with suppress(ImportError):
            from numpy import where  # noqa: PLC0415 - for alternatives only

            names["where"] = where
    source = Writer().source(root)
    return compiled([*source.statements, f"return {source.result}"], rank, names)


def _chosen(test: int, if_true: int, if_false: int) -> int:
    """Choose between two ints as ``numpy.where`` does."""
    return if_true if test else if_false
