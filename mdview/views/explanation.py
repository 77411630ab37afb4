"""Explanations of a view or a mapping: sentences with reasons and examples, flags as in NumPy, and a token for dask.

An explanation describes the data, the accessor and the mapping. `mdview.mappings.predicates` decides the facts about
the mapping; the sentence for a fact that raises `UndecidedError` is "Undecided". Flags are a read-only mapping with the
flag names of NuMojo's arrays; NumPy has further flags for memory that NumPy manages (``ALIGNED``, ``WRITEBACKIFCOPY``).
A view owns its memory if the memory was made with the view, for example by a copy; no view owns a user's data, or the
memory of another view. For dask, views with equal tokens have equal elements: the token of a view of a file contains
the path, the time and the size of the file; the token of any other view contains its elements.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Final, final

from mdview.accessors.accessor import AnyExporter, Writable
from mdview.base import AffineImage, answer_calls, as_text, brief, loaded_module, plural, refuse, size_text, value
from mdview.errors import FlagError, UndecidedError
from mdview.expressions.tracing import trace
from mdview.index.extents import shape_text
from mdview.layouts.explicit_strides import irregularity
from mdview.layouts.layout import Layout, unless_undecided
from mdview.layouts.offset_analysis import first_missing
from mdview.mappings.mapping import AnyMapping, mapping_of
from mdview.mappings.predicates import affine_image, bounds, collision, element_count, hole, is_contiguous
from mdview.memory.storage import Storage
from mdview.views.memory_export import as_array, memory_block
from mdview.views.view_base import ViewBase, held, parts_of
from mdview.views.view_parts import AnyAccessor

NUMPY_DIMENSIONS: Final = 64
"""The highest rank of a NumPy array."""

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
        Whether the memory was made with this view, by a function such as `empty`, `zeros`, `full`, `relayout` or
        `transform`.
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


@final
class Explanation(str):
    """Lines of text; the repr is the text itself, without quotes and escapes."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the text itself."""
        return str.__str__(self)


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
    """Return a sentence on the way in which the accessor is evaluated for whole views."""
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


def explained(mapping: AnyMapping, array: str | None = None) -> list[str]:
    """Return sentences on a mapping: why it is or is not strided, unique, exhaustive, contiguous, or a NumPy array.

    ``array`` replaces the sentence about NumPy.
    """
    array = _numpy(mapping) if array is None else array
    if unless_undecided(lambda: bounds(mapping) is None):
        return [
            _what(mapping),
            "It has no offsets; the data needs no element.",
            "Unique and exhaustive: there is no element to say otherwise.",
            array,
        ]
    answers = [_decided(question, mapping) for question in (_offsets, _strided, _unique, _exhaustive, _contiguous)]
    return [_what(mapping), *answers, array, *engine_notes(mapping)]


def _decided(question: Callable[[AnyMapping], str], mapping: AnyMapping) -> str:
    try:
        return question(mapping)
    except UndecidedError as error:
        return f"Undecided ({question.__name__.strip('_')}): {error}."


def _what(mapping: AnyMapping) -> str:
    is_padded = first_missing(mapping.layout, mapping.extents) is not None
    indices = "1 index" if mapping.size == 1 else f"{as_text(mapping.size)} indices"
    number = f"{indices}{', some of them in padding without elements' if is_padded else ''}"
    return f"{brief(mapping.layout)} over extents {shape_text(mapping.extents)}: {number}."


def _offsets(mapping: AnyMapping) -> str:
    low, high = map(as_text, bounds(mapping) or (0, -1))
    where = f"Its only offset is {low}" if low == high else f"Its offsets run from {low} to {high}"
    return f"{where}; the data needs {plural(mapping.required_span_size, 'element')}."


def _strided(mapping: AnyMapping) -> str:
    image = affine_image(mapping)
    reason = irregularity(mapping.layout, tuple(map(int, mapping.extents))) if image is None else None
    if reason is not None:
        return f"Not strided: {reason}."
    names = "ijk" if mapping.rank <= len("ijk") else [f"i{r}" for r in range(mapping.rank)]
    index = f"({', '.join(names[: mapping.rank])}{',' if mapping.rank == 1 else ''})"
    declared = "" if mapping.found_strides() is not None else ", though its layout does not say so"
    return f"Strided: index {index} lies at {_sum(image, names)}{declared}." if image else ""


