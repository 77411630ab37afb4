"""What is done with views: the array-API verbs, linear algebra, copies, fills, reductions, elementwise functions.

An operation asks mappings and engines and stands on views; it knows no layout by name. Begin with `manipulation` for
what only rearranges, with `algorithms` for what reads and writes elements, with `creation` for new memory, with
`transform` for functions of elements.
"""
