"""A block is what compiled code reads of a view: a fingerprint of its type, the address of offset 0, and the values.

It holds the storage whose memory the address leads into, and the tables whose addresses are values. Whoever holds a
block holds that memory: the view that keeps it, and each call that has taken it from there, until the call is over and
whatever becomes of the view meanwhile.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mdview.base.texts import shown
from mdview.errors import KernelError
from mdview.memory.storage import Storage

HEAD: Final = 2
"""How many numbers come before the values."""


@final
class Block(bytes):
    """Numbers of 64 bits each, and the storage and the tables that they speak of."""

    storage: Storage
    tables: tuple[object, ...]

    @classmethod
    def of(cls, storage: Storage, numbers: tuple[int, ...], tables: tuple[object, ...] = ()) -> Block:
        """Write down the numbers of a view of ``storage``, with the addresses of ``tables`` among them.

        Raises
        ------
        KernelError
            One of them takes more than 64 bits.
        """
        try:
            block = cls(struct.pack(f"{len(numbers)}q", *numbers))
        except struct.error:
            values = shown(numbers[HEAD:])
            raise KernelError(
                f"a kernel computes in 64 bits, and one of the numbers of this view takes more: {values}"
            ) from None
        block.storage = storage
        block.tables = tables
        return block
