"""Views made of another view: subviews, tiles, static extents, and other accessors (read-only, atomic, checked).

Functions that take a mapping check nothing and copy nothing: a derived mapping stays within the data. `subview` takes
one slice per dimension and never wraps; brackets, ``view[...]``, follow NumPy's rules instead. The layout of the result
is that of the C++26 draft, see `mdview.mappings.slicing`. `assume` checks static extents and keeps them, `has_extents`
tests for them. Policies replace the accessor: `readonly` and `atomic` wrap the accessor of the view; `checked` and
`unchecked` replace the plain accessor at its core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar, cast, final

from typing_extensions import TypeIs

from mdview.accessors.accessor import T, Wrapper, Writable
from mdview.accessors.policies import CheckedAccessor, DefaultAccessor, ReadOnlyAccessor, UncheckedAccessor
from mdview.atomics import AtomicAccessor
from mdview.atomics.cas_loop import MemoryOrder
from mdview.base import answer_calls, brief
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import AxisOffsets
from mdview.engines.plan_parts import near_index, part_of
from mdview.errors import AccessorError, ExtentsError, ReadOnlyError
from mdview.index.extents import as_extents, shape_text
from mdview.index.slices import ExtentSlice, Selection, canonical_slices
from mdview.layouts.layout import Layout
from mdview.mappings.bracket_keys import ReadKey, read_slices
from mdview.mappings.mapping import E, L, Mapping
from mdview.memory.storage import Storage
from mdview.views.derived_mapping import box_mapping, derived_from
from mdview.views.typing_protocols import A
from mdview.views.view import MDView
from mdview.views.view_base import check_view, mapped, parts_of, view_of_plan
from mdview.views.view_parts import AnyAccessor, AnyMapping, refuse_null

__all__ = ["assume", "atomic", "checked", "has_extents", "readonly", "subview", "unchecked"]

W = TypeVar("W")
Box: TypeAlias = tuple[tuple[int, int], ...]
"""For each dimension the first index, and one past the last."""
AnyView: TypeAlias = MDView[Any, Any, Any, Any]
"""Any: views of all elements, extents, layouts and accessors."""
SourceView: TypeAlias = MDView[T, Any, Any, A]
"""Any: the extents and the layout of the result are those of the new mapping."""


def derived(view: SourceView[T, Any], mapping: Mapping[E, L], shift: int, accessor: A) -> MDView[T, E, L, A]:
    """Return a view of the same data from ``shift`` elements on, with another mapping and accessor."""
    origin = mapped(view)[1] + shift  # before the storage is read, see `ViewBase`
    made: MDView[T, E, L, A] = view._make(view._storage, origin, mapping, accessor)
    return made


def shifted(view: SourceView[T, A], mapping: Mapping[E, L], shift: int) -> MDView[T, E, L, A]:
    """Return a view of the same data from ``shift`` elements on, with another mapping.

    Its accessor is the ``offset_policy()`` of the view's, without an alignment that may not hold at the new offset.
    """
    origin, policy = mapped(view)[1] + shift, view._accessor.offset_policy()  # see `derived`
    made: MDView[T, E, L, A] = view._make(view._storage, origin, mapping, policy)
    return made


def selected(view: SourceView[T, A], slices: Sequence[Selection]) -> MDView[T, tuple[int, ...], Layout, A]:
    """Return the subview of canonical slices, one per dimension."""
    found: MDView[T, tuple[int, ...], Layout, A] = view._select(slices)
    return found


def chunk_counts(extents: Sequence[int], lengths: Sequence[int]) -> tuple[int, ...]:
    """Count the tiles of these lengths along each dimension."""
    return tuple([-(-int(e) // n) for e, n in zip(extents, lengths, strict=True)])


def cuts_of(extents: Sequence[int], lengths: Sequence[int]) -> list[Box]:
    """Return for each dimension the ranges of its tiles; their product is the boxes of the tiles in C order.

    >>> cuts_of((5, 2), (2, 2))
    [((0, 2), (2, 4), (4, 5)), ((0, 2),)]
    """
    return [
        tuple([(a, min(a + n, e)) for a in range(0, e, n)]) for e, n in zip(map(int, extents), lengths, strict=True)
    ]


def ranges(pairs: Iterable[tuple[int, int]]) -> list[ExtentSlice]:
    """Return the canonical slices of pairs of a first index and one past the last."""
    return [ExtentSlice(a, z - a) for a, z in pairs]


def part_at(view: SourceView[T, A], mapping: AnyMapping, box: Box) -> MDView[T, Any, Any, A]:
    """Return the subview of a box of a view; ``mapping`` is that of the view."""
    read = read_slices(box, mapping.extents)
    found = None if read is None else view._part(read)
    return selected(view, ranges(box)) if found is None else found


def parts_at(view: SourceView[T, A], boxes: Iterable[Box]) -> Iterator[MDView[T, Any, Any, A]]:
    """Iterate over the subviews of boxes that share ranges along dimensions, as tiles do.

    The part of each range is found once, so a subview takes 1.5 µs; `part_at` takes 3 to 5 µs.
    """
    plan, mapping = view._plan, view.mapping
    if plan.axes is None or not plan.slices_follow:
        yield from (part_at(view, mapping, box) for box in boxes)
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
            first, begin = part_of(plan, cast("ReadKey", read_slices(box, plan.extents)))
            part = parts[form] = first, begin - shift + origin
        storage = view._storage
        if storage is None:
            refuse_null()
        yield view_of_plan(kind, storage, part[1] + shift, part[0], policy, derived_from(found, box_mapping, (box,)))


@final
class _NearestRanges(dict[tuple[int, int], tuple[tuple[int, int], int]]):
    """For ranges along an axis: the least first index with the same steps, the length, and the distance of offsets."""

    def __init__(self, axis: AxisOffsets) -> None:
        """Keep the axis."""
        self.axis = axis

    def __missing__(self, pair: tuple[int, int]) -> tuple[tuple[int, int], int]:
        """Find the entry of a range."""
        first, count = pair[0], pair[1] - pair[0]
        least, moved = near_index(self.axis, first, count)
        self[pair] = answer = (least, count), moved
        return answer


def remaking(view: SourceView[T, A]) -> Callable[[Storage], MDView[T, Any, Any, A]]:
    """Return a function from storages of the same format and length to this view of them. Any: see `SourceView`."""
    kind, plan, accessor, origin, found = type(view), view._plan, view._accessor, view._origin, view._found
    return lambda storage: view_of_plan(kind, storage, origin, plan, accessor, found)


def view_of(storage: Storage, origin: int, mapping: Mapping[E, L], accessor: A) -> MDView[Any, E, L, A]:
    """Return the view of these parts. Any: elements of any type."""
    made: SourceView[Any, Any] = MDView._make(storage, origin, mapping, accessor)
    return made


@answer_calls
def readonly(v: MDView[Any, Any, Any, Any], /) -> MDView[Any, Any, Any, Any]:
    """Return the same view without stores; ``data`` is what it was, and may be stored to."""
    check_view(v, "what becomes read-only")
    return derived(v, v.mapping, 0, readonly_accessor(v.accessor))


@answer_calls
def atomic(
    v: MDView[T, E, L, Writable[W, object]], /, *, process_local: bool = False, order: MemoryOrder | None = None
) -> MDView[T, E, L, AtomicAccessor[W]]:
    """Return the same view with atomic access to its elements: by all threads and, with the extra, processes.

    Parameters
    ----------
    process_local
        Take memory that other processes may reach, too, where they are not held off, see `AtomicAccessor`.
    order
        Memory order of the steps, as `AtomicAccessor` has it; that of the view where it is atomic, else ``"seq_cst"``.

    Raises
    ------
    ReadOnlyError
        The view does not store.
    AccessorError
        Other processes may reach the data, are not held off, and ``process_local`` is not set; the items are
        misaligned; or there is no such order.
    """
    check_view(v, "what becomes atomic")
    accessor, (storage, origin, *_) = _atomic(v.accessor, process_local, order), parts_of(v)
    if storage is not None:
        accessor.check(storage, origin)
    return derived(v, v.mapping, 0, accessor)


@answer_calls
def checked(v: MDView[Any, Any, Any, Any], /) -> MDView[Any, Any, Any, Any]:
    """Return the same view, checked; a read-only view stays read-only."""
    check_view(v, "what is checked")
    return derived(v, v.mapping, 0, _with_core(v.accessor, CheckedAccessor()))


@answer_calls
def unchecked(v: MDView[Any, Any, Any, Any], /) -> MDView[Any, Any, Any, Any]:
    """Return the same view, unchecked; a read-only view stays read-only."""
    check_view(v, "what is unchecked")
    return derived(v, v.mapping, 0, _with_core(v.accessor, UncheckedAccessor()))


def readonly_accessor(accessor: AnyAccessor) -> ReadOnlyAccessor[Any]:
    """Return ``accessor`` without its store. Any, here and below: a policy does not depend on the element type."""
    return accessor if isinstance(accessor, ReadOnlyAccessor) else ReadOnlyAccessor(accessor)


def _atomic(accessor: AnyAccessor, process_local: bool, order: MemoryOrder | None) -> AtomicAccessor[Any]:  # noqa: FBT001 - as given
    """Return atomic access by ``accessor``; an accessor that is atomic already keeps its options."""
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
    """Part of ``view`` that ``slices`` select, one slice per dimension; the same data, nothing copied.

    An int drops its dimension; ``ALL``, a pair ``(begin, end)``, ``range``, ``slice``, `ExtentSlice`, `RangeSlice` and
    `StridedSlice` keep part of it. Nothing wraps; ``dim(n)`` anywhere stays static. Source: C++26 ``submdspan``.

    Raises
    ------
    RankError, IndexOutOfRangeError, SliceError, SliceTypeError
        See `mdview.index.slices.canonical_slices`.

    >>> from mdview import ALL, MDView
    >>> subview(MDView(list(range(12)), (3, 4)), ALL, (1, 3)).tolist()
    [[1, 2], [5, 6], [9, 10]]
    """
    check_view(view, "what is sliced")
    read = read_slices(slices, view._plan.extents)
    found = None if read is None else view._part(read)
    if found is not None:
        return found
    try:
        return selected(view, canonical_slices(view.mapping.extents, slices))
    except IndexError:
        if view.data is None:  # a null view has extents 0; its error is another one
            refuse_null()
        raise


@answer_calls
def assume(v: Any, extents: Any, /) -> Any:
    """Return the same view under ``extents``, once they have been found to agree.

    Raises
    ------
    ExtentsError
        The view has other ones.
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
    """Tell whether the extents of ``v`` are ``extents``; where they are, a type checker knows ``v`` by them."""
    check_view(v, "what has extents")
    own = v.extents
    return (type(extents) is tuple and own == extents) or own == as_extents(extents)
