"""Tracing: the arithmetic of a layout runs on symbols instead of numbers, and so becomes an expression.

A comparison of symbols (``if i < j``) is answered both ways: the arithmetic runs once for each combination of answers,
and the result is a choice between the outcomes. Code that needs the number of a symbol (a loop over an index, a table
indexed by one) ends tracing with a reason; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, NoReturn, Protocol, TypeAlias, final

from mdview.base import brief
from mdview.base.caches import remembered_by_value
from mdview.expressions.expression_tree import Const, Index, Node, Op, Param, Select, as_node, each_part
from mdview.expressions.normal_form import folded
from mdview.expressions.operators import COMPARISONS, Operators

Decide: TypeAlias = Callable[[str, Node, Node], bool]
"""Function that answers a comparison from its name, as in ``lt``, and its two sides."""

MOST_WAYS: Final = 64
"""The most combinations of answers, and the most comparisons in one run."""
MOST_BITS: Final = 1 << 10
"""The most bits of a constant in a trace."""

MOST_DIMENSIONS: Final = 64
"""The most dimensions of an extent other than 1 in a trace; an index space with elements has at most 62."""


@final
class TraceError(BaseException):
    """The error for arithmetic that needs a number where tracing has a symbol.

    The class does not derive from `Exception`, so that ``except Exception`` in the arithmetic does not catch it.
    """


class Arithmetic(Protocol):
    """The part of a layout that tracing needs: its arithmetic, the method `offset`."""

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the offset of an index within extents."""
        ...


