"""Memory of one's own: anything with a length and items is data, and says of which type they are."""

from typing import assert_type

from mdview import LayoutLeft, MDView, ReadOnlyAccessor
from mdview.accessors import Items, MutableItems
from mdview.errors import ReadOnlyError


class Squares:
    """Computed, so there is nothing to store to."""

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int, /) -> int:
        return index * index


class Logged:
    """A list that remembers how often it was written."""

    def __init__(self, items: list[float]) -> None:
        self.items: list[float] = items
        self.writes: int = 0

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int, /) -> float:
        return self.items[index]

    def __setitem__(self, index: int, value: float, /) -> None:
        self.writes += 1
        self.items[index] = value


def main() -> None:
    squares = MDView(Squares(), (3, 4), LayoutLeft(), ReadOnlyAccessor[int]())
    assert_type(squares[2, 1], int)
    assert squares[2, 1] == 25
    logged = Logged([0.0] * 4)
    view = MDView(logged, (2, 2))
    view[0, 1] = 1.0
    view[1] = 2.0
    assert logged.writes == 3
    held: Items = Squares()
    kept: MutableItems = logged
    assert (len(held), len(kept)) == (12, 4)
    assert issubclass(ReadOnlyError, TypeError)


main()
