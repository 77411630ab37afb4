"""The parts that writers store to: keys as for brackets, subviews of the store by their place in memory, and chunks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias, TypeGuard, final

from mdview.base.integers import as_integer
from mdview.base.texts import counted, shown, told
from mdview.errors import AccessorError, ExtentsError, OperandError, ShapeError, UndecidedError
from mdview.expressions.extremes import Bound, Box, halves
from mdview.index.extents import shape_text
from mdview.index.slices import ExtentSlice, Selection
from mdview.interop.writers.stores import Place, Store
from mdview.iteration.memory_order import offset_bound
from mdview.layouts.enumeration import indices_within
from mdview.mappings.slicing import select
from mdview.operations.manipulation import permute_dims
from mdview.views.base import ViewBase, parts_of
from mdview.views.derive import ranges
from mdview.views.parts import AnyMapping, Parts

Chunks: TypeAlias = tuple[tuple[int, ...], ...]
"""For each dimension the sizes of its chunks, as dask has them."""
Index: TypeAlias = tuple[int, ...]

MOST_CUTS: Final = 5_000
"""How many boxes are cut to find one offset."""
MOST_COMPARED: Final = 1 << 16
"""Of how many elements all offsets are compared where two mappings do not tell by themselves that they agree."""


@final
class Writers(NamedTuple):
    """Who stores to which parts.

    Attributes
    ----------
    names
        What each writer is called in messages.
    parts
        The parts, each by the number of its writer and its place in the whole store; none is empty.
    """

    names: list[object]
    parts: list[tuple[int, Place]]


def writers_of(given: Any, store: Store, whole: Store, target: object) -> Writers:
    """Return who writes what. Any: what a user gave.

    Keys count in ``store``, a region of ``whole``; views lie in ``target``, which is the whole as the user gave it.

    Raises
    ------
    OperandError
        These are no parts of a store, or a view does not lie in the store.
    IndexOutOfRangeError, IndexTypeError, SliceError, TooManyIndicesError
        A key does not fit the extents.
    """
    if isinstance(given, Mapping):
        named = list(given.items())
    elif (
        isinstance(given, ViewBase | tuple | str | bytes) or hasattr(given, "shape") or not isinstance(given, Iterable)
    ):
        raise OperandError(
            "what is written is a list of the parts of each writer, a mapping of names to parts, or an array with "
            f"chunks, got {told(given)}"
        )
    else:
        named = list(enumerate(given))
    found = []
    for k, (_, own) in enumerate(named):
        for part in own if isinstance(own, list) else [own]:
            if isinstance(part, ViewBase):
                slices = find_part(part, target)
                place = None if slices is None else whole.selected(slices).place()
            else:
                place = store.region(part).place()
            found += [] if place is None else [(k, place)]
    return Writers([name for name, _ in named], found)


def chunks_of(given: Any, store: Store) -> Chunks | None:
    """Return the grid of chunks that something has, or is as a tuple, or None where it is no such thing.

    Any: arrays are known by their attributes.

    Raises
    ------
    ShapeError
        The chunks are not those of the store's extents.
    ExtentsError, ExtentsTypeError
        A size is below 0, or not known.
    """
    if isinstance(given, ViewBase | type):
        return None
    chunks = getattr(given, "chunks", None) if hasattr(given, "shape") else given
    if not isinstance(chunks, tuple) or not all(map(_is_row, chunks)):
        return None
    if len(chunks) != len(store.extents):
        raise ShapeError(f"chunks of {len(chunks)} dimensions are stored to extents {shape_text(store.extents)}")
    return tuple([_checked(own, e, r) for r, (own, e) in enumerate(zip(chunks, store.extents, strict=True))])


def _is_row(given: object) -> TypeGuard[Iterable[Any]]:
    return isinstance(given, tuple | list)


def _checked(given: Sequence[Any], extent: int, r: int) -> tuple[int, ...]:
    if any(n != n for n in given):  # noqa: PLR0124 - dask's sign for a size that it does not know
        raise ExtentsError(
            f"sizes of chunks along dimension {r} are not known; let dask find them: compute_chunk_sizes()"
        )
    sizes = tuple([int(as_integer(n, "the size of a chunk")) for n in given])
    if min(sizes, default=0) < 0:
        raise ExtentsError(f"chunks have 0 indices or more: size {shown(min(sizes))} of dimension {r}")
    if sum(sizes) != extent:
        raise ShapeError(
            f"chunks of dimension {r} have {shown(sum(sizes))} indices in all, the extent of the store is {extent}; "
            "a tuple is a grid of chunks, parts of several writers stand in a list"
        )
    return sizes


def find_part(part: ViewBase, target: object) -> tuple[Selection, ...] | None:
    """Return the slices of a view that select the elements of ``part``, or None where it has no element.

    Raises
    ------
    OperandError
        The part does not lie in the view, or no slices select it.
    UndecidedError
        It takes too long to tell.
    """
    if not isinstance(target, ViewBase):
        raise OperandError(
            "a part that is a view lies in a store that is a view; give its indices, as for brackets, instead"
        )
    own, whole = parts_of(part), parts_of(target)
    mapping, origin = _elements(own)
    if mapping.size == 0:
        return None
    mapping, before = select(mapping, [ExtentSlice(0, int(e)) if e > 1 else 0 for e in mapping.extents])
    shift = origin + before + _distance(own, whole) - whole.origin
    start = _index_at(whole.mapping, shift + _offset(mapping, (0,) * mapping.rank))
    found = None if start is None else _slices(mapping, shift, whole.mapping, start)
    if found is None:
        _refuse(mapping, whole.mapping)
    return found


def _slices(mapping: AnyMapping, shift: int, whole: AnyMapping, start: Index) -> tuple[Selection, ...] | None:
    """Return the slices that begin at an index and select what a mapping reaches ``shift`` behind the store's."""
    found: list[Selection] = list(start)
    axes: dict[int, int] = {}  # along which dimension of the store each dimension moves
    for r, extent in enumerate(mapping.extents):
        place = _index_at(whole, shift + _offset(mapping, [int(k == r) for k in range(mapping.rank)]))
        moved = [d for d, (a, z) in enumerate(zip(start, place or (), strict=False)) if a != z]
        if place is None or len(moved) != 1 or moved[0] in axes:
            return None
        (d,) = moved
        axes[d], step = r, place[d] - start[d]
        if not 0 <= start[d] + (extent - 1) * step < whole.extents[d]:
            return None
        found[d] = ExtentSlice(start[d], int(extent), step)
    selected, before = select(whole, found)
    order = [axes[d] for d in sorted(axes)]
    turned = permute_dims(selected, [order.index(r) for r in range(mapping.rank)])
    return tuple(found) if _agree(turned, mapping, shift - before) else None


