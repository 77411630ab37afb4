"""DLPack passes the memory of a view to another library of arrays, in a capsule of NumPy's.

What cannot be said in it is refused and never copied unasked: its tensors are strided, of numbers in the byte order of
the machine, without negative strides, on which some consumers end the process. Only consumers of version 1.0 or newer
can be told that a tensor is read-only.
"""

from __future__ import annotations

from typing import Any, Final

from mdview.accessors.base import Writable
from mdview.base.partners import import_numpy
from mdview.errors import ExportError
from mdview.views.export import AnyArray, as_array, check_copy, shared_array, shared_memory
from mdview.views.parts import Parts

CPU: Final = (1, 0)
"""The type and the number of the device: memory of this process."""
_COPY: Final = "copy=True gives a copy of its values, and np.asarray(view) an array of them"


def capsule_of(parts: Parts, *, stream: object, max_version: Any, dl_device: Any, copy: object) -> Any:
    """Return the capsule of a view's memory, or of a copy of its values if ``copy`` is true. Any: as callers give it.

    Raises
    ------
    ExportError
        The view exports no memory or has negative strides, or DLPack does not say its items, its device, or that it is
        read-only.
    """
    check_copy(copy)
    asked = {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy}
    array: AnyArray
    if copy and parts.storage is not None:
        array = as_array(parts.placed(), dtype=None, copy=None)
    else:
        block = shared_memory(parts.placed(), "DLPack tensor", _COPY)
        array = shared_array(block, stores=isinstance(parts.accessor, Writable))
        _check_strides(array)
    if import_numpy().__version__.startswith("2.0."):  # which knows neither versions nor devices nor copies
        array, asked = array.copy() if copy else array, {"stream": stream}
    try:
        return array.__dlpack__(**asked)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ExportError(f"NumPy makes no DLPack tensor of items of type {array.dtype}: {error}; {_COPY}") from None


def _check_strides(array: AnyArray) -> None:
    """Refuse negative strides: a capsule does not know who reads it. Those without a second element are no strides."""
    rows = enumerate(zip(array.strides, array.shape, strict=True))
    r = next((r for r, (step, n) in rows if step < 0 and n > 1), None) if array.size else None
    if r is not None:
        raise ExportError(
            f"dimension {r} of this view has the stride {array.strides[r] // array.itemsize}, and DLPack gets no "
            "negative strides, on which some consumers end the process; flip a copy: copy=True copies the values, "
            "and relayout(view, LayoutRight()) is a copy as a view"
        )
