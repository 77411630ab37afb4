"""An index transform says which base index a new index stands for.

Per base dimension ``d`` the base index is ``offset[d] + stride[d] * index[source[d]]``, or the constant
``offset[d]`` where ``source[d]`` is None. Slicing, permuting, flipping and broadcasting are all of this form, and
composing two of them is one of them again, so a chain of any length stays one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from mdview.slices import All, Selection
from mdview.value import value


@final
@value
class IndexTransform:
    """Affine map from an index to a base index, one base dimension at a time.

    All three fields have one entry per base dimension.
    """

    offset: tuple[int, ...]
    stride: tuple[int, ...]
    source: tuple[int | None, ...]

    @classmethod
    def from_slices(cls, slices: Sequence[Selection]) -> IndexTransform:
        """Make the transform of canonical ``slices``."""
        offset: list[int] = []
        stride: list[int] = []
        source: list[int | None] = []
        kept = 0
        for spec in slices:
            if isinstance(spec, int):
                first, step, dimension = int(spec), 0, None
            else:
                first, step = (0, 1) if isinstance(spec, All) else (int(spec.offset), int(spec.stride))
                dimension = kept
                kept += 1
            offset.append(first)
            stride.append(step)
            source.append(dimension)
        return cls(tuple(offset), tuple(stride), tuple(source))

    def apply(self, index: Sequence[int]) -> tuple[int, ...]:
        """Base index of ``index``."""
        return tuple(
            [
                first if source is None else first + step * index[source]
                for first, step, source in zip(self.offset, self.stride, self.source, strict=True)
            ]
        )

    def after(self, outer: IndexTransform) -> IndexTransform:
        """Return the transform that applies ``outer`` first and this one to its result."""
        offset: list[int] = []
        stride: list[int] = []
        source: list[int | None] = []
        for first, step, dimension in zip(self.offset, self.stride, self.source, strict=True):
            if dimension is None:
                offset.append(first)
                stride.append(0)
                source.append(None)
            else:
                offset.append(first + step * outer.offset[dimension])
                stride.append(step * outer.stride[dimension])
                source.append(outer.source[dimension])
        return IndexTransform(tuple(offset), tuple(stride), tuple(source))
