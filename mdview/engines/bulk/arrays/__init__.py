"""Bulk access through NumPy: this folder is loaded where it pays, and NumPy with it, Numba for large copies.

Begin with `block_transfer`, the verbs. `strided_blocks` finds boxes of indices in which all operands are strided (from
the tables of `boxes`), `cache_order` copies them, by the machine code of `kernels` where `compiled` says so.
Where there are no blocks `gather` looks offsets up, `regions` finds boxes in which comparisons are settled, and
`progressions` reads rows whose offsets grow by a constant. `items` and `convert` are about formats of memory.
"""
