"""Working in blocks: tiles of any view have its rank, and tiles of tiled views are its own."""

from array import array

from mdview import Accessor, Dims2, Layout, LayoutTiled, MDView, copy, tiles


def block_sums(view: MDView[float, Dims2, Layout, Accessor[float, float]], size: int) -> list[float]:
    return [
        sum(block[i, j] for i in range(len(block)) for j in range(block.extent(1)))
        for block in tiles(view, (size, size))
    ]


def transpose_in_blocks(source: MDView[float, Dims2], target: MDView[float, Dims2]) -> None:
    height, width = source.extents
    for i in range(0, height, 2):
        for j in range(0, width, 2):
            block = source[i : i + 2, j : j + 2]
            for k in range(block.extent(0)):
                for m in range(block.extent(1)):
                    target[j + m, i + k] = block[k, m]


def main() -> None:
    view = MDView(array("d", range(16)), (4, 4))
    assert block_sums(view, 2) == [10.0, 18.0, 42.0, 50.0]
    target = MDView(array("d", bytes(128)), (4, 4))
    transpose_in_blocks(view, target)
    assert target[3, 0] == view[0, 3]
    tiled = MDView(array("d", bytes(128)), (4, 4), LayoutTiled(2, 2))
    copy(view, tiled)
    assert [tile[0, 0] for tile in tiles(tiled)] == [0.0, 2.0, 8.0, 10.0]
    for tile in tiles(tiled):
        tile[0, 1] = 0.0
    assert tiled[2, 3] == 0.0


main()
