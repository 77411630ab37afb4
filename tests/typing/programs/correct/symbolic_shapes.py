"""Extents that are not known yet: offsets are expressions, questions are answered for all values."""

from mdview import Layout, LayoutLeft, LayoutTiled, Mapping
from mdview.symbolic import SymbolicMapping, divides, equal, less, simplified, var


def main() -> None:
    n, i, j = var("n", 1, 100), var("i", 0, 99), var("j", 0, 7)
    tiles = SymbolicMapping((n, 8), LayoutTiled(1, 4))
    offset = tiles.offset(i, j)
    assert offset.eval({n: 10, i: 3, j: 5}) == Mapping((10, 8), LayoutTiled(1, 4))(3, 5)
    bound: Mapping[tuple[int, ...], Layout] = tiles.bind({n: 10})
    assert bound.extents == (10, 8)
    columns = SymbolicMapping((n, 8), LayoutLeft())
    answer: bool | None = equal(columns.offset(i, 0), i)
    assert answer is True
    assert less(i, n) is None
    assert divides(4, n * 8) is True
    assert simplified(n + n - n).eval({n: 3}) == 3


main()
