"""`ViewBase`, the slots with the parts of a view: access to the parts, new views of the same data, release.

Modules outside this folder do not use underscore names of a view. `parts_of` returns its parts, and the functions of
`mdview.views.derived_views` make views of the same data.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from operator import attrgetter
from typing import Any, ClassVar, Final, Self, cast, final
from weakref import ref

from mdview.accessors.accessor import WRAP
from mdview.base import refuse_unviewed
from mdview.engines import bounds_check
from mdview.engines.bulk.bulk_operand import Operand
from mdview.engines.element_access import ElementRow, grid_of, grid_of_positions
from mdview.engines.mapping_plan import Plan, plan_of
from mdview.engines.offset_tables import axis_offset
from mdview.engines.plan_parts import part_of
from mdview.errors import BufferSizeError, KernelError, MDViewError
from mdview.index.rearrangement import Movement
from mdview.mappings.bracket_keys import ReadKey
from mdview.mappings.slicing import Moved
from mdview.memory.storage import Storage
from mdview.views import view_parts
from mdview.views.view_parts import AnyAccessor, AnyMapping, Found, check_fit, derived_from, known_mapping, row_part


def rearranged(
    view: ViewBase, movement: Callable[..., Movement], verb: Callable[..., Moved], args: tuple[Any, ...]
) -> Any | None:
    """Return the view after ``movement``, a function on index spaces; None if this needs the layout, or without data.

    The mapping of the result is made lazily by ``verb``, the same operation on mappings. ``Any`` stands for a view, and
    for arguments of ``verb``.
    """
    plan, origin, found = view._plan, view._origin, view._found
    transform, extents, box = movement(plan.extents, *args)
    if not plan.moves_follow or box is not None:
        return None
    rows = tuple(zip(transform.offset, transform.stride, transform.source, strict=True))
    (part, shift), storage = part_of(plan, (rows, tuple(map(int, extents)), ())), view._storage
    if storage is None:
        return None
    policy, derived = view._accessor.offset_policy(), derived_from(found, verb, args)
    return view_of_plan(view._kind, storage, origin + shift, part, policy, derived)


UNDESCRIBED: Final[tuple[Any, ...]] = (-1, bytes(8))
"""The description of a view that is not yet described for kernels; the number -1 belongs to no type.

