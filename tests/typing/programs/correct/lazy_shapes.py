"""Lazy views: shapes are computed with before there is any memory."""

from mdview.errors import ShapeError
from mdview.lazy import Chain, StridedBox


def patches(height: int, width: int) -> Chain:
    return Chain(StridedBox((height, width))).reshape((height // 2, 2, width // 2, 2)).permute((0, 2, 1, 3))


def main() -> None:
    box = StridedBox((4, 6)).shrink([(1, 3), (2, 5)]).pad([(0, 1), (0, 0)])
    found: list[int | None] = list(box.elements())
    assert found == [8, 9, 10, 14, 15, 16, None, None, None]
    chain = patches(4, 4)
    assert chain.locate(1, 1, 0, 1) == 11
    single: StridedBox | None = chain.simplify().single()
    assert single is not None
    assert single.strides == (8, 2, 4, 1)
    strides: tuple[int, ...] | None = chain.strides_or_none()
    assert strides == (8, 2, 4, 1)
    try:
        chain.reshape((3, 5))
    except ShapeError as error:
        assert "16" in str(error)


main()
