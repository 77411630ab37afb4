"""A symbolic mapping has extents that are not known yet: everything that follows from them is an expression.

A layout's own arithmetic runs on symbols as it runs on numbers, so strides, offsets and spans come out as expressions
that hold for every value within the bounds of the symbols. Questions are answered True, False, or None where the
bounds do not settle them; nothing is guessed.

>>> from mdview import LayoutRight, LayoutSwizzled
>>> from mdview.symbolic import SymbolicMapping, var
>>> n, i, j = var("n", 1, 100), var("i", 0, 99), var("j", 0, 7)
>>> swizzled = SymbolicMapping((n, 8), LayoutSwizzled(LayoutRight(), bits=2, base=0, shift=3))
>>> swizzled.offset(i, j).eval({n: 10, i: 3, j: 5}), swizzled.bind({n: 10})(3, 5)
(30, 30)

Begin with `symbolic_variables` (variables with bounds, and proofs) and `symbolic_mapping`.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    symbolic_extents="SymbolicExtents",
    symbolic_mapping="SymbolicMapping",
    symbolic_variables=(
        "Add Const Expr FloorDiv Mul Neg Var bounds constant divides equal less quotient simplified to_c var"
    ),
)
