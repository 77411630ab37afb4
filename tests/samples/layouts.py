"""Layouts to try: each one that mdview has over extents of any size, and some as a user writes them."""

from dataclasses import dataclass
from functools import reduce
from typing import final

from public import PUBLIC

import mdview as md
from mdview.errors import RankError

AnyMapping = md.Mapping[tuple[int, ...], md.Layout]


@final
@dataclass(frozen=True)
class LayoutEvensFirst(md.Layout):
    """Along each dimension the even indices first: a sum of one term for each index, and not linear."""

    def offset(self, extents, index):
        """Place each index by itself."""
        place = 0
        for i, extent in zip(index, extents, strict=True):
            place = place * extent + (i >> 1) + (i & 1) * ((extent + 1) >> 1)
        return place

    def required_span_size(self, extents):
        """Count the indices."""
        return reduce(int.__mul__, map(int, extents), 1)


@final
@dataclass(frozen=True)
class LayoutByLarger(md.Layout):
    """Shell after shell around index (0, 0): compares the two indices; every index has an element of its own."""

    def offset(self, extents, index):
        """Down the column that ends a shell, then along its row."""
        i, j = index
        if i > j:
            return i * i + j
        return j * j + 2 * j - i

    def required_span_size(self, extents):
        """Take whole shells, or the column that ends the last one."""
        n, m = extents
        return 0 if 0 in extents else int(m) ** 2 if n <= m else (int(n) - 1) ** 2 + int(m)

    def check(self, extents):
        """Take matrices."""
        _check_rank(self, extents)


@final
@dataclass(frozen=True)
class LayoutSymmetric(md.Layout):
    """Lower triangle of a symmetric matrix, row by row: compares the indices; two of them share an element."""

    def offset(self, extents, index):
        """Exchange the indices above the diagonal."""
        i, j = index
        if i < j:
            i, j = j, i
        return i * (i + 1) // 2 + j

    def required_span_size(self, extents):
        """Add one to the offset of the last index."""
        return 0 if 0 in extents else 1 + self.offset(extents, [e - 1 for e in extents])

    def check(self, extents):
        """Take matrices."""
        _check_rank(self, extents)


@final
@dataclass(frozen=True)
class LayoutMortonLike(md.Layout):
    """Bits of the indices interleaved: asks how many bits an extent has, so the extents must be numbers."""

    def offset(self, extents, index):
        """Take a bit of each index in turn."""
        bits = max([(e - 1).bit_length() for e in extents], default=0)
        place = 0
        for bit in range(bits):
            for r, i in enumerate(index):
                place = place | ((i >> bit & 1) << (bit * len(index) + r))
        return place

    def required_span_size(self, extents):
        """Add one to the offset of the last index."""
        return 0 if 0 in extents else 1 + self.offset(extents, [e - 1 for e in extents])

    def is_monotone(self):
        """Every bit weighs more than those below it."""
        return True


@final
@dataclass(frozen=True)
class LayoutLooping(md.Layout):
    """Bits of the indices interleaved by a loop until an index is used up: nothing can trace that."""

    def offset(self, extents, index):
        """Shift each index out."""
        place = 0
        for r, rest in enumerate(index):
            bit = r
            while rest:
                place |= (rest & 1) << bit
                rest, bit = rest >> 1, bit + len(index)  # noqa: PLW2901 - what is left of the index
        return place

    def required_span_size(self, extents):
        """Add one to the offset of the last index."""
        return 0 if 0 in extents else 1 + self.offset(extents, [e - 1 for e in extents])


def _check_rank(layout, extents):
    if len(extents) != 2:
        message = f"{layout!r} is of rank 2, got rank {len(extents)}"
        raise RankError(message)


def _dense(shape, step=1):
    """Strides in C order, of rows whose elements are ``step`` apart."""
    strides = []
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return strides[::-1]


def _tiles(shape, least=1):
    """Tiles that fit extents of this size."""
    return [least * (2 if e < 8 else 3 if e < 32 else 8) for e in shape]


def _negative(shape):
    strides = _dense(shape)
    return md.LayoutStrideRelaxed(
        [-s for s in strides], sum(s * (e - 1) for s, e in zip(strides, shape, strict=True) if e)
    )


