"""Descriptors of a mapping in a kernel's type: transforms, known strides, room of the data, rules of padding.

A descriptor is plain data, part of the Numba type and of its key. A *value* is a number that the kernel reads from the
view, so it varies without a new compilation. The values of a view are its dynamic extents, then the values of its form.

All links of a composition become one transform. Each entry of its base index is a weighted sum of indices, or of the
digits of one sum: for windows, the window's index ``i`` and the index ``k`` in it add up to ``i + k``. An index of a
padded view lies in the padding if its base index leaves the extents of the base.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, SupportsIndex, TypeAlias, final

from mdview.base import Dim, as_integer, as_text, brief, image_bounds, replace, value
from mdview.base.caches import cached_property, remembered_by_value
from mdview.engines.mapping_plan import Plan, plan_of
from mdview.errors import KernelError
from mdview.expressions.expression_tree import Const, Index, Node, Param, each_part
from mdview.expressions.normal_form import folded
from mdview.expressions.python_codegen import Writer
from mdview.expressions.range_analysis import Range, spans
from mdview.expressions.tracing import numbers, trace
from mdview.index.domains import domain, is_nowhere, whole
from mdview.index.extents import shape_text, size_of, static_extents
from mdview.index.index_map import IndexMap, of_sums
from mdview.index.mixed_radix import Radix, Sum
from mdview.layouts.layout import Composition, Layout, Tiling
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.numba.expression_lowering import CHEAP, CHEAP_DIGIT, UNLIMITED, Tabled, tabled

_LIMIT: Final = 1 << 63
"""The least number that no integer of a kernel holds."""

Known: TypeAlias = tuple[int | None, ...]
"""Numbers that are constants of the code; None for each that is a value."""


@final
@value
class Transform:
    """A map from an index to one of a base: ``sums``, or one sum whose digits over ``shape`` are the index of ``tail``.

    In the type of a view some numbers are *open*, None: they are values of the view.
    """

    rank: int
    sums: tuple[Sum, ...]
    shape: tuple[int, ...] | None = None
    tail: tuple[Sum, ...] = ()

    @classmethod
    def identity(cls, rank: int) -> Transform:
        """Make the identity."""
        return cls(rank, tuple(IndexMap.taking(range(rank)).sums(rank)))

    @property
    def last(self) -> tuple[Sum, ...]:
        """The sums whose values are the base index."""
        return self.sums if self.shape is None else self.tail

    def then(self, inner: IndexMap) -> Transform | None:
        """Return this transform followed by an index map; None if that takes a second mixed-radix step."""
        radix = inner.radix
        if radix is None:
            rank = self.rank if self.shape is None else len(self.shape)
            rows = tuple([row.after(self.last, rank) for row in inner.sums(len(self.last))])
            return replace(self, sums=rows) if self.shape is None else replace(self, tail=rows)
        if self.shape is not None:
            return None
        number = Sum(radix.first, radix.weights).after(self.sums, self.rank)
        return Transform(self.rank, (number,), radix.shape, tuple(inner.sums(len(radix.shape))))

    def after(self, outer: IndexMap, rank: int) -> Transform:
        """Return ``outer``, an affine map from an index of that rank, followed by this transform."""
        rows = outer.sums(rank)
        return replace(self, rank=rank, sums=tuple([row.after(rows, rank) for row in self.sums]))

    def without_carries(self, extents: Sequence[int]) -> Transform:
        """Return the transform without its mixed-radix step, if no digit carries within ``extents``, else itself."""
        if self.shape is None or 0 in (*extents, *self.shape):
            return self
        digits = Radix(self.sums[0].first, self.sums[0].weights, self.shape).linear_digits(extents)
        ranges = [digit.range(extents) for digit in digits or ()]
        if digits is None or any(low < 0 or high >= n for (low, high), n in zip(ranges, self.shape, strict=True)):
            return self
        return Transform(self.rank, tuple([row.after(digits, self.rank) for row in self.tail]))

    def box(self, extents: Sequence[int]) -> tuple[Range, ...]:
        """Return the lowest and highest index of each base dimension, for indices within non-empty ``extents``.

        Raises
        ------
        KernelError
            The number of the mixed-radix step leaves its shape.
        """
        found = [row.range(extents) for row in self.sums]
        if self.shape is None:
            return tuple(found)
        low, high = found[0]
        if low < 0 or high >= size_of(self.shape):
            raise KernelError(
                f"{brief(self)} over extents {shape_text(extents)} has no digits: it leads from {low} to {high}"
            )
        return tuple([row.range(self.shape) for row in self.tail])

    def pattern(self) -> Transform:
        """Return the transform with all numbers open except weights of 0 and 1, which are constants of the code."""
        sums, tail = [tuple([Sum(None, known(row.weights)) for row in rows]) for rows in (self.sums, self.tail)]
        return replace(self, sums=sums, tail=tail)

    @property
    def numbers(self) -> tuple[Any, ...]:
        """All numbers, row by row. Any: ints, None, or `Number`."""
        return tuple([number for row in (*self.sums, *self.tail) for number in (row.first, *row.weights)])

    @property
    def open_numbers(self) -> tuple[Any, ...]:
        """The numbers that a `pattern` leaves open. Any: as `numbers`."""
        return unknown_numbers(self.pattern().numbers, self.numbers)

    def filled(self, numbers: Iterable[Any]) -> Transform:
        """Return the transform with these numbers in the place of the open ones."""
        rest = iter(numbers)

        def row(pattern: Sum) -> Sum:
            (first,) = completed((pattern.first,), rest)
            return Sum(first, completed(pattern.weights, rest))

        return replace(self, sums=tuple(map(row, self.sums)), tail=tuple(map(row, self.tail)))

    def index_of(self, d: int) -> int | None:
        """Return the only index that base dimension ``d`` depends on, None if there are several or none."""
        moving = [] if self.shape is not None else [r for r, w in enumerate(self.sums[d].weights) if w != 0]
        return moving[0] if len(moving) == 1 else None


def known(numbers: Sequence[Any]) -> Known:
    """Return numbers with None in place of all but the ints 0 and 1."""
    return tuple([n if isinstance(n, int) and n in {0, 1} else None for n in numbers])


def unknown_numbers(pattern: Known, numbers: Sequence[Any]) -> tuple[Any, ...]:
    """Return the numbers at which a pattern has None."""
    return tuple([n for n, k in zip(numbers, pattern, strict=True) if k is None])


def completed(pattern: Known, numbers: Iterable[Any]) -> tuple[Any, ...]:
    """Return a pattern with each None replaced by the next of ``numbers``."""
    rest = iter(numbers)
    return tuple([next(rest) if k is None else k for k in pattern])


@final
@value
class Unrolled:
    """``layout`` over ``extents`` seen through ``transform``; ``is_padded`` if that may leave the extents."""

    layout: Layout
    extents: tuple[int, ...]
    transform: Transform
    is_padded: bool


def unrolled(mapping: AnyMapping) -> Unrolled:
    """Return the base and the transform of a mapping, with all links of a composition merged.

    Raises
    ------
    KernelError
        There is padding within padding, or a box that is not the domain of its transform.
    """
    layout, extents, is_padded = mapping.layout, mapping.extents, False
    transform = Transform.identity(mapping.rank)
    while not is_padded:
        found = layout.composition(extents)
        further = None if found.base is layout else transform.then(found.transform)
        if further is None:
            break
        if found.box is not None and not _is_natural(found, extents):
            raise KernelError(
                f"the box of {brief(layout)} is not where its transform leads to its base; make padding with pad"
            )
        transform, is_padded = further.without_carries(mapping.extents), found.box is not None
        layout, extents = found.base, found.extents
    if not layout.is_total():
        raise KernelError(
            f"a kernel has one padding at most: {brief(mapping)} has some in {brief(layout)}; copy it, or slice "
            "it inside"
        )
    return Unrolled(layout, extents, transform, is_padded)


def _is_natural(found: Composition, extents: Sequence[int]) -> bool:
    """Tell whether the box is exactly the set of indices within ``extents`` whose base index lies within the base."""
    if found.box is None or not found.transform.is_affine:
        return False
    natural = domain(found.transform, whole(found.extents), whole(extents))
    if len(found.box) > len(extents) or is_nowhere(found.box):
        return natural is not None and is_nowhere(natural)
    return natural == found.box


@final
@value
class FillRule:
    """The value of a load in the padding: a constant, or the element to which ``mode`` maps the index.

    Without a mode the load is an error. ``count`` is the number of values: the words of a constant.
    """

    mode: str | None = None
    count: int = 0


@final
@value
class OffsetDescriptor:
    """The arithmetic of a base after a transform of the index.

    It is the expression ``root`` over the ``extents`` of the base. A kernel depends on the expression and not on the
    layout, so equal arithmetic is compiled once. A strided view has no root: its transform is the sum of index times
    stride from the address of its first element, and all offsets are proven to lie in the data.

    The parameters are the dynamic ``extents``, then the open numbers of ``linear``, the origin and strides of a strided
    base. They are the first values, followed by the addresses of the ``tables``, the open numbers of the transform, and
    the values of the ``fill``. There is a fill if some indices may leave the base.
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
        """Describe a strided view; None for each stride that is a value."""
        return cls(None, (), (), Transform(len(strides), (Sum(0, strides),)))

    @property
    def strides(self) -> Known | None:
        """Strides of a strided view."""
        return None if self.root is not None else self.transform.sums[0].weights

    @property
    def has_room(self) -> bool:
        """Whether the room, the size of the data from offset 0 on, is a value, for tests of offsets or tiles."""
        return self.is_tested or self.tiling is not None

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of values of each kind: extents, linear, tables, transform and fill."""
        opens = [numbers.count(None) for numbers in (self.extents, self.linear, self.transform.numbers)]
        return *opens[:2], len(self.tables), opens[2], 0 if self.fill is None else self.fill.count

    def __repr__(self) -> str:
        """Return the parts in order."""
        parts = self.extents, self.linear, self.transform, self.tiling, self.is_tested, self.fill, self.tables
        writer = Writer()  # each part once
        source = "" if self.root is None else f"{writer.source(self.root)}, {writer.hoisted}, "
        return f"OffsetDescriptor({source}{', '.join(map(repr, parts))})"


@final
@value
class Description:
    """The description of a mapping for a kernel.

    Attributes
    ----------
    form
        The part that code depends on.
    extents, base, transform
        The dynamic extents, the parameters of the base with the addresses of its tables, and the transform with all
        numbers: these are the values, without those of a fill.
    low, high, most
        Proven bounds of the offsets, and the largest room for which they hold.
    first
        The offset at which the data of a kernel begins.
    table, plan
        The arithmetic of the base, which holds the tables, and its plan; None for a strided mapping.
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
        """The values, without those of a fill."""
        return *self.extents, *self.base, *unknown_numbers(self.form.transform.numbers, self.transform.numbers)

    @cached_property
    def rows(self) -> IndexMap | None:
        """The transform as an affine index map; None with a mixed-radix step, or entries of several indices."""
        return of_sums(self.transform.sums) if self.transform.shape is None else None

    @cached_property
    def follows_tables(self) -> bool:
        """Whether the arithmetic is known to agree with the tables of the plan, by which parts are located."""
        plan, table = self.plan, self.table
        return plan is not None and table is not None and plan.axes is not None and table.gives(plan.start, plan.axes)


