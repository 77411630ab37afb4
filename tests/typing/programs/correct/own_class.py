"""A class of one's own around a view, generic in its element and its layout."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar, assert_type

from mdview import Dims2, Layout, LayoutLeft, LayoutRight, MDView
from mdview.iteration import elements, indices
from mdview.operations import transposed

T = TypeVar("T")
L = TypeVar("L", bound=Layout)


@dataclass(frozen=True)
class Board(Generic[T, L]):
    """A board of a game."""

    cells: MDView[T, Dims2, L]

    def at(self, square: str) -> T:
        return self.cells[int(square[1]) - 1, "abcdefgh".index(square[0])]

    def put(self, square: str, piece: T) -> None:
        self.cells[int(square[1]) - 1, "abcdefgh".index(square[0])] = piece

    def __iter__(self) -> Iterator[T]:
        return elements(self.cells)

    def where(self, piece: T) -> list[tuple[int, int]]:
        return [index for index in indices(self.cells) if self.cells[index] == piece]


def turned(board: Board[str, LayoutRight]) -> Board[str, LayoutLeft]:
    return Board(transposed(board.cells))


def main() -> None:
    board = Board(MDView(["."] * 64, (8, 8)))
    board.put("e4", "P")
    assert_type(board, Board[str, LayoutRight])
    assert board.at("e4") == "P"
    assert board.where("P") == [(3, 4)]
    assert turned(board).where("P") == [(4, 3)]
    assert "".join(board).count(".") == 63


main()
