"""Bulk access through NumPy: this folder is loaded where it pays, and NumPy with it, Numba for large copies.

Begin with `execution`, the verbs. `operands` are what they work on, `gather` reads and writes items at the positions of
a plan. `blocks` finds boxes of indices in which all operands are strided, `blocked_copy` copies them, by the machine
code of `kernels` where that pays. `items` is about formats of memory, `ways` about methods of elementwise accessors.
"""
