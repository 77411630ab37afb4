"""Views: data, mapping and accessor joined; the class `MDView`, subviews, policies and exports.

The folder imports the engines, and no operations on whole views. Begin with `view_base`, which holds the parts of a
view, and `view_access`, which reads and stores its elements. `view` defines the public names of both, and ``view.pyi``
their static types. Other folders use `view_base.parts_of` and the functions of `derived_views` and `view_stores`, and
no underscore names of a view.
"""
