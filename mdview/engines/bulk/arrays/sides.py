"""A side is one operand of a bulk operation as arrays: it reads elements in a box of indices and stores items there.

An array of elements has the numbers that reading them one by one gives, in a type that holds them exactly; where there
is none it has Python objects. The accessor's own definition is applied to arrays (see `formulas`), so what an access
does is written once. A padded operand is several sides, one for each of its boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from operator import mul
from typing import Any, Final, TypeAlias, cast, final

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.fill import Constant, FillAccessor, fill_of
from mdview.accessors.tracing import reading, storing
from mdview.engines.bulk.arrays.cache_order import copy_array
from mdview.engines.bulk.arrays.convert import converted, is_certain
from mdview.engines.bulk.arrays.formulas import as_read, results
from mdview.engines.bulk.arrays.gather import finder, is_distinct, scatter, target_finder
from mdview.engines.bulk.arrays.items import row_of, strided
from mdview.engines.bulk.arrays.strided_blocks import Block
from mdview.engines.bulk.arrays.tables import Offsets
from mdview.engines.bulk.boxes import Box, whole
from mdview.engines.bulk.operand import Operand
from mdview.engines.padded_boxes import pieces, staged
from mdview.index.orders import right_strides

Array = NDArray[Any]  # Any: of whatever format the items are
Type = np.dtype[Any]

Place: TypeAlias = Any
"""A `Box`, or where all operands of a step are direct a `Block`, which has a shape for all and a place for each."""

_BYTES: Final = [bytes((k,)) for k in range(256)]


@final
class DirectSide:
    """An operand all of whose indices stand for an element.

    Attributes
    ----------
    operand, row
        The operand, and its items as an array.
    """

    __slots__ = ("_find", "_window", "operand", "row")

    is_uniform = True
    boxes: Sequence[Box] = ()
    """Those of the pieces that it is read in; none where it is of one piece."""

    def __init__(self, operand: Operand, row: Array) -> None:
        """Look at where the elements of a strided operand are."""
        self.operand: Operand = operand
        self.row: Array = row
        self._window = _window(operand, row)
        self._find: Callable[[Box], Offsets] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the items are the elements."""
        return self.operand.accessor.is_plain

    def find(self, box: Box) -> Offsets:
        """Positions of the elements of a box, in its shape."""
        if self._find is None:
            self._find = finder(self.operand.mapping, self.operand.origin, len(self.row))
        return self._find(box)

    def items(self, place: Place, k: int = 0) -> Array:
        """Items of a place in its shape, this being operand ``k`` of a step: strided ones themselves, or copied."""
        if isinstance(place, Block):
            return place.of(k, self.row)
        if self._window is not None:
            seen: Array = self._window[place.slices]
            return seen
        if 0 in place.counts:
            return np.empty(place.counts, self.row.dtype)
        return np.asarray(np.take(self.row, self.find(place), mode="clip"))  # they are known to be in range

    def through(self, items: Array) -> Array:
        """Elements that the accessor makes of items."""
        formula = None if self.operand.accessor.is_plain else reading(self.operand.accessor)
        if formula is None:
            return items
        found = results(formula, items)
        if found is None:
            return objects(formula.each(one_by_one(items, self.operand.items))).reshape(items.shape)
        if found.dtype == np.uint64 and found.size and int(found.max()) < 1 << 63:
            found = found.astype(np.int64)  # which NumPy takes for whole numbers
        return found

    def read(self, place: Place, k: int = 0) -> Array:
        """Elements of a place in its shape, see `items`."""
        return self.through(self.items(place, k))

    def values(self, box: Box) -> list[Any]:
        """Elements of a box in index order, as reading them one by one gives them. Any: what the accessor gives."""
        return one_by_one(self.read(box), self.operand.items)

    def encoded(self, values: Array) -> Array | None:
        """Items that storing values writes, None where they have to be stored one by one."""
        formula = None if self.operand.accessor.is_plain else storing(self.operand.accessor)
        read = values if values.dtype == self.row.dtype else as_read(values)
        found = read if formula is None else results(formula, values)
        return None if found is None else converted(found, self.row.dtype)

    def store(self, place: Place, items: Array, k: int = 0) -> None:
        """Store items of the format of the row, in the shape of a place; of several for one position the last stays."""
        if isinstance(place, Block):
            np.copyto(place.of(k, self.row), items)
            return
        mapping = self.operand.mapping
        distinct = is_distinct(mapping, whole(mapping.extents))
        if not items.size:
            return
        if self._window is None or not distinct:
            scatter(self.row, self.find(place), items, distinct=distinct)
            return
        seen, steps = self._window[place.slices], self._window.strides
        if not items.dtype.hasobject and min(steps, default=0) > 0 and sorted(steps, reverse=True) == list(steps):
            copy_array(items, seen)
        else:
            seen[...] = items

    def check_target(self) -> None:
        """Refuse positions outside of the items before the first is used."""
        if self._window is None:
            self._find = target_finder(self.operand.mapping, self.operand.origin, len(self.row))


