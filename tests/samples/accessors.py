"""Accessors to try: each one that mdview has, some around each other, and some as a user writes them."""

from dataclasses import dataclass, field
from typing import Any, final

import mdview as md

from .layouts import shipped

# Any: accessors to elements of any type.


@final
@dataclass(frozen=True)
class AffineAccessor(md.ElementwiseAccessor[Any, Any]):
    """A pure function of a user's own of each item, which nothing undoes: it has no store."""

    def decode(self, item, /):
        """Return one more than twice the item."""
        return 2 * item + 1


@final
@dataclass(frozen=True)
class NegatingAccessor(md.ElementwiseWritable[Any, Any]):
    """Pure functions of a user's own of each item and each value."""

    def decode(self, item, /):
        """Return the negative of an item."""
        return -item

    def encode(self, value, /):
        """Keep the negative."""
        return -value


@final
@dataclass(frozen=True)
class CountingAccessor(md.Writable[float, float]):
    """Notes each load and each store, and keeps elements negated."""

    loads: list[int] = field(default_factory=list, compare=False)
    stores: list[int] = field(default_factory=list, compare=False)

    def load(self, data, offset):
        """Note the offset and return the negative of what the data has."""
        self.loads.append(offset)
        return -data[offset]

    def store(self, data, offset, value):
        """Note the offset and keep the negative."""
        self.stores.append(offset)
        data[offset] = -value


EXAMPLES = {
    md.ReadOnlyAccessor: {
        "read-only": md.ReadOnlyAccessor,
        "read-only, checked": lambda: md.ReadOnlyAccessor(md.CheckedAccessor()),
    },
    md.accessors.AlignedAccessor: {"aligned": lambda: md.accessors.AlignedAccessor(8)},
    md.accessors.MemorySpaceAccessor: {"memory space": lambda: md.accessors.MemorySpaceAccessor("device")},
    md.AtomicAccessor: {
        "atomic": md.AtomicAccessor,
        "atomic, unchecked": lambda: md.AtomicAccessor(md.UncheckedAccessor(), order="acq_rel"),
    },
    md.accessors.ScaledAccessor: {
        "scaled, integer": lambda: md.accessors.ScaledAccessor(3),
        "scaled, float": lambda: md.accessors.ScaledAccessor(2.5),
        "scaled, complex": lambda: md.accessors.ScaledAccessor(2 + 1j),
    },
    md.accessors.ConjugatedAccessor: {
        "conjugated": md.accessors.ConjugatedAccessor,
        "conjugated, checked": lambda: md.accessors.ConjugatedAccessor(md.CheckedAccessor()),
    },
    md.accessors.FillAccessor: {"fill": lambda: md.accessors.FillAccessor("edge")},
}
"""Names and makers for the shipped classes; one that is missing is made without arguments."""

AROUND = {
    "restrict around random access": lambda: md.accessors.RestrictAccessor(
        md.accessors.RandomAccessAccessor(md.accessors.NonTemporalAccessor())
    ),
    "restrict around atomic": lambda: md.accessors.RestrictAccessor(md.AtomicAccessor()),
    "restrict around negating": lambda: md.accessors.RestrictAccessor(NegatingAccessor()),
    "atomic around negating": lambda: md.AtomicAccessor(NegatingAccessor()),
    "scaled around conjugated": lambda: md.accessors.ScaledAccessor(2.5, md.accessors.ConjugatedAccessor()),
    "scaled around scaled": lambda: md.accessors.ScaledAccessor(2.5, md.accessors.ScaledAccessor(3)),
    "scaled around atomic": lambda: md.accessors.ScaledAccessor(3, md.AtomicAccessor()),
    "conjugated around affine": lambda: md.accessors.ConjugatedAccessor(AffineAccessor()),
    "read-only around scaled": lambda: md.ReadOnlyAccessor(md.accessors.ScaledAccessor(2.5, md.UncheckedAccessor())),
}
"""Accessors around each other."""

USERS = {
    "user's, affine": AffineAccessor,
    "user's, negating": NegatingAccessor,
    "user's, counting": CountingAccessor,
}
"""Accessors of users."""

ACCESSORS = (
    {
        name: make
        for cls in shipped(md.Accessor)
        for name, make in EXAMPLES.get(cls, {cls.__name__.removesuffix("Accessor").lower(): cls}).items()
    }
    | AROUND
    | USERS
)
"""All of them, by name; each is made anew, since one of them notes what it is asked."""


def is_called(name):
    """Tell whether an accessor has to be called for each element, whatever engine is at work."""
    return "atomic" in name or "counting" in name
