"""Access: what of an accessor and of the data the code of an element access depends on."""

from __future__ import annotations

from typing import Any, Final, final

from mdview.accessors.base import Accessor, IndexRule, Writable
from mdview.accessors.fill import fill_of
from mdview.accessors.policies import CheckedAccessor, DefaultAccessor, UncheckedAccessor
from mdview.base.caches import remember
from mdview.base.texts import told
from mdview.errors import AccessorError
from mdview.index.boundary import MODES

FIELDLESS: Final[set[type[Accessor[Any, Any]]]] = {DefaultAccessor, CheckedAccessor, UncheckedAccessor}
"""Accessors all of whose instances are alike: their class tells the access."""

MEMORY: Final = frozenset("bBhHiIlLqQfd?")
"""Formats of items that a memoryview, NumPy's included, indexes by itself."""


@final
class Access:
    """What the code of an access depends on; there is one object for each combination.

    Attributes
    ----------
    base
        The class that is specialised; it provides ``_get(key)`` and ``_set(key, value)``.
    rule
        The index rule.
    is_plain
        Whether a load is ``items[offset]`` and a store ``items[offset] = value``.
    stores
        Whether there are stores.
    is_memory
        Whether the items are a memoryview, which refuses whatever is no integer.
    has_grids
        Whether the items of memory are the elements (see `mdview.engines.scalar.grids`).
    keeps
        Whether all parts of a view have its accessor.
    mode
        How padding is filled; None where nothing says so.
    """

    __slots__ = ("base", "has_grids", "is_memory", "is_plain", "keeps", "mode", "rule", "stores")

    def __init__(  # noqa: PLR0913 - one argument for each attribute
        self,
        base: type,
        rule: IndexRule,
        mode: str | None = None,
        *,
        is_plain: bool,
        stores: bool,
        is_memory: bool,
        keeps: bool,
    ) -> None:
        """Keep the parts."""
        self.base: type = base
        self.rule: IndexRule = rule
        self.mode: str | None = mode
        self.is_plain: bool = is_plain
        self.stores: bool = stores
        self.is_memory: bool = is_memory
        self.keeps: bool = keeps
        self.has_grids: bool = is_memory and is_plain


_accesses: dict[tuple[object, ...], Access] = {}


def access_of(base: type, accessor: Accessor[Any, Any], item_format: str) -> Access:
    """Access of a view of items of ``item_format``; ``base`` is the class to specialise. Any: any elements.

    Raises
    ------
    AccessorError
        The accessor has no index rule.
    """
    accessor_class = type(accessor)
    known = _accesses.get((base, accessor_class, item_format))
    if known is not None:
        return known
    rule = accessor.index_rule
    if not isinstance(rule, IndexRule):
        raise AccessorError(f"the index_rule of an accessor is an IndexRule, that of {told(accessor)} is {told(rule)}")
    is_plain, stores, is_memory = bool(accessor.is_plain), isinstance(accessor, Writable), item_format in MEMORY
    keeps = accessor.offset_policy() is accessor
    fill = fill_of(accessor)
    # A plain str; references to padding are not those to the elements that stand in for it, see `padding.load`.
    is_general = fill is None or (fill.mode != "constant" and accessor.has_references())
    mode = None if fill is None or is_general else MODES[MODES.index(fill.mode)]
    key = (base, rule, mode, is_plain, stores, is_memory, keeps)
    made = Access(base, rule, mode, is_plain=is_plain, stores=stores, is_memory=is_memory, keeps=keeps)
    found = remember(_accesses, key, made)
    return remember(_accesses, (base, accessor_class, item_format), found) if accessor_class in FIELDLESS else found
