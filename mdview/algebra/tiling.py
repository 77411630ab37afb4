"""Division into tiles, products of tiles and grids, elements of another size, null spaces, and common indices."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final, SupportsIndex, TypeAlias

from mdview.algebra.composition import Tiler, check_within, compose, tiler_of, tilers_of
from mdview.algebra.inverses import covering, right_inverse
from mdview.algebra.nested_forms import NestedMapping, Order, form_of, made_flat, nested_mapping, normal_of, scaled
from mdview.base import as_entries, as_integer, as_text, merged_digits
from mdview.errors import NotNested, RankError, ShapeError
from mdview.index.extents import weights_of
from mdview.index.nesting import Digit, Tree, bounds_of, compact, dimensions, rebuilt, tree_of, tree_text, turned
from mdview.layouts.nested import LayoutNested
from mdview.layouts.swizzle_transpose import LayoutSwizzled, swizzle_of
from mdview.mappings.mapping import AnyMapped, AnyMapping, Mapping, mapping_of
from mdview.mappings.mapping_manipulation import pad, permute_dims, ravel
from mdview.mappings.slicing import offset_by

Pair: TypeAlias = tuple[Tree, Tree]
"""A tree of extents and a tree of steps."""


def logical_divide(a: AnyMapped, b: Tiler, *, order: Order = "F", ragged: bool = False) -> AnyMapping:
    """Return ``a`` divided into tiles ``b``: dimension 0 runs within a tile, dimension 1 from tile to tile.

    Dimension 0 is ``compose(a, b)``, dimension 1 is ``compose(a, complement(b, a.size))``; the result has each offset
    as often as ``a``. A sequence ``b`` has a tiler for each dimension of ``a``: the dimension then has two parts, a
    tile and a rest. With ``ragged`` the last tile may exceed ``a``: the result has padding there.

    >>> from mdview.algebra import from_cute
    >>> logical_divide(from_cute("16:1"), 4)
    Mapping((4, 4), LayoutNested((4, 4), (1, 4)))

    Raises
    ------
    ShapeError
        A tile and its rest together have another number of indices than ``a`` or the dimension.
    Collision, NotNested
        ``b`` has no complement.
    IndexOutOfRangeError
        An offset of ``b`` is not a 1-D index of ``a`` or of the dimension.
    """
    return _divided(a, b, order, None, ragged=ragged)


def zipped_divide(a: AnyMapped, b: Tiler, *, order: Order = "F", ragged: bool = False) -> AnyMapping:
    """Return ``a`` divided into tiles, with rank 2: dimension 0 runs within a tile, dimension 1 over all tiles.

    Errors and ``ragged`` are those of `logical_divide`.

    >>> from mdview.algebra import from_cute
    >>> zipped_divide(from_cute("(4,6):(1,4)"), (2, 3))
    Mapping((6, 4), LayoutNested(((2, 3), (2, 2)), ((1, 4), (2, 12))))
    """
    return _divided(a, b, order, (True, True), ragged=ragged)


def tiled_divide(a: AnyMapped, b: Tiler, *, order: Order = "F", ragged: bool = False) -> AnyMapping:
    """Return ``a`` divided into tiles: dimension 0 runs within a tile, the other dimensions are those of the grid.

    Errors and ``ragged`` are those of `logical_divide`.

    >>> from mdview.algebra import from_cute
    >>> tiled_divide(from_cute("(4,6):(1,4)"), (2, 3)).extents
    (6, 2, 2)
    """
    return _divided(a, b, order, (True, False), ragged=ragged)


def flat_divide(a: AnyMapped, b: Tiler, *, order: Order = "F", ragged: bool = False) -> AnyMapping:
    """Return ``a`` divided into tiles: the dimensions within a tile come first, then the dimensions of the grid.

    Errors and ``ragged`` are those of `logical_divide`.

    >>> from mdview.algebra import from_cute
    >>> flat_divide(from_cute("(4,6):(1,4)"), (2, 3)).extents
    (2, 3, 2, 2)
    """
    return _divided(a, b, order, (False, False), ragged=ragged)


def _divided(  # Any: a tiler
    a: AnyMapped, b: Any, order: Order, packed: tuple[bool, bool] | None, *, ragged: bool
) -> AnyMapping:
    """Compose a mapping, padded where tiles are ragged, with the tiler and its complement.

    ``packed`` states whether all tiles form one dimension, and whether all rests form one dimension. If ``packed`` is
    None, each dimension of the result consists of a tile and its rest.
    """
    mapping, is_by_mode = mapping_of(a, "a"), isinstance(b, tuple | list)
    extents = [int(e) for e in mapping.extents] if is_by_mode else [mapping.size]
    way = None if ragged else "make it smaller, or ragged=True"
    tiles = tilers_of(mapping, b, order, way) if is_by_mode else [tiler_of(b, order)]
    if not (is_by_mode or ragged):
        check_within(tiles[0], mapping.size, way=way)
    pairs = [(tile, covering(tile, extent)) for tile, extent in zip(tiles, extents, strict=False)]
    longer = [_length(*pair, extent, ragged=ragged) for pair, extent in zip(pairs, extents, strict=False)]
    pairs += [(LayoutNested.trusted((), ()), LayoutNested.trusted(extent, 1)) for extent in extents[len(pairs) :]]
    longer += extents[len(longer) :]
    if longer != extents:
        mapping = mapping if is_by_mode else _raveled(mapping, order)
        mapping = offset_by(*pad(mapping, [(0, n - e) for n, e in zip(longer, extents, strict=True)]))
    weights = weights_of(longer, order)
    placed = [(scaled(tile, w), scaled(rest, w)) for (tile, rest), w in zip(pairs, weights, strict=True)]
    first = sum([tile.first for tile, _ in placed])
    inside, rests = ([(pair[k].modes, pair[k].steps) for pair in placed] for k in (0, 1))
    modes = _arranged(inside, rests, order, packed) if is_by_mode else []
    if not is_by_mode:  # one tile and one rest, unpacked into dimensions on request
        for side, is_packed in zip((inside, rests), packed or (True, True), strict=True):
            modes += side if is_packed else _unpacked(side, order)
    numbers = nested_mapping(tuple([n for n, _ in modes]), tuple([d for _, d in modes]), first)
    return compose(mapping, numbers, order=order)


def _arranged(
    tiles: Sequence[Pair], rests: Sequence[Pair], order: Order, packed: tuple[bool, bool] | None
) -> list[Pair]:
    """Return the dimensions of a result from the tile and the rest of each dimension; ``packed`` as in `_divided`."""
    if packed is None:
        pairs = zip(tiles, rests, strict=True)
        return [_packed((tile, rest), "F") if tile[0] != () else rest for tile, rest in pairs]
    sides = zip(([tile for tile in tiles if tile[0] != ()], rests), packed, strict=True)
    return [pair for side, is_packed in sides for pair in ([_packed(side, order)] if is_packed else side)]


def _length(tile: LayoutNested, rest: LayoutNested, extent: int, *, ragged: bool) -> int:
    """Return the number of indices of a tile and its rest; check that it is ``extent``, or not less if ``ragged``."""
    reached = tile.size * rest.size
    repeats = any(d == 0 and n > 1 for n, d in tile.flat())
    if reached == extent or (ragged and reached > extent and not repeats):
        return reached
    if repeats:
        text = f"{tree_text(tile.modes)}:{tree_text(tile.steps)}"
        raise ShapeError(f"the tile {text} has one value at several indices; let each have its own")
    period = tile.size * covering(tile, 1).size
    raise ShapeError(
        f"{extent} is no multiple of {period}, the reach of tile and rest; pad to {reached}, or ragged=True"
    )


def _raveled(mapping: AnyMapping, order: Order) -> AnyMapping:
    """Return a mapping with its dimensions joined to one, whose index is the 1-D index in ``order``."""
    turned_axes = tuple(range(mapping.rank))[:: 1 if order == "C" else -1]
    return offset_by(*ravel(offset_by(*permute_dims(mapping, turned_axes))))


def _packed(pairs: Sequence[Pair], order: Order) -> Pair:
    """Combine pairs of trees into one pair, which describes one dimension; the first pair is fastest in order "F"."""
    turn = pairs if order == "F" else pairs[::-1]
    return tuple([n for n, _ in turn]), tuple([d for _, d in turn])


def _unpacked(pairs: Sequence[Pair], order: Order) -> list[Pair]:
    """Split the only pair of trees into its parts; each part is the pair of a dimension of its own."""
    ((shape, steps),) = pairs
    return list(zip(dimensions(turned(shape, order)), dimensions(turned(steps, order)), strict=True))


def logical_product(a: AnyMapped, b: Tiler, *, order: Order = "F") -> AnyMapping:
    """Return copies of the tile ``a`` arranged by ``b``: the mapping ``(i, j) -> a(i) + c(b(j))``.

    ``c`` is ``complement(a, a.size * span of b)``. The result is unique if ``a`` and ``b`` are unique.

    >>> from mdview.algebra import from_cute
    >>> logical_product(from_cute("(2,2):(4,1)"), from_cute("6:1"))
    Mapping((4, 6), LayoutNested(((2, 2), (2, 3)), ((4, 1), (2, 8))))

    Raises
    ------
    Collision, NotNested
        ``a`` has no complement.
    """
    tile, grid = form_of(a, order, "a"), tiler_of(b, order)
    grid_steps = scaled(grid, tile.size).steps
    return _multiplied(tile, grid, (tile.modes, grid.modes), (compact(tile.modes), grid_steps))


def blocked_product(a: AnyMapped, b: Tiler, *, order: Order = "F") -> AnyMapping:
    """Return tiles ``a`` in a grid ``b``: in each dimension, the index within the tile is faster than the grid index.

    The mapping with the lower rank is extended by dimensions of extent 1. Offsets are those of `logical_product`.

    >>> from mdview.algebra import from_cute
    >>> blocked_product(from_cute("(2,5):(5,1)"), from_cute("(3,4):(1,3)"))
    Mapping((6, 20), LayoutNested(((2, 3), (5, 4)), ((5, 10), (1, 30))))

    Raises
    ------
    Collision, NotNested
        ``a`` has no complement.
    """
    return _repeated(a, tiler_of(b, order), order, tile_first=True)


def raked_product(a: AnyMapped, b: Tiler, *, order: Order = "F") -> AnyMapping:
    """Return tiles ``a`` in a grid ``b``, interleaved: the grid index is faster than the index within the tile.

    All else is as for `blocked_product`.

    >>> from mdview.algebra import from_cute
    >>> raked_product(from_cute("(2,5):(5,1)"), from_cute("(3,4):(1,3)"))
    Mapping((6, 20), LayoutNested(((3, 2), (4, 5)), ((10, 5), (30, 1))))
    """
    return _repeated(a, tiler_of(b, order), order, tile_first=False)


def tile_to_shape(a: AnyMapped, shape: Tiler, order: Order = "F") -> AnyMapping:
    """Return ``a`` repeated until it fills ``shape``: the blocked product of ``a`` and the dense grid in ``order``.

    >>> from mdview.algebra import from_cute
    >>> tile_to_shape(from_cute("(2,2):(2,1)"), (4, 6))
    Mapping((4, 6), LayoutNested(((2, 2), (2, 3)), ((2, 4), (1, 8))))

    Raises
    ------
    ShapeError
        An extent of ``shape`` is not a multiple of the extent of ``a`` in that dimension.
    RankError
        ``shape`` has fewer dimensions than ``a``.
    Collision, NotNested
        ``a`` has no complement.
    """
    extents, mapping = [int(as_integer(e, "an extent")) for e in as_entries(shape, "shape")], mapping_of(a, "a")
    ones = (1,) * (len(extents) - mapping.rank)
    if len(extents) < mapping.rank:
        raise RankError(f"a tile of rank {mapping.rank} fills a shape of as many dimensions, got {as_text(extents)}")
    tile = (*mapping.extents, *ones) if order == "F" else (*ones, *mapping.extents)
    for r, (extent, n) in enumerate(zip(extents, tile, strict=True)):
        if n == 0 or extent < 1 or extent % n:
            way = f"pad to {max(1, -(-extent // max(n, 1))) * n}"
            raise ShapeError(f"extent {as_text(extent)} of dimension {r} is no multiple of {n}, the tile there; {way}")
    grid = [extent // n for extent, n in zip(extents, tile, strict=True)]
    shape_tree = turned(tuple(grid), order)
    return _repeated(a, LayoutNested.trusted(shape_tree, compact(shape_tree)), order, tile_first=True)


def _repeated(a: AnyMapped, grid: LayoutNested, order: Order, *, tile_first: bool) -> AnyMapping:
    """Return the product of a tile and a grid; each dimension has a digit of the tile and a digit of the grid."""
    tile = form_of(a, order, "a")
    sides = [
        list(zip(dimensions(shape), dimensions(steps), strict=True))
        for shape, steps in ((tile.modes, compact(tile.modes)), (grid.modes, scaled(grid, tile.size).steps))
    ]
    rank = max(map(len, sides))
    tiles, grids = ([*side, *[_ONE] * (rank - len(side))] for side in sides)
    pairs = [_packed(pair if tile_first else pair[::-1], "F") for pair in zip(tiles, grids, strict=True)]
    shape, steps = (turned(tuple([pair[k] for pair in pairs]), order) for k in (0, 1))
    return _multiplied(tile, grid, shape, steps)


_ONE: Final[Pair] = (1, 0)


def _multiplied(tile: LayoutNested, grid: LayoutNested, shape: Tree, steps: Tree) -> AnyMapping:
    """Compose the mapping (tile, complement of the tile) of rank 2 with a nested mapping over its 1-D indices.

    ``shape`` and ``steps`` are the trees of the nested mapping; ``grid`` arranges the copies of the tile.
    """
    bounds = bounds_of(grid.flat())
    span = 0 if bounds is None else grid.first + bounds[1] + 1
    repetitions = covering(tile, tile.size * span)
    check_within(grid, repetitions.size)
    both = nested_mapping((tile.modes, repetitions.modes), (tile.steps, repetitions.steps), tile.first)
    return compose(both, nested_mapping(shape, steps, grid.first * tile.size), order="F")


def recast(m: AnyMapped, new_bits: SupportsIndex, old_bits: SupportsIndex, *, order: Order = "F") -> AnyMapping:
    """Return the mapping of the same memory in elements of another size, given in bits.

    The digit with step 1 changes its extent, and all other digits change their steps.

    >>> from mdview.algebra import from_cute
    >>> recast(from_cute("(8,4):(1,8)"), 32, 8), recast(from_cute("(2,4):(1,2)"), 8, 32)
    (Mapping((2, 4), LayoutNested((2, 4), (1, 2))), Mapping((8, 4), LayoutNested((8, 4), (1, 8))))

    Raises
    ------
    ShapeError
        Neither size is a multiple of the other. Or elements are joined, and the extent of the digit with step 1,
        another step or the origin is not a multiple of the ratio of the sizes. Or several digits have step 1, or
        elements are split and no digit has step 1. Or a swizzle moves bits within a new element.
    """
    front, layout = swizzle_of(mapping_of(m).layout)
    new, old = (int(as_integer(bits, "a number of bits")) for bits in (new_bits, old_bits))
    if min(new, old) < 1 or max(new, old) % min(new, old):
        raise ShapeError(f"sizes of elements are multiples of each other, got {as_text(new)} and {as_text(old)} bits")
    ratio = max(new, old) // min(new, old)
    if front is not None:
        bits, base, shift = front
        base += (ratio.bit_length() - 1) * (1 if new < old else -1)
        if ratio.bit_count() != 1 or base < 0:
            raise ShapeError(f"a swizzle of bits from {front[1]} on moves parts of elements that are {ratio} old ones")
        inner = recast(Mapping.trusted(mapping_of(m).extents, layout), new, old, order=order)
        return Mapping(inner.extents, LayoutSwizzled(inner.layout, bits, base, shift))
    form = form_of(m, order)
    ones = [d for n, d in form.flat() if n > 1].count(1)
    if not form.size:
        return nested_mapping(form.modes, form.steps, 0, order)
    if new != old and (ones > 1 or (ones == 0 and new < old)):
        raise ShapeError(f"one part of step 1 has the elements to be cut or joined, got {ones}; coalesce the mapping")
    digits = [(_joined if new >= old else _cut)(n, d, ratio) for n, d in [*form.flat(), (0, form.first)]]
    shape, steps = (rebuilt(form.modes, iter([digit[k] for digit in digits])) for k in (0, 1))
    return nested_mapping(shape, steps, digits[-1][1], order)


def _cut(n: int, d: int, ratio: int) -> Digit:
    """Return a digit of ``n`` old elements with step ``d`` in units of new elements, ``ratio`` per old element."""
    return (n * ratio, 1) if d == 1 and n > 1 else (n, d * ratio)


def _joined(n: int, d: int, ratio: int) -> Digit:
    """Return a digit of ``n`` old elements with step ``d`` in units of new elements, each of ``ratio`` old elements.

    If ``n`` is 0, ``d`` is the origin of the layout.
    """
    if n == 1 or d % ratio == 0:
        return n, d // ratio
    if d == 1 and n > 1 and n % ratio == 0:
        return n // ratio, 1
    what = f"part {n}:{d}" if n else f"origin {d}"
    raise ShapeError(f"{what} is no whole number of elements that are {ratio} old ones; choose multiples of {ratio}")


def nullspace(m: AnyMapped, *, order: Order = "F") -> NestedMapping:
    """Return the mapping ``n`` of the 1-D indices in which only digits with step 0 differ from 0: ``m(n(j)) == m(0)``.

    >>> from mdview.algebra import from_cute
    >>> nullspace(from_cute("(2,3,4):(1,0,2)"))
    Mapping((3,), LayoutNested(3, 2))
    """
    form = form_of(m, order)
    digits = form.flat()
    weights = weights_of([n for n, _ in digits], "F")
    still = [(n, w) for (n, d), w in zip(digits, weights, strict=True) if d == 0]
    return made_flat(merged_digits(still) if form.size else [(0, 0)], order)


def max_common(a: AnyMapped, b: AnyMapped, *, order: Order = "F") -> NestedMapping:
    """Return the longest part ``r``, from index 0 on, of the right inverse of ``b`` with ``a(r(i)) == b(r(i)) == i``.

    A copy from one layout to the other can move ``r.size`` consecutive elements at once.

    >>> from mdview.algebra import from_cute
    >>> max_common(from_cute("(4,8):(1,4)"), from_cute("(4,8):(1,32)"))
    Mapping((4,), LayoutNested(4, 1))
    """
    inverse, outer = form_of(right_inverse(b, order=order), order), form_of(a, order)

    def start(digits: Sequence[Digit]) -> LayoutNested | None:
        """Return the part of the right inverse with these digits; None if ``a`` and ``b`` differ within this part."""
        common = LayoutNested.trusted(*tree_of(digits), inverse.first)
        try:
            whole, part = nested_mapping(outer.modes, outer.steps, outer.first), Mapping.trusted(common.extents, common)
            both = form_of(compose(whole, part), "F")
        except (NotNested, IndexError):
            return None
        return common if not both.first and normal_of(both) in ([], [(common.size, 1)]) else None

    digits: list[Digit] = []
    longest = start([]) if outer.size and inverse.size else None
    for n, d in inverse.flat() if longest else []:
        count = bisect_right(range(2, n + 1), 0, key=lambda t: not start([*digits, (t, d)])) + 1
        digits.append((count, d))
        if count < n:
            break
    return made_flat(merged_digits(digits) if longest else [(0, 0)], order, inverse.first)
