"""The bulk engine, which reads and writes all elements of views at once, with the results of access one by one.

The engine gets operands (`bulk_operand`: items, a plan, an origin and an accessor) and not views. Begin with
`bulk_dispatch`, which defines a function for each operation on whole views. `arrays` reads and writes by NumPy,
`reference_loop` one element after the other.
"""
