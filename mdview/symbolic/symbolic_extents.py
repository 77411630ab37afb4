"""Symbolic extents: tuples of expressions whose numbers become known later.

They become numbers when every variable in them is bound or given a value. Until then, properties have an answer if the
bounds decide it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, final

from mdview.base import as_entries, value
from mdview.errors import SymbolicExtentError
from mdview.expressions.expression_tree import Const, as_node
from mdview.expressions.operators import need
from mdview.expressions.tracing import Decide, node_of, numbers, refuse_traced_comparison
from mdview.index.no_copy_reshape import infer_shape
from mdview.index.rearrangement import axis_of
from mdview.symbolic.symbolic_variables import Expr, Var, checked_values, constant, less, variables


@final
@value
class SymbolicExtents:
    """Expressions ``dims``, one per dimension; integers are static extents.

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
        A symbol in an extent is no variable.
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
        """Count the dimensions."""
        return len(self.dims)

    def __iter__(self) -> Iterator[Expr]:
        """Iterate over the extents."""
        return iter(self.dims)

    def __getitem__(self, r: int) -> Expr:
        """Extent of dimension ``r``, counted from the end if negative."""
        return self.dims[axis_of(len(self.dims), r)]

    def __str__(self) -> str:
        """``[n#0; (m#1 + 1)]``; bound variables show their value."""
        return f"[{'; '.join([str(dim) for dim in self.dims])}]"

    def __repr__(self) -> str:
        """``SymbolicExtents([n#0; 3])``."""
        return f"SymbolicExtents({self})"

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return len(self.dims)

    @property
    def vars(self) -> tuple[Var, ...]:
        """Each variable once, in order of appearance."""
        return variables(*self.dims)

    @property
    def is_static(self) -> bool:
        """Whether there are no variables, not even bound ones."""
        return not self.vars

    @property
    def is_fully_bound(self) -> bool:
        """Whether every variable is bound."""
        return all(v.value is not None for v in self.vars)

    @property
    def static_extents(self) -> tuple[int | None, ...]:
        """The extents without variables, None for the others."""
        return tuple([None if dim.vars else int(dim) for dim in self.dims])

    @property
    def size(self) -> Expr:
        """The product of the extents, 1 for rank 0; a constant where there are no variables."""
        return node_of(prod(as_numbers(self.dims)))

    @property
    def numel(self) -> int | None:
        """The product of the extents as a number, None where a variable is unbound."""
        extents = self.eval()
        return None if extents is None else prod(extents)

    def eval(self, values: Mapping[Var, int] | None = None) -> tuple[int, ...] | None:
        """Extents under ``values`` and the present bindings, None where a variable has neither."""
        extents = self.partial_eval(values)
        known = tuple([number for number in extents if number is not None])
        return known if len(known) == len(extents) else None

    def partial_eval(self, values: Mapping[Var, int] | None = None) -> tuple[int | None, ...]:
        """Each extent under ``values`` and the present bindings, None where a variable has neither."""
        return tuple([dim.eval(values) for dim in self.dims])

    def numbers(self, values: Mapping[Var, int] | None = None) -> tuple[int, ...]:
        """Extents under ``values``, which are checked against the bounds, and the present bindings.

        Raises
        ------
        SymbolError
            A value is outside the bounds of its variable.
        SymbolicExtentError
            A variable has no value.
        """
        checked = checked_values({} if values is None else values)
        for r, (dim, number) in enumerate(zip(self.dims, self.partial_eval(checked), strict=True)):
            if number is None:
                unbound = [v for v in variables(dim) if v.value is None and v not in checked]
                raise SymbolicExtentError(need(f"extent {dim} of dimension {r}", *unbound))
        return tuple([number for number in self.partial_eval(checked) if number is not None])

    def bind(self, values: Mapping[Var, int]) -> None:
        """Bind variables to values, wherever they occur, or none of them if one value is refused.

        Raises
        ------
        SymbolError
            A value is outside the bounds of its variable.
        """
        for v, number in checked_values(values).items():
            v.bind(number)

    def substitute(self, values: Mapping[Var, int | Expr]) -> SymbolicExtents:
        """Return extents with variables replaced; nothing is bound, and bounds are not consulted."""
        return SymbolicExtents([dim.substitute(values) for dim in self.dims])

    def is_empty(self) -> bool | None:
        """Tell whether there is no index for any values (True), an index for all values (False), or None."""
        answers = [less(0, dim) for dim in self.dims]
        return True if False in answers else None if None in answers else False

    def resolve_reshape(self, shape: Sequence[int | Expr]) -> tuple[int, ...] | None:
        """Numbers for ``shape``, of which one extent may be -1; None where they are not known.

        Raises
        ------
        ShapeError
            More than one extent is to be inferred, another is negative, or they do not fit.
        """
        wanted = [as_node(dim).eval() for dim in as_entries(shape, "a shape")]
        known = [number for number in wanted if number is not None]
        return None if self.numel is None or len(known) < len(wanted) else infer_shape((self.numel,), known)


def as_numbers(expressions: Iterable[Expr], decide: Decide = refuse_traced_comparison) -> tuple[Any, ...]:
    """Return the arguments for a layout's arithmetic: ints for expressions without variables, else symbols.

    Any: ints or symbols. ``decide`` answers comparisons of symbols.
    """
    return numbers([e if e.vars else Const(int(e)) for e in expressions], decide)
