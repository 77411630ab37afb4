"""Branches: arithmetic with comparisons in it (``if i < j``), traced one way at a time and put together as choices.

Each comparison of symbols is answered, first with yes, then with no, and the arithmetic runs once for every
combination of answers that it asks for. So any Python works that compares indices; only loops over them do not.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from mdview.engines.plans import OffsetFunction
from mdview.engines.trace import OffsetSource, Operand, Symbol, TraceError, decided_by, trace
from mdview.value import value

MOST_WAYS: Final = 64
"""How many combinations of answers are followed."""


@final
@value
class Choice:
    """The source ``yes`` where ``left`` compares as said with ``right``, else ``no``."""

    comparison: str
    left: OffsetSource
    right: OffsetSource
    yes: Source
    no: Source


Source: TypeAlias = OffsetSource | Choice


def explore(offset: OffsetFunction, parameters: int, rank: int) -> Source:
    """Trace ``offset`` whichever way its comparisons turn out.

    Raises
    ------
    TraceError
        The function needs a concrete number, returns none, or compares too often.
    """
    return _Explorer(offset, parameters, rank).ways([])


@final
class _Explorer:
    """Runs one function for every combination of answers."""

    def __init__(self, offset: OffsetFunction, parameters: int, rank: int) -> None:
        self.offset = offset
        self.shape = parameters, rank
        self.runs = 0

    def ways(self, answers: list[bool]) -> Source:
        """Source where the first comparisons have these answers."""
        self.runs += 1
        if self.runs > MOST_WAYS:
            message = f"its comparisons have more than {MOST_WAYS} outcomes"
            raise TraceError(message)
        asked: list[tuple[str, Symbol, Operand]] = []

        def decide(name: str, left: Symbol, right: Operand) -> bool:
            asked.append((name, left, right))
            return answers[len(asked) - 1] if len(asked) <= len(answers) else True

        with decided_by(decide):
            source: Source = trace(self.offset, *self.shape)
        for k in range(len(asked) - 1, len(answers) - 1, -1):
            other = self.ways([*answers, *[True] * (k - len(answers)), False])
            name, left, right = asked[k]
            source = Choice(name, self.written(left), self.written(right), source, other)
        return source

    def written(self, operand: Operand) -> OffsetSource:
        """Source of one side of a comparison."""
        return trace(lambda _, __: operand, *self.shape)
