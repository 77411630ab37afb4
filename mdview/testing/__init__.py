"""The certification kit: laws of layouts and accessors, and checks that find counterexamples.

`check_layout` and `check_accessor` raise with the smallest counterexamples and belong into tests; `examine_layout` and
`examine_accessor` return a `Verdict`. ``mdview certify package.module:Layout`` does the same from a shell, and
`mdview.testing.strategies` makes extents, layouts, slices, views and chains of operations for Hypothesis.
Laws look through public names; a law on an engine may know that engine. Begin with `laws` (what a law is),
`layout_laws` and `access_laws`; `certification` brings laws and cases together.
"""

from mdview.testing.certification import check_accessor, check_layout, examine_accessor, examine_layout
from mdview.testing.laws import Counterexample, Finding, Law, Verdict

__all__ = ["Counterexample", "Finding", "Law", "Verdict", "check_accessor", "check_layout", "examine_accessor"]
__all__ += ["examine_layout"]
