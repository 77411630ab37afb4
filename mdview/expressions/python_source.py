"""Python source of an expression: what depends on no index is *hoisted*, what is needed twice is computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

from mdview.base.caches import remember
from mdview.base.values import value
from mdview.expressions.nodes import Const, Node, Op, Param, Select, each_part
from mdview.expressions.operators import COMPARISONS, INFIX


@final
@value
class Source:
    """Python source of a number.

    Attributes
    ----------
    statements
        Assignments to locals, for what ``result`` needs more than once.
    result
        The number.
    """

    statements: tuple[str, ...]
    result: str


@final
class Writer:
    """Writes expressions as source; in each of them equal parts are written once.

    Parameters are attributes ``self._p0, self._p1, …``. What depends on them alone is hoisted: an attribute
    ``self._h0``, …, which the expressions of one writer share.

    Attributes
    ----------
    parameters
        Numbers of the parameters that are read when the number is computed.
    hoisted
        Source of each hoisted part in the names ``p0, p1, …``.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self.parameters: set[int] = set()
        self.hoisted: list[str] = []
        self.places: dict[Node, str] = {}
        self.named = 0

    def source(self, root: Node) -> Source:
        """Write one expression without choices."""
        uses: dict[int, int] = {}
        for part in _read(root):
            for operand in part.operands:
                uses[id(operand)] = uses.get(id(operand), 0) + 1
        statements: list[str] = []
        written: dict[int, str] = {}
        for part in _read(root):
            text = self._part(part, [written[id(operand)] for operand in part.operands] if _is_computed(part) else [])
            if uses.get(id(part), 0) > 1 and _is_computed(part):
                name, self.named = f"t{self.named}", self.named + 1
                statements.append(f"{name} = {text}")
                text = name
            written[id(part)] = text
        return Source(tuple(statements), written[id(root)])

    def lines(self, root: Node, finish: Callable[[str], str]) -> list[str]:
        """Write statements that compute an expression, choices by ``if``, and end each way with ``finish(number)``."""
        if not isinstance(root, Select):
            found = self.source(root)
            return [*found.statements, finish(found.result)]
        test = self.source(root.test)
        yes, no = self.lines(root.yes, finish), self.lines(root.no, finish)
        return [
            *test.statements,
            f"if {test.result}:",
            *[f"    {line}" for line in yes],
            "else:",
            *[f"    {line}" for line in no],
        ]

    def _part(self, part: Node, operands: list[str]) -> str:
        if isinstance(part, Param):
            self.parameters.add(part.number)
            return f"self._p{part.number}"
        if _is_computed(part) or not isinstance(part, Op):
            return _written(part, operands)
        if part not in self.places:
            self.places[part] = f"self._h{len(self.hoisted)}"
            self.hoisted.append(plain(part))
        return self.places[part]


def _is_computed(part: Node) -> bool:
    """Tell whether a part is an operator that an index enters."""
    return bool(part.operands and part.dimensions)


def _read(root: Node) -> list[Node]:
    """Parts of an expression that are written: what is below a hoisted part is not."""
    kept = {id(root)}
    parts = each_part(root)
    for part in reversed(parts):
        if id(part) in kept and _is_computed(part):
            kept |= {id(operand) for operand in part.operands}
    return [part for part in parts if id(part) in kept]


def _written(part: Node, operands: list[str]) -> str:
    if isinstance(part, Const):
        return str(part.number) if part.number >= 0 else f"({part.number})"
    if isinstance(part, Op):
        return f"({operands[0]} {(INFIX | COMPARISONS)[part.name]} {operands[1]})"
    return str(part)


def plain(root: Node) -> str:
    """Source of an expression without choices in the bare names of its leaves, all in one line."""
    written: dict[int, str] = {}
    for part in each_part(root):
        written[id(part)] = _written(part, [written[id(operand)] for operand in part.operands])
    return written[id(root)]


_functions: dict[tuple[Node, int], Callable[..., int]] = {}


def function(root: Node, rank: int) -> Callable[..., int]:
    """Return the function of ``rank`` indices that computes an expression without parameters."""
    key = root, rank
    return _functions.get(key) or remember(_functions, key, _compiled(root, rank), 256)


def _compiled(root: Node, rank: int) -> Callable[..., int]:
    lines = Writer().lines(root, lambda number: f"return {number}")
    return compiled(lines, rank, {})


def compiled(lines: list[str], rank: int, names: dict[str, Any]) -> Callable[..., Any]:
    """Return the function of ``rank`` indices with these lines as its body. Any: it may take arrays."""
    arguments = ", ".join([f"i{r}" for r in range(rank)])
    text = "\n".join([f"def offset({arguments}):", *[f"    {line}" for line in lines]])
    exec(compile(text, "<offset>", "exec"), names)  # noqa: S102 - generated from nodes, which hold numbers alone
    found: Callable[..., Any] = names["offset"]
    return found
