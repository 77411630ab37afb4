"""Views from mappings: one mapping for several buffers, and parts that begin somewhere in the memory."""

from __future__ import annotations

from array import array
from typing import assert_type

from mdview import ALL, CheckedAccessor, Dims2, LayoutLeft, LayoutTiled, Mapping, MDView
from mdview.mappings import dense_like, is_contiguous, submapping


def channels(
    buffers: list[array[float]], mapping: Mapping[Dims2, LayoutTiled]
) -> list[MDView[float, Dims2, LayoutTiled]]:
    return [MDView.from_mapping(buffer, mapping) for buffer in buffers]


def main() -> None:
    mapping = Mapping((4, 4), LayoutTiled(2, 2))
    red, green = channels([array("d", range(16)), array("d", bytes(128))], mapping)
    green[3, 3] = red[0, 3]
    assert green[3, 3] == 5.0
    accessor: CheckedAccessor[float] = CheckedAccessor()
    careful = MDView.from_mapping(array("d", range(16)), mapping, accessor)
    assert_type(careful.accessor, CheckedAccessor[float])
    assert careful[1, 1] == 3.0
    part, origin = submapping(mapping, 2, ALL)
    row = MDView.from_mapping(array("d", range(16)), part, origin=origin)
    assert row.at((3,)) == 13.0
    left = Mapping((2, 3), LayoutLeft())
    assert is_contiguous(left, order="F")
    assert dense_like(left).size == left.size == 6
    assert [left(i, j) for i in range(2) for j in range(3)] == list(left.offsets())


main()
