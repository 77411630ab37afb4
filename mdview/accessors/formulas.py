"""A formula is the arithmetic of an accessor on one number: what a load makes of an item, and a store of a value.

It is taken from the accessor's own code (see `mdview.accessors.tracing`), operation by operation in the order of that
code, so whoever carries it out for many items at once, or compiles it, gets what a call for each of them would give.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from struct import pack, unpack
from typing import Any, Final, final

from mdview.base.caches import remembered_by_value
from mdview.base.values import value

BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
"""Operations on two numbers. Any: numbers of whatever kind, as everywhere here."""

UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "neg": operator.neg,
    "pos": operator.pos,
    "invert": operator.invert,
    "abs": abs,
    "conjugate": operator.methodcaller("conjugate"),
    "real": operator.attrgetter("real"),
    "imag": operator.attrgetter("imag"),
}
"""Operations on one number."""

_KINDS: Final = {"bool": bool, "int": int, "float": float, "complex": complex}


@final
@value
class Constant:
    """A number, kept as its kind and its text: 1, 1.0 and True, 0.0 and -0.0 are equal and not the same.

    ``is_foreign`` says that it was a scalar of NumPy, whose operations in Python give scalars of NumPy.
    """

    kind: str
    text: str
    is_foreign: bool = False

    @classmethod
    def of(cls, number: complex, *, is_foreign: bool = False) -> Constant:
        """Keep a number. A NaN is kept by its bits.

        >>> Constant.of(-0.0), Constant.of(True).number
        (Constant(kind='float', text='-0.0', is_foreign=False), True)
        """
        is_nan = number != number  # noqa: PLR0124 - of the kinds of numbers only a NaN says so
        text = f"bits {pack('<dd', number.real, number.imag).hex()}" if is_nan else repr(number)
        return cls(type(number).__name__, text, is_foreign)

    @property
    def number(self) -> Any:  # Any: a number of whatever kind
        """The number itself."""
        if self.kind == "bool":
            return self.text == "True"
        if self.text.startswith("bits "):
            real, imag = unpack("<dd", bytes.fromhex(self.text[5:]))
            return real if self.kind == "float" else complex(real, imag)
        return _KINDS[self.kind](self.text)


@final
@value
class Step:
    """One operation, of `BINARY` or `UNARY`, on constants and numbers of registers."""

    name: str
    operands: tuple[int | Constant, ...]


@final
@value
class Formula:
    """Operations in their order: register 0 holds the number that is given, and each step fills the next one.

    Attributes
    ----------
    steps
        All operations, also one whose number nobody uses: it may raise.
    result
        The register of the number that is wanted.
    """

    steps: tuple[Step, ...] = ()
    result: int = 0

    @property
    def is_identity(self) -> bool:
        """Whether the number is left as it is."""
        return not self.steps

    @property
    def is_foreign(self) -> bool:
        """Whether a scalar of NumPy takes part."""
        return any(type(part) is Constant and part.is_foreign for step in self.steps for part in step.operands)

    @property
    def each(self) -> Callable[[Iterable[Any]], list[Any]]:  # Any: objects of any type, Python's operators decide
        """Function that gives the numbers made of those given, by Python's own operators; it raises what they raise.

        >>> Formula((Step("*", (Constant.of(2.0), 0)), Step("+", (1, 0))), 2).each([1, 0.5])
        [3.0, 1.5]
        """
        return _each(self)


IDENTITY: Final = Formula()
"""Leaves a number as it is."""


@remembered_by_value()
def _each(formula: Formula) -> Callable[[Iterable[Any]], list[Any]]:
    """Compile a loop over numbers."""
    if formula.is_identity:
        return list
    names: dict[str, Any] = dict(UNARY)
    lines = ["def each(numbers):", "    found = []", "    add = found.append", "    for r0 in numbers:"]
    for k, step in enumerate(formula.steps, 1):
        names |= {f"c{k}_{p}": part.number for p, part in enumerate(step.operands) if isinstance(part, Constant)}
        parts = [f"c{k}_{p}" if isinstance(part, Constant) else f"r{part}" for p, part in enumerate(step.operands)]
        text = f" {step.name} ".join(parts) if step.name in BINARY else f"{step.name}({parts[0]})"
        lines.append(f"        r{k} = {text}")
    lines += [f"        add(r{formula.result})", "    return found"]
    exec(compile("\n".join(lines), "<formula of an accessor>", "exec"), names)  # noqa: S102 - operators and numbers alone
    each: Callable[[Iterable[Any]], list[Any]] = names["each"]
    return each
