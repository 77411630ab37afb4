"""Queries of a view in a kernel: extents, strides and sizes, and walks tile by tile or run by run.

Walks let an inner loop be over neighbours in memory. A *tile* of a view under `mdview.LayoutTiled`, say, is a strided
part with the strides of the tile as constants; tiles at the edges are smaller. A *run* of a strided view is one line
along the dimension whose stride is 1. Both are counted, so that a loop over them may be a `prange`::

    for k in prange(tile_count(v)):
        part = tile(v, k)

The functions of walks work in Python as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final, NoReturn, TypeVar

from mdview.accessors.accessor import IndexRule
from mdview.base import as_integer, as_text, brief
from mdview.errors import AxisError, IndexOutOfRangeError, LayoutError
from mdview.index.dense_strides import digits
from mdview.index.slices import ALL, ExtentSlice
from mdview.layouts.layout import Tiling
from mdview.numba import numba_api as nb
from mdview.numba.expression_lowering import Number, const, llvm_integer
from mdview.numba.getitem_lowering import ALL_TYPE, KeyPart, key_parts, part_struct, part_type
from mdview.numba.index_map_lowering import Known
from mdview.numba.numba_api import LLVMBuilder, LLVMValue, NumbaType, Values, cgutils, errors, types
from mdview.numba.offset_descriptors import OffsetDescriptor, known_strides
from mdview.numba.view_type import KernelView, LoweredView, NumbaViewType, operation
from mdview.views.derived_views import selected
from mdview.views.view import MDView
from mdview.views.view_base import check_view

T = TypeVar("T")


def tile_count(v: KernelView) -> int:
    """Count the tiles of a view whose layout has some, see `mdview.layouts.layout.Layout.tiling`.

    >>> from mdview import LayoutTiled, MDView
    >>> v = MDView(list(range(24)), (4, 6), LayoutTiled(2, 3))
    >>> tile_count(v), tile(v, 1).tolist()
    (4, [[6, 7, 8], [9, 10, 11]])

    Raises
    ------
    LayoutError
        The layout has no tiles with strides.
    """
    check_view(v, "what has tiles")
    return prod(_tiled(v.layout.tiling(), brief(v.layout)).grid(v.extents))


def tile(v: KernelView, k: int) -> KernelView:
    """Tile ``k`` in the order in which the layout numbers them: in memory order where that is right or left.

    Raises
    ------
    LayoutError
        The layout has no tiles with strides.
    IndexOutOfRangeError
        There is no such tile.
    """
    k = _number(k, tile_count(v), "tile")
    tiling = _tiled(v.layout.tiling(), brief(v.layout))
    place = _digits(k, tiling.grid(v.extents), first_is_fastest=tiling.first_is_fastest)
    starts = [p * n for p, n in zip(place, tiling.sizes, strict=True)]
    rows = zip(starts, tiling.sizes, v.extents, strict=True)
    return selected(v, [ExtentSlice(start, min(n, e - start)) for start, n, e in rows])


def run_count(v: KernelView) -> int:
    """Count the runs of a view that has a stride of 1: the product of its other extents.

    A dimension of one index has any stride; where several could be walked, the layout's type decides, as in a kernel.

    >>> from mdview import MDView
    >>> v = MDView(list(range(6)), (2, 3))
    >>> run_count(v), run(v, 1).tolist()
    (2, [3, 4, 5])

    Raises
    ------
    LayoutError
        No stride is 1.
    """
    check_view(v, "what has runs")
    axis = _run_axis(known_strides(v.mapping))
    return prod(_others(v.extents, axis))


def run(v: KernelView, k: int) -> KernelView:
    """Line ``k`` along the dimension whose stride is 1, counted in index order: a view of rank 1.

    Raises
    ------
    LayoutError
        No stride is 1.
    IndexOutOfRangeError
        There is no such run.
    """
    k = _number(k, run_count(v), "run")
    axis = _run_axis(known_strides(v.mapping))
    place = iter(_digits(k, _others(v.extents, axis), first_is_fastest=False))
    return selected(v, [ALL if r == axis else next(place) for r in range(v.ndim)])


def _tiled(tiling: Tiling | None, what: str) -> Tiling:
    if tiling is not None and tiling.strides is not None:
        return tiling
    raise LayoutError(f"{what} has no tiles that are strided; run over its elements, or copy it under LayoutTiled")


def _run_axis(strides: Known | None) -> int:
    """Return the last dimension whose stride is 1."""
    if strides is None or 1 not in strides:
        raise LayoutError("no stride of this view is 1 for all views of its type, so it has no contiguous runs")
    return max(r for r, s in enumerate(strides) if s == 1)


def _number(k: int, count: int, what: str) -> int:
    """Return the number of a tile or run, checked."""
    number = as_integer(k, f"the number of a {what}")
    if not 0 <= number < count:
        raise IndexOutOfRangeError(f"{what} {as_text(number)} is out of range: there are {count}")
    return number


def _digits(k: Any, shape: Sequence[Any], *, first_is_fastest: bool) -> tuple[Any, ...]:
    """Index in a grid of the point that is number ``k``. Any: ints, or numbers of a kernel."""
    if first_is_fastest:
        return _digits(k, shape[::-1], first_is_fastest=False)[::-1]
    return digits(k, shape)


def _others(extents: Sequence[T], axis: int) -> list[T]:
    """Extents of all dimensions but one."""
    return [*extents[:axis], *extents[axis + 1 :]]


def _tile_of(view: NumbaViewType) -> Tiling:
    return _tiled(view.form.tiling, "a view that is sliced, rearranged or not under LayoutTiled")


def _integer(kind: NumbaType, what: str) -> NumbaType:
    """Type of a number that has to be an integer."""
    if isinstance(kind, types.Integer | types.Boolean):
        return kind
    raise errors.TypingError(f"{what} is one integer, got {kind}")


def _tile_type(_: Any, view: NumbaViewType, k: NumbaType) -> NumbaType:
    _integer(k, "the number of a tile")
    form = OffsetDescriptor(_tile_of(view).strides or ())
    return NumbaViewType(view.item, (None,) * view.ndim, form, view.access)


def _run_type(_: Any, view: NumbaViewType, k: NumbaType) -> NumbaType:
    _integer(k, "the number of a run")
    return part_type(view, _run_parts(view))


def _counted(_: object) -> NumbaType:
    return types.int64


def _run_parts(view: NumbaViewType) -> list[KeyPart]:
    """Return what a run selects: all along its dimension, and one index along each other."""
    axis = _run_axis(view.form.strides)
    return key_parts(view, [ALL_TYPE if r == axis else types.int64 for r in range(view.ndim)])


def _grid(view: LoweredView) -> list[Number]:
    """Count the tiles along each dimension."""
    rows = zip(view.natural(view.extents), _tile_of(view.kind).sizes, strict=True)
    return [(e + (n - 1)) // n for e, n in rows]


def _checked(view: LoweredView, sig: Any, args: Values, shape: Sequence[Number], what: str) -> Number:
    """Return the number of a tile or run in a grid of this shape; beyond the last one is an error."""
    number = view.context.cast(view.builder, args[1], sig.args[1], types.int64)
    outside = view.builder.icmp_unsigned(">=", number, llvm_integer(prod(shape)))
    view.guard(outside, f"there is no {what} of that number")
    return Number(view.builder, number, natural=True)


@operation(tile_count, lambda _, view: _counted(_tile_of(view)))
def _lower_tile_count(view: LoweredView, _: Any, __: Values) -> LLVMValue:
    return llvm_integer(prod(_grid(view)))


@operation(tile, _tile_type)
def _lower_tile(view: LoweredView, sig: Any, args: Values) -> LLVMValue:
    builder, grid, cut = view.builder, _grid(view), _tile_of(view.kind)
    place = _digits(_checked(view, sig, args, grid, "tile"), grid, first_is_fastest=cut.first_is_fastest)
    starts = [llvm_integer(p * n) for p, n in zip(place, cut.sizes, strict=True)]
    rows = [(builder.sub(e, s), const(n)) for e, s, n in zip(view.extents, starts, cut.sizes, strict=True)]
    extents = [builder.select(builder.icmp_signed("<", rest, n), rest, n) for rest, n in rows]
    first = view.offset(starts)
    _check_bounds(view, first, extents)
    return view.derive(sig.return_type, view.at(first), extents)


def _check_bounds(view: LoweredView, first: LLVMValue, extents: Sequence[LLVMValue]) -> None:
    """Leave the function where a tile whose first element lies in the data leads out of it by its strides."""
    low = high = view.number(first)
    for extent, stride in zip(extents, _tile_of(view.kind).strides or (), strict=True):
        reach = (view.number(extent) - 1) * stride
        low, high = (low + reach, high) if stride < 0 else (low, high + reach)
    outside = [view.builder.icmp_unsigned(">=", llvm_integer(end), view.room) for end in (low, high)]
    view.guard(view.builder.or_(*outside), "the strides of its tiles lead out of the data", LayoutError)


@operation(run_count, lambda _, view: _counted(_run_parts(view)))
def _lower_run_count(view: LoweredView, _: Any, __: Values) -> LLVMValue:
    return llvm_integer(prod(_others(view.natural(view.extents), _run_axis(view.kind.form.strides))))


@operation(run, _run_type)
def _lower_run(view: LoweredView, sig: Any, args: Values) -> LLVMValue:
    others = _others(view.natural(view.extents), _run_axis(view.kind.form.strides))
    place = _digits(_checked(view, sig, args, others, "run"), others, first_is_fastest=False)
    given = list(map(llvm_integer, place))
    given.insert(_run_axis(view.kind.form.strides), const(0))
    return part_struct(view, _run_parts(view.kind), given, IndexRule.TRUST)


# --- facts ------------------------------------------------------------------------------------------------------------

_TUPLES: Final[dict[str, Callable[[LoweredView], list[LLVMValue]]]] = {
    **dict.fromkeys(("extents", "shape"), lambda view: view.extents),
    "strides": LoweredView.strides,
}
_NUMBERS: Final[dict[str, Callable[[LoweredView], LLVMValue]]] = {
    "size": LoweredView.size,
    **dict.fromkeys(("ndim", "rank"), lambda view: const(view.kind.ndim)),
    "itemsize": lambda view: const(view.context.get_abi_sizeof(view.context.get_data_type(view.kind.item.unit))),
}


def _of_axis(_: Any, __: NumbaViewType, axis: NumbaType) -> NumbaType:
    """Type of the extent or the stride of a dimension."""
    return _integer(axis, "a dimension") and types.int64


_METHODS: Final = {
    method.__name__: nb.typing_template(f"view.{method.__name__}", _of_axis, method)
    for method in (MDView.extent, MDView.stride)
}


def _fact_type(view: NumbaViewType, name: str) -> NumbaType:
    """Type of the fact of that name."""
    if name == "itemsize" and view.item.packing is not None:
        raise errors.TypingError("several elements of this view share a byte, so there is no itemsize")
    if name in {"strides", "stride"} and view.form.strides is None:
        raise errors.TypingError(
            "this view has no strides: the distance of neighbours is not the same everywhere along each dimension"
        )
    if name in _METHODS:
        return types.BoundFunction(_METHODS[name], view)
    return types.UniTuple(types.int64, view.ndim) if name in _TUPLES else types.int64


nb.attributes(NumbaViewType, "a view", [*_TUPLES, *_NUMBERS, *_METHODS], _fact_type)


@nb.imputils.lower_getattr_generic(NumbaViewType)
def _fact(context: Any, builder: LLVMBuilder, kind: NumbaViewType, value: LLVMValue, name: str) -> LLVMValue:
    view = LoweredView(context, builder, kind, value)
    return cgutils.pack_array(builder, _TUPLES[name](view), ty=nb.INT64) if name in _TUPLES else _NUMBERS[name](view)


@nb.imputils.lower_setattr_generic(NumbaViewType)
def _refuse_attribute(_: Any, __: LLVMBuilder, ___: Any, ____: Values, name: str) -> NoReturn:
    with nb.kernel_errors():
        raise errors.TypingError(f"views do not change: a kernel sets no attribute {name}; derive another view")


def _length_type(_: Any, view: NumbaViewType) -> NumbaType:
    if not view.ndim:
        raise errors.TypingError("a view of rank 0 has one element and no length")
    return types.intp


@operation(len, _length_type)
def _length(view: LoweredView, _: Any, __: Values) -> LLVMValue:
    return view.extents[0]


@operation("view.extent", _of_axis)
def _extent(view: LoweredView, sig: Any, args: Values) -> LLVMValue:
    """Extent of a dimension; 1 at and beyond the rank."""
    axis = view.context.cast(view.builder, args[1], sig.args[1], types.int64)
    view.guard(view.builder.icmp_signed("<", axis, const(0)), "dimension numbers start at 0", AxisError)
    return _chosen(view.builder, axis, view.extents, 1)


@operation("view.stride", _of_axis)
def _stride(view: LoweredView, sig: Any, args: Values) -> LLVMValue:
    axis = view.context.cast(view.builder, args[1], sig.args[1], types.int64)
    outside = view.builder.icmp_unsigned(">=", axis, const(view.kind.ndim))
    view.guard(outside, f"dimension is out of range for rank {view.kind.ndim}", AxisError)
    return _chosen(view.builder, axis, view.strides(), 0)


def _chosen(builder: LLVMBuilder, axis: LLVMValue, numbers: list[LLVMValue], other: int) -> LLVMValue:
    """The number at ``axis``, or ``other`` beyond them."""
    found = const(other)
    for r, number in enumerate(numbers):
        found = builder.select(builder.icmp_signed("==", axis, const(r)), number, found)
    return found
