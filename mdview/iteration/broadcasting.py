"""Broadcasting: one index space for several operands, aligned at the last dimension; extents of 1 repeat."""

from __future__ import annotations

from collections.abc import Sequence

from mdview.errors import BroadcastError
from mdview.index.extents import shape_text


def common_extents(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Extents that all of ``shapes`` can be broadcast to.

    >>> common_extents([(3,), (2, 1), ()])
    (2, 3)
    """
    rank = max(map(len, shapes), default=0)
    common = [1] * rank
    for k, shape in enumerate(shapes):
        for r, extent in enumerate(shape, start=rank - len(shape)):
            if extent != 1 and common[r] not in {1, extent}:
                others = " and ".join([shape_text(s) for s in shapes[:k]])
                message = (
                    f"operand {k} of extents {shape_text(shape)} does not go with {others}: aligned at the right, "
                    f"extents must agree or be 1, and dimension {r - rank} has {extent} and {common[r]}"
                )
                raise BroadcastError(message)
            common[r] = common[r] if extent == 1 else int(extent)
    return tuple(common)


def repeated_strides(strides: Sequence[int], extents: Sequence[int], common: Sequence[int]) -> tuple[int, ...]:
    """Strides over ``common``, which ``extents`` is broadcast to: 0 along each dimension that repeats.

    >>> repeated_strides((1, 9), (4, 1), (2, 4, 3))
    (0, 1, 0)
    """
    new = len(common) - len(extents)
    kept = [0 if e == 1 != common[new + r] else int(s) for r, (e, s) in enumerate(zip(extents, strides, strict=True))]
    return (*((0,) * new), *kept)
