"""The scalar engine compiles the access to one element: code for the offset, in a class that is made for it.

It is given a mapping and an access, and returns the class of the view and the numbers that its code reads. Begin with
`access_plans`, which chooses; `offset_code` and `lookups` are the ways to compute an offset, `grids` is the way without
arithmetic, `specialised` writes and compiles the class, `slice_cache` finds parts of a view that were asked for before.
"""
