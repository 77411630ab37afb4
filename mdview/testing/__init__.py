"""The certification kit: what a layout or an accessor promises, as laws, and checks that find where one is broken.

`check_layout` and `check_accessor` raise with the smallest counterexamples and belong into tests; `examine_layout` and
`examine_accessor` return a `Verdict`. ``mdview certify package.module:Layout`` does the same from a shell, and
`mdview.testing.strategies` makes extents, layouts, slices, views and chains of operations for Hypothesis;
`mdview.testing.samples` has a view of every kind, and every function that works on a whole one. Laws look
through public names; a law on an engine may know that engine. Begin with `laws` (what a law is), `layout_laws` and
`accessor_laws`; `layouts` and `accessors` bring laws and cases together.
"""

from mdview.testing.accessors import check_accessor, examine_accessor
from mdview.testing.laws import Finding, Law
from mdview.testing.layouts import check_layout, examine_layout
from mdview.testing.verdict import Counterexample, Verdict

__all__ = [
    "Counterexample",
    "Finding",
    "Law",
    "Verdict",
    "check_accessor",
    "check_layout",
    "examine_accessor",
    "examine_layout",
]
