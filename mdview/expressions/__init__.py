"""Expressions: the integer arithmetic of a layout as a tree, from which the code of all engines follows.

The folder imports `base` alone; of a layout it needs one method, `offset`. Begin with `expression_tree` (the tree) and
`tracing` (from a layout's method to a tree). `operators` evaluates a tree for given values of its variables;
`range_analysis`, `normal_form` and `simplification` answer questions about a tree, `python_codegen` and `c_codegen`
write it.
"""
