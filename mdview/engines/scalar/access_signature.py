"""The signature of an element access: the properties of accessor and data on which its generated code depends.

A grid is a memoryview of as many dimensions as the view: its item of an index is the element. Memory with strides can
be indexed so in one step, without arithmetic in Python. The standard library makes grids of rows that lie one after the
other, NumPy, where it is loaded already, of all strides. To make one costs as much as some twenty elements, so it pays
for views of many.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final, final

from mdview.accessors.accessor import Accessor, IndexRule, Writable
from mdview.accessors.policies import CheckedAccessor, DefaultAccessor, UncheckedAccessor, fill_of
from mdview.base import brief, loaded_module, value
from mdview.base.caches import remember
from mdview.engines.bounds_check import check
from mdview.engines.mapping_plan import AnyMapping
from mdview.errors import AccessorError
from mdview.index.boundary_modes import MODES
from mdview.index.dense_strides import right_strides
from mdview.memory.storage import Storage

FIELDLESS: Final[set[type[Accessor[Any, Any]]]] = {DefaultAccessor, CheckedAccessor, UncheckedAccessor}
"""Accessors all of whose instances are alike: their class tells the access."""

PAYS_FROM: Final = 1024
"""How many elements a view must have."""

MOST_DIMENSIONS: Final = 32
"""The largest rank that every version of NumPy and of Python takes."""
MEMORY: Final = frozenset("bBhHiIlLqQfd?")
"""Formats of items that a memoryview, NumPy's included, indexes by itself."""


@final
@value
class AccessSignature:
    """The properties that the code of an access depends on; there is one object for each combination.

    Attributes
    ----------
    base
        The class that is specialised; it provides ``_get(key)`` and ``_set(key, value)``.
    rule
        The index rule.
    mode
        How padding is filled; None where nothing says so.
    is_plain
        Whether a load is ``items[offset]`` and a store ``items[offset] = value``.
    stores
        Whether there are stores.
    is_memory
        Whether the items are a memoryview, which refuses whatever is no integer.
    keeps
        Whether all parts of a view have its accessor.
    """

    base: type
    rule: IndexRule
    mode: str | None
    is_plain: bool
    stores: bool
    is_memory: bool
    keeps: bool

    if not TYPE_CHECKING:  # by identity, which takes less time
        __hash__, __eq__ = object.__hash__, object.__eq__


_accesses: dict[tuple[object, ...], AccessSignature] = {}


def access_of(base: type, accessor: Accessor[Any, Any], storage: Storage | None) -> AccessSignature:
    """Access of a view of the items of a storage; ``base`` is the class to specialise. Any: any elements.

    Raises
    ------
    AccessorError
        The accessor has no index rule.
    """
    accessor_class = type(accessor)
    item_format = "O" if storage is None or type(storage.items) is not memoryview else storage.format
    known = _accesses.get((base, accessor_class, item_format))
    if known is not None:
        return known
    rule = accessor.index_rule
    if not isinstance(rule, IndexRule):
        raise AccessorError(
            f"the index_rule of an accessor is an IndexRule, that of {brief(accessor)} is {brief(rule)}"
        )
    is_plain, stores, is_memory = bool(accessor.is_plain), isinstance(accessor, Writable), item_format in MEMORY
    keeps = accessor.offset_policy() is accessor
    fill = fill_of(accessor)
    # A plain str; references to padding are not those to the elements that stand in for it, see `padding.load`.
    is_general = fill is None or (fill.mode != "constant" and accessor.has_references())
    mode = None if fill is None or is_general else MODES[MODES.index(fill.mode)]
    key = (base, rule, mode, is_plain, stores, is_memory, keeps)
    found = remember(_accesses, key, AccessSignature(*key))
    return remember(_accesses, (base, accessor_class, item_format), found) if accessor_class in FIELDLESS else found


def has_grid(access: AccessSignature, mapping: AnyMapping) -> bool:
    """Tell whether element access to a mapping is served best by a grid."""
    is_large = 1 < len(mapping.extents) <= MOST_DIMENSIONS and prod(mapping.extents) >= PAYS_FROM
    strides = mapping.found_strides() if is_large and access.is_memory and access.is_plain else None
    if strides is None:
        return False
    return loaded_module("numpy") is not None or strides == right_strides(mapping.extents)


def grid_of(items: Any, mapping: AnyMapping, origin: int) -> Any:
    """Memory of a mapping that `has_grid`, whose offset 0 is the item at ``origin``. Any: memoryviews of any format."""
    extents, strides = mapping.extents, mapping.found_strides() or ()
    low, high = mapping.reach() or (0, -1)
    check(origin + low, origin + high, len(items))
    first = origin + mapping.origin
    if strides == right_strides(extents):
        return items[first : first + mapping.size].cast("B").cast(items.format, extents)
    import numpy as np  # noqa: PLC0415 - loaded already, or `has_grid` says no

    size = items.itemsize
    steps = [size * s for s in strides]
    locked = np.frombuffer(items, np.uint8)  # of a memoryview itself an array keeps the exporter alone, and no lock
    array: Any = np.ndarray(extents, items.format, locked, first * size, steps)  # a buffer, which its types do not say
    return memoryview(array)
