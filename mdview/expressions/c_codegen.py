"""C source of an expression, as one C expression or as a function, with the value of Python's arithmetic.

The source is valid in C and C++ and needs only ``<stdint.h>``. Constants are written by ``INT64_C``, so that no
arithmetic is done in an ``int``. Each operator is parenthesised, so that compilers do not warn about precedence; the
terms of a longer sum share one pair of parentheses.

Python rounds quotients down, C towards zero; in C a shift of a negative number is undefined, and integers have 64 bits.
The ranges of the operands show where this makes a difference (`for_c`). There, either a multiple of the divisor is
added to make the dividend non-negative, or the code tests the sign. Expressions that may leave 64 bits are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import accumulate, count
from typing import Any, Final, TypeAlias, final

from mdview.base import as_entries_of, brief, refuse
from mdview.errors import SourceError
from mdview.expressions.expression_tree import Const, Index, Node, Op, Select, each_part, fold
from mdview.expressions.normal_form import folded
from mdview.expressions.operators import COMPARISONS, INFIX, NEGATIVE
from mdview.expressions.python_codegen import statements_of
from mdview.expressions.range_analysis import LeafRange, Range, RangeError, only_value, ranging, within
from mdview.expressions.simplification import LinearForm, linear_form, simplified
from mdview.expressions.tracing import Trace

LeafText: TypeAlias = Callable[[Node], str]
"""Function that returns the source of a leaf other than a constant."""

LONGEST: Final = 65_536
"""The most characters in an expression; C++ compilers accept lines of this length."""

DEEPEST: Final = 63
"""The most nested parentheses; every C compiler accepts this depth."""

_SMALLEST: Final = -(1 << 63)
_SUMS: Final = frozenset({"add", "sub"})
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def as_names(rank: int, names: Any) -> tuple[str, ...]:
    """Return ``names`` as a tuple of identifiers, one for each dimension; entries may be of any type.

    Raises
    ------
    RankError, OperandError
        The number of names is not ``rank``, ``names`` has no entries, or an entry is not a string.
    SourceError
        A name is not an identifier, or two dimensions have the same name. Keywords are not checked.
    """
    identifiers = tuple([as_name(name, "a name of an index") for name in as_entries_of(rank, names, "names")])
    for r, name in enumerate(identifiers):
        if name in identifiers[:r]:
            raise SourceError(
                f"names of indices differ: dimensions {identifiers.index(name)} and {r} are both {name!r}"
            )
    return identifiers


def as_name(name: object, what: str, others: Sequence[str] = ()) -> str:
    """Return a name that is an identifier of C and C++ and not among ``others``; the errors are those of `as_names`."""
    if not isinstance(name, str):
        refuse(what, "a text", name)
    if not _IDENTIFIER.fullmatch(name) or name in others:
        rule = "that is the name of an index" if name in others else "write a letter or _, then letters, digits and _"
        raise SourceError(f"{what} is an identifier of C, got {brief(name)}: {rule}")
    return str(name)


def offset_text(
    what: str,
    traced: Trace,
    box: Sequence[Range],
    stated: LinearForm | None,
    names: Sequence[str],
    function_name: str | None,
) -> str:
    """Write the offset of an index within ``box`` as an expression, or as a function called ``function_name``.

    ``what`` names the mapping in errors. ``stated`` contains the origin and the strides over the whole index space,
    and is used if the arithmetic cannot be traced. ``names`` are the identifiers of the indices, from `as_names`.

    Raises
    ------
    OperandError
        The name of the function is not a string.
    SourceError
        The name is not an identifier, the arithmetic cannot be traced or may leave 64 bits, or it is too long for one
        expression.
    """
    if function_name is not None:
        function_name = as_name(function_name, "the name of a function", names)
    write = list(names) if function_name is not None else [f"(int64_t){name}" for name in names]
    if any(low > high for low, high in box):
        root: Node = Const(0)
    elif traced.root is not None:
        root = first_in_64_bits(what, _forms(traced.root, box), within(box))
    elif stated is not None:
        root = first_in_64_bits(what, [lambda: _linear(*stated, [(0, high) for _, high in box])], within(box))
    else:
        reason = f"{traced.reason}; its offset must be arithmetic (+ - * // % & | ^ << >>) and comparisons"
        raise SourceError(f"no C is known for {what}: {reason}")

    def leaf(node: Node) -> str:
        return write[node.dimension] if isinstance(node, Index) else str(node)

    if function_name is not None:
        return c_function(root, leaf, function_name, names)
    try:
        return expression(root, leaf)
    except SourceError as error:
        raise SourceError(f"no C is known for {what}: {error}; write a function: function='offset' names it") from None


def first_in_64_bits(what: object, forms: Iterable[Callable[[], Node]], leaf: LeafRange) -> Node:
    """Return the first of several equal forms whose parts all fit 64 bits, as rewritten by `for_c`.

    Raises
    ------
    SourceError
        No form fits 64 bits.
    """
    reason = ""
    for form in forms:
        try:
            return for_c(form(), leaf)
        except RangeError as error:
            reason = str(error)
    rule = "each part must be a number of 64 bits for every value of its variables"
    raise SourceError(f"no C is known for {what}: {reason}, and {rule}")


def _forms(root: Node, box: Sequence[Range]) -> list[Callable[[], Node]]:
    """Return functions that make the linear form of an expression, if there is one, a simplified form, and itself."""
    form = linear_form(root, [(low, high - low + 1, 1) for low, high in box])
    ways: list[Callable[[], Node]] = [lambda: simplified(root, within(box)), lambda: root]
    return ways if form is None else [lambda: _linear(*form, box), *ways]


def _linear(first: int, strides: Sequence[int], box: Sequence[Range]) -> Node:
    """Return origin and strides over a box as an expression.

    The constant is the first term, so that over a whole index space each partial sum lies between two offsets.
    """
    moves = [(r, s, low) for r, (s, (low, high)) in enumerate(zip(strides, box, strict=True)) if low < high]
    total: Node = Const(int(first) - sum([s * low for _, s, low in moves]))
    for r, stride, _ in moves:
        total = folded("sub" if stride < 0 else "add", total, folded("mul", Index(r), Const(abs(stride))))
    return total


def expression(root: Node, leaf: LeafText) -> str:
    """Write a result of `for_c` as one C expression in parentheses; a repeated part is written each time.

    Raises
    ------
    SourceError
        The expression is too long or nested too deeply.

    >>> from mdview.expressions.expression_tree import Index
    >>> expression((Index(0) - 4) * 3, str)
    '((i0 + (-INT64_C(4))) * INT64_C(3))'
    """

    def visit(node: Node, operands: list[str]) -> str:
        text = _text(leaf, node, operands)
        if len(text) > LONGEST or (node is root and _depth(text) >= DEEPEST):
            raise SourceError(
                f"as one expression in C it takes more than {LONGEST} characters, or {DEEPEST} parentheses within "
                f"one another"
            )
        return text

    text = fold(root, visit)
    return text if root.operands else f"({text})"


def _depth(text: str) -> int:
    """Return the nesting depth of the parentheses in a text."""
    return max(accumulate([(character == "(") - (character == ")") for character in text]))


def c_function(root: Node, leaf: LeafText, name: str, names: Sequence[str]) -> str:
    """Write a result of `for_c` as a C function of the variables ``names``; a repeated part is computed once.

    Both alternatives of a choice are computed, which is safe, since no part leaves 64 bits.
    """
    taken = {name, *names}
    free = (f"t{k}" for k in count() if f"t{k}" not in taken)
    statements, result = statements_of(root, {}, free, partial(_text, leaf))
    read = {leaf(part) for part in each_part(root) if not part.operands and not isinstance(part, Const)}
    unused = [f"(void){parameter};" for parameter in names if parameter not in read]
    lines = [*unused, *[f"const int64_t {statement};" for statement in statements], f"return {result};"]
    parameters = ", ".join([f"int64_t {parameter}" for parameter in names]) or "void"
    body = "\n".join([f"    {line}" for line in lines])
    return f"static inline int64_t {name}({parameters}) {{\n{body}\n}}\n"


def _text(leaf: LeafText, node: Node, operands: Sequence[str]) -> str:
    """Return the source of a part from the sources of its operands; a comparison, an ``int`` in C, is cast."""
    if isinstance(node, Const):
        if node.number == _SMALLEST:
            return "INT64_MIN"
        return f"INT64_C({node.number})" if node.number >= 0 else f"(-INT64_C({-node.number}))"
    if not operands:
        return leaf(node)
    if isinstance(node, Select):
        return "({} ? {} : {})".format(*operands)
    name = str(node.label)
    if name == NEGATIVE:
        return f"(-{operands[0]})"
    sign, (left, right) = "/" if name == "floordiv" else (INFIX | COMPARISONS)[name], operands
    if name in _SUMS and node.operands[0].label in _SUMS and left.startswith("("):  # else sums would nest too deeply
        left = left[1:-1]
    text = f"({left} {sign} {right})"
    return f"((int64_t){text})" if name in COMPARISONS else text


_BITS: Final = 64
_LARGEST: Final = (1 << (_BITS - 1)) - 1
_QUOTIENTS: Final = frozenset({"floordiv", "rshift"})
_MINUS_ONE: Final = Const(-1)
_ZERO: Final = Const(0)


def for_c(root: Node, leaf: LeafRange) -> Node:
    """Return an expression whose value in C, on ``int64_t``, equals the value of ``root`` by Python's operators.

    The values are equal for leaves within their ranges.

    Raises
    ------
    RangeError
        A part may leave 64 bits, or a divisor or shift may be invalid.

    >>> from mdview.expressions.expression_tree import Index
    >>> from mdview.expressions.range_analysis import within
    >>> i = Index(0)
    >>> for_c(i // 3, within([(0, 9)])), for_c((i - 4) // 3, within([(0, 9)]))
    ((i0 // 3), ((((i0 + -4) + 6) // 3) - 2))
    """
    rules = _Rules(leaf)
    result = fold(root, rules.part)
    rules.range(result)
    return result


@final
class _Rules:
    """Rules that rewrite the operators whose results differ between Python and C."""

    def __init__(self, leaf: LeafRange) -> None:
        self.range = ranging(leaf, _BITS)
        self.known: dict[str, Callable[[Node, Node], Node]] = {
            "floordiv": self.quotient,
            "mod": self.remainder,
            "lshift": self.product,
            "rshift": self.shifted,
        }

    def part(self, node: Node, operands: list[Node]) -> Node:
        """Return the rewritten node over its rewritten operands."""
        rule = self.known.get(str(node.label)) if isinstance(node, Op) else None
        return rule(*operands) if rule else node.over(operands)

    def quotient(self, left: Node, right: Node) -> Node:
        if self.is_below_zero(right):
            return self.quotient(_minus(_ZERO, left), _minus(_ZERO, right))
        return self.rounded("floordiv", left, right, only_value(right, self.range))

    def remainder(self, left: Node, right: Node) -> Node:
        """Return a remainder with the sign of the divisor."""
        if self.is_below_zero(right):
            return _minus(_ZERO, self.remainder(_minus(_ZERO, left), _minus(_ZERO, right)))
        return self.rounded("mod", left, right, only_value(right, self.range))

    def shifted(self, left: Node, right: Node) -> Node:
        """Return a shift to the right, which is a quotient rounded down; shifts by more than 63 bits are refused."""
        self.range(Op("rshift", _ZERO, right))
        by = only_value(right, self.range)
        return self.rounded("rshift", left, right, None if by is None else 1 << by)

    def product(self, left: Node, right: Node) -> Node:
        """Return a shift to the left; a product if the left operand may be negative."""
        if self.range(left)[0] >= 0:
            return Op("lshift", left, right)
        return folded("mul", left, folded("lshift", Const(1), right))

    def rounded(self, name: str, left: Node, right: Node, divisor: int | None) -> Node:
        """Return a quotient rounded down, or its remainder; ``divisor`` is positive, or None if it varies."""
        low, high = self.range(left)
        if low >= 0:
            return Op(name, left, right)
        if high < 0:
            return _mirrored(name, left, right)
        times = 0 if divisor is None else -(low // divisor)
        if divisor is None or high + times * divisor > _LARGEST:
            return Select(Op("lt", left, _ZERO), _mirrored(name, left, right), Op(name, left, right))
        shifted = Op(name, folded("add", left, Const(times * divisor)), right)
        return _minus(shifted, Const(times)) if name in _QUOTIENTS else shifted

    def is_below_zero(self, divisor: Node) -> bool:
        """Tell whether a divisor is negative; a divisor that may be 0 is refused."""
        self.range(Op("mod", _ZERO, divisor))
        return self.range(divisor)[1] < 0


def _mirrored(name: str, left: Node, right: Node) -> Node:
    """Return the quotient or remainder of a negative ``n``, computed from the non-negative number ``-1 - n``."""
    mirror = Op(name, _minus(_MINUS_ONE, left), right)
    return _minus(_MINUS_ONE if name in _QUOTIENTS else _minus(right, Const(1)), mirror)


def _minus(left: Node, right: Node) -> Node:
    return folded("sub", left, right)
