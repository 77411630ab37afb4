"""Expressions in kernels: LLVM instructions of operators, tables of costly terms, proofs that offsets are in the data.

A table contains the values of a term that depends on one index and is slow to compute for each element. Layouts that
scatter the bits of their indices are sums of such terms, as are tiles. The entries are exact, and taken from the plan
if the plan has tables; the address of a table is a run-time number of the view. In a *tabled* expression the entry of
each table is a further index, after the indices of the dimensions.

A proof makes bounds checks unnecessary: a layout may be wrong, and compiled code accesses memory without checks of its
own. The Numba type of a view shows whether there is a proof; without one, the code tests each offset. The computed
range of an expression over all indices is seldom tight: for ``i // 4 * 12 + i % 4`` it includes the end of a tile that
the extents cut. So the box of indices is halved until the ranges in all parts are in the data, or a limit of work is
reached.

Integers are signed and have 64 bits. Offsets of valid indices are proven not to overflow, so sums and products have the
flag `nsw`. ``//`` and ``%`` round down as in Python; if no operand can be negative, each is one unsigned instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import prod
from typing import Any, Final, cast, final

import numpy as np

from mdview.base import value
from mdview.base.caches import cached_property
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import AxisOffsets
from mdview.expressions.expression_tree import Const, Index, Node, Op, Param, Select, each_part, fold
from mdview.expressions.normal_form import total
from mdview.expressions.operators import COMPARISONS, NEGATIVE, Operators
from mdview.expressions.python_codegen import on_arrays
from mdview.expressions.range_analysis import Range, RangeError, ranging, spans, within
from mdview.expressions.simplification import extremes, is_separable, separated
from mdview.numba.numba_api import INT64, LLVMBuilder, LLVMValue, cgutils, ir

# --- tables -----------------------------------------------------------------------------------------------------------

MOST: Final = 1 << 16
"""The most entries of all tables of an expression together; for larger extents arithmetic is used."""

CHEAP: Final = 10
"""The most instructions of a term that is computed and not tabled, such as a term of tiles of powers of two.

Such terms are vectorised: for a copy of tiles of 8 x 8, arithmetic takes 0.75 of the time of tables. For tiles of 3 x
5, whose terms have divisions, arithmetic takes twice the time of tables.
"""

CHEAP_DIGIT: Final = 3
"""The limit for a term in a digit, which takes a division itself: with tables, reshaped tiles take half the time."""

FEW: Final = 1 << 20
"""The most indices for which a proof computes all offsets; for more indices it searches by ranges.

