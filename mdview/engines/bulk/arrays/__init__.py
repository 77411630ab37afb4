"""Bulk access through NumPy: this folder is loaded where it pays, and NumPy with it, Numba for large copies.

Begin with `bulk_execution`, the verbs. `array_operands` are what they work on, place by place. `cost_model` says how
elements move: in blocks of indices in which all operands are strided (`strided_blocks`), which `strided_transfer`
copies, or by the positions of a plan (`plan_positions`), at which `gather_scatter` reads and writes. `item_arrays` is
about formats of memory, `elementwise_evaluation` about methods of elementwise accessors.
"""