@final
class PaddedSide:
    """An operand with padding that its `FillAccessor` fills: pieces that are sides, and others that are one constant.

    Attributes
    ----------
    operand
        The operand.
    is_uniform
        Whether the constant is of the type that all other elements have in Python.
    """

    __slots__ = ("_constant", "_inside", "_pieces", "_type", "is_uniform", "operand")

    def __init__(
        self, operand: Operand, found: Sequence[tuple[Box, Side | None]], constant: Any, kind: Type | None
    ) -> None:
        """Keep the pieces, and the element that those without a side read as. Any: what the accessor gives.

        ``kind`` is the type of elements where there are none; None if it is that of the constant.
        """
        self.operand: Operand = operand
        self._pieces = found
        self._constant = constant
        constants = [constant] * any(side is None for _, side in found)
        inside = next(((side, len(box.first)) for box, side in found if side), None)
        one = None if inside is None else (inside[0], Box((0,) * inside[1], (1,) * inside[1]))
        self._inside = kind if one is None else one[0].read(one[1]).dtype
        self._type = common_type([] if self._inside is None else [self._inside], constants)
        self.is_uniform: bool = not constants or (one is not None and type(one[0].values(one[1])[0]) is type(constant))

    @property
    def boxes(self) -> Sequence[Box]:
        """Boxes of the pieces."""
        return [box for box, _ in self._pieces]

    def read(self, box: Place, _: int = 0) -> Array:
        """Elements of a box in its shape."""
        parts = [(part, None if at is None else at[0].read(at[1])) for part, at in self._within(box)]
        types = {array.dtype for _, array in parts if array is not None}
        wanted = self._type if types <= {self._inside} else common_type({*types, self._inside}, [self._constant])
        if len(parts) == 1 and types == {wanted}:
            return cast("Array", parts[0][1])
        made = np.empty(box.counts, wanted)
        for part, array in parts:
            given = as_objects(array, self.operand.items) if made.dtype.hasobject and array is not None else array
            made[part.seen_from(box.first).slices] = self._constant if given is None else given
        return made

    def values(self, box: Box) -> list[Any]:
        """Elements of a box in index order, see `DirectSide.values`."""
        found = one_by_one(self.read(box), self.operand.items)
        weights = right_strides(box.counts)
        for place in [] if self.is_uniform else [place for place, at in self._within(box) if at is None]:
            ranges = [range(f, f + n) for f, n in zip(place.seen_from(box.first).first, place.counts, strict=True)]
            row = ranges.pop() if ranges else range(1)
            for index in product(*ranges):
                start = row.start + sum(map(mul, index, weights))
                found[start : start + len(row)] = [self._constant] * len(row)
        return found

    def _within(self, box: Box) -> list[tuple[Box, tuple[Side, Box] | None]]:
        """Parts of a box, each with the side it is read from and the box there, or None for the constant."""
        found = [(place.within(box), place, side) for place, side in self._pieces]
        return [(p, None if side is None else (side, p.seen_from(at.first))) for p, at, side in found if p is not None]


