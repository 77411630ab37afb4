"""Laws in general: a statement with a check, stages of laws, trials of a subject, verdicts; and the laws of values.

A law is written as a search: a generator that examines one case and yields a `Finding` for each place at which the law
does not hold. The check of the law returns the first finding, or None. Each law has a name and a sentence, which
`check_layout`, the command line and reports show. A stage is a tuple of laws, and a chain is a tuple of stages: a
`Trial` does not test the later stages of a chain if a law of a stage is broken. Layouts and accessors are values, so
the laws of values are here, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from itertools import product
from typing import Any, Final, TypeAlias, final

import mdview
from mdview.base import value
from mdview.base.caches import cached_property
from mdview.errors import CertificationError
from mdview.index.extents import size_of
from mdview.index.index_map import Radix
from mdview.layouts.layout import Layout, indices
from mdview.mappings.mapping import Mapping

# Any: each group of laws has its own kind of subject.
Check: TypeAlias = "Callable[[Any], Finding | None]"
Stages: TypeAlias = "tuple[tuple[Law, ...], ...]"
"""A chain of stages of laws: the laws of a stage are meaningful only if the laws of all earlier stages hold."""
Findings: TypeAlias = "Iterator[Finding]"
Search: TypeAlias = "Callable[[Any], Findings]"


@final
@value
class Finding:
    """A place at which a law does not hold.

    ``place`` describes the place by pairs of a label and a string; ``expected`` and ``got`` are the expected and the
    actual result as strings.
    """

    place: tuple[tuple[str, str], ...]
    expected: str
    got: str


@final
@value
class Law:
    """A promise: its ``name``, its sentence ``statement``, and ``check``, which returns the first finding or None."""

    name: str
    statement: str
    check: Check


def found(expected: object, got: object, **place: object) -> Finding:
    """Return a finding of a check; strings are kept, and all other objects are replaced by their ``repr``."""
    return Finding(
        tuple([(label, display_text(thing)) for label, thing in place.items()]),
        display_text(expected),
        display_text(got),
    )


def outcome(call: Callable[..., Any], *arguments: object) -> Any:  # Any: of any type
    """Return the result of a call, or the exception that it raises; code under test may raise any exception."""
    try:
        return call(*arguments)
    except Exception as error:  # noqa: BLE001 - laws examine any exception
        return error


def error_text(error: Exception) -> str:
    """Return the class and the message of an exception."""
    return f"{type(error).__name__}: {error}"


def display_text(thing: object) -> str:
    """Return a string unchanged, and the ``repr`` of any other object, or a substitute if ``repr`` raises an error."""
    text = outcome(repr, thing) if not isinstance(thing, str) else thing
    raised = f"<{type(thing).__name__}, whose repr raises {type(text).__name__}>"
    return text if isinstance(text, str) else raised


def law(name: str, statement: str) -> Callable[[Search], Law]:
    """Decorate a search to make it a law, ``@law("span", "the span is ...")``; its check returns the first finding."""
    return lambda search: Law(name, statement, lambda case: next(search(case), None))


IndexTuple: TypeAlias = tuple[int, ...]


@final
class Bound:
    """A layout bound to extents that it accepts, with the table of its offsets: a case of the laws of layouts."""

    def __init__(self, layout: Layout, extents: tuple[int, ...]) -> None:
        """Bind ``layout`` to ``extents``, checked."""
        self.layout = layout
        self.extents = extents
        self.mapping: Mapping[tuple[int, ...], Layout] = Mapping(extents, layout)
        self.about: tuple[tuple[str, str], ...] = (("extents", repr(extents)),)

    @cached_property
    def offsets(self) -> dict[IndexTuple, int]:
        """The offset of each index that has an element, in index order: the reference for all laws."""
        layout, extents = self.layout, self.extents
        return {i: layout.offset(extents, i) for i in indices(extents) if layout.has_element(extents, i)}

    @cached_property
    def span(self) -> int:
        """The largest offset plus 1, or 0 if there are no elements."""
        return 1 + max(self.offsets.values(), default=-1)


LARGEST: Final = {0: 0, 1: 9, 2: 4, 3: 2, 4: 1}
"""The largest extent for each rank; all extents up to it are tested."""

FURTHER: Final = ((17,), (7, 5), (9, 2), (2, 17), (3, 3, 3), (2, 5, 4), (2, 2, 2, 2), (5, 1, 4, 2))
"""Some larger extents, for several tiles, for sizes above a power of two, and for long and thin shapes."""


def small_extents(layout: Layout) -> list[IndexTuple]:
    """Return the extents to test on ``layout``, by increasing size; so the first counterexample is a smallest one."""
    ranks = [rank for rank in LARGEST if _takes(layout, rank)]
    shapes = [shape for rank in ranks for shape in product(range(LARGEST[rank] + 1), repeat=rank)]
    shapes += [shape for shape in FURTHER if len(shape) in ranks]
    return sorted({*shapes}, key=lambda shape: (max(size_of(shape), 1), sum(shape), len(shape), shape))


def _takes(layout: Layout, rank: int) -> bool:
    """Tell whether a layout accepts some extents of ``rank``, and returns an offset over these extents."""
    equal = [(e,) * rank for e in (1, 2, 3, 4)]
    one_long = [(*(1,) * r, 3, *(1,) * (rank - r - 1)) for r in range(rank)]
    return any(not isinstance(outcome(_first_offset, layout, e), Exception) for e in (*equal, *one_long))


def _first_offset(layout: Layout, shape: IndexTuple) -> object:
    """Return the offset of index 0; a layout that does not check its rank may raise any error for a wrong rank."""
    layout.check(shape)
    layout.required_span_size(shape)
    return layout.offset(shape, (0,) * len(shape))


@final
@value
class Counterexample:
    """A ``law``, a ``subject`` that breaks the law, and the first ``finding``, which belongs to a smallest case."""

    law: Law
    subject: str
    finding: Finding

    def __str__(self) -> str:
        """Return the law, the place, the expected and the actual result, one line each."""
        rows = [("subject", self.subject), *self.finding.place]
        rows += [("expected", self.finding.expected), ("got", self.finding.got)]
        width = max([len(label) for label, _ in rows])
        lines = [f"  {label:<{width}}  {text}" for label, text in rows]
        return "\n".join([f"{self.law.name}: {self.law.statement}", *lines])


@final
@value
class Verdict:
    """The verdict on a layout or an accessor: the laws that were tested, and the counterexamples.

    Attributes
    ----------
    subject
        The ``repr`` of the layout or accessor.
    laws
        All laws of the trial.
    cases
        The number of cases (extents, or data for an accessor) on which the laws were tested.
    refused
        The number of extents that the layout refused with an error, as it should.
    broken
        The smallest counterexample of each broken law; empty if the subject is accepted.
    notes
        Remarks about speed: the reason if engines cannot trace the arithmetic of the layout.
    not_asked
        The laws of the stages after a broken stage; their results are not reported.
    """

    subject: str
    laws: tuple[Law, ...]
    cases: int
    refused: int
    broken: tuple[Counterexample, ...]
    notes: tuple[str, ...] = ()
    not_asked: tuple[Law, ...] = ()

    @property
    def is_accepted(self) -> bool:
        """Whether no law is broken, and at least one case was tested."""
        return not self.broken and self.cases > 0

    def __str__(self) -> str:
        """Return the verdict as text: one line if all laws hold, else the counterexamples; and a line for each note."""
        refused = f" ({self.refused} refused)" if self.refused else ""
        notes = [f"note: {note}" for note in self.notes]
        looked = f"{len(self.laws)} laws on {self.cases} cases{refused}"
        if not self.cases and not self.broken:
            return f"REJECTED {self.subject}: nothing could be checked, every case was refused; give extents"
        if not self.broken:
            return "\n".join([f"accepted {self.subject}: {looked}", *notes])
        head = f"REJECTED {self.subject}: {len(self.broken)} of {looked} broken"
        names = ", ".join([law.name for law in self.not_asked])
        rest = [f"not asked, as they follow from what is broken: {names}"] if names else []
        return "\n\n".join([head, *[str(example) for example in self.broken], *rest, *notes])

    def require(self) -> None:
        """Raise `CertificationError` with ``str(self)`` as its message, unless the subject is accepted."""
        if not self.is_accepted:
            raise CertificationError(str(self))


@final
class Trial:
    """A trial of a subject: chains of laws are tested on one case after the other.

    The trial keeps the first counterexample of each law. Cases are tested in increasing order, so the first
    counterexample is a smallest one. A broken law is not tested again.
    """

    def __init__(self, subject: object, *chains: Stages) -> None:
        """Begin the trial of ``subject`` with the first chain. The first and the last chain contain laws of values."""
        self.subject: str = display_text(subject)
        self.chains = chains
        self.cases = self.refused = 0
        self.notes: list[str] = []
        self._broken: dict[Law, Counterexample] = {}
        self._value = Value(subject)
        self.holds(chains[0], self._value)

    def holds(self, chain: Stages, case: Any) -> bool:  # Any: the subject of the laws of a chain
        """Tell whether all laws of a chain hold on ``case``; stages after a broken stage are not tested."""
        return all(False not in [self._holds(law, case) for law in stage] for stage in chain)

    def _holds(self, law: Law, case: Any) -> bool:  # Any: as above
        """Tell whether ``law`` holds on ``case``; an exception that its check raises breaks the law, too."""
        if law in self._broken:
            return False
        result = outcome(law.check, case)
        finding = found("no error", error_text(result)) if isinstance(result, Exception) else result
        if finding is not None:
            where = (*getattr(case, "about", ()), *finding.place)
            self._broken[law] = Counterexample(law, self.subject, Finding(where, finding.expected, finding.got))
        return finding is None

    def verdict(self) -> Verdict:
        """Run the last chain, and return the verdict.

        Of each chain, the verdict contains the broken laws of the first broken stage; the laws of later stages are
        ``not_asked``.
        """
        self.holds(self.chains[-1], self._value)
        broken: list[Counterexample] = []
        not_asked: list[Law] = []
        for chain in self.chains:
            stages = [[self._broken[law] for law in stage if law in self._broken] for stage in chain]
            first = next((k for k, here in enumerate(stages) if here), len(chain))
            broken += [example for here in stages[: first + 1] for example in here]
            not_asked += [law for stage in chain[first + 1 :] for law in stage]
        laws = tuple([law for chain in self.chains for stage in chain for law in stage])
        return Verdict(self.subject, laws, self.cases, self.refused, tuple(broken), tuple(self.notes), tuple(not_asked))


# Laws of values.


@final
class Value:
    """A layout or an accessor, with its repr and its hash before all other calls: the case of the laws of values."""

    def __init__(self, subject: object) -> None:
        """Keep ``subject`` with its present repr and hash."""
        self.subject = subject
        self.look: str = display_text(subject)
        self.hash: int | None = None
        with suppress(Exception):  # the law on copies reports a missing hash
            self.hash = hash(subject)


@law("repr", "repr(x) evaluates to a value equal to x")
def evaluates(case: Value) -> Findings:
    """Evaluate the repr in a namespace with the class and the public names of mdview."""
    cls = type(case.subject)
    text = repr(case.subject).replace(f"{cls.__qualname__}(", f"{cls.__name__}(")
    modules = (mdview, mdview.accessors, mdview.atomics, mdview.index, mdview.layouts)
    names = {name: getattr(module, name) for module in modules for name in module.__all__}
    names["Radix"] = Radix  # not a public name, but part of a repr
    names |= vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    result = outcome(eval, text, names | {cls.__name__: cls})
    if isinstance(result, Exception):
        yield found(f"{case.look} evaluates to the value", error_text(result))
    elif result != case.subject:
        yield found(f"eval({text!r}) == x", f"{display_text(result)} != x")


@law("copies", "a copy of x is equal to x, has its hash, and nothing else is equal to x")
def copies_are_equal(case: Value) -> Findings:
    """Compare the value with a deep copy, which is made like a pickle, and with a value of another type."""
    duplicate = deepcopy(case.subject)
    if duplicate != case.subject or not case.subject == duplicate:  # noqa: SIM201 - both operators are tested
        yield found("copy.deepcopy(x) == x", f"{display_text(duplicate)} != x")
    if hash(duplicate) != hash(case.subject):
        yield found("hash(copy.deepcopy(x)) == hash(x)", f"{hash(duplicate)} and {hash(case.subject)}")
    strange = object()
    if case.subject == strange or not case.subject != strange:  # noqa: SIM202 - both operators are tested
        yield found("x == object() is False", "it is True")


@law("immutable", "asking anything of x leaves its repr and its hash as they were")
def unchanged(case: Value) -> Findings:
    """Compare repr and hash of the value before and after all other laws."""
    if display_text(case.subject) != case.look:
        yield found(f"repr {case.look}", display_text(case.subject))
    if hash(case.subject) != case.hash:
        yield found(f"hash {case.hash}", f"hash {hash(case.subject)}")


FIRST_LAWS: Final[Stages] = ((copies_are_equal,), (evaluates,))
"""The laws of values that are tested before all other laws."""
LAST_LAWS: Final[Stages] = ((unchanged,),)
"""The laws of values that are tested after all other laws."""
