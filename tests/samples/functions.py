"""Functions on whole views: each public one, as a call that a test compares and a benchmark times.

A call is prepared first, which makes the other operands, and then run, any number of times.
"""

import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from typing import Any, final

import mdview as md

from .data import FORMATS, items_of, like, np
from .variants import AnyView

ABSENT = -12345.5
"""A value that no sample has."""


class NotApplicableError(LookupError):
    """A function has no meaning for a view: a sum of texts, say."""


@final
@dataclass(frozen=True)
class Call:
    """A call that is ready to run.

    Attributes
    ----------
    run
        Does it, and returns what the function does. Any: of any type.
    target
        The view that it stores to, if any.
    other
        A further operand. Any: a view, nested lists, or a value.
    """

    run: Callable[[], Any]
    target: AnyView | None = None
    other: Any = None


Prepare = Callable[[AnyView], Call]


@final
@dataclass(frozen=True)
class Function:
    """A way to work on a whole view.

    Attributes
    ----------
    prepare
        Makes the other operands of a call.
    names
        The public names that it uses; a method of a view or a function of NumPy has none.
    needs_numpy
        Whether NumPy has a part in it.
    """

    prepare: Prepare
    names: tuple[str, ...] = ()
    needs_numpy: bool = False


def _over(data, extents):
    """View of data in C order."""
    shape = tuple(map(int, extents))
    return (
        md.asview(data[: prod(shape)].reshape(shape))
        if not isinstance(data, list | tuple | memoryview)
        else md.MDView(data, shape)
    )


def blank(view):
    """Return a new view in C order, of the extents of ``view``, and of a format that takes what it reads."""
    data, item_format = view.data, view.format
    first = None if view.accessor.is_plain else next(md.iteration.elements(view), None)
    value = first.load() if isinstance(first, md.atomics.AtomicRef) else first
    wanted, known = ("Zd", "OZ") if isinstance(value, complex) else ("d", "OZefd")
    if isinstance(value, complex | float) and not set(known) & set(item_format):
        data = FORMATS[wanted].make(view.size + 1)
    return _over(like(data, view.size), view.extents)


def source_for(view):
    """Return a view in C order with the items of ``view`` in another order."""
    return _over(like(view.data, view.size), view.extents)


def kept(x):
    """Return a value as it is. Any: of any type."""
    return x


def later(_, x):
    """Return the second one of two values. Any: of any type."""
    return x


def ufunc_of(view, *, two=False):
    """Return a function of NumPy for the elements of a view. Any: NumPy has types of its own."""
    if two:
        return np.logical_and if view.format == "?" else np.add
    return np.logical_not if view.format == "?" else np.negative


def _copied(view):
    target = blank(view)
    return Call(lambda: md.copy(view, target), target)


def _copied_over(view):
    source = source_for(view)
    return Call(lambda: md.copy(source, view), view, source)


def _copied_to_itself(view):
    target = md.flip(view)
    return Call(lambda: md.copy(view, target), target)


def _filled(view):
    value = items_of(source_for(view).data)[0] if view.size else None
    return Call(lambda: md.fill(view, value), view, value)


def _compared(view):
    other = blank(view)
    with suppress(TypeError, ValueError, OverflowError, struct.error):  # other values do not fit: then they differ
        md.copy(view, other)
    return Call(lambda: md.equal(view, other), None, other)


def _transformed_to(view):
    target = blank(view)
    return Call(lambda: md.transform(kept, view, out=target), target)


def _transformed_itself(view):
    return Call(lambda: md.transform(kept, view, out=view), view)


def _transformed_flipped(view):
    target = md.flip(view)
    return Call(lambda: md.transform(kept, view, out=target), target)


def _by_ufunc(view):
    f = ufunc_of(view)
    return Call(lambda: md.transform(f, view), None, f)


def _by_ufunc_to(view):
    f, target = ufunc_of(view), blank(view)
    return Call(lambda: md.transform(f, view, out=target), target, f)


def _by_ufunc_itself(view):
    f = ufunc_of(view)
    return Call(lambda: md.transform(f, view, out=view), view, f)


def _of_two(view):
    f, target = ufunc_of(view, two=True), blank(view)
    return Call(lambda: md.transform(f, view, view, out=target), target, f)


def _rows(view):
    """View of one element for each index along dimension 0, repeated over the others."""
    extents = tuple(map(int, view.extents))
    kind = "Zd" if "Z" in blank(view).format else "d"
    row = (*extents[:1], *(1,) * len(extents[1:]))
    return _over(FORMATS[kind].make(max(1, *extents[:1], 1)), row)


def _accumulated(view):
    target = _rows(view)
    return Call(lambda: md.operations.accumulate(later, target, view), target)


def _accumulated_by_ufunc(view):
    f, target = np.subtract, _rows(view)
    return Call(lambda: md.operations.accumulate(f, target, view), target, f)


def _assigned(other):
    def prepare(view):
        source = other(source_for(view))
        is_array = type(source).__name__ == "ndarray" and not view.rank
        if is_array or isinstance(source, bytes) or (isinstance(source, list) and not view.size):
            message = (
                "bytes are a buffer of numbers, an array of rank 0 is a value, empty lists have no further extents"
            )
            raise NotApplicableError(message)
        return Call(lambda: view.__setitem__(..., source), view, source)

    return prepare


def _first(view):
    return items_of(view.data)[0] if view.size else 0