def _sum(image: AffineImage, names: Sequence[str]) -> str:
    """Return the offset as a formula for an explanation, ``9 - 4*i + j``; dimensions of extent 1 are left out."""
    text = as_text(image.origin) if image.origin else ""
    for name, e, s in zip(names, image.extents, image.strides, strict=False):
        if s and e > 1:
            factor = name if abs(s) == 1 else f"{as_text(abs(s))}*{name}"
            sign = "-" if s < 0 else "+" if text else ""
            text += f" {sign} {factor}" if text else f"{sign}{factor}"
    return text or "0"


def _unique(mapping: AnyMapping) -> str:
    if mapping.is_unique:
        return "Unique: no two indices share an offset."
    pair = unless_undecided(lambda: collision(mapping))
    if pair is None:
        low, high = bounds(mapping) or (0, -1)
        return f"Not unique: {as_text(mapping.size)} indices have {plural(high - low + 1, 'offset')} at most."
    return f"Not unique: {pair[0]} and {pair[1]} both lie at offset {mapping(*pair[0])}."


def _exhaustive(mapping: AnyMapping) -> str:
    span = mapping.required_span_size
    try:
        missing = hole(mapping)
    except UndecidedError:
        if mapping.is_exhaustive:
            raise
        return f"Not exhaustive: {plural(element_count(mapping), 'element')} cannot use all of {span} offsets."
    if missing is None:
        which = "the only offset" if span == 1 else f"each of the {as_text(span)} offsets"
        return f"Exhaustive: {which} below the span is used."
    holes = f"; unused offsets: {as_text(span - element_count(mapping))} of {as_text(span)}"
    return f"Not exhaustive: no index lies at offset {as_text(missing)}{holes if mapping.is_unique else ''}."


def _contiguous(mapping: AnyMapping) -> str:
    orders = ["C order (the last index is the fastest)"] * is_contiguous(mapping, "C")
    orders += ["Fortran order (the first index is the fastest)"] * is_contiguous(mapping, "F")
    if orders:
        return f"Contiguous in {' and in '.join(orders)}."
    image = affine_image(mapping)
    if image is not None and is_contiguous(mapping, "A"):
        slowest_first = sorted(range(mapping.rank), key=lambda r: (-image.strides[r], r))
        return f"Contiguous if the dimensions run in the order {tuple(slowest_first)}, slowest first."
    return "Not contiguous in any order of the dimensions."


def _numpy(mapping: AnyMapping) -> str:
    if mapping.rank <= NUMPY_DIMENSIONS and mapping.found_strides() is None:
        return array_copied("the layout gives no strides")
    return array_shared(mapping, mapping.origin)


def array_copied(reason: str) -> str:
    """Return the sentence that NumPy gets a copy, with the reason."""
    return f"NumPy gets a copy of the elements: {reason}."


def array_shared(mapping: AnyMapping, origin: int) -> str:
    """Return the sentence on how NumPy shares the memory of a strided mapping, or on a rank that is too high."""
    strides = mapping.found_strides()
    if mapping.rank > NUMPY_DIMENSIONS:
        return f"NumPy has no array for it: the rank is {mapping.rank}, and {NUMPY_DIMENSIONS} is its limit."
    shape = shape_text(mapping.extents)
    return (
        f"NumPy can share the memory: shape {shape}, strides {as_text(strides)} in elements, origin {as_text(origin)}."
    )


def engine_notes(mapping: AnyMapping) -> list[str]:
    """Return a list with the sentence on why no engine compiles the arithmetic; an empty list if engines compile it.

    The list is also empty for a mapping with padding. For a composition, the base is traced.
    """
    part = mapping.layout.composition(mapping.extents)
    traced = trace(part.base, tuple(map(int, part.extents))) if mapping.layout.is_total() else None
    if traced is None or traced.root is not None:
        return []
    where = shape_text(part.extents)
    return [f"Engines call the layout at each element: its arithmetic over {where} cannot be traced, {traced.reason}."]


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
