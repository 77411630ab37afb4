"""Python source of an expression for ints or arrays; common parts are computed once, parts of parameters in advance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import repeat
from typing import Any, Final, TypeAlias, final

from mdview.base import value
from mdview.base.caches import generated
from mdview.expressions.expression_tree import (
    Const,
    Index,
    Node,
    Op,
    Param,
    Select,
    each_part,
    fold,
    op_text,
)
from mdview.expressions.normal_form import SHIFT_LIMIT
from mdview.expressions.operators import FUNCTIONS

_DEEPEST: Final = 50
"""The most nested operators in a line; Python's parser accepts at most 200 nested parentheses."""

_CHOICE: Final = "({1} if {0} else {2})"
_WHERE: Final = "where({}, {}, {})"
"""Formats of a choice, from its test and its alternatives: for numbers (`_CHOICE`) and for arrays (`_WHERE`)."""

_DIVISIONS: Final = frozenset({"floordiv", "mod"})
_SHIFTS: Final = frozenset({"lshift", "rshift"})

Names: TypeAlias = dict[Node, str]
"""Names of variables that hold the values of parts."""


@final
@value
class PythonSource:
    """Python source that computes the value of an expression.

    Attributes
    ----------
    statements
        Assignments to local variables, for parts that are used more than once.
    result
        The source of the value, in which these variables occur.
    """

    statements: tuple[str, ...]
    result: str


@final
class Writer:
    """Writer of expressions as source; each repeated part is computed once.

    Parameters are called ``p0, p1, …``. A part that depends on parameters alone is *hoisted* if it has a value for all
    their values: it is called ``h0, h1, …``, and all expressions of a writer share it. A part that may be undefined (a
    divisor may be 0) is computed where it is used.

    Attributes
    ----------
    attribute
        Function from a name to the source that reads it, as in ``self._p0`` for ``p0``.
    hoisted
        Source of each hoisted part, in terms of parameters and of parts hoisted before.
    """

    def __init__(self, attribute: Callable[[str], str] = "self._{}".format) -> None:
        """Begin without hoisted parts."""
        self.attribute: Callable[[str], str] = attribute
        self.hoisted: list[str] = []
        self.places: Names = {}
        self.fixed: dict[Node, bool] = {}  # whether a part may be hoisted
        self.named = 0

    def parameter(self, number: int) -> str:
        """Return the source that reads a parameter."""
        return self.attribute(f"p{number}")

    def source(self, root: Node) -> PythonSource:
        """Write an expression; a choice is a call of ``where``, with both alternatives computed."""
        return self._source(root, {}, _WHERE)

    def lines(self, root: Node, finish: Callable[[str], str]) -> list[str]:
        """Write statements that compute an expression: a choice becomes ``if``, a branch ends with ``finish(text)``."""
        return self._lines(root, finish, {})

    def _lines(self, root: Node, finish: Callable[[str], str], names: Names) -> list[str]:
        """Write the statements of `lines`; ``names`` has the variables of parts that are computed already."""
        names = dict(names)  # a name of one branch is unknown in the other
        if not isinstance(root, Select):
            source = self._source(root, names, _CHOICE)
            return [*source.statements, finish(source.result)]
        later = [part for way in (root.yes, root.no) for part in each_part(way)]
        test = self._source(root.test, names, _CHOICE, later)
        return [
            *test.statements,
            f"if {test.result}:",
            *[f"    {line}" for line in self._lines(root.yes, finish, names)],
            "else:",
            *[f"    {line}" for line in self._lines(root.no, finish, names)],
        ]

    def _source(self, root: Node, names: Names, choice: str, later: Iterable[Node] = ()) -> PythonSource:
        """Write an expression; a part that occurs twice, or again in ``later``, is assigned to a variable."""
        statements: list[str] = []

        def name(text: str) -> str:
            statements.append(f"t{self.named} = {text}")
            self.named += 1
            return f"t{self.named - 1}"

        def leaf(part: Node) -> str | None:
            if part.operands:
                return names.get(part) or (self.attribute(self._hoist(part)) if self._is_fixed(part) else None)
            return self.parameter(part.number) if isinstance(part, Param) else str(part)

        result = _written(root, leaf, name, names, choice, later)
        return PythonSource(tuple(statements), result)

    def _hoist(self, root: Node) -> str:
        """Hoist a part that depends on parameters alone; return its name."""

        def name(text: str) -> str:
            self.hoisted.append(text)
            return f"h{len(self.hoisted) - 1}"

        def leaf(part: Node) -> str | None:
            return self.places.get(part) if part.operands else str(part)

        if root not in self.places:
            self.places[root] = name(_written(root, leaf, name, self.places, _CHOICE))
        return self.places[root]

    def _is_fixed(self, root: Node) -> bool:
        """Tell whether a part depends on parameters alone and has a value for all of them."""
        for part in each_part(root, self.fixed):
            below = [self.fixed[operand] for operand in part.operands if not isinstance(operand, Const)]
            self.fixed[part] = isinstance(part, Param) or (bool(below) and all(below) and _is_number(part))
        return self.fixed[root]


