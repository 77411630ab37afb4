"""Memory in one row under the narrowest layout that fits: views of NumPy's arrays, and of what a `memoryview` sees.

A memoryview tells where its items lie and reads one at a time; a view wants them in one row: the owner's memory from
the lowest to the highest item. NumPy also reads what Python alone does not, so that what others export may
pass through an array: `array_view`. The way back is ``np.asarray(view)``, see `mdview.views.export`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pickle import PickleBuffer
from types import SimpleNamespace
from typing import Any, Final, NamedTuple, TypeAlias, cast, final
from warnings import catch_warnings, simplefilter

from mdview.accessors.base import Accessor
from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base.caches import remember
from mdview.base.texts import told
from mdview.errors import BufferFormatError, MDViewError, StrideError
from mdview.index.extents import MAX_SIZE, shape_text
from mdview.interop.refusals import contradiction, said
from mdview.layouts.stride import element_strides, narrowest_layout
from mdview.layouts.strided import StridedLayout
from mdview.mappings.mapping import Mapping
from mdview.memory.dtypes import NATIVE, native_format
from mdview.memory.items import StructItems, address_of, is_array, read_as
from mdview.memory.storage import Storage
from mdview.views.derive import remaking
from mdview.views.export import import_numpy
from mdview.views.view import MDView

AnyArray: TypeAlias = Any
"""An array, whose type does not say that it is a buffer."""
AnyView: TypeAlias = "MDView[Any, Any, StridedLayout, DefaultAccessor[Any]]"

KNOWN: Final[dict[tuple[object, ...], tuple[Callable[[Any], Storage], Callable[[Storage], AnyView]]]] = {}
"""How arrays of a shape, byte strides and an element type are held and viewed. Any: arrays."""


_TEXT: Final = "T"
"""The letter of NumPy's texts of any length."""
_KNOWN_STORAGES: Final[dict[tuple[object, ...], Callable[[Storage], AnyView]]] = {}
"""How a storage of a length, a format and a right to write is viewed, by extents and strides."""


def first_view(array: AnyArray, key: tuple[object, ...]) -> AnyView:
    """View of an array, remembered by the key for others like it."""
    form = _form_of(array)
    view = strided_view(form.storage(array), array.shape, form.strides)
    remember(KNOWN, key, (form.storage, remaking(view)))
    return view


def array_view(given: object, array: AnyArray, item_format: str | None = None) -> AnyView:
    """View of the memory that ``array`` shares with what a user gave, which becomes the data of the view.

    ``item_format`` says what the items are where NumPy has no such type.

    An array of a subclass is asked as an array: what the subclass makes of a method (`np.matrix`) is its own affair.
    """
    plain = import_numpy().ndarray
    row = array if type(array) is plain else plain.view(array, plain)
    form = _form_of(row)
    storage = form.storage(row) if item_format is None else form.storage(row).recast(item_format)
    storage.source = given
    return strided_view(storage, row.shape, form.strides)


def strided_view(storage: Storage, extents: tuple[int, ...], strides: tuple[int, ...]) -> AnyView:
    """View of a storage that begins at the lowest element, of these strides in elements.

    A checker is told that the view stores, as it is told of what is viewed; a read-only one refuses at run time.
    """
    key = extents, strides, storage.length, storage.format, storage.readonly
    known = _KNOWN_STORAGES.get(key)
    if known is not None:
        return known(storage)
    layout, _ = narrowest_layout(extents, strides)
    accessor: Accessor[Any, Any] = ReadOnlyAccessor() if storage.readonly else DefaultAccessor()
    view = cast("AnyView", MDView.from_mapping(cast("Any", storage), Mapping(extents, layout), accessor))
    remember(_KNOWN_STORAGES, key, remaking(view))
    return view


