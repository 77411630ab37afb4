# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.testing.laws import Counterexample, Finding, Law, Verdict
from mdview.testing.certification import check_accessor, check_layout, examine_accessor, examine_layout

__all__ = ["Counterexample", "Finding", "Law", "Verdict", "check_accessor", "check_layout", "examine_accessor", "examine_layout"]
