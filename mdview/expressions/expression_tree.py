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
"""The most characters of a part in a text; a longer part is left out, since shared parts are written repeatedly."""

_DECIMAL_BITS: Final = 1 << 10
"""The most bits of a number written in decimal digits; Python writes at most 4300 digits."""

NOWHERE: Final[frozenset[int]] = frozenset()

_KNOWN: Final[WeakValueDictionary[tuple[object, ...], Any]] = WeakValueDictionary()
"""All existing nodes, by class, label and operands. Any: of the class in the key."""
_making: Final = RLock()

if hasattr(os, "register_at_fork"):  # a fork waits while another thread makes a node
    os.register_at_fork(before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release)


class Node(Operators["Node"], Evaluable["Node"]):
    """An integer expression over variables: the abstract class of all parts of an expression.

    Attributes
    ----------
    label
        The content of a part beside its operands: a number, or the name of an operator.
    operands
        The operands, which are expressions.
    dimensions
        The dimensions of the indices in the expression.
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
        """Return a node of the same class and label over other operands; a leaf is returned unchanged."""
        return self

    def _apply(self, name: str, left: object, right: object) -> Node:
        """Return the operator over two operands; nothing is computed, and divisors and shifts are checked.

        A difference becomes a sum with the negative of the right operand.
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
        """Return the expression with variables replaced; they are not bound, and values may be outside their bounds.

        Any: mappings are invariant in their keys.

        Raises
        ------
        OperandError
            ``values`` is not a dict or other mapping, or a key is not a variable.
        SymbolError
            A divisor in the result may be 0, or a shift may be negative.
        """
        replacements = as_values(values)

        def visit(node: Node, operands: list[Node]) -> Node:
            result = node.over(operands) if operands else as_node(replacements.get(node, node))
            result.check_operator()
            return result

        return fold(self, visit)

    def __neg__(self) -> Node:
        """Return the negative."""
        return Op(NEGATIVE, self)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that makes the node."""
        return type(self), (self.label, *self.operands)

    @abstractmethod
    def __str__(self) -> str:
        """Return the text of the expression; parts of more than 10 000 characters are left out."""

    def __repr__(self) -> str:
        """Return the text of the expression, as `str` does."""
        return str(self)


@final
class Const(Node):
    """A number."""

    __slots__ = ()
    __match_args__ = ("number",)

    def __new__(cls, number: int) -> Const:
        """Return the node of an integer.

        Raises
        ------
        ExtentsTypeError
            ``number`` is not an integer.
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
        """Return the digits, hexadecimal for very long numbers."""
        return str(self.number) if self.number.bit_length() <= _DECIMAL_BITS else hex(self.number)


@final
class Param(Node):
    """A number that differs from view to view (an extent, a stride), by its position among the parameters."""

    __slots__ = ()

    def __new__(cls, number: int) -> Param:
        """Return the node of parameter ``number``."""
        return cls.one(number)

    @property
    def number(self) -> int:
        """Position among the parameters."""
        return cast("int", self.label)

    def __str__(self) -> str:
        """Return the name, as in ``p0``."""
        return f"p{self.number}"


@final
class Index(Node):
    """The index along one dimension."""

    __slots__ = ()

    def __new__(cls, dimension: int) -> Index:
        """Return the node of the index along ``dimension``."""
        return cls.one(dimension, (), frozenset({dimension}))

    @property
    def dimension(self) -> int:
        """The dimension of the index."""
        return cast("int", self.label)

    def __str__(self) -> str:
        """Return the name, as in ``i0``."""
        return f"i{self.dimension}"


@final
class Op(Node):
    """An operator over its operands: arithmetic, or a comparison, which is 1 if it holds and 0 if not."""

    __slots__ = ()
    __match_args__ = ("name", "operands")

    def __new__(cls, name: str, *operands: object) -> Op:
        """Return the node of the operator ``name`` (see `mdview.expressions.operators`); integers become constants."""
        return cls.one(name, tuple([as_node(operand) for operand in operands]))

    @property
    def name(self) -> str:
        """Name of the operator, as in ``floordiv``."""
        return str(self.label)

    def over(self, operands: Sequence[Node]) -> Op:
        """Return the same operator over other operands."""
        return Op(self.name, *operands)

    def __str__(self) -> str:
        """Return the source in Python, as in ``(i0 + p1)``."""
        return fold(self, _text)


@final
class Select(Node):
    """A choice: ``yes`` if the comparison ``test`` holds, else ``no``; a trace has no choice inside an operator."""

    __slots__ = ()

    def __new__(cls, test: Node, yes: NodeLike, no: NodeLike) -> Select:
        """Return the node of a choice between two expressions."""
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
        """Pickle as the call that makes the node."""
        return Select, self.operands

    def over(self, operands: Sequence[Node]) -> Select:
        """Return a choice between other expressions."""
        return Select(*operands)

    def __str__(self) -> str:
        """Return the source in Python, as in ``(i0 if (i0 < i1) else i1)``."""
        return fold(self, _text)


def as_node(number: object) -> Node:
    """Return an expression unchanged, and an integer as a constant.

    Raises
    ------
    ExtentsTypeError
        ``number`` is neither an expression nor an integer.
    """
    if isinstance(number, Node):
        return number
    return Const(as_integer(cast("SupportsIndex", number), "an operand that is no expression"))


def each_part(root: Node, visited: Container[Node] = ()) -> list[Node]:
    """Return every part of an expression once, operands before operators; ``root`` is the last one.

    Parts that are ``visited``, and parts below them, are left out: an analysis with kept results visits new parts only.
    """
    parts: dict[Node, None] = {}
    waiting = [] if root in visited else [root]
    while waiting:
        node = waiting[-1]
        missing = [operand for operand in node.operands if operand not in parts and operand not in visited]
        if missing and node not in parts:
            waiting += reversed(missing)
        else:
            parts.setdefault(waiting.pop())
    return list(parts)


def fold(root: Node, visit: Callable[[Node, list[V]], V]) -> V:
    """Return the result of ``visit`` for ``root``.

    ``visit`` is called once for each part, with the part and the results for the operands of the part.
    """
    results: dict[Node, V] = {}
    for node in each_part(root):
        results[node] = visit(node, [results[operand] for operand in node.operands])
    return results[root]


class Analysis(ABC, Generic[V]):
    """An analysis of expressions: the result for each part is computed once, from the results for its operands."""

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
    """Return the source in Python of a node, from the sources of its operands; ``choice`` is the format of a choice."""
    if isinstance(node, Select):
        return choice.format(*operands)
    if len(operands) == 1:
        return f"-{operands[0]}"
    return f"({operands[0]} {(INFIX | COMPARISONS)[str(node.label)]} {operands[1]})"
