"""Views, mappings and layouts as values: pickled, compared, used as keys."""

import copy
import pickle
from array import array
from typing import cast

from mdview import Dims2, Layout, LayoutLeft, LayoutTiled, Mapping, MDView, dim, equal


def sent(view: MDView[float, Dims2, Layout]) -> MDView[float, Dims2, Layout]:
    return cast("MDView[float, Dims2, Layout]", pickle.loads(pickle.dumps(view)))


def main() -> None:
    view = MDView(array("d", range(16)), (4, 4), LayoutTiled(2, 2))
    received = sent(view)
    assert equal(received, view)
    assert received.layout == view.layout
    received[0, 0] = 9.0
    assert view[0, 0] == 0.0
    costs: dict[Layout, float] = {LayoutLeft(): 1.0, LayoutTiled(2, 2): 2.0}
    assert costs[view.layout] == 2.0
    mappings = {Mapping((2, dim(3))), Mapping((2, 3)), Mapping((2, 3), LayoutLeft())}
    assert Mapping((2, 3), LayoutLeft()) in mappings
    again = copy.copy(view)
    assert again[3, 3] == view[3, 3]


main()
