# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.index.extents import Dim, Dims1, Dims2, Dims3, Dims4, Dims5, Dims6, Dyn, Extents, dim
from mdview.index.index_map import IndexMap
from mdview.index.slices import ALL, ExtentSlice, RangeSlice, StridedSlice

__all__ = ["ALL", "Dim", "Dims1", "Dims2", "Dims3", "Dims4", "Dims5", "Dims6", "Dyn", "ExtentSlice", "Extents", "IndexMap", "RangeSlice", "StridedSlice", "dim"]
