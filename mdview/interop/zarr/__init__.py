"""Arrays of zarr: `from_zarr` gives a view of one, where it lies if that is possible, and `to_zarr` writes one.

Begin with `metadata`, which reads what an array says of itself, and `shards`, which finds the chunks in a file. Neither
needs zarr; what is compressed, or in another store than a folder, goes through zarr itself (`copying`).
"""
