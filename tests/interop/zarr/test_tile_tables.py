"""Layouts of shards keep what layouts promise."""

import pytest

from mdview import LayoutLeft, LayoutMorton, LayoutRight, Mapping
from mdview.errors import LayoutError
from mdview.interop.zarr.crc32c import _slowly, crc32c
from mdview.interop.zarr.tile_tables import LayoutTable, LayoutTileTable
from mdview.testing import check_layout

TABLE = LayoutTable([4, 0, 3, 1, 5, 2])


@pytest.mark.parametrize(
    ("layout", "extents"),
    [
        (TABLE, (2, 3)),
        (LayoutTileTable((2, 3), TABLE, LayoutRight()), (3, 8)),
        (LayoutTileTable((2, 3), TABLE, LayoutLeft()), (4, 7)),
        (LayoutTileTable((2, 2), LayoutMorton(compact=True, fastest="first"), LayoutRight()), (7, 4)),
    ],
    ids=str,
)
def test_laws_hold(layout, extents):
    check_layout(layout, extents)


def test_a_table_has_places_that_differ_and_is_for_as_many_indices():
    for places in ([0, 0], [1, 2]):
        with pytest.raises(LayoutError, match="places in a table"):
            LayoutTable(places)
    with pytest.raises(LayoutError, match="6 places"):
        Mapping((4, 4), LayoutTileTable((2, 2), TABLE, LayoutRight()))
    with pytest.raises(LayoutError, match="another rank"):
        Mapping((4,), LayoutTileTable((2, 2), TABLE, LayoutRight()))


def test_the_checksum_is_that_of_the_format():
    for data in (b"", b"123456789", bytes(range(256))):
        assert crc32c(data) == _slowly(data)
    assert _slowly(b"123456789") == 0xE3069283
