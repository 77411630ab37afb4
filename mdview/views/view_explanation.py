"""Explanations of a view: sentences about its parts, flags as in NumPy, and its token for dask.

An explanation describes the data, the accessor and the mapping; its sentences about the mapping are those of
`mdview.mappings.mapping_explanation`. Flags are a read-only mapping with the names of NuMojo's arrays; NumPy has
further flags of memory that NumPy manages (``ALIGNED``, ``WRITEBACKIFCOPY``). A view owns the memory that was made with
it, for example by a copy; no view owns a user's data, or the memory of another view. For dask, views with equal tokens
have equal elements: the token of a view of a file has the path, the time and the size of the file, the token of any
other view its elements.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final, final

from mdview.accessors.accessor import AnyExporter, Writable
from mdview.base import answer_calls, as_text, loaded_module, plural, refuse, size_text, value
from mdview.errors import FlagError
from mdview.layouts.layout import Layout, unless_undecided
from mdview.mappings.mapping import AnyMapping, mapping_of
from mdview.mappings.mapping_explanation import NUMPY_DIMENSIONS, Explanation, array_copied, array_shared, explained
from mdview.mappings.predicates import is_contiguous
from mdview.memory.storage import Storage
from mdview.views.memory_export import as_array, memory_block
from mdview.views.view_base import ViewBase, held, parts_of
from mdview.views.view_parts import AnyAccessor

SHORT: Final = {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "O": "OWNDATA", "W": "WRITEABLE"}
"""The short keys of four flags."""

_FIELDS: Final = {
    name.upper(): name for name in ("c_contiguous", "f_contiguous", "forc", "fnc", "owndata", "writeable")
}


@final
@value
class Flags(Mapping[str, bool]):
    """The flags of a view at the time of the call, by upper-case names; each flag is also a lower-case attribute.

    Attributes
    ----------
    c_contiguous, f_contiguous
        Whether the elements are contiguous with the last index fastest, or with the first index fastest.
    writeable
        Whether the view stores and its data is writable.
    owndata
        Whether the memory was made with this view: by `empty`, `zeros`, `full`, `relayout`, `transform` and the like.
    """

    c_contiguous: bool
    f_contiguous: bool
    writeable: bool
    owndata: bool

    @property
    def forc(self) -> bool:
        """Whether the elements are contiguous in Fortran order or in C order."""
        return self.f_contiguous or self.c_contiguous

    @property
    def fnc(self) -> bool:
        """Whether the elements are contiguous in Fortran order and not in C order."""
        return self.f_contiguous and not self.c_contiguous

    def __getitem__(self, key: object) -> bool:
        """Return a flag by its name, or by a short key: ``C``, ``F``, ``O`` or ``W``.

        Raises
        ------
        FlagError
            No flag has this name.
        """
        field = _FIELDS.get(SHORT.get(key, key)) if isinstance(key, str) else None
        if field is None:
            raise FlagError(
                f"{as_text(key, repr)} is no flag of a view; there are {', '.join(_FIELDS)}, and {', '.join(SHORT)}"
            )
        return bool(getattr(self, field))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the flags."""
        return iter(_FIELDS)

    def __len__(self) -> int:
        """Return the number of flags."""
        return len(_FIELDS)

    def __repr__(self) -> str:
        """Return a line for each flag, as NumPy does."""
        return "".join([f"  {name} : {flag}\n" for name, flag in self.items()])

    def __eq__(self, other: object) -> bool:
        """Compare the flags as a mapping."""
        return Mapping.__eq__(self, other)


def flags_of(view: ViewBase, *, owndata: bool) -> Flags:
    """Return the flags of a view; contiguity is False if the limit of work is reached before it is decided."""
    storage, _, mapping, accessor = parts_of(view)
    c_order = unless_undecided(lambda: is_contiguous(mapping, "C"))
    fortran = unless_undecided(lambda: is_contiguous(mapping, "F"))
    stores = isinstance(accessor, Writable) and storage is not None and not storage.readonly
    return Flags(bool(c_order), bool(fortran), stores, owndata)