For 100 x 100 indices the search takes 2 to 100 ms, and the computation 0.1 ms; for 1000 x 1000 indices both take equal
times, except for triangles.
"""

_DIVISION: Final = 6
_DIVISION_BY_VALUE: Final = 25
_LARGEST: Final = 1 << 62

UNLIMITED: Final = 1 << 64
"""A number of items that exceeds the length of any data."""


@final
@value
class Tabled:
    """An expression over extents, with the dimension and the entries, a constant array of int64, of each table."""

    root: Node
    parameters: tuple[int, ...]
    extents: tuple[int, ...]
    axes: tuple[int, ...] = ()
    entries: tuple[Any, ...] = ()  # Any: arrays of NumPy

    @property
    def addresses(self) -> tuple[int, ...]:
        """The addresses of the tables."""
        return tuple([table.ctypes.data for table in self.entries])

    def ranges(self, box: Sequence[Range]) -> tuple[Range, ...]:
        """Return the lowest and the highest entry of each table for indices within a non-empty box."""
        parts = [table[slice(box[r][0], box[r][1] + 1)] for r, table in zip(self.axes, self.entries, strict=True)]
        return tuple([(int(part.min()), int(part.max())) for part in parts])

    def needed_room(self, box: tuple[Range, ...], room: int) -> int | None:
        """Return a proven bound: all values for indices within ``box`` are at least 0, and less than the bound.

        The bound exceeds ``room`` only if no smaller bound is found; it is `UNLIMITED` if a value may be negative. The
        result is None if a part of the expression may exceed 64 bits, or a divisor may be 0.

        >>> from mdview.expressions.expression_tree import Index
        >>> found = Tabled(Index(0) // 4 * 12 + Index(0) % 4, (), (6,))
        >>> [found.needed_room(((0, 5),), room) for room in (14, 16)]
        [14, 16]
        >>> Tabled(7 // Index(0), (), (6,)).needed_room(((0, 5),), 8)
        """
        if any(low > high for low, high in box):
            return 0  # the box is empty
        try:
            low, high = self.range_of(box)
        except RangeError:
            return None
        if low < 0 or high >= room:  # ranges are not tight
            exact = self.extremes if box == spans(self.extents) else self._extremes(box)
            low, high = exact or (low, high)
        return high + 1 if low >= 0 else UNLIMITED

    def range_of(self, box: Sequence[Range]) -> Range:
        """Return bounds of the value for indices within a box; raise `RangeError` if a part may exceed 64 bits."""
        return ranging(within((*box, *self.ranges(box)), self.parameters), 64)(self.root)

    def gives(self, start: int, axes: Sequence[AxisOffsets]) -> bool:
        """Tell whether the value is known to be ``start`` plus a sum over the dimensions, described by ``axes``.

        A dimension contributes a multiple of its index if ``axes`` has an int, and otherwise the entry of a table.

        >>> from mdview.expressions.expression_tree import Index
        >>> found = Tabled(Index(0) // 4 * 12 + Index(0) % 4 + Index(1) * 5, (), (6, 2))
        >>> found.gives(0, [5, 5]), Tabled(found.root, (), (4, 2)).gives(0, [1, 5])
        (False, True)
        """
        root = self.root.substitute({Param(k): number for k, number in enumerate(self.parameters)})
        if not is_separable(root):
            return False
        for r, (n, axis) in enumerate(zip(self.extents, axes, strict=True)):
            values = self._computed(root, [np.arange(n) if q == r else np.array(0) for q in range(len(self.extents))])
            steps = axis * np.arange(n) if isinstance(axis, int) else np.array(axis.offsets)
            if not np.array_equal(np.broadcast_to(values, n), start + steps):
                return False
        return True

    @cached_property
    def extremes(self) -> Range | None:
        """The lowest and the highest value over all indices; None if the search gives up."""
        return self._extremes(spans(self.extents))

    def _extremes(self, box: tuple[Range, ...]) -> Range | None:
        """Return the lowest and the highest value in a box; None if the search gives up.

        If the box has at most `FEW` indices, all values are computed (5 ns each).
        """
        root = self.root.substitute({Param(k): number for k, number in enumerate(self.parameters)})
        if prod([high - low + 1 for low, high in box]) > FEW:
            return extremes(root, (*box, *self.ranges(box)))
        index = np.ogrid[tuple([slice(low, high + 1) for low, high in box])]
        values = self._computed(root, index)
        return int(np.min(values)), int(np.max(values))

    def _computed(self, root: Node, index: Sequence[Any]) -> Any:
        """Return the values of ``root``, which has no parameters, at index arrays that broadcast to each other."""
        compute = on_arrays(root, len(self.extents) + len(self.axes))
        return compute(*index, *[table[index[r]] for r, table in zip(self.axes, self.entries, strict=True)])


def tabled(root: Node, parameters: tuple[int, ...], plan: Plan, cheap: int) -> Tabled:
    """Return the arithmetic of a plan with tables for terms of more than ``cheap`` instructions, cached in the plan.

    >>> from mdview import LayoutMorton, Mapping
    >>> from mdview.engines.mapping_plan import plan_of
    >>> from mdview.expressions.expression_tree import Index
    >>> i, j = Index(0), Index(1)
    >>> root = (i & 1) * 2 + (i >> 1 & 1) * 8 + (j & 1) + (j >> 1 & 1) * 4
    >>> found = tabled(root, (), plan_of(Mapping((4, 4), LayoutMorton())), 5)
    >>> found.root, found.entries[0].tolist()
    ((i2 + i3), [0, 2, 8, 10])
    """
    table: Tabled | None = plan.in_kernels.get((root, cheap))
    if table is None:
        table = _tabled(Tabled(root, parameters, plan.extents), plan, cheap)
        plan.in_kernels = {**plan.in_kernels, (root, cheap): table}
    return table


def _tabled(whole: Tabled, plan: Plan, cheap: int) -> Tabled:
    extents, rank = whole.extents, len(whole.extents)
    if 0 in extents or sum(extents) > MOST:
        return whole
    mixes = _cost(whole.root) > cheap * rank and plan.axes is not None  # a split takes longer than making the tables
    terms = [] if mixes else separated(whole.root)
    mixes = mixes or any(len(term.dimensions) > 1 for term in terms)
    costly = [term for term in terms if len(term.dimensions) == 1 and _cost(term) > cheap]
    if plan.axes is not None and (mixes or costly):
        kept = [] if mixes else [term for term in terms if term not in costly]
        with suppress(RangeError):
            return _by_plan(
                whole, kept, range(rank) if mixes else [r for term in costly for r in term.dimensions], plan
            )
    entries = {term: table for term in costly if (table := _table(term, whole.parameters, extents)) is not None}
    tables = [(r, table) for term, table in entries.items() for r in term.dimensions]
    return _with(whole, [term for term in terms if term not in entries], tables) if entries else whole


def _with(whole: Tabled, kept: Sequence[Node], tables: Sequence[tuple[int, Any]]) -> Tabled:
    """Return the expression that computes the terms ``kept`` and adds entries of tables. ``Any`` stands for arrays."""
    places = [Index(len(whole.extents) + k) for k in range(len(tables))]
    return Tabled(
        total([*kept, *places]),
        whole.parameters,
        whole.extents,
        tuple([r for r, _ in tables]),
        tuple([t for _, t in tables]),
    )


def _by_plan(whole: Tabled, kept: list[Node], places: Sequence[int], plan: Plan) -> Tabled:
    """Return the expression that computes the terms ``kept``, and takes the dimensions ``places`` from the plan.

    The offsets of each of these dimensions become a table, even if they have a constant step: the step may depend on
    the extents, and as a constant it would be a part of the Numba type. Only for a step of 1 the index itself is added.
    """
    axes = cast("Sequence[AxisOffsets]", plan.axes)
    kept += [Index(r) for r in places if axes[r] == 1]
    low, high = _with(whole, kept, []).range_of([(0, 0)] * len(axes))
    first, tables = (
        plan.start - low,
        [(r, _entries(axes[r], whole.extents[r])) for r in places if axes[r] not in {0, 1}],
    )
    if low != high:
        raise RangeError
    if tables:
        tables[0][1][:] += first
    elif first:
        kept.append(Const(first))
    return _with(whole, kept, tables)


def _entries(axis: AxisOffsets, count: int) -> Any:  # Any: an array
    return np.array(range(0, axis * count, axis) if isinstance(axis, int) else axis.offsets, np.int64)


def _cost(term: Node) -> int:
    """Return the number of instructions that a term takes for each index."""
    return sum([_instructions(part) for part in each_part(term) if part.dimensions and part.operands])


def _instructions(part: Node) -> int:
    if part.label not in {"floordiv", "mod"}:
        return 1
    divisor = part.operands[1]
    if not isinstance(divisor, Const):
        return _DIVISION_BY_VALUE
    return 1 if divisor.number > 0 and divisor.number & (divisor.number - 1) == 0 else _DIVISION


def _table(term: Node, parameters: tuple[int, ...], extents: tuple[int, ...]) -> Any:
    """Return an array of the values of a term that depends on one index; None if they may be negative or too large."""
    try:
        low, high = ranging(within(spans(extents), parameters), 64)(term)
    except RangeError:
        return None
    if low < 0 or high >= _LARGEST:
        return None
    (r,) = term.dimensions
    numbers = {Param(k): number for k, number in enumerate(parameters)}
    compute = on_arrays(term.substitute({**numbers, Index(r): Index(0)}), 1)
    return np.ascontiguousarray(compute(np.arange(extents[r], dtype=np.int64)), dtype=np.int64)


# --- instructions -----------------------------------------------------------------------------------------------------

_INSTRUCTIONS: Final = {"and": "and_", "or": "or_", "lshift": "shl", "rshift": "ashr"}
"""Names of LLVM instructions, by the name of the operator, if both names differ."""

_DIVIDING: Final = frozenset({"floordiv", "mod"})
_OVERFLOWING: Final = frozenset({"add", "sub", "mul"})
_GROWING: Final = frozenset({"add", "mul", "floordiv", "or", "xor", "lshift"})
"""Operators whose results are not negative if the operands are not; `_is_natural` has the other operators."""


def const(number: int) -> LLVMValue:
    """Return a constant of 64 bits."""
    return INT64(number)


@final
class Number(Operators["Number"]):
    """An integer in a function that is being compiled; an operator writes the instructions that compute its result.

    So Python code for ints, such as `mdview.index.index_map.IndexMap`, also writes the instructions of kernels.

    Attributes
    ----------
    value
        The LLVM integer, of 64 bits for indices and offsets.
    natural
        Whether the integer is known not to be negative.
    wraps
        Whether results computed from the integer may exceed 64 bits and wrap. Offsets never wrap; the step of a part
        with one element may.
    """

    __slots__ = ("builder", "natural", "value", "wraps")

    def __init__(self, builder: LLVMBuilder, value: LLVMValue, *, natural: bool = False, wraps: bool = False) -> None:
        """Hold an LLVM value and the facts about it."""
        self.builder: LLVMBuilder = builder
        self.value: LLVMValue = value
        self.natural: bool = natural
        self.wraps: bool = wraps

    def _apply(self, name: str, left: object, right: object) -> Number:
        return _applied(name, *[_number(self.builder, operand, self.value.type) for operand in (left, right)])


def _number(builder: LLVMBuilder, number: object, kind: Any) -> Number:
    """Return a number unchanged, or an int as a constant of an LLVM type."""
    if isinstance(number, Number):
        return number
    integer = cast("int", number)
    return Number(builder, kind(integer), natural=integer >= 0)


def llvm_integer(number: Number | int) -> LLVMValue:
    """Return the LLVM integer of a number or an int."""
    return number.value if isinstance(number, Number) else const(number)


def guard(context: Any, builder: LLVMBuilder, wrong: LLVMValue, message: str, error: type[Exception]) -> None:
    """Write the instructions that raise an error if ``wrong`` holds. ``Any`` stands for Numba's context."""
    with cgutils.if_unlikely(builder, wrong):
        context.call_conv.return_user_exc(builder, error, (message,))


def computed(builder: LLVMBuilder, root: Node, parameters: Sequence[Number], index: Sequence[Number]) -> Number:
    """Write the instructions of an expression, and return its value; a repeated part is computed once.

    Both alternatives of a `Select` are computed, so a divisor of 0 is replaced by 1 in an expression with a `Select`.
    """
    selects = isinstance(root, Select)
    kind = index[0].value.type if index else INT64

    def visit(node: Node, operands: list[Number]) -> Number:
        match node:
            case Const():
                return _number(builder, node.number, kind)
            case Param():
                return parameters[node.number]
            case Index():
                return index[node.dimension]
            case Select():
                return _selected(*operands)
            case Op():
                if selects and node.name in _DIVIDING:
                    operands[1] = _never_zero(operands[1])
                return -operands[0] if node.name == NEGATIVE else _applied(node.name, *operands)
            case _:
                raise NotImplementedError(f"no instruction for {node!r}")

    return fold(root, visit)


def _selected(test: Number, yes: Number, no: Number) -> Number:
    builder = test.builder
    holds = builder.icmp_signed("!=", test.value, test.value.type(0))
    return Number(builder, builder.select(holds, yes.value, no.value), natural=yes.natural and no.natural)


def _applied(name: str, left: Number, right: Number) -> Number:
    builder, wraps = left.builder, left.wraps or right.wraps
    if name in COMPARISONS:
        holds = builder.icmp_signed(COMPARISONS[name], left.value, right.value)
        return Number(builder, builder.zext(holds, left.value.type), natural=True)
    if name in _DIVIDING:
        value = _divided(builder, left, right, divides=name == "floordiv")
    else:
        by = _most_shifted(right) if name == "rshift" else right.value
        flags = ("nsw",) if name in _OVERFLOWING and not wraps else ()
        value = getattr(builder, _INSTRUCTIONS.get(name, name))(left.value, by, flags=flags)
    return Number(builder, value, natural=not wraps and _is_natural(name, left, right), wraps=wraps)


def _is_natural(name: str, left: Number, right: Number) -> bool:
    """Tell whether the result of an operator is known not to be negative; a remainder has the sign of the divisor."""
    if name == "and":
        return left.natural or right.natural
    if name in {"mod", "rshift"}:
        return right.natural if name == "mod" else left.natural
    return name in _GROWING and left.natural and right.natural


def _known(number: Number) -> int | None:
    """Return the int of an LLVM constant; None for a number that is known only at run time."""
    return number.value.constant if isinstance(number.value, ir.Constant) else None


def _never_zero(divisor: Number) -> Number:
    """Return an LLVM divisor with 1 in place of 0."""
    if _known(divisor):
        return divisor
    builder = divisor.builder
    is_zero = builder.icmp_signed("==", divisor.value, const(0))
    return Number(builder, builder.select(is_zero, const(1), divisor.value), natural=divisor.natural)


def _most_shifted(by: Number) -> LLVMValue:
    """Return the count of a right shift, at most the width of the integer minus 1: so the result equals Python's."""
    bits, most = _known(by), by.value.type.width - 1
    if bits is not None:
        return by.value.type(min(bits, most))
    builder, limit = by.builder, by.value.type(most)
    return builder.select(builder.icmp_signed("<", by.value, limit), by.value, limit)


def _divided(builder: LLVMBuilder, left: Number, right: Number, *, divides: bool) -> LLVMValue:
    """Return the quotient, rounded down, if ``divides``, else the remainder."""
    a, b = left.value, right.value
    if left.natural and right.natural:
        return builder.udiv(a, b) if divides else builder.urem(a, b)
    number = _known(right) or 0
    if number > 0 and number & (number - 1) == 0:
        return builder.ashr(a, const(number.bit_length() - 1)) if divides else builder.and_(a, const(number - 1))
    remainder = builder.srem(a, b)
    signs = builder.icmp_signed("<", builder.xor(remainder, b), const(0))
    wrong = builder.and_(signs, builder.icmp_signed("!=", remainder, const(0)))
    if divides:
        return builder.sub(builder.sdiv(a, b), builder.zext(wrong, INT64))
    return builder.add(remainder, builder.select(wrong, b, const(0)))
