"""Expressions: the integer arithmetic of a layout as a tree, from which the code of all engines follows.

The folder imports `mdview.base` and `mdview.errors` alone, and needs one method of a layout, ``offset``. Begin with
`expression_tree` (the tree, and its value for values of its variables) and `tracing` (from the method of a layout to a
tree). `range_analysis` bounds the value and its change when the indices are shifted, `normal_form` and `simplification`
compare and simplify trees, and `python_codegen` and `c_codegen` write source.
"""