@answer_calls
def explain(x: ViewBase | AnyMapping | AnyExporter) -> Explanation:
    """Return a description of a view or a mapping: whether and why it is strided, unique, exhaustive, contiguous.

    For a view it also describes the data, the accessor, and the array that NumPy gets. An interactive session shows the
    text in lines without ``print``.

    Raises
    ------
    OperandError
        ``x`` is neither a view nor a mapping; a layout needs extents.

    >>> from mdview import LayoutTiled, Mapping
    >>> print(explain(Mapping((3, 4), LayoutTiled(2, 2))))
    LayoutTiled(2, 2, outer=LayoutRight(), inner=LayoutRight()) over extents (3, 4): 12 indices.
    Its offsets run from 0 to 13; the data needs 14 elements.
    Not strided: neighbours along dimension 1 are 1 apart at index (0, 0) and 3 apart at index (0, 1).
    Unique: no two indices share an offset.
    Not exhaustive: no index lies at offset 10; unused offsets: 2 of 14.
    Not contiguous in any order of the dimensions.
    NumPy gets a copy of the elements: the layout gives no strides.
    """
    if isinstance(x, ViewBase):
        view = held(x)
        return Explanation("\n".join([_data(view), _access(view), *explained(view.mapping, _array(view))]))
    if isinstance(x, Layout):
        hint = "a layout says nothing without extents, explain(Mapping(extents, layout))"
        refuse("what is explained", "a view or a mapping", x, hint)
    return Explanation("\n".join(explained(mapping_of(x))))


def _data(view: ViewBase) -> str:
    storage, origin, mapping, _ = parts_of(view)
    if storage is None:
        return "A null view: it has no data."
    kind = "" if storage.format == "O" else f" of format {storage.format!r}, {size_text(storage.kind.bits)} each"
    items = plural(storage.length, "item" if kind else "object")
    where = f"; offset 0 is that at {origin}" if mapping.size else ""
    return f"Data of type {type(storage.source).__name__}: {items}{kind}{where}."


def _access(view: ViewBase) -> str:
    storage, _, _, accessor = parts_of(view)
    loads = "loads the items as they are" if accessor.is_plain else "computes what it loads"
    stores = "stores, too" if isinstance(accessor, Writable) else "does not store"
    return f"{as_text(accessor, repr)} {loads} and {stores}.{'' if accessor.is_plain else _ways(accessor, storage)}"


def _ways(accessor: AnyAccessor, storage: Storage | None) -> str:
    """Return a sentence on the evaluation of the accessor for whole views."""
    if not accessor.is_elementwise:
        return " Whole views call it for each element: it is not elementwise."
    if storage is None or loaded_module("numpy") is None:
        return " Whole views call its decode item by item, or with arrays once NumPy is loaded."
    from mdview.engines.bulk.arrays.elementwise_evaluation import explain_decoding  # noqa: PLC0415 - loads NumPy

    return f" Whole views decode {explain_decoding(accessor, storage.items)}."


def _array(view: ViewBase) -> str | None:
    """Return a sentence on the array that NumPy gets; None if it follows from the mapping alone."""
    storage, origin, mapping, _ = parts_of(view)
    if storage is None:
        return "NumPy gets nothing: there is no data."
    if mapping.found_strides() is None or mapping.rank > NUMPY_DIMENSIONS:
        return None
    block = memory_block(view, stores=False)
    if isinstance(block, str):
        return array_copied(block.partition(";")[0])
    return array_shared(mapping, origin + mapping.origin)


def token_of(view: ViewBase) -> tuple[object, ...]:
    """Return the token of a view for dask: extents, layout, and the elements or the path and state of the file."""
    storage, origin, mapping, accessor = parts_of(view)
    # The repr of a layout has all its parameters; extents become plain ints, since other types of ints are equal.
    what = ("mdview", tuple(map(int, mapping.extents)), repr(mapping.layout))
    if storage is None:
        return what
    mapped = storage.region()
    normalize = import_module("dask.base").normalize_token
    if mapped is None:
        return *what, normalize(as_array(view, dtype=None, copy=None))
    region, before = mapped
    status = os.stat(region.path)  # noqa: PTH116 - pathlib is not worth loading for it
    state = region.path, region.offset + before, origin, storage.format, status.st_mtime_ns, status.st_size
    return *what, normalize(accessor), state
