"""Variants: the views that each consumer is given, each made anew over memory that the test can change."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import mdview as md

RECORD = np.dtype([("x", "<i4"), ("y", "<f8")])


@dataclass(frozen=True)
class Variant:
    """A view and what is particular about it.

    Attributes
    ----------
    name
        As the page has it.
    make
        Makes the view over the array that it is given.
    items
        Items of that array, of which there are 24.
    kinds
        What rules ask for; `grid` are all of two dimensions, `spread` those that are not in C order.
    """

    name: str
    make: Callable
    kinds: frozenset[str] = frozenset()
    items: object = "f8"

    def memory(self):
        """Return the memory of one view: numbers from 1 on, which all item types have."""
        memory = aligned(np.dtype(self.items))
        if memory.dtype.names:
            for name in memory.dtype.names:
                memory[name] = range(1, 25)
        elif memory.dtype.kind == "b":
            memory[:] = np.arange(24) % 3 == 0
        else:
            memory[:] = np.arange(1, 25).astype(memory.dtype)
        return memory


def aligned(dtype):
    """Return 24 items on a boundary of 64 bytes: JAX copies others."""
    space = np.zeros(24 * dtype.itemsize + 64, "u1")
    start = -space.ctypes.data % 64
    return space[start : start + 24 * dtype.itemsize].view(dtype)


def grid(memory):
    """View of 4 × 6 elements in C order."""
    return md.asview(memory.reshape(4, 6))


def variant(name, make, *kinds, items="f8"):
    """Make a variant."""
    rank = set() if {"row", "rank 0"} & set(kinds) else {"grid"}
    return Variant(name, make, frozenset(kinds) | rank, items)


VARIANTS = {
    each.name: each
    for each in (
        variant("plain", grid),
        variant("one row", md.asview, "row"),
        variant("offset part", lambda m: grid(m)[1:3, 2:5], "spread"),
        variant("stepped", lambda m: grid(m)[::2, ::3], "spread"),
        variant("padded", lambda m: md.MDView(m, (3, 5), md.LayoutRightPadded(8)), "spread"),
        variant("Fortran", lambda m: md.permute_dims(grid(m), (1, 0)), "spread", "fortran"),
        variant("flipped", lambda m: md.flip(grid(m)), "spread", "negative"),
        variant("broadcast", lambda m: md.broadcast_to(md.asview(m), (3, 24)), "spread", "zero"),
        variant("empty", lambda m: grid(m)[:0], "empty"),
        variant("rank 0", lambda m: grid(m)[2, 3, ...], "rank 0"),
        variant("read-only", lambda m: md.readonly(grid(m)), "read-only"),
        variant("checked", lambda m: md.checked(grid(m))),
        variant("tiled", lambda m: md.MDView(m, (4, 6), md.LayoutTiled(2, 3)), "no memory"),
        variant("atomic", lambda m: md.atomic(grid(m)), "no memory"),
        variant("scaled", lambda m: md.operations.scaled(2.0, grid(m)), "no memory", "read-only"),
        variant("filled", lambda m: md.pad(grid(m), 1, constant=0.5), "no memory", "read-only"),
        variant("bool", grid, "bool", items="?"),
        variant("bytes", grid, "bytes", items="u1"),
        variant("float16", grid, "float16", items="f2"),
        variant("complex", grid, "complex", items="c16"),
        variant("big-endian", grid, "big-endian", items=">f8"),
        variant("dates", grid, "dates", items="M8[D]"),
        variant("records", grid, "records", items=RECORD),
    )
}


def change(array):
    """Change each value of an array in place, to another one that its type has."""
    if array.dtype.names:
        for name in array.dtype.names:
            array[name] += 1
    elif array.dtype.kind == "b":
        np.logical_not(array, out=array)
    else:
        array += array.dtype.type(1) if array.dtype.kind != "M" else np.timedelta64(1, "D")


def first(array):
    """Return the first element as an array of rank 0 that shares its memory."""
    return array[(*[0] * array.ndim, ...)]
