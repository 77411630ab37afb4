"""Memory of other languages: columns first, padded rows, tiles, Morton order; the code that reads is one."""

from array import array

import mdview as md
from mdview.iteration import elements

LAYOUTS: tuple[md.Layout, ...] = (
    md.LayoutLeft(),
    md.LayoutLeftPadded(8),
    md.LayoutRightPadded(md.dim(8)),
    md.LayoutTiled(2, 2, inner=md.LayoutLeft()),
    md.LayoutMorton(),
)


def relaid(view: md.MDView[float, md.Dims2, md.Layout], layout: md.Layout) -> md.MDView[float, md.Dims2, md.Layout]:
    mapping = md.Mapping(view.extents, layout)
    target = md.MDView.from_mapping(array("d", bytes(8 * mapping.required_span_size)), mapping)
    md.copy(view, target)
    return target


def main() -> None:
    view = md.MDView(array("d", range(16)), (4, 4))
    for layout in LAYOUTS:
        target = relaid(view, layout)
        assert md.equal(view, target)
        assert sum(elements(target)) == 120.0
    left = md.MDView(array("d", range(16)), (4, 4), md.LayoutLeft())
    assert left.strides == (1, 4)
    assert left[1, 0] == 1.0


main()