def _parts(shape):
    """Cut what can be halved in two parts."""
    return [(2, e // 2) if e and e % 2 == 0 else (e, 1) for e in shape]


def _nested(shape, *, backwards=False):
    """Blocks of two, then a grid of them; or digits of which the first one counts down."""
    modes = _parts(shape)
    steps, step = [[0, 0] for _ in modes], 1
    for k in (0, 1):
        for r in range(len(modes))[::-1]:
            steps[r][k], step = step, step * max(modes[r][k], 1)
    if not backwards:
        return md.LayoutNested(tuple(modes), tuple(map(tuple, steps)))
    reach = sum(d * max(n - 1, 0) for (n, _), (d, _) in zip(modes, steps, strict=True))
    return md.LayoutNested(tuple(modes), tuple([(-d, t) for d, t in steps]), reach + 1)


def _linear(shape):
    """Rows whose bits are also flipped by those of the last index; nothing where an extent is no power of two."""
    bits, bases = 0, []
    for e in reversed(shape):
        width = max(e, 1).bit_length() - 1
        bases.append(tuple([1 << bits + k | (1 << k if bits else 0) for k in range(width)]))
        bits += width
    return md.layouts.LayoutLinear(tuple(bases[::-1]), 2)


def _composed(shape, steps=1):
    """Return a window of tiles that begins inside a tile, backwards if the steps are -1."""
    wider, rank = tuple([e + 3 for e in shape]), len(shape)
    first = tuple([1 if steps > 0 else max(e, 1) for e in shape])
    return md.LayoutComposed(
        md.LayoutTiled(*_tiles(shape)), wider, md.index.IndexMap(first, (steps,) * rank, tuple(range(rank)))
    )


EXAMPLES = {
    "LayoutRight": {"right": lambda _: md.LayoutRight()},
    "LayoutLeft": {"left": lambda _: md.LayoutLeft()},
    "LayoutRightPadded": {"right padded": lambda shape: md.LayoutRightPadded((shape or (1,))[-1] + 3)},
    "LayoutLeftPadded": {"left padded": lambda shape: md.LayoutLeftPadded((shape or (1,))[0] + 3)},
    "LayoutStride": {"stride": lambda shape: md.LayoutStride(_dense(shape, 2))},
    "LayoutStrideRelaxed": {
        "relaxed, negative": _negative,
        "relaxed, zero": lambda shape: md.LayoutStrideRelaxed([0, *_dense(shape)[1:]][: len(shape)]),
        "relaxed, interleaved": lambda shape: md.LayoutStrideRelaxed([2 + r for r in range(len(shape))]),
    },
    "LayoutTiled": {
        "tiled": lambda shape: md.LayoutTiled(*_tiles(shape)),
        "tiled, ragged": lambda shape: md.LayoutTiled(*[t + 1 for t in _tiles(shape)]),
        "tiled, nested": lambda shape: md.LayoutTiled(*_tiles(shape, 2), inner=md.LayoutTiled(*_tiles(shape))),
        "tiled over left": lambda shape: md.LayoutTiled(*_tiles(shape), outer=md.LayoutLeft(), inner=md.LayoutLeft()),
        "tiled over Morton": lambda shape: md.LayoutTiled(*_tiles(shape), outer=md.LayoutMorton(compact=True)),
    },
    "LayoutNested": {"nested": _nested, "nested, backwards": lambda shape: _nested(shape, backwards=True)},
    "LayoutLinear": {"linear": _linear},
    "LayoutMorton": {
        "Morton": lambda _: md.LayoutMorton(),
        "Morton, compact": lambda _: md.LayoutMorton(compact=True, fastest="first"),
    },
    "LayoutBlasPacked": {
        "packed, upper by rows": lambda _: md.LayoutBlasPacked("upper", "row"),
        "packed, upper by columns": lambda _: md.LayoutBlasPacked("upper", "column"),
        "packed, lower by rows": lambda _: md.LayoutBlasPacked("lower", "row"),
        "packed, lower by columns": lambda _: md.LayoutBlasPacked("lower", "column"),
    },
    "LayoutSwizzled": {
        "swizzled": lambda _: md.LayoutSwizzled(md.LayoutRight(), 2, 0, 3),
        "swizzled tiles": lambda shape: md.LayoutSwizzled(md.LayoutTiled(*_tiles(shape)), 1, 0, 2),
    },
    "LayoutTranspose": {
        "transposed tiles": lambda shape: md.layouts.LayoutTranspose(md.LayoutTiled(*_tiles(shape[::-1])))
    },
    "LayoutComposed": {"composed": _composed, "composed, backwards": lambda shape: _composed(shape, -1)},
}
"""Names and makers for the shipped classes, by their names; one that is missing is made without arguments."""

USERS = {
    "user's, separable": lambda _: LayoutEvensFirst(),
    "user's, comparing": lambda _: LayoutByLarger(),
    "user's, symmetric": lambda _: LayoutSymmetric(),
    "user's, by bits": lambda _: LayoutMortonLike(),
    "user's, looping": lambda _: LayoutLooping(),
}
"""Layouts of users."""


def shipped(kind):
    """Return the public classes of a kind that have instances: those that are final. Any: classes."""
    classes = [cls for cls in PUBLIC.values() if isinstance(cls, type) and issubclass(cls, kind)]
    return [cls for cls in classes if getattr(cls, "__final__", False)]


def _plain(cls):
    return {cls.__name__: lambda _: cls()}


LAYOUTS = {
    name: make for cls in shipped(md.Layout) for name, make in EXAMPLES.get(cls.__name__, _plain(cls)).items()
} | USERS
"""All of them, by name."""


def takes(name, shape):
    """Tell whether a layout takes extents, by its name and their numbers alone."""
    if name == "linear":
        return all(e.bit_count() == 1 for e in map(int, shape))
    if name.startswith("packed"):
        return len(shape) == 2 and shape[0] == shape[1]
    return len(shape) == 2 or name not in {"transposed tiles", "user's, comparing", "user's, symmetric"}


def bound(name, shape):
    """Return the mapping of a layout over extents; None where it does not take them."""
    return md.Mapping(shape, LAYOUTS[name](shape)) if takes(name, shape) else None
