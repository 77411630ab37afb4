"""The class `ViewBase`: the slots that hold the parts of a view, and functions that read them.

Modules outside this folder use no underscore name of a view. `parts_of` gives them its parts, and
`mdview.views.derived_views` makes views of the same data.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import copy, deepcopy
from typing import Any, ClassVar, Final, Self, cast
from weakref import ref

from mdview.accessors.accessor import Writable
from mdview.base import refuse
from mdview.engines import bounds_check
from mdview.engines.bulk.bulk_operand import Operand
from mdview.engines.scalar import access_plan_cache
from mdview.engines.scalar.access_signature import access_of
from mdview.engines.scalar.view_class_codegen import SLOTS
from mdview.errors import MDViewError
from mdview.layouts.layout import Layout
from mdview.mappings.mapping import Mapping
from mdview.memory.storage import Storage
from mdview.views import view_parts
from mdview.views.view_parts import AnyAccessor, AnyMapping, PlacedParts, ViewParts, check_fit, checked_storage

NOTHING: Final = Storage(())
"""The data that the null view is made of before it drops it."""


class ViewBase:
    """A view by its parts; the abstract class of `mdview.views.view_access.ViewAccess` and so of every view."""

    __slots__ = (
        *("__weakref__", "_accessor", "_derived", "_items", "_load", "_place", "_plan", "_storage", "_store"),
        *(*SLOTS, "_more"),
        "_kernel",
    )

    _base: ClassVar[type]
    """The class that users name: `MDView`."""

    _refusing: ClassVar[type]
    """The class that is specialised: the same with operators that refuse."""

    _is_compiled: ClassVar[bool] = False
    """Whether element access is code that is compiled for it."""

    _accessor: AnyAccessor
    _derived: access_plan_cache.Derived
    _items: Any
    _load: Callable[[Any, int], Any]  # of classes whose access is not plain, as `_store` is
    _place: int  # what the offsets of the plan are counted from; that of the mapping, too, unless it is derived
    _plan: access_plan_cache.AccessPlan
    _storage: Storage | None
    _store: Callable[..., Any]
    _p0: Any  # see `SLOTS`

    _kernel: tuple[Any, ...]  # see `keep_for_kernels`

    @property
    def _numba_type_(self) -> object:
        """The type in kernels; Numba asks for it while another thread still tells it about views.

        Numba asks twice: whether a view has this attribute, where an error other than AttributeError would be printed
        and lost, and then for the type, where the error of a view that has none is raised.
        """
        try:
            return self._kernel[2]
        except AttributeError:
            from mdview import typeof_view  # noqa: PLC0415 - once another thread has loaded all of `mdview.numba`
        try:
            return typeof_view(self, None)
        except Exception as error:
            raise AttributeError(f"kernels have no type for this view: {error}") from error

    @classmethod
    def _over(cls, data: object, extents: tuple[int, ...], layout: Layout, accessor: AnyAccessor) -> Self:
        """Make a view of what a user gave, through a layout over extents."""
        if data is None:
            return cls._make(None, 0, view_parts.null_mapping(Mapping(extents, layout)), accessor)
        storage = data if type(data) is Storage else Storage(data)
        try:
            found = access_plan_cache.bound_plan(access_of(cls._refusing, accessor, storage), extents, layout)
            check_fit(storage, cast("AnyMapping", found.mapping), 0, accessor)
        except MDViewError:
            _drop(storage, data)
            view_parts.refuse_swapped(data, extents)
            raise
        self: Self = found.make(found, storage, accessor, 0, found.derived)
        return self

    @classmethod
    def _of(cls, data: object, origin: int, mapping: AnyMapping, accessor: AnyAccessor) -> Self:
        """Make a view of what a user gave, through a mapping."""
        if data is None:
            return cls._make(None, 0, view_parts.null_mapping(mapping), accessor)
        storage = data if type(data) is Storage else Storage(data)
        try:
            mapping = view_parts.checked_mapping(mapping)
            check_fit(storage, mapping, origin, accessor)
            return cls._make(storage, origin, mapping, accessor)
        except MDViewError:
            _drop(storage, data)
            raise

    @classmethod
    def _make(cls, storage: Storage | None, origin: int, mapping: AnyMapping, accessor: AnyAccessor) -> Self:
        """Make a view of parts that are known to fit."""
        access = access_of(cls._refusing, accessor, storage)
        # What `access_plan_cache.plan` does, without a call where the mapping has been seen before.
        found = access_plan_cache.plans.get((id(mapping), access, not origin)) or access_plan_cache.plan(
            access, mapping, origin
        )
        low, high = found.reach
        if storage is not None and not -low <= origin < storage.length - high:
            bounds_check.refuse_position(origin + low, origin + high, storage.length)
        self: Self = found.make(found, storage or NOTHING, accessor, origin, found.derived)
        if storage is None:
            self._detach()
        return self

    def _detach(self) -> None:
        """Drop the data: nothing can be loaded or stored any more.

        The storage goes first. Other threads look at it last, so what they have seen before belongs to it.
        """
        self._storage = None
        self._items = view_parts.NO_ITEMS
        self._become(self._mapping, self._origin)
        self._load = self._store = view_parts.refuse_null
        self._p0 = None  # a grid holds the memory

    def _compile(self) -> bool:
        """Get the class that is compiled for element access, and what it reads; tell whether the view had another one.

        Most views are asked for no element, so this waits for the first one.
        """
        plan, accessor, origin, storage = self._plan, self._accessor, self._place, self._storage
        become = None if self._is_compiled or storage is None else plan.compiled()
        if become is None:
            return False
        become(self, plan, storage, accessor, origin)
        with suppress(AttributeError):  # the class is no longer that by which Numba tells views apart
            del self._kernel
        if self._storage is None:  # another thread has released the view meanwhile
            self._detach()
        return True

    def _become(self, mapping: AnyMapping, origin: int) -> None:
        """Have another mapping, of the null view."""
        self._plan = access_plan_cache.general_plan(self._plan.access, mapping)
        self._derived = mapping, 0
        self._place = origin

    @property
    def _mapping(self) -> AnyMapping:
        derived = self._derived
        # Most are known, and a call takes as long as all else.
        return derived[0] if len(derived) == 2 else self._resolved()[0]  # noqa: PLR2004

    @property
    def _origin(self) -> int:
        place, derived = self._place, self._derived
        return place + (derived[1] if len(derived) == 2 else self._resolved()[1])  # noqa: PLR2004

    def _resolved(self) -> access_plan_cache.Moved:
        """Derive the mapping, and where its offset 0 lies from the place of the view."""
        found = self._derived = access_plan_cache.resolved(self._derived)
        if self._storage is None:  # another thread has released the view meanwhile
            self._become(view_parts.null_mapping(found[0]), 0)
        return found

    def move(self) -> Self:
        """Return a view of the same data and become the null view: dynamic extents 0, no data (P0009r00's move)."""
        moved = copy(self)
        if owns(self, moved._storage):
            own(moved)
        self.release()
        return moved

    def release(self) -> None:
        """Give the data back and become the null view; the buffer unlocks when its last view is released or dies.

        It may be called again, and by any thread while others read: each of them reads the data, or finds none.
        """
        self._detach()
        self._become(view_parts.null_mapping(self._mapping), 0)
        with suppress(AttributeError):  # most have none, and another thread may drop it, too
            del self._kernel

    def __copy__(self) -> Self:
        """Return another view of the same data; no element is copied."""
        return self._make(*parts_of(self))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the parts: of a buffer what is reached, of a sequence all of it; see `mdview.memory.storage`.

        If the view reaches all of a buffer but a few KiB, the buffer object itself is in the pickle, and so shared
        with each other view like that, and with what else names it. Of a mapped file or of shared memory it is where
        it lies, and the same memory is opened again (see `mdview.memory.exporters`).

        Raises
        ------
        AccessorError
            It would be opened again by others, and the accessor stores under the promise that no other process does.
        """
        parts = parts_of(self)
        storage, low, high = parts.reached()
        stores = isinstance(parts.accessor, Writable)
        if stores and storage and low < high and storage.region(stores=True):
            parts.accessor.check_shared(storage)
        sent, first = storage.sent(low, high, stores=stores) if storage else (None, 0)
        return _rebuild, (self._base, sent, parts.origin - first, *parts[2:])

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a view of a copy of all the data; of what cannot be copied itself (a map of a file) what it reaches.

        Whatever is copied in the same call shares the copy if it shared the data. Any: as `copy` has it.
        """
        parts = parts_of(self)
        storage, low, high = parts.reached()
        copied, first = deepcopy(storage.copied(low, high, memo), memo) if storage else (None, 0)
        held, others = cast("Storage | None", copied), deepcopy(parts[2:], memo)
        return cast("Self", _rebuild(self._base, held, parts.origin - first, *others))


def _drop(storage: Storage, data: object) -> None:
    """Give data back of which no view could be made: the frames of the error hold the storage while it is handled."""
    if storage is not data:
        storage.drop()


def _rebuild(base: type[ViewBase], storage: Storage | None, origin: int, mapping: object, accessor: object) -> ViewBase:
    """Unpickle a view; its parts are checked like those of a view that is made.

    An accessor that speaks of where data begins does so of the copy if it holds there, and else no more.
    """
    mapping, policy = view_parts.checked_mapping(mapping), view_parts.check_access(accessor)
    if storage is None:
        return base._make(None, 0, view_parts.null_mapping(mapping), policy)
    if mapping.size:  # where there is no element, it does not matter where they would begin
        policy = view_parts.accessor_serving(policy, storage, origin)
        check_fit(storage, mapping, origin, policy)
    return base._make(storage, origin, mapping, policy)


def parts_of(view: ViewBase) -> ViewParts:
    """Return the parts of a view, all as they are at one time."""
    origin, mapping = view._origin, view._mapping
    return ViewParts(view._storage, origin, mapping, view._accessor)


def own(view: ViewBase) -> None:
    """Remember with the memory of a view that it was made for this view."""
    if view._storage is not None:
        view._storage.owner = ref(view)


def owns(view: ViewBase, storage: Storage | None) -> bool:
    """Tell whether a storage was made for a view."""
    owner = getattr(storage, "owner", None)
    return owner is not None and owner() is view


def placed_parts_of(view: ViewBase) -> PlacedParts:
    """Return the parts of a view, all as they are at one time, with the plan of its mapping, which is not derived."""
    known, origin, accessor = view._plan, view._place, view._accessor
    plan = known.known_numbers or known.numbers()  # most are known, and a call takes as long as all else
    return view._storage, origin, plan, accessor  # the storage is the last one, see `ViewBase._detach`


def operand_of(view: ViewBase) -> Operand:
    """Return what bulk operations read and write of a view, all as it is at one time; see `ViewParts.operand`."""
    storage, origin, plan, accessor = placed_parts_of(view)
    return Operand(checked_storage(storage).items, plan, origin, accessor)


def extents_of(view: ViewBase) -> tuple[int, ...]:
    """Return the extents of a view, whose mapping is not derived for that."""
    return view._plan.extents


def check_view(given: object, name: str) -> None:
    """Refuse what is no view.

    Raises
    ------
    OperandError
        ``given`` is none; the message calls it ``name``.
    """
    if not isinstance(given, ViewBase):
        refuse(name, "an MDView", given, "make one of data and extents, or asview(array)")


def keep_for_kernels(view: ViewBase, kept: tuple[Any, ...]) -> None:
    """Keep with a view, until it is released, what `mdview.numba.view_descriptions` has found out about it.

    Compiled code reads it by the name ``_kernel``. Any: nobody else looks into it.
    """
    view._kernel = kept
    if view._storage is None:  # another thread has released it since it was looked at
        with suppress(AttributeError):
            del view._kernel


def kept_for_kernels(view: ViewBase) -> tuple[Any, ...]:
    """Return what `keep_for_kernels` has kept; nothing at first. Any: as there."""
    return getattr(view, "_kernel", ())
