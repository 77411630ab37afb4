"""Operations on views: functions of the array API, linear algebra, copies, fills, reductions, elementwise functions.

An operation uses views, mappings and engines, and depends on no particular layout. `manipulation` rearranges the index
space and `linalg` transposes, scales and conjugates, both without a copy. `copy_fill_reduce` reads and writes elements,
`creation` makes new memory, and `elementwise_functions` applies functions to the elements of operands of equal length.
"""

from mdview import _on_first_use

_on_first_use(globals())
