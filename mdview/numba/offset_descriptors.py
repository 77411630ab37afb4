"""The description of a mapping for a kernel: a descriptor in the Numba type, and run-time numbers.

A descriptor is plain data, a part of the Numba type of a view and of its key: arithmetic, constant strides, tiles,
tests of offsets, and padding. A *run-time number* is read from the view, so it can differ without a new compilation.
The run-time numbers of a view are its dynamic extents, followed by the run-time numbers of its descriptor. The *room*
of a view is the number of items in its data from offset 0 on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, SupportsIndex, final

from mdview.base import Dim, as_integer, as_text, brief, image_bounds, value
from mdview.base.caches import cached_property, remembered_by_value
from mdview.engines.mapping_plan import Plan, plan_of
from mdview.errors import KernelError
from mdview.expressions.expression_tree import Const, Index, Node, Param, each_part
from mdview.expressions.normal_form import folded, total
from mdview.expressions.python_codegen import python_source
from mdview.expressions.range_analysis import spans
from mdview.expressions.tracing import numbers, trace
from mdview.index.extents import static_extents
from mdview.index.index_map import IndexMap, of_sums
from mdview.index.reshape import Sum
from mdview.layouts.layout import Layout, Tiling
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.numba.expression_lowering import CHEAP, CHEAP_DIGIT, UNLIMITED, Tabled, tabled
from mdview.numba.index_transform import Known, Transform, Unrolled, fixed, unknown_numbers, unrolled

_LIMIT: Final = 1 << 63
"""The least natural number that an integer of a kernel cannot hold."""


@final
@value
class FillRule:
    """The result of a load in the padding: a constant, or the element to which ``mode`` maps the index.

    If ``mode`` is None, the load is an error. The words of the constant are run-time numbers; ``count`` is their
    number.
    """

    mode: str | None = None
    count: int = 0


@final
@value
class OffsetDescriptor:
    """The descriptor of a mapping: a transform of the index, and the arithmetic of the base.

    The arithmetic is the expression ``root`` over the ``extents`` of the base. A kernel depends on the expression and
    not on the layout, so equal arithmetic is compiled once. For a strided view, ``root`` is None: the transform is the
    sum of index times stride, relative to the first element, and all offsets are proven to be in the data.

    A run-time number is None in the descriptor. The parameters of the expression are the run-time numbers of
    ``extents``, followed by the run-time numbers of ``linear``, which has the origin and the strides of a strided base.
    The run-time numbers of the descriptor are, in order, these parameters, the addresses of the tables (``tables`` has
    the dimension of each table), the run-time numbers of the transform, and the words of the ``fill``. There is a fill
    if the base index may be outside the base. If ``is_tested``, offsets are not proven to be in the data, so each
    offset is tested.
    """

    root: Node | None
    extents: Known
    linear: Known
    transform: Transform
    tiling: Tiling | None = None
    is_tested: bool = False
    fill: FillRule | None = None
    tables: tuple[int, ...] = ()

    @classmethod
    def strided(cls, strides: Known) -> OffsetDescriptor:
        """Return the descriptor of a strided view; None in ``strides`` stands for a run-time number."""
        return cls(None, (), (), Transform(len(strides), (Sum(0, strides),)))

    @property
    def strides(self) -> Known | None:
        """The strides of a strided view, with None for run-time numbers; None if the view is not strided."""
        return None if self.root is not None else self.transform.sums[0].weights

    @property
    def has_room(self) -> bool:
        """Whether the room is a run-time number, for tests of offsets or of tiles."""
        return self.is_tested or self.tiling is not None

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of run-time numbers of ``extents``, ``linear``, ``tables``, ``transform`` and ``fill``."""
        opens = [numbers.count(None) for numbers in (self.extents, self.linear, self.transform.numbers)]
        return *opens[:2], len(self.tables), opens[2], 0 if self.fill is None else self.fill.count

    def __repr__(self) -> str:
        """Return a string with all parts, which determines the key of the type."""
        parts = self.extents, self.linear, self.transform, self.tiling, self.is_tested, self.fill, self.tables
        root = None if self.root is None else python_source(self.root)  # each part once
        return f"OffsetDescriptor({', '.join(map(repr, (root, *parts)))})"


