"""A layout says where an index lies, and answers what follows from that: one module for each layout.

It may know the index space, expressions and arithmetic, and neither data nor accessors nor mappings. Begin with `base`,
the interface: two methods without a default, and every other question with one that is right for any layout. `strided`
and `wrapper` are the abstract classes of linear layouts and of layouts around another one; `composed` has
what operations make of layouts without strides, `stride` the choice of a layout for given strides, `arithmetic` and
`enumeration` what follows from `offset` alone.
"""
