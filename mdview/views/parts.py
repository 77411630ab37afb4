"""The parts that a view joins, as one value: a storage, an origin, a mapping and an accessor.

This is what other modules get of a view (see `mdview.views.base.parts_of`). A view itself keeps each part in a slot of
its own, since that is what compiled element access reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias, final

from mdview.accessors.base import Accessor
from mdview.accessors.buffers import Storage
from mdview.engines.bulk import whole_views
from mdview.engines.bulk.operand import Operand
from mdview.errors import BufferSizeError, NullViewError
from mdview.index.extents import Dim
from mdview.layouts.base import Layout
from mdview.layouts.right import LayoutRight
from mdview.mappings.facts import bounds
from mdview.mappings.mapping import Mapping

AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]
AnyAccessor: TypeAlias = Accessor[Any, Any]
"""Any: elements of any type."""


SPARSE: Final = 2
"""How many times as many items as elements are read at once from a file; what is further apart is not."""

FEW: Final = 4096
"""Of how many indices all offsets are looked up to know which items they reach."""


@final
class Parts(NamedTuple):
    """What a view joins.

    Attributes
    ----------
    storage
        What holds the elements; None for the null view.
    origin
        Position in the storage, in elements, of the mapping's offset 0.
    mapping
        Where an index lies.
    accessor
        What an access does.
    """

    storage: Storage | None
    origin: int
    mapping: AnyMapping
    accessor: AnyAccessor

    @property
    def items(self) -> Any:
        """What an accessor loads from and stores to; None for the null view. Any: a memoryview, a list, an array."""
        return None if self.storage is None else self.storage.items

    def operand(self) -> Operand:
        """Return what bulk operations read and write.

        Raises
        ------
        NullViewError
            There is no data.
        BufferSizeError
            The data has become shorter since the view was made: a list, unlike a buffer, is not locked.
        """
        return Operand(self.checked_storage().items, self.mapping, self.origin, self.accessor)

    def values(self) -> Iterator[Any]:
        """Iterate over the values of all elements in index order; raises as `operand` does."""
        return whole_views.values(self.operand())

    def reached(self) -> tuple[Storage | None, int, int]:
        """Return the storage and the range of its items in which all elements lie, as narrow as costs little to tell.

        Raises
        ------
        BufferSizeError
            The data has become shorter since the view was made.
        """
        if self.storage is None or self.mapping.size == 0:
            return self.storage, 0, 0
        mapping, first, length = self.mapping, self.origin, self.checked_storage().length
        if not self.accessor.is_local:
            return self.storage, 0, length
        reach = mapping.reach()
        if reach is None and (mapping.size <= FEW or (mapping.layout.is_monotone() and mapping.layout.is_total())):
            reach = bounds(mapping) or (0, -1)  # nothing but padding
        low, high = reach or (0, mapping.required_span_size - 1)
        return self.storage, min(max(0, first + low), length), max(0, min(first + high + 1, length))

    def expect(self) -> None:
        """Let the system read the elements at once if they lie in a file, close together: they are read soon."""
        storage, low, high = self.reached()
        if storage is not None and high - low <= SPARSE * self.mapping.size:
            storage.expect(low, high)

    def checked_storage(self) -> Storage:
        """Return the storage, which has all its items; raises as `operand` does."""
        storage = self.storage
        if storage is None:
            refuse_null()
        if len(storage.items) < storage.length:
            message = f"the data had {storage.length} elements when the view was made, now {len(storage.items)}"
            raise BufferSizeError(message)
        return storage


def refuse_null(*_: object) -> NoReturn:
    """Refuse an access to the null view, whatever the arguments of that access are.

    Raises
    ------
    NullViewError
        Always.
    """
    message = "this is the null view: it never had data, or was moved from or released; make another one of data"
    raise NullViewError(message)


@final
class NoItems:
    """What the null view has in the place of items: whatever is asked of them is refused."""

    __slots__ = ()
    __getitem__: Final = refuse_null
    __setitem__: Final = refuse_null
    __len__: Final = refuse_null


NO_ITEMS: Final = NoItems()


def null_mapping(mapping: AnyMapping) -> AnyMapping:
    """Return the mapping of a view without data: dynamic extents become 0; the layout stays if it states strides."""
    extents = tuple([e if type(e) is Dim else 0 for e in mapping.extents])
    return Mapping(extents, LayoutRight() if mapping.layout.stride_rule() is None else mapping.layout)