@final
@value
class Description:
    """The description of a mapping for a kernel.

    Attributes
    ----------
    form
        The descriptor, on which compiled code depends.
    extents, base, transform
        The dynamic extents, the parameters of the base with the addresses of its tables, and the transform with all its
        numbers. Together they contain all run-time numbers except the words of a fill.
    low, high, most
        Proven bounds of the offsets, and the largest room for which they hold.
    first
        The offset to which the address of the data in a kernel belongs.
    table, plan
        The arithmetic of the base, which holds the tables, and the plan of the base; None for a strided mapping.
    """

    form: OffsetDescriptor
    extents: tuple[int, ...]
    base: tuple[int, ...]
    transform: Transform
    low: int
    high: int
    most: int
    first: int = 0
    table: Tabled | None = None
    plan: Plan | None = None

    @property
    def values(self) -> tuple[int, ...]:
        """The run-time numbers, without the words of a fill."""
        return *self.extents, *self.base, *unknown_numbers(self.form.transform.numbers, self.transform.numbers)

    @cached_property
    def rows(self) -> IndexMap | None:
        """The transform as an affine index map; None if it splits into digits, or sums several indices."""
        return of_sums(self.transform.sums) if self.transform.shape is None else None

    @cached_property
    def follows_tables(self) -> bool:
        """Whether the arithmetic is known to agree with the tables of the plan, which determine origins of parts."""
        plan, table = self.plan, self.table
        return plan is not None and table is not None and plan.axes is not None and table.gives(plan.start, plan.axes)


def describe_mapping(mapping: AnyMapping, room: int) -> Description:
    """Return the description of a mapping for a kernel, for data with ``room`` items from offset 0 on.

    Raises
    ------
    KernelError
        A kernel cannot compute the offsets, or the layout contradicts itself.
    """
    layout, tiling = mapping.layout, mapping.layout.tiling()
    dynamic = unknown_numbers(mapping.static_extents, mapping.extents)
    strides, pattern = mapping.found_strides(), known_strides(mapping)
    if strides is not None and pattern is not None and tiling is None:
        exact = _exact(strides)
        first, low, high = _first(mapping, exact, room)
        transform = Transform(len(exact), (Sum(0, exact),))
        return Description(OffsetDescriptor.strided(pattern), dynamic, (), transform, low, high, UNLIMITED, first)
    links = unrolled(mapping)
    is_base = links.layout is layout and not links.is_padded and links.transform == Transform.identity(mapping.rank)
    root, linear, parameters = (_arithmetic(layout, mapping.extents), (), dynamic) if is_base else _base(links)
    transform = links.transform if is_base else links.transform.pattern()
    tiles = _checked_tiling(mapping, tiling) if is_base and tiling is not None else None
    plan = plan_of(mapping if is_base else Mapping.trusted(links.extents, links.layout))
    table = tabled(root, parameters, plan, CHEAP if transform.shape is None else CHEAP_DIGIT)
    needed = _needed_room(mapping, links, table, room)
    high, most = (-1, room) if needed > room else (needed - 1, UNLIMITED)
    extents, fill = static_extents(links.extents), FillRule() if links.is_padded else None
    form = OffsetDescriptor(table.root, extents, linear, transform, tiles, needed > room, fill, table.axes)
    base = *parameters, *table.addresses
    return Description(form, dynamic, base, links.transform, 0, high, most, 0, table, plan)


def _base(links: Unrolled) -> tuple[Node, Known, tuple[int, ...]]:
    """Return the arithmetic of a base, the origin and strides of a strided base, and the parameters of the arithmetic.

    An origin or a stride that is a run-time number is None; for a base without strides, the second result is empty.
    """
    base = Mapping.trusted(links.extents, links.layout)
    dynamic = unknown_numbers(base.static_extents, base.extents)
    strides = base.found_strides()
    if strides is None:
        return _arithmetic(links.layout, links.extents), (), dynamic
    numbers = as_integer(base.origin, "the origin of a layout"), *_exact(strides)
    stated = (None, *(known_strides(base) or ()))
    linear = tuple([k if s is None else s for s, k in zip(stated, fixed(numbers), strict=True)])
    positions = iter(range(len(dynamic), len(dynamic) + len(numbers)))
    first, *steps = [Param(next(positions)) if k is None else Const(k) for k in linear]
    root = total([first, *[folded("mul", Index(r), step) for r, step in enumerate(steps)]])
    return root, linear, (*dynamic, *unknown_numbers(linear, numbers))


