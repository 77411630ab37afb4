"""The certification kit: laws of layouts and accessors, tests of the laws over cases of increasing size, verdicts.

`check_layout` and `check_accessor`, for use in tests, raise an error with the smallest counterexamples;
`examine_layout` and `examine_accessor` return a `Verdict`. ``mdview certify package.module:Layout`` prints the verdict
in a shell. `laws` defines a law, `layout_laws` and `access_laws` have the laws, and `certification` runs laws over
cases. Laws use public names; only a law about an engine may import that engine.
"""

from mdview import _on_first_use

_on_first_use(globals())
