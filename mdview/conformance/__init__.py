"""The conformance suite: implementations of mdspan, and libraries that claim its semantics, beside mdview's answers.

``python -m mdview.conformance`` is its command line.
"""

from __future__ import annotations

from mdview.conformance.adapters import ask_python
from mdview.conformance.corpus import CannotRunError, Departure, Report, Tally
from mdview.conformance.implementations import ask_cpp

__all__ = ["CannotRunError", "Departure", "Report", "Tally", "ask_cpp", "ask_python"]
