"""`LayoutNested`: dimensions as trees of extents and steps, as in CuTe; nested forms (digits) of other layouts.

The leaves of the tree of a dimension are the mixed radix in which its index is split into digits; the first leaf has
the lowest digit. The offset is the origin plus the sum of each digit times its step. For example, the index within a
tile and the index of the tile are two digits of one dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count, starmap
from math import prod
from typing import Final, final

from mdview.base import ValueType, as_integer, as_text, brief, has_collision, merged_digits, nests, value
from mdview.base.strided_sets import image_is_interval
from mdview.errors import LayoutError, NotNested, RankError
from mdview.index import nesting
from mdview.index.extents import is_empty, right_strides, shape_text, size_of, weights_of
from mdview.index.nesting import Digit, Tree
from mdview.index.slices import All, ExtentSlice, Selection
from mdview.layouts.layout import ENUMERATION_BUDGET, Layout, PlainLayout, Strides, Tiling, check_span
from mdview.layouts.offset_analysis import indices, offset_function, separate_tables, undecided_error


@final
@value
class LayoutNested(PlainLayout, metaclass=ValueType):
    """CuTe's layout: each index is split into mixed-radix digits, and the offset is the sum of digits times steps.

    ``modes`` has a tree of extents for each dimension, and ``steps`` a tree of steps (CuTe's strides) of the same form.
    An int instead of a tuple is a single dimension: ``8`` and ``(8,)`` are different layouts with the same offsets, as
    in CuTe. Steps may be negative or 0. `mdview.algebra` computes with these layouts and allows negative offsets; for a
    view, ``origin`` must be large enough to avoid them.

    >>> layout = LayoutNested(((2, 2), (2, 2)), ((2, 8), (1, 4)))
    >>> [[layout.offset((4, 4), (i, j)) for j in range(4)] for i in range(4)]
    [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    """

    short_name = "nested"
    modes: Tree
    steps: Tree
    first: int

    def __init__(self, modes: Tree, steps: Tree, origin: int = 0) -> None:
        """Take two trees of the same form, and the offset of index (0, ..., 0).

        Raises
        ------
        OperandError
            ``modes`` or ``steps`` is not a tree of ints.
        LayoutError
            An extent is negative, or the trees have different forms.
        """
        shape, strides = nesting.as_tree(modes, "modes"), nesting.as_tree(steps, "steps")
        if nesting.rebuilt(shape, count()) != nesting.rebuilt(strides, count()):
            raise LayoutError(f"modes and steps of LayoutNested have one form: {brief(modes)} and {brief(steps)}")
        if min(nesting.leaves(shape), default=0) < 0:
            raise LayoutError(f"extents of parts are at least 0: modes {brief(modes)}")
        _set(self, "modes", shape)
        _set(self, "steps", strides)
        _set(self, "first", int(as_integer(origin, "an origin")))

    @classmethod
    def trusted(cls, modes: Tree, steps: Tree, origin: int = 0) -> LayoutNested:
        """Return a layout of valid trees without checks."""
        self = object.__new__(cls)
        _set(self, "modes", modes)
        _set(self, "steps", steps)
        _set(self, "first", origin)
        return self

    def __repr__(self) -> str:
        """Return ``LayoutNested(((2, 4),), ((1, 8),), origin=3)``."""
        origin = f", origin={as_text(self.first)}" if self.first else ""
        return f"LayoutNested({as_text(self.modes)}, {as_text(self.steps)}{origin})"

    def constructor_arguments(self) -> dict[str, object]:
        """Return both trees and the origin."""
        return {"modes": self.modes, "steps": self.steps, "origin": self.first}

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents to which the layout can be bound."""
        return tuple(map(nesting.size_of_tree, nesting.dimensions(self.modes)))

    @property
    def size(self) -> int:
        """The number of indices."""
        return nesting.size_of_tree(self.modes)

    def flat(self) -> list[Digit]:
        """Return the digits of all dimensions in one list, as given; the digits of dimension 0 come first."""
        return list(zip(nesting.leaves(self.modes), nesting.leaves(self.steps), strict=True))

    def digits(self) -> tuple[tuple[Digit, ...], ...]:
        """Return the normal digits of each dimension; over an empty index space, no dimension has digits."""
        dimensions: tuple[tuple[Digit, ...], ...] | None = self.__dict__.get("_digits")
        if dimensions is None:
            trees = zip(nesting.dimensions(self.modes), nesting.dimensions(self.steps), strict=True)
            pairs = [list(zip(nesting.leaves(tree), nesting.leaves(steps), strict=True)) for tree, steps in trees]
            is_void = any(0 in dict(pair) for pair in pairs)
            dimensions = tuple([() if is_void else tuple(merged_digits(pair)) for pair in pairs])
            _set(self, "_digits", dimensions)
        return dimensions

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the origin plus the sum of each digit times its step."""
        offset = self.first
        for i, digits in zip(index, self.digits(), strict=True):
            offset = nesting.at(digits, i, offset)
        return offset

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Return the largest offset plus 1; 0 for an empty index space, or if no offset is at least 0."""
        return max(0, 1 + (self.offset_bounds(extents) or (0, -1))[1])

    def offset_bounds(self, extents: Sequence[int]) -> tuple[int, int] | None:
        """Return the lowest and highest offset, with each digit at one of its ends; None for an empty index space."""
        if is_empty(extents):
            return None
        low, high = nesting.bounds_of(self._all_digits()) or (0, 0)
        return self.first + low, self.first + high

    def lowest_offset(self, extents: Sequence[int]) -> int:
        """Return the lowest offset, which may be negative; 0 for an empty index space."""
        return (self.offset_bounds(extents) or (0, 0))[0]

    def check(self, extents: Sequence[int]) -> None:
        """Refuse another rank, and an extent that is not the product of its tree in ``modes``."""
        trees = nesting.dimensions(self.modes)
        if len(trees) != len(extents):
            raise RankError(f"{brief(self)} is of rank {len(trees)}, extents {shape_text(extents)} of {len(extents)}")
        for r, (tree, extent) in enumerate(zip(trees, extents, strict=True)):
            if nesting.size_of_tree(tree) != extent:
                raise LayoutError(
                    f"extent {as_text(extent)} of dimension {r} is not the product of its parts, {as_text(tree)}; "
                    f"extents {shape_text(self.extents)} are"
                )
        check_span(self, extents, LayoutError)

    def strides(self, extents: Sequence[int]) -> Strides | None:
        """Return the strides if each dimension has at most one normal digit, else None."""
        if is_empty(extents):
            return right_strides(extents)
        if any(len(digits) > 1 for digits in self.digits()):
            return None
        return tuple([digits[0][1] if digits else 1 for digits in self.digits()])

    def origin(self, extents: Sequence[int]) -> int:
        """Return the offset of index (0, ..., 0)."""
        return self.first

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether no two indices share an offset; the answer is exact."""
        digits = self._all_digits()
        return is_empty(extents) or not has_collision([n for n, _ in digits], [d for _, d in digits])

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell whether each step exceeds the reach of all smaller steps; the layout determines its extents."""
        digits = self._all_digits()
        return nests([n for n, _ in digits], [abs(d) for _, d in digits])

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether every offset below the span is the offset of an index; the answer is exact."""
        digits, bounds = self._all_digits(), self.offset_bounds(extents)
        return bounds is None or (bounds[0] == 0 and image_is_interval([n for n, _ in digits], [d for _, d in digits]))

    def knows_strides(self) -> bool:
        """Return True: `strides` returns strides whenever they exist."""
        return True

    def permuted(self, extents: Sequence[int], axes: Sequence[int]) -> LayoutNested:
        """Return the layout over permuted extents, with its trees permuted."""
        modes, steps = nesting.dimensions(self.modes), nesting.dimensions(self.steps)
        return LayoutNested.trusted(tuple([modes[r] for r in axes]), tuple([steps[r] for r in axes]), self.first)

    def transposed(self, extents: Sequence[int]) -> LayoutNested:
        """Return the layout with its two trees exchanged."""
        return self.permuted(extents, (1, 0))

    def sub(self, extents: Sequence[int], slices: Sequence[Selection]) -> tuple[Layout, int] | None:
        """Return the nested layout of slices that cut between digits, and the offset where its data begins; else None.

        Slices may have any step. The result is None as well if the part has strides.
        """
        parts: list[tuple[Tree, Tree]] = []
        first = 0
        trees = zip(nesting.dimensions(self.modes), nesting.dimensions(self.steps), self.digits(), slices, strict=True)
        for tree, steps, digits, spec in trees:
            if isinstance(spec, All):
                parts.append((tree, steps))
            elif isinstance(spec, ExtentSlice):
                part = int(spec.extent), int(spec.stride)
                composed = nesting.digits_through(digits, [part], int(spec.offset)) if spec.extent else None
                if composed is None:
                    return None
                parts.append(nesting.tree_of(composed[0][0]))
                first += composed[1]
            else:
                first += nesting.at(digits, int(spec))
        layout = LayoutNested.trusted(tuple([tree for tree, _ in parts]), tuple([steps for _, steps in parts]))
        if layout.strides(layout.extents) is not None:
            return None
        origin = -layout.lowest_offset(layout.extents)
        return LayoutNested.trusted(layout.modes, layout.steps, origin), self.first + first - origin

    def slices_follow_offset(self) -> bool:
        """Return True: the layouts of slices have the offsets of this layout."""
        return True

    def tiling(self) -> Tiling | None:
        """Return the tiles that the first digits form, if these are contiguous and do not overlap; else None."""
        digits = self.digits()
        if not any(len(parts) > 1 for parts in digits):
            return None
        tile = [parts[0] if parts else (1, 1) for parts in digits]
        extents, steps = [n for n, _ in tile], [d for _, d in tile]
        if min(steps) < 0 or not image_is_interval(extents, steps) or has_collision(extents, steps):
            return None
        blocks = [(prod(extents), 1), *[(n, abs(d)) for parts in digits for n, d in parts[1:]]]
        if not nests([n for n, _ in blocks], [d for _, d in blocks]):
            return None
        first, last = (next((abs(d) for _, d in digits[r][1:]), 0) for r in (0, -1))
        return Tiling(tuple(extents), tuple(steps), first_is_fastest=0 < first < last)

    def _all_digits(self) -> list[Digit]:
        """Return the normal digits of all dimensions in one list."""
        return list(chain.from_iterable(self.digits()))


_set: Final = object.__setattr__


def nested_form(layout: Layout, extents: Sequence[int], order: str = "F") -> LayoutNested:
    """Return the nested layout with the same offsets over extents.

    Raises
    ------
    NotNested
        No nested layout has these offsets; the error has a 1-D index in ``order`` that shows it.
    LayoutError
        The layout has padding.
    UndecidedError
        The offset is not a sum of terms in one index each, and there are more than `ENUMERATION_BUDGET` indices.
    """
    if isinstance(layout, LayoutNested):
        return layout
    shape = tuple(map(int, extents))
    if not layout.is_total():
        raise LayoutError(f"{brief(layout)} has padding, which no nested layout has; take a slice of its valid_box")
    strides = layout.strides(shape)
    if strides is not None:
        return LayoutNested.trusted(shape, tuple(map(int, strides)), int(layout.origin(shape)))
    digits = _digits_by_axis(layout, shape, order) or _digits_by_table(layout, shape, order)
    trees = list(map(nesting.tree_of, digits))
    return LayoutNested.trusted(tuple([n for n, _ in trees]), tuple([d for _, d in trees]), int(layout.origin(shape)))


def _digits_by_axis(layout: Layout, extents: tuple[int, ...], order: str) -> list[list[Digit]] | None:
    """Return the digits of each dimension if the offset is a sum of terms in one index each, else None."""
    tables = separate_tables(layout, extents) if sum(extents) <= ENUMERATION_BUDGET else None
    if tables is None:
        return None
    digits: list[list[Digit]] = []
    for table, weight in zip(tables, weights_of(extents, order), strict=True):
        try:
            digits += nesting.cut_table(table, [len(table)])
        except NotNested as error:
            first = int(layout.origin(extents)) - table[0]
            raise NotNested(error.index * weight, error.wanted + first, error.got + first) from None
    return digits


def _digits_by_table(layout: Layout, extents: tuple[int, ...], order: str) -> list[list[Digit]]:
    """Return the digits of each dimension from a table of the offsets of all indices."""
    if size_of(extents) > ENUMERATION_BUDGET:
        raise undecided_error(layout, extents, "nested", "a sum of terms in one index each as its offset")
    digits = nesting.cut_table(offset_table(layout, extents, order), extents[::-1] if order == "C" else extents)
    return digits[::-1] if order == "C" else digits


def offset_table(layout: Layout, extents: tuple[int, ...], order: str) -> list[int]:
    """Return the offsets of all indices, in order of the 1-D index."""
    offset = offset_function(layout, extents)
    if order == "C":
        return list(starmap(offset, indices(extents)))
    return [offset(*index[::-1]) for index in indices(extents[::-1])]
