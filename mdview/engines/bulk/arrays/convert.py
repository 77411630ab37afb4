"""Conversion of numbers from one element format to another, as storing them one by one would convert them.

Python's numbers stand between the two formats. An integer goes into an integer format if it fits and is refused if it
does not, and into a floating-point format by way of a double. A float goes into no integer format. Any number has a
truth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # Any: of whatever format the items are
Type = np.dtype[Any]


def converts(source: Type, target: Type) -> bool:
    """Tell whether `converted` knows how; what it does not know is stored one by one."""
    if source == target:
        return True
    if not (source.isnative and target.isnative) or source.kind not in "biuf" or target.kind not in "biuf":
        return False
    if target.kind == "f":
        return target != np.float16  # packed by `struct`, which refuses what is too large
    return target.kind == "b" or source.kind != "f"


def needs_test(source: Type, target: Type) -> bool:
    """Tell whether a number of one format may not fit the other."""
    if source.kind not in "iu" or target.kind not in "iu":
        return False
    return not np.can_cast(source, target, "safe")


def misfit(values: Array, target: Type) -> object | None:
    """Return a number that does not fit ``target``, an integer type, or None."""
    limits = np.iinfo(target)
    return next((n for n in (int(values.min()), int(values.max())) if not limits.min <= n <= limits.max), None)


def converted(values: Array, target: Type) -> Array:
    """Numbers in another format; they fit."""
    if values.dtype == target:
        return values
    with np.errstate(over="ignore", invalid="ignore"):
        if target.kind == "f":
            values = values.astype(np.float64)
        found: Array = values.astype(target)
    return found
