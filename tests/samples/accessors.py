"""Accessors to try: each one that mdview has, some around each other, and some as a user writes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, final

import mdview as md

from .layouts import shipped

# Any: accessors to elements of any type.
AnyAccessor = md.Accessor[Any, Any]
Make = Callable[[], AnyAccessor]


@final
@dataclass(frozen=True)
class AffineAccessor(md.ElementwiseAccessor[Any, Any]):
    """A pure function of a user's own of each item, which nothing undoes: it has no store."""

    def decode(self, item: Any, /) -> Any:
        """Return one more than twice the item."""
        return 2 * item + 1


@final
@dataclass(frozen=True)
class NegatingAccessor(md.ElementwiseWritable[Any, Any]):
    """Pure functions of a user's own of each item and each value."""

    def decode(self, item: Any, /) -> Any:
        """Return the negative of an item."""
        return -item

    def encode(self, value: Any, /) -> Any:
        """Keep the negative."""
        return -value


@final
@dataclass(frozen=True)
class CountingAccessor(md.Writable[float, float]):
    """Notes each load and each store, and keeps elements negated."""

    loads: list[int] = field(default_factory=list, compare=False)
    stores: list[int] = field(default_factory=list, compare=False)

    def load(self, data: md.accessors.Items, offset: int) -> float:
        """Note the offset and return the negative of what the data has."""
        self.loads.append(offset)
        negative: float = -data[offset]
        return negative

    def store(self, data: md.accessors.MutableItems, offset: int, value: float) -> None:
        """Note the offset and keep the negative."""
        self.stores.append(offset)
        data[offset] = -value


EXAMPLES: Final[dict[type[AnyAccessor], dict[str, Make]]] = {
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

AROUND: Final[dict[str, Make]] = {
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

USERS: Final[dict[str, Make]] = {
    "user's, affine": AffineAccessor,
    "user's, negating": NegatingAccessor,
    "user's, counting": CountingAccessor,
}
"""Accessors of users."""

ACCESSORS: Final[dict[str, Make]] = (
    {
        name: make
        for cls in shipped(md.Accessor)
        for name, make in EXAMPLES.get(cls, {cls.__name__.removesuffix("Accessor").lower(): cls}).items()
    }
    | AROUND
    | USERS
)
"""All of them, by name; each is made anew, since one of them notes what it is asked."""


def is_called(name: str) -> bool:
    """Tell whether an accessor has to be called for each element, whatever engine is at work."""
    return "atomic" in name or "counting" in name
