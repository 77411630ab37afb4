"""The bulk engine reads and writes all elements of views at once; the results are those of one access after the other.

It is given operands (`bulk_operand`): items, a plan, an origin and an accessor, and no view. Begin with
`bulk_dispatch`, in which everything that is done to a whole view enters. `arrays` reads and writes with NumPy,
`reference_loop` one element after the other.
"""
