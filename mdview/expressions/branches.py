"""Branches: arithmetic with comparisons in it (``if i < j``), traced one way at a time and put together as choices.

Each comparison of symbols is answered, first with yes, then with no, and the arithmetic runs once for every
combination of answers that it asks for. So any Python works that compares indices; only loops over them do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, TypeAlias, TypeVar, final

from mdview.base.values import value
from mdview.expressions.trace import Operand, Symbol, TraceError, decided_by, expression

OffsetFunction: TypeAlias = Callable[[list[Any], list[Any]], Any]
"""Offset from parameters and an index. Any: ints, or the symbols that stand for them while tracing."""

SIGNS: Final = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
"""Comparisons as they are written."""

MOST_WAYS: Final = 64
"""How many combinations of answers are followed, and how many comparisons in one of them."""

L = TypeVar("L")
M = TypeVar("M")


@final
@value
class Leaf(Generic[L]):
    """What an expression is where no comparison is left, in whatever form."""

    content: L


@final
@value
class Choice(Generic[L]):
    """What ``yes`` is where ``left`` compares as said with ``right``, else what ``no`` is.

    The name of the comparison is that of the function in `operator`.
    """

    comparison: str
    left: L
    right: L
    yes: Branches[L]
    no: Branches[L]


Branches: TypeAlias = Leaf[L] | Choice[L]
"""A leaf, or a choice between branches."""


def explore(
    offset: OffsetFunction, parameters: int, rank: int, *, compares_parameters: bool = True
) -> Branches[Operand]:
    """Expressions of ``offset(parameters, index)``, whichever way its comparisons turn out.

    Unless it ``compares_parameters``, a comparison that no index enters is refused: it has one answer for each view.

    Raises
    ------
    TraceError
        The function needs a concrete number, returns none, or compares too often.
    """
    return _Explorer(offset, (parameters, rank), compares_parameters=compares_parameters).ways([])


def each_leaf(branches: Branches[L], change: Callable[[L], M]) -> Branches[M]:
    """Return the same choices between changed leaves."""
    if isinstance(branches, Leaf):
        return Leaf(change(branches.content))
    left, right = change(branches.left), change(branches.right)
    return Choice(branches.comparison, left, right, each_leaf(branches.yes, change), each_leaf(branches.no, change))


def leaves(branches: Branches[L]) -> list[L]:
    """Return the leaves and the sides of all comparisons."""
    if isinstance(branches, Leaf):
        return [branches.content]
    return [branches.left, branches.right, *leaves(branches.yes), *leaves(branches.no)]


@final
class _Explorer:
    """Runs one function for every combination of answers."""

    def __init__(self, offset: OffsetFunction, shape: tuple[int, int], *, compares_parameters: bool) -> None:
        self.offset = offset
        self.shape = shape
        self.compares_parameters = compares_parameters
        self.runs = 0

    def ways(self, answers: list[bool]) -> Branches[Operand]:
        """Expressions where the first comparisons have these answers."""
        self.runs += 1
        asked: list[tuple[str, Symbol, Operand]] = []

        def decide(name: str, left: Symbol, right: Operand) -> bool:
            if not self.compares_parameters and not any(isinstance(s, Symbol) and s.indexed for s in (left, right)):
                message = "it compares extents, which are not known here"
                raise TraceError(message)
            asked.append((name, left, right))
            if max(self.runs, len(asked)) > MOST_WAYS:  # perhaps a loop that a comparison would end
                message = f"its comparisons have more than {MOST_WAYS} outcomes"
                raise TraceError(message)
            return answers[len(asked) - 1] if len(asked) <= len(answers) else True

        with decided_by(decide):
            found: Branches[Operand] = Leaf(expression(self.offset, *self.shape))
        for k in range(len(asked) - 1, len(answers) - 1, -1):
            other = self.ways([*answers, *[True] * (k - len(answers)), False])
            name, left, right = asked[k]
            found = Choice(name, left, right, found, other)
        return found
