# The public names, which load on first use.

from mdview.testing.laws import Counterexample as Counterexample, Finding as Finding, Law as Law, Verdict as Verdict
from mdview.testing.certification import check_accessor as check_accessor, check_layout as check_layout, examine_accessor as examine_accessor, examine_layout as examine_layout
