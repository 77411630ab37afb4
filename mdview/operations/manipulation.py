"""Manipulation of views (permute, reshape, pad, windows, bitcast): functions of the array API standard and NumPy.

Each function takes a view and returns a view, or takes a mapping and returns a mapping, and copies nothing. A negative
axis counts from the end. The layout of the result is of the narrowest class that describes it. If the result is not
strided, its layout is composed; this includes `reshape`, which never copies. `Mapping.as_strided` tells whether a
mapping is strided, and why not. The result for a mapping has the offsets of the mapping.

Names in nx: ``permute`` is `permute_dims`, ``expand`` is `broadcast_to`, ``shrink`` is `shrink`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, SupportsIndex, TypeVar, cast

from mdview.accessors.accessor import Accessor
from mdview.accessors.policies import fill_of, is_alike, with_fill
from mdview.base import Axes, Shape, answer_calls, brief, size_text
from mdview.base.argument_checks import Widths
from mdview.errors import BufferFormatError, ExtentsError, StrideError
from mdview.index import rearrangement
from mdview.index.padding import Mode, is_nowhere
from mdview.index.rearrangement import Movement, ranges_of
from mdview.layouts.strided_layout import StridedLayout
from mdview.mappings import mapping_manipulation
from mdview.mappings.mapping import Mapping, mapping_of
from mdview.mappings.slicing import Moved, offset_by
from mdview.memory.data_types import DTypeLike, read_dtype
from mdview.views.derived_views import derived, selected, shifted, view_of
from mdview.views.view import MDView
from mdview.views.view_base import check_view, placed_parts_of, rearranged
from mdview.views.view_parts import accessor_serving

# Any: type parameters of views, on which the functions do not depend.
Subject = TypeVar("Subject", MDView[Any, Any, Any, Any], Mapping[Any, Any])


@answer_calls
def permute_dims(x: Subject, axes: Sequence[SupportsIndex]) -> Subject:
    """Permute the dimensions: dimension ``r`` of the result is dimension ``axes[r]`` of ``x``.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    axes
        A permutation of all dimensions; negative dimensions count from the end.

    Raises
    ------
    RankError
        The number of axes is not the rank, or an axis is repeated.
    AxisError
        An axis is out of range.

    >>> permute_dims(Mapping((2, 3)), (1, 0))
    Mapping((3, 2), LayoutLeft())
    """
    return _moved(x, rearrangement.permute_dims, mapping_manipulation.permute_dims, axes)


@answer_calls
def flip(x: Subject, axis: Axes = None) -> Subject:
    """Reverse the order of the indices along one or more dimensions.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    axis
        One dimension, several dimensions, or None for all dimensions.

    >>> flip(Mapping((4,)))
    Mapping((4,), LayoutStrideRelaxed((-1,), offset=3))
    """
    return _moved(x, rearrangement.flip, mapping_manipulation.flip, axis)


@answer_calls
def expand_dims(x: Subject, axis: SupportsIndex | Sequence[SupportsIndex] = 0) -> Subject:
    """Insert dimensions of extent 1.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    axis
        The position of the new dimension among the dimensions of the result, or several positions.

    >>> expand_dims(Mapping((2, 3)), -1).extents
    (2, 3, 1)
    """
    return _moved(x, rearrangement.expand_dims, mapping_manipulation.expand_dims, axis)


@answer_calls
def squeeze(x: Subject, axis: Axes = None) -> Subject:
    """Drop dimensions of extent 1.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    axis
        One dimension, several dimensions, or None for all dimensions of extent 1.

    Raises
    ------
    BroadcastError
        A dimension in ``axis`` has an extent other than 1.
    """
    return _moved(x, rearrangement.squeeze, mapping_manipulation.squeeze, axis)


@answer_calls
def broadcast_to(x: Subject, shape: Shape) -> Subject:
    """Repeat dimensions of extent 1, and repeat ``x`` along new leading dimensions, without a copy.

    Unlike the result of NumPy's function, the result is writable; values stored to the same element must agree, see
    `copy`.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    shape
        The extents of the result. Each extent of ``x`` is 1 or equals the extent of ``shape``, aligned at the end.

    Raises
    ------
    BroadcastError
        ``x`` cannot be broadcast to ``shape``.

    >>> broadcast_to(Mapping((3,)), (2, 3))
    Mapping((2, 3), LayoutStrideRelaxed((0, 1), offset=0))
    """
    return _moved(x, rearrangement.broadcast_to, mapping_manipulation.broadcast_to, shape)


@answer_calls
def reshape(x: Subject, shape: Shape, *, order: Literal["C", "F"] = "C") -> Subject:
    """Arrange the same elements in another shape, without a copy.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    shape
        The extents of the result; one extent may be -1, and is computed from the other extents.
    order
        The order in which elements are read and placed: ``"C"`` with the last index fastest, ``"F"`` with the first.

    Raises
    ------
    ShapeError
        The sizes differ, or no extent in place of -1 results in the size of ``x``.

    >>> reshape(Mapping((4, 6)), (2, -1)).extents
    (2, 12)
    """
    return _like(x, mapping_manipulation.reshape(mapping_of(x), shape, order))


@answer_calls
def ravel(x: Subject, *, order: Literal["C", "F"] = "C") -> Subject:
    """Arrange all elements in one dimension, without a copy.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    order
        The order in which elements are read: ``"C"`` with the last index fastest, ``"F"`` with the first.
    """
    return _like(x, mapping_manipulation.ravel(mapping_of(x), order))


@answer_calls
def moveaxis(x: Subject, source: Shape, destination: Shape) -> Subject:
    """Move dimensions to new positions; all other dimensions keep their order.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    source
        One dimension of ``x``, or several dimensions.
    destination
        The position of each dimension of ``source`` in the result.

    Raises
    ------
    RankError
        ``source`` and ``destination`` have different lengths, or a dimension is repeated.
    AxisError
        A dimension is out of range.

    >>> moveaxis(Mapping((2, 3, 4)), 0, -1).extents
    (3, 4, 2)
    """
    return _moved(x, rearrangement.moveaxis, mapping_manipulation.moveaxis, source, destination)


@answer_calls
def swapaxes(x: Subject, axis1: SupportsIndex, axis2: SupportsIndex) -> Subject:
    """Exchange two dimensions.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    axis1, axis2
        The two dimensions; negative dimensions count from the end.

    Raises
    ------
    AxisError
        A dimension is out of range.

    >>> swapaxes(Mapping((2, 3, 4)), 0, 2).extents
    (4, 3, 2)
    """
    return _moved(x, rearrangement.swapaxes, mapping_manipulation.swapaxes, axis1, axis2)


@answer_calls
def diagonal(x: Subject, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1) -> Subject:
    """Return a diagonal of two dimensions as the last dimension of the result; both indices grow along the diagonal.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    offset
        The diagonal begins at index ``offset`` of ``axis2``; if negative, at index ``-offset`` of ``axis1``.
    axis1, axis2
        The two dimensions.
    """
    return _moved(x, rearrangement.diagonal, mapping_manipulation.diagonal, offset, axis1, axis2)


@answer_calls
def sliding_window(x: Subject, shape: Shape, axis: Axes = None) -> Subject:
    """Return all windows of a shape; the dimensions within a window are the last dimensions of the result.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    shape
        The extent of a window along each axis, or one extent for a single axis.
    axis
        The dimensions along which windows move, or None for all dimensions.

    Raises
    ------
    ShapeError
        A window is negative or longer than its dimension, or the number of extents is not the number of axes.
    """
    return _like(x, mapping_manipulation.sliding_window(mapping_of(x), shape, axis))


@answer_calls
def shrink(x: Subject, bounds: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> Subject:
    """Keep a range of the indices of each dimension (nx).

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    bounds
        A half-open range ``(begin, end)`` per dimension. A range may be empty only if the dimension is empty.

    Raises
    ------
    RankError
        The number of ranges is not the rank.
    SliceError
        ``0 <= begin < end <= extent`` does not hold.
    """
    if isinstance(x, Mapping):
        return _like(x, mapping_manipulation.shrink(x, bounds))
    return cast("Subject", selected(x, ranges_of(mapping_of(x).extents, bounds)))


# Any: a view or a mapping, see the stub; the constant may be any value that loads in the padding shall return.
@answer_calls
def pad(x: Any, width: Widths, mode: Mode = "constant", constant: Any = 0) -> Any:
    """Add indices without elements (padding) before and after the indices of each dimension.

    A store into the padding is an error. The box of indices with elements is ``valid_box``. If a padded view, or a part
    of a padded view, is padded again, the outer padding treats the values that are read in the inner padding as
    elements.

    Parameters
    ----------
    x
        A view or a mapping; the result is of the same kind.
    width
        One number, one pair ``(before, after)``, or a pair per dimension.
    mode
        The rule for the values that a view has in the padding: ``"constant"``, ``"edge"``, ``"reflect"``,
        ``"symmetric"`` or ``"wrap"``, as in `numpy.pad`; see `FillAccessor`.
    constant
        The value in the padding for mode ``"constant"``.

    Raises
    ------
    ExtentsError
        A width is negative; use `shrink` or a slice.
    AccessorError
        The accessor neither stores nor wraps an accessor that stores.
    """
    mapping = mapping_of(x)
    count = 0 if isinstance(x, Mapping) else mapping_manipulation.paddings_of(mapping)
    is_wider = count == 0 or (count == 1 and _pads_alike(cast("Any", x), mode, constant))
    moved = (mapping_manipulation.pad if is_wider else mapping_manipulation.surround)(mapping, width)
    for r, (e, wider) in enumerate(zip(mapping.extents, moved[0].extents, strict=True)):
        if mode != "constant" and e == 0 and wider:
            raise ExtentsError(
                f"dimension {r} has no element for mode {brief(mode)} to repeat; only a constant fills padding there"
            )
    if isinstance(x, Mapping) or (count and moved[0] is mapping):
        return _like(x, moved)
    return derived(x, *moved, with_fill(x.accessor, mode, constant, 0 if is_wider else count))


def _pads_alike(view: MDView[Any, Any, Any, Any], mode: Mode, constant: Any) -> bool:  # Any: see `pad`
    """Tell whether padding a padded view again equals a wider padding; kernels support only one padding."""
    part = view.mapping.layout.composition(view.mapping.extents)
    way = part.transform
    sources = [source for step, source in zip(way.stride, way.source, strict=True) if step]
    clamps = part.box is not None and not is_nowhere(part.box) and way.is_affine and len({*sources}) == len(sources)
    clamps = clamps and {-1, 0, 1}.issuperset(way.stride)
    return is_alike(fill_of(view.accessor), mode, constant) and (mode == "constant" or (mode == "edge" and clamps))


@answer_calls
def bitcast(
    x: MDView[Any, Any, Any, Any], dtype: DTypeLike
) -> MDView[Any, tuple[int, ...], StridedLayout, Accessor[Any, Any]]:
    """Return a view of the same bytes as elements of another format, along the last dimension.

    The elements are typed ``Any``, as their type follows from the format at run time; annotate the result.

    Parameters
    ----------
    x
        A view. If the new items have another size, the view must be strided, and its last dimension contiguous.
    dtype
        The format, as for `empty`.

    Raises
    ------
    NotStridedError, StrideError
        The view is not strided, its last dimension is not contiguous, or the bytes are not a whole number of items.
    BufferFormatError
        The data is not a buffer, or the format is unknown.
    AccessorError
        The accessor cannot access items of the format: for example, atomic operations need aligned items.

    >>> bitcast(MDView(bytearray(b"abcd"), (2, 2)), "H").shape
    (2, 1)
    """
    check_view(x, "what is recast")
    storage = placed_parts_of(x)[0]
    if storage is None or storage.format == "O":
        raise BufferFormatError("a bitcast reads the bytes of a buffer, and this view has none")
    recast = storage.recast(read_dtype(dtype).format)
    mapping, shift = mapping_manipulation.repack(x.mapping, storage.bits, recast.bits)
    start = x.origin * storage.bits
    if start % recast.bits and mapping.size:
        begin, size = size_text(start), size_text(recast.bits)
        raise StrideError(f"the view begins {begin} into its data, no multiple of the new item size {size}")
    strided = cast("Mapping[tuple[int, ...], StridedLayout]", mapping)
    origin = start // recast.bits + shift
    return view_of(
        recast, origin, strided, accessor_serving(x.accessor, recast, origin) if mapping.size else x.accessor
    )


def _moved(x: Subject, movement: Callable[..., Movement], verb: Callable[..., Moved], *args: object) -> Subject:
    """Return ``x`` after ``movement``, a function on index spaces; ``verb`` is the same operation on mappings."""
    subject: Any = x  # Any: a view or a mapping; checkers see one at a time
    view = rearranged(subject, movement, verb, args) if isinstance(subject, MDView) else None
    return _like(x, verb(mapping_of(x), *args)) if view is None else cast("Subject", view)


def _like(x: Subject, moved: Moved) -> Subject:
    """Return the result of an operation on ``x`` from its mapping and shift: a view of the same data, or a mapping."""
    mapping, shift = moved
    if isinstance(x, Mapping):
        return cast("Subject", offset_by(mapping, shift))
    return shifted(x, mapping, shift)
