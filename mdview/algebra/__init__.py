"""The algebra of layouts: CuTe's operations on mappings, each of which returns an exact result or raises the reason.

An operation reads a mapping as a function of the 1-D index of its elements. The 1-D index counts with the first index
fastest in order "F", which is CuTe's order and the default, and with the last index fastest in order "C". `compose`
applies one mapping to the results of another; division, products and inverses are built from it. A result has a
`mdview.LayoutNested` if there is one. The submodule `mdview.algebra.f2` treats offsets that are linear over bits.
"""

from mdview import _on_first_use

_on_first_use(globals())
