# The public names, which load on first use.

from mdview.conformance.corpus import CannotRunError as CannotRunError, Departure as Departure, Report as Report, Tally as Tally
from mdview.conformance.implementations import ask_cpp as ask_cpp
