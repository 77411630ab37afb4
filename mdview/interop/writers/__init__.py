"""Conflicts of parallel writers: proofs that no two share a tile, chunk or shard, and aligned parts.

A *unit* is what a store writes as a whole: a tile, a chunk, a shard. A writer of some elements of one reads it,
changes it and writes it back, so two that do so at once lose what one of them stored, wherever their elements lie.
Begin with `conflicts`, which also aligns chunks; `chunk_grids` has units and ranges of one dimension.
No array library is imported: their arrays are known by ``shape``, ``chunks`` and ``shards``.
"""

from mdview.interop.writers.write_conflicts import Conflict, aligned, conflicts

__all__ = [
    "Conflict",
    "aligned",
    "conflicts",
]
