"""A view's parts fit if the data is long enough for the mapping and the accessor can serve it."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from mdview.accessors.base import Accessor, Writable, check_accessor_kind
from mdview.accessors.buffers import Storage
from mdview.base.arguments import kind_text
from mdview.base.texts import counted, shown, told
from mdview.errors import AccessorError, BufferSizeError, ExtentsTypeError, LayoutError, LayoutTypeError, ReadOnlyError
from mdview.layouts.base import Layout
from mdview.mappings.mapping import Mapping
from mdview.mappings.representatives import canonical

AnyAccessor: TypeAlias = Accessor[Any, Any]
"""Any: elements of any type."""


def check_accessor(accessor: object) -> AnyAccessor:
    """Refuse what is no accessor, a class instead of an instance above all."""
    check_accessor_kind("an accessor is", accessor)
    return cast("AnyAccessor", accessor)


def checked_mapping(mapping: object) -> Mapping[tuple[int, ...], Layout]:
    """Return the representative of a mapping, which knows its span if there has been a view of its like.

    Raises
    ------
    LayoutTypeError
        It is no mapping.
    """
    if not isinstance(mapping, Mapping):
        message = f"data is seen through a Mapping, got {told(mapping)}; make one of extents and a layout"
        raise LayoutTypeError(message)
    return canonical(mapping)


def refuse_swapped(data: object, extents: object) -> None:
    """Refuse extents that are a view or a mapping, or data whose place is taken by what seems to be the extents.

    Raises
    ------
    ExtentsTypeError
        They are.
    """
    if isinstance(extents, Mapping):
        message = f"extents must be a tuple of integers, got {told(extents)}; write MDView.from_mapping(data, mapping)"
        raise ExtentsTypeError(message)
    if hasattr(type(extents), "extents"):
        message = f"extents must be a tuple of integers, got {kind_text(extents)}; write view.extents"
        raise ExtentsTypeError(message)
    is_shape = isinstance(data, tuple | list) and all(isinstance(n, int) for n in data)
    if is_shape and not isinstance(extents, tuple | list | int | str):
        message = (
            f"extents must be a tuple of integers, got {kind_text(extents)}; data comes first: MDView(data, extents)"
        )
        raise ExtentsTypeError(message)


def check_fit(storage: Storage, mapping: Mapping[tuple[int, ...], Layout], origin: int, accessor: AnyAccessor) -> None:
    """Refuse data that is too short for the mapping, or that the accessor cannot serve."""
    span = mapping.required_span_size
    if origin < 0 or origin + span > storage.length:
        start = f" from element {shown(origin)} on" if origin else ""
        parts = storage.items[0] if storage.format == "O" and storage.length else None
        way = (
            "make one list of the nested ones"
            if isinstance(parts, list | tuple)
            else "give a longer buffer or smaller extents"
        )
        message = f"{told(mapping)} needs {counted(span, 'element')}{start}, the data has {storage.length}; {way}"
        raise BufferSizeError(message)
    reach = mapping.reach()
    if reach is not None and not 0 <= reach[0] <= reach[1] < span:  # memory is handed out by the strides
        message = (
            f"{told(mapping)} reaches offsets from {shown(reach[0])} to {shown(reach[1])} by its strides "
            f"and says that it needs {shown(span)} "
            f"elements; the layout contradicts itself, mdview certify shows where"
        )
        raise LayoutError(message)
    if storage.readonly and isinstance(accessor, Writable):
        message = (
            f"the data ({type(storage.source).__name__}) is read-only and {type(accessor).__name__} stores; "
            f"pass accessor=ReadOnlyAccessor()"
        )
        raise ReadOnlyError(message)
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
    except AccessorError:
        accessor = accessor.offset_policy()
        accessor.check(storage, origin)
    return accessor
