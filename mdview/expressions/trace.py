"""Tracing runs a layout's arithmetic on symbols instead of numbers and keeps the expression that comes out.

The expression is then written as Python source. What depends on no index is *hoisted*: computed once when a view is
made. Anything that symbols cannot follow (a comparison, a loop over an extent) raises `TraceError`, never guesses.
"""

from __future__ import annotations

from _thread import _local
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn, TypeAlias, final

from mdview.base.values import value

Operand: TypeAlias = "Symbol | int"

_PYTHON = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "floordiv": "//",
    "mod": "%",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}


class TraceError(Exception):
    """The arithmetic asked a symbol for a concrete number."""


@final
class Symbol:
    """A node of an expression: a parameter, an index, or an operator applied to two operands."""

    __slots__ = ("indexed", "left", "name", "right")

    name: str
    left: Operand
    right: Operand
    indexed: bool

    def __init__(self, name: str, left: Operand = 0, right: Operand = 0, *, indexed: bool = False) -> None:
        """Make a leaf called ``name``, or the operator ``name`` over two operands; ``indexed`` if an index is in it."""
        self.name = name
        self.left = left
        self.right = right
        self.indexed = indexed

    @property
    def is_leaf(self) -> bool:
        """Whether this is a parameter or an index."""
        return self.name not in _PYTHON

    def __neg__(self) -> Operand:
        """0 minus the operand."""
        return applied("sub", 0, self)

    def __pos__(self) -> Operand:
        """Return the operand."""
        return self

    def __invert__(self) -> Operand:
        """Bitwise complement, as -1 minus the operand."""
        return applied("sub", -1, self)


def _install(name: str) -> None:
    """Give `Symbol` one binary operator and its reflection."""

    def forward(self: Symbol, other: Operand) -> Operand:
        return applied(name, self, other)

    def reflected(self: Symbol, other: Operand) -> Operand:
        return applied(name, other, self)

    setattr(Symbol, f"__{name}__", forward)
    setattr(Symbol, f"__r{name}__", reflected)


def _refuse(self: Symbol, *_: object) -> NoReturn:
    """Stand for every operation that needs a number: tests, comparisons, loops, true division."""
    message = f"{self.name} is a symbol here and has no value yet"
    raise TraceError(message)


for _name in _PYTHON:
    _install(_name)
for _name in (
    *(
        "bool",
        "index",
        "int",
        "float",
        "len",
        "iter",
        "hash",
        "truediv",
        "rtruediv",
        "pow",
        "rpow",
        "divmod",
        "rdivmod",
    ),
):
    setattr(Symbol, f"__{_name}__", _refuse)

Decide: TypeAlias = "Callable[[str, Symbol, Operand], bool]"
"""Answers a comparison: its name, as in ``lt``, and its two sides."""

_deciding: Final = _local()
"""Per thread, in ``decide``, who answers comparisons of symbols; by default nobody does."""


@contextmanager
def decided_by(decide: Decide) -> Iterator[None]:
    """Let ``decide`` answer comparisons of symbols."""
    before = getattr(_deciding, "decide", None)
    _deciding.decide = decide
    try:
        yield
    finally:
        _deciding.decide = before


def _install_comparison(name: str) -> None:
    """Give `Symbol` one comparison, which is refused unless someone decides."""

    def compare(self: Symbol, other: Operand) -> bool:
        decide: Decide | None = getattr(_deciding, "decide", None)
        return _refuse(self) if decide is None else decide(name, self, other)

    setattr(Symbol, f"__{name}__", compare)


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _install_comparison(_name)


# Integers that change nothing (the result is the other operand) or everything (the result is 0), by side.
_RIGHT_NEUTRAL = {**dict.fromkeys(("add", "sub", "or", "xor", "lshift", "rshift"), 0), "mul": 1, "floordiv": 1}
_LEFT_NEUTRAL = {"add": 0, "or": 0, "xor": 0, "mul": 1}
_RIGHT_ZERO = {"mul": 0, "mod": 1}
_LEFT_ZERO = {"mul": 0}


def applied(name: str, left: Operand, right: Operand) -> Operand:
    """Apply an operator, dropping what changes nothing: ``x + 0``, ``x * 1``, ``x * 0``, ``x // 1``, ``x % 1``."""
    for operand in (left, right):
        if not isinstance(operand, Symbol | int):
            message = f"{operand!r} is no integer"
            raise TraceError(message)
    for number, other, neutral, zero in (
        (right, left, _RIGHT_NEUTRAL, _RIGHT_ZERO),
        (left, right, _LEFT_NEUTRAL, _LEFT_ZERO),
    ):
        if isinstance(number, int) and number == neutral.get(name):
            return other
        if isinstance(number, int) and number == zero.get(name):
            return 0
    indexed = any(isinstance(o, Symbol) and o.indexed for o in (left, right))
    return Symbol(name, _plain_int(left), _plain_int(right), indexed=indexed)


def _plain_int(operand: Operand) -> Operand:
    """Return a number as ``int`` itself, so that source shows its digits."""
    return operand if isinstance(operand, Symbol) else int(operand)


