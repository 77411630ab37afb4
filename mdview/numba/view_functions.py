"""Functions and attributes of views in a kernel: tiles, atomic sums, extents, strides, size, rank, item size.

A loop over tiles has inner loops over contiguous memory. A *tile* of a view with `mdview.LayoutTiled`, for example, is
a strided part, whose strides are constants; tiles at the edges are smaller. Tiles are numbered, so a loop over them may
be a `prange`::

    for k in prange(tile_count(v)):
        part = tile(v, k)

These functions work in Python as well.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final, NoReturn, cast

from mdview.base import as_integer, as_text, brief, plural
from mdview.errors import AxisError, IndexOutOfRangeError, IndexTypeError, LayoutError
from mdview.index.extents import digits
from mdview.index.slices import ExtentSlice
from mdview.layouts.layout import Tiling
from mdview.numba import numba_api as nb
from mdview.numba.atomic_references import AtomicRefType, check_atomic, signature_of, target_of
from mdview.numba.expression_lowering import const, llvm_integer
from mdview.numba.indexing import admitted, entry_types, names_element, stored_place
from mdview.numba.numba_api import LLVMBuilder, LLVMValue, NumbaType, Typed, cgutils, errors, types
from mdview.numba.offset_descriptors import OffsetDescriptor
from mdview.numba.view_type import KernelView, LoweredView, NumbaViewType, operation
from mdview.views.derived_views import atomic, selected
from mdview.views.view import MDView
from mdview.views.view_base import ViewBase, check_view


def tile_count(v: KernelView) -> int:
    """Return the number of tiles of a view whose layout has tiles, see `mdview.layouts.layout.Layout.tiling`.

    >>> from mdview import LayoutTiled, MDView
    >>> v = MDView(list(range(24)), (4, 6), LayoutTiled(2, 3))
    >>> tile_count(v), tile(v, 1).tolist()
    (4, [[6, 7, 8], [9, 10, 11]])

    Raises
    ------
    LayoutError
        The layout has no tiles, or its tiles are not strided.
    """
    check_view(v, "what has tiles")
    return prod(_tiled(v.layout.tiling(), brief(v.layout)).grid(v.extents))


def tile(v: KernelView, k: int) -> KernelView:
    """Return tile ``k``; the layout numbers its tiles in C order or in Fortran order.

    Raises
    ------
    LayoutError
        The layout has no tiles, or its tiles are not strided.
    IndexOutOfRangeError
        ``k`` is negative, or not less than the number of tiles.
    """
    number, count = as_integer(k, "the number of a tile"), tile_count(v)
    if not 0 <= number < count:
        raise IndexOutOfRangeError(f"tile {as_text(number)} is out of range: there are {count}")
    tiling = _tiled(v.layout.tiling(), brief(v.layout))
    position = _digits(number, tiling.grid(v.extents), first_is_fastest=tiling.first_is_fastest)
    starts = [p * n for p, n in zip(position, tiling.sizes, strict=True)]
    rows = zip(starts, tiling.sizes, v.extents, strict=True)
    return selected(v, [ExtentSlice(start, min(n, e - start)) for start, n, e in rows])


def _tiled(tiling: Tiling | None, what: str) -> Tiling:
    if tiling is not None and tiling.strides is not None:
        return tiling
    raise LayoutError(f"{what} has no tiles that are strided; run over its elements, or copy it under LayoutTiled")


def _digits(k: Any, shape: Sequence[Any], *, first_is_fastest: bool = False) -> tuple[Any, ...]:
    """Return the index with number ``k`` in a grid. ``Any`` stands for an int or a `Number`."""
    if first_is_fastest:
        return digits(k, shape[::-1])[::-1]
    return digits(k, shape)


def _tile_of(view: NumbaViewType) -> Tiling:
    return _tiled(view.form.tiling, "a view that is sliced, rearranged or not under LayoutTiled")


def _integer(kind: NumbaType, what: str) -> NumbaType:
    """Return ``kind`` if it is an integer type; refuse any other type."""
    if isinstance(kind, types.Integer | types.Boolean):
        return kind
    raise errors.TypingError(f"{what} is one integer, got {kind}")


@operation(tile_count)
def _tile_count(_: Any, view: NumbaViewType) -> Typed:
    tiling = _tile_of(view)
    return types.int64, lambda v: llvm_integer(prod(tiling.grid(v.natural(v.extents))))


@operation(tile)
def _tile(_: Any, view: NumbaViewType, k: NumbaType) -> Typed:
    _integer(k, "the number of a tile")
    tiling = _tile_of(view)
    strides = tiling.strides or ()
    kind = NumbaViewType(view.item, (None,) * view.ndim, OffsetDescriptor.strided(strides), view.access)

    def lowered(v: LoweredView, number: LLVMValue) -> LLVMValue:
        grid = tiling.grid(v.natural(v.extents))
        number = v.context.cast(v.builder, number, k, types.int64)
        v.guard(v.builder.icmp_unsigned(">=", number, llvm_integer(prod(grid))), "there is no tile of that number")
        (natural,) = v.natural([number])
        position = _digits(natural, grid, first_is_fastest=tiling.first_is_fastest)
        starts = [llvm_integer(p * n) for p, n in zip(position, tiling.sizes, strict=True)]
        rows = [(v.builder.sub(e, s), const(n)) for e, s, n in zip(v.extents, starts, tiling.sizes, strict=True)]
        extents = [v.builder.select(v.builder.icmp_signed("<", rest, n), rest, n) for rest, n in rows]
        first = v.offset(starts)
        _check_bounds(v, first, extents, strides)
        return v.derive(kind, v.at(first), extents)

    return kind, lowered


def _check_bounds(view: LoweredView, first: LLVMValue, extents: Sequence[LLVMValue], strides: Sequence[int]) -> None:
    """Write the check that all elements of a tile, whose first element is in the data, are in the data."""
    low = high = view.number(first)
    for extent, stride in zip(extents, strides, strict=True):
        reach = (view.number(extent) - 1) * stride
        low, high = (low + reach, high) if stride < 0 else (low, high + reach)
    outside = [view.builder.icmp_unsigned(">=", llvm_integer(end), view.room) for end in (low, high)]
    view.guard(view.builder.or_(*outside), "the strides of its tiles lead out of the data", LayoutError)


# --- facts ------------------------------------------------------------------------------------------------------------

_TUPLES: Final = frozenset({"extents", "shape", "strides"})
_FACTS: Final[dict[str, Callable[[LoweredView], Any]]] = {  # Any: a value, or a list of them
    **dict.fromkeys(("extents", "shape"), lambda view: view.extents),
    "strides": LoweredView.strides,
    "size": lambda view: llvm_integer(prod(view.natural(view.extents))),
    **dict.fromkeys(("ndim", "rank"), lambda view: const(view.kind.ndim)),
    "itemsize": lambda view: const(view.context.get_abi_sizeof(view.context.get_data_type(view.kind.item.unit))),
}


def _of_axis(method: Any, numbers: Callable[[LoweredView], list[LLVMValue]], beyond: int | None = None) -> Any:
    """Return the template of a method that takes a dimension, such as `MDView.extent`.

    The result for a dimension that is the rank or more is ``beyond``; if ``beyond`` is None, it is an error.
    """

    def typed(_: Any, view: NumbaViewType, axis: NumbaType) -> Typed:
        _integer(axis, "a dimension")
        limit, rule = view.ndim, f"dimension is out of range for rank {view.ndim}"
        if beyond is not None:
            limit, rule = 1 << 63, "dimension numbers start at 0"  # unsigned, negative numbers exceed the limit

        def lowered(v: LoweredView, argument: LLVMValue) -> LLVMValue:
            dimension, result = v.context.cast(v.builder, argument, axis, types.int64), const(beyond or 0)
            v.guard(v.builder.icmp_unsigned(">=", dimension, const(limit)), rule, AxisError)
            for r, number in enumerate(numbers(v)):
                result = v.builder.select(v.builder.icmp_signed("==", dimension, const(r)), number, result)
            return result

        return types.int64, lowered

    return nb.operation_template(f"view.{method.__name__}", NumbaViewType, LoweredView, typed, method)


_METHODS: Final = {
    "extent": _of_axis(MDView.extent, lambda view: view.extents, beyond=1),
    "stride": _of_axis(MDView.stride, LoweredView.strides),
}


def _fact_type(view: NumbaViewType, name: str) -> NumbaType:
    """Return the Numba type of an attribute."""
    if name == "itemsize" and view.item.packing is not None:
        raise errors.TypingError("several elements of this view share a byte, so there is no itemsize")
    if name in {"strides", "stride"} and view.form.strides is None:
        raise errors.TypingError(
            "this view has no strides: the distance of neighbours is not the same everywhere along each dimension"
        )
    if name in _METHODS:
        return types.BoundFunction(_METHODS[name], view)
    return types.UniTuple(types.int64, view.ndim) if name in _TUPLES else types.int64


nb.attributes(NumbaViewType, "a view", [*_FACTS, *_METHODS], _fact_type)


@nb.imputils.lower_getattr_generic(NumbaViewType)
def _fact(context: Any, builder: LLVMBuilder, kind: NumbaViewType, value: LLVMValue, name: str) -> LLVMValue:
    facts = _FACTS[name](LoweredView(context, builder, kind, value))
    return cgutils.pack_array(builder, facts, ty=nb.INT64) if name in _TUPLES else facts


@nb.imputils.lower_setattr_generic(NumbaViewType)
def _refuse_attribute(_: Any, __: LLVMBuilder, ___: Any, ____: object, name: str) -> NoReturn:
    with nb.kernel_errors():
        raise errors.TypingError(f"views do not change: a kernel sets no attribute {name}; derive another view")


@operation(len)
def _length(_: Any, view: NumbaViewType) -> Typed:
    if not view.ndim:
        raise errors.TypingError("a view of rank 0 has one element and no length")
    return types.intp, lambda v: v.extents[0]


# --- atomic sums ------------------------------------------------------------------------------------------------------


def atomic_add(v: KernelView, index: int | tuple[int, ...], value: Any) -> Any:
    """Add ``value`` to the element at ``index`` in one atomic operation; return its previous value.

    The function is for kernels in which several threads add to the same elements. If the algorithm admits a sum for
    each thread, which is added at the end, this is faster. ``v`` is any view that stores. In Python the function calls
    `mdview.atomics.AtomicRef.fetch_add` of ``atomic(v)[index]``.

    >>> from mdview import MDView
    >>> v = MDView([1, 2, 3], (3,))
    >>> atomic_add(v, 1, 40), v.tolist()
    (2, [1, 42, 3])
    """
    element: Any = atomic(cast("Any", v))[index]  # `atomic` refuses a view that does not store
    if isinstance(element, ViewBase):
        raise IndexTypeError(
            f"an atomic step is on one element, and index {as_text(index, repr)} of rank {v.rank} selects a view"
        )
    return element.fetch_add(value)


@operation(atomic_add)
def _atomic_add(typing: Any, view: NumbaViewType, index: NumbaType, operand: NumbaType) -> Typed:
    if not names_element(view, entry_types(index)):
        raise errors.TypingError(f"an atomic step is on one element, at {plural(view.ndim, 'integer')}, got {index}")
    if not view.access.stores:
        raise errors.TypingError("this view is read-only: its accessor has no store")
    if view.access.methods is not None:
        raise errors.TypingError(
            "atomic steps are those of elements as they are; the accessor of this view does arithmetic"
        )
    check_atomic(view.item)
    signature_of(typing, operator.add, view.dtype, operand)

    def lowered(v: LoweredView, key: LLVMValue, added: LLVMValue) -> LLVMValue:
        address = stored_place(v, admitted(v, index, key))
        target = target_of(v.context, v.builder, AtomicRefType(view.dtype, view.access), address)
        return target.operate(operator.add, operand, added)

    return view.dtype, lowered
