"""Tiles have no strides in bytes either."""

from mdview import Dims2, LayoutTiled, MDView


def row_stride(view: MDView[float, Dims2, LayoutTiled]) -> int:
    return view.byte_strides[0]  # error: only strided layouts have strides


print(row_stride)
