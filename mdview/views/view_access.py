"""`ViewAccess`, the access of a view to its elements: loads, stores, slices, ``==``, export to NumPy, and text.

Single elements are looked up in the grid of the view; slices, fields, errors, and stores through a slice take a general
path. Elements are typed ``Any`` in this module: their types are in the stub of `MDView`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NoReturn, Self, cast

from typing_extensions import CapsuleType

from mdview.accessors.accessor import IndexRule, Writable, refuse_store
from mdview.accessors.policies import ReadOnlyAccessor, fills_of
from mdview.base import as_text, brief
from mdview.engines import bounds_check
from mdview.engines.bulk import bulk_dispatch
from mdview.engines.element_access import REFUSALS
from mdview.engines.mapping_plan import plan_of
from mdview.engines.plan_parts import ReadPart, kept_part, near, read_part
from mdview.errors import AccessorError, ExportError, HaloError, IndexOutOfRangeError, OperandError, ReadOnlyError
from mdview.index.extents import Dim
from mdview.index.slices import Selection, is_whole
from mdview.layouts.offset_analysis import offset_of
from mdview.mappings.bracket_keys import Brackets, parse_key, read_selections, selects_part
from mdview.mappings.mapping_manipulation import selected_part
from mdview.mappings.slicing import Moved
from mdview.memory.field_items import field_of, names_field
from mdview.memory.item_formats import REFUSALS as STORE_REFUSALS
from mdview.memory.storage import Storage
from mdview.views.explanation import token_of
from mdview.views.memory_export import CPU, RECORDS, WRITABLE, array_interface, as_array, buffer_of, capsule_of
from mdview.views.unsupported_operators import present, refuse_comparison, refuse_ufunc
from mdview.views.view_base import ViewBase, held, operand_of, parts_of, view_of_plan
from mdview.views.view_parts import derived_from, part_mapping, refuse_null, spread_field
from mdview.views.view_pickling import PickledView
from mdview.views.view_stores import set_elements

MOST_TEXT: Final = 40
"""The most characters of an element in a repr."""


class ViewAccess(PickledView):
    """The abstract class of `MDView` that defines access to elements."""

    __slots__ = ()

    def __getitem__(self, index: Any, /) -> Any:  # noqa: C901, PLR0912 - a further call would double the time
        """Return the element at an index, or the subview for a key with slices or fewer indices than dimensions."""
        if (memory := self._memory) is not None:
            match index:  # a pattern tests for a sequence in a third of the time of a call
                case [*_]:
                    try:
                        return memory[index]
                    except REFUSALS:
                        pass
        elif (kind := type(index)) is tuple or (kind is not int and isinstance(index, tuple)):
            if (items := self._items) is not None:
                try:
                    i, j = index
                    return items[self._first[i] + self._second[j]]
                except REFUSALS:
                    pass
            elif (grid := self._grid) is not None:
                position, items, load, _, _ = grid
                try:
                    place = position(index)
                    if load is None:
                        return items[place]
                except REFUSALS:
                    pass
                else:
                    return load(items, place)
        if type(index) is int and (rows := self._rows) is not None:
            try:
                return rows[index]
            except REFUSALS:
                pass
        return self._get(index)

    def _get(self, key: Any) -> Any:
        """Return the part, element or field for a key that the grid does not serve; refuse invalid keys."""
        plan, accessor, kind = self._plan, self._accessor, type(key)
        read = read_part(plan, key if kind is tuple else (key,), accessor)
        if read is not None:
            part = self._part(read)
            if part is not None:
                if kind is int and plan.axes:
                    self._keep_rows(read[0])
                return part
        elif self._find_grid():
            return self[key]
        elif kind is int and len(plan.extents) == 1:
            return self[key,]
        view = self._filled()
        if names_field(view._storage, key):
            return view._field(key)
        selected = selected_by(view, key)
        if not selected.is_element:
            return view._select(selected.selections, selected.added)
        return element(view, accessor.load, cast("tuple[int, ...]", selected.selections))

    def __setitem__(self, index: Any, value: Any, /) -> None:
        """Store an element; for a part, copy a view or sequence of the same shape, or fill with any other value."""
        try:
            if (memory := self._memory) is not None:
                memory[index] = value
                return
            if (items := self._items) is not None:
                i, j = index + ()  # noqa: RUF005 - other keys than tuples raise TypeError
                items[self._first[i] + self._second[j]] = value
                return
            if type(index) is int:
                self._rows[index] = value
                return
            _, items, _, store, position = self._grid
            place = position(index + ())  # noqa: RUF005 - other keys than tuples raise TypeError
            if store is None:
                items[place] = value
                return
        except REFUSALS:
            items = place = store = None
        if store:
            self._store(items, place, value)
        else:
            self._set(index, value)

    def _set(self, index: Any, value: Any) -> None:
        """Store to the element, part or field for a key that the grid does not serve; refuse invalid keys."""
        accessor, plan, kind = self._accessor, self._plan, type(index)
        if not isinstance(accessor, Writable):
            raise ReadOnlyError(
                f"this view is read-only: its accessor {brief(accessor)} has no store; store to a copy, view.copy()"
            )
        # A store to a part makes the part first.
        if kind is slice or (kind is tuple and selects_part(index)) or (kind is int and len(plan.extents) > 1):
            whole = kind is slice and is_whole(index) and plan.extents
            set_elements(self if whole else self._get(index), value)
            return
        if index is Ellipsis:
            set_elements(self, value)
            return
        if self._find_grid():
            self[index] = value
            return
        view = self._filled()
        storage = cast("Storage", view._storage)
        if names_field(storage, index):
            set_elements(view._field(index), value)
            return
        selected = selected_by(view, index)
        if selected.is_element:
            self._store(storage.items, position_of(view, selected.selections), value)
        else:
            set_elements(view._select(selected.selections, selected.added), value)

    def _store(self, items: Any, place: Any, value: Any) -> None:
        """Store an element at a position."""
        accessor: Any = self._accessor
        try:
            accessor.store(items, place, value)
        except STORE_REFUSALS as error:
            refuse_store(accessor, items, value, error)

    def _part(self, read: ReadPart, derive: Callable[..., Moved] = part_mapping, args: Any = None) -> Self | None:
        """Return the subview of a part; None if the layout is needed to find it, or if the view has no data.

        The mapping of the subview is made lazily by ``derive`` from the mapping of the view. ``Any`` stands for
        arguments of ``derive``.
        """
        plan, accessor = self._plan, self._accessor
        if not plan.slices_follow:
            return None
        selection, nearest, shift = read
        part = plan.parts.get(nearest) or kept_part(plan, nearest)
        origin, found, args = self._origin, self._found, args or (selection,)
        steps = (found, derive, args, 1) if len(found) == 2 else derived_from(found, derive, args)  # noqa: PLR2004 - it is known
        storage = self._storage
        if storage is None:
            return None
        made: Self = view_of_plan(self._kind, storage, origin + shift, part, accessor.offset_policy(), steps)
        return made

    def _filled(self) -> Self:
        """Return a view of the same parts, as `held` does; refuse the null view."""
        view: Self = held(self)
        if view._storage is None:
            refuse_null()
        return view

    def _select(self, slices: Sequence[Selection], added: tuple[int, ...] = ()) -> Self:
        """Return the subview that canonical slices select, with new axes at the positions ``added``."""
        read = read_selections(slices, self._plan.extents, added)
        part = self._part((read, *near(self._plan, read)), selected_part, (slices, added))
        if part is not None:
            return part
        storage, origin, mapping, accessor = parts_of(self)
        mapping, shift = selected_part(mapping, slices, added)
        return self._make(storage, origin + shift, mapping, accessor.offset_policy())

    def _field(self, key: Any) -> Self:
        """Return the view of a field of records, given by its key. For ``Any`` see `field_of`."""
        whole, origin, mapping, accessor = parts_of(self)
        if not accessor.is_plain or any(fill and fill.mode == "constant" for fill in fills_of(accessor)):
            raise AccessorError(
                f"a field is one of records in memory, and {brief(accessor)} gives other elements; take the field of "
                "a plain view, and give that the accessor"
            )
        storage, field = field_of(cast("Storage", whole), key)
        if field.pitch > 1 or field.extents:
            mapping, shift = spread_field(mapping, field)
            origin = field.pitch * origin + shift
        if storage.readonly and isinstance(accessor, Writable):  # fields that overlap
            accessor = ReadOnlyAccessor(accessor)
        return self._make(storage, origin, mapping, accessor)

    def __contains__(self, value: object) -> bool:
        """Tell whether an element equals ``value``."""
        return any(element == value for element in bulk_dispatch.values(operand_of(self)))

    def __eq__(self, other: object) -> bool:
        """Return True for the same object; refuse a comparison of elements, for which there is `equal`.

        Raises
        ------
        OperandError
            ``other`` is another view, a number, or data: a comparison of the elements could be meant.
        """
        if other is self:
            return True
        if isinstance(other, ViewBase):
            raise OperandError(
                "a view is not compared by == or !=; equal(v, w) compares elements, `v is w` tells whether they are "
                "one object"
            )
        refuse_comparison(other)
        return NotImplemented

    def __hash__(self) -> int:
        """Return the hash by identity, since a view equals no other object."""
        return object.__hash__(self)

    # Protocols of NumPy and of notebooks, and text.

    def __array_ufunc__(
        self, ufunc: object, method: str, *inputs: object, out: Sequence[object] = (), **_: object
    ) -> NoReturn:
        """Refuse NumPy ufuncs, and therefore operators with an array on the left."""
        if getattr(ufunc, "__name__", "") in {"equal", "not_equal"}:
            self.__eq__(inputs[0] if inputs[-1] is self else inputs[-1])
        refuse_ufunc(ufunc, method, (*inputs, *out))

    @property
    def __array_interface__(self) -> dict[str, object]:
        """The array interface of the memory; the attribute is absent if the view does not export its memory."""
        return array_interface(self, stores=isinstance(self._accessor, Writable))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:  # noqa: FBT001 - NumPy's protocol
        """Return a NumPy array.

        The array shares the memory if the view exports it and no copy is required; otherwise it has a copy of the
        values.
        """
        return as_array(self, dtype=dtype, copy=copy)

    def __dlpack__(
        self,
        *,
        stream: None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType:
        """Return a DLPack capsule of the memory; nothing is copied unless ``copy`` is True.

        Raises
        ------
        ExportError
            The view does not export its memory, or DLPack cannot describe it; the error is a `BufferError`.
        """
        return cast(
            "CapsuleType",
            capsule_of(held(self), stream=stream, max_version=max_version, dl_device=dl_device, copy=copy),
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's type and number of the device: the CPU."""
        return CPU

    if sys.version_info >= (3, 12):

        def __buffer__(self, flags: int, /) -> memoryview:
            """Return the memory as a buffer for a request with these flags; see `MDView.memoryview`.

            Raises
            ------
            ExportError
                The view does not export its memory, or not in the requested form; the error is a `BufferError`.
            """
            kept = self._kernel[-1] if flags | WRITABLE == RECORDS | WRITABLE else None
            if type(kept) is str:
                raise ExportError(kept)
            return kept if type(kept) is memoryview else buffer_of(self, flags)

        def __release_buffer__(self, buffer: memoryview, /) -> None:
            """Do nothing: the buffer itself holds the memory.

            The presence of the method tells readers that they must keep the buffer, and not only the object.
            """

    def __dask_tokenize__(self) -> tuple[object, ...]:
        """Return the token of the elements for dask, see `token_of`."""
        return token_of(held(self))

    def __dir__(self) -> list[str]:
        """Return the names of the attributes without the refused names."""
        return present(super().__dir__())

    def __repr__(self) -> str:
        """Return a string with extents, layout, accessor, format, and a limited number of elements."""
        from mdview.drawing.mapping_summary import elements_text  # noqa: PLC0415 - only when a view is shown

        view = held(self)
        storage, _, mapping, accessor = parts_of(view)
        head = f"{type(self).__name__}({mapping.extents!r}, {as_text(mapping.layout, repr)}, {as_text(accessor, repr)}"
        if storage is None:
            return f"{head}, data=None)"
        return f"{head}, format={storage.format!r})\n{elements_text(mapping.extents, partial(shown, view))}"

    def __mdview_places__(self) -> range:
        """Return the positions of all items of the data, relative to offset 0 of the mapping, for pictures."""
        storage, origin, *_ = parts_of(self)
        return range(-origin, storage.length - origin) if storage is not None else range(0)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks with facts, a picture and a few elements; an error is shown as text."""
        from mdview.drawing.figures import card_or_error, view_card  # noqa: PLC0415 - for notebooks only

        def card() -> str:
            view = held(self)
            storage, _, mapping, accessor = parts_of(view)
            data = "none" if storage is None else f"{type(storage.source).__name__} of format {storage.format!r}"
            facts = {"data": lambda: data, "accessor": lambda: as_text(accessor, repr)}
            extents = (0,) if storage is None else mapping.extents
            return view_card(facts, mapping, extents, partial(shown, view), view.__mdview_places__())

        return card_or_error(card)


def selected_by(view: ViewBase, key: object) -> Brackets:
    """Return the selection of a key in brackets.

    With `IndexRule.TRUST` the index of an element is not tested. Keys that select parts are checked with every rule.
    """
    _, _, mapping, accessor = parts_of(view)
    rule = accessor.index_rule
    if rule is IndexRule.TRUST:
        entries = key if isinstance(key, tuple) else (key,)
        if len(entries) == mapping.rank and all(type(entry) in {int, Dim} for entry in entries):
            return Brackets(cast("tuple[Selection, ...]", entries), is_element=True)
    return parse_key(mapping.extents, key, wraps=rule is IndexRule.WRAP)


def element(view: ViewBase, read: Callable[[Any, int], Any], index: Sequence[int]) -> Any:
    """Return the element at an index, which may be in the padding. ``Any`` stands for an element of any type."""
    storage, origin, mapping, accessor = parts_of(view)
    items = cast("Storage", storage).items
    if mapping.layout.is_total():
        return read(items, position_of(view, index))
    return bounds_check.load_padded(read, items, plan_of(mapping), origin, accessor, index)


def position_of(view: ViewBase, index: Sequence[Any]) -> int:
    """Return the position in the items of an index, for a store. ``Any`` stands for ints.

    Raises
    ------
    IndexOutOfRangeError
        The position is outside the items: the index is not tested, or the layout contradicts itself.
    HaloError
        The index is in the padding.
    """
    storage, origin, mapping, _ = parts_of(view)
    count = len(cast("Storage", storage).items)
    if not mapping.layout.is_total() and not plan_of(mapping).has_element(index):
        bounds_check.refuse_halo_store(mapping, index, "stored to; ask is_valid(index) first")
    position = origin + offset_of(mapping.layout, mapping.extents, index)
    if not 0 <= position < count:
        place = as_text(tuple(map(int, index)))
        raise IndexOutOfRangeError(f"index {place} lies at position {as_text(position)}, the data has {count} elements")
    return position


def shown(view: ViewBase, index: tuple[int, ...]) -> str:
    """Return one element as a string, cut if it is long; ``"padding"`` for padding without a value."""
    try:
        found = as_text(element(view, parts_of(view)[3].read, index), repr)
    except HaloError:
        return "padding"
    return found if len(found) <= MOST_TEXT else f"{found[: MOST_TEXT - 1]}…"