class TabledArithmetic(Arithmetic, Protocol):
    """The part of a layout that tables of offsets need: its arithmetic, and the extents for which a table is made."""

    def enclosing(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return extents that are not smaller than ``extents`` and that leave the offset of each index unchanged."""
        ...


def refuse_traced_comparison(name: str, left: Node, right: Node) -> NoReturn:
    """Raise `TraceError` for a comparison."""
    raise TraceError(f"it asks whether {Op(name, left, right)}, which no number is known for")


@final
class Symbol(Operators["Symbol | int"]):
    """A stand-in for a number in running arithmetic: its operators build an expression.

    Its comparisons compare values, which ``decide`` answers; comparisons of expressions compare structure.
    """

    __slots__ = ("decide", "node")

    def __init__(self, node: Node, decide: Decide = refuse_traced_comparison) -> None:
        """Stand for the value of ``node``."""
        self.node: Node = node
        self.decide: Decide = decide

    def _apply(self, name: str, left: object, right: object) -> Symbol | int:
        return self._number(folded(name, node_of(left), node_of(right)))

    def _number(self, node: Node) -> Symbol | int:
        return node.number if isinstance(node, Const) else Symbol(node, self.decide)

    def __bool__(self) -> bool:
        """Tell whether the number is not 0; ``decide`` answers."""
        return self.decide("ne", self.node, Const(0))

    def __getattr__(self, name: str) -> NoReturn:
        """Raise `TraceError` for attributes of integers other than operators, such as ``bit_length``."""
        if name.startswith("__"):
            raise AttributeError(name)
        _refuse(self, f"{name} of ")

    def __repr__(self) -> str:
        """Return the text of the expression."""
        return str(self.node)


def _refuse(symbol: Symbol, what: str) -> NoReturn:
    raise TraceError(f"it asks for {what}{symbol.node}, which is a symbol and has no number")


def _install(name: str) -> None:
    """Give `Symbol` a special method that raises `TraceError`, since it would need a number."""

    def refused(self: Symbol, *_: object) -> NoReturn:
        _refuse(self, {"index": "the number ", "int": "the number "}.get(name, f"__{name}__ of "))

    setattr(Symbol, f"__{name}__", refused)


def _install_comparison(name: str) -> None:
    """Give `Symbol` the method of a comparison of values."""
    setattr(Symbol, f"__{name}__", lambda self, other: self.decide(name, self.node, node_of(other)))


for _name in COMPARISONS:
    _install_comparison(_name)
for _name in ("index", "int", "float", "complex", "len", "iter", "contains", "hash"):
    _install(_name)
for _name in ("truediv", "rtruediv", "pow", "rpow", "matmul", "rmatmul", "abs", "round", "trunc"):
    _install(_name)


def node_of(number: object) -> Node:
    """Return the expression of a symbol, or an integer as a constant.

    Raises
    ------
    TraceError
        ``number`` is neither a symbol nor an integer.
    """
    if isinstance(number, Symbol):
        return number.node
    if type(number) is int:
        return Const(number)
    try:
        return as_node(number)
    except TypeError:
        raise TraceError(f"{brief(number)} is no integer") from None


def numbers(nodes: Iterable[Node], decide: Decide = refuse_traced_comparison) -> tuple[Any, ...]:
    """Return arguments for arithmetic: constants as ints, all other nodes as symbols. ``Any`` stands for both."""
    return tuple([node.number if isinstance(node, Const) else Symbol(node, decide) for node in nodes])


def explored(run: Callable[[Decide], object]) -> Node:
    """Return the result of ``run`` as an expression; a comparison that ``run`` passes to its argument is a choice.

    Raises
    ------
    TraceError
        ``run`` needs the number of a symbol, does not return an integer, or compares too often.
    """
    return _Explorer(run).ways([])


@final
class _Explorer:
    """Explorer of comparisons: it runs arithmetic once for each combination of answers."""

    def __init__(self, run: Callable[[Decide], object]) -> None:
        self.run = run
        self.runs = 0

    def ways(self, answers: list[bool]) -> Node:
        """Return the result if the first comparisons get ``answers``, with a choice for each later comparison."""
        self.runs += 1
        tests: list[Node] = []
        decisions: dict[Node, bool] = {}

        def decide(name: str, left: Node, right: Node) -> bool:
            test = folded(name, left, right)
            if isinstance(test, Const):
                return bool(test.number)
            question, yes = _question(name, left, right)
            if question not in decisions:
                decisions[question] = (answers[len(tests)] if len(tests) < len(answers) else True) == yes
                tests.append(test)
            if max(self.runs, len(tests)) > MOST_WAYS:  # perhaps a loop that a comparison would end
                raise TraceError(f"its comparisons have more than {MOST_WAYS} outcomes")
            return decisions[question] == yes

        outcome = node_of(self.run(decide))
        for k in range(len(tests) - 1, len(answers) - 1, -1):
            other = self.ways([*answers, *[True] * (k - len(answers)), False])
            outcome = Select(tests[k], outcome, other)
        return outcome


def _question(name: str, left: Node, right: Node) -> tuple[Node, bool]:
    """Return the ``<`` or ``==`` that decides a traced comparison, and whether both have equal answers."""
    if name in {"gt", "le"}:
        left, right = right, left
    return Op("eq" if name in {"eq", "ne"} else "lt", left, right), name in {"eq", "lt", "gt"}


@final
class Trace(NamedTuple):
    """The result of tracing a layout.

    Attributes
    ----------
    root
        The offset as an expression, or None if the arithmetic cannot be traced.
    reason
        The reason why the arithmetic cannot be traced, else empty.
    """

    root: Node | None
    reason: str = ""


@remembered_by_value(512)
def trace(layout: Arithmetic, extents: tuple[int | None, ...]) -> Trace:
    """Trace the offset of ``layout`` over ``extents``; the trace of equal layouts over equal extents is remembered.

    Extents of None become parameters, numbered in the order of the dimensions.

    >>> from mdview import LayoutTiled
    >>> trace(LayoutTiled(2, 4), (None, 8)).root
    (((((i0 // 2) * 2) + (i1 // 4)) * 8) + (((i0 % 2) * 4) + (i1 % 4)))
    """
    parameters = iter(range(len(extents)))
    shape = [Param(next(parameters)) if e is None else Const(e) for e in extents]
    index: list[Node] = [Index(r) for r in range(len(extents))]
    if len(extents) > MOST_DIMENSIONS:  # the index of an extent 1 is the constant 0
        index = [Const(0) if e == 1 else node for e, node in zip(extents, index, strict=True)]
        moving = len(extents) - extents.count(1)
        if moving > MOST_DIMENSIONS:
            return Trace(None, f"{moving} dimensions have more than one index, more than {MOST_DIMENSIONS}")
    try:
        root = explored(lambda decide: layout.offset(numbers(shape, decide), numbers(index, decide)))
        longest = max([part.number.bit_length() for part in each_part(root) if isinstance(part, Const)], default=0)
        return Trace(None, f"it computes with a number of {longest} bits") if longest > MOST_BITS else Trace(root)
    except TraceError as error:
        return Trace(None, str(error))
    except Exception as error:  # noqa: BLE001 - a user's arithmetic may fail on symbols in any way; the reason is kept
        return Trace(None, f"{type(error).__name__}: {error}")
