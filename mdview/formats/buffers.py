"""Views of a buffer from the mapping of a format: `view_bytes`."""

from __future__ import annotations

from typing import Any

from typing_extensions import Buffer

from mdview.base import answer_calls, as_integer, as_text, refuse
from mdview.errors import BufferSizeError
from mdview.interop.npy_headers import view_of_bytes
from mdview.mappings.mapping import AnyMapping, mapping_of
from mdview.mappings.notation.parser import parse
from mdview.memory.data_types import DTypeLike, read_dtype
from mdview.views.view import MDView


@answer_calls
def view_bytes(
    data: Buffer, mapping: AnyMapping | str, dtype: DTypeLike, *, offset: int = 0
) -> MDView[Any, tuple[int, ...], Any, Any]:
    """Return a view of the bytes of a buffer with the mapping of a format; `mdview.open_view` does so for a file.

    Parameters
    ----------
    data
        A contiguous buffer. The view is writable if the buffer is.
    mapping
        The mapping of the elements, or its text in the notation of layouts.
    dtype
        The type of the items.
    offset
        The byte of the buffer at which the mapping begins.

    Raises
    ------
    BufferSizeError
        The buffer is too small for the elements, or ``offset`` lies outside of it.
    OperandError
        ``data`` is not a contiguous buffer.

    >>> view_bytes(bytes(range(16)), "bmp (2, 2, 3)", "u1").tolist()
    [[[10, 9, 8], [13, 12, 11]], [[2, 1, 0], [5, 4, 3]]]
    """
    where = parse(mapping) if isinstance(mapping, str) else mapping_of(mapping)
    items, begin = read_dtype(dtype), int(as_integer(offset, "offset"))
    try:
        whole = memoryview(data).cast("B")
    except TypeError:  # not a buffer, or a strided buffer, which has no contiguous bytes
        refuse("data", "a contiguous buffer", data, "numpy.ascontiguousarray(data) is one")
    if not 0 <= begin <= len(whole):
        raise BufferSizeError(f"elements begin at a byte of the data, 0 to {len(whole)}, got offset {as_text(begin)}")
    region = whole[begin:]
    return view_of_bytes(items, region[: items.nbytes(items.count(len(region)))], where)
