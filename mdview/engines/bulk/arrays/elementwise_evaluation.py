"""Evaluation of elementwise accessors on arrays of items: by an array call, a table, or a loop that Numba compiles.

The three evaluations are tried in this order. An evaluation is used if its results equal the results of Python item by
item, else it is *refused*: floating-point flags detect overflow and undefined operations, and a sample of the results
is compared with Python's. The choice is not cached, since it may differ for other items and fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.accessor import Accessor
from mdview.base import loaded_module
from mdview.engines.bulk.arrays.item_arrays import row_of

Array = NDArray[Any]  # Any: numbers of any format
Method: TypeAlias = Callable[[Any], Any]
"""A bound ``decode`` or ``encode``. ``Any`` stands for numbers and arrays of numbers."""

SHORT: Final = 1024
"""The least number of items for these evaluations; for fewer items the method is called item by item."""
PAYS_TO_LOAD_FROM: Final = 1 << 20
"""The number of calls item by item in this process after which Numba is loaded."""
_BLOCK: Final = 1 << 14
"""The number of items in a call of a method with an array, so that intermediate results stay in a cache."""
_SAMPLED: Final = 16
_TYPES: Final = {
    np.dtype(kind): known
    for kind, known in zip(("?", "i8", "u8", "f8", "c16"), (bool, int, int, float, complex), strict=True)
}


@final
class _NumbaUse:
    """The use of Numba in this process: the number of calls item by item, and whether an import was interrupted."""

    done = 0
    is_stopped = False


class RefusedError(Exception):
    """The error of a refused evaluation, with the reason; this module catches it."""


def results(method: Method, items: Array) -> Array | None:
    """Return the results of a method for all items as an array; None if the method must be called item by item.

    >>> from mdview.accessors import ScaledAccessor
    >>> results(ScaledAccessor(2).decode, np.arange(1024, dtype=np.int8))[:3]
    array([0, 2, 4])
    """
    for _, found in _tried(method, items):
        if not isinstance(found, str):
            return found.reshape(items.shape)
    if loaded_module("numba") is None:
        _NumbaUse.done += items.size
    return None


def ways(accessor: Accessor[Any, Any], items: Array, method: str = "decode") -> dict[str, str]:
    """Return for each tried evaluation of an array of items ``"taken"``, or the reason why the evaluation is refused.

    >>> from mdview.accessors import ScaledAccessor
    >>> ways(ScaledAccessor(2), np.arange(2000))
    {'array': 'taken'}
    """
    if not accessor.is_elementwise:
        return {"item by item": f"taken, as {type(accessor).__name__} is not elementwise"}
    told = {}
    for way, found in _tried(getattr(accessor, method), items):
        told[way] = found if isinstance(found, str) else "taken"
        if not isinstance(found, str):
            return told
    return {**told, "item by item": "taken"}


def explain_decoding(accessor: Accessor[Any, Any], items: object) -> str:
    """Return a string with the evaluation that is used for items, and the reasons for refused evaluations."""
    row = row_of(items)
    if row is None:
        return "item by item: items are Python objects"
    *refused, taken = ways(accessor, row[:_BLOCK]).items()
    reasons = "; ".join([f"{way} refused, {reason}" for way, reason in refused])
    return f"by {taken[0]}".replace("by item", "item") + (f" ({reasons})" if reasons else "")


def of_one_type(found: list[Any]) -> Array | None:
    """Return Python numbers as an array; None if they have several types, or need more than 64 bits."""
    kinds = set(map(type, found))
    if len(kinds) != 1 or not kinds <= {bool, int, float, complex}:
        return None
    made = np.array(found)
    return made if made.dtype in _TYPES and _TYPES[made.dtype] in kinds else None


def _tried(method: Method, items: Array) -> Iterator[tuple[str, Array | str]]:
    """Yield each tried evaluation with its results, or with the reason why it is refused."""
    if items.size < SHORT or items.dtype.kind not in "biufc":
        reason = f"there are {items.size} items, fewer than {SHORT}" if items.size < SHORT else "items are no numbers"
        yield "array", reason
        return
    try:
        sample = _sample(method, items.reshape(-1))  # the least and the greatest of narrow items are found faster
    except Exception as error:  # noqa: BLE001 - the code of a user; calls item by item raise it
        yield "array", f"called with a number, it raises {_text(error)}"
        return
    row = _widened(items.reshape(-1))
    carried_out: dict[str, Callable[[], Array]] = {
        "array": lambda: _with_array(method, row),
        "loop of Numba": lambda: _in_loop(method, row),
        "table": lambda: _by_table(method, items.reshape(-1)),
    }
    for way, carry_out in carried_out.items():
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise", under="ignore"):
                found = carry_out()
            if way != "table":
                _check(found, sample, row)
        except Exception as error:  # noqa: BLE001 - the code of a user, or a compiler
            yield way, _text(error)
        else:
            yield way, found


def _text(error: Exception) -> str:
    return str(error) if isinstance(error, RefusedError) else f"{type(error).__name__}: {error}"


def _widened(row: Array) -> Array:
    """Return items in the type of Python's numbers, as a read-only array."""
    wide = {"b": "?", "i": "i8", "u": "u8" if row.dtype.itemsize == 8 else "i8", "f": "f8", "c": "c16"}  # noqa: PLR2004
    with np.errstate(invalid="ignore"):  # a signalling NaN warns
        found = row.astype(wide[row.dtype.kind], copy=False).view()
    found.flags.writeable = False
    return found


