"""An accessor that shows texts still stores numbers."""

from typing import final

from typing_extensions import override

from mdview import LayoutRight, MDView, Writable
from mdview.accessors import Items


@final
class Shown(Writable[float, str]):
    """Numbers with two digits."""

    @override
    def load(self, data: Items, offset: int) -> str:
        return f"{data[offset]:.2f}"


view = MDView([1.0, 2.0], (2,), LayoutRight(), Shown())
view[0] = "3.00"  # error: the elements are numbers
