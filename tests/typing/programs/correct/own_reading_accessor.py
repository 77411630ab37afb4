"""An accessor of one's own that shows something else than it stores, and stores nothing."""

from dataclasses import dataclass
from typing import assert_type, final

from typing_extensions import override

from mdview import Accessor, LayoutRight, MDView, flip
from mdview.accessors import Items
from mdview.iteration import elements


@final
@dataclass(frozen=True)
class Graded(Accessor[int, str]):
    """Marks as letters."""

    letters: str = "FEDCBA"

    @override
    def load(self, data: Items, offset: int) -> str:
        return self.letters[data[offset]]


def main() -> None:
    marks = MDView([5, 4, 0, 2], (2, 2), LayoutRight(), Graded())
    assert_type(marks[0, 1], str)
    assert marks[0, 0] + marks[0, 1] == "AB"
    assert "".join(elements(marks)) == "ABFD"
    rows: list[list[str]] = marks.tolist()
    assert rows == [["A", "B"], ["F", "D"]]
    backwards: str = flip(marks)[0, 0]
    assert backwards == "D"
    for row in marks:
        assert_type(row[0], str)
    assert marks.accessor.letters[0] == "F"


main()