def moving_strides(extents: Sequence[int], byte_strides: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Return the strides in elements; those of extents of 1 mean nothing, and neither does any without elements.

    Raises
    ------
    StrideError
        A byte stride is no multiple of the item size.
    """
    is_still = 0 in extents
    moving = [0 if n == 1 or is_still else s for n, s in zip(extents, byte_strides, strict=True)]
    return element_strides(moving, itemsize)


def span_of(extents: Sequence[int], strides: Sequence[int], itemsize: int) -> int:
    """Return how many elements there are from the lowest to the highest one.

    Raises
    ------
    StrideError
        They are more bytes than memory has.
    """
    span = 0 if 0 in extents else 1 + sum([(n - 1) * abs(s) for n, s in zip(extents, strides, strict=True)])
    if span * itemsize > MAX_SIZE:
        raise StrideError(
            f"strides {told(tuple(strides))} of extents {shape_text(extents)} spread elements of {itemsize} bytes over "
            f"{span * itemsize} bytes; no memory is so large"
        )
    return span


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

    def storage(self, array: AnyArray) -> Storage:
        """Hold an array of this form."""
        itemsize, item_format, readonly = self.itemsize, self.item_format, self.readonly
        if item_format is None:
            run = self._items(array)
            return Storage.of_items(array, run, run.dtype.str, itemsize, readonly=readonly)
        raw = PickleBuffer(array).raw() if self.turned is None else memoryview(self._window(array, "|u1", itemsize))
        items = raw.cast(cast("Any", item_format)) if item_format in NATIVE else StructItems(raw, item_format)
        return Storage.of_items(array, items, item_format, itemsize, readonly=readonly)

    def _items(self, array: AnyArray) -> AnyArray:
        """Return the run as an array."""
        if self.turned is None:
            return array.ravel("K")
        if not array.dtype.hasobject:
            return self._window(array, "|u1", self.itemsize).view(array.dtype)
        if array.dtype.char == "O":
            return self._window(array, "|O", 1)
        as_strided = import_numpy().lib.stride_tricks.as_strided
        return as_strided(array[self.turned], (self.span,), (self.itemsize,), writeable=not self.readonly)

    def _window(self, array: AnyArray, typestr: str, size: int) -> AnyArray:
        """Return the run as an array of other items, of which an element has ``size``."""
        lowest = array[self.turned] if self.turned else array
        data = lowest.ctypes.data, self.readonly
        told = {"version": 3, "shape": (self.span * size,), "typestr": typestr, "data": data}
        return import_numpy().asarray(SimpleNamespace(__array_interface__=told, owner=array))


def _form_of(array: AnyArray) -> _Form:
    """Return how an array is held.

    Raises
    ------
    BufferFormatError
        Its items have no bytes, or lie elsewhere.
    StrideError
        A byte stride is no multiple of the item size.
    """
    itemsize = array.itemsize
    if itemsize == 0:
        raise BufferFormatError(f"items of type {array.dtype} have 0 bytes and no offsets of their own")
    if array.dtype.char == _TEXT:
        raise BufferFormatError(
            f"items of type {array.dtype} lie outside of their array, and belong to it alone; copy them to texts of "
            'one length, asview(array.astype("U8")), or to objects, asview(array.astype(object))'
        )
    strides = moving_strides(array.shape, array.strides, itemsize)
    span = span_of(array.shape, strides, itemsize)
    turned = (
        tuple([slice(None, None, -1) if s < 0 else slice(None) for s in strides]) if min(strides, default=0) < 0 else ()
    )
    try:
        item_format = native_format(memoryview(array).format, itemsize)
    except (ValueError, BufferFormatError):  # NumPy exports no such items, or `struct` reads none
        item_format = None
    return _Form(strides, span, itemsize, item_format, not array.flags.writeable, None if array.flags.forc else turned)


_BYTE: Final = "1s"
"""The format of single bytes that are not in one row. NumPy takes them for texts, in which a zero byte is none."""


def buffer_view(given: Any, exported: memoryview[Any]) -> AnyView:
    """View of what ``given`` exports. Any: an exporter.

    Raises
    ------
    BufferFormatError
        Its items cannot be read, or are found through pointers.
    StrideError
        A byte stride is no multiple of the item size.
    MissingExtraError
        NumPy alone reads it, and is not installed.
    """
    shape, byte_strides = exported.shape or (), exported.strides or ()
    if exported.suboffsets:
        raise contradiction(given, "buffer", "has suboffsets", "its rows are found through pointers; copy it first")
    try:
        item_format = native_format(exported.format, exported.itemsize)
    except BufferFormatError:
        return _by_numpy(given, exported)
    strides = moving_strides(shape, byte_strides, exported.itemsize)
    storage = _whole(given) if exported.contiguous else _part(given, exported, strides, item_format)
    return _by_numpy(given, exported) if storage is None else strided_view(storage, shape, strides)


def _whole(given: Any) -> Storage | None:
    """Hold all of what is in one row; None where a class in Python exports it, unless that is plain items."""
    try:
        return Storage(given)
    except MDViewError:
        raise
    except TypeError:
        return None


def _part(given: Any, exported: memoryview[Any], strides: tuple[int, ...], item_format: str) -> Storage | None:
    """Hold the items from the lowest to the highest one, if these are a part of a row."""
    raw = _run(exported, strides)
    if raw is None:
        return None
    return Storage.of_items(given, read_as(raw, item_format), item_format, exported.itemsize, readonly=raw.readonly)


def _run(exported: memoryview[Any], strides: tuple[int, ...]) -> memoryview[Any] | None:
    """Return the bytes from the lowest to the highest item; None where the owner does not have its own in one row.

    A memoryview of a row has one dimension if it is not all of it: Python does not slice several.
    """
    if exported.ndim != 1:
        return None
    try:
        whole = PickleBuffer(exported.obj).raw()
    except (BufferError, TypeError):
        return None
    if not len(exported):
        return whole[:0].toreadonly() if exported.readonly else whole[:0]
    start = address_of(exported[:1] if strides[0] > 0 else exported[-1:]) - address_of(whole)
    stop = start + span_of(exported.shape or (), strides, exported.itemsize) * exported.itemsize
    if not 0 <= start <= stop <= whole.nbytes:
        return None
    raw = whole[start:stop]
    return raw.toreadonly() if exported.readonly else raw


def _by_numpy(given: Any, exported: memoryview[Any]) -> AnyView:
    np = import_numpy()
    try:
        with catch_warnings():  # of buffers of ctypes whose format says less than their type, which NumPy then asks
            simplefilter("ignore", RuntimeWarning)
            array = np.asarray(exported)
    except (ValueError, TypeError, NotImplementedError, BufferError, RuntimeError) as error:
        says = f"has items of format {told(exported.format)}, which nothing here reads ({said(error)})"
        raise contradiction(given, "buffer", says, "copy it to items that NumPy has") from None
    if array.dtype.hasobject and not is_array(exported.obj):  # NumPy would count references that are not its own
        raise contradiction(given, "buffer", "has references to objects", "only numbers, texts and records are memory")
    if exported.format == _BYTE:
        return array_view(given, array.view("u1"), "c")
    return array_view(given, array)
