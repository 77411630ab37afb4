"""Source of an expression with common parts computed once, and functions in Python for ints or arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import count, repeat
from typing import Any, Final, TypeAlias

from mdview.base.caches import generated
from mdview.expressions.expression_tree import Const, Index, Node, Param, Select, each_part, fold, op_text
from mdview.expressions.operators import FUNCTIONS

_DEEPEST: Final = 50
"""The most nested operators in a line; Python's parser accepts at most 200 nested parentheses."""

_in_numbers: Final = partial(op_text, "({1} if {0} else {2})")
_in_arrays: Final = partial(op_text, "where({}, {}, {})")

SharedSource: TypeAlias = tuple[list[str], str]
"""Assignments to local variables, for parts that are used more than once, and the source of the value."""


WritePart: TypeAlias = Callable[[Node, list[str]], str]
"""Function from a part and the sources of its operands to its source."""


def python_source(root: Node) -> SharedSource:
    """Write an expression, each repeated part once; a choice is a call of ``where``, which takes both results."""
    return statements_of(root, {}, (f"t{k}" for k in count()), _in_arrays)


def python_lines(root: Node, finish: Callable[[str], str]) -> list[str]:
    """Write statements that compute an expression: a choice becomes ``if``, a branch ends with ``finish(text)``."""
    return _lines(root, finish, {}, (f"t{k}" for k in count()))


def _lines(root: Node, finish: Callable[[str], str], names: dict[Node, str], free: Iterator[str]) -> list[str]:
    """Write the statements of `python_lines`; ``names`` contains the variables of parts that are already computed."""
    names = dict(names)  # a name of one branch is unknown in the other
    if not isinstance(root, Select):
        statements, result = statements_of(root, names, free, _in_numbers)
        return [*statements, finish(result)]
    test, yes, no = root.operands
    later = [part for way in (yes, no) for part in each_part(way)]
    statements, result = statements_of(test, names, free, _in_numbers, later)
    return [
        *statements,
        f"if {result}:",
        *[f"    {line}" for line in _lines(yes, finish, names, free)],
        "else:",
        *[f"    {line}" for line in _lines(no, finish, names, free)],
    ]


def statements_of(
    root: Node, names: dict[Node, str], free: Iterator[str], write: WritePart, later: Iterable[Node] = ()
) -> SharedSource:
    """Return assignments to variables, and the source of an expression, in the language of ``write``.

    A part that is used again, here or in ``later``, or that is nested too deeply, is assigned to the next of the
    variables ``free``, which is added to ``names``. ``write`` returns the source of a part from the sources of its
    operands.
    """
    parts = each_part(root, names)
    uses = Counter(operand for part in parts for operand in part.operands)
    uses.update(set(later))
    sources = {part: (name, 0) for part, name in names.items()}  # source and depth of nested operators
    statements: list[str] = []
    for part in parts:
        operands = [sources[operand] for operand in part.operands]
        text, depth = write(part, [text for text, _ in operands]), 1 + max([depth for _, depth in operands], default=-1)
        if part.operands and (uses[part] > 1 or depth == _DEEPEST):
            names[part] = next(free)
            statements.append(f"{names[part]} = {text}")
            text, depth = names[part], 0
        sources[part] = text, depth
    return statements, sources[root][0]


def python_function(root: Node, rank: int) -> Callable[..., int]:
    """Return the function of ``rank`` indices that computes an expression without parameters."""
    return generated(
        ("on ints", root, rank), lambda: compiled_function(python_lines(root, "return {}".format), rank, {})
    )


def numbers_along(root: Node, dimension: int, count: int, parameters: Sequence[int] = ()) -> list[int]:
    """Return the values of an expression at each index along a dimension; all other indices are 0.

    Both alternatives of a choice are computed, so an alternative that is not selected may raise.
    """

    def visit(part: Node, operands: list[list[int] | int]) -> list[int] | int:
        if isinstance(part, Const):
            return part.number
        if isinstance(part, Index):
            return [*range(count)] if part.dimension == dimension else 0
        if isinstance(part, Param):
            return parameters[part.number]
        function: Callable[..., int] = _chosen if isinstance(part, Select) else FUNCTIONS[str(part.label)]
        if list not in map(type, operands):
            return int(function(*operands))
        return [*map(function, *[operand if isinstance(operand, list) else repeat(operand) for operand in operands])]

    result = fold(root, visit)
    return [result] * count if isinstance(result, int) else result


def on_arrays(root: Node, rank: int) -> Callable[..., Any]:
    """Return the function that computes an expression on ``rank`` arrays of indices, which broadcast.

    Both alternatives of a choice are computed for every index. The function also takes ints; without NumPy, ints only.
    ``Any`` stands for an int or an array of ints.
    """
    return generated(("on arrays", root, rank), lambda: _compiled_on_arrays(root, rank))


def _compiled_on_arrays(root: Node, rank: int) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    if any(isinstance(part, Select) for part in each_part(root)):
        names["where"] = _chosen
        with suppress(ImportError):
            from numpy import where  # noqa: PLC0415 - for alternatives only

            names["where"] = where
    statements, result = python_source(root)
    return compiled_function([*statements, f"return {result}"], rank, names)


def _chosen(test: int, if_true: int, if_false: int) -> int:
    """Return one of two ints as ``numpy.where`` does."""
    return if_true if test else if_false


def compiled_function(body: list[str], rank: int, names: dict[str, Any]) -> Callable[..., Any]:
    """Return the function of ``rank`` indices with this body. It returns ``Any``, since indices may be arrays."""
    arguments = ", ".join([f"i{r}" for r in range(rank)])
    text = "\n".join([f"def offset({arguments}):", *[f"    {line}" for line in body]])
    exec(compile(text, "<offset>", "exec"), names)  # noqa: S102 - generated from nodes, which hold numbers alone
    function: Callable[..., Any] = names["offset"]
    return function
