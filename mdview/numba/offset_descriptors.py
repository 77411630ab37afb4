"""Descriptors of offset computations: plain data that is part of the Numba type and its key.

What varies from view to view without a new compilation is a *value*, a number that the kernel reads from the view.
The values of a view are its dynamic extents, then what its form needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, SupportsIndex, TypeAlias, final

from mdview.base import Dim, as_integer, as_text, brief, image_bounds, value
from mdview.errors import KernelError
from mdview.expressions.expression_tree import Const, Index, Node, Param, each_part
from mdview.expressions.normal_form import folded
from mdview.expressions.python_codegen import Writer
from mdview.expressions.range_analysis import spans
from mdview.expressions.tracing import numbers, trace
from mdview.index.extents import static_extents
from mdview.layouts.layout import Layout, Tiling
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.numba.expression_lowering import CHEAP, CHEAP_DIGIT, Tabled, is_proven, tabled
from mdview.numba.index_map_lowering import Known, Transform, Unrolled, known, unknown_numbers, unrolled

_LIMIT: Final = 1 << 63
"""The least number that no integer of a kernel holds."""


@final
@value
class Fill:
    """The value of a load in the padding: a constant, or the element that ``mode`` leads to.

    Without a mode it is an error. ``count`` is that of the values, the words of a constant.
    """

    mode: str | None = None
    count: int = 0


@final
@value
class OffsetDescriptor:
    """The sum of index times stride, or the arithmetic of a base at the index to which a transform leads.

    Of a strided view it has the ``strides`` alone, of which those that are not known are values; no offset leaves the
    data. The arithmetic is an expression over the ``extents`` of the base, which without a transform is the view
    itself. The expression is all that a kernel depends on, so a layout that was edited has another form, and equal
    arithmetic is compiled once.

    The parameters are the dynamic ones of ``extents``, then those numbers of ``linear``, the origin and the strides of
    a base that is strided, that are not known. They are the first values; then come where its ``tables`` lie, what the
    transform leaves open, the size of the data where offsets are tested or tiles cut out, and what the ``fill`` needs.
    There is a fill if some indices may lead out of the base.
    """

    strides: Known | None = None
    root: Node = Const(0)
    extents: Known = ()
    linear: Known = ()
    transform: Transform | None = None
    tiling: Tiling | None = None
    is_tested: bool = False
    fill: Fill | None = None
    tables: tuple[int, ...] = ()

    @property
    def has_room(self) -> bool:
        """Whether the size of the data is a value, from offset 0 on."""
        return self.is_tested or self.tiling is not None

    @property
    def counts(self) -> tuple[int, ...]:
        """Count the values of each kind: extents, linear, tables, transform, room and fill."""
        transform, fill = self.transform, self.fill
        extents = 0 if transform is None else self.extents.count(None)  # those of the view are its own
        opens = (self.strides or ()) if transform is None else transform.numbers
        moved, words = opens.count(None), 0 if fill is None else fill.count
        return extents, self.linear.count(None), len(self.tables), moved, int(self.has_room), words

    @property
    def count(self) -> int:
        """Count the values."""
        return sum(self.counts)

    def __repr__(self) -> str:
        """Name the parts in turn."""
        if self.strides is not None:
            return f"OffsetDescriptor(strides={self.strides})"
        parts = self.extents, self.linear, self.transform, self.tiling, self.is_tested, self.fill, self.tables
        writer = Writer()  # each part once
        return f"OffsetDescriptor({writer.source(self.root)}, {writer.hoisted}, {', '.join(map(repr, parts))})"


Description: TypeAlias = tuple[OffsetDescriptor, tuple[int, ...], int, tuple[object, ...]]
"""The form of a mapping, whose fill is not known yet, the values of this mapping but those of its fill, the offset at
which a kernel's data begins, and the tables that must be kept in memory as long as the values are used."""


def describe_mapping(mapping: AnyMapping, room: int) -> Description:
    """Describe a mapping to a kernel whose data has ``room`` items from offset 0 on.

    Raises
    ------
    KernelError
        A kernel cannot compute the offsets, or the layout contradicts itself.
    """
    layout, dynamic, tiling = mapping.layout, _dynamic(mapping.extents), mapping.layout.tiling()
    strides, pattern = mapping.found_strides(), known_strides(mapping)
    if strides is not None and pattern is not None and tiling is None:
        first = _first(mapping, _exact(strides), room)
        return OffsetDescriptor(pattern), (*dynamic, *unknown_numbers(pattern, strides)), first, ()
    found = unrolled(mapping)
    is_base = found.layout is layout and not found.is_padded and found.transform == Transform.identity(mapping.rank)
    root, linear, parameters = (_arithmetic(layout, mapping.extents), (), dynamic) if is_base else _base(found)
    transform = None if is_base else found.transform.pattern()
    tiles = _checked_tiling(mapping, tiling) if is_base and tiling is not None else None
    has_digits = transform is not None and transform.shape is not None
    table = tabled(root, parameters, found.extents, CHEAP_DIGIT if has_digits else CHEAP)
    is_tested = _is_tested(mapping, found, table, parameters, room)
    fill = Fill() if found.is_padded else None
    extents = static_extents(found.extents)
    form = OffsetDescriptor(None, table.root, extents, linear, transform, tiles, is_tested, fill, table.axes)
    moved = ((), ()) if transform is None else (parameters, unknown_numbers(transform.numbers, found.transform.numbers))
    values = *dynamic, *moved[0], *table.addresses, *moved[1], *[room] * form.has_room
    return form, values, 0, table.entries


