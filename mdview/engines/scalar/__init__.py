"""The scalar engine compiles the access to one element: code for the offset, in a class that is made for it.

It is given a mapping and an access, and returns the class of the view and the numbers that its code reads. Begin with
`access_plan_cache`, which has a plan for the views of each mapping. `offset_codegen` has the ways to compute an offset,
`access_signature` the way without arithmetic, `view_class_codegen` writes and compiles the class when the first element
is asked for, and `slice_key_codegen` finds parts of a view that were asked for before.
"""