def _is_number(part: Node) -> bool:
    """Tell whether a part is an operator that has a result for all values of its operands."""
    if not isinstance(part, Op) or part.name not in _DIVISIONS | _SHIFTS:
        return isinstance(part, Op)
    right = part.operands[1]
    if not isinstance(right, Const):
        return False
    return 0 <= right.number <= SHIFT_LIMIT if part.name in _SHIFTS else right.number != 0


def _written(
    root: Node,
    leaf: Callable[[Node], str | None],
    name: Callable[[str], str],
    names: Names,
    choice: str,
    later: Iterable[Node] = (),
) -> str:
    """Write an expression.

    ``leaf`` returns the source of a part, or None if its operator is to be written. A part that is used again, here or
    in ``later``, or that is nested too deeply, is assigned to a variable by ``name``, which is added to ``names``.
    """
    leaves, uses = _leaves(root, leaf)
    uses.update(set(later))
    sources = {key: (text, 0) for key, text in leaves.items()}  # source and depth of nested operators
    for part in each_part(root, sources):
        texts, depths = zip(*[sources[operand] for operand in part.operands], strict=True)
        text, depth = op_text(part, texts, choice), 1 + max(depths)
        if uses[part] > 1 or depth == _DEEPEST:
            text, depth = name(text), 0
            names[part] = text
        sources[part] = text, depth
    return sources[root][0]


def _leaves(root: Node, leaf: Callable[[Node], str | None]) -> tuple[Names, Counter[Node]]:
    """Return the source of each part for which ``leaf`` has one, and the number of uses of each part."""
    names: Names = {}
    uses: Counter[Node] = Counter()
    waiting = [root]
    seen: set[Node] = set()
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        text = leaf(part)
        if text is not None:
            names[part] = text
        else:
            uses.update(part.operands)
            waiting += reversed(part.operands)
    return names, uses


def python_function(root: Node, rank: int) -> Callable[..., int]:
    """Return the function of ``rank`` indices that computes an expression without parameters."""
    return generated(
        ("on ints", root, rank), lambda: compiled_function(Writer().lines(root, "return {}".format), rank, {})
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
    Any: an int, or an array of ints.
    """
    return generated(("on arrays", root, rank), lambda: _compiled_on_arrays(root, rank))


def _compiled_on_arrays(root: Node, rank: int) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    if any(isinstance(part, Select) for part in each_part(root)):
        names["where"] = _chosen
        with suppress(ImportError):
            from numpy import where  # noqa: PLC0415 - for alternatives only

            names["where"] = where
    source = Writer().source(root)
    return compiled_function([*source.statements, f"return {source.result}"], rank, names)


def _chosen(test: int, if_true: int, if_false: int) -> int:
    """Return one of two ints as ``numpy.where`` does."""
    return if_true if test else if_false


def compiled_function(lines: list[str], rank: int, names: dict[str, Any]) -> Callable[..., Any]:
    """Return the function of ``rank`` indices whose body is ``lines``. Any: it may take arrays."""
    arguments = ", ".join([f"i{r}" for r in range(rank)])
    text = "\n".join([f"def offset({arguments}):", *[f"    {line}" for line in lines]])
    exec(compile(text, "<offset>", "exec"), names)  # noqa: S102 - generated from nodes, which hold numbers alone
    function: Callable[..., Any] = names["offset"]
    return function
