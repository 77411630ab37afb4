"""A static extent whose type says another number."""

from typing import Literal

from mdview import Dim

Three = Dim[Literal[3]]


def three() -> Three:
    return Dim[Literal[3]](4)  # error: 4 is not 3


print(three())
