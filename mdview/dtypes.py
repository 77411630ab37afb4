"""Types of elements in memory: their size in bits, byte order and Python type, and the names that ``dtype=`` takes.

There are the numbers of `struct`, those that NumPy names, and the floats of 8 and 16 bits of ``ml_dtypes``, which are
read and written without it, and integers of 1, 2 and 4 bits that share bytes. Types that NumPy alone reads, records,
texts and dates, need NumPy.
"""

from mdview.memory.data_types import DType, DTypeLike, read_dtype

__all__ = ["DType", "DTypeLike", "read_dtype"]