def _base(found: Unrolled) -> tuple[Node, Known, tuple[int, ...]]:
    """Arithmetic of a base, which of its origin and strides are known where it is strided, and its parameters."""
    dynamic, base = _dynamic(found.extents), Mapping.trusted(found.extents, found.layout)
    strides = base.found_strides()
    if strides is None:
        return _arithmetic(found.layout, found.extents), (), dynamic
    numbers = as_integer(base.origin, "the origin of a layout"), *_exact(strides)
    stated = (None, *(known_strides(base) or ()))
    linear = tuple([k if s is None else s for s, k in zip(stated, known(numbers), strict=True)])
    place = iter(range(len(dynamic), len(dynamic) + len(numbers)))
    first, *steps = [Param(next(place)) if k is None else Const(k) for k in linear]
    root: Node = first
    for r, step in enumerate(steps):
        root = folded("add", root, folded("mul", Index(r), step))
    return root, linear, (*dynamic, *unknown_numbers(linear, numbers))


def _first(mapping: AnyMapping, strides: tuple[int, ...], room: int) -> int:
    """Offset of the first index, by the strides that a kernel takes, with which no index leaves the data."""
    ends = image_bounds(mapping.extents, strides)
    if ends is None:
        return 0
    first = as_integer(mapping.origin, "the origin of a layout")
    low, high = first + ends[0], first + ends[1]
    if low < 0 or high >= room:
        raise KernelError(
            f"{brief(mapping)} reaches offsets from {low} to {high} by its strides, the data has {room} elements from "
            f"offset 0 on; the layout contradicts itself, mdview certify shows where"
        )
    return first


def _is_tested(mapping: AnyMapping, found: Unrolled, table: Tabled, parameters: tuple[int, ...], room: int) -> bool:
    """Tell whether offsets are tested at the indices that a transform leads to; all parts of a view share one proof.

    A view whose arithmetic may not fit the numbers of a kernel is refused.
    """
    if not mapping.size:
        return False
    box, whole = found.transform.box(mapping.extents), spans(found.extents)
    if found.is_padded and any(low < -_LIMIT // 2 or high > _LIMIT // 2 for low, high in box):
        raise KernelError(f"{brief(mapping)} leads to indices {box} of its base, more than 63 bits hold")
    if any(low < least or high > most for (low, high), (least, most) in zip(box, whole, strict=True)):
        if not found.is_padded:
            raise KernelError(
                f"{brief(mapping)} leads to indices {box} of a base of extents {found.extents}: it contradicts itself"
            )
        box = whole
    proven = is_proven(table, parameters, whole, room) or is_proven(table, parameters, box, room)
    if proven is None:
        raise KernelError(
            f"a kernel computes in 64 bits and divides by no 0, which is not proven of the arithmetic of "
            f"{brief(found.layout)}; copy the view, or write the layout so that each part of it has bounds"
        )
    return not proven


def _checked_tiling(mapping: AnyMapping, tiling: Tiling) -> Tiling | None:
    """Tiling with strides as a kernel takes it, None without strides."""
    if tiling.strides is None:
        return None
    sizes, strides = _exact(tiling.sizes), _exact(tiling.strides)
    fits = len(sizes) == len(strides) == mapping.rank and min(sizes, default=1) > 0
    if not fits or sum([n * abs(s) for n, s in zip(sizes, strides, strict=True)]) >= _LIMIT // 2:
        raise KernelError(
            f"{brief(mapping)} cannot have tiles of sizes {sizes} and strides {strides}: the layout contradicts itself"
        )
    return Tiling(sizes, strides, bool(tiling.first_is_fastest))


def _exact(numbers: Sequence[SupportsIndex]) -> tuple[int, ...]:
    """Plain ints, whatever kinds of int a layout gives."""
    return tuple([int.__add__(as_integer(number, "a stride"), 0) for number in numbers])


def known_strides(mapping: AnyMapping) -> Known | None:
    """Strides that are constants of a kernel, None for each that is a value; None where there are no strides.

    Constants are those that follow from static numbers alone where the layout has a rule, else those of 0 and 1.
    """
    strides, rule = mapping.found_strides(), mapping.layout.stride_rule()
    if strides is None:
        return None
    if rule is not None and rule.is_static:
        extents = [Param(r) if e is None else Const(e) for r, e in enumerate(mapping.static_extents)]
        symbolic: Sequence[Any] = mapping.layout.strides(numbers(extents)) or ()  # Any: ints, or symbols
        stated = [s if isinstance(s, int) else None for s in symbolic]
        return tuple([n if n == s else None for n, s in zip(_exact(strides), stated, strict=True)])
    return tuple([int(s) if type(s) is Dim else k for s, k in zip(strides, known(_exact(strides)), strict=True)])


def _dynamic(extents: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([e for e in extents if type(e) is not Dim])


def _arithmetic(layout: Layout, extents: tuple[int, ...]) -> Node:
    """Trace a layout: with its dynamic extents as parameters, else with all of them as numbers."""
    found = trace(layout, static_extents(extents))
    if found.root is None:
        found = trace(layout, tuple(map(int, extents)))
    if found.root is None:
        raise KernelError(f"the arithmetic of {brief(layout)} cannot be traced for a kernel: {found.reason}")
    for number in [part.number for part in each_part(found.root) if isinstance(part, Const)]:
        if not -_LIMIT <= number < _LIMIT:
            raise KernelError(
                f"a kernel computes in 64 bits, and the arithmetic of {brief(layout)} has the number {as_text(number)}"
            )
    return found.root
