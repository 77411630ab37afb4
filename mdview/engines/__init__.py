"""Engines carry accesses out: `element_access` one element at a time, `bulk` all elements at once.

They may know mappings, layouts and accessors, and no view: a view hands over what it is made of. Both compute what the
mapping defines, bit for bit. Begin with `mapping_plan` (where elements lie, as numbers; `offset_tables` has its tables)
and `bounds_check` (positions outside of items, and indices without one), which both share; the two engines do not know
each other.
"""
