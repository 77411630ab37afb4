"""New memory: views of zeros, ones or another value, views like another view or of results, copies in another layout.

The new memory has as many items as the mapping spans. It is a NumPy array if NumPy is loaded, else an ``array.array``
or a ``bytearray``. Python objects are held by a list.
"""

from __future__ import annotations

from contextlib import suppress
from math import isfinite
from typing import Any, NoReturn, TypeAlias, cast

from mdview import errors
from mdview.accessors.policies import DefaultAccessor
from mdview.base import answer_calls, as_text, brief, kind_text
from mdview.engines.bulk import bulk_dispatch
from mdview.engines.bulk.bulk_operand import PLAIN, Operand
from mdview.engines.bulk.progress import Progress
from mdview.engines.mapping_plan import Plan, bound_plan, plan_of
from mdview.index.extents import shape_text
from mdview.layouts.explicit_strides import RIGHT
from mdview.layouts.layout import indices
from mdview.mappings.mapping import Mapping
from mdview.mappings.mapping_manipulation import kept_layout
from mdview.memory.data_types import DType, DTypeLike, read_dtype
from mdview.memory.item_formats import known_format
from mdview.memory.storage import OBJECTS, Storage, item_type
from mdview.operations.copy_fill_reduce import AnyView, copy, equal, fill
from mdview.views.memory_export import AnyArray
from mdview.views.view import MDView
from mdview.views.view_base import check_view, operand_of, own, placed_parts_of, storage_of, view_of_plan

# Any: the type of elements follows from the format.
AnyNew: TypeAlias = MDView[Any, Any, Any, DefaultAccessor[Any]]


@answer_calls
def empty(extents: Any, layout: Any = None, dtype: DTypeLike = "d") -> AnyNew:
    """Return a view of new memory with these extents and this layout; its elements are not initialized.

    Parameters
    ----------
    extents
        The number of indices along each dimension, as for `MDView`.
    layout
        A layout, or its notation as a string, as in ``"tiled(64, 64)"``; C order by default. The memory has as many
        items as the mapping of the layout and the extents spans.
    dtype
        The type of the items: a letter of `struct` (``"d"``, ``"i"``, ``">h"``, ``"Zd"`` for complex numbers), a name
        or a type of NumPy (``"float64"``, ``np.int8``), ``bool``, ``int``, ``float`` or ``complex``; or ``"O"`` for
        objects. Before the first store, objects are None, and numbers are arbitrary, as in ``numpy.empty``; see
        `zeros`.

    Raises
    ------
    ExtentsError, ExtentsTypeError, LayoutError, LayoutTypeError, RankError
        The extents or the layout break their rules. NotationError The string does not describe a layout.
    BufferFormatError
        The format is unknown.
    BufferSizeError
        There is not enough memory.

    >>> from mdview import LayoutTiled
    >>> view = empty((3, 4), LayoutTiled(2, 2), "int32")
    >>> len(view.data), view.required_span_size, view.extents
    (14, 14, (3, 4))
    """
    return _made(_bound(extents, layout), dtype, is_filled=True)


@answer_calls
def zeros(extents: Any, layout: Any = None, dtype: DTypeLike = "d") -> AnyNew:
    """Return a view of new memory whose elements are 0; ``extents``, ``layout`` and ``dtype`` are those of `empty`.

    >>> zeros((2, 3), dtype="i").tolist()
    [[0, 0, 0], [0, 0, 0]]
    """
    return _zeroed(_made(_bound(extents, layout), dtype))


