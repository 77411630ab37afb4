"""Bulk access through NumPy: this folder is loaded where it pays, and NumPy with it, Numba for large copies.

Begin with `transfers`, the verbs. `sides` are their operands, `moving` reads and writes items at the places of a plan,
and `locating` finds these places as positions. `blocks` finds boxes of indices in which all operands are strided,
`cache_order` copies them, by the machine code of `kernels` where `compiled` says so. `items` is about
formats of memory, `ways` about the methods of elementwise accessors.
"""
