"""Refusals are necessary: for each function that may refuse, brute force looks for the answers of what it refuses.

Cases are small: extents of at most 5, rank 1 to 3, each layout of the samples. Run as a script this prints the table
that the page of operations shows: how many cases there are, how many are refused, and of how many of these there is an
answer, with the limit that says why. Only a listed limit may refuse what has an answer. The command is
``PYTHONPATH=tests python tests/algebra/necessary.py``.
"""

import random
from itertools import permutations, product
from math import prod

import numpy as np
from random_layouts import exists, table
from samples.layouts import LAYOUTS, bound
from searches import has_inverse

import mdview as md
from mdview import algebra
from mdview.algebra import f2
from mdview.errors import MDViewError

SHAPES = [(4,), (3, 4), (4, 4), (2, 3, 4), (2, 2, 2), (0, 3)]
MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


def mappings():
    return [m for shape in SHAPES for name in LAYOUTS if (m := bound(name, shape)) is not None]


def viewed(mapping, dtype="i4"):
    """A view of numbers, and the array that has them."""
    view = md.MDView.from_mapping(np.arange(mapping.required_span_size + 1).astype(dtype), mapping)
    return view, np.array(view.tolist(), dtype).reshape(mapping.extents)


def shapes_of(size):
    """All shapes of at most three dimensions with so many elements."""
    return [s for rank in (1, 2, 3) for s in product(range(size + 1), repeat=rank) if prod(s) == size]


def rearranging():
    for mapping in mappings():
        rank, size = mapping.rank, mapping.size
        for axes in permutations(range(rank)):
            yield lambda m=mapping, a=axes: md.permute_dims(m, a), True
        for shape in shapes_of(size) if size else ():
            yield lambda m=mapping, s=shape: md.reshape(m, s), True
        for key in product((slice(None), slice(None, None, -1), slice(1, None, 2), slice(2, 1)), repeat=rank):
            yield lambda m=mapping, k=key: viewed(m)[0][k], True
        yield lambda m=mapping: md.sliding_window(m, [min(n, 2) for n in m.extents]), True
        yield lambda m=mapping: md.broadcast_to(m, (2, *m.extents)), True


def padding():
    """Padding of views, of padded views and of their parts."""
    for mapping in mappings():
        view, values = viewed(mapping)
        for first, second, part in product(MODES, MODES, (slice(None), slice(1, None), slice(None, None, -2))):
            mode = first if mapping.size else "constant"
            once, wide = md.pad(view, 1, mode), np.pad(values, 1, mode)[part]
            try:
                np.pad(wide, 2, second)
                has_answer = True
            except ValueError:
                has_answer = False
            yield lambda v=once, p=part, m=second: md.pad(v[p], 2, m), has_answer


def casting():
    for mapping, (old, new) in product(mappings(), product(("i1", "i2", "i4", "f4"), repeat=2)):
        view, _ = viewed(mapping, old)
        try:
            np.asarray(view, copy=False).view(new)
            has_answer = True
        except ValueError:  # NumPy has no such array, or refuses the strides
            has_answer = np.dtype(old).itemsize == np.dtype(new).itemsize
        yield lambda v=view, n=new: md.operations.bitcast(v, n), has_answer


def strided():
    for mapping in mappings():
        values = np.array([*mapping.offsets()]).reshape(mapping.extents)
        steps = [np.diff(values, axis=r) for r in range(mapping.rank)] if mapping.size else []
        yield mapping.as_strided, all((step == step.flat[0]).all() for step in steps if step.size)


def storing():
    """Stores to what repeats elements, of values that agree there and of others."""
    ways = md.copy, lambda values, view: view.__setitem__(..., values), lambda v, o: md.transform(float, v, out=o)
    for mapping, repeats, way in product(mappings(), (1, 2), ways):
        for distinct in (False, True):
            target = md.broadcast_to(viewed(mapping, "f8")[0], (repeats, *mapping.extents))
            places = [target.mapping(*index) for index in np.ndindex(target.shape)]
            values = np.array([k if distinct else p for k, p in enumerate(places)], "f8").reshape(target.shape)
            source = md.asview(values)
            agree = not distinct or len({*places}) == len(places)
            yield lambda w=way, v=source, t=target: w(v, t), agree


