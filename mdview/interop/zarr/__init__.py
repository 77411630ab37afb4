"""Arrays of zarr: `from_zarr` gives a view of one, where it lies if that is possible, and `to_zarr` writes one.

zarr reads and writes metadata, codecs and checksums. Begin with `zarr_import`, which derives from them where elements
lie in a file; what is compressed, or in another store than a folder, is copied by zarr.
"""

from mdview.interop.zarr.zarr_export import to_zarr
from mdview.interop.zarr.zarr_import import from_zarr

__all__ = [
    "from_zarr",
    "to_zarr",
]
