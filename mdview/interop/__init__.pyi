# The public names, which load on first use.

from mdview.interop import cpp as cpp
from mdview.interop import dask as dask
from mdview.interop import writers as writers
