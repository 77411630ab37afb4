"""Conflicts of parallel writers: proofs that no two writers share a tile, chunk or shard, and aligned chunks.

A *unit* is the smallest part that a store writes as a whole: a tile, a chunk, a shard. A writer of some elements of a
unit reads the unit, changes it and writes it back. If two writers do so at the same time, the changes of one writer may
be lost, even if they store to different elements. `writer_conflicts` finds conflicts and aligns chunks; `stores` has
the units, and the positions of indices among them. No array library is imported: arrays are recognised by ``shape``,
``chunks`` and ``shards``.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    writer_conflicts="Conflict aligned conflicts",
)
