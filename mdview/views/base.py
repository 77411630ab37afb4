"""What a view is at run time: items, a mapping, an accessor, and an origin, the position of offset 0 in the items.

`ViewBase` holds these and does everything that the compiled element access leaves over: slices, negative indices,
errors, stores through a slice. It speaks of elements as ``Any``, since their types are the business of `MDView`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, ClassVar, Final, NoReturn, Self, cast

from mdview.accessors.base import Accessor, IndexRule, Writable
from mdview.accessors.buffers import Storage
from mdview.base.arguments import as_entries, refuse
from mdview.drawing import text
from mdview.engines import padding
from mdview.engines.bulk import whole_views
from mdview.engines.bulk.operand import Operand
from mdview.engines.scalar import access_plans
from mdview.engines.scalar.access import access_of
from mdview.engines.scalar.grids import grid
from mdview.errors import (
    BufferSizeError,
    HaloError,
    IndexOutOfRangeError,
    NullViewError,
    RankError,
    RankTypeError,
    ReadOnlyError,
    ShapeError,
)
from mdview.index.extents import Dim, shape_text
from mdview.index.slices import Selection
from mdview.layouts.base import Layout, indices
from mdview.layouts.right import LayoutRight
from mdview.mappings.mapping import Mapping, check_index
from mdview.mappings.slicing import select
from mdview.views.brackets import parse_brackets
from mdview.views.export import array_interface, as_array
from mdview.views.sources import source_of
from mdview.views.validation import check_fit

AnyMapping = Mapping[tuple[int, ...], Layout]
AnyAccessor = Accessor[Any, Any]

NOTHING: Final = Storage(())
"""What the null view is made of before it drops it."""

MOST_TEXT: Final = 40
"""How many characters of one element a repr shows."""


class ViewBase:
    """Data, mapping and accessor; the abstract class of `MDView` and so of every compiled kind of view."""

    __slots__ = (
        *(
            "__weakref__",
            "_accessor",
            "_grid",
            "_items",
            "_load",
            "_mapping",
            "_origin",
            "_recipe",
            "_storage",
            "_store",
        ),
        *("_numba_block", "_numba_code", "_numba_type_"),
    )

    _base: ClassVar[type]
    """The class that kinds are compiled from: `MDView`."""

    _accessor: AnyAccessor
    _grid: memoryview[Any]  # of kinds whose access reads it, once it has been made
    _items: Any
    _load: Callable[[Any, int], Any]  # of kinds whose access is not plain, as `_store` is
    _mapping: AnyMapping
    _origin: int
    _recipe: access_plans.Recipe
    _storage: Storage | None
    _store: Callable[..., Any]

    # What `mdview.numba` keeps here once it has described a view; Numba itself looks for the last name.
    _numba_block: bytes
    _numba_code: int
    _numba_type_: object

    @classmethod
    def _over(cls, data: object, extents: tuple[int, ...], layout: Layout, accessor: AnyAccessor) -> Self:
        """Make a view of what a user gave, through a layout over extents."""
        if data is None:
            return cls._make(None, 0, null_mapping(Mapping(extents, layout)), accessor)
        storage = data if type(data) is Storage else Storage(data)
        found = access_plans.bound_recipe(access_of(cls._base, accessor, storage.format), extents, layout)
        check_fit(storage, found.mapping, 0, accessor)
        return cast("Self", found.make(found, storage, accessor, 0))

    @classmethod
    def _of(cls, data: object, origin: int, mapping: AnyMapping, accessor: AnyAccessor) -> Self:
        """Make a view of what a user gave, through a mapping."""
        if data is None:
            return cls._make(None, 0, null_mapping(mapping), accessor)
        storage = data if type(data) is Storage else Storage(data)
        check_fit(storage, mapping, origin, accessor)
        return cls._make(storage, origin, mapping, accessor)

    @classmethod
    def _make(cls, storage: Storage | None, origin: int, mapping: AnyMapping, accessor: AnyAccessor) -> Self:
        """Assemble a view from parts already known to fit."""
        access = access_of(cls._base, accessor, "O" if storage is None else storage.format)
        # What `access_plans.recipe` does, without a call where the mapping has been seen before.
        found = access_plans.recipes.get((id(mapping), access, not origin)) or access_plans.recipe(
            access, mapping, origin
        )
        self: Self = found.make(found, storage or NOTHING, accessor, origin)
        if storage is None:
            self._detach()
        return self

    def _detach(self) -> None:
        """Drop the data: nothing can be loaded or stored any more."""
        self._storage = None
        self._items = None
        self._recipe = access_plans.general_recipe(self._recipe.access, self._mapping)
        self._load = self._store = _no_data
        if hasattr(self, "_grid"):
            del self._grid

    def _lay_out(self) -> None:
        """Make the grid that element access of this kind reads, unless there is no data."""
        if self._items is not None:
            self._grid = grid(self._items, self._mapping, self._origin)

    def _with(self, mapping: AnyMapping, shift: int, accessor: AnyAccessor) -> Self:
        """Return the same data seen through another mapping, ``shift`` elements on."""
        return self._make(self._storage, self._origin + shift, mapping, accessor)

    def _part(self, mapping: AnyMapping, shift: int) -> Self:
        """Return the part of the data that begins ``shift`` elements on, seen through its own mapping."""
        return self._make(self._storage, self._origin + shift, mapping, self._accessor.offset_policy())

    def _select(self, slices: Sequence[Selection]) -> Self:
        """Subview of canonical slices."""
        return self._part(*select(self._mapping, slices))

    def move(self) -> Self:
        """Return a view of the same data and become the null view: dynamic extents 0, no data (P0009r00's move)."""
        moved = copy(self)
        self.release()
        return moved

    def release(self) -> None:
        """Give the data back and become the null view; the buffer unlocks when its last view is released or dies."""
        self._mapping = null_mapping(self._mapping)
        self._origin = 0
        self._detach()
        if hasattr(self, "_numba_type_"):
            del self._numba_block, self._numba_code, self._numba_type_

    def __copy__(self) -> Self:
        """Return another view of the same data; no element is copied."""
        return self._with(self._mapping, 0, self._accessor)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle data, origin, mapping and accessor; data shared by several views travels once."""
        return _rebuild, (self._base, self._storage, self._origin, self._mapping, self._accessor)

    # Element access that the compiled kinds leave over.

    def _get(self, key: object) -> Any:
        """Element or subview of any key that brackets admit."""
        recipe = self._recipe
        if type(key) is int:
            known = recipe.row or recipe.rows.get(key) or recipe.new_row(key)
            if known is not None:
                part, first, stride, extent = known
                index = key + extent if key < 0 and recipe.access.rule is IndexRule.WRAP else key
                if 0 <= index < extent:
                    make = part.make  # not part.make(...): Python is slow to call what a slot holds
                    return make(part, self._storage, self._accessor, self._origin + first + index * stride)
        else:
            window = recipe.window
            found = window(self, recipe, key if type(key) is tuple else (key,))
            if found is not None:
                return found
        selections, is_element = self._parse(key)
        if not is_element:
            return self._select(selections)
        return self._access(self._accessor.load, cast("tuple[int, ...]", selections))

    def _access(self, read: Callable[[Any, int], Any], index: Sequence[int]) -> Any:
        """Element at an index, which may lie in the halo of a padded view."""
        if self._mapping.layout.is_total():
            return read(self._items, self._locate(index))
        return padding.load(read, self._items, self._mapping, self._origin, self._accessor, index)

    def _set(self, key: object, value: Any) -> None:
        """Store an element, or copy or fill through a slice."""
        if not isinstance(self._accessor, Writable):
            message = f"this view is read-only: its accessor {self._accessor!r} has no store"
            raise ReadOnlyError(message)
        selections, is_element = self._parse(key)
        if is_element:
            self._accessor.store(self._items, self._locate(selections), value)
        else:
            self._select(selections)._assign(value)

    def _parse(self, key: object) -> tuple[tuple[Selection, ...], bool]:
        if self._items is None:
            _no_data()
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
        """Position of an index in the items; one beyond them is refused, which only an unchecked index can ask for."""
        mapping = self._mapping
        if not mapping.layout.is_total():
            return padding.position(mapping, self._origin, index)
        position = self._origin + mapping.layout.offset(mapping.extents, index)
        if not 0 <= position < len(self._items):
            message = (
                f"index {tuple(map(int, index))} lies at position {position}, the data has {len(self._items)} elements"
            )
            raise IndexOutOfRangeError(message)
        return position

    def _at(self, index: Sequence[Any]) -> Any:
        """Element at an index that may carry surplus zeros, as if extents beyond the rank were 1; nothing wraps."""
        if self._items is None:
            _no_data()
        extents = self._mapping.extents
        if type(index) is not tuple:
            index = as_entries(index, "an index")
        if len(index) < len(extents):
            message = f"rank {len(extents)} takes at least {len(extents)} indices, got {len(index)}"
            raise RankError(message)
        padded = (*extents, *((1,) * (len(index) - len(extents))))
        place = check_index(padded, index)[: len(extents)]
        return self._access(self._accessor.load, place)

    def __contains__(self, value: object) -> bool:
        """Tell whether some element equals ``value``."""
        return any(element == value for element in self._values())

    # All elements at once.

    def _values(self) -> Iterator[Any]:
        """Values of all elements in index order."""
        return whole_views.values(self._operand())

    def _operand(self) -> Operand:
        """Return what bulk operations read and write.

        Raises
        ------
        NullViewError
            There is no data.
        BufferSizeError
            There is less than there was.
        """
        self._check_length()
        return Operand(self._items, self._mapping, self._origin, self._accessor)

    def _rows(self) -> Iterator[Any]:
        """Elements at rank 1, subviews along dimension 0 at higher ranks."""
        self._check_length()
        if self._mapping.rank == 0:
            message = "a view of rank 0 has one element and no dimension to iterate along; read it as view[()]"
            raise RankTypeError(message)
        if self._mapping.rank == 1:
            return whole_views.references(self._operand())
        return map(self._get, range(self._mapping.extents[0]))

    # What NumPy and people see.

    __array_ufunc__ = None  # NumPy leaves operators on a view to the view, which has none

    @property
    def __array_interface__(self) -> dict[str, object]:
        """Array interface of the memory; absent where a view exports none (see `mdview.views.export`)."""
        if self._storage is None:
            message = "the null view has no memory to export"
            raise AttributeError(message)
        return array_interface(self._storage, self._origin, self._mapping, self._accessor)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:  # noqa: FBT001 - NumPy's protocol
        """NumPy array of the elements: shared memory where the view exports it and ``copy`` allows, else a copy."""
        if self._storage is None:
            _no_data()
        return as_array(self._storage, self._origin, self._mapping, self._accessor, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        """Extents, layout, accessor, format, and a bounded number of elements."""
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
        """Text of one element; long ones are cut."""
        try:
            element = repr(self._access(self._accessor.read, index))
        except HaloError:
            return "halo"
        return element if len(element) <= MOST_TEXT else f"{element[: MOST_TEXT - 1]}…"

    def _assign(self, value: Any, done: whole_views.Done = whole_views.nothing, threads: int = 1) -> None:
        """Copy from a view, buffer or nested sequence of the same shape, or fill with a single value."""
        self._refuse_halo()
        shape, source = _source(value)
        if shape is None:
            self._fill(value, done)
            return
        if shape != tuple(self._mapping.extents):
            mine = shape_text(self._mapping.extents)
            message = f"cannot store shape {shape_text(shape)} into shape {mine}: they must agree"
            raise ShapeError(message)
        if isinstance(source, Operand):
            whole_views.copy(self._operand(), source, done, threads)
        else:
            whole_views.assign(self._operand(), source, done)

    def _check_length(self) -> None:
        """Refuse data that is gone, or has become shorter since: a list, unlike a buffer, is not locked."""
        if self._storage is None:
            _no_data()
        if len(self._items) < self._storage.length:
            message = f"the data had {self._storage.length} elements when the view was made, now {len(self._items)}"
            raise BufferSizeError(message)

    def _refuse_halo(self) -> None:
        """Refuse to store to all indices where some stand for no element."""
        mapping = self._mapping
        if not mapping.layout.is_total():
            outside = next((i for i in indices(mapping.extents) if not mapping.is_valid(*i)), None)
            if outside is not None:
                padding.refuse(mapping, outside, "stored to; slice the view to its valid_box first")

    def _fill(self, value: Any, done: whole_views.Done = whole_views.nothing) -> None:
        """Make ``value`` every element."""
        operand = self._operand()
        self._refuse_halo()
        whole_views.fill(operand, value, done)


def _rebuild(
    base: type[ViewBase], storage: Storage | None, origin: int, mapping: AnyMapping, accessor: AnyAccessor
) -> ViewBase:
    """Unpickle a view."""
    return base._make(storage, origin, mapping, accessor)


def check_view(given: object, name: str) -> None:
    """Refuse what is no view.

    Raises
    ------
    OperandError
        It is none; ``name`` says in the message what it stands for.
    """
    if not isinstance(given, ViewBase):
        refuse(name, "an MDView", given, "make one of data and extents, or asview(array)")


def mapping_of(given: object) -> AnyMapping:
    """Return the mapping of a view, or a mapping as it is.

    Raises
    ------
    OperandError
        It is neither.
    """
    if isinstance(given, Mapping):
        return given
    if not isinstance(given, ViewBase):
        refuse("what is operated on", "a view or a mapping", given)
    return given._mapping


def _source(value: Any) -> tuple[tuple[int, ...] | None, Operand | Iterator[Any]]:
    """Do as `source_of`, for views as well."""
    if isinstance(value, ViewBase):
        return tuple(value._mapping.extents), value._operand()
    return source_of(value)


def _no_data(*_: object) -> NoReturn:
    message = "this is the null view: it never had data, or was moved from or released"
    raise NullViewError(message)


def null_mapping(mapping: AnyMapping) -> AnyMapping:
    """Mapping of a view that lost its data: dynamic extents are 0, static ones stay; the layout stays if strided."""
    extents = tuple([e if type(e) is Dim else 0 for e in mapping.extents])
    return Mapping(extents, LayoutRight() if mapping.layout.stride_rule() is None else mapping.layout)
