"""A layout's own arithmetic on symbols: its methods run as they are written, and what they compute is an expression.

A comparison is answered where the bounds of the variables settle it. In an offset, what they do not settle is followed
both ways and becomes a `Select`; elsewhere it is refused, as is everything that needs a number, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import final

from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import MDViewError, SymbolicExtentError
from mdview.expressions.nodes import Node, Op
from mdview.expressions.tracing import Decide, TraceError, explored, node_of
from mdview.index.transforms import IndexMap
from mdview.layouts.base import Layout
from mdview.symbolic.extents import SymbolicExtents, as_numbers
from mdview.symbolic.variables import Expr, settled, variables


@final
@value
class SymbolicArithmetic:
    """The arithmetic of ``layout`` over symbolic ``extents``, at indices to which ``transform`` leads.

    Each method raises `SymbolicExtentError` where the layout asks for a number that is not known; the message says for
    which one.
    """

    layout: Layout
    extents: SymbolicExtents
    transform: IndexMap

    def check(self) -> None:
        """Raise what the layout raises for all values; what it cannot check on symbols passes."""
        with suppress(SymbolicExtentError), self._asking("a check"):
            self.layout.check(as_numbers(self.extents, by_bounds))

    def strides(self, rank: int) -> tuple[Expr, ...] | None:
        """One stride for each of ``rank`` indices, None where the layout states none on symbols."""
        with self._asking("the strides"):
            found = self.layout.strides(as_numbers(self.extents, by_bounds))
            return None if found is None else tuple(map(node_of, self.transform.along(found, rank)[1]))

    def origin(self) -> Expr:
        """Offset of index (0, ..., 0)."""
        with self._asking("the origin"):
            return node_of(self.layout.origin(as_numbers(self.extents, by_bounds)))

    def offset(self, index: Sequence[Expr]) -> Expr:
        """Offset of an index, with a `Select` for each comparison that the bounds do not settle."""

        def run(ask: Decide) -> object:
            def decide(name: str, left: Node, right: Node) -> bool:
                answer = settled(name, left, right)
                return ask(name, left, right) if answer is None else answer

            return self.layout.offset(as_numbers(self.extents, decide), self.transform.apply(as_numbers(index, decide)))

        with self._asking("the offset", index):
            return explored(run)

    def required_span_size(self) -> Expr:
        """One more than the largest offset over extents that are not empty."""
        extents = as_numbers(self.extents, by_bounds)
        with self._asking("the span"):
            try:
                strides = self.layout.strides(extents)
            except TraceError:
                strides = None
            if strides is None:
                return node_of(self.layout.required_span_size(extents))
            reach = [(n - 1) * s for n, s in zip(extents, strides, strict=True) if s >= 0]
            return node_of(1 + self.layout.origin(extents) + sum(reach))

    @contextmanager
    def _asking(self, what: str, index: Iterable[Expr] = ()) -> Iterator[None]:
        """Turn an error of the layout into one that says what it asked for; where there are no symbols, leave it."""
        symbols = [e for e in (*self.extents, *index) if e.vars]
        try:
            yield
        except MDViewError:
            raise
        except (Exception, TraceError) as error:
            if not symbols:
                raise
            reason = f"it does more than compute and compare ({type(error).__name__}: {error})"
            reason = str(error) if isinstance(error, TraceError) else reason
            known = ", ".join([v.description for v in variables(*symbols)])
            raise SymbolicExtentError(
                f"{what} of {told(self.layout)} over {self.extents}: {reason}; bind the "
                "symbols to values first, or narrow "
                f"their bounds: {known}"
            ) from error


def by_bounds(name: str, left: Node, right: Node) -> bool:
    """Answer a comparison by the bounds of the variables, and refuse one that they do not settle."""
    answer = settled(name, left, right)
    if answer is None:
        raise TraceError(f"it asks whether {Op(name, left, right)}, which the bounds do not settle")
    return answer
