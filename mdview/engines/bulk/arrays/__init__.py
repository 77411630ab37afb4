"""Bulk access by NumPy; the folder is imported, and NumPy with it, once enough elements are accessed.

Begin with `bulk_execution`, the operations, and `array_operands`, their operands. `cost_model` chooses between two
methods of a copy. `strided_transfer` copies blocks of indices in which all operands are strided (`strided_blocks`).
`gather_scatter` reads and writes at the positions of a plan (`plan_positions`, `position_boxes`). `loop_costs` defines
the constants of the cost model, `shared_elements` decides whether operands share elements, `item_arrays` converts
formats of items, and `elementwise_evaluation` evaluates the methods of elementwise accessors.
"""
