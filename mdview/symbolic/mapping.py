"""A symbolic mapping is a layout bound to symbolic extents: its facts are expressions.

The layout's own ``strides`` and ``offset`` run on the symbols. What holds for all values is answered now, the rest when
`SymbolicMapping.bind` makes a `Mapping` of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping as Dictionary
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, final

from mdview.base.arguments import as_entries, as_entries_of, as_pairs
from mdview.base.integers import as_integer
from mdview.base.texts import shown, told
from mdview.base.values import value
from mdview.errors import (
    AxisError,
    BroadcastError,
    IndexOutOfRangeError,
    LayoutError,
    NotStridedError,
    ShapeError,
    SymbolicExtentError,
)
from mdview.expressions.evaluation import need
from mdview.expressions.nodes import Const, as_node
from mdview.expressions.tracing import node_of
from mdview.index.orders import right_strides
from mdview.layouts.base import Layout, check_layout_kind
from mdview.layouts.right import LayoutRight
from mdview.lazy.box import StridedBox
from mdview.mappings import rearranging
from mdview.mappings.mapping import Mapping
from mdview.symbolic.arithmetic import SymbolicArithmetic
from mdview.symbolic.extents import SymbolicExtents, as_numbers
from mdview.symbolic.proof import equal, less, quotient
from mdview.symbolic.variables import Expr, Var, bounds, variables

Values = Dictionary[Var, int]
TRAITS: Final = ("unique", "exhaustive")


@final
@value
class SymbolicMapping:
    """``layout`` over symbolic extents, perhaps seen through a permutation or a broadcast.

    ``base`` and ``source`` say through what: dimension ``r`` of the layout's own extents ``base`` is indexed by
    dimension ``source[r]`` of this mapping, or stays at 0 where that is None.

    >>> from mdview.symbolic import var
    >>> n = var("n", 1, 100)
    >>> m = SymbolicMapping((2, n, 3))
    >>> [s.eval({n: 4}) for s in m.strides or ()], m.bind({n: 4})
    ([12, 3, 1], Mapping((2, 4, 3), LayoutRight()))

    Raises
    ------
    ExtentsError, LayoutError, RankError
        The extents or the layout break their rule for all values.
    """

    extents: SymbolicExtents
    layout: Layout
    base: SymbolicExtents
    source: tuple[int | None, ...]

    def __init__(
        self,
        extents: SymbolicExtents | Sequence[int | Expr],
        layout: Layout = LayoutRight(),
        base: SymbolicExtents | Sequence[int | Expr] | None = None,
        source: Sequence[int | None] | None = None,
    ) -> None:
        """Bind; what the layout cannot check on symbols is checked by `bind`."""
        check_layout_kind("a layout is", layout)
        own = SymbolicExtents(extents)
        below = own if base is None else SymbolicExtents(base)
        object.__setattr__(self, "extents", own)
        object.__setattr__(self, "layout", layout)
        object.__setattr__(self, "base", below)
        object.__setattr__(self, "source", tuple(range(own.rank)) if source is None else as_entries(source, "source"))
        self._arithmetic.check()

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return self.extents.rank

    @property
    def _arithmetic(self) -> SymbolicArithmetic:
        return SymbolicArithmetic(self.layout, self.base)

    @property
    def is_plain(self) -> bool:
        """Whether the layout is bound to these extents themselves."""
        return self.source == tuple(range(self.rank)) and self.base == self.extents

    @property
    def size(self) -> Expr:
        """Count the indices."""
        return self.extents.size

    @property
    def numel(self) -> int | None:
        """Count the indices as a number, None where a variable is unbound."""
        return self.extents.numel

    @property
    def strides(self) -> tuple[Expr, ...] | None:
        """Expressions for the strides, None where the layout states none on symbols.

        Raises
        ------
        SymbolicExtentError
            The layout's strides depend on what the bounds do not settle.
        """
        found = self._arithmetic.strides()
        if found is None:
            return None
        strides: list[Expr] = [Const(0)] * self.rank
        for r, s in zip(self.source, found, strict=True):
            if r is not None:
                strides[r] = s
        return tuple(strides)

    @property
    def origin(self) -> Expr:
        """Offset of index (0, ..., 0)."""
        return self._arithmetic.origin()

    def offset(self, *index: int | Expr) -> Expr:
        """Offset of an index as an expression; that symbols in it lie within the extents is taken for granted.

        Where the layout compares what the bounds do not settle, the expression chooses between the offsets.

        Raises
        ------
        RankError
            The number of indices is not the rank.
        IndexOutOfRangeError
            An index is outside its extent for all values.
        SymbolicExtentError
            The layout asks for a number: for how many bits an extent has, say.
        """
        as_entries_of(self.rank, index, "indices")
        given = [as_node(i) for i in index]
        variables(*given)
        for r, (i, n) in enumerate(zip(given, self.extents, strict=True)):
            if bounds(i)[1] < 0 or bounds(i - n)[0] >= 0:
                message = f"index {shown(i)} is out of range for extent {shown(n)} of dimension {r}"
                raise IndexOutOfRangeError(message)
        return self._arithmetic.offset([Const(0) if r is None else given[r] for r in self.source])

    @property
    def required_span_size(self) -> Expr:
        """One more than the largest offset; 0 for an empty index space.

        Raises
        ------
        SymbolicExtentError
            Whether the index space is empty, or the direction of a stride, is not known.
        """
        empty = self.extents.is_empty()
        if empty:
            return Const(0)
        if self.is_plain and self.is_always("unique") and self.is_always("exhaustive"):
            return self.size
        if empty is None:
            raise SymbolicExtentError(need(f"whether extents {self.extents} are empty", *self.extents))
        return self._arithmetic.required_span_size()

    def is_always(self, trait: str) -> bool:
        """Tell whether the layout is ``"unique"`` or ``"exhaustive"`` over its own extents, whatever their values."""
        if trait not in TRAITS:
            message = f"a trait of a layout is one of {', '.join(TRAITS)}, got {told(trait)}"
            raise LayoutError(message)
        answer: Any = getattr(self.layout, f"is_always_{trait}")(self.base.static_extents)
        return bool(answer)

    def is_unique(self) -> bool | None:
        """Tell whether no two indices share an offset, for all values (True), for none (False), or None."""
        if self.extents.is_static:
            return self.bind().is_unique
        repeated = [r for r in range(self.rank) if r not in self.source]
        lengths = [bounds(self.extents[r]) for r in repeated]
        if all(high <= 1 for _, high in lengths):
            return True if self.is_always("unique") else None
        return False if self.extents.is_empty() is False and any(low > 1 for low, _ in lengths) else None

    def is_exhaustive(self) -> bool | None:
        """Tell whether every offset below the span is some index's, for all values, for none, or None."""
        if self.extents.is_static:
            return self.bind().is_exhaustive
        return True if self.is_always("exhaustive") and self.extents.is_empty() is False else None

    def is_contiguous(self) -> bool | None:
        """Tell whether indices in C order have the offsets 0, 1, 2, ...: for all values, for none, or None."""
        if self.extents.is_empty():
            return True
        facts: list[bool | None] = [None]
        with suppress(SymbolicExtentError):
            facts = self._dense_facts()
        if all(facts):
            return True
        return False if False in facts and self.extents.is_empty() is False else None

    def _dense_facts(self) -> list[bool | None]:
        """Tell what each dimension, and the origin, say about being contiguous."""
        strides = self.strides
        if strides is None:
            return [None]
        facts = [equal(self.origin, 0)]
        wanted = right_strides(as_numbers(self.extents))
        for n, s, t in zip(self.extents, strides, wanted, strict=True):
            longer = less(1, n)
            same = equal(s, node_of(t)) if longer is not False else True
            # Where the dimension may have one index, another stride refutes nothing.
            facts.append(None if same is False and longer is None else same)
        return facts

    @property
    def is_c_contiguous(self) -> bool:
        """Whether C order is plain to see: the layout is `LayoutRight` itself, or static extents show it.

        False is no proof of the opposite; `is_contiguous` proves.
        """
        if self.extents.is_static:
            return bool(self.is_contiguous())
        return self.is_plain and self.layout == LayoutRight()

    @property
    def is_materializable(self) -> bool:
        """Whether extents and strides are numbers now: every variable is bound, and there are strides."""
        return self.extents.is_fully_bound and self.bind().is_strided

    def bind(self, values: Values | None = None) -> Mapping[tuple[int, ...], Layout]:
        """Return the mapping for ``values``, or else the present bindings; no variable is bound by this.

        Raises
        ------
        SymbolError
            A value is outside the bounds of its variable.
        SymbolicExtentError
            A variable has no value.
        """
        own, below = self.extents.numbers(values), self.base.numbers(values)
        base = Mapping(below, self.layout)
        if self.is_plain:
            return base
        return rearranging.as_mapping(*rearranging.take(base, self.source, own))

    def box(self, values: Values | None = None) -> StridedBox:
        """Return the strided box for ``values``, or else the present bindings.

        Raises
        ------
        NotStridedError
            The mapping has no strides.
        """
        mapping = self.bind(values)
        strides = mapping.found_strides()
        if strides is None:
            message = f"{told(mapping)} has no strides; only a strided mapping is a box"
            raise NotStridedError(message)
        return StridedBox(mapping.extents, strides, mapping.origin)

    def permute(self, axes: Sequence[int]) -> SymbolicMapping:
        """Reorder the dimensions: new dimension ``r`` is the old ``axes[r]``; negative numbers do not wrap."""
        order = [as_integer(a, "an axis") for a in as_entries_of(self.rank, axes, "axes")]
        if sorted(order) != list(range(self.rank)):
            message = f"axes are a permutation of the dimensions 0 to {self.rank - 1}, got {shown(tuple(order))}"
            raise AxisError(message)
        source = [None if r is None else order.index(r) for r in self.source]
        return SymbolicMapping([self.extents[a] for a in order], self.layout, self.base, source)

    def expand(self, shape: Sequence[int | Expr]) -> SymbolicMapping:
        """Repeat dimensions of extent 1 up to ``shape``.

        Raises
        ------
        BroadcastError
            An extent other than 1 would change.
        SymbolicExtentError
            Whether an extent would change is not known.
        """
        target = SymbolicExtents(shape)
        as_entries_of(self.rank, target.dims, "extents")
        repeated: set[int] = set()
        for r, (n, wanted) in enumerate(zip(self.extents, target, strict=True)):
            if n == wanted or (n != Const(1) and equal(n, wanted)):
                continue
            if equal(n, 1):
                repeated.add(r)
                continue
            if equal(n, 1) is None:
                raise SymbolicExtentError(
                    need(f"whether extent {shown(n)} of dimension {r} may become {wanted}", n, wanted)
                )
            message = f"only extents of 1 expand: extent {shown(n)} of dimension {r} to {wanted}; reshape instead"
            raise BroadcastError(message)
        source = [None if r in repeated else r for r in self.source]
        return SymbolicMapping(target, self.layout, self.base, source)

    def reshape(self, shape: Sequence[int | Expr]) -> SymbolicMapping:
        """Read the same elements in the same order under ``shape``, of which one extent may be -1.

        Raises
        ------
        ShapeError
            The sizes differ for all values, or more than one extent is to be inferred.
        SymbolicExtentError
            The mapping is not known to be contiguous, or the sizes not known to agree.
        """
        target = self._inferred([as_node(n) for n in as_entries(shape, "a shape")])
        if target == self.extents:
            return self
        same = equal(self.size, target.size)
        if same is False:
            message = f"a shape is read as another of equal size, not {self.extents} as {target}"
            raise ShapeError(message)
        if same is None:
            raise SymbolicExtentError(need(f"whether {self.extents} has the size of {target}", self.size, target.size))
        if self.is_contiguous() is not True:
            message = need(
                f"reshaping {self.extents} with strides {shown(self.strides)}, which is not contiguous,", self.size
            )
            raise SymbolicExtentError(message)
        return SymbolicMapping(target)

    def _inferred(self, shape: Sequence[Expr]) -> SymbolicExtents:
        unknown = [r for r, n in enumerate(shape) if n == Const(-1)]
        if len(unknown) > 1:
            message = f"only one extent can be inferred: -1 in dimensions {shown(tuple(unknown))}"
            raise ShapeError(message)
        if not unknown:
            return SymbolicExtents(shape)
        known = SymbolicExtents([n for n in shape if n != Const(-1)])
        found = quotient(self.size, known.size)
        if found is None:
            raise SymbolicExtentError(
                need(f"the extent that makes {shown(known)} the size of {self.extents}", self.size, known.size)
            )
        return SymbolicExtents([found if n == Const(-1) else n for n in shape])

    def shrink(self, ranges: Sequence[Sequence[int]]) -> StridedBox:
        """Keep a range of indices per dimension, once the extents are numbers.

        Raises
        ------
        SymbolicExtentError
            A variable is unbound; the message names it.
        """
        return self._box_for("shrink").shrink(ranges)

    def flip(self, flips: Sequence[bool]) -> StridedBox:
        """Reverse dimensions, once the extents are numbers.

        Raises
        ------
        SymbolicExtentError
            A variable is unbound; the message names it.
        """
        return self._box_for("flip").flip(flips)

    def pad(self, widths: Sequence[Sequence[int]]) -> SymbolicMapping | StridedBox:
        """Add cells without elements, once the extents are numbers; padding of 0 changes nothing at any time.

        Raises
        ------
        SymbolicExtentError
            A variable is unbound; the message names it.
        """
        pairs = as_pairs(as_entries_of(self.rank, widths, "pairs"), "a width")
        return self._box_for("pad").pad(pairs) if any(map(any, pairs)) else self

    def _box_for(self, what: str) -> StridedBox:
        try:
            return self.box()
        except SymbolicExtentError as error:
            message = f"{what} needs numbers: {error}"
            raise SymbolicExtentError(message) from None
