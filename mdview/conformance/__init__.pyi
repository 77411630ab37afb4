# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.conformance.corpus import CannotRunError, Departure, Report, Tally
from mdview.conformance.implementations import ask_cpp
from mdview.conformance.python_libraries import ask_python

__all__ = ["CannotRunError", "Departure", "Report", "Tally", "ask_cpp", "ask_python"]
