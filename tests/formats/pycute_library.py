"""Layouts and swizzles of CuTe, asked of pycute, a part of CUTLASS (``pip install --no-deps nvidia-cutlass``)."""

from itertools import product
from math import prod


def offsets(library, case):
    """Return where each index lies, the last dimension fastest, one number for each dimension."""
    shape = tuple(map(tuple, case["shape"]))
    layout = library.Layout(shape, tuple(map(tuple, case["stride"])))
    found = [layout(*index) for index in product(*(range(prod(parts)) for parts in shape))]
    return found if case["swizzle"] is None else [library.Swizzle(*case["swizzle"])(offset) for offset in found]
