"""New memory: a view is made together with the buffer that it needs, and elements move into another layout.

A layout says how many items of data it spans, so a buffer need not be counted by hand. Its items are those of a format
of `struct`: an ``array.array`` where there is one of that format, else a ``bytearray``; objects are held by a list.
"""

from __future__ import annotations

from array import array
from math import isfinite
from typing import Any, Final, Literal, NoReturn, TypeAlias, TypeVar, cast

from mdview.accessors.base import Accessor
from mdview.accessors.policies import DefaultAccessor
from mdview.base.arguments import kind_text
from mdview.base.texts import shown
from mdview.engines.bulk import whole_views
from mdview.errors import BufferSizeError, ElementError, LayoutError, UndecidedError
from mdview.index.extents import shape_text
from mdview.layouts.base import Layout, indices
from mdview.layouts.stride import RIGHT
from mdview.mappings.mapping import Mapping
from mdview.memory.dtypes import known_format
from mdview.memory.items import is_ndarray
from mdview.memory.storage import Storage
from mdview.operations.algorithms import AnyView, copy, equal, fill
from mdview.views.base import check_view, operand_of, own, parts_of
from mdview.views.export import import_numpy
from mdview.views.view import MDView

T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
S = TypeVar("S", bound="tuple[Any, ...]")
Sizes: TypeAlias = tuple[int, ...]
L = TypeVar("L", bound=Layout)
# Any: the format decides what elements are.
New: TypeAlias = MDView[T, S, L, DefaultAccessor[T]]
AnyNew: TypeAlias = MDView[Any, Any, Any, DefaultAccessor[Any]]

Real: TypeAlias = Literal["d", "f", "e", "<d", ">d", "<f", ">f", "<e", ">e"]
Complex: TypeAlias = Literal["Zd", "Zf", "<Zd", ">Zd", "<Zf", ">Zf"]
Number: TypeAlias = Real | Complex | Literal["?"]
Whole: TypeAlias = Literal["b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N"]

OBJECTS: Final[str] = "O"
"""The format of the objects of a list."""
ARRAYS: Final[frozenset[str]] = frozenset("bBhHiIlLqQfd")
"""The formats that ``array.array`` has."""


def empty(
    extents: Any,
    layout: Any = None,
    format: str = "d",  # noqa: A002 - as views call it
) -> AnyNew:
    """Return a view of new memory for the elements of ``extents`` in ``layout``, for others to fill.

    Parameters
    ----------
    extents
        How many values each index may take, as for `MDView`.
    layout
        Where an index lies; C order by default. The memory has as many items as it spans.
    format
        Of the items, in the notation of `struct` (``"d"``, ``"i"``, ``">h"``, ``"Zd"`` for complex numbers), or ``"O"``
        for objects. Numbers are 0 and objects None, until something is stored.

    Raises
    ------
    ExtentsError, ExtentsTypeError, LayoutError, LayoutTypeError, RankError
        The extents or the layout break their rules.
    BufferFormatError
        There is no such format.
    BufferSizeError
        There is not enough memory.

    >>> from mdview import LayoutTiled
    >>> view = empty((3, 4), LayoutTiled(2, 2), "i")
    >>> len(view.data), view.required_span_size, view.tolist()[0]
    (14, 14, [0, 0, 0, 0])
    """
    return _made(Mapping(extents, RIGHT if layout is None else layout), format)


def zeros(
    extents: Any,
    layout: Any = None,
    format: str = "d",  # noqa: A002 - as views call it
) -> AnyNew:
    """Return a view of new memory whose elements are 0; ``extents``, ``layout`` and ``format`` are those of `empty`.

    >>> zeros((2, 3), format="i").tolist()
    [[0, 0, 0], [0, 0, 0]]
    """
    made: AnyNew = empty(extents, layout, format)
    if format == OBJECTS:
        fill(made, 0)
    return made


def full(
    extents: Any,
    value: Any,
    layout: Any = None,
    format: str | None = None,  # noqa: A002 - likewise
) -> AnyNew:
    """Return a view of new memory whose elements are all ``value``.

    ``extents`` and ``layout`` are those of `empty`. Without a ``format``, numbers get their own: ``"?"``, ``"q"``,
    ``"d"``, ``"Zd"`` for those of Python, that of the type for those of NumPy; anything else is an object.

    Raises
    ------
    ExtentsError, ExtentsTypeError, LayoutError, LayoutTypeError, RankError, BufferSizeError
        See `empty`.
    BufferFormatError, ElementError, ElementTypeError
        There is no such format, or it cannot hold the value.

    >>> full((2, 2), 0.5).tolist(), full((2,), 7, format="B").itemsize
    ([[0.5, 0.5], [0.5, 0.5]], 1)
    """
    kind = format_of(value) if format is None else format
    mapping = Mapping(extents, RIGHT if layout is None else layout)
    one = _made(Mapping((1,)), kind)
    one[0] = value
    if kind != OBJECTS and not (_is_same(one[0], value) or _is_rounded(one[0], value)):
        _refuse_value(kind, kind_text(value), f"it would be {shown(one[0], repr)}")
    made = _made(mapping, kind)
    fill(made, value)
    return made


