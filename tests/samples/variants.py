"""A variant is a view made of another one: flipped, cut, padded, and what else; each says where its elements come from.

That is said in plain arithmetic on one index, beside what makes the view, so that one can be held against the other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, final

from mdview import MDView, broadcast_to, flip, pad, permute_dims, reshape, sliding_window

Shape = tuple[int, ...]
AnyView = MDView[Any, Any, Any, Any]  # Any: a view of any rank, layout and accessor
OUTSIDE = {
    "edge": lambda i, n: min(max(i, 0), n - 1),
    "wrap": lambda i, n: i % n,
    "reflect": lambda i, n: n - 1 - abs(n - 1 - i % (2 * n - 2)) if n > 1 else 0,
    "symmetric": lambda i, n: min(i % (2 * n), 2 * n - 1 - i % (2 * n)),
}
"""The index within an extent that stands in for one outside it, as `numpy.pad` has it."""
Place = Callable[[Shape, Shape], Shape | None]


@final
@dataclass(frozen=True)
class Variant:
    """A way from a view to another one of the same data.

    Attributes
    ----------
    make
        Makes it of a view, and of what padding is filled with. Any: an element.
    place
        Returns the index in a view of given extents that an index stands for; None in padding that is filled.
    extents
        Returns the extents that come of given ones.
    least
        The lowest rank and the lowest extent of what it is made of.
    inside
        As ``place``, but None in all padding, which nothing can be stored to; None if there is none.
    """

    make: Callable[[AnyView, Any], AnyView]
    place: Place
    extents: Callable[[Shape], Shape]
    least: tuple[int, int] = (0, 0)
    inside: Place | None = None

    def takes(self, extents):
        """Tell whether it can be made of a view of these extents."""
        return len(extents) >= self.least[0] and min(extents, default=self.least[1]) >= self.least[1]


def _same(extents):
    return extents


def _cut(extents):
    return tuple([max(0, e - 1) for e in extents])


def _half(extents):
    return tuple([-(-e // 2) for e in extents])


def _wider(extents):
    return tuple([e + 3 for e in extents])


def _folded(extents):
    """Extents of a reshape: half as many rows, twice as long, or else reversed."""
    if len(extents) > 1 and extents[0] % 2 == 0:
        return (extents[0] // 2, 2 * extents[1], *extents[2:])
    return extents[::-1]


def _refolded(index, extents):
    return unraveled(raveled(index, _folded(extents)), extents)


def raveled(index, extents):
    """Return the place of an index in index order."""
    place = 0
    for i, e in zip(index, extents, strict=True):
        place = place * e + i
    return place


def unraveled(place, extents):
    """Return the index at a place in index order."""
    index = []
    for e in reversed(extents):
        place, i = divmod(place, e)
        index.append(i)
    return tuple(index[::-1])


def _stepped(view, _):
    slices = [slice(None, None, 2 if r % 2 == 0 else -2) for r in range(view.rank)]
    return view[(*slices, ...)]


def _at_steps(index, extents):
    ends = enumerate(zip(index, extents, strict=True))
    return tuple([2 * i if r % 2 == 0 else e - 1 - 2 * i for r, (i, e) in ends])


def _in_padding(mode):
    """Return where padding of one index before and two after each dimension reads, a rule of `FillAccessor`."""

    def place(index, extents):
        base = tuple([i - 1 for i in index])
        if all(0 <= i < e for i, e in zip(base, extents, strict=True)):
            return base
        return None if mode == "constant" else tuple(map(OUTSIDE[mode], base, extents))

    return place


_INSIDE = _in_padding("constant")


def _in_windows(place):
    return lambda index, extents: place(
        tuple(map(sum, zip(index[: len(extents)], index[len(extents) :], strict=True))), extents
    )


def _windows(extents):
    return (*[e - 1 for e in extents], *(2,) * len(extents))


def _padded(view, mode, constant=0):
    return pad(view, (1, 2), mode, constant)


VARIANTS = {
    "whole": Variant(lambda v, _: v, lambda index, _: index, _same),
    "flipped": Variant(
        lambda v, _: flip(v), lambda index, e: tuple([n - 1 - i for i, n in zip(index, e, strict=True)]), _same
    ),
    "sliced": Variant(
        lambda v, _: v[(*[slice(1, None)] * v.rank, ...)], lambda index, _: tuple([i + 1 for i in index]), _cut
    ),
    "stepped": Variant(_stepped, _at_steps, _half),
    "transposed": Variant(
        lambda v, _: permute_dims(v, range(v.rank)[::-1]), lambda index, _: index[::-1], lambda e: e[::-1]
    ),
    "reshaped": Variant(lambda v, _: reshape(v, _folded(tuple(v.extents))), _refolded, _folded),
    "raveled": Variant(
        lambda v, _: reshape(v, (prod(v.extents),)), lambda index, e: unraveled(index[0], e), lambda e: (prod(e),)
    ),
    "broadcast": Variant(lambda v, _: broadcast_to(v, (2, *v.extents)), lambda index, _: index[1:], lambda e: (2, *e)),
    "windows": Variant(
        lambda v, _: sliding_window(v, (2,) * v.rank), _in_windows(lambda index, _: index), _windows, (1, 2)
    ),
    "padded, constant": Variant(lambda v, c: _padded(v, "constant", c), _in_padding("constant"), _wider),
    "padded, edge": Variant(lambda v, _: _padded(v, "edge"), _in_padding("edge"), _wider, (0, 1), _INSIDE),
    "padded, reflect": Variant(lambda v, _: _padded(v, "reflect"), _in_padding("reflect"), _wider, (0, 1), _INSIDE),
    "padded, symmetric": Variant(
        lambda v, _: _padded(v, "symmetric"), _in_padding("symmetric"), _wider, (0, 1), _INSIDE
    ),
    "padded, wrap": Variant(lambda v, _: _padded(v, "wrap"), _in_padding("wrap"), _wider, (0, 1), _INSIDE),
    "padded, windows": Variant(
        lambda v, _: sliding_window(_padded(v, "edge"), (2,) * v.rank),
        _in_windows(_in_padding("edge")),
        lambda e: _windows(_wider(e)),
        (1, 1),
        _in_windows(_INSIDE),
    ),
    "padded, flipped part": Variant(
        lambda v, c: flip(_padded(v, "constant", c))[(*[slice(1, None)] * v.rank, ...)],
        lambda index, e: _in_padding("constant")(tuple([n + 1 - i for i, n in zip(index, e, strict=True)]), e),
        lambda e: tuple([n + 2 for n in e]),
    ),
    "empty": Variant(lambda v, _: v[(slice(0, 0), ...)], lambda index, _: index, lambda e: (0, *e[1:]), (1, 0)),
    "of rank 0": Variant(lambda v, _: v[(*(0,) * v.rank, ...)], lambda _, e: (0,) * len(e), lambda _: (), (0, 1)),
}
"""All variants, by name."""


def indices_of(extents):
    """Return all indices, the last one fastest."""
    return list(product(*map(range, extents)))
