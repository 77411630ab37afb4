"""Arrays of zarr: `from_zarr` gives a view of one, where it lies if that is possible, and `to_zarr` writes one.

zarr reads and writes metadata, codecs and checksums. Begin with `zarr_import`, which derives from them where elements
lie in a file; what is compressed, or in another store than a folder, is copied by zarr.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    zarr_import="from_zarr",
    zarr_export="to_zarr",
)