def describe_mapping(mapping: AnyMapping, room: int) -> Description:
    """Describe a mapping to a kernel whose data has ``room`` items from offset 0 on.

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
    found = unrolled(mapping)
    is_base = found.layout is layout and not found.is_padded and found.transform == Transform.identity(mapping.rank)
    root, linear, parameters = (_arithmetic(layout, mapping.extents), (), dynamic) if is_base else _base(found)
    transform = found.transform if is_base else found.transform.pattern()
    tiles = _checked_tiling(mapping, tiling) if is_base and tiling is not None else None
    plan = plan_of(mapping if is_base else Mapping.trusted(found.extents, found.layout))
    table = tabled(root, parameters, plan, CHEAP if transform.shape is None else CHEAP_DIGIT)
    needed = _needed_room(mapping, found, table, room)
    high, most = (-1, room) if needed > room else (needed - 1, UNLIMITED)
    extents, fill = static_extents(found.extents), FillRule() if found.is_padded else None
    form = OffsetDescriptor(table.root, extents, linear, transform, tiles, needed > room, fill, table.axes)
    base = *parameters, *table.addresses
    return Description(form, dynamic, base, found.transform, 0, high, most, 0, table, plan)


def _base(found: Unrolled) -> tuple[Node, Known, tuple[int, ...]]:
    """Return the arithmetic of a base, its constant origin and strides if it is strided, and its parameters."""
    base = Mapping.trusted(found.extents, found.layout)
    dynamic = unknown_numbers(base.static_extents, base.extents)
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


def _first(mapping: AnyMapping, strides: tuple[int, ...], room: int) -> tuple[int, int, int]:
    """Return the offset of the first index, and the bounds of all offsets by the strides, within the data."""
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


def _needed_room(mapping: AnyMapping, found: Unrolled, table: Tabled, room: int) -> int:
    """Return the room that is proven to suffice without tests of offsets; all parts of a view share one proof.

    A view whose arithmetic may exceed 64 bits is refused.
    """
    if not mapping.size:
        return 0
    box, whole = found.transform.box(mapping.extents), spans(found.extents)
    if found.is_padded and any(low < -_LIMIT // 2 or high > _LIMIT // 2 for low, high in box):
        raise KernelError(f"{brief(mapping)} leads to indices {box} of its base, more than 63 bits hold")
    if any(low < least or high > most for (low, high), (least, most) in zip(box, whole, strict=True)):
        if not found.is_padded:
            raise KernelError(
                f"{brief(mapping)} leads to indices {box} of a base of extents {found.extents}: it contradicts itself"
            )
        box = whole
    needed = table.needed_room(whole, room)
    if needed is None or needed > room:
        needed = table.needed_room(box, room)
    if needed is None:
        raise KernelError(
            f"a kernel computes in 64 bits and divides by no 0, which is not proven of the arithmetic of "
            f"{brief(found.layout)}; copy the view, or write the layout so that each part of it has bounds"
        )
    return needed


def _checked_tiling(mapping: AnyMapping, tiling: Tiling) -> Tiling | None:
    """Return a tiling with strides as plain ints, None without strides."""
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
    """Return the integers of a layout as plain ints."""
    return tuple([int.__add__(as_integer(number, "a stride"), 0) for number in numbers])


def known_strides(mapping: AnyMapping) -> Known | None:
    """Return the strides that are constants of a kernel, None for each that is a value; None without strides.

    Constants are the strides that follow from static numbers if the layout has a rule, else strides of 0 and 1.
    """
    strides, rule = mapping.found_strides(), mapping.layout.stride_rule()
    if strides is None:
        return None
    if rule is not None and rule.is_static:
        stated = _stated(mapping.layout, mapping.static_extents)
        return tuple([n if n == s else None for n, s in zip(_exact(strides), stated, strict=True)])
    return tuple([int(s) if type(s) is Dim else k for s, k in zip(strides, known(_exact(strides)), strict=True)])


@remembered_by_value()
def _stated(layout: Layout, static: Known) -> Known:
    """Return the strides that follow from static extents, None for each that depends on dynamic ones; cached."""
    extents = [Param(r) if e is None else Const(e) for r, e in enumerate(static)]
    symbolic: Sequence[Any] = layout.strides(numbers(extents)) or ()  # Any: ints, or symbols
    return tuple([s if isinstance(s, int) else None for s in symbolic])


def _arithmetic(layout: Layout, extents: tuple[int, ...]) -> Node:
    """Trace a layout: with its dynamic extents as parameters if possible, else as numbers."""
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
