"""Departures of checkers: where one cannot do what all others do, with the reason. A test fails for each that is none any more."""

from __future__ import annotations

from typing import Final

CONTRACT: Final[dict[tuple[str, str], str]] = {}
"""By checker and case of the contract."""

REVEALED: Final[dict[tuple[str, str], str]] = {}
"""By checker and line of a ``reveal_*.py``, as it is written there."""

PROGRAMS: Final[dict[tuple[str, str], str]] = {}
"""By checker and name of a program."""
