"""Views: data, mapping and accessor joined; the class `MDView`, subviews, policies and exports.

These modules import the engines, and no operations on whole views. Begin with `view_base`, which keeps the parts of a
view, and `view_access`, which reads and stores its elements; `view` gives them public names, and ``view.pyi`` static
types. Modules elsewhere use `view_base.parts_of` and the functions of `derived_views` and `setitem`, and no underscore
name of a view.
"""
