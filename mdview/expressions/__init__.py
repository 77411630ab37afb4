"""Expressions: the integer arithmetic of a layout as a tree, from which the code of all engines follows.

It may know `base` alone; what it asks of a layout is one method. Begin with `expression_tree` (the tree) and `tracing`
(how a layout's own text becomes one). `operators` computes its number for given values of its variables;
`range_analysis`, `normal_form` and `simplification` answer questions about a tree, `python_codegen` and `c_codegen`
write it.
"""
