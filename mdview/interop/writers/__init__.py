"""Conflicts of parallel writers: proofs that no two share a tile, chunk or shard, and aligned parts.

A *unit* is the smallest part that a store writes as a whole: a tile, a chunk, a shard. A writer of some of its elements
reads the unit, changes it and writes it back. So if two writers do so at once, the elements of one are lost, even if
they store to different elements. Begin with `conflicts`, which also aligns chunks; `stores` has the units, and the
positions of indices among them. No array library is imported: arrays are recognised by ``shape``, ``chunks`` and
``shards``.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    writer_conflicts="Conflict aligned conflicts",
)
