"""Symbolic mappings: layouts bound to symbolic extents; strides, offsets and spans are expressions.

The methods of the layout run on symbols and return expressions. The bounds of the variables may decide a comparison. If
they do not, an offset becomes a `Select` between both outcomes, and any other method raises an error with the reason.
An operation that needs a number raises such an error, too. `SymbolicMapping.bind` returns a `Mapping` over numbers,
which has an answer to every question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dictionary
from contextlib import contextmanager, suppress
from typing import final

from mdview.base import as_entries, as_entries_of, as_text, brief, value
from mdview.errors import BroadcastError, MDViewError, ShapeError, SymbolicExtentError
from mdview.expressions.expression_tree import Const, Node, Op, as_node, need
from mdview.expressions.tracing import Decide, TraceError, explored, node_of
from mdview.index.extents import out_of_range, right_strides
from mdview.index.index_map import IndexMap
from mdview.index.rearrangement import permute_dims
from mdview.layouts.layout import Layout, as_layout
from mdview.layouts.strided_layout import LayoutRight
from mdview.mappings.mapping import Mapping
from mdview.mappings.slicing import offset_by, through
from mdview.symbolic.symbolic_extents import SymbolicExtents, as_numbers
from mdview.symbolic.symbolic_variables import Expr, Var, bounds, equal, less, quotient, settled, variables

Values = Dictionary[Var, int]


@final
@value
class SymbolicMapping:
    """A layout over symbolic extents, whose dimensions may be permuted or broadcast.

    ``base`` has the extents over which the layout is defined. Dimension ``r`` of ``base`` takes the index of dimension
    ``source[r]`` of this mapping, or index 0 if ``source[r]`` is None.

    >>> from mdview.symbolic import var
    >>> n = var("n", 1, 100)
    >>> m = SymbolicMapping((2, n, 3))
    >>> [s.eval({n: 4}) for s in m.strides or ()], m.bind({n: 4})
    ([12, 3, 1], Mapping((2, 4, 3), LayoutRight()))

    Raises
    ------
    ExtentsError, LayoutError, RankError
        The extents or the layout are invalid for all values of the variables.
    """

    extents: SymbolicExtents
    layout: Layout
    base: SymbolicExtents
    source: tuple[int | None, ...]

    def __init__(
        self,
        extents: SymbolicExtents | Sequence[int | Expr],
        layout: Layout | str = LayoutRight(),
        base: SymbolicExtents | Sequence[int | Expr] | None = None,
        source: Sequence[int | None] | None = None,
    ) -> None:
        """Bind a layout to extents; checks that need numbers take place in `bind`."""
        layout = as_layout("a layout is", layout)
        shape = SymbolicExtents(extents)
        below = shape if base is None else SymbolicExtents(base)
        indexed = range(shape.rank) if source is None else as_entries(source, "source")
        vars(self).update(extents=shape, layout=layout, base=below, source=tuple(indexed))
        with suppress(SymbolicExtentError), self._asking("a check"):  # `bind` makes the checks that need numbers
            layout.check(as_numbers(below, by_bounds))

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.extents.rank

    @property
    def transform(self) -> IndexMap:
        """The index map from the extents of this mapping to ``base``."""
        return IndexMap.taking(self.source)

    def _through(self, transform: IndexMap, extents: Iterable[Expr]) -> SymbolicMapping:
        return SymbolicMapping(tuple(extents), self.layout, self.base, self.transform.after(transform).source)

    @property
    def is_plain(self) -> bool:
        """Whether the mapping is the layout over its extents, without permutation or broadcast."""
        return self.source == tuple(range(self.rank)) and self.base == self.extents

    @property
    def size(self) -> Expr:
        """The number of indices as an expression."""
        return self.extents.size

    @property
    def numel(self) -> int | None:
        """The number of indices as a number; None if a variable is unbound."""
        return self.extents.numel

    @property
    def strides(self) -> tuple[Expr, ...] | None:
        """The strides as expressions; None if the layout returns no strides for symbolic extents.

        Raises
        ------
        SymbolicExtentError
            The strides depend on a comparison that the bounds do not decide.
        """
        with self._asking("the strides"):
            strides = self.layout.strides(as_numbers(self.base, by_bounds))
            return None if strides is None else tuple(map(node_of, self.transform.along(strides, self.rank)[1]))

    @property
    def origin(self) -> Expr:
        """The offset of index (0, ..., 0)."""
        with self._asking("the origin"):
            return node_of(self.layout.origin(as_numbers(self.base, by_bounds)))

    def offset(self, *index: int | Expr) -> Expr:
        """Return the offset of an index as an expression; symbols in the index must be within the extents.

        If the layout makes a comparison that the bounds do not decide, the expression is a `Select` between both
        outcomes.

        Raises
        ------
        RankError
            The number of indices differs from the rank.
        IndexOutOfRangeError
            An index is outside its extent for all values of the variables.
        SymbolicExtentError
            The layout needs a number, for example the number of bits of an extent.
        """
        as_entries_of(self.rank, index, "indices")
        expressions = [as_node(i) for i in index]
        variables(*expressions)
        for r, (i, n) in enumerate(zip(expressions, self.extents, strict=True)):
            if bounds(i)[1] < 0 or bounds(i - n)[0] >= 0:
                raise out_of_range(i, as_text(n), r)

        def run(ask: Decide) -> object:
            def decide(name: str, left: Node, right: Node) -> bool:
                answer = settled(name, left, right)
                return ask(name, left, right) if answer is None else answer

            return self.layout.offset(
                as_numbers(self.base, decide), self.transform.apply(as_numbers(expressions, decide))
            )

        with self._asking("the offset", expressions):
            return explored(run)

    @property
    def required_span_size(self) -> Expr:
        """The largest offset plus 1, as an expression; 0 for an empty index space.

        Raises
        ------
        SymbolicExtentError
            The bounds do not decide whether the index space is empty, or whether a stride is negative.
        """
        empty = self.extents.is_empty()
        if empty:
            return Const(0)
        static = self.base.static_extents
        if self.is_plain and self.layout.is_always_unique(static) and self.layout.is_always_exhaustive(static):
            return self.size
        if empty is None:
            raise SymbolicExtentError(need(f"whether extents {self.extents} are empty", *self.extents))
        with self._asking("the span"):
            return node_of(self.layout.required_span_size(as_numbers(self.base, by_bounds)))

    @contextmanager
    def _asking(self, what: str, index: Iterable[Expr] = ()) -> Iterator[None]:
        """Convert errors that a method of the layout raises on symbols to errors with the reason and the variables."""
        symbols = [e for e in (*self.base, *index) if e.vars]
        try:
            yield
        except MDViewError:
            raise
        except (Exception, TraceError) as error:
            if not symbols:
                raise
            reason = f"it does more than compute and compare ({type(error).__name__}: {error})"
            reason = str(error) if isinstance(error, TraceError) else reason
            descriptions = ", ".join([v.description for v in variables(*symbols)])
            raise SymbolicExtentError(
                f"{what} of {brief(self.layout)} over {self.base}: {reason}; bind the symbols to values first, or "
                f"narrow their bounds: {descriptions}"
            ) from error

    def is_contiguous(self) -> bool | None:
        """Tell whether the indices in C order have the offsets 0, 1, 2, ...

        The result is True if this holds for all values of the variables, False if it holds for no value, and None if
        the bounds do not decide the question or the strides are unknown.
        """
        if self.extents.is_empty():
            return True
        try:
            strides, facts = self.strides, [equal(self.origin, 0)]
        except SymbolicExtentError:
            return None
        if strides is None:
            return None
        wanted = right_strides(as_numbers(self.extents))
        for n, s, t in zip(self.extents, strides, wanted, strict=True):
            longer = less(1, n)
            same = equal(s, node_of(t)) if longer is not False else True
            # If the extent may be 1, a different stride is no counterexample.
            facts.append(None if same is False and longer is None else same)
        if all(facts):
            return True
        return False if False in facts and self.extents.is_empty() is False else None

    @property
    def is_c_contiguous(self) -> bool:
        """Whether the mapping is known to be contiguous: the layout is `LayoutRight`, or the extents are static.

        False does not mean that the mapping is not contiguous; `is_contiguous` decides that.
        """
        if self.extents.is_static:
            return bool(self.is_contiguous())
        return self.is_plain and self.layout == LayoutRight()

    @property
    def is_materializable(self) -> bool:
        """Whether all extents and strides are numbers: every variable is bound, and the bound mapping is strided."""
        return self.extents.is_fully_bound and self.bind().is_strided

    def bind(self, values: Values | None = None) -> Mapping[tuple[int, ...], Layout]:
        """Return the mapping over numbers, from ``values`` and the present bindings. The variables are not changed.

        Raises
        ------
        SymbolError
            A value is outside the bounds of its variable.
        SymbolicExtentError
            A variable is neither in ``values`` nor bound.
        """
        extents, below = self.extents.numbers(values), self.base.numbers(values)
        base = Mapping(below, self.layout)
        return base if self.is_plain else offset_by(*through(base, self.transform, extents))

    def permute(self, axes: Sequence[int]) -> SymbolicMapping:
        """Permute the dimensions: new dimension ``r`` is the old ``axes[r]``; negative axes count from the end."""
        movement = permute_dims(self.extents.dims, as_entries(axes, "axes"))
        return self._through(movement.transform, movement.extents)

    def expand(self, shape: Sequence[int | Expr]) -> SymbolicMapping:
        """Repeat dimensions of extent 1 up to ``shape``.

        Raises
        ------
        BroadcastError
            An extent other than 1 would change.
        SymbolicExtentError
            The bounds do not decide whether an extent is 1, or whether it equals its extent in ``shape``.
        """
        target = SymbolicExtents(shape)
        as_entries_of(self.rank, target.dims, "extents")
        source: list[int | None] = []
        for r, (n, wanted) in enumerate(zip(self.extents, target, strict=True)):
            is_same = equal(n, wanted)
            is_one = is_same or equal(n, 1)
            change = f"extent {as_text(n)} of dimension {r}"
            if is_one is None:
                raise SymbolicExtentError(need(f"whether {change} may become {wanted}", n, wanted))
            if not is_one:
                raise BroadcastError(f"only extents of 1 expand: {change} to {wanted}; reshape instead")
            source.append(r if is_same else None)
        return self._through(IndexMap.taking(source), target)

    def reshape(self, shape: Sequence[int | Expr]) -> SymbolicMapping:
        """Return the same elements in the same C order with other extents; one entry of ``shape`` may be -1.

        Raises
        ------
        ShapeError
            The sizes differ for all values of the variables, or more than one entry is -1.
        SymbolicExtentError
            The mapping is not known to be contiguous, or the sizes are not known to be equal.
        """
        target = self._inferred([as_node(n) for n in as_entries(shape, "a shape")])
        if target == self.extents:
            return self
        same = equal(self.size, target.size)
        if same is False:
            raise ShapeError(f"a shape is read as another of equal size, not {self.extents} as {target}")
        if same is None:
            raise SymbolicExtentError(need(f"whether {self.extents} has the size of {target}", self.size, target.size))
        if self.is_contiguous() is not True:
            what = f"reshaping {self.extents} with strides {as_text(self.strides)}, which is not contiguous,"
            raise SymbolicExtentError(need(what, self.size))
        return SymbolicMapping(target)

    def _inferred(self, shape: Sequence[Expr]) -> SymbolicExtents:
        unknown = [r for r, n in enumerate(shape) if n == Const(-1)]
        if len(unknown) > 1:
            raise ShapeError(f"only one extent can be inferred: -1 in dimensions {as_text(tuple(unknown))}")
        if not unknown:
            return SymbolicExtents(shape)
        rest = SymbolicExtents([n for n in shape if n != Const(-1)])
        extent = quotient(self.size, rest.size)
        if extent is None:
            what = f"the extent that makes {as_text(rest)} the size of {self.extents}"
            raise SymbolicExtentError(need(what, self.size, rest.size))
        return SymbolicExtents([extent if n == Const(-1) else n for n in shape])


def by_bounds(name: str, left: Node, right: Node) -> bool:
    """Return the outcome of a comparison from the bounds of the variables; raise `TraceError` if it is undecided."""
    answer = settled(name, left, right)
    if answer is None:
        raise TraceError(f"it asks whether {Op(name, left, right)}, which the bounds do not settle")
    return answer