@answer_calls
def ones(extents: Any, layout: Any = None, dtype: DTypeLike = "d") -> AnyNew:
    """Return a view of new memory whose elements are 1; ``extents``, ``layout`` and ``dtype`` are those of `empty`.

    >>> ones((2, 3), "left").data.tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    return _filled(_bound(extents, layout), 1, dtype)


@answer_calls
def full(extents: Any, value: Any, layout: Any = None, dtype: DTypeLike | None = None) -> AnyNew:
    """Return a view of new memory whose elements are all ``value``.

    ``extents``, ``layout`` and ``dtype`` are those of `empty`. The default of ``dtype`` follows from the value:
    ``"?"``, ``"q"``, ``"d"`` or ``"Zd"`` for a Python number, the type of a NumPy number, and ``"O"`` for any other
    value.

    Raises
    ------
    ExtentsError, ExtentsTypeError, LayoutError, LayoutTypeError, RankError, NotationError, BufferSizeError
        See `empty`.
    BufferFormatError, ElementError, ElementTypeError
        The format is unknown, or cannot hold the value.

    >>> full((2, 2), 0.5).tolist(), full((2,), 7, dtype="uint8").itemsize
    ([[0.5, 0.5], [0.5, 0.5]], 1)
    """
    return _filled(_bound(extents, layout), value, format_of(value) if dtype is None else dtype)


@answer_calls
def empty_like(view: AnyView, layout: Any = None, dtype: DTypeLike | None = None) -> AnyNew:
    """Return a view of new memory with the extents of ``view``; its elements are not initialized.

    Parameters
    ----------
    view
        Any view.
    layout
        As for `empty`. By default the layout of ``view``, without the gaps that slicing makes; C order if the view is a
        part of a view that is not strided.
    dtype
        As for `empty`. By default the type of the items of ``view``.

    Raises
    ------
    OperandError
        ``view`` is not a view.
    LayoutError, LayoutTypeError, RankError, NotationError, BufferFormatError, BufferSizeError
        See `empty`.

    >>> from mdview import LayoutTiled
    >>> made = empty_like(zeros((3, 4), LayoutTiled(2, 2), "i"))
    >>> made.extents, made.layout == LayoutTiled(2, 2), made.format
    ((3, 4), True, 'i')
    """
    return _made(*_like(view, layout, dtype), is_filled=True)


@answer_calls
def zeros_like(view: AnyView, layout: Any = None, dtype: DTypeLike | None = None) -> AnyNew:
    """Return a view of new memory with the extents of ``view`` whose elements are 0; see `empty_like`.

    >>> zeros_like(MDView([1, 2, 3], (3,))).tolist()
    [0, 0, 0]
    """
    return _zeroed(_made(*_like(view, layout, dtype)))


@answer_calls
def full_like(view: AnyView, value: Any, layout: Any = None, dtype: DTypeLike | None = None) -> AnyNew:
    """Return a view of new memory with the extents of ``view`` whose elements are all ``value``; see `empty_like`.

    Raises
    ------
    ElementError, ElementTypeError
        The format cannot hold the value. The other errors are the same as for `empty_like`.

    >>> full_like(zeros((2, 2), dtype="i"), 7).tolist()
    [[7, 7], [7, 7]]
    """
    mapping, form = _like(view, layout, dtype)
    return _filled(mapping, value, form)


@answer_calls
def relayout(view: AnyView, layout: Any, dtype: DTypeLike | None = None, *, progress: Progress = False) -> AnyNew:
    """Return a view of new memory with the elements of ``view``, in ``layout``.

    Parameters
    ----------
    view
        Any view. The values that its accessor returns are stored. The new view has a plain accessor and is writable.
    layout
        The layout of the new view, as for `empty`.
    dtype
        The type of the new items, as for `empty`. By default the type of the items of ``view``.
    progress
        As for `equal`.

    Raises
    ------
    OperandError, NullViewError, HaloError
        ``view`` is not a view, has no data, or has padding without values.
    LayoutError, LayoutTypeError, RankError, NotationError
        ``layout`` breaks its rules or does not admit the extents, or indices with different elements share an offset.
    BufferFormatError, BufferSizeError, ElementError, ElementTypeError
        The format is unknown, there is not enough memory, or the format cannot hold an element.

    >>> from mdview import LayoutLeft
    >>> turned = relayout(MDView([1, 2, 3, 4, 5, 6], (2, 3)), LayoutLeft())
    >>> turned.data, turned.tolist()
    ([1, 4, 2, 5, 3, 6], [[1, 2, 3], [4, 5, 6]])
    """
    check_view(view, "what is laid out anew")
    storage_of(view)
    mapping = Mapping(view.extents, layout)
    is_filled = mapping.layout.is_always_exhaustive(mapping.static_extents)
    new = _made(mapping, _format_like(view, dtype), is_filled=is_filled)
    copy(view, new, progress=progress)
    check_elements(view, new)
    return new


def format_of(value: object) -> str:
    """Return the format of a Python or NumPy number; the format of objects for any other value."""
    for kind, item_format in {bool: "?", int: "q", float: "d", complex: "Zd"}.items():
        if isinstance(value, kind):
            return item_format
    if isinstance(value, MDView):
        return OBJECTS
    try:  # a number of NumPy exports a buffer
        exported = memoryview(value)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        return known_format(exported.format)[0] if exported.ndim == 0 else OBJECTS
    except (TypeError, ValueError):
        return OBJECTS


def _bound(extents: Any, layout: Any) -> Mapping[Any, Any]:
    """Return the mapping of new memory from extents and a layout; C order if the layout is None."""
    if isinstance(layout, str):
        with suppress(errors.BufferFormatError, errors.MissingExtraError):  # NumPy reads texts of records
            read_dtype(layout)
            raise errors.LayoutTypeError(
                f"a layout is LayoutRight() or 'right', got {brief(layout)}; write dtype= before it"
            )
    kept: Any = RIGHT if layout is None else layout
    return cast("Mapping[Any, Any]", bound_plan(extents, kept).mapping)


def _like(view: AnyView, layout: Any, dtype: DTypeLike | None) -> tuple[Mapping[Any, Any], DType]:
    """Return the mapping and the item type of new memory; by default they are the same as in a view."""
    check_view(view, "what gives the extents")
    mapping, form = view.mapping, _format_like(view, dtype)
    kept = kept_layout(mapping) if layout is None else layout
    return (mapping if kept == mapping.layout else _bound(view.extents, kept)), form


def _format_like(view: AnyView, dtype: DTypeLike | None) -> DType:
    """Return the item type for ``dtype``; if ``dtype`` is None, the type of the items of a view."""
    storage = placed_parts_of(view)[0]
    if dtype is not None or storage is None:
        return item_type(OBJECTS if dtype is None else dtype)
    return storage.kind


def _zeroed(new: AnyNew) -> AnyNew:
    """Fill a new view of objects with zeros; return the view."""
    if new.format == OBJECTS:
        fill(new, 0)
    return new


def _filled(mapping: Mapping[Any, Any], value: Any, dtype: DTypeLike | DType) -> AnyNew:
    """Return a view of new items that all are ``value``; refuse a value that the format cannot hold."""
    one = _made(_bound((1,), None), dtype)
    one[0] = value
    if one.format != OBJECTS and not _holds(one[0], value):
        _refuse_value(one.format, kind_text(value), f"it would be {as_text(one[0], repr)}")
    new = _made(mapping, dtype, is_filled=True)
    bulk_dispatch.fill(operand_of(new), value)
    return new


def _made(mapping: Mapping[Any, Any], dtype: DTypeLike | DType, *, is_filled: bool = False) -> AnyNew:
    """Return a view of new items for the span of a mapping.

    The items are 0. If ``is_filled``, they are uninitialized, and the caller stores all elements.
    """
    form = dtype if isinstance(dtype, DType) else item_type(dtype)
    try:
        storage = Storage.new(form, mapping.required_span_size, is_filled=is_filled)
    except (MemoryError, OverflowError, ValueError):
        raise errors.BufferSizeError(
            f"{as_text(mapping.layout, repr)} over extents {shape_text(mapping.extents)} spans "
            f"{as_text(mapping.required_span_size)} items of format {form.format!r}, which do not fit in memory; use "
            "smaller extents or a smaller format"
        ) from None
    new: AnyNew = view_of_plan(MDView, storage, 0, plan_of(mapping), PLAIN, (mapping, 0))
    own(new)
    return new


def _refuse_value(item_format: str, what: str, why: object) -> NoReturn:
    raise errors.ElementError(
        f"format {item_format!r} does not hold {what}: {as_text(why)}; give another one, dtype='O' holds anything"
    )


def _holds(stored: Any, value: Any) -> bool:  # Any: elements of any type
    """Tell whether a stored element is the value, or a float that is the rounded value.

    The real and the imaginary part of a rounded value are finite if, and only if, they are finite in the value.
    """
    if stored == value or (stored != stored and value != value):  # noqa: PLR0124 - the test for a NaN
        return True
    if not isinstance(stored, float | complex):
        return False
    s, v = complex(stored), complex(value)
    return isfinite(s.real) == isfinite(v.real) and isfinite(s.imag) == isfinite(v.imag)


def check_elements(view: AnyView, new: AnyNew) -> None:
    """Check that a copy, ``new``, holds the elements of a view, apart from rounding.

    A copy in the same format needs no check. A copy in an integer format needs no check either, since stores of
    integers refuse values that they would change.
    """
    is_kept = DType(new.format, 0).type is int or (view.format == new.format and view.accessor.is_plain)
    if is_kept or equal(view, new):
        return
    values = zip(indices(new.extents), *[bulk_dispatch.values(operand_of(v)) for v in (view, new)], strict=True)
    for index, was, now in values:
        if not _holds(now, was):
            _refuse_value(
                new.format, f"{as_text(was, repr)} of index {as_text(index)}", f"it would be {as_text(now, repr)}"
            )


def view_of_results(results: list[Any] | AnyArray, extents: tuple[int, ...], dtype: DTypeLike | None) -> AnyView:
    """Return a view of results in C order; results that are not numbers of the same type are held as objects."""
    held: Any = results
    if not isinstance(results, list):
        row = results.reshape(-1)
        held = row.tolist() if row.dtype.hasobject or dtype is not None else row
    if isinstance(held, list):
        held = _stored(held, dtype) or held
    new: AnyView = MDView.from_mapping(held, Mapping(extents))
    own(new)
    return new


def _stored(results: list[Any], dtype: DTypeLike | None) -> Storage | None:
    """Return new memory with results, by default of their common type; None if the results stay Python objects."""
    form = _type_of_all(results) if dtype is None else item_type(dtype)
    if form is None or form.format == OBJECTS:
        return None
    storage = Storage.new(form, len(results), is_filled=True)
    try:
        bulk_dispatch.assign(Operand(storage.items, Plan((len(results),), 0, (1,)), 0, PLAIN), results)
    except errors.ElementError:  # an integer of more than 64 bits
        if dtype is not None:
            raise
        return None
    return storage


def _type_of_all(results: list[Any]) -> DType | None:
    """Return the common type of results if all are numbers of the same type, else None."""
    kinds = {*map(type, results)}
    kind = kinds.pop() if len(kinds) == 1 else object
    if kind not in {bool, int, float, complex} and kind.__module__ != "numpy":
        return None
    form = read_dtype(kind)
    return form if form.dtype is None else None
