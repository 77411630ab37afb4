"""Bulk access through NumPy: this folder is loaded where it pays, and NumPy with it, Numba for large copies.

Begin with `bulk_execution`, the verbs. `array_operands` are what they work on, place by place, `gather_scatter` reads
and writes items at the positions of a plan (`plan_positions`). `strided_blocks` finds boxes of indices in which all
operands are strided, and copies them. `item_arrays` is about formats of memory, `elementwise_evaluation` about methods
of elementwise accessors.
"""
