"""Explanations of a view: flags as in NumPy, sentences about its parts, and its token for dask.

An explanation says what the data and the accessor are, and what the mapping is and why; its sentences about the mapping
are those of `mdview.drawing.mapping_summary`. Flags are a read-only mapping. Names are those that NuMojo's arrays
have as well; what NumPy adds is about memory that it manages (``ALIGNED``, ``WRITEBACKIFCOPY``). A view owns the memory
that was made with it, as that of a copy is; no view owns what a user gave it, nor what another view owns. The token
tells dask whether two views read the same: that of a view of a file is its path, and the time and the size that the
file has; that of any other its elements.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Final, final

from mdview.accessors.accessor import Writable
from mdview.base.argument_checks import answer_calls, refuse
from mdview.base.frozen_values import value
from mdview.base.message_texts import as_text, plural, size_text
from mdview.base.optional_libraries import loaded_module
from mdview.errors import FlagError
from mdview.layouts.layout import Layout, unless_undecided
from mdview.mappings.mapping import AnyMapping, mapping_of
from mdview.mappings.mapping_explanation import array_copied, array_shared, explained
from mdview.mappings.predicates import is_contiguous
from mdview.memory.exporters import bytes_of, is_ndarray
from mdview.memory.storage import Storage
from mdview.memory.struct_items import BYTE_ITEMS, PackedItems, raw_of
from mdview.views.view_base import ViewBase, parts_of
from mdview.views.view_parts import ViewParts

SHORT: Final = {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "O": "OWNDATA", "W": "WRITEABLE"}
"""The short keys."""

_FIELDS: Final = {
    name.upper(): name for name in ("c_contiguous", "f_contiguous", "forc", "fnc", "owndata", "writeable")
}


@final
@value
class Flags(Mapping[str, bool]):
    """The flags of a view at the time of the call; each flag is an attribute as well, in lower case.

    Attributes
    ----------
    c_contiguous, f_contiguous
        Whether the elements follow each other without gaps, the last index the fastest, or the first.
    writeable
        Whether elements can be stored.
    owndata
        Whether the memory was made with this very view: by `empty`, `zeros`, `full`, `relayout`, or `transform`.
    """

    c_contiguous: bool
    f_contiguous: bool
    writeable: bool
    owndata: bool

    @property
    def forc(self) -> bool:
        """Whether the elements follow each other in Fortran's order or in C's."""
        return self.f_contiguous or self.c_contiguous

    @property
    def fnc(self) -> bool:
        """Whether they do in Fortran's order and not in C's."""
        return self.f_contiguous and not self.c_contiguous

    def __getitem__(self, key: object) -> bool:
        """Return a flag by its name, or by the short key of four of them: ``C``, ``F``, ``O``, ``W``.

        Raises
        ------
        FlagError
            There is no such flag.
        """
        field = _FIELDS.get(SHORT.get(key, key)) if isinstance(key, str) else None
        if field is None:
            raise FlagError(
                f"{as_text(key, repr)} is no flag of a view; there are {', '.join(_FIELDS)}, and {', '.join(SHORT)}"
            )
        return bool(getattr(self, field))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(_FIELDS)

    def __len__(self) -> int:
        """Count the names."""
        return len(_FIELDS)

    def __repr__(self) -> str:
        """Return a line for each flag, as NumPy does."""
        return "".join([f"  {name} : {flag}\n" for name, flag in self.items()])

    def __eq__(self, other: object) -> bool:
        """Compare as mappings do."""
        return Mapping.__eq__(self, other)


def flags_of(parts: ViewParts, *, owndata: bool) -> Flags:
    """Return the flags of a view; where it takes more than a budget to tell whether it is contiguous, it is not."""
    c_order = unless_undecided(lambda: is_contiguous(parts.mapping, "C"))
    fortran = unless_undecided(lambda: is_contiguous(parts.mapping, "F"))
    stores = isinstance(parts.accessor, Writable) and parts.storage is not None and not parts.storage.readonly
    return Flags(bool(c_order), bool(fortran), stores, owndata)


@answer_calls
def explain(x: ViewBase | AnyMapping) -> str:
    """Say what a view or a mapping is, and why it is or is not strided, unique, exhaustive, contiguous.

    Of a view the data, the accessor and what NumPy gets are told, too.

    Raises
    ------
    OperandError
        It is neither; a layout alone says nothing without extents.

    >>> from mdview import LayoutTiled, Mapping
    >>> print(explain(Mapping((3, 4), LayoutTiled(2, 2))))
    LayoutTiled(2, 2, outer=LayoutRight(), inner=LayoutRight()) over extents (3, 4): 12 indices.
    Its offsets run from 0 to 13; the data needs 14 elements.
    Not strided: steps of (2, 1) would put (0, 2) at offset 2, but it lies at 4.
    Unique: no two indices share an offset.
    Not exhaustive: no index lies at offset 10; unused offsets: 2 of 14.
    Not contiguous in any order of the dimensions: the elements do not follow one line.
    NumPy gets a copy of the elements: the layout gives no strides.
    """
    if isinstance(x, ViewBase):
        parts = parts_of(x)
        return "\n".join([_data(parts), _access(parts), *explained(parts.mapping, _array(parts))])
    if isinstance(x, Layout):
        hint = "a layout says nothing without extents, explain(Mapping(extents, layout))"
        refuse("what is explained", "a view or a mapping", x, hint)
    return "\n".join(explained(mapping_of(x)))


def _data(parts: ViewParts) -> str:
    storage = parts.storage
    if storage is None:
        return "A null view: it has no data."
    kind = "" if storage.format == "O" else f" of format {storage.format!r}, {size_text(storage.kind.bits)} each"
    items = plural(storage.length, "item" if kind else "object")
    where = f"; offset 0 is that at {parts.origin}" if parts.mapping.size else ""
    return f"Data of type {type(storage.source).__name__}: {items}{kind}{where}."


def _access(parts: ViewParts) -> str:
    accessor = parts.accessor
    loads = "loads the items as they are" if accessor.is_plain else "computes what it loads"
    stores = "stores, too" if isinstance(accessor, Writable) else "does not store"
    return f"{as_text(accessor, repr)} {loads} and {stores}.{'' if accessor.is_plain else _ways(parts)}"


def _ways(parts: ViewParts) -> str:
    """Say how whole views come by the values that the accessor computes."""
    accessor, storage = parts.accessor, parts.storage
    if not accessor.is_elementwise:
        return " Whole views call it for each element: it is not elementwise."
    if storage is None or loaded_module("numpy") is None:
        return " Whole views call its decode item by item, or with arrays once NumPy is loaded."
    told = import_module("mdview.engines.bulk.arrays.elementwise_evaluation").explain_decoding(accessor, storage.items)
    return f" Whole views decode {told}."


def _array(parts: ViewParts) -> str | None:
    """Say what NumPy gets; None where the mapping alone says it."""
    storage, origin, mapping, accessor = parts
    if storage is None:
        return "NumPy gets nothing: there is no data."
    if mapping.found_strides() is None:
        return None
    if not accessor.is_plain:
        return array_copied("the accessor gives another meaning to the items in memory")
    if isinstance(storage.items, PackedItems):
        return array_copied("several of the items share a byte")
    if not (isinstance(storage.items, BYTE_ITEMS) or is_ndarray(storage.items)):
        return array_copied(f"the items of a {type(storage.source).__name__} are no memory that an array could share")
    return array_shared(mapping, origin + mapping.origin)


def token_of(parts: ViewParts) -> tuple[object, ...]:
    """Return what names the elements of a view, and where its indices lead."""
    normalize: Callable[[object], object] = import_module("dask.base").normalize_token
    storage, low, high = parts.reached()
    mapping = parts.mapping
    if storage is not None and storage.has_bytes():
        low -= low * storage.bits % 8 // max(storage.bits, 1)  # the first item of its byte
    # A layout is told by its repr, which says all of it; ints of any kind are told alike.
    what = ("mdview", tuple(map(int, mapping.extents)), repr(mapping.layout), normalize(parts.accessor))
    if storage is None:
        return what
    return *what, parts.origin - low, storage.format, _of_items(storage, low, high, normalize)


def _of_items(storage: Storage, low: int, high: int, normalize: Callable[[object], object]) -> object:
    """Return what names the items from ``low`` up to ``high``."""
    if not storage.has_bytes():
        return normalize([storage.items[k] for k in range(low, high)])
    raw = bytes_of(raw_of(storage.items))[low * storage.bits // 8 : storage.nbytes(high)]
    found = _of_file(storage, low * storage.bits // 8, raw.nbytes) if raw else None
    return found or import_module("hashlib").blake2b(raw, digest_size=16).hexdigest()


def _of_file(storage: Storage, begin: int, nbytes: int) -> tuple[object, ...] | None:
    """Return the path, the place and the state of the file in which bytes lie, None where they lie in none."""
    site = storage.site()
    if site is None or site.is_shared:
        return None
    status = os.stat(site.name)  # noqa: PTH116 - pathlib is not worth loading for it
    return site.name, site.offset + begin, nbytes, status.st_mtime_ns, status.st_size
