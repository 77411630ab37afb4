"""The colour of a place: from the first place in memory to the last, light enough for dark letters."""

from __future__ import annotations

from typing import Final, final

from mdview.base.values import value

GRADIENT: Final = ((0xFD, 0xE0, 0x8A), (0xFA, 0xA8, 0x76), (0xE3, 0x80, 0xA4), (0xB0, 0x88, 0xD0), (0x86, 0x9A, 0xE4))
"""Red, green and blue, in order of brightness."""


@final
@value
class Shades:
    """The colours of the places between two offsets."""

    bounds: tuple[int, int]

    def of(self, offset: int) -> str:
        """Return the colour of a place.

        >>> Shades((0, 7)).of(0), Shades((0, 7)).of(7)
        ('#fde08a', '#869ae4')
        """
        low, high = self.bounds
        at = (offset - low) * (len(GRADIENT) - 1) / (high - low) if high > low else 0.0
        k = min(int(at), len(GRADIENT) - 2)
        mixed = [round(a + (b - a) * (at - k)) for a, b in zip(GRADIENT[k], GRADIENT[k + 1], strict=True)]
        return f"#{mixed[0]:02x}{mixed[1]:02x}{mixed[2]:02x}"
