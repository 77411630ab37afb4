# The public names, which load on first use.

from mdview.expressions.expression_tree import Const as Const
from mdview.symbolic.symbolic_extents import SymbolicExtents as SymbolicExtents
from mdview.symbolic.symbolic_mapping import SymbolicMapping as SymbolicMapping
from mdview.symbolic.symbolic_variables import Add as Add, Expr as Expr, FloorDiv as FloorDiv, Mul as Mul, Neg as Neg, Var as Var, bounds as bounds, constant as constant, divides as divides, equal as equal, less as less, quotient as quotient, simplified as simplified, to_c as to_c, var as var
