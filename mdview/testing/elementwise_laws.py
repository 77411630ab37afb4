"""Laws of elementwise accessors: their methods are pure, and a run of items gives what Python gives item by item."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from mdview.accessors.base import Writable
from mdview.accessors.elementwise import fields_of
from mdview.errors import MDViewError
from mdview.memory.storage import Storage
from mdview.testing.accessor_laws import Accessed
from mdview.testing.laws import Findings, Stages, found, law
from mdview.views.view import MDView

# Any throughout: items, values and arrays are whatever the accessor under test takes.
Method: TypeAlias = Callable[[Any], Any]

_COUNT: Final = 4096
_ULPS: Final = 2
_LIKELY: Final = 1e6


def _items(case: Accessed) -> Any:
    """Items to try, an array: all of 8 and 16 bits, else special ones, random bits and those of the data."""
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
    bits = np.random.default_rng(27).bytes(_COUNT * row.dtype.itemsize)
    powers = [sign * 2**k + d for k in range(8 * row.dtype.itemsize - 1) for d in (-1, 0, 1) for sign in (1, -1)]
    if row.dtype.kind in "iu":
        limits = np.iinfo(row.dtype)
        special = [k for k in (*powers, limits.min, limits.max) if limits.min <= k <= limits.max]
    else:
        special = [*powers, 0.5, -0.5, -0.0, math.inf, -math.inf, math.nan]
    with np.errstate(all="ignore"):
        return np.concatenate([row, np.array(special, row.dtype), np.frombuffer(bits, row.dtype)])


def _outcome(method: Method, item: Any) -> Any:
    try:
        return method(item)
    except Exception as error:  # noqa: BLE001 - the code of a user
        return error


def _groups(items: Any) -> Iterator[Any]:
    """Items of which other ways may be taken: all, those that are no extremes, and of these the positive ones."""
    import numpy as np  # noqa: PLC0415 - it is there

    with np.errstate(all="ignore"):
        likely = items[np.abs(items.astype(complex)) < _LIKELY]
        yield from (items, likely, likely[likely.real > 0])


def _differing(method: Method, items: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Items with what Python and a way make of them, where the two differ."""
    import numpy as np  # noqa: PLC0415 - it is there

    from mdview.engines.bulk.arrays.ways import SHORT, results  # noqa: PLC0415 - loads NumPy

    for group in _groups(items):
        values = [(item, _outcome(method, item)) for item in group.tolist()]
        good = [k for k, (_, value) in enumerate(values) if not isinstance(value, Exception)]
        if not good:
            continue
        run = np.resize(group[good], max(SHORT, len(good)))
        made = results(method, run)
        for k, got in zip(good, [] if made is None else made.tolist(), strict=False):
            item, value = values[k]
            if not _agree(value, got):
                yield item, value, got


def _agree(value: Any, got: Any) -> bool:
    value = value.item() if hasattr(value, "dtype") else value
    if isinstance(value, complex) and isinstance(got, complex):
        return _agree(value.real, got.real) and _agree(value.imag, got.imag)
    if type(value) is not type(got) or value == got or not isinstance(value, float):
        return type(value) is type(got) and value == got
    return (math.isnan(value) and math.isnan(got)) or abs(value - got) <= _ULPS * math.ulp(value)


@law("decode ways", "a run of items is decoded to what decode gives item by item, to two units in the last place")
def decode_ways_agree(case: Accessed) -> Findings:
    """Decode many items at once."""
    items = _items(case)
    if items is not None:
        accessor: Any = case.accessor
        for item, value, got in _differing(accessor.decode, items):
            yield found(value, got, call=f"decode({item!r}) in a run")


@law("encode ways", "a run of values is encoded to what encode gives one by one, to two units in the last place")
def encode_ways_agree(case: Accessed) -> Findings:
    """Encode what items are decoded to."""
    items = _items(case)
    if items is None or not isinstance(case.accessor, Writable):
        return
    from mdview.engines.bulk.arrays.ways import of_one_type  # noqa: PLC0415 - loads NumPy

    accessor: Any = case.accessor
    decoded = [_outcome(accessor.decode, item) for item in items.tolist()]
    values = of_one_type([value for value in decoded if not isinstance(value, Exception)])
    if values is not None:
        for value, item, got in _differing(accessor.encode, values):
            yield found(item, got, call=f"encode({value!r}) in a run")


@law("pure", "decode and encode give the same at each call, in any order, and change no field")
def methods_are_pure(case: Accessed) -> Findings:
    """Call them again, backwards."""
    items = _items(case)
    if items is None:
        return
    accessor: Any = case.accessor
    row = items[:_COUNT].tolist()
    before = repr(fields_of(accessor))
    for name in ("decode", "encode")[: 1 + isinstance(accessor, Writable)]:
        method: Method = getattr(accessor, name)
        first = [repr(_outcome(method, item)) for item in row]
        again = [repr(_outcome(method, item)) for item in reversed(row)][::-1]
        for item, one, other in zip(row, first, again, strict=True):
            if one != other:
                yield found(one, other, call=f"{name}({item!r}), again")
    if repr(fields_of(accessor)) != before:
        yield found(before, repr(fields_of(accessor)), call="fields after decode and encode")


@law("nothing left out", "where decode raises for an item, reading a run that holds it raises the same")
def nothing_is_left_out(case: Accessed) -> Findings:
    """Put an item that cannot be decoded among many that can."""
    items = _items(case)
    if items is None:
        return
    import numpy as np  # noqa: PLC0415 - it is there

    accessor: Any = case.accessor
    outcomes = [_outcome(accessor.decode, item) for item in items.tolist()]
    bad = {type(value): k for k, value in enumerate(outcomes) if isinstance(value, Exception)}
    good = [k for k, value in enumerate(outcomes) if not isinstance(value, Exception)]
    for kind, place in bad.items() if good else ():
        run = np.resize(items[good], max(1500, len(good)))
        run[run.size // 2] = items[place]
        try:
            view: Any = MDView(run, (run.size,), accessor=case.accessor)
            view.tolist()
        except MDViewError:
            return  # the accessor does not serve such data
        except Exception as error:  # noqa: BLE001 - to be compared
            if type(error) is not kind:
                yield found(kind.__name__, f"{type(error).__name__}: {error}", item=items[place])
        else:
            yield found(kind.__name__, "values", item=items[place])


ELEMENTWISE_LAWS: Final[Stages] = (
    (methods_are_pure,),
    (decode_ways_agree, encode_ways_agree),
    (nothing_is_left_out,),
)
"""Laws of an elementwise accessor over items of the format of some data."""
