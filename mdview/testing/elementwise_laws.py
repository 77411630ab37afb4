"""Laws of elementwise accessors: a run of items gives what Python gives item by item."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

from mdview.accessors.base import Writable
from mdview.errors import MDViewError
from mdview.memory.storage import Storage
from mdview.operations.algorithms import copy
from mdview.testing.accessor_laws import Accessed
from mdview.testing.laws import Findings, Stages, found, law
from mdview.views.view import MDView

# Any throughout: items, values and arrays are whatever the accessor under test takes.

_COUNT: Final = 4096
_LONG: Final = 1500
"""So many items are a run, which need not be called item by item."""
_ULPS: Final = 2
_LIKELY: Final = 1e6


def _items(case: Accessed) -> Any:
    """Items to try, an array: all of 8 and 16 bits, else those of the data, numbers of all sizes, and any bits."""
    try:
        import numpy as np  # noqa: PLC0415 - only these laws need it

        from mdview.engines.bulk.arrays.items import row_of  # noqa: PLC0415 - loads NumPy
    except ImportError:
        return None
    row = row_of(Storage(case.make(case.size)).items)
    if not case.accessor.is_elementwise or row is None or row.dtype.kind not in "biufc":
        return None
    if row.dtype.kind == "b":
        return np.array([False, True])
    if row.dtype.itemsize <= 2:  # noqa: PLR2004 - bytes
        return np.arange(1 << 8 * row.dtype.itemsize).astype(f"u{row.dtype.itemsize}").view(row.dtype)
    powers = np.array([2**k + d for k in range(8 * min(row.dtype.itemsize, 8) - 1) for d in (-1, 0, 1)])
    special = np.array([] if row.dtype.kind in "iu" else [0.5, -0.5, -0.0, math.inf, -math.inf, math.nan])
    bits = np.random.default_rng(27).bytes(_COUNT * row.dtype.itemsize)
    with np.errstate(all="ignore"):
        numbers = [given.astype(row.dtype) for given in (powers, -powers, special)]
        return np.concatenate([row, *numbers, np.frombuffer(bits, row.dtype)])


def _outcome(call: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except Exception as error:  # noqa: BLE001 - the code of a user
        return error


def _groups(case: Accessed) -> Iterator[Any]:
    """Items of which other ways may be taken: all, those that are no extremes, and of these the positive ones."""
    items = _items(case)
    if items is not None and not isinstance(_outcome(_view, case, items), MDViewError):
        import numpy as np  # noqa: PLC0415 - it is there

        with np.errstate(all="ignore"):
            likely = items[np.abs(items.astype(complex)) < _LIKELY]
            yield from (items, likely, likely[likely.real > 0])


def _view(case: Accessed, items: Any) -> Any:
    return MDView(items, (len(items),), accessor=case.accessor)


def _agree(value: Any, got: Any) -> bool:
    value = value.item() if hasattr(value, "dtype") else value
    if isinstance(value, complex) and isinstance(got, complex):
        return _agree(value.real, got.real) and _agree(value.imag, got.imag)
    if type(value) is not type(got) or value == got or not isinstance(value, float):
        return type(value) is type(got) and value == got
    return (math.isnan(value) and math.isnan(got)) or abs(value - got) <= _ULPS * math.ulp(value)


@law(
    "runs read",
    "a run of items reads as item by item, to two units in the last place, and raises what one of them does",
)
def runs_read_as_items(case: Accessed) -> Findings:
    """Read many items at once, and an item that cannot be decoded among many that can."""
    for items in _groups(case):
        view = _view(case, items)
        ones = [_outcome(view.__getitem__, k) for k in range(len(items))]
        good = [k for k, one in enumerate(ones) if not isinstance(one, Exception)]
        if not good:
            continue
        run = _repeated(items[good])
        for k, got in zip(good, _view(case, run).tolist(), strict=False):
            if not _agree(ones[k], got):
                yield found(ones[k], got, call=f"decode({items[k]!r}) in a run")
        for k in {type(one): k for k, one in enumerate(ones) if isinstance(one, Exception)}.values():
            run[run.size // 2] = items[k]
            got = _outcome(_view(case, run).tolist)
            if type(got) is not type(ones[k]):
                yield found(type(ones[k]).__name__, type(got).__name__, call=f"decode({items[k]!r}) in a run")


@law("runs write", "a run of values is stored as one by one, to two units in the last place")
def runs_write_as_values(case: Accessed) -> Findings:
    """Store what items are decoded to."""
    for items in _groups(case) if isinstance(case.accessor, Writable) else ():
        import numpy as np  # noqa: PLC0415 - it is there

        source, cell = _view(case, items), np.zeros_like(items[:1])
        values, stored = [], []
        for k in range(len(items)):
            value = _outcome(source.__getitem__, k)
            if not isinstance(value, Exception) and _outcome(_view(case, cell).__setitem__, 0, value) is None:
                values.append(value)
                stored.append(cell.tolist()[0])
        if len({*map(type, values)}) != 1 or not isinstance(values[0], bool | int | float | complex):
            continue
        run = _repeated(np.array(values))
        target = np.zeros(run.size, items.dtype)
        copy(MDView(run, (run.size,)), _view(case, target))
        for value, one, got in zip(values, stored, target.tolist(), strict=False):
            if not _agree(one, got):
                yield found(one, got, call=f"encode({value!r}) in a run")


def _repeated(items: Any) -> Any:
    """Return items again and again, until they are many."""
    import numpy as np  # noqa: PLC0415 - it is there

    return np.resize(items, max(_LONG, len(items)))


ELEMENTWISE_LAWS: Final[Stages] = ((runs_read_as_items,), (runs_write_as_values,))
"""Laws of an elementwise accessor over items of the format of some data."""
