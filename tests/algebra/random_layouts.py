"""Strategies for nested layouts, and what these are by definition: tables of offsets in order of the 1-D index."""

from itertools import product

from hypothesis.strategies import booleans, composite, integers, lists, permutations, sampled_from

from mdview import LayoutNested, Mapping
from mdview.index.nesting import dimensions, leaves, rebuilt, size_of_tree, turned

EXTENTS = sampled_from((1, 2, 2, 2, 3, 3, 4, 4, 6) * 5 + (0,))
MOVES = sampled_from((1, 1, 1, 1, 1, 1, 0, -1))


def trees(depth=3):
    """Trees of extents, now and then with one of 0."""
    return EXTENTS | lists(trees(depth - 1), min_size=1, max_size=3).map(tuple) if depth else EXTENTS


TREES = trees()


@composite
def nested(draw, most=60, kinds=("dense", "permuted", "gaps", "any")):
    """Mappings of nested layouts: dense, in another order, with gaps and steps of any sign, or with any steps."""
    tree, kind, sizes, below = draw(TREES), draw(sampled_from(kinds)), [], 1
    for n in leaves(tree):
        sizes.append(n if n <= most else 1)
        most //= max(sizes[-1], 1)
    shape = rebuilt(tree, iter(sizes))
    steps = [draw(integers(-3, 12)) if kind == "any" else 0 for _ in sizes]
    if kind != "any":
        for k in range(len(sizes)) if kind == "dense" else draw(permutations(range(len(sizes)))):
            gap = draw(sampled_from((1, 1, 2, 3))) if kind == "gaps" else 1
            steps[k], below = below, below * max(sizes[k], 1) * gap
    if kind == "gaps":
        steps = [d * draw(MOVES) for d in steps]
    reach = -sum(d * max(n - 1, 0) for n, d in zip(sizes, steps, strict=True) if d < 0)
    return bound(LayoutNested(shape, rebuilt(shape, iter(steps)), draw(sampled_from((0, reach, reach + 3)))))


def bound(layout):
    """The mapping of a layout over its own extents."""
    return Mapping(layout.extents, layout)


@composite
def inner(draw, size):
    """Mappings with offsets below ``size``, most of the time."""
    sizes, steps, room, origin = [], [], size - 1, 0
    for _ in range(draw(integers(1, 4))):
        n, step = draw(integers(1, 6)), draw(sampled_from((1, 2, 3, 4, 6)) | integers(0, size))
        if step * (n - 1) <= room:
            is_turned, room = draw(MOVES) < 0, room - step * (n - 1)
            sizes, steps = [*sizes, n], [*steps, -step if is_turned else step]
            origin += step * (n - 1) if is_turned else 0
    origin += draw(sampled_from((0, 0, 0, room, room + 1)))
    cut = draw(integers(0, len(sizes)))
    return bound(LayoutNested((*sizes[:cut], tuple(sizes[cut:])), (*steps[:cut], tuple(steps[cut:])), origin))


def table(mapping, order="F"):
    """Offsets in order of the 1-D index."""
    offset, extents = mapping.layout.offset, mapping.extents
    if order == "C":
        return [offset(extents, index) for index in product(*map(range, extents))]
    return [offset(extents, index[::-1]) for index in product(*map(range, extents[::-1]))]


def _is_nested(values):
    """Tell whether some digits give these values, by trying all."""
    n = len(values)
    return n == 1 or any(
        n % q == 0
        and all(values[k] == values[k % q] + values[k - k % q] for k in range(n))
        and all(values[k] == k * values[1] for k in range(q))
        and _is_nested(values[::q])
        for q in range(2, n + 1)
    )


def exists(values, sizes):
    """Tell whether a nested layout of parts of these sizes, fastest first, has these values."""
    below = 1
    for size in sizes if values else ():
        along = [values[k * below] - values[0] for k in range(size)]
        parts = [values[k * below : (k + 1) * below] for k in range(size)]
        if any([v + step for v in parts[0]] != part for step, part in zip(along, parts, strict=True)):
            return False
        if not _is_nested(along):
            return False
        below *= size
    return True


def sizes_of(mapping, order):
    """Sizes of the leaves of a nested layout, fastest first in an order."""
    return leaves(turned(mapping.layout.modes, order))


def refines(fine, coarse):
    """Tell whether a tree has the form of another one, with a tree in place of some leaves."""
    if isinstance(coarse, int):
        return size_of_tree(fine) == coarse
    parts = dimensions(fine)
    return isinstance(fine, tuple) and len(parts) == len(coarse) and all(map(refines, parts, coarse))


def tiles(image, size):
    """Tell whether translates of offsets, of which 0 is the lowest, are all numbers below a size once each."""
    free = set(range(size))
    while free:
        moved = {min(free) + offset for offset in image}
        if not moved <= free:
            return False
        free -= moved
    return True


@composite
def shapes(draw, size):
    """Shapes of a size: its factorisations."""
    found = []
    while size > 1 and draw(booleans()):
        found.append(draw(sampled_from([n for n in range(2, size + 1) if size % n == 0])))
        size //= found[-1]
    return (*found, size)
