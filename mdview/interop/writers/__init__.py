"""Who writes what: whether parallel writers share a unit of a store, and parts for them that do not.

A *unit* is what a store writes as a whole: a tile, a chunk, a shard. Whoever stores to some elements of one reads it,
changes it and writes it back, so two who do so at once lose what one of them stored, wherever their elements lie. Begin
with `conflicts` and `aligning`; `progressions` has the arithmetic of one dimension and `sweeping` the search over all.
No array library is imported: their arrays are known by ``shape``, ``chunks`` and ``shards``.
"""