For ``Any`` see `keep_for_kernels`.
"""

_new: Final[Callable[[type], Any]] = object.__new__
_ROWS: Final[frozenset[type]] = frozenset({array, bytearray, bytes, list, Storage})
"""Types of data of rank 1."""


def view_of_plan(
    kind: type, storage: Storage | None, origin: int, plan: Plan, accessor: AnyAccessor, found: Found
) -> Any:
    """Return a view of the class ``kind`` from parts that fit each other; nothing is checked.

    The result is typed ``Any``, as it is a view of any class, elements and extents.
    """
    self = _new(kind)
    self._storage = storage
    self._origin = origin
    self._plan = plan
    self._accessor = accessor
    self._found = found
    self._memory = self._items = self._grid = self._rows = None
    self._kernel = UNDESCRIBED
    return self


@final
class Rows:
    """The parts of a view at the indices of dimension 0, which share a plan; ``view[i]`` looks parts up in it."""

    __slots__ = (
        *("_accessor", "_extent", "_origin", "_plan", "_read", "_source", "_step", "_steps", "_storage"),
        "_wraps",
    )

    def __init__(self, view: Any, storage: Storage, read: ReadKey) -> None:
        """Compute the attributes that are common to all parts, from the canonical key of one part."""
        plan, begin, part = view._plan, read[0][0][0], part_of(view._plan, read)
        axis = plan.axes[0]
        self._storage = storage
        self._source, _, _, self._steps = derived_from(view._found, row_part, ())
        self._wraps = view._accessor.index_rule is WRAP
        self._accessor, self._extent = view._accessor.offset_policy(), plan.extents[0]
        self._read = read
        self._plan = part[0]
        self._step = axis if type(axis) is int else axis.lookup
        self._origin = view._origin + part[1] - axis_offset(axis, begin)

    def __getitem__(self, index: int) -> Any:
        """Return the part at an index of dimension 0."""
        if index < 0 and self._wraps:
            index += self._extent
        if not 0 <= index < self._extent:
            raise IndexError
        step: Any = self._step
        made = _new(ViewBase._kind)
        made._storage = self._storage
        made._origin = self._origin + (index * step if type(step) is int else step(index))
        made._plan = self._plan
        made._accessor = self._accessor
        made._found = self._source, row_part, (index, self._read), self._steps
        made._memory = made._items = made._grid = made._rows = None
        made._kernel = UNDESCRIBED
        return made


@final
class _NoKernelTypeError(KernelError, AttributeError):
    """The error for a view without a type in kernels: Numba expects an `AttributeError`, and users read the reason."""


class ViewBase:
    """The abstract class of views that holds their parts; all views derive from it.

    Attributes
    ----------
    _storage, _origin, _plan, _accessor
        The data, the position in the data of offset 0 of the plan, the plan, and the accessor. A release drops the
        storage before all other parts, and readers read the storage last; so the parts that a reader has read belong to
        this storage.
    _found
        The mapping and the position of its offset 0, or the pending derivation of both, see `Found`.
    _memory, _items, _first, _second, _grid
        The grid, made at the first access to an element: a memoryview of the elements, or items and two tables, or a
        function from indices to positions, see `mdview.engines.element_access`.
    _rows
        The elements (rank 1) or parts at the indices of dimension 0, made at the first access.
    """

    __slots__ = (
        *("__weakref__", "_accessor", "_first", "_found", "_grid", "_items", "_memory", "_origin", "_plan"),
        *("_kernel", "_rows", "_second", "_storage"),
    )

    _kind: ClassVar[type]
    """The class of all views: `MDView`."""

    _accessor: AnyAccessor
    _found: Found
    _grid: Any
    _memory: Any
    _origin: int
    _plan: Plan
    _rows: Any
    _storage: Storage | None
    _items: Any
    _first: Any
    _second: Any

    _kernel: tuple[Any, ...]  # see `keep_for_kernels`

    @property
    def _numba_type_(self) -> object:
        """The type in kernels.

        Numba reads this attribute only if another thread is still registering the type of views. Numba reads the
        attribute twice. The first read tests whether the attribute exists: an error other than `AttributeError` is
        printed and lost there. Before the second read, another thread may release the view.
        """
        try:
            return self._kernel[2]
        except IndexError:
            from mdview import typeof_view  # noqa: PLC0415 - waits for another thread to load all of `mdview.numba`
        try:
            return typeof_view(self, None)
        except Exception as error:
            raise _NoKernelTypeError(f"kernels have no type for this view: {error}") from error

    @classmethod
    def _over(cls, data: object, origin: int, plan: Plan, accessor: AnyAccessor) -> Self:
        """Return a view of a user's data, after all checks; offset 0 of ``plan`` is at position ``origin``."""
        mapping = cast("AnyMapping", plan.mapping)
        if data is None:
            return cls._make(None, 0, view_parts.null_mapping(mapping), accessor)
        storage = data if type(data) is Storage else Storage(data)
        try:
            check_fit(storage, mapping, origin, accessor)
            if type(data) not in _ROWS and getattr(data, "ndim", 0) != 1:
                view_parts.refuse_columns(data, mapping.layout)
        except MDViewError:
            if storage is not data:  # the frames of the error would keep the storage alive
                storage.drop()
            raise
        self: Self = view_of_plan(cls, storage, origin, plan, accessor, (mapping, origin))
        return self

    @classmethod
    def _make(cls, storage: Storage | None, origin: int, mapping: AnyMapping, accessor: AnyAccessor) -> Self:
        """Return a view from its parts; only the range of positions is checked against the length of the data."""
        if storage is not None:
            ends = mapping.reach() or ((0, -1) if mapping.size else (-origin, -origin - 1))
            if not -ends[0] <= origin < storage.length - ends[1]:
                bounds_check.refuse_position(origin + ends[0], origin + ends[1], storage.length)
        self: Self = view_of_plan(cls, storage, origin, plan_of(mapping), accessor, (mapping, origin))
        return self

    def _find_grid(self) -> bool:
        """Build the grid for access to elements; return False if the view has a grid already, or no data, else True.

        Most views never access an element, so the grid is built at the first access. Two threads may both build it.
        """
        origin, plan, accessor, storage = self._origin, self._plan, self._accessor, self._storage
        if storage is None or self._memory is not None or self._grid is not None or type(self._rows) is memoryview:
            return False
        found = grid_of(storage, origin, plan, accessor)
        is_row = len(plan.extents) == 1
        if type(found) is memoryview:
            self._memory, self._rows = (None, found) if is_row else (found, None)
        else:
            positions, items, load, store, targets = found
            grid = grid_of_positions(positions)
            self._grid = grid, items, load, store, grid if targets is positions else targets
            if store is None and targets is positions:
                if isinstance(positions, tuple) and len(positions) == 2:  # noqa: PLR2004 - those of two tables
                    self._first, self._second = positions
                    self._items = items
                elif is_row:
                    self._rows = ElementRow(grid, items)
        if self._storage is None:  # another thread has released the view meanwhile
            self._drop_grid()
        return True

    def _keep_rows(self, read: ReadKey) -> None:
        """Cache a `Rows` for further parts at indices of dimension 0; ``read`` is the key of such a part."""
        storage = self._storage
        if storage is not None:
            self._rows = Rows(self, storage, read)
        if self._storage is None:  # another thread has released the view meanwhile
            self._drop_grid()

    def _drop_grid(self) -> None:
        """Drop all attributes that refer to the data, except the storage."""
        self._memory = self._items = self._grid = self._rows = None

    def move(self) -> Self:
        """Return a view of the same data, and make this view the null view, like a view in P0009r00 after a move."""
        moved: Self = held(self)
        if owns(self, moved._storage):
            own(moved)
        self.release()
        return moved

    def release(self) -> None:
        """Drop the data and become the null view; a buffer is unlocked when its last view is released or deleted.

        The method may be called repeatedly, and by any thread; an access by another thread at the same time reads the
        data or raises an error.
        """
        self._storage = None
        self._drop_grid()
        mapping = view_parts.null_mapping(mapped(self)[0])
        self._plan, self._found, self._origin = plan_of(mapping), (mapping, 0), 0
        self._kernel = UNDESCRIBED


