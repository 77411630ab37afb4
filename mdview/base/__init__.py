"""The ground of everything: frozen values, bounded caches, checks of arguments, and the integers that strides reach.

It knows nothing of views, layouts or extents. Begin with `frozen_values`, by which all value classes are made;
`strided_sets` has the number theory (collisions, holes, overlaps of strided sets), `caches` what is remembered,
`optional_libraries` libraries that are loaded on use, `argument_checks` the errors for arguments of the wrong kind.
"""
