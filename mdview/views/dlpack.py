"""DLPack passes the memory of a view to another library of arrays, in a capsule of NumPy's.

What cannot be said in it is refused and never copied unasked: its tensors are strided, of numbers in the byte order of
the machine, without negative strides, on which some consumers end the process. Only consumers of version 1.0 or newer
can be told that a tensor is read-only.
"""

from __future__ import annotations

from typing import Any, Final

from mdview.base.integers import is_index
from mdview.base.texts import told
from mdview.errors import ExportError
from mdview.views.export import AnyArray, as_array, check_copy, import_numpy, shared_array, shared_memory
from mdview.views.parts import Parts

CPU: Final = (1, 0)
"""The type and the number of the device: memory of this process."""
_KINDS: Final = "biufc"
_COPY: Final = "copy=True gives a copy of its values, and np.asarray(view) an array of them"
_FIRST_WITH_READ_ONLY: Final = (1, 0)


def capsule_of(parts: Parts, *, stream: object, max_version: Any, dl_device: Any, copy: object) -> Any:
    """Return the capsule of a view's memory, or of a copy of its values if ``copy`` is true. Any: as callers give it.

    Raises
    ------
    ExportError
        The view exports no memory or has negative strides, or DLPack does not say its items, its device, or that it is
        read-only.
    """
    _check_request(stream, max_version, dl_device)
    check_copy(copy)
    if copy and parts.storage is not None:
        return _capsule(as_array(parts.placed(), dtype=None, copy=None), max_version, copy=True)
    array: AnyArray = shared_array(parts.placed(), shared_memory(parts, "DLPack tensor", _COPY))
    _check_items(array.dtype)
    if not array.flags.writeable and (max_version is None or max_version < _FIRST_WITH_READ_ONLY):
        raise ExportError(
            "this view is read-only, which only DLPack from version 1.0 on can say, and this consumer reads an older "
            f"one; {_COPY}"
        )
    _check_strides(array)
    return _capsule(array, max_version, copy=copy)


def _check_request(stream: object, max_version: Any, dl_device: Any) -> None:
    if stream is not None:
        raise ExportError(
            f"a stream orders work on a device, and this memory is the CPU's: stream must be None, got {told(stream)}"
        )
    if dl_device is not None and not _is_pair(dl_device, CPU):
        raise ExportError(
            f"the memory of a view is on the CPU, device {CPU}, got dl_device={told(dl_device)}; let the library that "
            "has the other device copy it"
        )
    if max_version is not None and not _is_pair(max_version):
        raise ExportError(f"max_version is a tuple of two integers, (1, 0), got {told(max_version)}")


def _is_pair(given: Any, wanted: tuple[int, int] | None = None) -> bool:
    """Tell whether something is a tuple of two integers, those that are wanted if any are."""
    if not isinstance(given, tuple) or len(given) != len(CPU) or not all(map(is_index, given)):
        return False
    return wanted is None or given == wanted


def _capsule(array: AnyArray, max_version: Any, *, copy: object) -> Any:
    """Return NumPy's capsule of an array; NumPy 2.0 knows neither versions nor copies."""
    _check_items(array.dtype)
    is_newer = not import_numpy().__version__.startswith("2.0.")
    try:
        if is_newer:
            return array.__dlpack__(max_version=max_version, copy=copy)
        return (array.copy() if copy else array).__dlpack__()
    except BufferError as error:
        raise ExportError(f"NumPy makes no DLPack tensor of this view: {error}") from None


def _check_items(kind: Any) -> None:  # Any: a type of NumPy's
    if kind.kind not in _KINDS or kind.char in "gG":
        raise ExportError(
            f"DLPack has no items of type {kind}, only truth values, integers, floats and complex numbers of the "
            "machine; np.asarray(view) is an array of them, whose fields, or what astype makes of it, may be numbers"
        )
    if not kind.isnative:
        raise ExportError(
            f"DLPack has no items of type {kind}, only those in the byte order of the machine; "
            'np.asarray(view).astype(view.dtype.newbyteorder("=")) is a copy in that order'
        )


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
