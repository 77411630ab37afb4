"""Mappings alone: facts about where indices lie, before there is any memory."""

from collections.abc import Sequence

from mdview import (
    Layout,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    Mapping,
    explain,
    flip,
    reshape,
)
from mdview.layouts import StridedLayout
from mdview.mappings import collision, contiguous_runs, is_contiguous, overlap, stride_order


def wasted(mappings: Sequence[Mapping[tuple[int, ...], Layout]]) -> list[int]:
    return [mapping.required_span_size - mapping.size for mapping in mappings]


def steps(mapping: Mapping[tuple[int, int], StridedLayout]) -> tuple[int, int]:
    return mapping.stride(0), mapping.stride(1)


def main() -> None:
    assert wasted([Mapping((3, 4)), Mapping((3, 4), LayoutMorton())]) == [0, 2]
    assert steps(Mapping((2, 3), LayoutLeft())) == (1, 2)
    assert steps(Mapping((2, 3), LayoutStride((8, 1)))) == (8, 1)
    assert stride_order(Mapping((2, 3), LayoutLeft())) == (1, 0)
    shared = Mapping((4, 2), LayoutStrideRelaxed((1, 1)))
    assert not shared.is_unique
    assert collision(shared) is not None
    assert overlap(Mapping((4,)), Mapping((4,))) is not None
    assert is_contiguous(Mapping((2, 2)))
    assert [length for _, length in contiguous_runs(Mapping((2, 3), LayoutStride((8, 1))))] == [3, 3]
    assert flip(Mapping((4,)))(0) == 3
    assert reshape(Mapping((4, 2)), (2, 4)).extents == (2, 4)
    swizzled = LayoutSwizzled(LayoutRight(), bits=1, base=0, shift=1)
    assert "Not strided" in explain(Mapping((2, 4), swizzled))


main()
