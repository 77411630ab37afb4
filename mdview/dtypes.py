"""Types of elements in memory: their size in bits, byte order and Python type, and the names that ``dtype=`` accepts.

The types are the numbers of `struct`, the numbers that NumPy names, the floats of 8 and 16 bits of ``ml_dtypes``, and
integers of 1, 2 and 4 bits that share bytes; no other library is needed to read and write them. Records, texts and
dates need NumPy.
"""

from mdview.memory.data_types import DType, DTypeLike, read_dtype

__all__ = ["DType", "DTypeLike", "read_dtype"]
