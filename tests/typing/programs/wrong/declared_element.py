"""Numbers where texts are declared."""

from array import array

from mdview import Dims1, MDView


def names(count: int) -> MDView[str, Dims1]:
    return MDView(array("d", bytes(8 * count)), (count,))  # error: the elements are numbers


print(names(1))
