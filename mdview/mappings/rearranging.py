"""Rearranging a mapping gives another one onto the same elements: permuted, flipped, broadcast, reshaped, padded.

Every function here takes a mapping and returns the new one with the shift of its data: for every index the new offset
plus the shift is the old offset of the element that the index stands for. The new layout is the narrowest one that says
so exactly: right before left before padded before stride before relaxed, the same layout where it keeps itself, and
a composition where nothing else does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from mdview.base.texts import shown, told
from mdview.errors import NotStridedError, StrideError
from mdview.index.domains import domain, whole
from mdview.index.extents import as_extents, is_empty
from mdview.index.movements import Movement, inverse
from mdview.index.no_copy_reshape import infer_shape, no_copy_strides
from mdview.index.transforms import IndexMap
from mdview.layouts.base import Box, Layout
from mdview.layouts.composed import LayoutComposed, composed_strides
from mdview.layouts.stride import LayoutStrideRelaxed, narrowest_layout
from mdview.layouts.strided import LayoutRight, layout_of
from mdview.layouts.wrapper import transpose_of
from mdview.mappings.mapping import AnyMapping, Mapping

MATRIX: Final = 2
"""The rank of a matrix."""
Moved: TypeAlias = tuple[AnyMapping, int]


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


def moved(mapping: AnyMapping, movement: Movement) -> Moved:
    """Mapping of the indices of a movement, each of which stands for an index of ``mapping``.

    Dense layouts in reverse are each other, over any extents, as a type checker is told.
    """
    transform, extents, box = movement
    if box is not None:
        return _padded(mapping, transform, as_extents(extents), box)
    rule = mapping.layout.stride_rule()
    is_dense = rule is not None and rule.is_dense and len(extents) == mapping.rank > 1
    if rule is not None and is_dense and transform == IndexMap.taking(range(mapping.rank)[::-1]):
        return Mapping.trusted(extents, layout_of(rule.reversed())), 0
    return through(mapping, transform, extents)


def _padded(mapping: AnyMapping, transform: IndexMap, extents: tuple[int, ...], box: Box) -> Moved:
    """Add padding around a box; where there is padding already, it grows."""
    if extents == mapping.extents:
        return mapping, 0
    grows = mapping.layout.composition(mapping.extents).box is not None
    if not grows and not is_empty(extents):
        # Indices of the base outside its extents are the padding, however the result is sliced: a fill depends on that.
        return Mapping.trusted(extents, LayoutComposed(mapping.layout, mapping.extents, transform, box)), 0
    return through(mapping, transform, extents, box)


def transposed(mapping: AnyMapping) -> AnyMapping:
    """Exchange the two dimensions of a matrix, as its layout says; what is composed takes it into its transform."""
    layout, extents = mapping.layout, mapping.extents[::-1]
    own = layout.transposed(mapping.extents)
    if own is None and layout.stride_rule() is None and layout.composition(mapping.extents).base is not layout:
        return as_mapping(*through(mapping, IndexMap.taking((1, 0)), extents))
    return Mapping.trusted(extents, transpose_of(strided_form(mapping).layout, mapping.extents) if own is None else own)


def windows(mapping: AnyMapping, shape: Sequence[int], axes: Sequence[int]) -> Moved:
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


def reshape(mapping: AnyMapping, shape: Sequence[int]) -> Moved:
    """Mapping of ``shape`` that has the elements in the same C order; one extent may be -1."""
    extents, mapping = infer_shape(mapping.extents, shape), strided_form(mapping)
    if extents == mapping.extents:
        return mapping, 0
    if is_empty(extents):  # of no element each extent by itself may be too large
        return Mapping.trusted(as_extents(extents), LayoutRight()), 0
    known = mapping.found_strides()
    strides = None if known is None else no_copy_strides(mapping.extents, known, extents)
    if strides is not None:
        return _strided(extents, strides, mapping.origin)
    if [e for e in extents if e != 1] == [e for e in mapping.extents if e != 1]:  # which any layout follows
        places = iter([r for r, e in enumerate(extents) if e != 1])
        return through(mapping, IndexMap.taking([None if e == 1 else next(places) for e in mapping.extents]), extents)
    part = mapping.layout.composition(mapping.extents)
    transform = part.transform.reshaped(mapping.extents, extents) if part.box is None else None
    if transform is not None:  # the link that is there takes the mixed-radix step
        return over(Mapping.trusted(part.extents, part.base), transform, extents)
    return over(mapping, IndexMap.of_reshape(mapping.extents, extents), extents)


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
