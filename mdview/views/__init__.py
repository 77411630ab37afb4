"""Views: data, mapping and accessor joined; the class `MDView`, subviews, policies and exports.

These modules may know everything that carries out an access (the engines) and nothing that is done with whole views.
Begin with `view_base`, which keeps the parts of a view, and `view_access`, which reads and stores its elements; `view`
gives them their public names, and ``view.pyi`` their static types. Modules elsewhere use `view_base.parts_of` and the
functions of `derived_views` and `setitem`, and no underscore name of a view.
"""