def _sample(method: Method, row: Array) -> dict[int, Any]:
    """Return Python's results by position, for the first, last, lowest and highest item and some other items."""
    places = {*range(0, row.size, -(-row.size // _SAMPLED)), row.size - 1, int(row.argmin()), int(row.argmax())}
    if _has_nan(row):  # argmin and argmax return the position of a NaN
        inside = np.flatnonzero(~np.isnan(row))
        places |= {int(inside[row[inside].argmin()]), int(inside[row[inside].argmax()])} if inside.size else set()
    return {place: method(row[place].item()) for place in sorted(places)}


def _has_nan(numbers: Array) -> bool:
    return bool(np.isnan(numbers[numbers.argmin()]))


def _check(found: Array, sample: dict[int, Any], row: Array) -> None:
    """Check that results agree with a sample of Python's results, and are NaN only for items that are NaN."""
    for place, wanted in sample.items():
        number = wanted.item() if isinstance(wanted, np.generic) and wanted.dtype in _TYPES else wanted
        got = found[place].item()
        if type(got) is not type(number) or repr(got) != repr(number):
            raise RefusedError(f"it gives {got!r} where Python gives {wanted!r}")
    if _has_nan(found) and (np.isnan(found) & ~np.isnan(row)).any():
        raise RefusedError("it gives a NaN for a number")


def _with_array(method: Method, row: Array) -> Array:
    """Return the results of the method, called with arrays of `_BLOCK` items."""
    found: Array | None = None
    for first in range(0, row.size, _BLOCK):
        block = row[first : first + _BLOCK]
        part = method(block)
        if type(part) is not np.ndarray or part.shape != block.shape or part.dtype not in _TYPES:
            raise RefusedError(f"of an array it makes {type(part).__name__} of other shape or type")
        if found is None:
            found = np.empty(row.size, part.dtype)
        elif part.dtype != found.dtype:
            raise RefusedError("it makes arrays of several types")
        found[first : first + _BLOCK] = part
    assert found is not None  # noqa: S101 - the row is not empty
    return found


def _is_compiling() -> bool:
    """Tell whether the lock of the compiler is held: by another thread, or by a thread that a fork has not copied."""
    lock = getattr(getattr(loaded_module("numba.core.compiler_lock"), "global_compiler_lock", None), "_lock", None)
    if lock is None or not lock.acquire(blocking=False):
        return lock is not None
    lock.release()
    return False


def _in_loop(method: Method, row: Array) -> Array:
    """Return the results of the method in a loop that Numba compiles."""
    owner, function = getattr(method, "__self__", None), getattr(method, "__func__", None)
    if _NumbaUse.is_stopped or _is_compiling():
        raise RefusedError("Numba was stopped, or is at work")
    if loaded_module("numba") is None and _NumbaUse.done < PAYS_TO_LOAD_FROM:
        raise RefusedError("Numba is not loaded")
    if not isinstance(owner, Accessor) or type(function) is not FunctionType:
        raise RefusedError("it is no method in Python")
    _NumbaUse.is_stopped = True  # stays True after an interrupt of the import
    try:
        from mdview.accessors import compiled_accessors  # noqa: PLC0415 - loads Numba
    except Exception as error:
        raise RefusedError("there is no Numba") from error
    _NumbaUse.is_stopped = False
    found = compiled_accessors.run_compiled(owner, function, row)
    if isinstance(found, str):
        raise RefusedError(found)
    return np.asarray(found)


def _by_table(method: Method, items: Array) -> Array:
    """Return the results of the method from a table; the method is called once for each bit pattern in the items."""
    size = items.dtype.itemsize
    if size > 2:  # noqa: PLR2004 - bytes
        raise RefusedError("items have more than 16 bits")
    codes = items.view(f"u{size}")
    occurs = np.zeros(1 << 8 * size, bool)
    occurs[codes] = True
    known = np.flatnonzero(occurs)
    with np.errstate(all="ignore"):
        of_items = _widened(known.astype(codes.dtype).view(items.dtype)).tolist()
    entries = of_one_type([method(item) for item in of_items])
    if entries is None:
        raise RefusedError("results are of several types, or no numbers of 64 bits")
    table = np.empty(occurs.size, entries.dtype)
    table[known] = entries
    return np.asarray(table[codes])
