"""Mappings alone: facts about where indices lie, before there is any memory."""

from collections.abc import Sequence

import mdview as md
from mdview.layouts import StridedLayout
from mdview.mappings import collision, contiguous_runs, is_contiguous, overlap, stride_order


def wasted(mappings: Sequence[md.Mapping[tuple[int, ...], md.Layout]]) -> list[int]:
    return [mapping.required_span_size - mapping.size for mapping in mappings]


def steps(mapping: md.Mapping[tuple[int, int], StridedLayout]) -> tuple[int, int]:
    return mapping.stride(0), mapping.stride(1)


def main() -> None:
    assert wasted([md.Mapping((3, 4)), md.Mapping((3, 4), md.LayoutMorton())]) == [0, 2]
    assert steps(md.Mapping((2, 3), md.LayoutLeft())) == (1, 2)
    assert steps(md.Mapping((2, 3), md.LayoutStride((8, 1)))) == (8, 1)
    assert stride_order(md.Mapping((2, 3), md.LayoutLeft())) == (1, 0)
    shared = md.Mapping((4, 2), md.LayoutStrideRelaxed((1, 1)))
    assert not shared.is_unique
    assert collision(shared) is not None
    assert overlap(md.Mapping((4,)), md.Mapping((4,))) is not None
    assert is_contiguous(md.Mapping((2, 2)))
    assert [length for _, length in contiguous_runs(md.Mapping((2, 3), md.LayoutStride((8, 1))))] == [3, 3]
    assert md.flip(md.Mapping((4,)))(0) == 3
    assert md.reshape(md.Mapping((4, 2)), (2, 4)).extents == (2, 4)
    swizzled = md.LayoutSwizzled(md.LayoutRight(), bits=1, base=0, shift=1)
    assert "Not strided" in md.explain(md.Mapping((2, 4), swizzled))


main()
