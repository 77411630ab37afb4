"""Laws of layouts and accessors as values: they compare, hash and print as what they are, and stay as they are."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final, final

import mdview
from mdview.index.transforms import Radix
from mdview.testing.laws import Findings, Law, Stages, as_text, found, law


@final
class Value:
    """A layout or accessor, others to compare it with, and what it looked like before anything was asked of it."""

    def __init__(self, subject: object, others: tuple[object, ...] = ()) -> None:
        """Note the look of ``subject`` now; ``others`` are further values of its kind."""
        self.subject = subject
        self.others = others
        self.look: str = as_text(subject)
        self.hash: int | None = _hash(subject)


def _hash(subject: object) -> int | None:
    try:
        return hash(subject)
    except Exception:  # noqa: BLE001 - the law on hashes says that there is none
        return None


@law("repr", "repr(x) evaluates to a value equal to x")
def evaluates(case: Value) -> Findings:
    """Evaluate the repr where the class and the public names of mdview are known."""
    cls = type(case.subject)
    text = repr(case.subject).replace(f"{cls.__qualname__}(", f"{cls.__name__}(")
    modules = (mdview, mdview.accessors, mdview.atomics, mdview.index, mdview.layouts)
    names = {name: getattr(module, name) for module in modules for name in module.__all__}
    names["Radix"] = Radix  # the one part of a repr that is no public name
    names |= vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    try:
        made = eval(text, names | {cls.__name__: cls})  # noqa: S307 - the text is the subject's own
    except Exception as error:  # noqa: BLE001 - any text may come back
        yield found(f"{case.look} evaluates to the value", f"{type(error).__name__}: {error}")
    else:
        if made != case.subject:
            yield found(f"eval({text!r}) == x", f"{as_text(made)} != x")


@law("copies", "a copy of x is equal to x, has its hash, and nothing else is equal to x")
def copies_are_equal(case: Value) -> Findings:
    """Compare with a deep copy, which travels as a pickle does, and with what is of another kind."""
    made = deepcopy(case.subject)
    if made != case.subject or not case.subject == made:  # noqa: SIM201 - both operators are asked
        yield found("copy.deepcopy(x) == x", f"{as_text(made)} != x")
    if hash(made) != hash(case.subject):
        yield found("hash(copy.deepcopy(x)) == hash(x)", f"{hash(made)} and {hash(case.subject)}")
    strange = object()
    if case.subject == strange or not case.subject != strange:  # noqa: SIM202 - both operators are asked
        yield found("x == object() is False", "it is True")


@law("hash", "equal values have equal hashes")
def hash_agrees(case: Value) -> Findings:
    """Compare with each of the others."""
    for other in case.others:
        if other == case.subject and hash(other) != hash(case.subject):
            yield found("equal hashes of equal values", f"{hash(case.subject)} and {hash(other)}", other=other)


@law("immutable", "asking anything of x leaves its repr and its hash as they were")
def unchanged(case: Value) -> Findings:
    """Compare the look of the value after all other laws with what it was before."""
    if as_text(case.subject) != case.look:
        yield found(f"repr {case.look}", as_text(case.subject))
    if hash(case.subject) != case.hash:
        yield found(f"hash {case.hash}", f"hash {hash(case.subject)}")


VALUE_LAWS: Final[Stages] = ((copies_are_equal,), (evaluates, hash_agrees))
"""Laws of a value before anything else is asked of it."""

LAST_LAWS: Final[Stages] = ((unchanged,),)
"""Laws of a value after everything else has been asked."""


def same_function(name: str, tables: Callable[[Any], object]) -> Law:
    """Make the law that equal values do the same, where ``tables`` gives what a value does. Any: a value's kind."""

    @law(name, "equal values do the same")
    def does_the_same(case: Value) -> Findings:
        for other in case.others:
            if other == case.subject and tables(other) != tables(case.subject):
                yield found("what is equal does the same", "it does not", other=other)

    return does_the_same
