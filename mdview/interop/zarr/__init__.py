"""Arrays of zarr: `from_zarr` returns a view of an array, without a copy if possible, and `to_zarr` writes an array.

zarr reads and writes metadata, codecs and checksums. `zarr_import` derives the positions of elements in a file from the
metadata; the elements of a compressed array, or of an array in another store than a folder, are copied by zarr.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    zarr_import="from_zarr",
    zarr_export="to_zarr",
)
