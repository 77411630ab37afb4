"""The expression tree: immutable nodes of integer arithmetic over constants, parameters and indices.

An inner node is an operator (`Op`) or a choice between two expressions (`Select`). A part that stands in several places
is one object, so what walks an expression (`each_part`, `fold`) visits it once, and no recursion depends on its depth.
Two expressions are equal if they are built alike: ``1 + 2`` is not ``3``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from operator import is_
from typing import Any, Final, Generic, SupportsIndex, TypeAlias, TypeVar, cast, final

from mdview.base import as_integer
from mdview.expressions.operators import COMPARISONS, INFIX, NEGATIVE, SELECT, Evaluable, Operators, as_values

V = TypeVar("V")
NodeLike: TypeAlias = "Node | int"

_LONGEST_TEXT: Final = 10_000
"""How many characters of a part are written: parts that stand in several places may add up to any number of them."""

_DECIMAL_BITS: Final = 1 << 10
"""Up to how many bits a number is written in decimal digits, of which Python writes 4300 at most."""

NOWHERE: Final[frozenset[int]] = frozenset()


class Node(Operators["Node"], Evaluable["Node"]):
    """An integer that is not known yet: the abstract class of all parts of an expression.

    Attributes
    ----------
    label
        What the part is, beside its operands: a number, a name.
    operands
        The expressions that it is made of.
    dimensions
        The indices that it depends on, by the number of their dimension.
    """

    __slots__ = ("__weakref__", "_hash", "dimensions", "label", "operands")

    label: Hashable
    operands: tuple[Node, ...]
    dimensions: frozenset[int]

    def __init__(self, label: Hashable, operands: tuple[Node, ...] = (), dimensions: frozenset[int] = NOWHERE) -> None:
        """Make the part; what its operands depend on it depends on as well."""
        for operand in operands:
            dimensions |= operand.dimensions
        for name, given in (("label", label), ("operands", operands), ("dimensions", dimensions)):
            object.__setattr__(self, name, given)
        object.__setattr__(self, "_hash", hash((type(self), label, operands)))

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: an expression is immutable."""
        raise AttributeError(f"{type(self).__name__} is immutable; make another one instead of changing {name}")

    def over(self, operands: Sequence[Node]) -> Node:
        """Return the same part over other operands; a leaf, which has none, is returned as it is."""
        return self

    def _apply(self, name: str, left: object, right: object) -> Node:
        """Operator over two operands as it is written, but that a difference is a sum with the negative.

        Divisors and shifts are checked, and nothing is computed.
        """
        made = Op("add", left, -as_node(right)) if name == "sub" else Op(name, left, right)
        made.check_operator()
        return made

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
        given = as_values(values)

        def visit(node: Node, operands: list[Node]) -> Node:
            made = node.over(operands) if operands else as_node(given.get(node, node))
            made.check_operator()
            return made

        return fold(self, visit)

    def __neg__(self) -> Node:
        """Negative."""
        return Op(NEGATIVE, self)

    def __eq__(self, other: object) -> bool:
        """Tell whether two expressions are built alike."""
        if self is other:
            return True
        if not isinstance(other, Node):
            return NotImplemented
        if self._key != other._key:
            return False
        sharing = Sharing()
        return sharing.copy(self) is sharing.copy(other)

    @property
    def _key(self) -> tuple[type, int]:
        found: int = object.__getattribute__(self, "_hash")
        return type(self), found

    def __hash__(self) -> int:
        """Hash of how it is built."""
        return self._key[1]

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that makes it."""
        return type(self), (self.label, *self.operands)

    @abstractmethod
    def __str__(self) -> str:
        """Text as it is written; parts of more than 10 000 characters are left out."""

    def __repr__(self) -> str:
        """As `str`."""
        return str(self)


@final
class Const(Node):
    """A number."""

    __slots__ = ()
    __match_args__ = ("number",)

    def __init__(self, number: int) -> None:
        """Take a number.

        Raises
        ------
        ExtentsTypeError
            It is no integer.
        """
        super().__init__(int(as_integer(number, "a constant")))

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
    """A number that differs from view to view (an extent, a stride), by its place among them."""

    __slots__ = ()

    def __init__(self, number: int) -> None:
        """Stand for parameter ``number``."""
        super().__init__(number)

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

    def __init__(self, dimension: int) -> None:
        """Stand for the index along ``dimension``."""
        super().__init__(dimension, (), frozenset({dimension}))

    @property
    def dimension(self) -> int:
        """Which dimension it runs along."""
        return cast("int", self.label)

    def __str__(self) -> str:
        """``i0``."""
        return f"i{self.dimension}"


@final
class Op(Node):
    """An operator over its operands: arithmetic, or a comparison, which is 1 where it holds and 0 elsewhere."""

    __slots__ = ()
    __match_args__ = ("name", "operands")

    def __init__(self, name: str, *operands: object) -> None:
        """Apply the operator ``name`` of `mdview.expressions.operators`; integers become constants."""
        super().__init__(name, tuple([as_node(operand) for operand in operands]))

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
    """``yes`` where ``test``, a comparison, holds, else ``no``. In what is traced it stands above all arithmetic."""

    __slots__ = ()

    def __init__(self, test: Node, yes: NodeLike, no: NodeLike) -> None:
        """Choose between two expressions."""
        super().__init__(SELECT, (test, as_node(yes), as_node(no)))

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
    """Return an expression as it is, and an integer as a constant.

    Raises
    ------
    ExtentsTypeError
        It is neither.
    """
    if isinstance(number, Node):
        return number
    return Const(as_integer(cast("SupportsIndex", number), "an operand that is no expression"))


def each_part(root: Node, known: Container[int] = ()) -> list[Node]:
    """Every part of an expression once, operands before what is over them; ``root`` is the last one.

    Parts whose identities are ``known``, and what is below them, are left out: a caller that keeps its findings about
    parts looks at the new ones alone.
    """
    found: dict[int, Node] = {}
    waiting = [] if id(root) in known else [root]
    while waiting:
        node = waiting[-1]
        missing = [o for o in node.operands if id(o) not in found and id(o) not in known]
        if missing and id(node) not in found:
            waiting += reversed(missing)
        else:
            found.setdefault(id(node), waiting.pop())
    return list(found.values())


def fold(root: Node, visit: Callable[[Node, list[V]], V]) -> V:
    """Return the result of ``visit`` for an expression, called with each part and the results for its operands."""
    found: dict[int, V] = {}
    for node in each_part(root):
        found[id(node)] = visit(node, [found[id(operand)] for operand in node.operands])
    return found[id(root)]


class Analysis(ABC, Generic[V]):
    """An analysis of expressions: the result of each part is computed once, from those of its operands."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self.known: dict[int, tuple[Node, V]] = {}  # the part is held, so that no other gets its id

    @abstractmethod
    def visit(self, node: Node, operands: list[V]) -> V:
        """Find out about a part."""

    def __call__(self, root: Node) -> V:
        """Return what is found out about an expression."""
        known = self.known
        if id(root) not in known:
            for node in each_part(root, known):
                known[id(node)] = node, self.visit(node, [known[id(operand)][1] for operand in node.operands])
        return known[id(root)][1]