def mapped(view: ViewBase) -> tuple[AnyMapping, int]:
    """Return the mapping of a view, and the position in the data of its offset 0."""
    found = view._found
    if len(found) != 2:  # noqa: PLR2004 - steps are pending
        found = view._found = known_mapping(found)
        if view._storage is None:  # another thread has released the view meanwhile
            found = view._found = view_parts.null_mapping(found[0]), 0
    return found


def parts_of(view: ViewBase) -> tuple[Storage | None, int, AnyMapping, AnyAccessor]:
    """Return storage, position of offset 0 of the mapping, mapping and accessor of a view, also during a release."""
    (mapping, origin), accessor = mapped(view), view._accessor
    return view._storage, origin, mapping, accessor


def own(view: ViewBase) -> None:
    """Record a view as the owner of its memory, which was made together with the view."""
    if view._storage is not None:
        view._storage.owner = ref(view)


def owns(view: ViewBase, storage: Storage | None) -> bool:
    """Tell whether a view owns a storage."""
    owner = getattr(storage, "owner", None)
    return owner is not None and owner() is view


def placed_parts_of(view: ViewBase) -> tuple[Storage | None, int, Plan, AnyAccessor]:
    """Return storage, position of offset 0 of the plan, plan and accessor of a view; no mapping is derived."""
    origin, plan, accessor = view._origin, view._plan, view._accessor
    return view._storage, origin, plan, accessor  # the storage is the last one, see `ViewBase`


def held(view: ViewBase) -> Any:
    """Return another view of the same parts, which no other thread can release. ``Any`` stands for the view.

    The plan of the result is made from its mapping, and may have strides even if the plan of ``view`` has none.
    """
    storage, origin, mapping, accessor = parts_of(view)
    return view_of_plan(view._kind, storage, origin, plan_of(mapping), accessor, (mapping, origin))


def storage_of(view: ViewBase) -> Storage:
    """Return the storage of a view, after a check that the storage still has all its items.

    Raises
    ------
    NullViewError
        The view has no data.
    BufferSizeError
        The data has become shorter since the view was made: a list, unlike a buffer, is not locked.
    """
    storage = view._storage
    if storage is None:
        view_parts.refuse_null()
    if len(storage.items) < storage.length:
        raise BufferSizeError(
            f"the data had {storage.length} elements when the view was made, now {len(storage.items)}"
        )
    return storage


def operand_of(view: ViewBase) -> Operand:
    """Return the operand of a view for bulk operations; raises as `storage_of` does."""
    origin, plan, accessor = view._origin, view._plan, view._accessor
    return Operand(storage_of(view).items, plan, origin, accessor)


def extents_of(view: ViewBase) -> tuple[int, ...]:
    """Return the extents of a view; no mapping is derived."""
    return view._plan.extents


def check_view(given: object, name: str) -> None:
    """Check that an object is a view; ``name`` begins the message.

    Raises
    ------
    OperandError
        ``given`` is not a view.
    """
    if not isinstance(given, ViewBase):
        refuse_unviewed(name, "an MDView", given, "make one of data and extents, or asview(array)")


def keep_for_kernels(view: ViewBase, kept: tuple[Any, ...]) -> None:
    """Attach the description by `mdview.numba.view_descriptions` to a view, until the view is released.

    Compiled code reads the attribute ``_kernel``. The description is typed ``Any``, as only `mdview.numba` reads it.
    """
    view._kernel = kept
    if view._storage is None:  # another thread has released the view meanwhile
        view._kernel = UNDESCRIBED


kept_for_kernels: Final[Callable[[ViewBase], tuple[Any, ...]]] = attrgetter("_kernel")
"""Return the description that `keep_for_kernels` has attached to a view, or `UNDESCRIBED`."""
