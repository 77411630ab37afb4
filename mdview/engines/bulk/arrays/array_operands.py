"""An array operand is an operand of a bulk operation as arrays: it reads elements and stores items in a box of indices.

An array of elements has the numbers that reading them one by one gives, in a type that holds them exactly; where there
is none it has Python objects. The accessor's own definition is applied to arrays (see `ways`), so what an access does
is written once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.policies import Constant, fill_of
from mdview.engines.bulk.arrays.elementwise_evaluation import of_one_type, results
from mdview.engines.bulk.arrays.gather_scatter import LARGE, is_dense_plan, plan_positions, read, scatter_items
from mdview.engines.bulk.arrays.item_arrays import (
    as_type,
    gathered,
    gathered_type,
    in_range,
    is_certain,
    lying,
    packed,
    row_of,
    unpacked,
    widened,
)
from mdview.engines.bulk.arrays.strided_blocks import IndexBox, StridedBlock, aligned_boxes
from mdview.engines.bulk.bulk_operand import Operand
from mdview.engines.mapping_plan import Plan
from mdview.index.dense_strides import right_strides
from mdview.memory.data_types import narrow_name
from mdview.memory.field_items import FieldItems
from mdview.memory.struct_items import PackedItems

Array = NDArray[Any]  # Any: of whatever format the items are
Type = np.dtype[Any]

StepRegion: TypeAlias = Any
"""The place of a step: an `IndexBox`, or None for all indices; or if each index leads to an element, a `StridedBlock`,
which has one shape for all operands and a place for each, or a `Plan` that all of them share.
"""

_IN_ALL: Final = 128
"""The least natural number that some type of numbers does not hold."""
_BYTES: Final = [bytes((k,)) for k in range(256)]


@final
class ArrayOperand:
    """An operand as arrays.

    Attributes
    ----------
    operand, row
        The operand, and its items as an array. Where a boundary mode leads to elements, the plan is that of these.
    plan
        The plan of the operand, or another one of the same elements.
    padded
        The plan before, where the padding is filled; else None.
    constant
        What padding reads as where it leads to no element, through the accessor. Any: of any type.
    is_direct, is_plain
        Whether each index leads to an element, and whether the items are the elements.
    part
        Where items share bytes, or others lie between: what the plan reaches of them, of which the row is a copy, and
        with the origin counted from there; else None.
    """

    __slots__ = ("constant", "is_direct", "is_plain", "operand", "padded", "part", "plan", "row")

    row: Array

    def __init__(self, operand: Operand, row: Array | None, padded: Plan | None = None, constant: Any = None) -> None:
        """Keep the parts; without a row, the items are packed."""
        self.operand: Operand = operand
        self.padded: Plan | None = padded
        self.constant: Any = constant
        plan = operand.plan
        self.plan: Plan = plan
        self.is_direct: bool = plan.is_total
        self.is_plain: bool = operand.accessor.is_plain
        self.part: Array | None = None
        if row is not None:
            self.row = row
        else:
            items, plan, origin, accessor = operand
            low, high = plan.ends or (-origin, len(items) - 1 - origin)  # between which all lie, or less
            first, stop = max(origin + low, 0), max(origin + high + 1, 0)
            first -= first * items.bits % 8 // items.bits
            self.part = lying(items, first, stop)
            self.operand = Operand(items, plan, origin - first, accessor)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Array:
            """Copy the items when the row is asked for, which a target need not be."""
            if name != "row" or self.part is None:
                raise AttributeError(name)
            self.row = gathered(self.part, self.operand.items)
            return self.row

    @property
    def dtype(self) -> Type:
        """Type of the items of the row."""
        return self.row.dtype if self.part is None else gathered_type(self.operand.items)

    def is_copied(self, place: StepRegion) -> bool:
        """Tell whether the elements of a place are read into a new array."""
        is_strided = type(place) is StridedBlock or (place if type(place) is Plan else self.plan).strides is not None
        return not (is_strided and self.is_plain and self.is_direct)

    def over(self, plan: Plan) -> ArrayOperand:
        """Return the same items through another plan, of which each index leads to an element."""
        made = ArrayOperand(self.operand, self.row)
        made.plan = plan
        return made

    def cut(self, place: IndexBox | Plan | None) -> Plan:
        """Return the plan of a box of indices, or of all, or one that is given instead."""
        if place is None:
            return self.plan
        return place if type(place) is Plan else self.plan.cut(*place)

    def items(self, place: StepRegion = None, k: int = 0) -> Array:
        """Items of a place in its shape, this being operand ``k`` of a step: strided ones themselves, or copied.

        Of a large padded box the inside is read as such, and what is led there separately.
        """
        if type(place) is StridedBlock:
            return place.of(k, self.row)
        if type(place) is not IndexBox:
            return read(self.row, self.plan if place is None else place, self.operand.origin)
        plan, origin = self.cut(place), self.operand.origin
        inner = None
        if self.padded is not None and self.padded.size > LARGE and plan.axes is not None:
            inner = self.padded.cut(*place).inside()
        if inner is None or not inner[1].size:
            return read(self.row, plan, origin)
        made = np.empty(plan.extents, self.row.dtype)
        made[inner[0]] = read(self.row, inner[1], origin)
        for box in _around(inner[0], plan.extents):
            part = plan.cut([along.start for along in box], tuple([along.stop - along.start for along in box]))
            made[box] = read(self.row, part, origin)
        return made

    def through(self, items: Array) -> Array:
        """Elements that the accessor makes of items."""
        accessor: Any = self.operand.accessor
        decode, items = accessor.decode, widened(items)
        found = results(decode, items)
        if found is None:
            each = [*map(decode, one_by_one(items, self.operand.items))]
            found = of_one_type(each)
            found = (objects(each) if found is None else found).reshape(items.shape)
        if found.dtype == np.uint64 and found.size and int(found.max()) < 1 << 63:
            found = found.astype(np.int64)  # which NumPy takes for whole numbers
        return found

    def read(self, place: StepRegion = None, k: int = 0) -> Array:
        """Elements of a place in its shape, see `items`."""
        if not self.is_direct:
            return self._filled(place)[0]
        items = self.items(place, k)
        return items if self.is_plain else self.through(items)

    def values(self, box: IndexBox) -> list[Any]:
        """Elements of a box in index order, as reading them one by one gives them. Any: what the accessor gives."""
        if self.is_direct:
            return one_by_one(self.read(box), self.operand.items)
        elements, inside = self._filled(box)
        found, outside = one_by_one(elements, self.operand.items), np.ones(elements.shape, bool)
        outside[inside] = False
        for place in np.flatnonzero(outside).tolist():
            found[place] = self.constant
        return found

    def _filled(self, box: IndexBox | None) -> tuple[Array, Any]:
        """Elements of a box of an operand padded by a constant, and which of them are not the constant."""
        plan, origin = self.cut(box), self.operand.origin
        inner = plan.inside()
        if inner is not None:
            inside: Any = inner[0]
            items = read(self.row, inner[1], origin)
        else:  # the padding lies behind a reshape
            places = plan_positions(plan, origin, len(self.row))
            inside = places >= 0
            items = self.row.take(places[inside])
        found = items if self.is_plain else self.through(items)
        known = found.dtype if found.size or self.is_plain else np.asarray(self.constant).dtype
        made = np.empty(plan.extents, common_type(known, self.constant))
        made[...] = self.constant
        made[inside] = as_objects(found, self.operand.items) if made.dtype.hasobject else found
        return made, inside

    def encoded(self, values: Array) -> Array | None:
        """Items that storing values writes, None where they have to be stored one by one."""
        if not self.is_plain:
            accessor: Any = self.operand.accessor
            encode, values = accessor.encode, widened(values)
            found = results(encode, values)
            if found is None:
                found = of_one_type([*map(encode, one_by_one(values, self.operand.items))])
            if found is None:
                return None
            values = found.reshape(values.shape)
        items = self.operand.items
        if type(items) is not PackedItems:
            return as_type(values, self.dtype)
        if values.dtype.kind == "b" and items.bits == 1:
            return values  # which packing takes
        found = as_type(values, self.dtype)
        return found if found is not None and in_range(found, items) else None

    def scatter_from(self, source: ArrayOperand) -> None:
        """Store the items of another operand, which are of one format with these: whole bytes in one order as bytes."""
        mine, its, into = self.operand, source.operand, self.part
        is_same = mine.plan is its.plan and mine.origin == its.origin and type(mine.items) is PackedItems
        if into is not None and source.part is not None and is_same and self._fills_part():
            into[...] = source.part
        else:
            self.scatter(source.items())

    def _fills_part(self) -> bool:
        """Tell whether each item of the part is one of the plan."""
        plan, into, items = self.operand.plan, self.part, self.operand.items
        bits = 8 if isinstance(items, FieldItems) else items.bits
        return into is not None and is_dense_plan(plan) and plan.size * bits == 8 * into.size

    def scatter(self, numbers: Array) -> None:
        """Store items, in the shape of the plan; bytes that hold none of them are not written."""
        operand, into = self.operand, self.part
        items, plan, origin, _ = operand
        if into is None or not plan.size:
            return
        is_packed, is_whole = isinstance(items, PackedItems), self._fills_part()
        row = np.ascontiguousarray(numbers).reshape(-1)
        before = into.copy() if is_packed and not is_whole else into
        if not is_whole or plan.strides != right_strides(plan.extents):
            count = plan.size if is_whole else into.size if not is_packed else 8 * into.size // items.bits
            row = np.empty(count, numbers.dtype) if is_whole or not is_packed else unpacked(before, items)
            scatter_items(row, plan, origin, numbers)
        if is_whole:
            into[...] = packed(row, items) if is_packed else row
        elif is_packed:
            made = packed(row, items)
            np.copyto(into, made, where=made != before)
        else:
            stored = np.zeros(into.size, bool)
            scatter_items(stored, plan, origin, np.array(True))  # noqa: FBT003 - an array of it
            into[stored] = row[stored]

    def store(self, place: StepRegion, items: Array, k: int = 0) -> None:
        """Store items of the format of the row, in the shape of a place; of several for one position the last stays."""
        if isinstance(place, StridedBlock):
            np.copyto(place.of(k, self.row), items)
        else:
            scatter_items(self.row, self.cut(place), self.operand.origin, items)

    def store_all(self, place: StepRegion, items: Array) -> None:
        """Store items in the shape of a place; none is stored where some position lies outside."""
        if self.part is not None:
            self.scatter(items)
            return
        self.check_target()
        self.store(place, items)

    def check_target(self) -> None:
        """Refuse positions outside of the items before the first is used."""
        plan, origin = self.plan, self.operand.origin
        ends = plan.ends
        if ends is None or ends[0] + origin < 0 or ends[1] + origin >= len(self.row):
            for box in aligned_boxes(plan.extents, LARGE):
                plan_positions(plan.cut(*box), origin, len(self.row))


def _around(inside: tuple[slice, ...], extents: tuple[int, ...]) -> Iterator[tuple[slice, ...]]:
    """Cut what lies around a box into boxes."""
    for d, (along, n) in enumerate(zip(inside, extents, strict=True)):
        for outside in (slice(0, along.start), slice(along.stop, n)):
            if outside.start < outside.stop:
                yield (*inside[:d], outside, *[slice(0, m) for m in extents[d + 1 :]])


def array_operand(operand: Operand) -> ArrayOperand | None:
    """Return an operand as arrays; None where items, accessor or padding have to be asked one by one."""
    items, plan, _, accessor = operand
    is_scattered = type(items) is PackedItems or type(items) is FieldItems
    row = None if is_scattered else row_of(items)
    if (row is None and not is_scattered) or not (accessor.is_plain or accessor.is_elementwise):
        return None
    if plan.is_total:
        return ArrayOperand(operand, row)
    fill = fill_of(accessor)
    if fill is None or not plan.tells_padding:
        return None
    if fill.mode == "constant":
        return ArrayOperand(operand, row, plan, accessor.read(Constant(fill.constant), 0))
    led = plan.led(fill.mode)
    return None if led is None else ArrayOperand(Operand(operand.items, led, operand.origin, accessor), row, plan)


def common_type(known: Type, constant: Any) -> Type:
    """Type of an array of elements of a type and a constant, of any type; objects where none is exact."""
    if type(constant) is int and known.kind in "iufc" and 0 <= constant < _IN_ALL:
        return known
    wanted = np.asarray(constant).dtype
    are_numbers = {known.kind, wanted.kind} <= set("biufc")
    kinds = [known, np.result_type(known, wanted)] if are_numbers else [known]
    return next((each for each in kinds if is_certain(known, each) and _holds(each, constant)), np.dtype(object))


def _holds(known: Type, constant: Any) -> bool:
    """Tell whether a constant of any type is the same as an element of an array."""
    try:
        with np.errstate(all="ignore"):
            kept = np.asarray(constant, known)[()]
        if known.kind == "m" and np.asarray(constant).dtype.kind in "biu":
            kept = kept.astype(np.int64)  # so many units: NumPy compares no duration with a number without one
        return bool(kept == constant) or bool(constant != constant and kept != kept)  # noqa: PLR0124 - what is no number
    except (TypeError, ValueError, OverflowError):
        return False


def one_by_one(elements: Array, items: Any) -> list[Any]:
    """Elements as loading them one by one from the items gives them: records, text and dates are scalars of NumPy."""
    if elements.dtype.kind not in "SUVMm" or narrow_name(elements.dtype):
        found: list[Any] = elements.ravel().tolist()
        return found
    if isinstance(items, memoryview):
        return [_BYTES[k] for k in elements.view("u1").ravel().tolist()]  # an array would drop its zeros
    return list(elements.ravel())


def as_objects(elements: Array, items: Any) -> Array:
    """Elements as Python objects, see `one_by_one`."""
    return objects(one_by_one(elements, items)).reshape(elements.shape)


def objects(found: Sequence[Any]) -> Array:
    """Array of Python objects. Any: of any types."""
    return np.fromiter(found, object, len(found))
