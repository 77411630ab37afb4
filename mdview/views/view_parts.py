"""The parts of a view: checks of data, extents and accessor, the null view, and lazy mappings of derived views.

The mapping of a derived view is computed from the mapping of the source view on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NoReturn, TypeAlias, cast

from mdview import errors
from mdview.accessors.accessor import Accessor, IndexRule, Writable, check_accessor_kind
from mdview.base import as_text, brief, import_numpy, kind_text, plural
from mdview.engines.mapping_plan import plan_of
from mdview.engines.plan_parts import near, read_box
from mdview.index.extents import Dim, shape_text
from mdview.layouts.explicit_strides import RIGHT
from mdview.layouts.layout import Layout
from mdview.mappings.bracket_keys import ReadKey
from mdview.mappings.mapping import Mapping
from mdview.mappings.mapping_manipulation import keyed
from mdview.mappings.slicing import Moved, strided_of
from mdview.memory.data_types import numpy_type
from mdview.memory.field_items import FieldItems, FieldShape
from mdview.memory.item_formats import typestr
from mdview.memory.storage import Storage
from mdview.memory.struct_items import PackedItems

AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]
AnyAccessor: TypeAlias = Accessor[Any, Any]
"""``Any`` stands for elements of any type."""


def storage_dtype(storage: Storage | None) -> Any:  # Any: a type of NumPy's
    """Return the NumPy type of the items of a storage; ``object`` for Python objects, and for None.

    Raises
    ------
    MissingExtraError
        NumPy is not installed.
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
    """Raise `NullViewError` for an access to the null view; arguments are ignored."""
    raise errors.NullViewError(
        "this is the null view: it never had data, or was moved from or released; make another one of data"
    )


def spread_field(mapping: AnyMapping, field: FieldShape) -> Moved:
    """Return the mapping, and its shift, of a field that is an array in each record; its dimensions come last.

    Raises
    ------
    NotStridedError
        The mapping of the records has no strides.
    """
    strides = mapping.found_strides()
    if strides is None:
        raise errors.NotStridedError(
            f"{brief(mapping)} has no strides, so the arrays of a field have no dimensions beside its own; take one of "
            "their numbers: view[name, 0]"
        )
    steps = (*[field.pitch * stride for stride in strides], *field.strides)
    extents = (*mapping.extents, *field.extents)
    return strided_of(extents, steps, field.pitch * mapping.origin)


def null_mapping(mapping: AnyMapping) -> AnyMapping:
    """Return the mapping of a null view. Its dynamic extents are 0; a layout without a stride rule becomes C order."""
    extents = tuple([e if type(e) is Dim else 0 for e in mapping.extents])
    return Mapping(extents, RIGHT if mapping.layout.stride_rule() is None else mapping.layout)


def check_access(accessor: object) -> AnyAccessor:
    """Return ``accessor`` if it is an accessor with a valid index rule; refuse others, such as accessor classes."""
    check_accessor_kind("an accessor is", accessor)
    checked = cast("AnyAccessor", accessor)
    rule: object = checked.index_rule
    if not isinstance(rule, IndexRule):
        raise errors.AccessorError(
            f"the index_rule of an accessor is an IndexRule, that of {brief(accessor)} is {brief(rule)}"
        )
    return checked


def checked_mapping(mapping: object) -> Mapping[tuple[int, ...], Layout]:
    """Return the mapping that `plan_of` has cached for an equal mapping, or for the mapping of a view.

    The cached mapping may have computed its span already.

    Raises
    ------
    LayoutTypeError
        ``mapping`` is neither a mapping nor a view.
    """
    mapping = mapping if isinstance(mapping, Mapping) else getattr(mapping, "mapping", mapping)
    if not isinstance(mapping, Mapping):
        raise errors.LayoutTypeError(
            f"data is seen through a Mapping, got {brief(mapping)}; make one of extents and a layout"
        )
    return cast("AnyMapping", plan_of(mapping).mapping)


def refuse_swapped(data: object, extents: object) -> None:
    """Refuse a view, a mapping or data as the argument ``extents``.

    Raises
    ------
    ExtentsTypeError
        ``extents`` is a view or a mapping, or ``data`` is a tuple or list and ``extents`` is neither a shape nor an
        int.
    """
    if hasattr(type(extents), "extents"):
        way = "write MDView.from_mapping(data, mapping)" if isinstance(extents, Mapping) else "write view.extents"
    elif isinstance(data, tuple | list) and not isinstance(extents, tuple | list | int | str):
        way = "data comes first: MDView(data, extents)"
    else:
        return
    raise errors.ExtentsTypeError(f"extents must be a tuple of integers, got {kind_text(extents)}; {way}")


def refuse_columns(data: Any, layout: object) -> None:  # Any: data of a user
    """Refuse data in Fortran order if the layout is `LayoutRight`.

    Raises
    ------
    LayoutError
        According to its flags, the data is in Fortran order and not in C order.
    """
    if layout != RIGHT:
        return
    flags = getattr(data, "flags", data)  # an array has flags, even if it exports no buffer
    if not hasattr(flags, "c_contiguous"):
        with suppress(TypeError, ValueError, BufferError):
            data = flags = memoryview(data)
    if getattr(data, "ndim", 1) > 1 and flags.f_contiguous and not flags.c_contiguous:
        raise errors.LayoutError(
            f"the data has shape {shape_text(data.shape)} in the order of columns, and LayoutRight reads rows; write "
            "asview(data), or layout=LayoutLeft() to read its memory"
        )


