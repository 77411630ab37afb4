"""The polymorphic view: dimensions and properties as data."""

from array import array

from mdview import CheckedAccessor, LayoutLeft, ReadOnlyAccessor
from mdview.polymorphic import Dims, Property, dimension, fill_dimensions, implicit_dimensions, polymorphic_view


def chosen(fortran: bool, careful: bool) -> list[Property]:
    return [LayoutLeft() if fortran else None, CheckedAccessor if careful else None, ReadOnlyAccessor]


def main() -> None:
    data = array("d", range(12))
    dims: Dims = (None, 3)
    view = polymorphic_view(data, dims, 4, properties=chosen(fortran=True, careful=True))
    assert view.shape == (4, 3)
    assert view.static_extents == (None, 3)
    assert view.at((1, 2)) == 9.0
    assert fill_dimensions(dimension(0, 3), 4) == (4, 3)
    assert implicit_dimensions(2) == (None, None)
    nothing = polymorphic_view(None, implicit_dimensions(2), 2, 2)
    extents: tuple[int, ...] = nothing.extents
    assert extents == (0, 0)


main()
