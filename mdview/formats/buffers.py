"""Views of memory by the mapping of a format."""

from __future__ import annotations

from typing import Any

from mdview.base import answer_calls, as_integer
from mdview.interop.files.npy_headers import view_of_bytes
from mdview.mappings.mapping import AnyMapping, mapping_of
from mdview.mappings.notation.parser import parse
from mdview.memory.data_types import DTypeLike, read_dtype
from mdview.views.view import MDView


@answer_calls
def view_bytes(
    data: object, mapping: AnyMapping | str, dtype: DTypeLike, *, offset: int = 0
) -> MDView[Any, tuple[int, ...], Any, Any]:
    """Return a view of the bytes of a buffer by the mapping of a format, as `mdview.open_view` does of a file.

    Parameters
    ----------
    data
        A buffer. The view stores to it unless it is read-only.
    mapping
        Where the elements lie, or its expression.
    dtype
        Of the items.
    offset
        The byte at which the format begins.

    Raises
    ------
    BufferSizeError
        The buffer has not all elements.

    >>> view_bytes(bytes(range(16)), "bmp (2, 2, 3)", "u1").tolist()
    [[[10, 9, 8], [13, 12, 11]], [[2, 1, 0], [5, 4, 3]]]
    """
    where = parse(mapping) if isinstance(mapping, str) else mapping_of(mapping)
    items, region = read_dtype(dtype), memoryview(data).cast("B")  # type: ignore[arg-type]
    begin = int(as_integer(offset, "offset"))
    whole = region[begin : begin + items.nbytes(items.count(len(region) - begin))]
    return view_of_bytes(items, whole, where)
