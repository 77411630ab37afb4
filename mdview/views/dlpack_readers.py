"""Readers of DLPack: who asks for a capsule decides what may be in it, where a wrong one would end the process.

A capsule does not know its reader, and most readers refuse what they cannot take with an error. Those of `ENDING` end
the process: on a negative stride torch throws in a C++ function that may not throw, so Python sees no exception. Each
of its functions calls ``__dlpack__`` from a module of its own, and that frame is looked at. Compiled functions, such as
NumPy's and nanobind's, have no frame; the one below them is the user's, so they get negative strides.

What cannot be seen is a capsule that is made here and passed on by hand, ``torch.from_dlpack(view.__dlpack__())``.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING, Final

from mdview.errors import ExportError

if TYPE_CHECKING:
    from mdview.views.export import AnyArray

ENDING: Final = frozenset({"torch"})
"""The packages of which a negative stride ends the process."""
_PROTOCOL: Final = "__dlpack__"


def check_reader(array: AnyArray) -> None:
    """Refuse negative strides to a reader that they end. Strides without a second element are no strides.

    Raises
    ------
    ExportError
        A stride is negative, and the reader is one of `ENDING`.
    """
    if array.size == 0 or min(array.strides, default=0) >= 0:
        return
    negative = [r for r, (step, n) in enumerate(zip(array.strides, array.shape, strict=True)) if step < 0 and n > 1]
    if negative and (package := _package_that_asks()) in ENDING:
        r = negative[0]
        message = (
            f"dimension {r} of this view has the stride {array.strides[r] // array.itemsize}, and {package} takes no "
            f"negative strides: it would end the process; {package}.from_dlpack(view, copy=True) copies the values, "
            "and relayout(view, LayoutRight()) is a copy as a view"
        )
        raise ExportError(message)


def _package_that_asks() -> str:
    """Return the package of the code that calls ``__dlpack__``, be it that of an object around a view."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - public by its documentation
    while frame is not None and frame.f_code.co_name != _PROTOCOL:
        frame = frame.f_back
    while frame is not None and frame.f_code.co_name == _PROTOCOL:
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals.get("__name__", "")).partition(".")[0]
