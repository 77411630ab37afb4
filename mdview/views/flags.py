"""Flags say of a view what NumPy's ``flags`` say of an array, under the same names: contiguous, writeable, owning.

They are a read-only mapping. Names are those that NuMojo's arrays have as well; what NumPy adds is about memory that it
manages (``ALIGNED``, ``WRITEBACKIFCOPY``). A view owns the memory that was made with it, as that of a copy is; no view
owns what a user gave it, nor what another view owns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, final

from mdview.accessors.base import Writable
from mdview.base.texts import shown
from mdview.base.values import value
from mdview.errors import FlagError
from mdview.layouts.base import unless_undecided
from mdview.mappings.facts import is_contiguous
from mdview.views.parts import Parts

SHORT: Final = {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "O": "OWNDATA", "W": "WRITEABLE"}
"""The short keys."""

_FIELDS: Final = {
    "C_CONTIGUOUS": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous",
    "FORC": "forc",
    "FNC": "fnc",
    "OWNDATA": "owndata",
    "WRITEABLE": "writeable",
}


@final
@value
class Flags(Mapping[str, bool]):
    """What holds of a view at the time of asking; each flag is an attribute as well, in lower case.

    Attributes
    ----------
    c_contiguous, f_contiguous
        Whether the elements follow each other without gaps, the last index the fastest, or the first.
    writeable
        Whether elements can be stored.
    owndata
        Whether the memory was made with this very view: by `empty`, `zeros`, `full`, `relayout`, or `transform`.
    """

    c_contiguous: bool
    f_contiguous: bool
    writeable: bool
    owndata: bool

    @property
    def forc(self) -> bool:
        """Whether the elements follow each other in Fortran's order or in C's."""
        return self.f_contiguous or self.c_contiguous

    @property
    def fnc(self) -> bool:
        """Whether they do in Fortran's order and not in C's."""
        return self.f_contiguous and not self.c_contiguous

    def __getitem__(self, key: object) -> bool:
        """Return a flag by its name, or by the short key of four of them: ``C``, ``F``, ``O``, ``W``.

        Raises
        ------
        FlagError
            There is no such flag.
        """
        field = _FIELDS.get(SHORT.get(key, key)) if isinstance(key, str) else None
        if field is None:
            raise FlagError(
                f"{shown(key, repr)} is no flag of a view; there are {', '.join(_FIELDS)}, and {', '.join(SHORT)}"
            )
        return bool(getattr(self, field))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(_FIELDS)

    def __len__(self) -> int:
        """Count the names."""
        return len(_FIELDS)

    def __repr__(self) -> str:
        """Return a line for each flag, as NumPy does."""
        return "".join([f"  {name} : {flag}\n" for name, flag in self.items()])

    def __eq__(self, other: object) -> bool:
        """Compare as mappings do."""
        return Mapping.__eq__(self, other)


def flags_of(parts: Parts, *, owndata: bool) -> Flags:
    """Return the flags of a view; where it takes more than a budget to tell whether it is contiguous, it is not."""
    c_order = unless_undecided(lambda: is_contiguous(parts.mapping, "C"))
    fortran = unless_undecided(lambda: is_contiguous(parts.mapping, "F"))
    stores = isinstance(parts.accessor, Writable) and parts.storage is not None and not parts.storage.readonly
    return Flags(bool(c_order), bool(fortran), stores, owndata)
