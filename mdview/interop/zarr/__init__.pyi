# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.interop.zarr.zarr_import import from_zarr as from_zarr
from mdview.interop.zarr.zarr_export import to_zarr as to_zarr
