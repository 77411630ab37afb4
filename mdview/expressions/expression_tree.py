"""The expression tree: immutable nodes of integer arithmetic over constants, parameters and indices; walks and folds.

An inner node is an operator (`Op`) or a choice between two expressions (`Select`). Equality is structural (``1 + 2`` is
not ``3``), and nodes are interned: equal expressions are one object while a reference to it exists. Walks (`each_part`,
`fold`) visit each part once, without recursion.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from threading import RLock
from typing import Any, Final, Generic, Self, SupportsIndex, TypeAlias, TypeVar, cast, final
from weakref import WeakValueDictionary

from mdview.base import as_integer
from mdview.expressions.operators import COMPARISONS, INFIX, NEGATIVE, SELECT, Evaluable, Operators, as_values

V = TypeVar("V")
NodeLike: TypeAlias = "Node | int"

_LONGEST_TEXT: Final = 10_000
"""The most characters of a part in a text; shared parts could make a text of any length."""

_DECIMAL_BITS: Final = 1 << 10
"""The most bits of a number written in decimal digits; Python writes at most 4300 digits."""

NOWHERE: Final[frozenset[int]] = frozenset()

_KNOWN: Final[WeakValueDictionary[tuple[object, ...], Any]] = WeakValueDictionary()
"""All existing nodes, by class, label and operands. Any: of the class in the key."""
_making: Final = RLock()

if hasattr(os, "register_at_fork"):  # a fork waits while another thread makes a node
    os.register_at_fork(before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release)


class Node(Operators["Node"], Evaluable["Node"]):
    """An integer that is not known yet: the abstract class of all parts of an expression.

    Attributes
    ----------
    label
        The content of a part beside its operands: a number, a name.
    operands
        Its operands, which are expressions.
    dimensions
        The dimensions of the indices that it depends on.
    """

    __slots__ = ("__weakref__", "dimensions", "label", "operands")

    label: Hashable
    operands: tuple[Node, ...]
    dimensions: frozenset[int]

    @classmethod
    def one(cls, label: Hashable, operands: tuple[Node, ...] = (), dimensions: frozenset[int] = NOWHERE) -> Self:
        """Return the interned node with this label and these operands; its dimensions include those of the operands."""
        key = cls, label, operands
        with _making:
            node: Self | None = _KNOWN.get(key)
            if node is None:
                node = object.__new__(cls)
                for name, content in (
                    ("label", label),
                    ("operands", operands),
                    ("dimensions", dimensions.union(*[operand.dimensions for operand in operands])),
                ):
                    object.__setattr__(node, name, content)
                _KNOWN[key] = node
        return node

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse a change: an expression is immutable."""
        raise AttributeError(f"{type(self).__name__} is immutable; make another one instead of changing {name}")

    def over(self, operands: Sequence[Node]) -> Node:
        """Return a node of the same kind over other operands; a leaf is returned unchanged."""
        return self

    def _apply(self, name: str, left: object, right: object) -> Node:
        """Return an operator over two operands as written; a difference becomes a sum with the negative.

        Divisors and shifts are checked, and nothing is computed.
        """
        result = Op("add", left, -as_node(right)) if name == "sub" else Op(name, left, right)
        result.check_operator()
        return result

    @property
    def vars(self) -> tuple[Node, ...]:
        """The variables, which are the leaves that are no constants: each once, in order of appearance."""
        leaves = [part for part in each_part(self) if not part.operands and not isinstance(part, Const)]
        return tuple(dict.fromkeys(leaves))

    def substitute(self, values: Mapping[Any, NodeLike]) -> Node:
        """Return the expression with variables replaced; nothing is bound, and bounds are not consulted.

        Any: mappings are invariant in their keys.

        Raises
        ------
        OperandError
            ``values`` are no dict or other mapping, or some key is no variable.
        SymbolError
            The result divides by what may be 0, or shifts by what may be negative.
        """
        replacements = as_values(values)

        def visit(node: Node, operands: list[Node]) -> Node:
            result = node.over(operands) if operands else as_node(replacements.get(node, node))
            result.check_operator()
            return result

        return fold(self, visit)

    def __neg__(self) -> Node:
        """Negative."""
        return Op(NEGATIVE, self)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that makes it."""
        return type(self), (self.label, *self.operands)

    @abstractmethod
    def __str__(self) -> str:
        """Text of the expression; parts of more than 10 000 characters are left out."""

    def __repr__(self) -> str:
        """Text of the expression, as `str` gives it."""
        return str(self)


@final
class Const(Node):
    """A number."""

    __slots__ = ()
    __match_args__ = ("number",)

    def __new__(cls, number: int) -> Const:
        """Take a number.

        Raises
        ------
        ExtentsTypeError
            It is no integer.
        """
        return cls.one(int(as_integer(number, "a constant")))

    @property
    def number(self) -> int:
        """The number."""
        return cast("int", self.label)

    @property
    def value(self) -> int:
        """The number."""
        return self.number

    def __str__(self) -> str:
        """The digits; those of very long numbers are hexadecimal."""
        return str(self.number) if self.number.bit_length() <= _DECIMAL_BITS else hex(self.number)


@final
class Param(Node):
    """A number that differs from view to view (an extent, a stride), by its position among the parameters."""

    __slots__ = ()

    def __new__(cls, number: int) -> Param:
        """Stand for parameter ``number``."""
        return cls.one(number)

    @property
    def number(self) -> int:
        """Which parameter it is."""
        return cast("int", self.label)

    def __str__(self) -> str:
        """``p0``."""
        return f"p{self.number}"


@final
class Index(Node):
    """The index along one dimension."""

    __slots__ = ()

    def __new__(cls, dimension: int) -> Index:
        """Stand for the index along ``dimension``."""
        return cls.one(dimension, (), frozenset({dimension}))

    @property
    def dimension(self) -> int:
        """Which dimension it runs along."""
        return cast("int", self.label)

    def __str__(self) -> str:
        """``i0``."""
        return f"i{self.dimension}"


@final
class Op(Node):
    """An operator over its operands: arithmetic, or a comparison, which is 1 if it holds and 0 if not."""

    __slots__ = ()
    __match_args__ = ("name", "operands")

    def __new__(cls, name: str, *operands: object) -> Op:
        """Apply the operator ``name`` of `mdview.expressions.operators`; integers become constants."""
        return cls.one(name, tuple([as_node(operand) for operand in operands]))

    @property
    def name(self) -> str:
        """Name of the operator, as in ``floordiv``."""
        return str(self.label)

    def over(self, operands: Sequence[Node]) -> Op:
        """Return the same operator over other operands."""
        return Op(self.name, *operands)

    def __str__(self) -> str:
        """``(i0 + p1)``."""
        return fold(self, _text)


@final
class Select(Node):
    """``yes`` if ``test``, a comparison, holds, else ``no``. In traced expressions choices are above all arithmetic."""

    __slots__ = ()

    def __new__(cls, test: Node, yes: NodeLike, no: NodeLike) -> Select:
        """Choose between two expressions."""
        return cls.one(SELECT, (test, as_node(yes), as_node(no)))

    @property
    def test(self) -> Node:
        """The comparison."""
        return self.operands[0]

    @property
    def yes(self) -> Node:
        """The expression where the test holds."""
        return self.operands[1]

    @property
    def no(self) -> Node:
        """The expression elsewhere."""
        return self.operands[2]

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that makes it."""
        return Select, self.operands

    def over(self, operands: Sequence[Node]) -> Select:
        """Return a choice between other expressions."""
        return Select(*operands)

    def __str__(self) -> str:
        """``(i0 if (i0 < i1) else i1)``."""
        return fold(self, _text)


