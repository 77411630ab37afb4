"""Bulk access through NumPy: this folder is loaded, and NumPy with it, once that pays.

Begin with `bulk_execution`, the operations; their operands are in `array_operands`. `cost_model` chooses how elements
move: in blocks of indices in which all operands are strided (`strided_blocks`), which `strided_transfer` copies, or by
the positions of a plan (`plan_positions`), at which `gather_scatter` reads and writes. `item_arrays` has formats of
memory, `elementwise_evaluation` methods of elementwise accessors.
"""
