"""Random parts of random stores, and what a look at each element says of them.

``python tests/interop/writers/random_parts.py 100000 [seed]`` tries as many cases as it is told.
"""

import sys
from dataclasses import dataclass
from itertools import combinations, product
from random import Random

import numpy as np

from mdview import LayoutLeft, LayoutMorton, LayoutRight, LayoutTiled, MDView, relayout, zeros
from mdview.interop.writers import aligned, conflicts


@dataclass
class Case:
    """A store as `conflicts` takes it, and the number of the unit of each element."""

    store: object
    units: np.ndarray
    unit: object = None
    region: object = ...

    @property
    def seen(self):
        """The units as the writers see them."""
        return self.units if self.region is ... else self.units[self.region]


def unit_numbers(extents, sizes):
    """The number of the unit of each element; ``sizes`` has for each dimension those of all units."""
    rows = [np.repeat(range(len(own)), own)[:e] for e, own in zip(extents, sizes, strict=True)]
    grid = tuple([len(own) for own in sizes])
    found = np.zeros(extents, dtype=int)
    for r, row in enumerate(rows):
        found = found * grid[r] + row.reshape([-1 if k == r else 1 for k in range(len(extents))]).astype(int)
    return found


def regular(extent, size):
    return [size] * -(-extent // size)


def random_sizes(random, extent):
    """Sizes of chunks of their own, some of them 0, perhaps beyond the extent."""
    sizes = []
    while sum(sizes) < extent:
        sizes.append(random.randint(0, 6))
    return sizes or [0]


def explicit(random, extents):
    unit = tuple([random.randint(1, 5) for _ in extents])
    return Case((extents, unit), unit_numbers(extents, [regular(e, n) for e, n in zip(extents, unit, strict=True)]))


def tiled(random, extents):
    """A view of a tiled layout, nested or not, or a part of one."""
    tile = [random.randint(1, 5) for _ in extents]
    inner = LayoutTiled(*[random.randint(1, n) for n in tile]) if random.random() < 0.3 else LayoutRight()
    layout = LayoutTiled(*tile, inner=inner)
    view = MDView(list(range(layout.allocation_size(extents))), extents, layout)
    sizes = [regular(e, n) for e, n in zip(extents, tile, strict=True)]
    units = unit_numbers(extents, sizes)
    if random.random() < 0.3:
        view, units = part_of(random, view, units)
    return Case(random.choice((view, view.mapping)), units)


def plain(random, extents):
    """A view of a layout without tiles, or a part of one: each element is a unit."""
    view = relayout(zeros(extents, dtype="q"), random.choice([LayoutRight(), LayoutLeft(), LayoutMorton()]))
    key = random_key(random, extents)
    made = view[key] if key and random.random() < 0.5 else view
    view = made if isinstance(made, MDView) else view
    return Case(view, np.arange(view.size).reshape(view.shape))


def part_of(random, view, units):
    """A part that is still made of tiles."""
    key = random_key(random, units.shape)
    made = view[key] if key else view
    has_tiles = isinstance(made, MDView) and made.layout.composition(made.extents).base.tiling() is not None
    return (made, units[key]) if has_tiles else (view, units)


def random_key(random, shape):
    return tuple([random_slice(random, extent) for extent in shape])


def random_slice(random, extent):
    if extent and random.random() < 0.15:
        return random.randrange(-extent, extent)
    a, z = (random.randint(0, extent) for _ in range(2))
    step = random.choice([1, 1, 1, 1, 2, 3, 4, 6, 7])
    if random.random() < 0.2:
        return slice(a, None if z == 0 else z - 1, -step)
    return slice(min(a, z), max(a, z), step if random.random() < 0.5 else None)


def random_case(random):
    rank = random.choice([0, 1, 1, 1, 2, 2, 2, 3])
    extents = tuple([random.randint(0, 3) if random.random() < 0.1 else random.randint(3, 14) for _ in range(rank)])
    case = random.choice([explicit, tiled, plain])(random, extents)
    if random.random() < 0.2:
        region = random_key(random, case.units.shape)
        case.region = region
    return case


def random_parts(random, shape):
    """Parts of 1 to 5 writers, each of up to 3; most of them small, so that many do not collide."""
    writers = []
    for _ in range(random.randint(1, 5)):
        keys = [random_key(random, shape) for _ in range(random.choice([0, 1, 1, 1, 2, 3]))]
        if random.random() < 0.5:
            keys = [small(random, shape) for _ in keys]
        writers.append(keys)
    return writers


def small(random, shape):
    key = []
    for extent in shape:
        start = random.randint(0, extent)
        step = random.choice([1, 1, 4, 8])
        key.append(slice(start, min(extent, start + step * random.randint(0, 2)), step))
    return tuple(key)


def units_of(seen, keys):
    return {int(u) for key in keys for u in np.unique(seen[key])}


def check_conflict(case, writers):
    """Hold an answer against a look at each element; returns whether there is a conflict."""
    found = conflicts(writers, case.store, unit=case.unit, region=case.region)
    touched = [units_of(case.seen, keys) for keys in writers]
    if found is None:
        assert not any(a & b for a, b in combinations(touched, 2)), (case, writers)
        return False
    number = case.units[found.index]
    assert found.first != found.second
    assert number in touched[found.first], (case, writers, found)
    assert number in touched[found.second], (case, writers, found)
    places = np.argwhere(case.units == number)
    box = tuple([(int(a), int(z) + 1) for a, z in zip(places.min(0), places.max(0), strict=True)])
    assert found.box == box, (case, writers, found, box)
    assert all(a <= i < z for i, (a, z) in zip(found.index, found.box, strict=True))
    return True


def random_chunks(random, shape):
    """Sizes that make up each extent, some of them 0."""
    found = [random_sizes(random, e) for e in shape]
    return tuple([(*sizes[:-1], sizes[-1] - sum(sizes) + e) for sizes, e in zip(found, shape, strict=True)])


def blocks_of(chunks):
    """The blocks of a grid of chunks, each a list of one key."""
    ends = [np.cumsum([0, *own]) for own in chunks]
    for block in product(*[range(len(own)) for own in chunks]):
        yield block, [tuple([slice(int(e[k]), int(e[k + 1])) for k, e in zip(block, ends, strict=True)])]


def check_chunks(case, chunks):
    """Hold what is said of a grid of chunks against what is said of its blocks; returns whether there is a conflict."""
    found = conflicts(chunks, case.store, unit=case.unit, region=case.region)
    blocks = dict(blocks_of(chunks))
    touched = {block: units_of(case.seen, keys) for block, keys in blocks.items()}
    if found is None:
        assert sum(map(len, touched.values())) == len(set().union(*touched.values())), (case, chunks)
    else:
        assert found.first != found.second
        assert case.units[found.index] in touched[found.first] & touched[found.second], (case, chunks, found)
    made = aligned(chunks, case.store, unit=case.unit, region=case.region)
    assert conflicts(made, case.store, unit=case.unit, region=case.region) is None
    assert tuple(map(sum, made)) == case.seen.shape
    return found is not None


def try_case(random):
    """Try one case; returns how often there was a conflict."""
    case = random_case(random)
    writers = random_parts(random, case.seen.shape)
    found = check_conflict(case, writers)
    return found + check_chunks(case, random_chunks(random, case.seen.shape))


if __name__ == "__main__":
    cases, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    conflicting = sum(try_case(Random(f"{seed}, {k}")) for k in range(cases))  # noqa: S311 - drawn again by its seed
    print(f"{cases} sets of parts and {cases} grids of chunks agree; {conflicting} of both have a conflict")
