"""Views derived from another view: subviews, tiles, views with static extents or with another accessor.

Functions that take a mapping check nothing and copy nothing, since a derived mapping stays within the data. `subview`
takes one slice per dimension, in which a negative index raises; brackets, ``view[...]``, follow NumPy's rules. The
result has the layout that the C++26 draft prescribes, see `mdview.mappings.slicing`. `assume` checks the extents of a
view and returns a view with static extents, `has_extents` tests the extents. `readonly` and `atomic` wrap the accessor
of a view; `checked` and `unchecked` replace the plain accessor, also inside a wrapper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar, final

from typing_extensions import TypeIs

from mdview.accessors.accessor import T, Wrapper, Writable
from mdview.accessors.policies import CheckedAccessor, DefaultAccessor, ReadOnlyAccessor, UncheckedAccessor
from mdview.atomics import AtomicAccessor
from mdview.atomics.cas_loop import MemoryOrder
from mdview.base import answer_calls, brief
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import AxisOffsets
from mdview.engines.plan_parts import near_index, part_of, read_box, read_part
from mdview.errors import AccessorError, ExtentsError, ReadOnlyError
from mdview.index.extents import as_extents, shape_text
from mdview.index.slices import ExtentSlice, Selection, canonical_slices
from mdview.layouts.layout import Layout
from mdview.mappings.bracket_keys import key_of_slices
from mdview.mappings.mapping import E, L, Mapping
from mdview.memory.storage import Storage
from mdview.views.typing_protocols import A
from mdview.views.view import MDView
from mdview.views.view_base import check_view, mapped, parts_of, view_of_plan
from mdview.views.view_parts import AnyAccessor, box_mapping, derived_from, refuse_null

__all__ = ["assume", "atomic", "checked", "has_extents", "readonly", "subview", "unchecked"]

W = TypeVar("W")
Box: TypeAlias = tuple[tuple[int, int], ...]
"""A box of indices: for each dimension the first index, and one past the last index."""
AnyView: TypeAlias = MDView[Any, Any, Any, Any]
"""``Any`` stands for any elements, extents, layouts and accessors."""
SourceView: TypeAlias = MDView[T, Any, Any, A]
"""``Any`` stands for the extents and the layout of the source, which do not determine the types of the result."""


def derived(view: SourceView[T, Any], mapping: Mapping[E, L], shift: int, accessor: A) -> MDView[T, E, L, A]:
    """Return a view of the same data with another mapping and accessor, and the origin moved by ``shift`` items."""
    origin = mapped(view)[1] + shift  # before the storage is read, see `ViewBase`
    made: MDView[T, E, L, A] = view._make(view._storage, origin, mapping, accessor)
    return made


def shifted(view: SourceView[T, A], mapping: Mapping[E, L], shift: int) -> MDView[T, E, L, A]:
    """Return a view of the same data with another mapping, and the origin moved by ``shift`` items.

    The accessor is the ``offset_policy()`` of the view's accessor. It promises no alignment, as the new origin may not
    be aligned.
    """
    policy: Any = view._accessor.offset_policy()
    return derived(view, mapping, shift, policy)


def selected(view: SourceView[T, A], slices: Sequence[Selection]) -> MDView[T, tuple[int, ...], Layout, A]:
    """Return the subview that canonical slices select, one per dimension."""
    found: MDView[T, tuple[int, ...], Layout, A] = view._select(slices)
    return found


def chunk_counts(extents: Sequence[int], lengths: Sequence[int]) -> tuple[int, ...]:
    """Return the number of tiles along each dimension, from the extents and the lengths of a tile."""
    return tuple([-(-int(e) // n) for e, n in zip(extents, lengths, strict=True)])


def cuts_of(extents: Sequence[int], lengths: Sequence[int]) -> list[Box]:
    """Return the index ranges of tiles along each dimension; their product is the boxes of all tiles in C order.

    >>> cuts_of((5, 2), (2, 2))
    [((0, 2), (2, 4), (4, 5)), ((0, 2),)]
    """
    return [
        tuple([(a, min(a + n, e)) for a in range(0, e, n)]) for e, n in zip(map(int, extents), lengths, strict=True)
    ]


def ranges(pairs: Iterable[tuple[int, int]]) -> list[ExtentSlice]:
    """Return the canonical slices for pairs of a first index and one past the last index."""
    return [ExtentSlice(a, z - a) for a, z in pairs]


def part_at(view: SourceView[T, A], box: Box) -> MDView[T, Any, Any, A]:
    """Return the subview of a box of a view."""
    found: MDView[T, Any, Any, A] | None = view._part(read_box(view._plan, box))
    if view._storage is None:
        refuse_null()
    return selected(view, ranges(box)) if found is None else found


def parts_at(view: SourceView[T, A], boxes: Iterable[Box]) -> Iterator[MDView[T, Any, Any, A]]:
    """Iterate over the subviews of boxes that share ranges along the dimensions, as tiles do.

    Each range is looked up once, so a subview takes 1.5 µs; `part_at` takes 3 µs.
    """
    plan = view._plan
    if plan.axes is None or not plan.slices_follow:
        yield from (part_at(view, box) for box in boxes)
        return
    nearest_ranges = [_NearestRanges(axis) for axis in plan.axes]
    parts: dict[tuple[int, ...], tuple[Plan, int]] = {}
    kind, origin, found, policy = type(view), view._origin, view._found, view._accessor.offset_policy()
    for box in boxes:
        shift = 0
        form: tuple[int, ...] = ()
        for nearest, pair in zip(nearest_ranges, box):  # noqa: B905 - of one length, and strict takes longer
            least, moved = nearest[pair]
            form += least
            shift += moved
        part = parts.get(form)
        if part is None:
            first, begin = part_of(plan, read_box(plan, box)[0])
            part = parts[form] = first, begin - shift + origin
        storage = view._storage
        if storage is None:
            refuse_null()
        yield view_of_plan(kind, storage, part[1] + shift, part[0], policy, derived_from(found, box_mapping, (box,)))


@final
class _NearestRanges(dict[tuple[int, int], tuple[tuple[int, int], int]]):
    """A cache that maps a range of indices along an axis to the lowest range with equal differences of offsets.

    An entry has the first index and the length of the lowest range, and the difference between the first offsets of
    both ranges.
    """

    def __init__(self, axis: AxisOffsets) -> None:
        """Hold the axis."""
        self.axis = axis

    def __missing__(self, pair: tuple[int, int]) -> tuple[tuple[int, int], int]:
        """Compute the entry of a range."""
        first, count = pair[0], pair[1] - pair[0]
        least, moved = near_index(self.axis, first, count)
        self[pair] = answer = (least, count), moved
        return answer


def remaking(view: SourceView[T, A]) -> Callable[[Storage], MDView[T, Any, Any, A]]:
    """Return a function that makes an equal view of another storage of the same format and length.

    For ``Any`` see `SourceView`.
    """
    kind, plan, accessor, origin, found = type(view), view._plan, view._accessor, view._origin, view._found
    return lambda storage: view_of_plan(kind, storage, origin, plan, accessor, found)


def view_of(storage: Storage, origin: int, mapping: Mapping[E, L], accessor: A) -> MDView[Any, E, L, A]:
    """Return a view of a storage with a mapping and an accessor. ``Any`` stands for elements of any type."""
    made: SourceView[Any, Any] = MDView._make(storage, origin, mapping, accessor)
    return made


@answer_calls
def readonly(v: MDView[Any, Any, Any, Any], /) -> MDView[Any, Any, Any, Any]:
    """Return a read-only view of the same elements; its ``data`` is the same object, and may be writable."""
    check_view(v, "what becomes read-only")
    return derived(v, v.mapping, 0, readonly_accessor(v.accessor))


@answer_calls
def atomic(
    v: MDView[T, E, L, Writable[W, object]], /, *, process_local: bool = False, order: MemoryOrder | None = None
) -> MDView[T, E, L, AtomicAccessor[W]]:
    """Return a view of the same elements with access that is atomic among threads.

    If the extra ``atomic`` is installed, access is also atomic among processes.

    Parameters
    ----------
    process_local
        Admit memory that other processes may access without being excluded by atomic operations, see `AtomicAccessor`.
    order
        Memory order of the atomic operations, see `AtomicAccessor`; by default the order of the view if it is atomic,
        else ``"seq_cst"``.

    Raises
    ------
    ReadOnlyError
        The view does not store.
    AccessorError
        Other processes may access the data without being excluded, and ``process_local`` is False; or the items are
        misaligned; or the order is unknown.
    """
    check_view(v, "what becomes atomic")
    accessor, (storage, origin, *_) = _atomic(v.accessor, process_local, order), parts_of(v)
    if storage is not None:
        accessor.check(storage, origin)
    return derived(v, v.mapping, 0, accessor)


@answer_calls
def checked(v: MDView[Any, Any, Any, Any], /) -> MDView[Any, Any, Any, Any]:
    """Return a view of the same elements that raises for an index outside ``0 <= index < extent``.

    The plain accessor is replaced by `CheckedAccessor`; a read-only view stays read-only.
    """
    check_view(v, "what is checked")
    return derived(v, v.mapping, 0, _with_core(v.accessor, CheckedAccessor()))


@answer_calls
def unchecked(v: MDView[Any, Any, Any, Any], /) -> MDView[Any, Any, Any, Any]:
    """Return a view of the same elements that does not test indices.

    The plain accessor is replaced by `UncheckedAccessor`; a read-only view stays read-only.
    """
    check_view(v, "what is unchecked")
    return derived(v, v.mapping, 0, _with_core(v.accessor, UncheckedAccessor()))


def readonly_accessor(accessor: AnyAccessor) -> ReadOnlyAccessor[Any]:
    """Return a read-only form of ``accessor``. ``Any`` stands for elements of any type."""
    return accessor if isinstance(accessor, ReadOnlyAccessor) else ReadOnlyAccessor(accessor)


def _atomic(accessor: AnyAccessor, process_local: bool, order: MemoryOrder | None) -> AtomicAccessor[Any]:  # noqa: FBT001 - as given
    """Return an atomic accessor around ``accessor``; if ``accessor`` is atomic, its options are the defaults."""
    if isinstance(accessor, AtomicAccessor):
        again = AtomicAccessor(accessor.inner, process_local, accessor.order if order is None else order)
        return again if again.process_local else AtomicAccessor(accessor.inner, accessor.process_local, again.order)
    if not isinstance(accessor, Writable):
        raise ReadOnlyError(f"atomic operations store, {brief(accessor)} does not")
    return AtomicAccessor(accessor, process_local, "seq_cst" if order is None else order)


def _with_core(accessor: AnyAccessor, core: AnyAccessor) -> AnyAccessor:
    """Return ``accessor`` with the plain accessor at its core replaced by ``core``."""
    if isinstance(accessor, DefaultAccessor | CheckedAccessor | UncheckedAccessor):
        return core
    if isinstance(accessor, Wrapper):
        return accessor.around(_with_core(accessor.inner, core))
    raise AccessorError(f"{brief(accessor)} chooses its index rule itself; give it an index_rule of its own")


def subview(view: Any, /, *slices: Any) -> Any:  # Any: the types are those of the stub, overload by overload
    """Return the part of ``view`` that ``slices`` select, one slice per dimension, as a view of the same data.

    An int drops its dimension. ``ALL`` selects a whole dimension; a pair ``(begin, end)``, ``range``, ``slice``,
    `ExtentSlice`, `RangeSlice` and `StridedSlice` select a part of a dimension. A negative index raises an error. A
    ``dim(n)`` in a slice makes a static extent. The function is C++26's ``submdspan``.

    Raises
    ------
    RankError, IndexOutOfRangeError, SliceError, SliceTypeError
        See `mdview.index.slices.canonical_slices`.

    >>> from mdview import ALL, MDView
    >>> subview(MDView(list(range(12)), (3, 4)), ALL, (1, 3)).tolist()
    [[1, 2], [5, 6], [9, 10]]
    """
    check_view(view, "what is sliced")
    key = key_of_slices(slices, view._plan.extents)
    read = None if key is None else read_part(view._plan, key, added=())
    found = None if read is None else view._part(read)
    if found is not None:
        return found
    try:
        return selected(view, canonical_slices(view.mapping.extents, slices))
    except IndexError:
        if view.data is None:  # a null view has extents 0, and its error tells so
            refuse_null()
        raise


@answer_calls
def assume(v: Any, extents: Any, /) -> Any:
    """Return a view of the same elements with ``extents``, which must equal the view's extents and may be static.

    Raises
    ------
    ExtentsError
        The view has other extents.
    """
    check_view(v, "what has extents")
    checked_extents = as_extents(extents)
    if checked_extents != v.extents:
        raise ExtentsError(
            f"the view has extents {shape_text(v.extents)}, not {shape_text(checked_extents)}; ask "
            "has_extents(view, extents) first"
        )
    return derived(v, Mapping.trusted(checked_extents, v.layout), 0, v.accessor)


def has_extents(v: MDView[T, tuple[int, ...], L, A], extents: E, /) -> TypeIs[MDView[T, E, L, A]]:
    """Tell whether ``v`` has these extents; if so, a type checker narrows the type of ``v``."""
    check_view(v, "what has extents")
    own = v.extents
    return (type(extents) is tuple and own == extents) or own == as_extents(extents)