def _way_to_fit(storage: Storage, mapping: Mapping[tuple[int, ...], Layout]) -> str:
    """Return a hint for data that is too short: about strides that count bytes, nested lists, or longer data."""
    given: Any = (mapping.layout.constructor_arguments() or {}).get("strides")  # Any: the argument of the layout
    size = storage.bits // 8
    if given and size > 1 and not any(stride % size for stride in given):
        strides = tuple([stride // size for stride in given])
        if sum([(e - 1) * abs(s) for e, s in zip(mapping.extents, strides, strict=True)]) < storage.length:
            return f"strides count elements, not bytes: write {brief(strides)}"
    if storage.format == "O" and storage.length and isinstance(storage.items[0], list | tuple):
        return "make one list of the nested ones"
    return "give a longer buffer or smaller extents"


def check_fit(storage: Storage, mapping: Mapping[tuple[int, ...], Layout], origin: int, accessor: AnyAccessor) -> None:
    """Check that data is long enough for the mapping, writable if the accessor stores, and valid for the accessor."""
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
    if reach is not None and not 0 <= reach[0] <= reach[1] < span:  # exports use the strides
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
    """Return a form of ``accessor`` that serves ``storage``, other data than the data for which it was made.

    The result keeps a promise of alignment if ``storage`` is aligned, and drops the promise otherwise.

    Raises
    ------
    AccessorError
        The accessor cannot access this data.
    """
    try:
        accessor.check(storage, origin)
    except errors.AccessorError:
        accessor = accessor.offset_policy()
        accessor.check(storage, origin)
    return accessor


Pending: TypeAlias = "tuple[Found, Callable[..., Moved], tuple[Any, ...], int]"
Found: TypeAlias = "tuple[AnyMapping, int] | Pending"
"""The mapping of a view and the position of its offset 0 in the data, or a pending derivation of both.

A pending derivation is a tuple of the pair or the pending derivation of the source view, a function that maps the
mapping of the source to the new mapping and a shift, further arguments of the function, and the number of pending
derivations. ``Any`` stands for arguments of any type.
"""

MOST_STEPS: Final = 32
"""The most pending derivations of a view; without a limit ``v = v[1:]`` in a loop would add one in each iteration."""


def known_mapping(found: Found) -> tuple[AnyMapping, int]:
    """Return the mapping of a view and the position of its offset 0, after the pending derivations."""
    steps: list[Any] = []
    while len(found) != 2:  # noqa: PLR2004 - the mapping is known
        steps.append(found)
        found = steps[-1][0]
    mapping, origin = found
    for _, derive, args, _ in reversed(steps):
        mapping, shift = derive(mapping, *args)
        origin += shift
    return mapping, origin


def part_mapping(mapping: AnyMapping, read: ReadKey) -> Moved:
    """Return the mapping of the part that a key selects, and its shift; they are cached (1 µs instead of 20 µs)."""
    plan = plan_of(mapping)
    nearest, before = near(plan, read)
    part, shift = _kept_mapping(mapping, read, ("mapping alike", nearest), before)
    if part.layout.stride_rule() is not None:
        return part, shift
    return _kept_mapping(mapping, read, ("mapping", read), 0)  # the layout may depend on the position of the part


def box_mapping(mapping: AnyMapping, box: Sequence[tuple[int, int]]) -> Moved:
    """Return the mapping of a box (a range of indices for each dimension) and its shift."""
    return part_mapping(mapping, read_box(plan_of(mapping), box)[0])


def _kept_mapping(mapping: AnyMapping, read: ReadKey, name: tuple[str, ReadKey], before: int) -> Moved:
    """Return the mapping of a part, and its shift, by way of the cache of the whole's plan, under the key ``name``.

    ``before`` is the shift of the part relative to the cached part.
    """
    parts = plan_of(mapping).parts
    kept = parts.get(name)
    if kept is None:
        part, shift = keyed(mapping, read)
        kept = parts.remember(name, (part, shift - before))
    return kept[0], kept[1] + before


def derived_from(found: Found, derive: Callable[..., Moved], args: tuple[Any, ...]) -> Pending:
    """Return the pending derivation of a mapping; ``found`` is the mapping or pending derivation of the source."""
    if len(found) == 2:  # noqa: PLR2004 - the mapping is known
        return found, derive, args, 1
    if found[3] == MOST_STEPS:
        return known_mapping(found), derive, args, 1
    return found, derive, args, found[3] + 1


def row_part(mapping: AnyMapping, index: int, row: ReadKey) -> Moved:
    """Return the mapping and the shift of the part at an index of dimension 0.

    ``row`` is the key of the part at another index; its selections along the other dimensions are reused.
    """
    return part_mapping(mapping, (((index, 0, None), *row[0][1:]), *row[1:]))
