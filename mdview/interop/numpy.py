"""NumPy: a view of an array's own memory, under the narrowest layout that says where its elements lie.

The way back is ``np.asarray(view)``, see `mdview.views.export`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pickle import PickleBuffer
from typing import Any, NamedTuple, NoReturn, TypeAlias, TypeVar, cast, final

from mdview.accessors.base import Accessor
from mdview.accessors.buffers import Storage
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.formats import NATIVE, native_format
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.serving import ShapedArray
from mdview.accessors.struct_items import StructItems
from mdview.base.arguments import kind_text
from mdview.base.caches import remember
from mdview.errors import BufferFormatError
from mdview.layouts.narrowest import narrowest_layout
from mdview.layouts.stride import element_strides
from mdview.layouts.strided import StridedLayout
from mdview.mappings.mapping import Mapping
from mdview.views.derive import remaking
from mdview.views.export import import_numpy
from mdview.views.view import MDView

E = TypeVar("E", bound="tuple[int, ...]")
T = TypeVar("T")


def asview(array: ShapedArray[E, T]) -> MDView[T, E, StridedLayout, DefaultAccessor[T]]:
    """View of ``array`` that shares its memory; nothing is copied.

    The layout is the narrowest that fits: right, left, padded, stride, or relaxed for negative, zero and interleaved
    strides. A read-only array gives a read-only view. Any: elements that Python has no type for (records, strings).

    Raises
    ------
    BufferFormatError
        ``array`` is no NumPy array, is masked, or its items have no bytes.
    StrideError
        A byte stride is no multiple of the item size.
    """
    if type(array) is getattr(sys.modules.get("numpy"), "ndarray", None):
        given: _Array = array
        dtype = given.dtype
        key = given.shape, given.strides, dtype.char, dtype.isnative, dtype.itemsize, given.flags.writeable
        known = _kinds.get(key)
        if known is None:
            form = _form_of(array)
            view = _first_view(array, form)
            remember(_kinds, key, (form.storage, remaking(view)))
            return view
        storage, view_of = known
        return view_of(storage(array))
    numpy = import_numpy()
    if not isinstance(array, numpy.ndarray) or isinstance(array, numpy.ma.MaskedArray):
        _refuse(array, is_masked=isinstance(array, numpy.ma.MaskedArray))
    return _first_view(array, _form_of(array))


def _refuse(given: object, *, is_masked: bool) -> NoReturn:
    exports = any(hasattr(type(given), name) for name in ("__array__", "__array_interface__", "__dlpack__"))
    way = "write asview(np.asarray(array))" if exports else "use MDView for other data"
    if is_masked:
        way = "say what is masked: array.filled(value)"
    elif isinstance(given, MDView):
        way = "it is a view already"
    message = f"asview takes a NumPy array without mask, got {kind_text(given)}; {way}"
    raise BufferFormatError(message)


_Array: TypeAlias = Any
"""An array, whose type does not say that it is a buffer."""
_AnyView: TypeAlias = "MDView[Any, Any, StridedLayout, DefaultAccessor[Any]]"

_kinds: dict[tuple[object, ...], tuple[Callable[[Any], Storage], Callable[[Storage], _AnyView]]] = {}
"""How arrays of a shape, byte strides and an element type are held and viewed. Any: arrays."""


def _first_view(array: _Array, form: _Form) -> _AnyView:
    layout, _ = narrowest_layout(array.shape, form.strides)
    accessor: Accessor[Any, Any] = ReadOnlyAccessor() if form.readonly else DefaultAccessor()
    view = MDView.from_mapping(cast("Any", form.storage(array)), Mapping(array.shape, layout), accessor)
    # A checker is told that the view stores, as it is told of the array; a read-only one refuses at run time.
    return cast("_AnyView", view)


@final
class _Form(NamedTuple):
    """How an array is held: as the run of memory from its lowest to its highest element.

    Attributes
    ----------
    strides
        Strides in elements.
    span, itemsize
        Elements of the run, and bytes of each.
    item_format
        Their format; None where NumPy alone reads them.
    readonly
        Whether the array is not writeable.
    turned
        The slices that put the lowest element first, none where it is; None where the array is one run.
    """

    strides: tuple[int, ...]
    span: int
    itemsize: int
    item_format: str | None
    readonly: bool
    turned: tuple[slice, ...] | None

    def storage(self, array: _Array) -> Storage:
        """Hold an array of this form."""
        itemsize, item_format, readonly = self.itemsize, self.item_format, self.readonly
        if item_format is None:
            run = self._items(array)
            return Storage.of_items(array, run, run.dtype.str, itemsize, readonly=readonly)
        raw = PickleBuffer(array).raw() if self.turned is None else memoryview(self._window(array, "|u1", itemsize))
        items = raw.cast(cast("Any", item_format)) if item_format in NATIVE else StructItems(raw, item_format)
        return Storage.of_items(array, items, item_format, itemsize, readonly=readonly)

    def _items(self, array: _Array) -> _Array:
        """Return the run as an array."""
        if self.turned is None:
            return array.ravel("K")
        if not array.dtype.hasobject:
            return self._window(array, "|u1", self.itemsize).view(array.dtype)
        if array.dtype.char == "O":
            return self._window(array, "|O", 1)
        as_strided = import_numpy().lib.stride_tricks.as_strided
        return as_strided(array[self.turned], (self.span,), (self.itemsize,), writeable=not self.readonly)

    def _window(self, array: _Array, typestr: str, size: int) -> _Array:
        """Return the run as an array of other items, of which an element has ``size``."""
        lowest = array[self.turned] if self.turned else array
        data = lowest.ctypes.data, self.readonly
        told = {"version": 3, "shape": (self.span * size,), "typestr": typestr, "data": data}
        return import_numpy().asarray(_Window(array, told))


@final
class _Window:
    """Tells NumPy of a run of memory, and holds the array that it is of."""

    __slots__ = ("__array_interface__", "_array")

    def __init__(self, array: object, told: dict[str, object]) -> None:
        """Keep both."""
        self._array = array
        self.__array_interface__ = told


def _form_of(array: _Array) -> _Form:
    """Return how an array is held.

    Raises
    ------
    BufferFormatError
        Its items have no bytes.
    StrideError
        A byte stride is no multiple of the item size.
    """
    itemsize = array.itemsize
    if itemsize == 0:
        message = f"items of type {array.dtype} have 0 bytes and no offsets of their own"
        raise BufferFormatError(message)
    # The strides of extents of 1 mean nothing.
    moving = [0 if n == 1 or array.size == 0 else s for n, s in zip(array.shape, array.strides, strict=True)]
    strides = element_strides(moving, itemsize)
    span = 1 + sum([(n - 1) * abs(s) for n, s in zip(array.shape, strides, strict=True)]) if array.size else 0
    turned = (
        tuple([slice(None, None, -1) if s < 0 else slice(None) for s in strides]) if min(strides, default=0) < 0 else ()
    )
    try:
        item_format = native_format(memoryview(array).format, itemsize)
    except (ValueError, BufferFormatError):  # NumPy exports no such items, or `struct` reads none
        item_format = None
    return _Form(strides, span, itemsize, item_format, not array.flags.writeable, None if array.flags.forc else turned)
