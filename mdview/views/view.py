"""`MDView`, the public class: ``view[i, j]`` is ``accessor.load(data, mapping(i, j))``.

A view is data with a mapping and an accessor. `MDView` defines the public names and the documentation of the access in
`mdview.views.view_access`. Its static types, with four type parameters and overloads of construction, slices and
stores, are in ``view.pyi``; a test compares the two files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from types import TracebackType
from typing import Any, Final, Generic, Self, SupportsIndex, TypeVar, cast, final

from typing_extensions import TypeVar as DefaultTypeVar

from mdview.accessors.accessor import Accessor, Array, Indexable
from mdview.accessors.policies import DefaultAccessor
from mdview.base import answer_calls, as_entries, as_integer, plural
from mdview.base.wrong_calls import refuse_call
from mdview.engines.bulk import bulk_dispatch
from mdview.engines.mapping_plan import bound_plan, plan_of
from mdview.errors import MDViewError, OperandError, RankError, RankTypeError
from mdview.index import rearrangement
from mdview.index.extents import check_index
from mdview.index.rearrangement import Movement
from mdview.layouts.explicit_strides import RIGHT
from mdview.layouts.layout import Layout
from mdview.layouts.strided_layout import LayoutRight, StridedLayout
from mdview.mappings import mapping_manipulation
from mdview.mappings.mapping import E, Mapping
from mdview.memory.struct_items import ByteItems
from mdview.views.explanation import Flags, flags_of
from mdview.views.memory_export import memory_of, to_bytes
from mdview.views.typing_protocols import R
from mdview.views.unsupported_operators import Refusing, refuse_changes
from mdview.views.view_access import ViewAccess, element
from mdview.views.view_base import ViewBase, extents_of, held, mapped, operand_of, owns, parts_of, rearranged
from mdview.views.view_parts import check_access, checked_mapping, null_mapping, refuse_swapped, storage_dtype

__all__ = ["MDView"]

# Any: a type variable for extents has no narrower bound.
# All four are covariant; stored values are checked by `Writable`, which is invariant in its element type.
T_co = TypeVar("T_co", covariant=True)
E_co = DefaultTypeVar("E_co", bound="tuple[Any, ...]", covariant=True, default="tuple[int, ...]")
L_co = DefaultTypeVar("L_co", bound=Layout, covariant=True, default=LayoutRight)
A_co = DefaultTypeVar("A_co", bound=Accessor[object, object], covariant=True, default=DefaultAccessor[T_co])

Memory = memoryview
"""The class `memoryview`; views have a method of the same name."""
DEFAULT: Final[DefaultAccessor[Any]] = DefaultAccessor()
_MISSING: Final[Any] = object()


def _of_mapping(name: str) -> property:
    """Return a property with the value of the property ``name`` of the mapping."""
    return property(lambda view: getattr(mapped(view)[0], name), doc=getattr(Mapping, name).__doc__)


@final
class MDView(ViewAccess, Refusing, Generic[T_co, E_co, L_co, A_co]):
    """A multidimensional view of data that it does not own; its construction copies nothing.

    Parameters
    ----------
    data
        Any contiguous buffer (``array.array``, ``bytearray``, ``bytes``, ``mmap``, ``memoryview``, a NumPy array) or
        sequence (``list``); None makes the null view. A buffer is kept alive and locked.
    extents
        The number of indices along each dimension; ``dim(n)`` makes an extent static.
    layout
        The layout, which maps an index to the offset of its element; C order by default.
    accessor
        The accessor, which loads and stores elements; by default plain elements with Python's rule for indices.

    Raises
    ------
    ExtentsError, LayoutError, RankError
        The extents or the layout break their rules.
    BufferSizeError
        The data has fewer elements than the mapping spans.
    BufferFormatError
        The data is neither a contiguous buffer nor a sequence, or the format of its items is not supported.
    ReadOnlyError
        The data is read-only and the accessor stores.

    >>> view = MDView(list(range(12)), (3, 4))
    >>> view[2, 1], view[:, 1].tolist()
    (9, [1, 5, 9])
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Indexable[Any] | None = _MISSING,
        extents: Any = _MISSING,
        layout: Any = None,
        accessor: Any = None,
        *more: object,
        **others: object,
    ) -> Any:
        """See the class."""
        if extents is _MISSING or data is _MISSING or more or others:  # faster than `answer_calls`
            given = (data, extents, layout, accessor, *more) if more else ()
            named = {} if more else {"data": data, "extents": extents}
            others |= {name: each for name, each in named.items() if each is not _MISSING}
            refuse_call(cls.__new__, (cls, *given), others)
        policy: Accessor[Any, Any] = DEFAULT if accessor is None else check_access(accessor)
        try:
            return cls._over(data, 0, bound_plan(extents, RIGHT if layout is None else layout), policy)
        except MDViewError:
            refuse_swapped(data, extents)
            raise

    def __init_subclass__(cls, *, compiled: bool = False) -> None:
        """Refuse all subclasses except the subclasses in `mdview.numba`, which pass ``compiled``."""
        if not compiled:
            raise OperandError(
                f"{cls.__name__} cannot be derived from MDView, whose operations make plain views; an Accessor says "
                "what an access does, a Layout where elements lie, and another class may have a view"
            )

    @classmethod
    @answer_calls
    def from_mapping(
        cls, data: Indexable[Any] | None, mapping: Mapping[Any, Any], accessor: Any = None, *, origin: int = 0
    ) -> Any:
        """Return a view of ``data`` with ``mapping``, whose offset 0 is at position ``origin`` of the data."""
        policy: Accessor[Any, Any] = DEFAULT if accessor is None else check_access(accessor)
        return cls._over(data, int(as_integer(origin, "an origin")), plan_of(checked_mapping(mapping)), policy)

    @classmethod
    @answer_calls
    def null(cls, extents: E) -> MDView[Any, E]:
        """Return the null view, which has no data; dynamic extents are 0, static extents are kept."""
        return cast("MDView[Any, E]", cls._make(None, 0, null_mapping(Mapping(extents)), DefaultAccessor()))

    # Properties of the parts. Their types are in the stub.

    origin = property(lambda view: mapped(view)[1], doc="Position in the data, in elements, of the mapping's offset 0.")
    mapping = property(lambda view: mapped(view)[0], doc="Layout bound to extents.")
    extents = _of_mapping("extents")
    layout = _of_mapping("layout")
    accessor = property(attrgetter("_accessor"), doc="What an access does.")
    rank = property(lambda view: len(extents_of(view)), doc="Count the dimensions.")
    ndim = property(lambda view: len(extents_of(view)), doc="Count the dimensions (NumPy's name for the rank).")
    size = _of_mapping("size")
    static_extents = _of_mapping("static_extents")
    required_span_size = _of_mapping("required_span_size")
    is_unique = _of_mapping("is_unique")
    is_exhaustive = _of_mapping("is_exhaustive")
    is_strided = _of_mapping("is_strided")
    is_always_unique = _of_mapping("is_always_unique")
    is_always_exhaustive = _of_mapping("is_always_exhaustive")
    is_always_strided = _of_mapping("is_always_strided")
    strides = _of_mapping("strides")
    valid_box = _of_mapping("valid_box")

    __getitem__ = ViewAccess.__getitem__
    __setitem__ = ViewAccess.__setitem__

    def at(
        self: MDView[object, tuple[int, ...], Layout, Accessor[object, R]],
        index: Sequence[SupportsIndex] | Array[int],
        /,
    ) -> R:
        """Return the element at ``index``; entries beyond the rank of the view are admitted and must be 0."""
        view = self._filled()
        extents = mapped(view)[0].extents
        entries: Any = index if type(index) is tuple else as_entries(index, "an index")
        if len(entries) < len(extents):
            raise RankError(
                f"rank {len(extents)} takes at least {plural(len(extents), 'index', 'indices')}, got {len(entries)}"
            )
        padded = (*extents, *((1,) * (len(entries) - len(extents))))
        place = check_index(padded, entries)[: len(extents)]
        return cast("R", element(view, view.accessor.load, place))

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the elements of a view of rank 1; at higher ranks, over the subviews along dimension 0."""
        operand, extents = operand_of(self), extents_of(self)
        if len(extents) == 1:
            return bulk_dispatch.references(operand)
        if not extents:
            raise RankTypeError(
                "a view of rank 0 has one element and no dimension to iterate along; read it as view[()]"
            )
        return (self[i] for i in range(extents[0]))

    @answer_calls
    def tolist(self) -> Any:
        """Return nested lists of the elements."""
        return bulk_dispatch.tolist(operand_of(self))

    @answer_calls
    def tobytes(self) -> bytes:
        """Return the items in index order as bytes, as ``bytes(view)`` and NumPy's method of the same name do.

        Values that an accessor computes, and values of padding, are the same as in ``np.asarray(view)``.

        >>> MDView(bytearray(b"abcdef"), (2, 3)).T.tobytes()
        b'adbecf'
        """
        return to_bytes(held(self))

    @answer_calls
    def copy(self) -> MDView[T_co, E_co, Layout, DefaultAccessor[T_co]]:
        """Return a view of new memory with the same elements in the layout of `empty_like`; see `relayout`.

        >>> MDView([1, 2, 3, 4], (2, 2)).T.copy().data
        [1, 2, 3, 4]
        """
        from mdview import relayout  # noqa: PLC0415 - it imports this module

        view: Any = self  # for checkers, the class here and the class of the stub are different
        made = relayout(view, mapping_manipulation.kept_layout(self.mapping))
        return cast("MDView[T_co, E_co, Layout, DefaultAccessor[T_co]]", made)

    @answer_calls
    def memoryview(self) -> Memory[T_co]:
        """Return the memory of the view as a ``memoryview`` with its shape, byte strides and format; nothing is copied.

        The memoryview reads and stores the elements, and keeps the data alive and locked after the view is released.
        Files, hashes and `struct` accept the memoryview if the elements are in C order. From Python 3.12 on they accept
        the view itself, and so does ``memoryview(view)``.

        Raises
        ------
        ExportError
            The view does not export its memory: its mapping is not strided, its accessor is not plain, or its items are
            Python objects or of a type without a format for buffers. The error is a `BufferError`.
        MissingExtraError
            The memory is neither one dimension nor in C order, and NumPy, which describes it, is not installed.

        >>> memory = MDView(bytearray(b"abcdef"), (2, 3)).memoryview()
        >>> memory.shape, memory.strides, memory[1, 0] == ord("d")
        ((2, 3), (3, 1), True)
        """
        return memory_of(held(self))

    def __bytes__(self) -> bytes:
        """Return the items in index order as bytes, see `tobytes`."""
        return to_bytes(held(self))

    def __len__(self) -> int:
        """Return the extent of dimension 0."""
        extents = self._plan.extents
        if not extents:
            raise RankTypeError("a view of rank 0 has no length; its one element is view[()]")
        return int(extents[0])

    def stride(self: MDView[object, tuple[int, ...], StridedLayout, Accessor[object, object]], r: int, /) -> int:
        """Return the stride of dimension ``r``, in elements."""
        return int(self.mapping.stride(r))

    @property
    def byte_strides(self: MDView[object, tuple[int, ...], StridedLayout, Accessor[object, object]]) -> tuple[int, ...]:
        """The strides in bytes, which NumPy calls ``strides``."""
        itemsize = self.itemsize
        return tuple([stride * itemsize for stride in self.mapping.strides])

    def extent(self, r: int, /) -> int:
        """Return the extent of dimension ``r``; 1 if ``r`` is not less than the rank."""
        return mapped(self)[0].extent(r)

    def is_valid(self, *index: SupportsIndex) -> bool:
        """Tell whether ``index`` is in the valid box, the box of indices with elements."""
        return mapped(self)[0].is_valid(*index)

    def offsets(self) -> Iterator[int]:
        """Iterate over the offsets in index order."""
        return mapped(self)[0].offsets()

    def __enter__(self) -> Self:
        """Return the view; leaving the block releases it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Release the view."""
        self.release()

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents as plain ints."""
        return tuple(map(int, self._plan.extents))

    @property
    def data(self) -> Any:
        """The buffer or sequence from which the view was made; None for the null view."""
        storage = self._storage
        return None if storage is None else storage.source

    @property
    def format(self) -> str:
        """The format of the items in the notation of `struct`; ``"O"`` for the objects of a sequence."""
        storage = self._storage
        return "O" if storage is None else storage.format

    @property
    def itemsize(self) -> int:
        """The size of an item in bytes; 0 for the null view.

        Raises
        ------
        AbsentAttributeError
            Several elements share a byte.
        """
        storage = self._storage
        if storage is None:
            return 0
        return storage.kind.itemsize if isinstance(storage.items, ByteItems) else storage.itemsize

    @property
    def nbytes(self) -> int:
        """The number of bytes of all elements without gaps, ``size * itemsize``; rounded up if elements share bytes."""
        storage = self._storage
        if storage is None:
            return 0
        size = mapped(self)[0].size
        return storage.kind.nbytes(size) if isinstance(storage.items, ByteItems) else size * storage.itemsize

    @property
    def dtype(self) -> Any:
        """The NumPy type for `format`; ``object`` for the objects of a sequence.

        Raises
        ------
        MissingExtraError
            NumPy is not installed.
        """
        return storage_dtype(self._storage)

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        """A view of the same elements with the dimensions in reverse order; for a matrix as in `transposed`."""
        if self._accessor.offset_policy() is self._accessor:
            found = rearranged(self, _reversed, mapping_manipulation.reverse, ())
            if found is not None:
                return found
        storage, origin, mapping, accessor = parts_of(self)
        mapping, shift = mapping_manipulation.reverse(mapping)
        return self._make(storage, origin + shift, mapping, accessor.offset_policy() if shift else accessor)

    @property
    def flags(self) -> Flags:
        """The flags, as in NumPy: ``C_CONTIGUOUS``, ``F_CONTIGUOUS``, ``FORC``, ``FNC``, ``OWNDATA``, ``WRITEABLE``."""
        return flags_of(held(self), owndata=owns(self, self._storage))


def _reversed(extents: Sequence[int]) -> Movement:
    """Return the movement that reverses the order of the dimensions."""
    return rearrangement.permute_dims(extents, tuple(range(len(extents)))[::-1])


def _made(cls: Any, data: Any, extents: Any, layout: Any = None, accessor: Any = None) -> Any:
    """Show `inspect.signature` the parameters of `MDView`, except parameters that exist only to raise errors."""


vars(MDView.__new__)["__wrapped__"] = _made  # for `inspect.signature`
refuse_changes(MDView)
ViewBase._kind = MDView  # noqa: SLF001 - the class has no name in its own body