def as_node(number: object) -> Node:
    """Return an expression unchanged, and an integer as a constant.

    Raises
    ------
    ExtentsTypeError
        It is neither.
    """
    if isinstance(number, Node):
        return number
    return Const(as_integer(cast("SupportsIndex", number), "an operand that is no expression"))


def each_part(root: Node, known: Container[Node] = ()) -> list[Node]:
    """Return every part of an expression once, operands before operators; ``root`` is the last one.

    Parts that are ``known``, and parts below them, are left out: an analysis that keeps results visits new parts only.
    """
    parts: dict[Node, None] = {}
    waiting = [] if root in known else [root]
    while waiting:
        node = waiting[-1]
        missing = [operand for operand in node.operands if operand not in parts and operand not in known]
        if missing and node not in parts:
            waiting += reversed(missing)
        else:
            parts.setdefault(waiting.pop())
    return list(parts)


def fold(root: Node, visit: Callable[[Node, list[V]], V]) -> V:
    """Return the result of ``visit`` for ``root``; it is called with each part and the results for its operands."""
    results: dict[Node, V] = {}
    for node in each_part(root):
        results[node] = visit(node, [results[operand] for operand in node.operands])
    return results[root]


class Analysis(ABC, Generic[V]):
    """An analysis of expressions: the result of each part is computed once, from those of its operands."""

    def __init__(self) -> None:
        """Begin without results."""
        self.known: dict[Node, V] = {}

    @abstractmethod
    def visit(self, node: Node, operands: list[V]) -> V:
        """Return the result for a part, given the results for its operands."""

    def __call__(self, root: Node) -> V:
        """Return the result for an expression."""
        results = self.known
        for node in () if root in results else each_part(root, results):
            results[node] = self.visit(node, [results[operand] for operand in node.operands])
        return results[root]


def alternatives(root: Node) -> list[Node]:
    """Return the comparisons of an expression and the alternatives that they choose between."""
    nodes: list[Node] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Select):
            nodes.append(node.test)
            waiting += [node.no, node.yes]
        else:
            nodes.append(node)
    return nodes


def replaced(root: Node, make: Callable[[Node], Node], combine: Callable[[Node, list[Node]], Node]) -> Node:
    """Return an expression with each leaf replaced by ``make`` and each inner node rebuilt by ``combine``."""
    return fold(root, lambda node, operands: combine(node, operands) if operands else make(node))


def _text(node: Node, operands: list[str]) -> str:
    operands = ["…" if len(text) > _LONGEST_TEXT else text for text in operands]
    return op_text(node, operands, "({1} if {0} else {2})") if operands else str(node)


def op_text(node: Node, operands: Sequence[str], choice: str) -> str:
    """Return the source in Python of an operator, or of a choice by its format, over those of its operands."""
    if isinstance(node, Select):
        return choice.format(*operands)
    if len(operands) == 1:
        return f"-{operands[0]}"
    return f"({operands[0]} {(INFIX | COMPARISONS)[str(node.label)]} {operands[1]})"
