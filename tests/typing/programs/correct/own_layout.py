"""A layout of one's own: arithmetic in two methods, everything else follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from typing_extensions import override

from mdview import Layout, Mapping, MDView, subview
from mdview.errors import RankError
from mdview.operations import transposed


@final
@dataclass(frozen=True)
class LayoutInterleaved(Layout):
    """Rows in ``ways`` groups: row i of group i % ways."""

    ways: int

    @override
    def check(self, extents: Sequence[int]) -> None:
        if len(extents) != 2 or extents[0] % self.ways:
            message = f"{self} needs a matrix whose rows {self.ways} divides, got {tuple(extents)}"
            raise RankError(message)

    @override
    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        i, j = index
        rows = extents[0] // self.ways
        return ((i % self.ways) * rows + i // self.ways) * extents[1] + j

    @override
    def required_span_size(self, extents: Sequence[int]) -> int:
        return extents[0] * extents[1]


def main() -> None:
    mapping = Mapping((4, 2), LayoutInterleaved(2))
    assert [mapping(i, 0) for i in range(4)] == [0, 4, 2, 6]
    view = MDView(list(range(8)), (4, 2), LayoutInterleaved(2))
    ways: int = view.layout.ways
    assert ways == 2
    assert view[1, 1] == 5
    assert view[1].tolist() == [4, 5]
    assert subview(view, (0, 2), 0).tolist() == [0, 4]
    assert transposed(view)[1, 0] == 1


main()