@final
class Numbering:
    """Numbers expressions: equal ones have equal numbers."""

    def __init__(self) -> None:
        """Begin with none."""
        self.known: dict[int, tuple[Operand, int]] = {}  # the operand is held, so that no other gets its id
        self.numbers: dict[tuple[object, ...], int] = {}

    def of(self, node: Operand) -> int:
        """Number of an expression."""
        if isinstance(node, int):
            return self.numbers.setdefault(("int", node), len(self.numbers))
        if id(node) not in self.known:
            parts = () if node.is_leaf else (self.of(node.left), self.of(node.right))
            self.known[id(node)] = node, self.numbers.setdefault((node.name, *parts), len(self.numbers))
        return self.known[id(node)][1]


@final
@value
class OffsetSource:
    """Python source of an offset.

    Attributes
    ----------
    hoisted
        Expressions in the parameters ``p0, p1, ...``, to be kept as ``self._h0, self._h1, ...``.
    parameters
        Numbers of the parameters that ``result`` reads as ``self._p...``.
    statements
        Assignments to locals, for what ``result`` needs more than once.
    result
        Expression of the offset.
    """

    hoisted: tuple[str, ...]
    parameters: frozenset[int]
    statements: tuple[str, ...]
    result: str


def expression(offset: Callable[[list[Any], list[Any]], Any], parameters: int, rank: int) -> Operand:
    """Run ``offset`` on symbols and return what it computes. Any: the symbols stand for the ints it is written for.

    Raises
    ------
    TraceError
        The function needs a concrete number, or returns none.
    """
    names = [Symbol(f"p{k}") for k in range(parameters)]
    index = [Symbol(f"i{k}", indexed=True) for k in range(rank)]
    result = offset(list(names), list(index))
    if not isinstance(result, Symbol | int):
        message = f"an offset is an integer, not {result!r}"
        raise TraceError(message)
    return result


def is_separable(root: Operand) -> bool:
    """Tell whether an expression is a sum of terms that depend on one index each, so that tables can replace it."""
    if isinstance(root, int) or not root.indexed or root.is_leaf:
        return True
    left, right = root.left, root.right
    if root.name in {"add", "sub"}:
        return is_separable(left) and is_separable(right)
    if root.name == "mul" and not (_is_indexed(left) and _is_indexed(right)):
        return is_separable(left) and is_separable(right)
    return len(_indices(root)) == 1


def _is_indexed(operand: Operand) -> bool:
    return isinstance(operand, Symbol) and operand.indexed


def _indices(operand: Operand) -> set[str]:
    """Names of the indices in an expression."""
    if not isinstance(operand, Symbol) or not operand.indexed:
        return set()
    if operand.is_leaf:
        return {operand.name}
    return _indices(operand.left) | _indices(operand.right)


def written(root: Operand) -> OffsetSource:
    """Write an expression as Python."""
    return Writer().source(root)


@final
class Writer:
    """Writes expressions as source; in each of them equal subexpressions are written once.

    Several expressions share what is hoisted, and no names for what is needed more than once.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self.key = Numbering().of
        self.uses: dict[int, int] = {}
        self.hoisted: dict[int, str] = {}
        self.hoisted_source: list[str] = []
        self.locals: dict[int, str] = {}
        self.named = 0
        self.statements: list[str] = []
        self.parameters: set[int] = set()

    def source(self, root: Operand) -> OffsetSource:
        """Write one expression; what is hoisted for those before it counts as hoisted."""
        self.uses, self.locals, self.statements, self.parameters = {}, {}, [], set()
        self.count(root)
        result = self.write(root)
        return OffsetSource(tuple(self.hoisted_source), frozenset(self.parameters), tuple(self.statements), result)

    def count(self, node: Operand) -> None:
        """Count in how many places each operator stands; equal ones are one, whose operands stand there once."""
        if isinstance(node, int) or node.is_leaf:
            return
        key = self.key(node)
        self.uses[key] = self.uses.get(key, 0) + 1
        if self.uses[key] == 1:
            self.count(node.left)
            self.count(node.right)

    def write(self, node: Operand) -> str:
        """Source of a part of the expression; an operator that stands in several places becomes a statement."""
        if isinstance(node, int):
            return str(node) if node >= 0 else f"({node})"
        if node.is_leaf:
            return node.name if node.indexed else self.parameter(node)
        key = self.key(node)
        if not node.indexed:
            return self.hoist(node, key)
        if key in self.locals:
            return self.locals[key]
        text = f"({self.write(node.left)} {_PYTHON[node.name]} {self.write(node.right)})"
        if self.uses[key] == 1:
            return text
        self.locals[key] = f"t{self.named}"
        self.named += 1
        self.statements.append(f"{self.locals[key]} = {text}")
        return self.locals[key]

    def parameter(self, leaf: Symbol) -> str:
        """Name of a parameter."""
        self.parameters.add(int(leaf.name[1:]))
        return f"self._{leaf.name}"

    def hoist(self, node: Symbol, key: int) -> str:
        """Name of what no index enters."""
        if key not in self.hoisted:
            self.hoisted[key] = f"self._h{len(self.hoisted)}"
            self.hoisted_source.append(_plain(node))
        return self.hoisted[key]


def _plain(node: Operand) -> str:
    """Source of an expression in the bare names of its leaves."""
    if isinstance(node, int):
        return str(node) if node >= 0 else f"({node})"
    return node.name if node.is_leaf else f"({_plain(node.left)} {_PYTHON[node.name]} {_plain(node.right)})"
