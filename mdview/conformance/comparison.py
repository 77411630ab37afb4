"""What an implementation and mdview answer to the same questions, side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from mdview.conformance import answers, compilers, corpus, questions

MOST_ENDS: Final = 256
"""How many questions may end the program before the rest is not asked."""


@final
@dataclass(frozen=True)
class Compared:
    """One question, the answer of the draft, which is mdview's, and that of the implementation."""

    question: questions.Question
    expected: dict[str, Any]
    its: dict[str, Any]

    @property
    def agrees(self) -> bool:
        """Whether both answers are the same."""
        return corpus.same(self.expected, self.its)

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the parts that differ."""
        both = {**self.expected, **self.its}
        return tuple([key for key in both if not corpus.same(self.expected.get(key, ...), self.its.get(key, ...))])


def asked(asks: Iterable[questions.Query]) -> list[questions.Question]:
    """Return the questions, one for each line of output."""
    return [question for ask in asks for question in ask.questions]


def replies(implementation: compilers.Implementation, asks: Sequence[questions.Query]) -> list[dict[str, Any]]:
    """Compile what answers, run it, and return an answer for each question; one that ends the program is an answer."""
    places = {template: place for place, template in enumerate(dict.fromkeys(ask.template for ask in asks))}
    lines = [" ".join(map(str, (places[ask.template], *ask.numbers))) for ask in asks]
    found: list[dict[str, Any]] = []
    begin = 0
    for _ in range(MOST_ENDS):
        output = compilers.run(implementation, list(places), lines[begin:])
        told = [json.loads(line) for line in output if line.endswith("}")]
        while begin < len(asks) and len(asks[begin].questions) <= len(told):
            found += told[: len(asks[begin].questions)]
            del told[: len(asks[begin].questions)]
            begin += 1
        if begin == len(asks):
            break
        found += [{"ends": True} for _ in asks[begin].questions]
        begin += 1
    return [*found, *[{"ends": True} for ask in asks[begin:] for _ in ask.questions]]


def compare(asks: Sequence[questions.Query], theirs: Sequence[dict[str, Any]]) -> list[Compared]:
    """Compare answers with those of mdview, one by one."""
    return [
        Compared(question, answers.answer(question.kind, question.given), its)
        for question, its in zip(asked(asks), theirs, strict=True)
    ]
