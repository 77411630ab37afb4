"""The bulk engine reads and writes all elements of views at once; the results are those of one access after the other.

It is given operands (`operand`): items, a mapping, an origin and an accessor, and no view. Begin with `whole_views`, in
which everything that is done to a whole view enters. `runs` and `row_buffers` work on slices of Python's own memory;
`arrays` does the same with NumPy. `aliasing` and `staging` are for operands that share memory, `vector_offsets` is the
arithmetic of a layout on arrays of indices.
"""