def _as_array(view):
    return np.array(view)


def _asview(view):
    if view.layout.strides(tuple(view.extents)) is None or not view.accessor.is_plain or view.format in "Oc":
        message = "NumPy has no array that is these elements without a copy"
        raise NotApplicableError(message)
    array = np.asarray(view)
    return Call(lambda: md.asview(array))


def _reduced(view):
    f = np.maximum if "e" in view.format else np.add  # a half holds no sum
    return Call(lambda: md.reduce(f, view), None, f)


def _looked_for(view):
    if "V" in view.format:
        message = "NumPy compares no record with a number"
        raise NotApplicableError(message)
    return Call(lambda: ABSENT in view)


def _laid_out_anew(view):
    if not (view.accessor.is_plain and view.layout.is_total()):
        message = "items need not hold what an accessor computes, or what padding reads as"
        raise NotApplicableError(message)
    return Call(lambda: md.relayout(view, md.LayoutLeft()))


def _reads(run):
    return lambda view: Call(lambda: run(view))


FUNCTIONS = {
    "copy": Function(_copied, ("copy",)),
    "copy into it": Function(_copied_over, ("copy",)),
    "copy to itself, flipped": Function(_copied_to_itself, ("copy",)),
    "fill": Function(_filled, ("fill",)),
    "equal": Function(_compared, ("equal",)),
    "reduce": Function(_reads(lambda v: md.reduce(later, v, initial=0)), ("reduce",)),
    "reduce, ufunc": Function(_reduced, ("reduce",), needs_numpy=True),
    "transform": Function(_reads(lambda v: md.transform(kept, v)), ("transform",)),
    "transform, out": Function(_transformed_to, ("transform",)),
    "transform, itself": Function(_transformed_itself, ("transform",)),
    "transform, itself flipped": Function(_transformed_flipped, ("transform",)),
    "transform, ufunc": Function(_by_ufunc, ("transform",), needs_numpy=True),
    "transform, ufunc, out": Function(_by_ufunc_to, ("transform",), needs_numpy=True),
    "transform, ufunc, itself": Function(_by_ufunc_itself, ("transform",), needs_numpy=True),
    "transform, ufunc of two": Function(_of_two, ("transform",), needs_numpy=True),
    "accumulate": Function(_accumulated, ("accumulate",)),
    "accumulate, ufunc": Function(_accumulated_by_ufunc, ("accumulate",), needs_numpy=True),
    "relayout": Function(_laid_out_anew, ("relayout",)),
    "relayout, objects": Function(_reads(lambda v: md.relayout(v, md.LayoutRight(), "O")), ("relayout",)),
    "tolist": Function(_reads(lambda v: v.tolist())),
    "elements": Function(_reads(lambda v: list(md.iteration.elements(v))), ("elements",)),
    "elements, memory": Function(_reads(lambda v: list(md.iteration.elements(v, order="memory"))), ("elements",)),
    "offsets": Function(_reads(lambda v: list(v.offsets()))),
    "list": Function(_reads(list)),
    "in": Function(_looked_for),
    "np.array": Function(_reads(_as_array), needs_numpy=True),
    "np.asarray": Function(_reads(lambda v: np.asarray(v)), needs_numpy=True),  # noqa: PLW0108 - it need not be there
    "v[:] = view": Function(_assigned(kept)),
    "v[:] = rows": Function(_assigned(lambda v: v.tolist())),
    "v[:] = value": Function(_assigned(_first)),
    "v[:] = array": Function(_assigned(_as_array), needs_numpy=True),
    "asview": Function(_asview, ("asview",), needs_numpy=True),
    "runs": Function(_reads(lambda v: list(md.iteration.runs(v))), ("runs",)),
    "runs, memory": Function(_reads(lambda v: list(md.iteration.runs(v, order="memory"))), ("runs",)),
    "indices": Function(_reads(lambda v: list(md.iteration.indices(v))), ("indices",)),
    "indices, memory": Function(_reads(lambda v: list(md.iteration.indices(v, order="memory"))), ("indices",)),
    "flat": Function(_reads(md.iteration.flat), ("flat",)),
    "tiles": Function(_reads(lambda v: list(md.tiles(v, (2,) * v.rank))), ("tiles",)),
}
"""All functions, by name."""

EXEMPT = frozenset(
    [
        *("aligned", "assume", "atomic", "bitcast", "bounds", "broadcast_to", "checked", "coalesced"),
        *("collision", "comparable", "conflicts", "conjugate_transposed", "conjugated", "contiguous_runs"),
        *("conversion", "convert", "dense_like", "diagonal", "dim", "draw", "empty", "empty_like"),
        *("expand_dims", "explain", "flip", "format", "from_zarr", "full", "full_like", "has_extents"),
        *("hole", "inner_contiguous", "is_contiguous", "is_dense", "kind_of", "mandates", "map_tiles"),
        *("mergeable_axes", "moveaxis", "ones", "open_view", "overlap", "pad", "parse", "permute_dims"),
        *("ravel", "readonly", "relayout_file", "reshape", "save", "scaled", "shrink", "sliding_window"),
        *("squeeze", "stride_order", "submapping", "subview", "swapaxes", "to_dask", "to_zarr"),
        *("transposed", "unchecked", "zeros", "zeros_like"),
    ]
)
"""Public functions that are not listed above: they make or ask about views and look at no element, or need a file."""
