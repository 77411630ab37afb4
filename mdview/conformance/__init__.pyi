# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.conformance.corpus import CannotRunError as CannotRunError, Departure as Departure, Report as Report, Tally as Tally
from mdview.conformance.implementations import ask_cpp as ask_cpp
