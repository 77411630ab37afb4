"""Symbolic extents: tuples of expressions over variables.

An extent has a number once each of its variables is bound or is given a value. Before that, a property has an answer if
the bounds of the variables decide it; otherwise the answer is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, final

from mdview.base import as_entries, value
from mdview.errors import SymbolicExtentError
from mdview.expressions.expression_tree import Const, as_node, need
from mdview.expressions.tracing import Decide, node_of, numbers, refuse_traced_comparison
from mdview.index.rearrangement import axis_of
from mdview.index.reshape import infer_shape
from mdview.symbolic.symbolic_variables import Expr, Var, checked_values, constant, less, variables


@final
@value
class SymbolicExtents:
    """Extents that are expressions: ``dims`` has one for each dimension; integers are static extents.

    >>> from mdview.symbolic import var
    >>> n = var("n", 1, 100)
    >>> shape = SymbolicExtents((n * 2, 3))
    >>> len(shape), shape.is_static, shape.eval(), shape.eval({n: 4})
    (2, False, None, (8, 3))

    Raises
    ------
    ExtentsError
        A static extent is negative.
    OperandError
        A symbol in an extent is not a `Var`.
    """

    dims: tuple[Expr, ...]

    def __init__(self, dims: Iterable[int | Expr]) -> None:
        """Take the extents, slowest first."""
        entries = as_entries(dims, "symbolic extents")
        expressions = tuple(
            [constant(dim) if isinstance(dim, Const) or not isinstance(dim, Expr) else dim for dim in entries]
        )
        variables(*expressions)
        object.__setattr__(self, "dims", expressions)

    def __len__(self) -> int:
        """Return the number of dimensions."""
        return len(self.dims)

    def __iter__(self) -> Iterator[Expr]:
        """Iterate over the extents."""
        return iter(self.dims)

    def __getitem__(self, r: int) -> Expr:
        """Return the extent of dimension ``r``; a negative ``r`` counts from the end."""
        return self.dims[axis_of(len(self.dims), r)]

    def __str__(self) -> str:
        """Return ``[n#0; (m#1 + 1)]``; bound variables show their value."""
        return f"[{'; '.join([str(dim) for dim in self.dims])}]"

    def __repr__(self) -> str:
        """Return ``SymbolicExtents([n#0; 3])``."""
        return f"SymbolicExtents({self})"

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.dims)

    @property
    def vars(self) -> tuple[Var, ...]:
        """The variables of the extents, each once, in order of appearance."""
        return variables(*self.dims)

    @property
    def is_static(self) -> bool:
        """Whether no extent has a variable; a bound variable counts as a variable."""
        return not self.vars

    @property
    def is_fully_bound(self) -> bool:
        """Whether every variable is bound."""
        return all(v.value is not None for v in self.vars)

    @property
    def static_extents(self) -> tuple[int | None, ...]:
        """The extents as numbers; None for each extent with a variable."""
        return tuple([None if dim.vars else int(dim) for dim in self.dims])

    @property
    def size(self) -> Expr:
        """The product of the extents as an expression, 1 for rank 0; a constant if no extent has a variable."""
        return node_of(prod(as_numbers(self.dims)))

    @property
    def numel(self) -> int | None:
        """The product of the extents as a number; None if a variable is unbound."""
        extents = self.eval()
        return None if extents is None else prod(extents)

    def eval(self, values: Mapping[Var, int] | None = None) -> tuple[int, ...] | None:
        """Return the extents as numbers; None if a variable is neither in ``values`` nor bound.

        A value takes precedence over a binding.
        """
        extents = self.partial_eval(values)
        numbers = tuple([number for number in extents if number is not None])
        return numbers if len(numbers) == len(extents) else None

    def partial_eval(self, values: Mapping[Var, int] | None = None) -> tuple[int | None, ...]:
        """Return each extent as a number, or None if it has a variable that is neither in ``values`` nor bound."""
        return tuple([dim.eval(values) for dim in self.dims])

    def numbers(self, values: Mapping[Var, int] | None = None) -> tuple[int, ...]:
        """Return the extents as numbers, from ``values`` and the present bindings; check the values against the bounds.

        Raises
        ------
        SymbolError
            A value is outside the bounds of its variable.
        SymbolicExtentError
            A variable is neither in ``values`` nor bound.
        """
        checked = checked_values({} if values is None else values)
        for r, (dim, number) in enumerate(zip(self.dims, self.partial_eval(checked), strict=True)):
            if number is None:
                unbound = [v for v in variables(dim) if v.value is None and v not in checked]
                raise SymbolicExtentError(need(f"extent {dim} of dimension {r}", *unbound))
        return tuple([number for number in self.partial_eval(checked) if number is not None])

    def bind(self, values: Mapping[Var, int]) -> None:
        """Bind variables to values, in all expressions that contain them.

        If any value is refused, no variable is bound.

        Raises
        ------
        SymbolError
            A value is outside the bounds of its variable.
        """
        for v, number in checked_values(values).items():
            v.bind(number)

    def substitute(self, values: Mapping[Var, int | Expr]) -> SymbolicExtents:
        """Return extents with variables replaced by ``values``; no variable is bound, and bounds are not checked."""
        return SymbolicExtents([dim.substitute(values) for dim in self.dims])

    def is_empty(self) -> bool | None:
        """Tell whether the index space is empty.

        The result is True if this holds for all values of the variables, False if it holds for no value, and None if
        the bounds of the variables do not decide the question.
        """
        answers = [less(0, dim) for dim in self.dims]
        return True if False in answers else None if None in answers else False

    def resolve_reshape(self, shape: Sequence[int | Expr]) -> tuple[int, ...] | None:
        """Return the extents of a reshape as numbers; None if an extent has an unbound variable.

        One entry of ``shape`` may be -1, and is computed from the other entries.

        Raises
        ------
        ShapeError
            More than one entry is -1, an entry is another negative number, or the sizes differ.
        """
        wanted = [as_node(dim).eval() for dim in as_entries(shape, "a shape")]
        numbers = [number for number in wanted if number is not None]
        return None if self.numel is None or len(numbers) < len(wanted) else infer_shape((self.numel,), numbers)


def as_numbers(expressions: Iterable[Expr], decide: Decide = refuse_traced_comparison) -> tuple[Any, ...]:
    """Return arguments for the methods of a layout: ints for expressions without variables, else symbols.

    ``Any`` stands for ints or symbols. ``decide`` answers comparisons of symbols.
    """
    return numbers([e if e.vars else Const(int(e)) for e in expressions], decide)