def _first(mapping: AnyMapping, strides: tuple[int, ...], room: int) -> tuple[int, int, int]:
    """Return the offset of the first index, and the lowest and highest offset, computed from the strides.

    All offsets are checked against ``room``.
    """
    ends = image_bounds(mapping.extents, strides)
    if ends is None:
        return 0, 0, -1
    first = as_integer(mapping.origin, "the origin of a layout")
    low, high = first + ends[0], first + ends[1]
    if low < 0 or high >= room:
        raise KernelError(
            f"{brief(mapping)} reaches offsets from {low} to {high} by its strides, the data has {room} elements from "
            f"offset 0 on; the layout contradicts itself, mdview certify shows where"
        )
    return first, low, high


def _needed_room(mapping: AnyMapping, links: Unrolled, table: Tabled, room: int) -> int:
    """Return the room for which offsets are proven to be in the data; the proof also holds for parts of the view.

    A mapping whose arithmetic may exceed 64 bits is refused.
    """
    if not mapping.size:
        return 0
    box, whole = links.transform.box(mapping.extents), spans(links.extents)
    if links.is_padded and any(low < -_LIMIT // 2 or high > _LIMIT // 2 for low, high in box):
        raise KernelError(f"{brief(mapping)} leads to indices {box} of its base, more than 63 bits hold")
    if any(low < least or high > most for (low, high), (least, most) in zip(box, whole, strict=True)):
        if not links.is_padded:
            raise KernelError(
                f"{brief(mapping)} leads to indices {box} of a base of extents {links.extents}: it contradicts itself"
            )
        box = whole
    needed = table.needed_room(whole, room)
    if needed is None or needed > room:
        needed = table.needed_room(box, room)
    if needed is None:
        raise KernelError(
            f"a kernel computes in 64 bits and divides by no 0, which is not proven of the arithmetic of "
            f"{brief(links.layout)}; copy the view, or write the layout so that each part of it has bounds"
        )
    return needed


def _checked_tiling(mapping: AnyMapping, tiling: Tiling) -> Tiling | None:
    """Return the checked tiling of a mapping for a kernel, with plain ints; None if its tiles have no strides."""
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
    """Return integers of a layout as plain ints."""
    return tuple([int.__add__(as_integer(number, "a stride"), 0) for number in numbers])


def known_strides(mapping: AnyMapping) -> Known | None:
    """Return the strides of a mapping with None for run-time numbers, or None if the mapping is not strided.

    If the layout has a rule of strides, a stride is a constant of the kernel if it follows from static extents by the
    rule. Otherwise a stride is a constant if it is 0, 1 or a `Dim`.
    """
    strides, rule = mapping.found_strides(), mapping.layout.stride_rule()
    if strides is None:
        return None
    if rule is not None and rule.is_static:
        stated = _stated(mapping.layout, mapping.static_extents)
        return tuple([n if n == s else None for n, s in zip(_exact(strides), stated, strict=True)])
    return tuple([int(s) if type(s) is Dim else k for s, k in zip(strides, fixed(_exact(strides)), strict=True)])


@remembered_by_value()
def _stated(layout: Layout, static: Known) -> Known:
    """Return the strides that follow from static extents, and None for each stride that depends on dynamic extents."""
    extents = [Param(r) if e is None else Const(e) for r, e in enumerate(static)]
    symbolic: Sequence[Any] = layout.strides(numbers(extents)) or ()  # Any: ints, or symbols
    return tuple([s if isinstance(s, int) else None for s in symbolic])


def _arithmetic(layout: Layout, extents: tuple[int, ...]) -> Node:
    """Return the traced arithmetic of a layout. Dynamic extents are parameters; if this cannot be traced, constants."""
    traced = trace(layout, static_extents(extents))
    if traced.root is None:
        traced = trace(layout, tuple(map(int, extents)))
    if traced.root is None:
        raise KernelError(f"the arithmetic of {brief(layout)} cannot be traced for a kernel: {traced.reason}")
    for number in [part.number for part in each_part(traced.root) if isinstance(part, Const)]:
        if not -_LIMIT <= number < _LIMIT:
            raise KernelError(
                f"a kernel computes in 64 bits, and the arithmetic of {brief(layout)} has the number {as_text(number)}"
            )
    return traced.root
