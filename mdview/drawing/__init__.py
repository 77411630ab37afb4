"""Pictures of views: pure functions from extents, offsets and elements to text and HTML.

It may know the index space and mappings, and no view: what it draws is handed to it. Begin with `text`; `html` draws
the same as a table, and `facts` names what can be said of a mapping: shape, layout, strides, span, traits.
"""
