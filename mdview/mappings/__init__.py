"""A mapping is a layout bound to extents: this folder has the class, and what follows for any mapping from its layout.

It may know the index space and layouts, and no data, accessor or engine. Begin with `mapping`; `slicing` and
`verbs` derive one mapping from another, `facts` answers exact questions about one and `explaining` puts the
answers into words. `language` reads and writes mappings as text.
"""