def relayout(
    view: MDView[T, E, Layout, Accessor[Any, Any]],
    layout: L,
    format: str | None = None,  # noqa: A002 - as views call it
) -> MDView[T, E, L, DefaultAccessor[T]]:
    """Return a view of new memory with the elements of ``view``, in ``layout``.

    Parameters
    ----------
    view
        Any view. What its accessor computes is stored as it reads; the new one has plain elements and can be stored to.
    layout
        Where its elements shall lie.
    format
        Of the new items, see `empty`; that of ``view`` by default.

    Raises
    ------
    OperandError, NullViewError, HaloError
        Not a view, or one that has no data, or that has padding without values.
    LayoutError, LayoutTypeError, RankError
        ``layout`` breaks its rules, does not go with the extents, or has one element for indices whose elements differ.
    BufferFormatError, BufferSizeError, ElementError, ElementTypeError
        There is no such format, there is not enough memory, or the format cannot hold some element.

    >>> from mdview import LayoutLeft
    >>> turned = relayout(MDView([1, 2, 3, 4, 5, 6], (2, 3)), LayoutLeft())
    >>> turned.data, turned.tolist()
    ([1, 4, 2, 5, 3, 6], [[1, 2, 3], [4, 5, 6]])
    """
    check_view(view, "what is laid out anew")
    storage = parts_of(view).checked_storage()
    mapping = Mapping(view.extents, layout)
    dtype = storage.items.dtype if format is None and is_ndarray(storage.items) else None
    made = _made(mapping, storage.format if format is None else format, dtype)
    copy_elements(view, made)
    check_elements(view, made)
    return cast("MDView[T, E, L, DefaultAccessor[T]]", made)


def format_of(value: object) -> str:
    """Return the format that holds a value: its own where it is a number."""
    for kind, item_format in {bool: "?", int: "q", float: "d", complex: "Zd"}.items():
        if isinstance(value, kind):
            return item_format
    if isinstance(value, MDView):
        return OBJECTS
    try:  # a number of NumPy exports itself
        exported = memoryview(value)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        return known_format(exported.format)[0] if exported.ndim == 0 else OBJECTS
    except (TypeError, ValueError):
        return OBJECTS


def _made(mapping: Mapping[Any, Any], item_format: str, dtype: Any = None) -> AnyNew:
    """Return a view of as many new items as a mapping spans, of a format or a type of NumPy (Any)."""
    is_objects = item_format == OBJECTS or dtype is not None
    kind, size = (OBJECTS, 0) if is_objects else known_format(item_format)
    try:
        storage = _storage(mapping.required_span_size, kind, size, dtype)
    except (MemoryError, OverflowError, ValueError):
        raise BufferSizeError(
            f"{shown(mapping.layout, repr)} over extents {shape_text(mapping.extents)} spans "
            f"{shown(mapping.required_span_size)} items of format {item_format!r}, which do not fit in memory; use "
            "smaller extents or a smaller format"
        ) from None
    made: AnyNew = MDView.from_mapping(cast("Any", storage), mapping)
    own(made)
    return made


def _storage(count: int, kind: str, size: int, dtype: Any) -> Storage:
    """Return ``count`` items: zeros, or None for objects. Any: as before."""
    if dtype is not None:
        make = import_numpy().empty if dtype.hasobject else import_numpy().zeros  # empty has None in it
        items = make(count, dtype)
        return Storage.of_items(items, items, dtype.str, dtype.itemsize, readonly=False)
    if kind == OBJECTS:
        return Storage([None] * count)
    return Storage(array(kind, bytes(size)) * count) if kind in ARRAYS else Storage(bytearray(count * size), kind)


def copy_elements(view: AnyView, made: AnyNew) -> None:
    """Copy elements to items of perhaps another format; what an accessor raises is raised as it is."""
    if made.format == OBJECTS or view.accessor.is_plain:
        copy(view, made)
    else:
        whole_views.assign(operand_of(made), list(parts_of(view).values()))


def _refuse_value(item_format: str, what: str, why: object) -> NoReturn:
    raise ElementError(
        f"format {item_format!r} does not hold {what}: {shown(why)}; give another one, format='O' holds anything"
    )


def _is_same(stored: Any, value: Any) -> bool:  # Any: elements of any type
    return bool(stored == value or (stored != stored and value != value))  # noqa: PLR0124 - that is how a NaN is known


def _is_rounded(stored: Any, value: Any) -> bool:  # Any: see above
    """Tell whether a number that is stored is another one, but finite where that is."""
    if not isinstance(stored, float | complex):
        return False
    s, v = complex(stored), complex(value)
    return isfinite(s.real) == isfinite(v.real) and isfinite(s.imag) == isfinite(v.imag)


def check_elements(view: AnyView, made: AnyNew) -> None:
    """Refuse a copy in which some element is another one: its format does not hold it, or another index has its place.

    Elements that are stored as they are, each in its own place, need no check.
    """
    is_unique = _is_known_unique(made)
    is_kept = view.format == made.format and view.accessor.is_plain
    if (is_unique and is_kept) or equal(view, made):
        return
    values = zip(indices(made.extents), parts_of(view).values(), parts_of(made).values(), strict=True)
    for index, was, now in values:
        if _is_same(now, was) or (is_unique and _is_rounded(now, was)):
            continue
        if is_unique:
            _refuse_value(made.format, f"{shown(was, repr)} of index {shown(index)}", f"it would be {shown(now, repr)}")
        raise LayoutError(
            f"{shown(made.layout, repr)} has one place for several indices, and their elements differ: index "
            f"{shown(index)} had {shown(was, repr)} and would have {shown(now, repr)}"
        )


def _is_known_unique(view: AnyNew) -> bool:
    try:
        return view.is_always_unique or view.is_unique
    except UndecidedError:
        return False
