"""The form of a file: the mapping and the type of its elements, and the byte at which they begin.

A ``.npy`` file in C or Fortran order is one of NumPy's own. Under any other layout it is an array of one dimension to
NumPy, all that the layout allocates, and a comment at the end of its header has the mapping. What does not end in
``.npy`` is bytes without a header.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from io import BytesIO
from typing import Any, Final, final

from mdview.accessors.formats import native_format, typestr
from mdview.base.integers import as_integer
from mdview.base.texts import shown, told
from mdview.base.values import value
from mdview.errors import BufferFormatError, BufferSizeError, ExtentsError, OperandError
from mdview.layouts.left import LayoutLeft
from mdview.layouts.right import LayoutRight
from mdview.mappings.facts import AnyMapping
from mdview.mappings.language.reading import parse
from mdview.mappings.language.writing import format as text_of
from mdview.mappings.mapping import Mapping, check_mapping
from mdview.views.export import import_numpy

MAGIC: Final = b"\x93NUMPY"
LENGTHS: Final = {b"\1\0": "<H", b"\2\0": "<I", b"\3\0": "<I"}
"""How each version of the .npy format writes the length of its header."""
MOST_HEADER: Final = 10_000
"""How many bytes of a header are read of a file that may be anyone's."""
MARK: Final = "# mdview: "
ALIGNED, PAGE = 64, 4096


@final
@value
class Form:
    """What the bytes of a file are. Any: a dtype of NumPy, which is loaded on use."""

    mapping: AnyMapping
    dtype: Any
    begin: int

    @property
    def end(self) -> int:
        """Size in bytes of a file that is written in this form: tiles are whole."""
        return self.begin + allocated(self.mapping) * int(self.dtype.itemsize)


def allocated(mapping: AnyMapping) -> int:
    """Count the elements that a layout allocates, those of tiles that stick out among them."""
    layout = mapping.layout
    count: int = getattr(layout, "allocation_size", layout.required_span_size)(mapping.extents)
    return int(count)


def form_of(descriptor: int, name: str, mapping: AnyMapping | str | None, item_format: str | None, offset: int) -> Form:
    """Return the form of a file: what is said of raw bytes, else what the header says.

    Raises
    ------
    BufferFormatError, BufferSizeError
        It is no ``.npy`` file, or too short.
    OperandError
        Only one of mapping and format is given, or an offset alone.
    """
    if mapping is None and item_format is None and not offset:
        form = npy_form(descriptor, name)
    elif mapping is None or item_format is None:
        message = "raw bytes need both a mapping and an item_format"
        raise OperandError(message)
    else:
        mapping = parse(mapping) if isinstance(mapping, str) else mapping
        check_mapping(mapping)
        form = Form(mapping, dtype_of(item_format), as_integer(offset, "offset"))
        if form.begin < 0:
            message = f"offset is 0 or more, the byte at which the elements begin, got {shown(form.begin)}"
            raise ExtentsError(message)
    check_size(form, os.fstat(descriptor).st_size, name)
    return form


def dtype_of(item_format: object) -> Any:
    """Return NumPy's type of a format: a letter of `struct`, or a name that NumPy knows. Any: NumPy loads on use."""
    numpy = import_numpy()
    if not isinstance(item_format, str):
        message = f"item_format is a text, a letter of struct or a name of NumPy's, got {told(item_format)}"
        raise OperandError(message)
    with suppress(struct.error, BufferFormatError, TypeError, ValueError):
        size = struct.calcsize(item_format.replace("Zf", "ff").replace("Zd", "dd"))
        return numpy.dtype(typestr(native_format(item_format, size), size))
    try:
        found = numpy.dtype(item_format)
    except TypeError:
        found = numpy.dtype("O")
    if found.hasobject or not found.itemsize:
        message = f"no format of items: {item_format!r}; a letter of struct (d, >i), or a dtype of NumPy's (float64)"
        raise BufferFormatError(message)
    return found


def npy_form(descriptor: int, name: str) -> Form:
    """Read the form of a ``.npy`` file from its header.

    Raises
    ------
    BufferFormatError
        The file is none, or its elements are Python objects.
    """
    npy = import_numpy().lib.format
    start = os.pread(descriptor, len(MAGIC) + 6, 0)
    version = start[len(MAGIC) : 8]
    if not start.startswith(MAGIC) or version not in LENGTHS:
        message = f"{name!r} begins like no .npy file of version 1.0 to 3.0; of raw bytes, give mapping and item_format"
        raise BufferFormatError(message)
    width = struct.calcsize(LENGTHS[version])
    (length,) = struct.unpack(LENGTHS[version], start[8 : 8 + width].ljust(width, b"\0"))
    header = os.pread(descriptor, min(length, MOST_HEADER), 8 + width)
    try:
        read = npy.read_array_header_1_0 if version == b"\1\0" else npy.read_array_header_2_0
        shape, is_fortran, dtype = read(BytesIO(start[8 : 8 + width] + header))
    except ValueError as error:
        message = f"the header of {name!r} cannot be read: {error}"
        raise BufferFormatError(message) from None
    if dtype.hasobject:
        message = f"{name!r} holds pickled Python objects, which are no items of a view"
        raise BufferFormatError(message)
    _, mark, text = header.decode("latin-1").rpartition(MARK)
    if mark and len(shape) == 1:
        return Form(parse(text.strip()), dtype, 8 + width + length)
    return Form(Mapping(shape, LayoutLeft() if is_fortran else LayoutRight()), dtype, 8 + width + length)


def npy_header(mapping: AnyMapping, dtype: Any) -> bytes:
    """Return the header of a ``.npy`` file of this mapping, up to where the elements begin. Any: a dtype of NumPy.

    >>> npy_header(Mapping((2, 3)), import_numpy().dtype("<f8"))[10:70]
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } "
    """
    shape, comment = tuple(map(int, mapping.extents)), ""
    is_fortran = mapping.layout == LayoutLeft()
    if not is_fortran and mapping.layout != LayoutRight():
        shape, comment = (allocated(mapping),), f"{MARK}{text_of(mapping)}"
    descr = import_numpy().lib.format.dtype_to_descr(dtype)
    text = f"{{'descr': {descr!r}, 'fortran_order': {is_fortran}, 'shape': {shape}, }} {comment}".encode("latin-1")
    step = ALIGNED if mapping.layout.tiling() is None else PAGE
    short = len(text) < 1 << 15
    before = len(MAGIC) + (4 if short else 6)
    padded = text.ljust(-(-(before + len(text) + 1) // step) * step - before - 1) + b"\n"
    return MAGIC + (b"\1\0" if short else b"\2\0") + struct.pack("<H" if short else "<I", len(padded)) + padded


def check_size(form: Form, size: int, name: str) -> None:
    """Refuse a file that has not all elements; the last tile may be cut.

    Raises
    ------
    BufferSizeError
        It is too short.
    """
    needed = form.begin + form.mapping.required_span_size * form.dtype.itemsize
    if needed > size:
        message = (
            f"{form.mapping!r} of {form.dtype} needs {shown(needed)} bytes, {shown(form.begin)} before the first "
            f"element among them; {name!r} has {size}"
        )
        raise BufferSizeError(message)
