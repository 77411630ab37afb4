"""The class of all views loads and stores their elements, and shows them to NumPy and to people.

`ViewAccess` does what the compiled access to single elements leaves to general code: slices, negative indices, errors,
stores through a slice. Elements are ``Any`` here: their types are in the stub of `MDView`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Self, cast

from mdview.accessors.base import IndexRule, Writable
from mdview.base.arguments import as_entries
from mdview.drawing import text
from mdview.engines import padding
from mdview.engines.bulk import whole_views
from mdview.errors import HaloError, IndexOutOfRangeError, RankError, RankTypeError, ReadOnlyError
from mdview.index.extents import Dim
from mdview.index.slices import Selection
from mdview.mappings.mapping import check_index
from mdview.mappings.slicing import select
from mdview.views.base import ViewBase, parts_of
from mdview.views.brackets import parse_brackets
from mdview.views.export import array_interface, as_array
from mdview.views.parts import refuse_null
from mdview.views.storing import store

MOST_TEXT: Final = 40
"""How many characters of one element a repr shows."""


class ViewAccess(ViewBase):
    """A view by its elements; the abstract class of `MDView` and so of the classes that are compiled for views."""

    __slots__ = ()

    def _get(self, key: object) -> Any:
        """Return the element or the subview that a key in brackets selects."""
        plan = self._plan
        if type(key) is int:
            known = plan.row or plan.rows.get(key) or plan.new_row(key)
            if known is not None:
                part, first, stride, extent = known
                index = key + extent if key < 0 and plan.access.rule is IndexRule.WRAP else key
                if 0 <= index < extent:
                    make = part.make  # not part.make(...): Python is slow to call what a slot holds
                    return make(part, self._storage, self._accessor, self._origin + first + index * stride)
        else:
            find = plan.find_by_key
            found = find(self, plan, key if type(key) is tuple else (key,))
            if found is not None:
                return found
        selections, is_element = self._parse(key)
        if not is_element:
            return self._select(selections)
        return self._access(self._accessor.load, cast("tuple[int, ...]", selections))

    def _set(self, key: object, value: Any) -> None:
        """Store an element; through a slice, copy or fill."""
        if not isinstance(self._accessor, Writable):
            message = f"this view is read-only: its accessor {self._accessor!r} has no store"
            raise ReadOnlyError(message)
        selections, is_element = self._parse(key)
        if is_element:
            self._accessor.store(self._items, self._locate(selections), value)
        else:
            store(self._select(selections), value)

    def _at(self, index: Sequence[Any]) -> Any:
        """Return the element at an index that may have surplus zeros, as if extents beyond the rank were 1."""
        if self._items is None:
            refuse_null()
        extents = self._mapping.extents
        if type(index) is not tuple:
            index = as_entries(index, "an index")
        if len(index) < len(extents):
            message = f"rank {len(extents)} takes at least {len(extents)} indices, got {len(index)}"
            raise RankError(message)
        padded = (*extents, *((1,) * (len(index) - len(extents))))
        place = check_index(padded, index)[: len(extents)]
        return self._access(self._accessor.load, place)

    def _access(self, read: Callable[[Any, int], Any], index: Sequence[int]) -> Any:
        """Return the element at an index, which may lie in the padding of a padded view."""
        if self._mapping.layout.is_total():
            return read(self._items, self._locate(index))
        return padding.load(read, self._items, self._mapping, self._origin, self._accessor, index)

    def _select(self, slices: Sequence[Selection]) -> Self:
        """Return the subview of canonical slices."""
        mapping, shift = select(self._mapping, slices)
        return self._make(self._storage, self._origin + shift, mapping, self._accessor.offset_policy())

    def _parse(self, key: object) -> tuple[tuple[Selection, ...], bool]:
        """Return the canonical slices of a key in brackets, and whether they are the index of one element."""
        if self._items is None:
            refuse_null()
        rule = self._accessor.index_rule
        if rule is not IndexRule.TRUST:
            return parse_brackets(self._mapping.extents, key, rule)
        return self._parse_trusting(key)

    def _parse_trusting(self, key: object) -> tuple[tuple[Selection, ...], bool]:
        """Parse without bounds for one element; the part of an unchecked view is checked like any other."""
        entries = key if isinstance(key, tuple) else (key,)
        if len(entries) == self._mapping.rank and all(type(entry) in {int, Dim} for entry in entries):
            return cast("tuple[Selection, ...]", entries), True
        return parse_brackets(self._mapping.extents, key, IndexRule.CHECK)

    def _locate(self, index: Sequence[Any]) -> int:
        """Return the position of an index in the items.

        Raises
        ------
        IndexOutOfRangeError
            It lies beyond them, as an index that nobody has checked may.
        """
        mapping = self._mapping
        if not mapping.layout.is_total():
            return padding.position(self._items, mapping, self._origin, index)
        position = self._origin + mapping.layout.offset(mapping.extents, index)
        if not 0 <= position < len(self._items):
            message = (
                f"index {tuple(map(int, index))} lies at position {position}, the data has {len(self._items)} elements"
            )
            raise IndexOutOfRangeError(message)
        return position

    def _rows(self) -> Iterator[Any]:
        """Iterate over the elements at rank 1, over the subviews along dimension 0 at higher ranks."""
        parts, extents = parts_of(self), self._mapping.extents
        if len(extents) == 1:
            return whole_views.references(parts.operand())
        parts.checked_storage()
        if not extents:
            message = "a view of rank 0 has one element and no dimension to iterate along; read it as view[()]"
            raise RankTypeError(message)
        return map(self._get, range(extents[0]))

    def __contains__(self, value: object) -> bool:
        """Tell whether some element equals ``value``."""
        return any(element == value for element in parts_of(self).values())

    # What NumPy and people see.

    __array_ufunc__ = None  # NumPy leaves operators on a view to the view, which has none

    @property
    def __array_interface__(self) -> dict[str, object]:
        """The array interface of the memory; a view that exports none does not have the attribute."""
        return array_interface(parts_of(self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:  # noqa: FBT001 - NumPy's protocol
        """Return a NumPy array: of the memory itself if the view exports it and ``copy`` allows, else of the values."""
        return as_array(parts_of(self), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        """Return extents, layout, accessor, format, and a bounded number of elements as text."""
        head = f"{self._base.__name__}({self._mapping.extents!r}, {self._mapping.layout!r}, {self._accessor!r}"
        if self._storage is None:
            return f"{head}, data=None)"
        return f"{head}, format={self._storage.format!r})\n{text.elements(self._mapping.extents, self._show)}"

    def _repr_html_(self) -> str:
        from mdview.drawing import html  # noqa: PLC0415 - loads tables of entities, for notebooks only

        mapping, storage = self._mapping, self._storage
        facts = {"extents": repr(mapping.extents), "layout": repr(mapping.layout), "accessor": repr(self._accessor)}
        facts["data"] = "none" if storage is None else f"{type(storage.source).__name__} of format {storage.format!r}"
        return html.card(facts, (0,) if storage is None else mapping.extents, self._show)

    def _show(self, index: tuple[int, ...]) -> str:
        """Return one element as text, a long one cut."""
        try:
            element = repr(self._access(self._accessor.read, index))
        except HaloError:
            return "padding"
        return element if len(element) <= MOST_TEXT else f"{element[: MOST_TEXT - 1]}…"
