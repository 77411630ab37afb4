"""What is known to be 3 cannot be assumed to be 4."""

from typing import Literal

from mdview import Dim, Dyn, Extents, MDView, assume, dim


def square(view: MDView[float, Extents[Dyn, Dim[Literal[3]]]]) -> int:
    return len(assume(view, (dim(4), dim(4))))  # error: the second extent is 3


print(square(MDView([0.0] * 9, (3, dim(3)))))
