"""Random nested layouts, and what they are by definition: tables of offsets in order of the 1-D index."""

from itertools import product

from mdview import LayoutNested, Mapping
from mdview.index.nesting import dimensions, leaves, rebuilt, size_of_tree, turned

EXTENTS = (1, 2, 2, 2, 3, 3, 4, 4, 6)


def tree(random, depth=3):
    """A tree of extents, now and then with one of 0."""
    if depth == 0 or random.random() < 0.45:
        return random.choice(EXTENTS) if random.random() < 0.98 else 0
    return tuple([tree(random, depth - 1) for _ in range(random.randint(1, 3))])


def nested(random, most=60, kinds=("dense", "permuted", "gaps", "any")):
    """A mapping of a nested layout: dense, in another order, with gaps and steps of any sign, or with any steps."""
    shape = tree(random)
    while size_of_tree(shape) > most or len(leaves(shape)) > 7:
        shape = tree(random)
    sizes, kind, below = leaves(shape), random.choice(kinds), 1
    steps = [random.randint(-3, 12) for _ in sizes]
    if kind != "any":
        for k in sorted(range(len(sizes)), key=lambda k: k if kind == "dense" else random.random()):
            steps[k], below = below, below * max(sizes[k], 1) * (random.choice((1, 1, 2, 3)) if kind == "gaps" else 1)
    if kind == "gaps":
        steps = [random.choice((d, d, d, d, d, d, 0, -d)) for d in steps]
    reach = -sum(d * max(n - 1, 0) for n, d in zip(sizes, steps, strict=True) if d < 0)
    origin = random.choice((0, 0, 0, reach, reach, reach + 3))
    return bound(LayoutNested(shape, rebuilt(shape, iter(steps)), origin))


def bound(layout):
    """The mapping of a layout over its own extents."""
    return Mapping(layout.extents, layout)


def inner(random, size):
    """A mapping with offsets below ``size``, most of the time."""
    sizes, steps, room = [], [], size - 1
    for _ in range(random.randint(1, 4)):
        n = random.randint(1, 6)
        step = random.choice((1, 1, 2, 3, 4, 6, random.randint(0, size)))
        if step * (n - 1) <= room:
            sizes, steps, room = [*sizes, n], [*steps, step], room - step * (n - 1)
    turn = [random.random() < 0.2 for _ in sizes]
    origin = sum(d * (n - 1) for n, d, back in zip(sizes, steps, turn, strict=True) if back)
    origin += random.choice((0, 0, 0, random.randint(0, room + 1)))
    signed = [-d if back else d for d, back in zip(steps, turn, strict=True)]
    cut = random.randint(0, len(sizes))
    return bound(LayoutNested((*sizes[:cut], tuple(sizes[cut:])), (*signed[:cut], tuple(signed[cut:])), origin))


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


def shape(random, size):
    """A shape of a size: one of its factorisations."""
    found = []
    while size > 1 and random.random() < 0.8:
        found.append(random.choice([n for n in range(2, size + 1) if size % n == 0]))
        size //= found[-1]
    return (*found, size)
