"""Tracing finds the formulas of an accessor, and remembers them by what they were found from.

``reading(accessor)`` is what `read` makes of the item at the offset, ``storing(accessor)`` what `store` makes of a
value. An accessor whose code does more than arithmetic (see `mdview.accessors.following`) has none, and is called for
each element.

What is found is remembered by the class and the fields of the accessor as they are at the time, so it changes as they
do, with the functions and attributes of classes that it was read from, which are looked at again each time.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from mdview.accessors.base import Accessor, Writable
from mdview.accessors.fields import NoFormulaError, state
from mdview.accessors.following import KNOWN, MISSING, Guard, Trace
from mdview.accessors.formulas import IDENTITY, Formula
from mdview.base.caches import remember
from mdview.base.sizes import is_small

# Any: an accessor of whatever elements.


def reading(accessor: Accessor[Any, Any]) -> Formula | None:
    """Return what ``accessor.read(data, offset)`` makes of ``data[offset]``, or None where that is no formula.

    >>> from mdview import ScaledAccessor
    >>> reading(ScaledAccessor(2.5)).each([1, 2])
    [2.5, 5.0]
    """
    found = traced(accessor, "read")
    return found if type(found) is Formula and not found.is_foreign else None


def storing(accessor: Accessor[Any, Any]) -> Formula | None:
    """Return what ``accessor.store(data, offset, value)`` makes of the value, or None where that is no formula."""
    found = traced(accessor, "store")
    return found if type(found) is Formula and not found.is_foreign else None


def traced(accessor: Accessor[Any, Any], method: str) -> Formula | str:
    """Return the formula of ``read`` or ``store``, in which scalars of NumPy may take part, or why there is none."""
    if method == "store" and not isinstance(accessor, Writable):
        return f"{type(accessor).__name__} has no store"
    if accessor.is_plain:
        return IDENTITY
    if not KNOWN:
        return "the instructions of this version of Python are not known"
    kinds: list[type] = []
    try:
        key = method, state(accessor, kinds)
    except NoFormulaError as reason:
        return f"{type(accessor).__name__}: {reason}"
    known = _cache.get(key)
    if known is None or not _holds(known[1]):
        _cache.pop(key, None)
        known = _found(accessor, method, kinds)
        if is_small(kinds):
            remember(_cache, key, known)
    return known[2]


def _holds(guards: list[Guard]) -> bool:
    """Tell whether every name still means what it meant; a loop, as a generator takes twice the time."""
    for get, name, found in guards:  # noqa: SIM110
        if get(name, MISSING) is not found:
            return False
    return True


_Known = tuple[list[type], list[Guard], Formula | str]
_cache: Final[dict[Hashable, _Known]] = {}
"""Formulas by the states of accessors; their classes live as long as the identities of these are keys."""


def _found(accessor: Accessor[Any, Any], method: str, kinds: list[type]) -> _Known:
    trace = Trace(reads=method == "read")
    try:
        return kinds, trace.guards, trace.formula(accessor, method)
    except NoFormulaError as reason:
        return kinds, trace.guards, f"{type(accessor).__name__}.{method}: {reason}"
