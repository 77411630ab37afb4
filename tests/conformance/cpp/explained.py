"""Live comparisons in which every departure is a known one."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache

import departures
import implementations

from mdview.conformance import implementations as command
from mdview.conformance import questions
from mdview.conformance.corpus import Compared, same

SHOWN = 5


@dataclass
class Explained:
    """How many answers were compared, how often each departure showed, and what is left unexplained."""

    answers: int = 0
    departing: int = 0
    shown: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def report(self):
        """First of the differences."""
        return "\n".join([f"{len(self.differences)} of {self.answers} answers differ:", *self.differences[:SHOWN]])


@cache
def asks(name, feature):
    """Return the questions to an implementation about a feature."""
    return questions.drawn(feature, implementations.IMPLEMENTATIONS[name].offers)


@cache
def live(name, feature):
    """Compile and run what answers, and compare."""
    of_feature = asks(name, feature)
    theirs = command.replies(implementations.IMPLEMENTATIONS[name].target, of_feature)
    return explain(command.compare(of_feature, theirs), departures.of(name, feature))


def explain(compared, known):
    """Each answer is mdview's, as the known departures change it."""
    result = Explained()
    for each in compared:
        result.answers += 1
        expected, applied = each.expected, []
        for departure in known if "raises" not in expected else ():
            changed = departure.instead(each.question, expected)
            if not same(changed, expected):
                applied.append(departure.name)
            expected = changed
        found = Compared(each.question, expected, each.its)
        if not found.keys:
            result.shown.update(applied)
            result.departing += bool(applied)
        else:
            result.differences.append(difference(found, applied))
    return result


def difference(found, applied):
    absent = "absent"
    pairs = "; ".join(
        f"{key} should be {found.expected.get(key, absent)}, is {found.its.get(key, absent)}" for key in found.keys
    )
    known = f" (departures: {', '.join(applied)})" if applied else ""
    return f"{found.question.kind} {found.question.given}: {pairs}{known}"
