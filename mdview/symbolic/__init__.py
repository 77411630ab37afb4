"""Mappings over symbolic extents, which are unknown integers within bounds; strides, offsets and spans are expressions.

The methods of a layout run on symbols as they run on numbers, and the resulting expressions hold for all values of the
symbols within their bounds. A question about expressions has the answer True if it holds for all values, False if it
holds for no value, and None if the bounds do not decide it.

>>> from mdview import LayoutRight, LayoutSwizzled
>>> from mdview.symbolic import SymbolicMapping, var
>>> n, i, j = var("n", 1, 100), var("i", 0, 99), var("j", 0, 7)
>>> swizzled = SymbolicMapping((n, 8), LayoutSwizzled(LayoutRight(), bits=2, base=0, shift=3))
>>> swizzled.offset(i, j).eval({n: 10, i: 3, j: 5}), swizzled.bind({n: 10})(3, 5)
(30, 30)

`symbolic_variables` has variables with bounds and proofs about expressions, `symbolic_extents` tuples of expressions,
and `symbolic_mapping` layouts over such extents.
"""

from mdview import _on_first_use

_on_first_use(globals())
