"""Compositions as kernels see them: an innermost base, one transform to its indices, and whether some lead to padding.

Links of a composition become one transform, however many there are. An index of a padded view lies in the padding where
its base index leaves the extents of the base, so the box of a padded layout needs no numbers of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import KernelError
from mdview.index.domains import domain, is_nowhere, whole
from mdview.layouts.base import Composition, Layout
from mdview.mappings.rearranging import AnyMapping
from mdview.numba.transforms import Transform


@final
@value
class Unrolled:
    """``layout`` over ``extents`` is reached through ``transform``; ``is_padded`` where that may leave the extents."""

    layout: Layout
    extents: tuple[int, ...]
    transform: Transform
    is_padded: bool


def unrolled(mapping: AnyMapping) -> Unrolled:
    """Take a mapping apart.

    Raises
    ------
    KernelError
        There is padding inside of padding, or where no transform leads out of the base.
    """
    layout, extents, is_padded = mapping.layout, mapping.extents, False
    transform = Transform.identity(mapping.rank)
    while not is_padded:
        found = layout.composition(extents)
        further = None if found.base is layout else transform.then(found.transform)
        if further is None:
            break
        if found.box is not None and not _is_natural(found, extents):
            raise KernelError(
                f"the box of {told(layout)} is not where its transform leads to its base; make padding with pad"
            )
        transform, is_padded = further.without_carries(mapping.extents), found.box is not None
        layout, extents = found.base, found.extents
    if not layout.is_total():
        raise KernelError(
            f"a kernel has one padding at most: {told(mapping)} has some in {told(layout)}; copy it, or slice it inside"
        )
    return Unrolled(layout, extents, transform, is_padded)


def _is_natural(found: Composition, extents: Sequence[int]) -> bool:
    """Tell whether the box holds the very indices within ``extents`` whose base index lies within the base."""
    if found.box is None or not found.transform.is_affine:
        return False
    natural = domain(found.transform, whole(found.extents), whole(extents))
    if len(found.box) > len(extents) or is_nowhere(found.box):
        return natural is not None and is_nowhere(natural)
    return natural == found.box
