# The public names, which load on first use.

from mdview.index.extents import Dim as Dim, Dims1 as Dims1, Dims2 as Dims2, Dims3 as Dims3, Dims4 as Dims4, Dims5 as Dims5, Dims6 as Dims6, Dyn as Dyn, Extents as Extents, dim as dim
from mdview.index.index_map import IndexMap as IndexMap
from mdview.index.slices import ALL as ALL, ExtentSlice as ExtentSlice, RangeSlice as RangeSlice, StridedSlice as StridedSlice
