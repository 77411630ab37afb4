"""Engines carry accesses out: `scalar` one element at a time, `bulk` all elements at once.

They may know mappings, layouts and accessors, and no view: a view hands over what it is made of. Both compute what the
mapping defines, bit for bit. Begin with `axis_tables` (per dimension the offsets of its indices), `padding` (one index
that stands for no element) and `padded_boxes` (all of them), which both share; the two engines do not know each other.
"""
