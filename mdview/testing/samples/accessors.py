"""Accessors to try: each one that mdview has, some around each other, and some as a user writes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, final

from mdview.accessors.atomic import AtomicAccessor
from mdview.accessors.base import Accessor, Items, MutableItems, Writable
from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.conjugated import ConjugatedAccessor
from mdview.accessors.fill import FillAccessor
from mdview.accessors.hints import (
    AlignedAccessor,
    MemorySpaceAccessor,
    NonTemporalAccessor,
    RandomAccessAccessor,
    RestrictAccessor,
)
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.scaled import ScaledAccessor
from mdview.accessors.unchecked import UncheckedAccessor
from mdview.testing.samples.layouts import shipped

# Any: accessors to elements of any type.
AnyAccessor = Accessor[Any, Any]
Make = Callable[[], AnyAccessor]


@final
@dataclass(frozen=True)
class AffineAccessor(Accessor[Any, Any]):
    """Arithmetic of a user's own on what is loaded, which nothing undoes: it has no store."""

    def load(self, data: Items, offset: int) -> Any:
        """Return one more than twice the element."""
        return 2 * data[offset] + 1


@final
@dataclass(frozen=True)
class NegatingAccessor(Writable[Any, Any]):
    """Arithmetic of a user's own on what is loaded and on what is stored."""

    def load(self, data: Items, offset: int) -> Any:
        """Return the negative of what the data has."""
        return -data[offset]

    def store(self, data: MutableItems, offset: int, value: Any) -> None:
        """Keep the negative."""
        data[offset] = -value


@final
@dataclass(frozen=True)
class CountingAccessor(Writable[float, float]):
    """Notes each load and each store, and keeps elements negated."""

    loads: list[int] = field(default_factory=list, compare=False)
    stores: list[int] = field(default_factory=list, compare=False)

    def load(self, data: Items, offset: int) -> float:
        """Note the offset and return the negative of what the data has."""
        self.loads.append(offset)
        negative: float = -data[offset]
        return negative

    def store(self, data: MutableItems, offset: int, value: float) -> None:
        """Note the offset and keep the negative."""
        self.stores.append(offset)
        data[offset] = -value


EXAMPLES: Final[dict[type[AnyAccessor], dict[str, Make]]] = {
    ReadOnlyAccessor: {
        "read-only": ReadOnlyAccessor,
        "read-only, checked": lambda: ReadOnlyAccessor(CheckedAccessor()),
    },
    AlignedAccessor: {"aligned": lambda: AlignedAccessor(8)},
    MemorySpaceAccessor: {"memory space": lambda: MemorySpaceAccessor("device")},
    AtomicAccessor: {
        "atomic": AtomicAccessor,
        "atomic, unchecked": lambda: AtomicAccessor(UncheckedAccessor(), order="acq_rel"),
    },
    ScaledAccessor: {
        "scaled, integer": lambda: ScaledAccessor(3),
        "scaled, float": lambda: ScaledAccessor(2.5),
        "scaled, complex": lambda: ScaledAccessor(2 + 1j),
    },
    ConjugatedAccessor: {
        "conjugated": ConjugatedAccessor,
        "conjugated, checked": lambda: ConjugatedAccessor(CheckedAccessor()),
    },
    FillAccessor: {"fill": lambda: FillAccessor("edge")},
}
"""Names and makers for the shipped classes; one that is missing is made without arguments."""

AROUND: Final[dict[str, Make]] = {
    "restrict around random access": lambda: RestrictAccessor(RandomAccessAccessor(NonTemporalAccessor())),
    "restrict around atomic": lambda: RestrictAccessor(AtomicAccessor()),
    "restrict around negating": lambda: RestrictAccessor(NegatingAccessor()),
    "atomic around negating": lambda: AtomicAccessor(NegatingAccessor()),
    "scaled around conjugated": lambda: ScaledAccessor(2.5, ConjugatedAccessor()),
    "scaled around scaled": lambda: ScaledAccessor(2.5, ScaledAccessor(3)),
    "scaled around atomic": lambda: ScaledAccessor(3, AtomicAccessor()),
    "conjugated around affine": lambda: ConjugatedAccessor(AffineAccessor()),
    "read-only around scaled": lambda: ReadOnlyAccessor(ScaledAccessor(2.5, UncheckedAccessor())),
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
        for cls in shipped(Accessor)
        for name, make in EXAMPLES.get(cls, {cls.__name__.removesuffix("Accessor").lower(): cls}).items()
    }
    | AROUND
    | USERS
)
"""All of them, by name; each is made anew, since one of them notes what it is asked."""


def is_called(name: str) -> bool:
    """Tell whether an accessor has to be called for each element, whatever engine is at work."""
    return "atomic" in name or "counting" in name
