"""Expressions: the integer arithmetic of a layout as a tree, from which the code of all engines follows.

The folder imports `mdview.base` alone, and needs one method of a layout, ``offset``. Begin with `expression_tree` (the
tree) and `tracing` (from the method of a layout to a tree). `operators` evaluates a tree for values of its variables,
`range_analysis` bounds its value, `normal_form` and `simplification` compare and simplify trees, `translation`
computes how the value changes when the indices are shifted, and `python_codegen` and `c_codegen` write source.
"""
