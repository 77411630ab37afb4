"""Verbs: the view operations of the array API standard and NumPy on mappings, under their names.

Each returns the new mapping and the shift of its data. Most are movements of the index space, which check their
arguments; a transpose, a reshape, windows and parts ask the layout as well. Operations on views and the notation are
thin users of this table, which remembers what its verbs have made.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from math import prod
from typing import Concatenate, Final, Literal, ParamSpec, SupportsIndex

from mdview.base.arguments import Axes, Shape
from mdview.base.caches import remember
from mdview.base.integers import Dim, as_integer, is_index
from mdview.base.texts import counted, shown, takes, told
from mdview.errors import RankError, ShapeError
from mdview.index import movements
from mdview.index.extents import shape_text
from mdview.index.movements import Movement, as_several, axis_of
from mdview.index.slices import Selection
from mdview.index.transforms import IndexMap
from mdview.mappings import rearranging
from mdview.mappings.mapping import AnyMapping
from mdview.mappings.rearranging import MATRIX, Moved, as_mapping
from mdview.mappings.representatives import representative
from mdview.mappings.slicing import select

P = ParamSpec("P")
Verb = Callable[Concatenate[AnyMapping, P], Moved]
Order = Literal["C", "F"]

_known: dict[Hashable, tuple[AnyMapping, Moved]] = {}
"""What verbs have made, by verb, mapping and arguments: parts of views are permuted again and again."""


def _remembering(verb: Verb[P]) -> Verb[P]:
    @wraps(verb)
    def remembering(mapping: AnyMapping, /, *args: P.args, **kwargs: P.kwargs) -> Moved:
        subject = None if kwargs else representative(mapping)
        if subject is None:
            return verb(mapping, *args, **kwargs)
        try:
            key = (verb, id(subject), _key(args))
        except TypeError:
            return verb(mapping, *args, **kwargs)
        found = _known.get(key) or remember(_known, key, (subject, verb(subject, *args, **kwargs)))
        return found[1]

    return remembering


def _key(given: object) -> Hashable:
    """Return a key for ints, static or not, texts, None, and sequences of these; a `TypeError` for anything else."""
    kind = type(given)
    if kind is int or kind is str or given is None:
        return given
    if isinstance(given, tuple | list):
        return tuple([_key(each) for each in given])
    if kind is Dim:
        return Dim, given
    raise TypeError


def _moving(movement: Callable[Concatenate[Sequence[int], P], Movement]) -> Verb[P]:
    @_remembering
    @wraps(movement)
    def verb(mapping: AnyMapping, /, *args: P.args, **kwargs: P.kwargs) -> Moved:
        return rearranging.moved(mapping, movement(mapping.extents, *args, **kwargs))

    return verb


permute_dims: Final = _moving(movements.permute_dims)
moveaxis: Final = _moving(movements.moveaxis)
swapaxes: Final = _moving(movements.swapaxes)
flip: Final = _moving(movements.flip)
expand_dims: Final = _moving(movements.expand_dims)
squeeze: Final = _moving(movements.squeeze)
broadcast_to: Final = _moving(movements.broadcast_to)
diagonal: Final = _moving(movements.diagonal)
pad: Final = _moving(movements.pad)


def transposed(mapping: AnyMapping) -> Moved:
    """Exchange the two dimensions of a matrix."""
    if mapping.rank != MATRIX:
        raise RankError(
            f"only a matrix is transposed: rank 2, got rank {mapping.rank} of extents {shape_text(mapping.extents)}; "
            f"use permute_dims, or view.T, which reverses any number of dimensions"
        )
    return rearranging.transposed(mapping), 0


def reverse(mapping: AnyMapping) -> Moved:
    """Turn the order of the dimensions, which transposes a matrix."""
    return transposed(mapping) if mapping.rank == MATRIX else permute_dims(mapping, tuple(range(mapping.rank))[::-1])


@_remembering
def reshape(mapping: AnyMapping, shape: Shape, order: Order = "C") -> Moved:
    """The same elements in the same order under another shape; one extent may be -1."""
    extents = tuple([int(as_integer(e, "an extent")) for e in as_several(shape)])
    if order not in {"C", "F"}:
        given: object = order
        way = "; a shape of several extents is a tuple, reshape((2, 3))" if is_index(given) else ""
        raise ShapeError(f"the order of a reshape is 'C' or 'F', got {told(order)}{way}")
    if order == "C":
        return rearranging.reshape(mapping, extents)
    turned, first = permute_dims(mapping, tuple(range(mapping.rank))[::-1])
    flat, second = rearranging.reshape(turned, extents[::-1])
    back, third = permute_dims(flat, tuple(range(flat.rank))[::-1])
    return back, first + second + third


def ravel(mapping: AnyMapping, order: Order = "C") -> Moved:
    """All elements in one dimension."""
    return reshape(mapping, prod(mapping.extents), order)


@_remembering
def sliding_window(mapping: AnyMapping, shape: Shape, axis: Axes = None) -> Moved:
    """Every window of ``shape`` along ``axis``; the dimensions of the windows come last."""
    lengths = [int(as_integer(n, "the length of a window")) for n in as_several(shape)]
    rank = mapping.rank  # an axis may be windowed twice
    axes = range(rank) if axis is None else [axis_of(rank, a) for a in as_several(axis)]
    if len(axes) != len(lengths):
        raise ShapeError(
            f"{takes(len(axes), 'axis', 'axes')} {counted(len(axes), 'window length')}, got {len(lengths)}"
        )
    places = list(mapping.extents)
    for n, r in zip(lengths, axes, strict=True):
        if not 0 <= n <= places[r]:
            raise ShapeError(f"a window of length {shown(n)} does not fit extent {places[r]} of dimension {r}")
        places[r] = places[r] - n + 1
    return rearranging.windows(mapping, lengths, axes)


def shrink(mapping: AnyMapping, bounds: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> Moved:
    """Keep the half-open range of indices of each dimension; none may be empty."""
    return part(mapping, movements.ranges_of(mapping.extents, bounds)), 0


def part(mapping: AnyMapping, slices: Sequence[Selection]) -> AnyMapping:
    """Return the mapping of the part that canonical slices select, which keeps its offsets."""
    found, shift = select(mapping, slices)
    is_plain = shift and found.size and found.found_strides() is None
    if is_plain and found.layout.composition(found.extents).base is found.layout:
        # Tiles further on would begin at their offset; a composition keeps it.
        found, shift = rearranging.through(mapping, IndexMap.from_slices(slices), found.extents)
    return as_mapping(found, shift)


VERBS: Final[dict[str, Callable[..., Moved]]] = {
    verb.__name__: verb
    for verb in (
        *(permute_dims, transposed, moveaxis, swapaxes, flip, expand_dims, squeeze, broadcast_to),
        *(reshape, ravel, diagonal, sliding_window, pad, shrink),
    )
}
"""The verbs by their names."""