def _agree(one: AnyMapping, other: AnyMapping, shift: int) -> bool:
    """Tell whether an index of one mapping lies where it does for the other, ``shift`` behind; index 0 does."""
    if one == other:
        return True
    strides = one.found_strides(), other.found_strides()
    if None not in strides:
        return strides[0] == strides[1]
    if one.size > MOST_COMPARED:
        raise UndecidedError(
            f"whether slices of the store select these {counted(one.size, 'element')} is not told by their layouts"
        )
    return all(a == b + shift for a, b in zip(one.offsets(), other.offsets(), strict=True))


def _elements(parts: Parts) -> tuple[AnyMapping, int]:
    """Return the mapping of what stands for elements, and the position of its offset 0."""
    mapping = parts.mapping
    if mapping.layout.is_total():
        return mapping, parts.origin
    box = mapping.valid_box
    if len(box) != mapping.rank:  # an index has selected padding alone
        return select(mapping, ranges([(0, 0)] * mapping.rank))
    inside, shift = select(mapping, ranges([(low, max(low, high)) for low, high in box]))
    return inside, parts.origin + shift


def _distance(own: Parts, whole: Parts) -> int:
    """Count the elements from the beginning of the store's memory to that of the part's."""
    a, b = own.checked_storage(), whole.checked_storage()
    if a is b or a.items is b.items:
        return 0
    try:
        apart = a.address() - b.address()
    except AccessorError:  # objects, which have no address
        apart = 1
    if a.itemsize != b.itemsize or apart % max(a.itemsize, 1):
        raise OperandError(
            "a part that is a view lies in the memory of the store and has items of the same size; this one does not"
        )
    return apart // a.itemsize


def _offset(mapping: AnyMapping, index: Sequence[int]) -> int:
    return mapping.layout.offset(mapping.extents, index)


def _refuse(mapping: AnyMapping, whole: AnyMapping) -> NoReturn:
    raise OperandError(
        f"a part of extents {shape_text(mapping.extents)} is no slice of the store, of extents "
        f"{shape_text(whole.extents)}: some of its elements lie elsewhere, or no steps lead from one to the next"
    )


def _index_at(mapping: AnyMapping, offset: int) -> Index | None:
    """Return an index of an element that lies at ``offset``, or None: a box is cut until only that one is left.

    Raises
    ------
    UndecidedError
        It takes too long to tell.
    """
    bound, ends = offset_bound(mapping), tuple(mapping.valid_box)
    if bound is None and mapping.size <= MOST_COMPARED:
        return next((index for index in indices_within(ends) if mapping(*index) == offset), None)
    waiting = [] if any(low >= high for low, high in ends) else [tuple([(low, high - 1) for low, high in ends])]
    for _ in range(MOST_CUTS):
        if not waiting:
            return None
        if bound is None:
            break
        part = waiting.pop()
        low, high = bound(part)
        if low <= offset <= high:
            if all(a == z for a, z in part):
                return tuple([a for a, _ in part])
            waiting += _cut(bound, part)
    raise UndecidedError(
        f"where in {told(mapping)} a part begins takes too many looks; give its indices, as for brackets, instead"
    )


def _cut(bound: Bound, box: Box) -> list[Box]:
    """Cut a box in two whose offsets overlap as little as cuts along any dimension allow."""
    best: tuple[float, list[Box]] | None = None
    for r, (a, z) in enumerate(box):
        if a < z:
            both = list(halves(box, r))
            (low, high), (least, most) = sorted(map(bound, both))
            shared = (min(high, most) - least) / (max(high, most) - low + 1)
            if best is None or shared < best[0]:
                best = shared, both
    return [] if best is None else best[1]