@final
class StagedSide:
    """An operand of which what it reaches of another mapping is read first, as one array: padding behind a reshape."""

    __slots__ = ("_over", "_part", "_read", "operand")

    boxes: Sequence[Box] = ()

    def __init__(self, operand: Operand, part: Side, over: Operand) -> None:
        """Keep the side that is read first, and the operand over what is read."""
        self.operand: Operand = operand
        self._part = part
        self._over = over
        self._read: dict[bool, Side] = {}

    def read(self, box: Place, _: int = 0) -> Array:
        """Elements of a box in its shape."""
        return self._after(as_objects=False).read(box)

    def values(self, box: Box) -> list[Any]:
        """Elements of a box in index order, see `DirectSide.values`."""
        return self._after(as_objects=not self.is_uniform).values(box)

    @property
    def is_uniform(self) -> bool:
        """Whether all elements are of one type in Python."""
        return self._part.is_uniform

    def _after(self, *, as_objects: bool) -> Side:
        known = self._read.get(as_objects)
        if known is None:
            box = whole(self._part.operand.mapping.extents)
            row = objects(self._part.values(box)) if as_objects else self._part.read(box).ravel()
            known = self._read[as_objects] = _side(self._over, row) or DirectSide(self._over, row)
        return known


Side: TypeAlias = DirectSide | PaddedSide | StagedSide


def side_of(operand: Operand) -> Side | None:
    """Return an operand as arrays; None where items, accessor or padding have to be asked one by one."""
    row = row_of(operand.items)
    if row is None or not (operand.accessor.is_plain or reading(operand.accessor) is not None):
        return None
    return _side(operand, row)


def _side(operand: Operand, row: Array) -> Side | None:
    """Return the side of an operand whose items are those of a row."""
    if operand.mapping.layout.is_total():
        return DirectSide(operand, row)
    fill = fill_of(operand.accessor)
    if fill is None:
        return None
    constant = operand.accessor.read(Constant(fill.constant), 0)
    found = pieces(operand.mapping, fill.mode)
    if found is None:
        return _staged_side(operand, row, FillAccessor(fill.mode, constant))
    boxes = [Box(p.first, p.count) for p in found]
    sides = [None if p.mapping is None else _side(operand.through(p.mapping, p.shift), row) for p in found]
    unread = any(side is None and piece.mapping is not None for side, piece in zip(sides, found, strict=True))
    kind = row.dtype if operand.accessor.is_plain else None
    return None if unread else PaddedSide(operand, list(zip(boxes, sides, strict=True)), constant, kind)


def _staged_side(operand: Operand, row: Array, fill: FillAccessor[Any]) -> StagedSide | None:
    """Return an operand that is read in two steps; ``fill`` fills what is read."""
    both = staged(operand.mapping, fill.mode)
    part = None if both is None else _side(operand.through(*both[0]), row)
    if part is None or both is None:
        return None
    return StagedSide(operand, part, Operand(operand.items, both[1][0], both[1][1], fill))


def common_type(types: Iterable[Type | None], constants: Sequence[Any]) -> Type:
    """Type of an array of elements of these types and some constants, of any type; objects where none is exact."""
    found = {kind for kind in types if kind is not None}
    if len(found) != 1:
        return np.dtype(object) if found else np.asarray(constants[0]).dtype
    (known,) = found
    for constant in constants:
        if not _holds(known, constant):
            wanted = np.asarray(constant).dtype
            if not {known.kind, wanted.kind} <= set("biufc"):
                return np.dtype(object)
            both = np.result_type(known, wanted)
            return both if is_certain(known, both) and _holds(both, constant) else np.dtype(object)
    return known


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
    if elements.dtype.kind not in "SUVMm":
        found: list[Any] = as_read(elements).ravel().tolist()
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


def _window(operand: Operand, row: Array) -> Array | None:
    """Array of a strided mapping over its items, or None where it has no strides."""
    strides = operand.mapping.found_strides()
    if strides is None:
        return None
    if not operand.mapping.size:
        return np.empty(tuple(map(int, operand.mapping.extents)), row.dtype)
    return strided(row, tuple(map(int, operand.mapping.extents)), operand.origin + operand.mapping.origin, strides)
