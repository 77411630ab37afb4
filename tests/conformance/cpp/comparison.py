"""What an implementation and mdview answer to the same questions, side by side."""

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import departures
import implementations
import live_answers
import questions
import whole

from mdview.errors import MDViewError

SHOWN = 5


@dataclass
class Comparison:
    """How many answers were compared, how often each departure showed, and what is left unexplained."""

    answers: int = 0
    departing: int = 0
    shown: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def report(self) -> str:
        """First of the differences."""
        return "\n".join([f"{len(self.differences)} of {self.answers} answers differ:", *self.differences[:SHOWN]])


@cache
def asks(name: str, feature: str) -> list[questions.Ask]:
    """Return the questions to an implementation about a feature."""
    implementation = implementations.IMPLEMENTATIONS[name]
    return questions.drawn(feature, implementation.features[feature], implementation.layouts)


def asked(name: str, feature: str) -> list[questions.Question]:
    """Return the questions, one for each line of output."""
    return [question for ask in asks(name, feature) for question in ask.questions]


@cache
def live(name: str, feature: str) -> Comparison:
    """Compile and run what answers, and compare."""
    lines = implementations.run(implementations.IMPLEMENTATIONS[name], asks(name, feature))
    return compare(asked(name, feature), [json.loads(line) for line in lines], departures.of(name, feature))


def compare(
    asked: list[questions.Question], theirs: list[dict[str, Any]], known: tuple[departures.Departure, ...]
) -> Comparison:
    """Compare answers one by one: each is mdview's, as the known departures change it."""
    result = Comparison()
    for question, its in zip(asked, theirs, strict=True):
        result.answers += 1
        expected, applied = _expected(question, known)
        if whole.same(expected, its):
            result.shown.update(applied)
            result.departing += bool(applied)
        else:
            result.differences.append(_difference(question, expected, its, applied))
    return result


def mine(question: questions.Question) -> dict[str, Any]:
    """Answer of mdview; an error is an answer, too."""
    try:
        return live_answers.ANSWERS[question.kind](question.given)
    except MDViewError as error:
        return {"raises": f"{type(error).__name__}: {error}"}


def _expected(
    question: questions.Question, known: tuple[departures.Departure, ...]
) -> tuple[dict[str, Any], list[str]]:
    """Return what the implementation should answer, and the departures that made it so."""
    answer, applied = mine(question), []
    if "raises" in answer:
        return answer, applied
    for departure in known:
        changed = departure.instead(question, answer)
        if not whole.same(changed, answer):
            applied.append(departure.name)
        answer = changed
    return answer, applied


def _difference(question: questions.Question, expected: dict[str, Any], its: dict[str, Any], applied: list[str]) -> str:
    keys = [key for key in {**expected, **its} if not whole.same(expected.get(key, "absent"), its.get(key, "absent"))]
    pairs = "; ".join(f"{key} should be {expected.get(key, 'absent')}, is {its.get(key, 'absent')}" for key in keys)
    return f"{question.kind} {question.given}: {pairs}" + (f" (departures: {', '.join(applied)})" if applied else "")
