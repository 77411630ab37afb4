# Public modules for type checkers: those of `_SUBMODULES` in __init__.py.

from mdview.interop import cpp as cpp
from mdview.interop import dask as dask
from mdview.interop import writers as writers
