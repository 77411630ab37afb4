"""Operands of bulk operations: the storage, plan, origin and accessor of a view.

Two operands may share memory. Then what is read is complete before what is written begins. A staging buffer holds
elements in index order, in the format of the target, so that a value that cannot be stored there is refused while
nothing has changed yet.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final, final

from mdview.accessors.accessor import Accessor
from mdview.accessors.policies import DefaultAccessor
from mdview.base import AffineImage, import_numpy
from mdview.base.strided_sets import common_offset
from mdview.engines.mapping_plan import Plan
from mdview.errors import UndecidedError
from mdview.memory.exporters import address_of, map_under, owns_memory, region_of
from mdview.memory.item_formats import REFUSALS, refusal
from mdview.memory.storage import Storage
from mdview.memory.struct_items import BYTE_ITEMS, ByteItems, StructItems, bits_of, is_scattered, raw_of

PLAIN: Final = DefaultAccessor[Any]()
"""The accessor of items as they are."""
_TAKEN: Final = frozenset("bBhHiIlLqQfd")
"""Formats of numbers that an `array.array` takes as a memoryview does."""
AT_ONCE: Final = 1 << 16
"""How many values are put there together at most."""


@final
class Operand:
    """Elements of a view.

    Attributes
    ----------
    items
        What is indexed. Any: a memoryview, a list, whatever holds the elements.
    plan
        Where an index lies, counted from ``origin``.
    origin
        Position of offset 0 in the items.
    accessor
        What an access does.
    is_direct, is_plain
        Whether each index leads to an element, and whether the items are the elements.
    row
        What array engines keep: the items as an array, or the items where several share a byte, or others lie between.
    padded, constant
        What array engines keep of a padded operand: the plan before, where that is now one of elements alone; and what
        padding reads as where it leads to no element, through the accessor.
    """

    __slots__ = (
        *("accessor", "constant", "is_direct", "is_plain", "items"),
        *("origin", "padded", "plan", "row"),
    )

    def __init__(self, items: Any, plan: Plan, origin: int, accessor: Accessor[Any, Any]) -> None:
        """Keep the parts."""
        self.items = items
        self.plan = plan
        self.origin = origin
        self.accessor = accessor
        self.is_plain: bool = accessor.is_plain
        self.is_direct: bool = plan.is_total
        # Any: arrays of NumPy, which is not loaded here, and a constant of any type.
        self.row: Any = None
        self.padded: Plan | None = None
        self.constant: Any = None

    @property
    def are_items(self) -> bool:
        """Whether every index stands for an element, and that is the item itself."""
        return self.is_plain and self.is_direct

    def ordered(self, items: Any) -> Operand:
        """Return new ``items`` with the same extents, as they are, one after the other in index order."""
        return Operand(items, self.plan.ordered or self.plan, 0, PLAIN)

    def through(self, plan: Plan, accessor: Accessor[Any, Any]) -> Operand:
        """Return the same items through another plan, under another accessor."""
        made = Operand(self.items, plan, self.origin, accessor)
        made.row = self.row
        return made

    def plain(self) -> Operand:
        """Return the items as they are."""
        return self if self.is_plain else self.through(self.plan, PLAIN)


def may_overlap(source: Operand, target: Operand) -> bool:
    """Tell whether the two may share an element; exactly for strided mappings over the same items.

    >>> from mdview import DefaultAccessor, LayoutStride, Mapping
    >>> from mdview.engines.mapping_plan import plan_of
    >>> row, even = memoryview(bytearray(8)), plan_of(Mapping((4,), LayoutStride((2,))))
    >>> may_overlap(Operand(row, even, 0, DefaultAccessor()), Operand(row, even, 1, DefaultAccessor()))
    False
    """
    distance = _distance(target.items, source.items)
    if distance is None:
        return False
    bits = bits_of(target.items)
    if 8 * distance % bits or bits != bits_of(source.items):
        return True
    shift = 8 * distance // bits + source.origin - target.origin
    mine, its = target.plan, source.plan
    first, second = mine.ends, its.ends
    if first is not None and second is not None and (first[1] < second[0] + shift or second[1] + shift < first[0]):
        return False
    if mine.strides is None or its.strides is None:
        return True
    try:
        images = (
            AffineImage(mine.extents, mine.strides, mine.start),
            AffineImage(its.extents, its.strides, its.start + shift),
        )
        return common_offset(*images) is not None
    except UndecidedError:
        return True


def _distance(target: Any, source: Any) -> int | None:
    """How far the first item of ``source`` lies behind that of ``target``, in bytes; None where memory is apart.

    Any: items of any format. Sequences that are no memory are apart unless they are one object.
    """
    if target is source:
        return 0
    mine, its = _memory(target), _memory(source)
    if mine is None or its is None:
        return None
    if mine.obj is not its.obj and owns_memory(mine.obj) and owns_memory(its.obj):
        return None
    start, begin = address_of(mine), address_of(its)
    if start + mine.nbytes <= begin or begin + its.nbytes <= start:
        return None if owns_memory(mine.obj) or owns_memory(its.obj) else _distance_in_file(mine, its, start, begin)
    return begin - start


def _distance_in_file(mine: memoryview, its: memoryview, start: int, begin: int) -> int | None:
    """How far one lies behind the other in the file of which they are two maps; None where they are apart."""
    (first, told), (second, too) = map_under(None, mine), map_under(None, its)
    if first is None or second is None or first is second:
        return None
    mapped, other = region_of(first, told), region_of(second, too)
    if mapped is None or other is None or (mapped.path, mapped.inode) != (other.path, other.inode):
        return None
    low, high = address_of(memoryview(first)), address_of(memoryview(second))
    start, begin = mapped.offset + start - low, other.offset + begin - high
    return None if start + mine.nbytes <= begin or begin + its.nbytes <= start else begin - start


def _memory(items: Any) -> memoryview | None:
    if isinstance(items, BYTE_ITEMS):
        raw: memoryview = raw_of(items)
        return raw
    if type(items).__module__ == "numpy":
        found: memoryview = (items if items.dtype.hasobject else items.view(f"V{items.itemsize}")).data
        return found
    return None


def staging_buffer(items: Any, count: int) -> Any:
    """Make a buffer of ``count`` items of the format that ``items`` have. Any: items of any format.

    >>> staging_buffer(memoryview(b"abc"), 2).tolist(), staging_buffer(["abc"], 2)
    ([0, 0], [None, None])
    """
    if type(items).__module__ == "numpy" and not items.dtype.hasobject:
        return type(items)((count,), items.dtype, bytearray(count * items.itemsize))
    if is_scattered(items) and items.kind.dtype is not None:
        return import_numpy().ndarray((count,), items.kind.dtype, bytearray(items.kind.nbytes(count)))
    if not isinstance(items, BYTE_ITEMS) or not count:
        return [None] * count
    held: Any = items
    size = held.kind.nbytes(count) if isinstance(items, ByteItems) else count * held.itemsize
    return Storage(bytearray(size), items.format).items


def staged(items: Any, values: Iterable[Any], count: int) -> Any:
    """Put ``values`` for ``items`` into a staging buffer; raise what storing one of them would raise."""
    known = _numbers(items, values) if isinstance(values, list) and len(values) == count else None
    if known is not None:
        return known
    held = staging_buffer(items, count)
    if isinstance(held, list):
        return list(values)
    each = iter(values)
    for start in range(0, count, AT_ONCE):
        part = list(islice(each, min(AT_ONCE, count - start)))
        try:
            _put(held, start, part)
        except REFUSALS:
            _refuse(held, start, part)
            raise
    return held


def _refuse(held: Any, start: int, values: list[Any]) -> None:
    """Put values one by one, up to the one that is refused, and say which it is. Any: see `staged`."""
    for k, value in enumerate(values, start):
        try:
            held[k] = value
        except REFUSALS as error:
            found = refusal(held, value, error)
            try:
                if found is error:
                    raise
                raise found from error
            finally:
                del found  # as in `refuse_store`


def _put(held: Any, start: int, values: list[Any]) -> None:
    """Put values into a buffer, together where they are numbers that `array.array` takes. Any: see `staged`."""
    if isinstance(held, StructItems):
        held.put(start, values)
        return
    known = _numbers(held, values)
    if known is not None:
        held[start : start + len(values)] = known
        return
    for k, value in enumerate(values, start):
        held[k] = value


def _numbers(items: Any, values: list[Any]) -> memoryview | None:
    """Return values in the format of items; None unless `array.array` takes all of them. Any: see `staged`."""
    if type(items) is not memoryview or items.format not in _TAKEN:
        return None
    try:
        return memoryview(array(items.format, values))
    except REFUSALS:  # who stores them one by one says which
        return None
