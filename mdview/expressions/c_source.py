"""C source of an expression: one expression of type ``int64_t``, or a function of it.

It means the same in C and in C++ and needs ``<stdint.h>`` alone. Numbers are written as `INT64_C`, so that nothing is
computed in an ``int``. Parentheses stand where C's order of operators would be wrong, or where compilers warn of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, final

from mdview.base.arguments import as_entries_of, refuse
from mdview.base.texts import told
from mdview.errors import SourceError
from mdview.expressions.nodes import Const, Node, Op, Select, each_part, fold
from mdview.expressions.operators import COMPARISONS, INFIX, NEGATIVE

LeafText: TypeAlias = Callable[[Node], str]
"""Source of a leaf that is no constant."""

LONGEST: Final = 65_536
"""How many characters an expression has; compilers of C++ take so many in a line."""

DEEPEST: Final = 63
"""How many parentheses stand within one another; any compiler of C takes so many."""

_SMALLEST: Final = -(1 << 63)
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_OF_COMPILERS: Final = re.compile(r"_[A-Z]|.*__")
_OF_STDINT: Final = re.compile(
    r"u?int\w*_t|(?:U?INT\w*|PTRDIFF|SIZE|WCHAR|WINT|SIG_ATOMIC)_(?:C|MIN|MAX|WIDTH)", re.ASCII
)
"""Types of ``<stdint.h>``, present and future, and its macros, which leave nothing of a name."""

_C: Final = """
auto bool break case char const constexpr continue default do double else enum extern false float for goto if inline int
long nullptr register restrict return short signed sizeof static static_assert struct switch thread_local true typedef
typeof typeof_unqual union unsigned void volatile while alignas alignof
"""
_CPP: Final = """
and and_eq asm bitand bitor catch char16_t char32_t char8_t class co_await co_return co_yield compl concept const_cast
consteval constinit contract_assert decltype delete dynamic_cast explicit export friend mutable namespace new noexcept
not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast template this throw try
typeid typename using virtual wchar_t xor xor_eq
"""
KEYWORDS: Final = frozenset(f"{_C} {_CPP}".split())
"""Keywords of C23 and of C++26."""

_RESERVED: Final[Sequence[tuple[Callable[[str], object], str]]] = (
    (KEYWORDS.__contains__, "that is a keyword of C or C++"),
    (_OF_STDINT.fullmatch, "that is a name of <stdint.h>, which the expression needs"),
    ("main".__eq__, "that is where a program begins"),
    (_OF_COMPILERS.match, "names with __, or that begin with _ and a capital, are the compiler's"),
)

_ATOM: Final = "atom"
_PRODUCT: Final = "product"
_SUM: Final = "sum"
_COMPARISON: Final = "comparison"
_SUMS: Final = frozenset({"add", "sub"})
_PRODUCTS: Final = frozenset({"mul", "floordiv", "mod"})


def as_names(rank: int, names: Any) -> tuple[str, ...]:
    """Return names of variables, one for each dimension. Any: entries of any type.

    Raises
    ------
    RankError, OperandError
        There are more or fewer, or no entries, or an entry is no text.
    SourceError
        A name is no identifier of C and C++, or stands for two dimensions.
    """
    given = tuple([as_name(name, "a name of an index") for name in as_entries_of(rank, names, "names")])
    for r, name in enumerate(given):
        if name in given[:r]:
            message = f"names of indices differ: dimensions {given.index(name)} and {r} are both {name!r}"
            raise SourceError(message)
    return given


def as_name(name: object, what: str, others: Sequence[str] = ()) -> str:
    """Return a name that C and C++ take for a variable, and that is none of ``others``; see `as_names`."""
    if not isinstance(name, str):
        refuse(what, "a text", name)
    reason = next((why for is_so, why in _RESERVED if is_so(name)), "")
    if not _IDENTIFIER.fullmatch(name):
        reason = "write a letter or _, then letters of ASCII, digits and _"
    elif name in others:
        reason = "that is the name of an index"
    if reason:
        message = f"{what} is an identifier of C, got {told(name)}: {reason}"
        raise SourceError(message)
    return str(name)


def expression(root: Node, leaf: LeafText) -> str:
    """Write one expression in parentheses; ``root`` is as `mdview.expressions.c_arithmetic.for_c` makes it.

    Raises
    ------
    SourceError
        It is too long, or nested too deeply: what stands in several places is written several times.

    >>> from mdview.expressions.nodes import Index
    >>> expression((Index(0) - 4) * 3, str)
    '((i0 + (-INT64_C(4))) * INT64_C(3))'
    """

    def visit(node: Node, operands: list[_Source]) -> _Source:
        found = _written(node, operands, leaf)
        if len(found.text) > LONGEST or found.depth > DEEPEST:
            message = (
                f"as one expression in C it takes more than {LONGEST} characters, or {DEEPEST} parentheses within "
                f"one another"
            )
            raise SourceError(message)
        return found

    return f"({_number(fold(root, visit)).text})"


def function(root: Node, leaf: LeafText, name: str, names: Sequence[str]) -> str:
    """Write a function of variables that are called ``names``; what stands in several places is computed once.

    It computes all parts, also those that a choice leaves aside: none of them is out of range.
    """
    uses = Counter(id(operand) for part in each_part(root) for operand in part.operands)
    taken, lines = {name, *names, *KEYWORDS}, list[str]()
    free = (f"t{k}" for k in range(1 << 62) if f"t{k}" not in taken)

    def visit(node: Node, operands: list[_Source]) -> _Source:
        found = _written(node, operands, leaf)
        if not node.operands or (uses[id(node)] < 2 and found.depth < DEEPEST - 3):  # noqa: PLR2004 - more than once
            return found
        variable = next(free)
        lines.append(f"const int64_t {variable} = {_number(found).text};")
        return _Source(variable, _ATOM, 0)

    result = _number(fold(root, visit)).text
    read = {leaf(part) for part in each_part(root) if not part.operands and not isinstance(part, Const)}
    lines = [*[f"(void){each};" for each in names if each not in read], *lines, f"return {result};"]
    parameters = ", ".join([f"int64_t {each}" for each in names]) or "void"
    body = "\n".join([f"    {line}" for line in lines])
    return f"static inline int64_t {name}({parameters}) {{\n{body}\n}}\n"


@final
class _Source(NamedTuple):
    """Source of a part, what operator is outermost in it, and how many parentheses stand within one another."""

    text: str
    kind: str
    depth: int

    def within(self, *kinds: str) -> _Source:
        """Return it as an operand, in parentheses unless it is an atom or one of these kinds."""
        if self.kind in {_ATOM, *kinds}:
            return self
        return _Source(f"({self.text})", _ATOM, self.depth + 1)


def _written(node: Node, operands: list[_Source], leaf: LeafText) -> _Source:
    if isinstance(node, Const):
        return _constant(node.number)
    if isinstance(node, Select):
        test, yes, no = [operand.within() for operand in (operands[0], *map(_number, operands[1:]))]
        return _joined(f"{test.text} ? {yes.text} : {no.text}", "choice", (test, yes, no))
    if not isinstance(node, Op):
        return _Source(leaf(node), _ATOM, 1)
    if node.name == NEGATIVE:
        operand = _number(operands[0]).within()
        return _Source(f"(-{operand.text})", _ATOM, operand.depth + 1)
    left, right = _operands(node.name, *map(_number, operands))
    sign, kind = (INFIX | COMPARISONS)[node.name], _kind(node.name)
    return _joined(f"{left.text} {'/' if sign == '//' else sign} {right.text}", kind, (left, right))


def _operands(name: str, left: _Source, right: _Source) -> tuple[_Source, _Source]:
    """Operands, each in parentheses where it needs them: a chain from the left needs none."""
    if name in COMPARISONS:
        return left.within(_SUM, _PRODUCT), right.within(_SUM, _PRODUCT)
    if name in _SUMS:
        return left.within(_SUM, _PRODUCT), right.within(_PRODUCT)
    if name in _PRODUCTS:
        return left.within(_PRODUCT), right.within()
    return (left.within() if name in {"lshift", "rshift"} else left.within(name)), right.within()


def _kind(name: str) -> str:
    if name in COMPARISONS:
        return _COMPARISON
    if name in _SUMS:
        return _SUM
    return _PRODUCT if name in _PRODUCTS else name


def _joined(text: str, kind: str, operands: Sequence[_Source]) -> _Source:
    return _Source(text, kind, max(operand.depth for operand in operands))


def _number(source: _Source) -> _Source:
    """Return a comparison, which is an ``int``, as an ``int64_t``, and anything else as it is."""
    if source.kind != _COMPARISON:
        return source
    return _Source(f"(int64_t)({source.text})", _ATOM, source.depth + 1)


def _constant(number: int) -> _Source:
    if number == _SMALLEST:
        return _Source("INT64_MIN", _ATOM, 0)
    return _Source(f"INT64_C({number})" if number >= 0 else f"(-INT64_C({-number}))", _ATOM, 1)
