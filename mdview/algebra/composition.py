"""Composition of mappings (by digits, bits or a table), coalescing, refinement, grouping of dimensions, and tilers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from itertools import starmap
from typing import Any, Final, TypeAlias

from mdview.algebra import f2
from mdview.algebra.nested_forms import NestedMapping, Order, form_of, nested_mapping, normal_of, reordered, scaled
from mdview.base import as_text, brief, merged_digits
from mdview.base.caches import remember
from mdview.errors import IndexOutOfRangeError, LayoutError, NotLinear, NotNested, RankError, ShapeError, UndecidedError
from mdview.expressions.tracing import MOST_DIMENSIONS
from mdview.index import nesting
from mdview.index.extents import weights_of
from mdview.index.index_map import IndexMap, Radix
from mdview.index.nesting import Digit, Tree
from mdview.layouts.composed import LayoutComposed
from mdview.layouts.layout import ENUMERATION_BUDGET
from mdview.layouts.nested import LayoutNested, offset_table
from mdview.mappings.mapping import AnyMapped, AnyMapping, Mapping, mapping_of
from mdview.mappings.mapping_manipulation import permute_dims, reshape
from mdview.mappings.slicing import offset_by

Tiler: TypeAlias = "AnyMapped | int | Sequence[AnyMapped | int]"
"""A mapping, a view, or an int ``n``, which means ``n:1``; or a sequence with such an entry for each dimension."""


def nested(m: AnyMapped, *, order: Order = "F") -> NestedMapping:
    """Return the mapping with a nested layout that has the same extents and the same offset at each index.

    The digits are derived from the formula of the layout; if this fails, from a table of at most a million offsets.

    >>> from mdview import LayoutTiled
    >>> nested(Mapping((8, 8), LayoutTiled(4, 4)))
    Mapping((8, 8), LayoutNested(((4, 2), (4, 2)), ((4, 32), (1, 16))))

    Raises
    ------
    NotNested
        No nested layout has these offsets; the message contains the first 1-D index that no nested layout fits.
    UndecidedError
        The mapping has too many indices for a table.
    LayoutError
        The mapping has padding.
    """
    return Mapping.trusted(mapping_of(m).extents, reordered(form_of(m, order), order))


def coalesce(m: AnyMapped, by: Tree | None = None, *, order: Order = "F") -> NestedMapping:
    """Return the mapping with the fewest digits that has the same offset at each 1-D index.

    Without ``by`` the result has rank 1, and two mappings of equal size are the same function if and only if their
    results are equal. If ``by`` is a tuple, each dimension is coalesced by itself; if the entry for a dimension is a
    tuple, too, each part of the dimension is coalesced by itself. Dimensions beyond the tuple do not change.

    >>> from mdview.algebra import from_cute
    >>> coalesce(from_cute("(2,(1,6)):(1,(6,2))")), coalesce(from_cute("(2,(1,6)):(1,(6,2))"), by=(1, 1))
    (Mapping((12,), LayoutNested(12, 1)), Mapping((2, 6), LayoutNested((2, 6), (1, 2))))
    """
    form = form_of(m, order)
    if by is None or isinstance(by, int):
        return _rebuilt(form.size, [normal_of(form)], form.first, order)
    form = reordered(form, order)
    shape, steps = _coalesced_by(form.modes, form.steps, nesting.as_tree(by, "by"))
    return nested_mapping(shape, steps, form.first)


def _coalesced_by(shape: Tree, steps: Tree, by: Tree) -> tuple[Tree, Tree]:
    """Return the trees of extents and steps with the subtree at each leaf of ``by`` coalesced.

    Parts beyond ``by`` do not change.
    """
    if isinstance(by, int) or isinstance(shape, int) or isinstance(steps, int):
        form = LayoutNested.trusted(shape, steps)
        return nesting.tree_of(normal_of(form)) if form.size else (0, 0)
    if len(by) > len(shape):
        raise RankError(f"{as_text(by)} has more parts than {as_text(shape)}")
    leading = list(starmap(_coalesced_by, zip(shape, steps, by, strict=False)))
    rest = list(zip(shape[len(by) :], steps[len(by) :], strict=True))
    return tuple([n for n, _ in [*leading, *rest]]), tuple([d for _, d in [*leading, *rest]])


def refine(m: AnyMapped, shape: Tree, *, order: Order = "F") -> NestedMapping:
    """Return the mapping over ``shape`` that has the same offset as ``m`` at each 1-D index.

    A leaf of ``shape`` becomes a tuple of digits where one digit is not enough.

    >>> from mdview.algebra import from_cute
    >>> refine(from_cute("(6,4):(1,10)"), (3, 8))
    Mapping((3, 8), LayoutNested((3, (2, 4)), (1, (3, 10))))

    Raises
    ------
    NotNested
        A leaf of ``shape`` ends within a digit of ``m``, at an index that does not divide the extent of the digit.
    ShapeError
        ``shape`` and ``m`` have different sizes.
    """
    form, wanted = form_of(m, order), nesting.as_tree(shape, "shape")
    if form.size != nesting.size_of_tree(wanted):
        raise ShapeError(
            f"a shape of {form.size} elements is needed, {as_text(wanted)} has {nesting.size_of_tree(wanted)}"
        )
    tree = nesting.turned(wanted, order)
    sizes = nesting.leaves(tree)
    parts = nesting.split_digits(normal_of(form), sizes, form.first) if form.size else [[] for _ in sizes]
    return _rebuilt(tree, parts, form.first, order)


def _rebuilt(tree: Tree, parts: Sequence[Sequence[Digit]], first: int, order: Order) -> NestedMapping:
    """Return the mapping with the form of ``tree``, whose leaves are replaced by the digits in ``parts``.

    A leaf without digits has step 0.
    """
    pairs = [nesting.tree_of(part) if part else (n, 0) for part, n in zip(parts, nesting.leaves(tree), strict=True)]
    if isinstance(tree, int) and not isinstance(pairs[0][0], int):  # a single dimension does not become several
        return nested_mapping((pairs[0][0],), (pairs[0][1],), first)
    shape, steps = (nesting.rebuilt(tree, iter([pair[k] for pair in pairs])) for k in (0, 1))
    return nested_mapping(shape, steps, first, order)


def compose(a: AnyMapped, b: Tiler, *, order: Order = "F", extend: bool = False) -> AnyMapping:
    """Return the mapping ``c -> a(b(c))``: the offsets of ``b`` are 1-D indices of ``a`` in ``order``.

    The result has a `LayoutNested` if one exists whose trees refine those of ``b``, else a `LayoutComposed`. A sequence
    ``b`` has one tiler for each dimension of ``a``, the first dimension first; dimensions without a tiler do not
    change. With ``extend`` the last digit of ``a`` has no bound, as in CuTe.

    >>> from mdview.algebra import from_cute
    >>> compose(from_cute("(6,2):(8,2)"), from_cute("(4,3):(3,1)"))
    Mapping((4, 3), LayoutNested(((2, 2), 3), ((24, 2), 8)))
    >>> type(compose(from_cute("(6,4):(1,10)"), from_cute("(2,3):(3,2)")).layout).__name__
    'LayoutComposed'

    Raises
    ------
    IndexOutOfRangeError
        An offset of ``b`` is not a 1-D index of ``a``.
    NotNested
        No nested layout has the offsets of ``b``.
    UndecidedError
        ``b`` has too many indices to decide whether a nested layout exists.
    """
    outer = mapping_of(a, "a")
    inner = _inner(outer, b, order)
    form = _known_form(outer, order)
    key = (form, inner, order, extend)
    composed = None if form is None else _known.get(key)
    if composed is None:
        composed = _compose(outer, form, inner, order, extend=extend)
        if form is not None and len(form.flat()) + len(inner.flat()) <= MOST_DIMENSIONS:
            remember(_known, key, composed)
    return composed


_known: Final[dict[Hashable, AnyMapping]] = {}
"""A cache of compositions, by both layouts, the order and ``extend``; only layouts with few digits are kept."""


def _known_form(mapping: AnyMapping, order: Order) -> LayoutNested | None:
    """Return the nested layout of a mapping, with its dimensions fastest first.

    The result is None if no nested layout exists, or if there are too many indices to decide.
    """
    try:
        return form_of(mapping, order)
    except (NotNested, LayoutError, UndecidedError):
        return None


def _inner(mapping: AnyMapping, b: Any, order: Order) -> LayoutNested:  # Any: a tiler, or refused
    """Return the layout whose offsets are the 1-D indices that a tiler selects from a mapping.

    Its dimensions are fastest first.
    """
    if not isinstance(b, tuple | list):
        return tiler_of(b, order, "b")
    tilers = tilers_of(mapping, b, order, "make it smaller")
    tilers += [LayoutNested.trusted(int(e), 1) for e in mapping.extents[len(tilers) :]]
    layouts = [scaled(tiler, w) for tiler, w in zip(tilers, weights_of(mapping.extents, order), strict=True)]
    shapes, steps = tuple([tiler.modes for tiler in layouts]), tuple([tiler.steps for tiler in layouts])
    return reordered(LayoutNested.trusted(shapes, steps, sum([tiler.first for tiler in layouts])), order)


def tiler_of(
    tiler: Any, order: Order, name: str = "a tiler"
) -> LayoutNested:  # Any: a mapping, an int, or another object, which is refused
    """Return the layout of one tiler: the nested form of a mapping or a view, or ``n:1`` for an int.

    Its dimensions are fastest first.
    """
    if isinstance(tiler, int):
        if tiler < 1:
            raise ShapeError(f"a tile has at least 1 element, got {as_text(tiler)}")
        return LayoutNested.trusted(int(tiler), 1)
    return form_of(tiler, order, name)


def tilers_of(mapping: AnyMapping, entries: Sequence[Any], order: Order, way: str | None) -> list[LayoutNested]:
    """Return the layout of each tiler; the first tiler is for the first dimension of ``mapping``.

    Unless ``way`` is None, check that each tiler stays within its dimension; the error message ends with the hint
    ``way``.
    """
    if len(entries) > mapping.rank:
        raise RankError(
            f"{len(entries)} tilers for the {mapping.rank} dimensions of {brief(mapping)}; give one for each"
        )
    layouts = [tiler_of(entry, order) for entry in entries]
    for r, tiler in enumerate(layouts if way is not None else ()):
        check_within(tiler, mapping.extents[r], f"tiler {r}", way)
    return layouts


EXTEND: Final = "make it smaller, or pass extend=True to let the last digit go on"


def check_within(inner: LayoutNested, size: int, name: str = "b", way: str | None = EXTEND) -> None:
    """Check that all offsets of a layout are at least 0 and below ``size``.

    Raises
    ------
    IndexOutOfRangeError
        An offset lies outside this range; the message contains the 1-D index of the offset.
    """
    digits = inner.flat()
    bounds = nesting.bounds_of(digits)
    if bounds is None:
        return
    low, high = inner.first + bounds[0], inner.first + bounds[1]
    if low < 0 or high >= size:
        corner = [n - 1 if d and (d < 0) == (low < 0) else 0 for n, d in digits]
        number = sum([i * w for i, w in zip(corner, weights_of([n for n, _ in digits], "F"), strict=True)])
        raise IndexOutOfRangeError(
            f"index {number} of {name} has value {as_text(low if low < 0 else high)}, and there "
            f"are {size} indices to reach; {way}"
        )


def _compose(
    outer: AnyMapping, form: LayoutNested | None, inner: LayoutNested, order: Order, *, extend: bool
) -> AnyMapping:
    """Compose a mapping with a nested layout; ``form`` is the nested layout of the mapping, or None if it has none."""
    flat = inner.flat()
    digits, first = (None, 0) if form is None else (normal_of(form), form.first)
    if extend and form is not None:
        last = digits[-1] if digits else (1, [0, *nesting.leaves(form.steps)][-1])
        digits = [*(digits or [])[:-1], (_ENDLESS, last[1])]
    else:
        check_within(inner, outer.size)
    if not inner.size:
        return _rebuilt(inner.modes, [[] for _ in flat], 0, order)
    if not outer.layout.is_total():
        return _composed(outer, form, inner, order)
    steps = None if digits is None else nesting.digits_through(digits, flat, inner.first)
    if steps is None:
        try:  # a digit carries, or two carry together
            steps = _by_table(digits, outer, inner, order)
        except NotNested:
            return _composed(outer, form, inner, order)
    return _rebuilt(inner.modes, steps[0], steps[1] + first, order)


_ENDLESS: Final = 1 << 63


def _by_table(
    digits: list[Digit] | None, outer: AnyMapping, inner: LayoutNested, order: Order
) -> tuple[list[list[Digit]], int]:
    """Return the digits of each leaf of ``inner`` and the first value, both from a table of the values at all indices.

    If ``digits`` is given, the values do not include the origin of ``outer``. If there are more than a million indices,
    no table is made, and the composition must be linear over bits.
    """
    if max(inner.size, 0 if digits is not None else outer.size) > ENUMERATION_BUDGET:
        with suppress(NotLinear, LayoutError):
            return _by_bits(outer, inner, order)
        raise UndecidedError(
            f"whether a composition over {inner.size} indices is nested takes a look at each, more than "
            f"{ENUMERATION_BUDGET}; compose parts of it"
        )
    numbers = nesting.digit_values(inner.flat(), inner.first)
    if digits is None:
        table = offset_table(outer.layout, outer.extents, order)
        offsets = [table[number] for number in numbers]
    else:
        offsets = [nesting.at(digits, number) for number in numbers]
    return nesting.cut_table(offsets, nesting.leaves(inner.modes)), offsets[0]


def _by_bits(outer: AnyMapping, inner: LayoutNested, order: Order) -> tuple[list[list[Digit]], int]:
    """Return the digits of each leaf of ``inner`` for a composition that is linear over bits, and the first value.

    The composition is nested if and only if no two of its bases share a bit: then each exclusive or of bases is their
    sum.
    """
    numbers = nested_mapping(inner.modes, inner.steps, inner.first, order)
    layout = f2.compose(outer, numbers, order=order).layout
    bases = [base for row in layout.bases[:: 1 if order == "F" else -1] for base in row]
    steps = [(layout.start ^ base) - layout.start for base in bases]
    for k, base in enumerate(bases):
        for j in range(k):
            if base & bases[j]:
                got = layout.start ^ base ^ bases[j]
                raise NotNested((1 << j) + (1 << k), layout.start + steps[j] + steps[k], got)
    rest = iter(steps)
    parts = [merged_digits([(2, next(rest)) for _ in range(n.bit_length() - 1)]) for n in nesting.leaves(inner.modes)]
    return parts, layout.start


def _composed(outer: AnyMapping, form: LayoutNested | None, inner: LayoutNested, order: Order) -> AnyMapping:
    """Return a composition as a `LayoutComposed`, which splits an offset of ``inner`` into an index of ``outer``."""
    base, shift, inner = outer, 0, reordered(inner, order)
    if form is not None:
        sizes, steps = (tuple([leaf[k] for leaf in normal_of(form)[::-1]]) for k in (0, 1))
        base = Mapping.trusted(sizes, LayoutNested.trusted(sizes, steps, form.first))
    elif order == "F":
        base, shift = permute_dims(outer, tuple(range(outer.rank))[::-1])
    parts, weights = (
        [leaf for mode in nesting.dimensions(tree) for leaf in nesting.leaves(mode)[::-1]]
        for tree in (inner.modes, inner.steps)
    )
    step = IndexMap.of_digits(Radix(inner.first, tuple(weights), tuple(map(int, base.extents))))
    flat = Mapping.trusted(tuple(parts), LayoutComposed(base.layout, base.extents, step))
    reshaped, moved = reshape(flat, inner.extents)
    return offset_by(reshaped, shift + moved)


def group(m: AnyMapped, begin: int, end: int, *, order: Order = "F") -> NestedMapping:
    """Return the mapping with dimensions ``begin`` to ``end - 1`` joined to one; offsets at 1-D indices do not change.

    >>> from mdview.algebra import from_cute
    >>> group(from_cute("(2,3,5):(1,2,6)"), 0, 2)
    Mapping((6, 5), LayoutNested(((2, 3), 5), ((1, 2), 6)))

    Raises
    ------
    RankError
        The range of dimensions is empty or not within the rank.
    """
    form = reordered(form_of(m, order), order)
    shape, steps = nesting.dimensions(form.modes), nesting.dimensions(form.steps)
    if not 0 <= begin < end <= len(shape):
        raise RankError(f"dimensions from {as_text(begin)} to {as_text(end)} are no range within rank {len(shape)}")
    if end == begin + 1:
        return nested_mapping(shape, steps, form.first)
    trees = [(*tree[:begin], nesting.turned(tree[begin:end], order), *tree[end:]) for tree in (shape, steps)]
    return nested_mapping(trees[0], trees[1], form.first)


def at_coordinate(m: AnyMapped, coordinate: Any, *, order: Order = "F") -> int:  # Any: a tree, else it is refused
    """Return the offset at a coordinate, which has the form of the trees of the layout.

    An int in place of a part of the tree is the 1-D index within that part; an int alone is the 1-D index of ``m``.

    >>> from mdview.algebra import from_cute
    >>> m = from_cute("(3,(2,3)):(3,(12,1))")
    >>> at_coordinate(m, 16), at_coordinate(m, (1, 5)), at_coordinate(m, (1, (1, 2)))
    (17, 17, 17)

    Raises
    ------
    RankError
        A tuple in the coordinate has a different number of parts than the corresponding tuple of the tree.
    IndexOutOfRangeError
        An int in the coordinate lies outside the indices of its part.
    """
    form, tree = form_of(m, order), nesting.as_tree(coordinate, "a coordinate")
    return form.first + _value_at(form.modes, form.steps, nesting.turned(tree, order))


def _value_at(shape: Tree, steps: Tree, coordinate: Tree) -> int:
    if isinstance(coordinate, int):
        size = nesting.size_of_tree(shape)
        if not 0 <= coordinate < size:
            raise IndexOutOfRangeError(f"coordinate {as_text(coordinate)} is out of range for {size} indices")
        return nesting.at(list(zip(nesting.leaves(shape), nesting.leaves(steps), strict=True)), coordinate)
    parts = () if isinstance(shape, int) or isinstance(steps, int) else list(zip(shape, steps, strict=True))
    if len(parts) != len(coordinate):
        raise RankError(f"coordinate {as_text(coordinate)} has not the form of {as_text(shape)}")
    return sum([_value_at(n, d, i) for (n, d), i in zip(parts, coordinate, strict=True)])
