"""Pickles and copies of views: a view with its elements, all its items, or the description of its region of a file."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from typing import Any, Final, Self, cast

from mdview.engines.bulk import bulk_dispatch
from mdview.engines.bulk.bulk_operand import PLAIN
from mdview.errors import UndecidedError
from mdview.mappings.mapping import Mapping
from mdview.mappings.predicates import bounds
from mdview.memory.exporters import SLACK
from mdview.memory.storage import Storage
from mdview.views import view_parts
from mdview.views.view_base import ViewBase, held, operand_of, parts_of, storage_of
from mdview.views.view_parts import check_fit

FEW: Final = 4096
"""The most indices for which all offsets are computed to find the range of items that a view accesses."""


class PickledView(ViewBase):
    """The abstract class of views that defines pickles and copies."""

    __slots__ = ()

    def __copy__(self) -> Self:
        """Return another view of the same data; elements are not copied."""
        copied: Self = held(self)
        return copied

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the parts of a view: for a buffer the items that it reaches, for a sequence all items.

        Views of the same memory in a pickle share the memory again after unpickling, if each view reaches all but a few
        KiB of it. A pickle of a view with sparse elements has only the elements. A file that `open_view` has mapped is
        opened again. See `mdview.memory.storage`.
        """
        view = held(self)
        storage, low, high = reached_items(view)
        _, origin, mapping, accessor = parts_of(view)
        if storage is None:
            return _rebuild, (self._kind, None, 0, mapping, accessor)
        if _is_sparse(view, storage, high - low) and storage.region() is None:
            row = storage.alike(mapping.size)
            packed = _rebuild(self._kind, row, 0, Mapping(mapping.extents), PLAIN)
            bulk_dispatch.copy(operand_of(view).plain(), operand_of(packed))
            return _spread, (row, storage.readonly, high - low, self._kind, origin - low, mapping, accessor)
        sent, first = storage.sent(low, high)
        return _rebuild, (self._kind, sent, origin - first, mapping, accessor)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a view of a copy of all data; for a mapped file, of a copy of the items that the view reaches.

        Views of the same memory share the copy if they are copied in the same call. ``Any`` stands for the memo of
        `copy.deepcopy`.
        """
        view = held(self)
        storage, low, high = reached_items(view)
        copied, first = storage.copied(low, high, memo) if storage else (None, 0)
        _, origin, *others = parts_of(view)
        return cast("Self", _rebuild(self._kind, copied, origin - first, *deepcopy(others, memo)))


def _rebuild(base: type[ViewBase], storage: Storage | None, origin: int, mapping: object, accessor: object) -> ViewBase:
    """Unpickle a view; its parts are checked as in the constructor of a view.

    An accessor that promises an alignment drops the promise if the new memory does not have it.
    """
    mapping, policy = view_parts.checked_mapping(mapping), view_parts.check_access(accessor)
    if storage is None:
        return base._make(None, 0, view_parts.null_mapping(mapping), policy)
    if mapping.size:  # an empty view needs no alignment
        policy = view_parts.accessor_serving(policy, storage, origin)
        check_fit(storage, mapping, origin, policy)
    return base._make(storage, origin, mapping, policy)


def _is_sparse(view: ViewBase, storage: Storage, count: int) -> bool:
    """Tell whether many of the ``count`` items from the first to the last element are not elements of the view.

    The result is also False if the elements cannot be pickled alone: they overlap, are objects or fields of records, or
    have padding, or the accessor reads other items.
    """
    mapping, accessor = parts_of(view)[2:]
    surplus = storage.nbytes(count) - storage.nbytes(mapping.size)
    if surplus <= SLACK or not storage.has_bytes() or storage.bits != storage.kind.bits or not accessor.is_local:
        return False
    with suppress(UndecidedError):
        return mapping.layout.is_total() and mapping.is_unique
    return False


def _spread(row: Storage, readonly: Any, count: Any, *parts: Any) -> ViewBase:
    """Unpickle a view from its contiguous elements, over new items with zeros between the elements."""
    (base, origin, mapping, accessor), storage = parts, row.alike(count)
    packed = _rebuild(base, row, 0, Mapping(mapping.extents), PLAIN)
    bulk_dispatch.copy(operand_of(packed), operand_of(_rebuild(base, storage, origin, mapping, PLAIN)))
    return _rebuild(base, storage.as_readonly() if readonly else storage, origin, mapping, accessor)


def reached_items(view: ViewBase) -> tuple[Storage | None, int, int]:
    """Return the storage of a view, and the bounds of a range of items that contains all elements and the origin.

    The range may be larger than necessary if the exact range takes long to compute.

    Raises
    ------
    BufferSizeError
        The data has become shorter since the view was made.
    """
    storage, first, mapping, accessor = parts_of(view)
    if storage is None or mapping.size == 0:
        return storage, 0, 0
    length = storage_of(view).length
    if not accessor.is_local:
        return storage, 0, length
    reach = mapping.reach()
    if reach is None and (mapping.size <= FEW or (mapping.layout.is_monotone() and mapping.layout.is_total())):
        reach = bounds(mapping) or (0, -1)  # no index has an element
    low, high = reach or (0, mapping.required_span_size - 1)
    return storage, min(max(0, first + min(low, 0)), length), max(0, min(first + high + 1, length))
