"""The parts of a view (storage, origin, mapping, accessor) as one value, and checks that they fit.

This is what other modules get of a view (see `mdview.views.view_base.parts_of`). A view itself keeps each part in a
slot of its own, since that is what compiled element access reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias, cast, final

from mdview import errors
from mdview.accessors.accessor import Accessor, IndexRule, Writable, check_accessor_kind
from mdview.base import as_text, brief, import_numpy, kind_text, plural
from mdview.engines import bounds_check
from mdview.engines.bulk import bulk_dispatch
from mdview.engines.bulk.bulk_operand import Operand
from mdview.engines.mapping_plan import Plan, plan_of
from mdview.index.extents import Dim
from mdview.index.slices import Selection
from mdview.layouts.enumeration import offset_of
from mdview.layouts.layout import Layout
from mdview.layouts.strided_layout import LayoutRight
from mdview.mappings.bracket_keys import Brackets, parse_key
from mdview.mappings.mapping import Mapping
from mdview.mappings.predicates import bounds
from mdview.memory.data_types import numpy_type
from mdview.memory.exporters import owns_memory
from mdview.memory.field_items import FieldItems
from mdview.memory.item_formats import typestr
from mdview.memory.storage import Storage
from mdview.memory.struct_items import PackedItems

AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]
AnyAccessor: TypeAlias = Accessor[Any, Any]
"""Any: elements of any type."""


SPARSE: Final = 2
"""How many times as many items as elements are read at once from a file; what is further apart is not."""

FEW: Final = 4096
"""Of how many indices all offsets are looked up to know which items they reach."""


@final
class ViewParts(NamedTuple):
    """The parts of a view.

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
        """The data of the accessor; None for the null view. Any: a memoryview, a list, an array."""
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
        return Operand(self.checked_storage().items, plan_of(self.mapping), self.origin, self.accessor)

    def values(self) -> Iterator[Any]:
        """Iterate over the values of all elements in index order; raises as `operand` does."""
        return bulk_dispatch.values(self.operand())

    def reached(self) -> tuple[Storage | None, int, int]:
        """Return the storage and a range of its items that has the origin and all elements, as narrow as costs little.

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
        return self.storage, min(max(0, first + min(low, 0)), length), max(0, min(first + high + 1, length))

    def checked_storage(self) -> Storage:
        """Return the storage, which has all its items; raises as `operand` does."""
        return checked_storage(self.storage)

    def placed(self) -> PlacedParts:
        """Return the parts with the plan of the mapping."""
        return self.storage, self.origin, plan_of(self.mapping), self.accessor


PlacedParts: TypeAlias = tuple[Storage | None, int, Plan, AnyAccessor]
"""The parts of a view with a plan for the mapping, which need not be known."""


def prefetch_elements(placed: PlacedParts) -> None:
    """Let the system read the elements at once if they lie in a file, close together: they are read soon."""
    storage, origin, plan, accessor = placed
    if storage is None or owns_memory(storage.source) or not accessor.is_local:
        return
    _, elements = plan.inside or ((), plan)
    low, high = elements.ends or (0, storage.length)
    if 0 <= high - low < SPARSE * plan.size:
        storage.expect(origin + low, origin + high + 1)


def checked_storage(storage: Storage | None) -> Storage:
    """Return a storage, which has all its items; raises as `ViewParts.operand` does."""
    if storage is None:
        refuse_null()
    if len(storage.items) < storage.length:
        raise errors.BufferSizeError(
            f"the data had {storage.length} elements when the view was made, now {len(storage.items)}"
        )
    return storage


def storage_dtype(storage: Storage | None) -> Any:  # Any: a type of NumPy's
    """Return NumPy's type of the items of a storage; objects where there is none.

    Raises
    ------
    MissingExtraError
        NumPy is not there.
    """
    np = import_numpy()
    if storage is None or storage.format == "O":
        return np.dtype(object)
    items = storage.items
    items = items.array if isinstance(items, FieldItems) else items
    if isinstance(items, np.ndarray | PackedItems):
        return items.dtype
    return numpy_type(typestr(storage.format, storage.itemsize))


def refuse_null(*_: object) -> NoReturn:
    """Refuse an access to the null view, whatever the arguments of that access are.

    Raises
    ------
    NullViewError
        Always.
    """
    raise errors.NullViewError(
        "this is the null view: it never had data, or was moved from or released; make another one of data"
    )


def null_mapping(mapping: AnyMapping) -> AnyMapping:
    """Return the mapping of a view without data: dynamic extents become 0; the layout stays if it states strides."""
    extents = tuple([e if type(e) is Dim else 0 for e in mapping.extents])
    return Mapping(extents, LayoutRight() if mapping.layout.stride_rule() is None else mapping.layout)


def check_access(accessor: object) -> AnyAccessor:
    """Refuse what is no accessor, a class instead of an instance above all."""
    check_accessor_kind("an accessor is", accessor)
    checked = cast("AnyAccessor", accessor)
    rule: object = checked.index_rule
    if not isinstance(rule, IndexRule):
        raise errors.AccessorError(
            f"the index_rule of an accessor is an IndexRule, that of {brief(accessor)} is {brief(rule)}"
        )
    return checked


def checked_mapping(mapping: object) -> Mapping[tuple[int, ...], Layout]:
    """Return the representative of a mapping or of a view's, which knows its span if there has been a view of its like.

    Raises
    ------
    LayoutTypeError
        It is no mapping.
    """
    mapping = mapping if isinstance(mapping, Mapping) else getattr(mapping, "mapping", mapping)
    if not isinstance(mapping, Mapping):
        raise errors.LayoutTypeError(
            f"data is seen through a Mapping, got {brief(mapping)}; make one of extents and a layout"
        )
    return cast("AnyMapping", plan_of(mapping).mapping)


def refuse_swapped(data: object, extents: object) -> None:
    """Refuse a view or a mapping where its extents belong, and data where extents belong.

    Raises
    ------
    ExtentsTypeError
        They are such.
    """
    if hasattr(type(extents), "extents"):
        way = "write MDView.from_mapping(data, mapping)" if isinstance(extents, Mapping) else "write view.extents"
    elif isinstance(data, tuple | list) and not isinstance(extents, tuple | list | int | str):
        way = "data comes first: MDView(data, extents)"
    else:
        return
    raise errors.ExtentsTypeError(f"extents must be a tuple of integers, got {kind_text(extents)}; {way}")


def _way_to_fit(storage: Storage, mapping: Mapping[tuple[int, ...], Layout]) -> str:
    """Say what to change where the data is too short: strides that count bytes, and nested lists, show themselves."""
    given: Any = (mapping.layout.constructor_arguments() or {}).get("strides")  # Any: as the layout was given them
    size = storage.bits // 8
    if given and size > 1 and not any(stride % size for stride in given):
        strides = tuple([stride // size for stride in given])
        if sum([(e - 1) * abs(s) for e, s in zip(mapping.extents, strides, strict=True)]) < storage.length:
            return f"strides count elements, not bytes: write {brief(strides)}"
    if storage.format == "O" and storage.length and isinstance(storage.items[0], list | tuple):
        return "make one list of the nested ones"
    return "give a longer buffer or smaller extents"


def check_fit(storage: Storage, mapping: Mapping[tuple[int, ...], Layout], origin: int, accessor: AnyAccessor) -> None:
    """Refuse data that is too short for the mapping, or that the accessor cannot serve."""
    span = mapping.required_span_size
    if origin < 0 or origin + span > storage.length:
        start = f" from element {as_text(origin)} on" if origin else ""
        raise errors.BufferSizeError(
            f"{brief(mapping)} needs {plural(span, 'element')}{start}, the data has {storage.length}; "
            f"{_way_to_fit(storage, mapping)}"
        )
    if (lowest := mapping.layout.lowest_offset(mapping.extents)) < 0:
        raise errors.LayoutError(
            f"{brief(mapping)} reaches offset {as_text(lowest)}; make its origin {as_text(-lowest)} more"
        )
    reach = mapping.reach()
    if reach is not None and not 0 <= reach[0] <= reach[1] < span:  # memory is handed out by the strides
        raise errors.LayoutError(
            f"{brief(mapping)} reaches offsets from {as_text(reach[0])} to {as_text(reach[1])} by its strides "
            f"and says that it needs {as_text(span)} "
            f"elements; the layout contradicts itself, mdview certify shows where"
        )
    if storage.readonly and isinstance(accessor, Writable):
        raise errors.ReadOnlyError(
            f"the data ({type(storage.source).__name__}) is read-only and {type(accessor).__name__} stores; "
            f"pass accessor=ReadOnlyAccessor()"
        )
    accessor.check(storage, origin)


def accessor_serving(accessor: AnyAccessor, storage: Storage, origin: int) -> AnyAccessor:
    """Return an accessor for data that is no longer that for which it was made.

    What it says of where data begins, it says of this data if it holds there, and else no more.

    Raises
    ------
    AccessorError
        It cannot serve it.
    """
    try:
        accessor.check(storage, origin)
    except errors.AccessorError:
        accessor = accessor.offset_policy()
        accessor.check(storage, origin)
    return accessor


ReadItem: TypeAlias = Callable[[Any, int], Any]
"""A load of an accessor, or its read. Any: items and elements of any kind."""


def brackets(parts: ViewParts, key: object) -> Brackets:
    """Return what a key in brackets selects.

    An unchecked view takes an index of one element as it is; its parts are checked like any other's.
    """
    rule, mapping = parts.accessor.index_rule, parts.mapping
    if rule is IndexRule.TRUST:
        entries = key if isinstance(key, tuple) else (key,)
        if len(entries) == mapping.rank and all(type(entry) in {int, Dim} for entry in entries):
            return Brackets(cast("tuple[Selection, ...]", entries), is_element=True)
    return parse_key(mapping.extents, key, wraps=rule is IndexRule.WRAP)


def element(parts: ViewParts, read: ReadItem, index: Sequence[int]) -> Any:
    """Return the element at an index, which may lie in the padding of a padded view. Any: the accessor's element."""
    mapping, items = parts.mapping, parts.items
    if mapping.layout.is_total():
        return read(items, position_of(parts, index))
    return bounds_check.load_padded(read, items, plan_of(mapping), parts.origin, parts.accessor, index)


def position_of(parts: ViewParts, index: Sequence[Any]) -> int:
    """Return the position of an index in the items. Any: canonical slices of which each is an int.

    Raises
    ------
    IndexOutOfRangeError
        It lies beyond them, as an unchecked index may, or one of a layout that contradicts itself.
    HaloError
        It lies in the padding.
    """
    mapping, items = parts.mapping, parts.items
    if not mapping.layout.is_total() and not plan_of(mapping).has_element(index):
        bounds_check.refuse_halo_store(mapping, index, "stored to; ask is_valid(index) first")
    found = parts.origin + offset_of(mapping.layout, mapping.extents, index)
    if not 0 <= found < len(items):
        place = as_text(tuple(map(int, index)))
        raise errors.IndexOutOfRangeError(
            f"index {place} lies at position {as_text(found)}, the data has {len(items)} elements"
        )
    return found
