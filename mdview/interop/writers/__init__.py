"""Conflicts of parallel writers: proofs that no two share a tile, chunk or shard, and aligned parts.

A *unit* is what a store writes as a whole: a tile, a chunk, a shard. A writer of some elements of one reads it,
changes it and writes it back, so two that do so at once lose what one of them stored, wherever their elements lie.
Begin with `conflicts`, which also aligns chunks; `stores` has units, and the places of indices among them.
No array library is imported: their arrays are known by ``shape``, ``chunks`` and ``shards``.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    writer_conflicts="Conflict aligned conflicts",
)
