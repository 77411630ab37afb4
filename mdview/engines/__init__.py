"""Engines, which access elements: `element_access` one element at a time, `bulk` all elements at once.

An engine gets the parts of a view (storage, origin, plan, accessor) and not the view. Both engines access the elements
that the mapping defines, with equal results, bit for bit. Begin with `mapping_plan` (the offsets of a mapping as steps
and tables; `offset_tables` has the tables) and `bounds_check` (positions outside the items, and padding), which both
engines use. The two engines do not import each other.
"""
