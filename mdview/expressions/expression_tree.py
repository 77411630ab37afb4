"""The expression tree: immutable nodes of integer arithmetic over constants, parameters and indices; walks and values.

An inner node is an operator (`Op`) or a choice between two expressions (`Select`). Equality is structural (``1 + 2`` is
not ``3``), and nodes are interned: equal expressions are one object while a reference to it exists. Walks (`each_part`,
`fold`) visit each part once, without recursion. A variable may have bounds; it then computes the range of each
expression that contains it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from threading import RLock
from typing import Any, Final, Self, SupportsIndex, TypeAlias, TypeVar, cast, final
from weakref import WeakValueDictionary

from mdview.base import as_integer, as_text, refuse
from mdview.errors import SymbolError, SymbolicExtentError
from mdview.expressions.operators import COMPARISONS, FUNCTIONS, INFIX, NEGATIVE, REFUSED, SELECT, Operators

V = TypeVar("V")
NodeLike: TypeAlias = "Node | int"

_LONGEST_TEXT: Final = 10_000
"""The most characters of a part in a string; a longer part is left out, since shared parts are written repeatedly."""

_DECIMAL_BITS: Final = 1 << 10
"""The most bits of a number written in decimal digits; Python writes at most 4300 digits."""

NOWHERE: Final[frozenset[int]] = frozenset()

_KNOWN: Final[WeakValueDictionary[tuple[object, ...], Any]] = WeakValueDictionary()
"""All existing nodes, by class, label and operands. ``Any`` stands for the class in the key."""
_making: Final = RLock()

if hasattr(os, "register_at_fork"):  # a fork waits while another thread makes a node
    os.register_at_fork(before=_making.acquire, after_in_parent=_making.release, after_in_child=_making.release)


class Node(Operators["Node"]):
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
        return self.one(self.label, tuple(operands)) if operands else self

    def _apply(self, name: str, left: object, right: object) -> Node:
        """Return the operator over two operands; nothing is computed, and divisors and shifts are checked.

        A difference becomes a sum with the negative of the right operand.
        """
        result = Op("add", left, -as_node(right)) if name == "sub" else Op(name, left, right)
        result.check_operator()
        return result

    @property
    def vars(self) -> tuple[Node, ...]:
        """The variables, which are the leaves other than constants: each variable once, in order of appearance."""
        leaves = [part for part in each_part(self) if not part.operands and not isinstance(part, Const)]
        return tuple(dict.fromkeys(leaves))

    @property
    def value(self) -> int | None:
        """Number to which a leaf is bound at present, or None."""
        return None

    @property
    def description(self) -> str:
        """Text for messages: for a variable its name and its known bounds."""
        return str(self)

    def range_of(self, expression: Node) -> tuple[int, int] | None:
        """Return the lowest and highest value of an expression that contains this variable; None if unknown."""
        return None

    def known_range(self) -> tuple[int, int] | None:
        """Return bounds of the value, perhaps not tight, from the bounds of the variables; None if unknown."""
        variables = self.vars
        if variables:
            return variables[0].range_of(self)
        number = self.eval()
        return None if number is None else (number, number)

    def eval(self, values: Mapping[Any, int] | None = None) -> int | None:
        """Return the value with variables from ``values``, else from their bindings; None if a variable has neither.

        An error in an alternative that the test of a choice does not select is ignored. The keys are ``Any``, since
        mappings are invariant in their keys.

        Raises
        ------
        OperandError, ExtentsTypeError
            ``values`` is not a dict or other mapping, a key is not a variable, or a value is not an integer.
        """
        numbers = {} if values is None else as_values(values)

        def visit(part: Node, operands: list[int | Exception | None]) -> int | Exception | None:
            if not operands:
                return int(as_integer(numbers[part], f"a value of {part}")) if part in numbers else part.value
            if isinstance(part, Select):
                return operands[1 if operands[0] else 2] if isinstance(operands[0], int) else operands[0]
            arguments = [number for number in operands if isinstance(number, int)]
            if len(arguments) < len(operands):
                return next((number for number in operands if isinstance(number, Exception)), None)
            try:
                return int(FUNCTIONS[str(part.label)](*arguments))
            except (ArithmeticError, ValueError) as error:
                return error

        number = fold(self, visit)
        if isinstance(number, Exception):
            raise number
        return number

    def __index__(self) -> int:
        """Return the value of an expression without variables.

        Raises
        ------
        SymbolicExtentError
            The expression has variables; bound variables count too, since a binding may change.
        """
        number = None if self.vars else self.eval()
        if number is None:
            raise SymbolicExtentError(need(f"the number {self}", self))
        return number

    def __bool__(self) -> bool:
        """Tell whether the number is not 0, if its bounds decide it.

        Raises
        ------
        SymbolicExtentError
            The bounds do not decide whether the number is 0.
        """
        low, high = self.known_range() or (0, 1)
        if low <= 0 <= high and low != high:
            raise SymbolicExtentError(need(f"whether {self} is 0", self))
        return low != 0

    def check_operator(self) -> None:
        """Check the right operand of an operator, as far as the bounds of its variables are known.

        Raises
        ------
        SymbolError
            The divisor may be 0, or the shift may be negative.
        """
        if not isinstance(self.label, str) or self.label not in REFUSED:
            return
        left, right = self.operands
        low, high = right.known_range() or (1, 1)
        what, refused = REFUSED[self.label]
        if low < 0 if what == "shift" else low <= 0 <= high:
            raise SymbolError(
                f"the {what} of {left} {INFIX[self.label]} {right} lies in [{as_text(low)}, "
                f"{as_text(high)}] and may be {refused}"
            )

    def substitute(self, values: Mapping[Any, NodeLike]) -> Node:
        """Return the expression with variables replaced; no variable is bound, and values may lie outside the bounds.

        The keys are ``Any``, since mappings are invariant in their keys.

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
        """Pickle as the call of a function, which cloudpickle finds by its name, unlike a method of the class."""
        return _unpickled, (type(self), self.label, self.operands, self.dimensions)

    def __str__(self) -> str:
        """Return the source in Python, as in ``(i0 + p1)``; parts of more than 10 000 characters are left out."""
        return fold(self, _text)

    def __repr__(self) -> str:
        """Return the text of the expression, as `str` does."""
        return str(self)


