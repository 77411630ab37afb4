"""Memory of other languages: columns first, padded rows, tiles, Morton order; the code that reads is one."""

from array import array

from mdview import (
    Dims2,
    Layout,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutMorton,
    LayoutRightPadded,
    LayoutTiled,
    Mapping,
    MDView,
    copy,
    dim,
    equal,
)
from mdview.iteration import elements

LAYOUTS: tuple[Layout, ...] = (
    LayoutLeft(),
    LayoutLeftPadded(8),
    LayoutRightPadded(dim(8)),
    LayoutTiled(2, 2, inner=LayoutLeft()),
    LayoutMorton(),
)


def relaid(view: MDView[float, Dims2, Layout], layout: Layout) -> MDView[float, Dims2, Layout]:
    mapping = Mapping(view.extents, layout)
    target = MDView.from_mapping(array("d", bytes(8 * mapping.required_span_size)), mapping)
    copy(view, target)
    return target


def main() -> None:
    view = MDView(array("d", range(16)), (4, 4))
    for layout in LAYOUTS:
        target = relaid(view, layout)
        assert equal(view, target)
        assert sum(elements(target)) == 120.0
    left = MDView(array("d", range(16)), (4, 4), LayoutLeft())
    assert left.strides == (1, 4)
    assert left[1, 0] == 1.0


main()