def alternatives(root: Node) -> list[Node]:
    """The comparisons and the arithmetic that an expression chooses between."""
    found: list[Node] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Select):
            found.append(node.test)
            waiting += [node.no, node.yes]
        else:
            found.append(node)
    return found


@final
class Sharing:
    """Makes expressions in which equal parts are one object; a part that it has seen it looks at no more."""

    __slots__ = ("copies", "known")

    def __init__(self) -> None:
        """Begin with none."""
        self.known: dict[tuple[object, ...], Node] = {}
        self.copies: dict[int, tuple[Node, Node]] = {}  # the part is held, so that no other gets its id

    def one(self, node: Node) -> Node:
        """Return the part that equals ``node``, whose operands are shared already."""
        return self.known.setdefault((type(node), node.label, *map(id, node.operands)), node)

    def copy(self, root: Node) -> Node:
        """Return an equal expression with shared parts."""
        for node in () if id(root) in self.copies else each_part(root, self.copies):
            operands = [self.copies[id(operand)][1] for operand in node.operands]
            are_shared = all(map(is_, operands, node.operands))
            shared = self.one(node if are_shared else node.over(operands))
            self.copies[id(node)] = node, shared
            self.copies[id(shared)] = shared, shared
        return self.copies[id(root)][1]


def replaced(root: Node, make: Callable[[Node], Node], combine: Callable[[Node, list[Node]], Node]) -> Node:
    """Return an expression with each leaf replaced by what ``make`` makes of it; ``combine`` makes what is above."""
    return Sharing().copy(fold(root, lambda node, operands: combine(node, operands) if operands else make(node)))


def _text(node: Node, operands: list[str]) -> str:
    operands = ["…" if len(text) > _LONGEST_TEXT else text for text in operands]
    return op_text(node, operands, "({1} if {0} else {2})") if operands else str(node)


def op_text(node: Node, operands: Sequence[str], choice: str) -> str:
    """Source in Python of an operator or, by its format, of a choice, over the sources of the operands."""
    if isinstance(node, Select):
        return choice.format(*operands)
    if len(operands) == 1:
        return f"-{operands[0]}"
    return f"({operands[0]} {(INFIX | COMPARISONS)[str(node.label)]} {operands[1]})"
