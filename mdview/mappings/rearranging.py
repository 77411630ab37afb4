"""Rearranging a mapping gives another one onto the same elements: permuted, flipped, broadcast, reshaped, padded.

Every function here takes a mapping and returns the new one with the shift of its data: for every index the new offset
plus the shift is the old offset of the element that the index stands for. The new layout is the narrowest one that says
so exactly: right before left before padded before stride before relaxed, the same layout where it keeps itself, and
a composition where nothing else does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from mdview.base.caches import remembered
from mdview.base.texts import shown, told
from mdview.errors import BroadcastError, NotStridedError, StrideError
from mdview.index.domains import domain, whole
from mdview.index.extents import as_extents, is_empty, shape_text
from mdview.index.no_copy_reshape import infer_shape, no_copy_strides
from mdview.index.transforms import IndexMap
from mdview.layouts.base import Box, Layout
from mdview.layouts.composed import LayoutComposed, composed_strides
from mdview.layouts.stride import LayoutStrideRelaxed, narrowest_layout
from mdview.layouts.strided import LayoutRight, layout_of
from mdview.layouts.wrapper import transpose_of
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.mappings.representatives import representative

MATRIX: Final = 2
"""The rank of a matrix."""
Moved: TypeAlias = tuple[AnyMapping, int]

known: Final = remembered(representative)
"""Keeps what the verbs have made, by verb, mapping and arguments: parts of views are permuted again and again."""


def as_mapping(mapping: AnyMapping, shift: int) -> AnyMapping:
    """Return the mapping whose offsets are those of ``mapping`` and a shift, which a view would add to its origin."""
    if shift == 0 or mapping.size == 0:
        return mapping
    part = mapping.layout.composition(mapping.extents)
    if part.base is not mapping.layout:  # what has been shifted is the base
        base = as_mapping(Mapping.trusted(part.extents, part.base), shift)
        return Mapping.trusted(mapping.extents, LayoutComposed(base.layout, part.extents, part.transform, part.box))
    strides = mapping.found_strides() or ()
    return Mapping(mapping.extents, LayoutStrideRelaxed(strides, mapping.origin + shift))


def strided_form(mapping: Mapping[tuple[int, ...], Layout]) -> Mapping[tuple[int, ...], Layout]:
    """Return the same function under the narrowest layout where the layout is linear and says nothing of its structure.

    Any other mapping is returned as it is. So a user's layout that is linear is sliced and transposed like ours.
    """
    layout = mapping.layout
    if mapping.found_strides() is None or layout.stride_rule() is not None or layout.tiling() is not None:
        return mapping
    return mapping.as_strided()


def through(mapping: AnyMapping, transform: IndexMap, extents: tuple[int, ...], box: Box | None = None) -> Moved:
    """Mapping of ``extents`` whose index ``i`` stands for index ``transform(i)``, an affine one, of ``mapping``.

    ``box`` limits the indices that stand for elements; only there need the transformed index lie within ``mapping``.
    """
    if is_empty(extents):
        return Mapping.trusted(extents, LayoutRight()), 0
    mapping = strided_form(mapping)
    if box is None and mapping.layout.stride_rule() is not None:
        return _strided_through(mapping, transform, extents)
    part = mapping.layout.composition(mapping.extents)
    is_base = part.base is mapping.layout
    base = mapping if is_base else Mapping.trusted(part.extents, part.base)
    inner = transform if is_base else part.transform.after(transform)
    box = _box(part.box, transform, extents, box)
    if box is not None:
        return Mapping.trusted(extents, LayoutComposed(part.base, part.extents, inner, box), None), 0
    if part.box is not None or not inner.is_affine:  # the link that the padding or the step needed may go
        return over(base, inner, extents)
    if part.base.stride_rule() is not None:
        return _strided_through(base, inner, extents)
    strided = composed_strides(part.base, part.extents, inner, extents)
    if strided is not None:
        return _strided(extents, strided[1], strided[0])
    own = _permuted(base, inner, extents)
    if own is not None:
        return Mapping.trusted(extents, own), 0
    return Mapping.trusted(extents, LayoutComposed(part.base, part.extents, inner), None), 0


def _box(old: Box | None, transform: IndexMap, extents: tuple[int, ...], box: Box | None) -> Box | None:
    """Return the box of indices within ``box`` whose transformed index lies in the box ``old``; None for all."""
    if old is not None:
        found = domain(transform, old, whole(extents) if box is None else box) or ()
        box = tuple([(begin, max(begin, end)) for begin, end in found])
    return None if box == whole(extents) else box


def _permuted(base: AnyMapping, transform: IndexMap, extents: tuple[int, ...]) -> Layout | None:
    """Layout of ``base`` itself with its dimensions permuted, if a transform does that alone and there is one."""
    source = [s for s in transform.source if s is not None]
    is_whole = sorted(source) == list(range(len(extents))) and base.extents == tuple([extents[s] for s in source])
    if not is_whole or transform != IndexMap.taking(source):
        return None
    return base.layout if transform.is_identity() else base.layout.permuted(base.extents, inverse(source))


def over(base: AnyMapping, transform: IndexMap, extents: tuple[int, ...]) -> Moved:
    """Mapping of ``extents`` whose index ``i`` stands for index ``transform(i)`` of ``base``: all lie within it.

    A mixed-radix step is left out where it does nothing that an affine transform or strides could not do.
    """
    if is_empty(extents):
        return Mapping.trusted(extents, LayoutRight()), 0
    straight = transform.straightened(extents)
    if straight is not None:
        return through(base, straight, extents)
    composed = LayoutComposed(base.layout, base.extents, transform)
    strided = composed.strided(extents)
    return (Mapping.trusted(extents, composed), 0) if strided is None else _strided(extents, strided[1], strided[0])


def _strided_through(mapping: AnyMapping, transform: IndexMap, extents: tuple[int, ...]) -> Moved:
    start, strides = transform.along(mapping.found_strides() or (), len(extents))
    return _strided(extents, strides, mapping.origin + start)


def _strided(extents: tuple[int, ...], strides: Sequence[int], start: int) -> Moved:
    """Mapping whose data begins at ``start``, of the narrowest layout: the stride of an extent of 1 does not count."""
    steps = [max(s, 1) if e == 1 else s for e, s in zip(extents, strides, strict=True)]
    layout, first = narrowest_layout(extents, steps)
    return Mapping.trusted(extents, layout), start - first


@known
def permute(mapping: AnyMapping, axes: tuple[int, ...]) -> Moved:
    """Dimension ``r`` of the result is dimension ``axes[r]``.

    Dense layouts in reverse are each other, over any extents, as a type checker is told.
    """
    extents = tuple([mapping.extents[axis] for axis in axes])
    rule = mapping.layout.stride_rule()
    if rule is not None and rule.is_dense and len(axes) > 1 and axes == tuple(range(len(axes)))[::-1]:
        return Mapping.trusted(extents, layout_of(rule.reversed())), 0
    return through(mapping, IndexMap.taking(inverse(axes)), extents)


def reverse(mapping: AnyMapping) -> Moved:
    """Turn the order of the dimensions, which transposes a matrix."""
    if mapping.rank == MATRIX:
        return transposed(mapping), 0
    return permute(mapping, tuple(range(mapping.rank))[::-1])


def transposed(mapping: AnyMapping) -> AnyMapping:
    """Exchange the two dimensions of a matrix, as its layout says; what is composed takes it into its transform."""
    layout, extents = mapping.layout, mapping.extents[::-1]
    own = layout.transposed(mapping.extents)
    if own is None and layout.stride_rule() is None and layout.composition(mapping.extents).base is not layout:
        return as_mapping(*through(mapping, IndexMap.taking((1, 0)), extents))
    return Mapping.trusted(extents, transpose_of(strided_form(mapping).layout, mapping.extents) if own is None else own)


@known
def flip(mapping: AnyMapping, axes: tuple[int, ...]) -> Moved:
    """Turn the order of the indices of some dimensions."""
    return through(mapping, IndexMap.flipped(mapping.extents, set(axes)), mapping.extents)


def take(mapping: AnyMapping, source: Sequence[int | None], extents: tuple[int, ...]) -> Moved:
    """Mapping of ``extents`` whose index ``source[r]`` is the old index ``r``; where that is None, index 0 is taken.

    So dimensions of extent 1 are inserted, dropped and repeated.
    """
    return through(mapping, IndexMap.taking(source), extents)


@known
def broadcast(mapping: AnyMapping, extents: tuple[int, ...], _types: tuple[type, ...]) -> Moved:
    """Repeat dimensions of extent 1, and all of ``mapping`` along new ones in front."""
    new = len(extents) - mapping.rank
    for r, e in enumerate(mapping.extents):
        if new < 0 or e not in {1, extents[new + r]}:
            raise BroadcastError(
                f"{shape_text(mapping.extents)} cannot be broadcast to {shape_text(extents)}: aligned at the right, "
                f"extents must agree or be 1"
            )
    source = [None if e == 1 != extents[new + r] else new + r for r, e in enumerate(mapping.extents)]
    return take(mapping, source, extents)


@known
def insert(mapping: AnyMapping, added: tuple[int, ...]) -> Moved:
    """Insert dimensions of extent 1 at these positions of the result."""
    rank, new = mapping.rank + len(added), set(added)
    places = [r for r in range(rank) if r not in new]
    old = iter(mapping.extents)
    return take(mapping, places, tuple([1 if r in new else next(old) for r in range(rank)]))


@known
def diagonal(mapping: AnyMapping, axis1: int, axis2: int, offset: int) -> Moved:
    """Indices at which two dimensions advance together, as the last dimension."""
    kept = [r for r in range(mapping.rank) if r not in {axis1, axis2}]
    first1, first2 = max(0, -offset), max(0, offset)
    length = max(0, min(mapping.extents[axis1] - first1, mapping.extents[axis2] - first2))
    place = {r: k for k, r in enumerate(kept)} | {axis1: len(kept), axis2: len(kept)}
    start = {axis1: first1, axis2: first2} if length else {}
    transform = IndexMap(
        tuple([start.get(r, 0) for r in range(mapping.rank)]),
        (1,) * mapping.rank,
        tuple([place[r] for r in range(mapping.rank)]),
    )
    return through(mapping, transform, (*[mapping.extents[r] for r in kept], length))


@known
def windows(mapping: AnyMapping, shape: tuple[int, ...], axes: tuple[int, ...]) -> Moved:
    """Every window of ``shape`` along ``axes``: one more dimension for each, at the end."""
    outer = list(mapping.extents)
    for n, axis in zip(shape, axes, strict=True):
        outer[axis] = outer[axis] - n + 1
    extents = as_extents((*outer, *shape))
    strides = mapping.found_strides()
    if strides is not None:
        return _strided(extents, (*strides, *[strides[axis] for axis in axes]), mapping.origin)
    part = mapping.layout.composition(mapping.extents)
    if part.box is None and part.base.is_total():
        return over(Mapping.trusted(part.extents, part.base), part.transform.widened(axes, mapping.extents), extents)
    return over(mapping, IndexMap.taking(range(mapping.rank)).widened(axes, mapping.extents), extents)


@known
def reshape(mapping: AnyMapping, shape: tuple[int, ...]) -> Moved:
    """Mapping of ``shape`` that has the elements in the same C order; one extent may be -1."""
    extents, mapping = infer_shape(mapping.extents, shape), strided_form(mapping)
    if extents == mapping.extents:
        return mapping, 0
    if is_empty(extents):  # of no element each extent by itself may be too large
        return Mapping.trusted(as_extents(extents), LayoutRight()), 0
    known = mapping.found_strides()
    if known is not None:
        strides = no_copy_strides(mapping.extents, known, extents)
        if strides is not None:
            return _strided(extents, strides, mapping.origin)
    if _long(extents) == _long(mapping.extents):  # inserting and dropping extents of 1 is what any layout follows
        places = iter([r for r, e in enumerate(extents) if e != 1])
        return take(mapping, [None if e == 1 else next(places) for e in mapping.extents], extents)
    return _renumbered(mapping, extents)


def _renumbered(mapping: AnyMapping, extents: tuple[int, ...]) -> Moved:
    """Reshape by a mixed-radix step, in the link that is there if it can take one."""
    part = mapping.layout.composition(mapping.extents)
    transform = part.transform.reshaped(mapping.extents, extents) if part.box is None else None
    if transform is not None:
        return over(Mapping.trusted(part.extents, part.base), transform, extents)
    return over(mapping, IndexMap.of_reshape(mapping.extents, extents), extents)


def _long(extents: Sequence[int]) -> list[int]:
    return [int(e) for e in extents if e != 1]


@known
def pad(mapping: AnyMapping, widths: tuple[tuple[int, int], ...]) -> Moved:
    """Add padding: ``(before, after)`` indices along each dimension that stand for no element."""
    if not any(before or after for before, after in widths):
        return mapping, 0
    extents = as_extents([e + b + a for e, (b, a) in zip(mapping.extents, widths, strict=True)])
    box = tuple([(before, before + int(e)) for e, (before, _) in zip(mapping.extents, widths, strict=True)])
    transform = IndexMap.shifted([-before for before, _ in widths])
    grows = mapping.layout.composition(mapping.extents).box is not None
    if not grows and not is_empty(extents):
        # Indices of the base outside its extents are the padding, however the result is sliced: a fill depends on that.
        return Mapping.trusted(extents, LayoutComposed(mapping.layout, mapping.extents, transform, box)), 0
    return through(mapping, transform, extents, box)


def repack(mapping: AnyMapping, itemsize: int, new_itemsize: int) -> Moved:
    """Mapping of the same bytes read as items of another size along the last dimension; the shift is in new items."""
    strides = mapping.found_strides()
    if strides is None:
        raise NotStridedError(f"items are repacked along strides, and {told(mapping)} states none")
    if itemsize == new_itemsize:
        return mapping, 0
    if not strides or (strides[-1] != 1 and mapping.extents[-1] != 1):
        raise StrideError(f"another item size needs a contiguous last dimension; strides are {shown(strides)}")
    steps = [
        1 if e == 1 else _whole(s * itemsize, new_itemsize, f"stride {shown(s)} of dimension {r}")
        for r, (e, s) in enumerate(zip(mapping.extents[:-1], strides[:-1], strict=True))
    ]
    last = _whole(mapping.extents[-1] * itemsize, new_itemsize, f"extent {mapping.extents[-1]} of the last dimension")
    start = _whole(mapping.origin * itemsize, new_itemsize, f"origin {shown(mapping.origin)}")
    return _strided((*mapping.extents[:-1], last), (*steps, 1), start)


def _whole(size: int, item: int, what: str) -> int:
    """Return how many items of ``item`` bytes ``size`` bytes are."""
    if size % item:
        raise StrideError(f"{what} is {shown(size)} bytes, no multiple of the new item size {shown(item)}")
    return size // item


def inverse(axes: Sequence[int]) -> tuple[int, ...]:
    """Return the permutation that undoes ``axes``."""
    back = [0] * len(axes)
    for r, axis in enumerate(axes):
        back[axis] = r
    return tuple(back)
