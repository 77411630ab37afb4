"""A view joins data, mapping and accessor: the class itself, what stands in its brackets, its policies, its exports.

It may know everything that carries out an access (the engines) and nothing that is done with whole views. Begin with
`base`, which is what a view is at run time; `view` says in types what that does.
"""
