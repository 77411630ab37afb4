"""A verdict is the outcome of looking at a layout or an accessor under all laws: accepted, or with counterexamples.

It prints as a text for people: per broken law the smallest place that breaks it, with what was expected and found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from mdview.base.values import value
from mdview.errors import CertificationError
from mdview.testing.laws import Finding, Law, as_text, found


@final
@value
class Counterexample:
    """A ``finding``: the first, smallest place found where a ``law`` does not hold for its ``subject``."""

    law: Law
    subject: str
    finding: Finding

    def __str__(self) -> str:
        """The law, the place, what was expected, what was found: one line each."""
        rows = [("subject", self.subject), *self.finding.place]
        rows += [("expected", self.finding.expected), ("got", self.finding.got)]
        width = max([len(label) for label, _ in rows])
        lines = [f"  {label:<{width}}  {text}" for label, text in rows]
        return "\n".join([f"{self.law.name}: {self.law.statement}", *lines])


@final
@value
class Verdict:
    """What was looked at, and what was found.

    Attributes
    ----------
    subject
        The layout or accessor, as its ``repr`` shows it.
    laws
        The laws that were checked.
    cases
        On how many extents (or data) the laws were checked.
    refused
        How many extents the layout refused, with an error as it should.
    broken
        Per broken law its smallest counterexample; nothing for what is accepted.
    notes
        What is no fault and costs speed: that engines cannot trace the arithmetic, and why.
    """

    subject: str
    laws: tuple[Law, ...]
    cases: int
    refused: int
    broken: tuple[Counterexample, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_accepted(self) -> bool:
        """Whether every law held, and there was something to look at."""
        return not self.broken and self.cases > 0

    def __str__(self) -> str:
        """Text for people, of one line if everything held, and one for each note."""
        refused = f" ({self.refused} refused)" if self.refused else ""
        notes = [f"note: {note}" for note in self.notes]
        looked = f"{len(self.laws)} laws on {self.cases} cases{refused}"
        if not self.cases and not self.broken:
            return f"REJECTED {self.subject}: nothing could be checked, every case was refused; give extents"
        if not self.broken:
            return "\n".join([f"accepted {self.subject}: {looked}", *notes])
        head = f"REJECTED {self.subject}: {len(self.broken)} of {looked} broken"
        return "\n\n".join([head, *[str(example) for example in self.broken], *notes])

    def require(self) -> None:
        """Raise `CertificationError` with the text of this verdict unless it accepts."""
        if not self.is_accepted:
            raise CertificationError(str(self))


@final
class Trial:
    """A trial runs laws on one case after the other and keeps the first counterexample of each law.

    Cases come in increasing order, so the first counterexample is a smallest one; a broken law is not asked again.
    """

    def __init__(self, subject: object, laws: Sequence[Law]) -> None:
        """Begin the trial of ``subject`` under ``laws``."""
        self.subject: str = as_text(subject)
        self.laws: tuple[Law, ...] = tuple(laws)
        self.cases = 0
        self.refused = 0
        self.notes: list[str] = []
        self._broken: dict[Law, Counterexample] = {}

    def holds(self, law: Law, case: Any) -> bool:  # Any: what the laws of a group look at
        """Tell whether ``law`` holds on ``case``; an exception where none belongs breaks it, too."""
        if law in self._broken:
            return False
        try:
            finding: Finding | None = law.check(case)
        except Exception as error:  # noqa: BLE001 - code under test may raise anything
            finding = found("no error", f"{type(error).__name__}: {error}")
        if finding is None:
            return True
        about = getattr(case, "about", ())
        self._broken[law] = Counterexample(
            law, self.subject, Finding((*about, *finding.place), finding.expected, finding.got)
        )
        return False

    def all_hold(self, laws: Sequence[Law], case: Any) -> bool:  # Any: as in `holds`
        """Tell whether all ``laws`` hold on ``case``; each one is asked."""
        answers = [self.holds(law, case) for law in laws]
        return all(answers)

    def verdict(self) -> Verdict:
        """Return what the trial found, in the order of the laws."""
        broken = tuple([self._broken[law] for law in self.laws if law in self._broken])
        return Verdict(self.subject, self.laws, self.cases, self.refused, broken, tuple(self.notes))
