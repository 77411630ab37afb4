"""Bulk access by NumPy; the folder is imported, and NumPy with it, once enough elements are accessed.

Begin with `bulk_execution`, the operations, and `array_operands`, their operands. `cost_model` chooses the method of a
copy: in blocks of indices in which all operands are strided (`strided_blocks`), copied by `strided_transfer`, or by the
positions of a plan (`plan_positions`, `position_boxes`), at which `gather_scatter` reads and writes. `loop_costs` has
the constants of the cost model, `shared_elements` decides whether operands share elements, `item_arrays` converts
formats of items, and `elementwise_evaluation` evaluates the methods of elementwise accessors.
"""
