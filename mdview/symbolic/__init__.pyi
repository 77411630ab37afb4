# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.expressions.expression_tree import Const
from mdview.symbolic.symbolic_extents import SymbolicExtents
from mdview.symbolic.symbolic_mapping import SymbolicMapping
from mdview.symbolic.symbolic_variables import Add, Expr, FloorDiv, Mul, Neg, Var, bounds, constant, divides, equal, less, quotient, simplified, to_c, var

__all__ = ["Add", "Const", "Expr", "FloorDiv", "Mul", "Neg", "SymbolicExtents", "SymbolicMapping", "Var", "bounds", "constant", "divides", "equal", "less", "quotient", "simplified", "to_c", "var"]