def nested_layouts(count):
    """Random nested layouts of at most 24 indices, with steps in any order, gaps and origins."""
    pick = random.Random(45)  # noqa: S311 - reproducible cases, no secrets
    for _ in range(count):
        sizes = [pick.choice((1, 2, 2, 3, 4)) for _ in range(pick.randint(1, 3))]
        steps = [pick.randint(0, 9) if pick.randrange(2) else prod(sizes[:k]) for k in range(len(sizes))]
        layout = md.LayoutNested(tuple(sizes), tuple(steps), pick.choice((0, 0, 0, 2)))
        yield md.Mapping(layout.extents, layout)


def inverting():
    for m in nested_layouts(600):
        values = table(m)
        is_unique = len({*values}) == len(values)
        yield lambda m=m: algebra.left_inverse(m), is_unique and has_inverse({v: k for k, v in enumerate(values)})
        yield lambda m=m: algebra.right_inverse(m), True


def reading():
    for mapping in mappings():
        values = table(mapping)
        yield lambda m=mapping: algebra.nested(m), not values or exists(values, mapping.extents)
        if values and all(n.bit_count() == 1 for n in mapping.extents):
            pairs = product(range(len(values)), repeat=2)
            linear = all(values[i ^ j] == values[i] ^ values[j] ^ values[0] for i, j in pairs)
            yield lambda m=mapping: f2.linear(m), linear


def mapping_tiles():
    """Tiles that are mapped to what repeats elements, of values that agree there."""
    options = {"chunks": 2, "scheduler": "synchronous"}
    for mapping, repeats in product([m for m in mappings() if m.size], (1, 2)):
        target = md.broadcast_to(viewed(mapping, "f8")[0], (repeats, *mapping.extents))
        source = md.asview(np.ones(target.shape))
        yield lambda v=source, t=target: md.interop.dask.map_tiles(np.copy, v, out=t, **options), True


def compiling():
    """Kernels with views of padded views, in all modes."""
    for first, second in product((None, *MODES), MODES):
        view, _ = viewed(md.Mapping((4, 3)))
        once = view if first is None else md.pad(view, 1, first)
        yield lambda v=once, m=second: md.typeof_view(md.pad(v, 1, m), None), True


LAWS = {
    "`permute_dims`, `reshape`, slices, `sliding_window`, `broadcast_to`": (rearranging, ""),
    "`pad`, of parts of padded views, in all modes": (padding, ""),
    "`bitcast`": (casting, "rows that begin at no multiple of the new item size: positions count items"),
    "`Mapping.as_strided`": (strided, ""),
    "`copy`, brackets, `transform(out=)`": (storing, ""),
    "`map_tiles(out=)`": (
        mapping_tiles,
        "targets with several indices for an element, as tasks store at any time",
    ),
    "arguments of kernels": (compiling, "one padding, but for constants around constants and edges around edges"),
    "`left_inverse`, `right_inverse`": (
        inverting,
        "offsets of 256 or more are not searched for digits of other sizes than the steps",
    ),
    "`nested`, `f2.linear`": (
        reading,
        "more than a million indices are not looked at, where terms of bits prove nothing",
    ),
}
"""The functions, their cases with whether there is an answer, and the limit that refuses some that have one."""

NEEDED = {"`map_tiles(out=)`": "dask", "arguments of kernels": "numba"}
"""The partners that cases take."""


def counted(cases):
    """How many cases there are, are refused, and are refused though there is an answer."""
    found = [0, 0, 0]
    for call, has_answer in cases():
        found[0] += 1
        try:
            call()
        except MDViewError:
            found[1] += 1
            found[2] += has_answer
        else:
            assert has_answer, "there is an answer that brute force has not"
    return found


def lines():
    """The table in Markdown."""
    yield "| Functions | Cases | Refused | With an answer | Limit |"
    yield "|---|---|---|---|---|"
    for name, (cases, limit) in LAWS.items():
        yield f"| {name} | {' | '.join(f'{n:,}' for n in counted(cases))} | {limit} |"


if __name__ == "__main__":
    print("\n".join(lines()))