def _unpickled(cls: type[Node], *state: Any) -> Node:
    """Return the node of a class with this state. ``Any`` stands for the arguments of `Node.one`."""
    return cls.one(*state)


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


@final
class Select(Node):
    """A choice: ``yes`` if the comparison ``test`` holds, else ``no``; a trace has no choice inside an operator."""

    __slots__ = ()

    def __new__(cls, test: Node, yes: NodeLike, no: NodeLike) -> Select:
        """Return the node of a choice between two expressions."""
        return cls.one(SELECT, (test, as_node(yes), as_node(no)))


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


def as_values(values: Mapping[Any, V]) -> Mapping[Any, V]:
    """Check that ``values`` is a mapping from variables, and return it.

    The keys are ``Any``, since mappings are invariant in their keys.

    Raises
    ------
    OperandError
        ``values`` is not a dict or other mapping, or a key is not a variable.
    """
    if not isinstance(values, Mapping):
        refuse("values", "a dict from variables to numbers", values)
    for key in values:
        if not isinstance(key, Node) or key.vars != (key,):
            refuse("a key of values", "a variable", key)
    return values


def need(what: str, *expressions: Node) -> str:
    """Return a message: ``what`` depends on the variables of the expressions, which need values or narrower bounds."""
    names = ", ".join(dict.fromkeys([variable.description for e in expressions for variable in e.vars]))
    return f"{what} depends on {names or 'nothing known'}; bind the symbols to values first, or narrow their bounds"


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


def _text(node: Node, operands: list[str]) -> str:
    operands = ["…" if len(text) > _LONGEST_TEXT else text for text in operands]
    return op_text("({1} if {0} else {2})", node, operands)


def op_text(choice: str, node: Node, operands: Sequence[str]) -> str:
    """Return the source in Python of a node, from the sources of its operands; ``choice`` is the format of a choice."""
    if not operands:
        return str(node)
    if isinstance(node, Select):
        return choice.format(*operands)
    if len(operands) == 1:
        return f"-{operands[0]}"
    return f"({operands[0]} {(INFIX | COMPARISONS)[str(node.label)]} {operands[1]})"
