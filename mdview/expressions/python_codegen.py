"""Python source of an expression for ints or arrays: common subexpressions are computed once, constant ones hoisted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
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
"""How many operators stand within one another in a line; Python's parser takes 200 parentheses and no more."""

_CHOICE: Final = "({1} if {0} else {2})"
_WHERE: Final = "where({}, {}, {})"
"""Source of a choice within arithmetic, of its test and its two ways: of one number, and of arrays."""

_DIVISIONS: Final = frozenset({"floordiv", "mod"})
_SHIFTS: Final = frozenset({"lshift", "rshift"})

Names: TypeAlias = dict[Node, str]
"""Names that hold the numbers of parts."""


@final
@value
class PythonSource:
    """Python source of a number.

    Attributes
    ----------
    statements
        Assignments to locals, for what ``result`` needs more than once.
    result
        The number.
    """

    statements: tuple[str, ...]
    result: str


@final
class Writer:
    """Writes expressions as source; in each of them equal parts are written once.

    Parameters are called ``p0, p1, …``. What depends on them alone, and is a number whatever they are, is hoisted: it
    is called ``h0``, …, and the expressions of one writer share it. Where parameters decide whether there is a number
    (a divisor may be 0), it is computed where it is needed.

    Attributes
    ----------
    attribute
        Gives the source that reads what has a name, ``self._p0`` for ``p0``.
    hoisted
        Source of each hoisted part in the names of parameters and of what is hoisted before it.
    """

    def __init__(self, attribute: Callable[[str], str] = "self._{}".format) -> None:
        """Begin with nothing hoisted."""
        self.attribute: Callable[[str], str] = attribute
        self.hoisted: list[str] = []
        self.places: Names = {}
        self.fixed: dict[Node, bool] = {}  # which parts may be hoisted
        self.named = 0

    def parameter(self, number: int) -> str:
        """Return the source that reads a parameter."""
        return self.attribute(f"p{number}")

    def source(self, root: Node) -> PythonSource:
        """Write an expression; a choice is a call of ``where``, for which both ways are computed."""
        return self._source(root, {}, _WHERE)

    def lines(self, root: Node, finish: Callable[[str], str]) -> list[str]:
        """Write statements that compute an expression, select by ``if`` and end each way with ``finish(number)``."""
        return self._lines(root, finish, {})

    def _lines(self, root: Node, finish: Callable[[str], str], names: Names) -> list[str]:
        """Write these statements where some parts have ``names``."""
        names = dict(names)  # what is named on one way is unknown on the other
        if not isinstance(root, Select):
            found = self._source(root, names, _CHOICE)
            return [*found.statements, finish(found.result)]
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
        """Write an expression; a subexpression that occurs twice, or again in ``later``, is assigned to a name."""
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
        """Return the name of a part that depends on parameters alone."""

        def name(text: str) -> str:
            self.hoisted.append(text)
            return f"h{len(self.hoisted) - 1}"

        def leaf(part: Node) -> str | None:
            return self.places.get(part) if part.operands else str(part)

        if root not in self.places:
            self.places[root] = name(_written(root, leaf, name, self.places, _CHOICE))
        return self.places[root]

    def _is_fixed(self, root: Node) -> bool:
        """Tell whether a part depends on parameters alone, and is a number whatever they are."""
        for part in each_part(root, self.fixed):
            below = [self.fixed[operand] for operand in part.operands if not isinstance(operand, Const)]
            self.fixed[part] = isinstance(part, Param) or (bool(below) and all(below) and _is_number(part))
        return self.fixed[root]


def _is_number(part: Node) -> bool:
    """Tell whether an operator has a result whatever its operands are."""
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

    ``leaf`` gives the source of a part, or None if it is to be written as an operator. What is needed again, here or
    ``later``, gets a ``name``, which is added to ``names``; so does what would stand too deep.
    """
    leaves, uses = _leaves(root, leaf)
    uses.update(set(later))
    found = {key: (text, 0) for key, text in leaves.items()}  # with how many operators stand within one another
    for part in each_part(root, found):
        texts, depths = zip(*[found[operand] for operand in part.operands], strict=True)
        text, depth = op_text(part, texts, choice), 1 + max(depths)
        if uses[part] > 1 or depth == _DEEPEST:
            text, depth = name(text), 0
            names[part] = text
        found[part] = text, depth
    return found[root][0]


def _leaves(root: Node, leaf: Callable[[Node], str | None]) -> tuple[Names, Counter[Node]]:
    """Sources of the leaves of an expression, and in how many places above them each part stands."""
    found: Names = {}
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
            found[part] = text
        else:
            uses.update(part.operands)
            waiting += reversed(part.operands)
    return found, uses


def python_function(root: Node, rank: int) -> Callable[..., int]:
    """Return the function of ``rank`` indices that computes an expression without parameters."""
    return generated(
        ("on ints", root, rank), lambda: compiled_function(Writer().lines(root, "return {}".format), rank, {})
    )


def numbers_along(root: Node, dimension: int, count: int) -> list[int]:
    """Numbers of an expression without parameters at so many indices along a dimension, where the others are 0.

    Both ways of a choice are computed, so one that is not taken may raise.
    """

    def visit(part: Node, operands: list[list[int] | int]) -> list[int] | int:
        if isinstance(part, Const):
            return part.number
        if isinstance(part, Index):
            return [*range(count)] if part.dimension == dimension else 0
        function: Callable[..., int] = _chosen if isinstance(part, Select) else FUNCTIONS[str(part.label)]
        if list not in map(type, operands):
            return int(function(*operands))
        return [*map(function, *[each if isinstance(each, list) else repeat(each) for each in operands])]

    found = fold(root, visit)
    return [found] * count if isinstance(found, int) else found


def on_arrays(root: Node, rank: int) -> Callable[..., Any]:
    """Return the function of ``rank`` arrays of indices, which broadcast, that computes an expression.

    Both ways of a choice are computed for every index, and the one whose test holds is taken. The function takes ints
    as well; where NumPy is not installed, nothing else. Any: an int, or an array of them.
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
    """Choose between two ints as ``numpy.where`` does."""
    return if_true if test else if_false


def compiled_function(lines: list[str], rank: int, names: dict[str, Any]) -> Callable[..., Any]:
    """Return the function of ``rank`` indices with these lines as its body. Any: it may take arrays."""
    arguments = ", ".join([f"i{r}" for r in range(rank)])
    text = "\n".join([f"def offset({arguments}):", *[f"    {line}" for line in lines]])
    exec(compile(text, "<offset>", "exec"), names)  # noqa: S102 - generated from nodes, which hold numbers alone
    found: Callable[..., Any] = names["offset"]
    return found
