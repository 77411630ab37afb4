"""The certification kit: all laws of a layout or an accessor over cases of increasing size, and what breaks them.

`check_layout` and `check_accessor` raise with the smallest counterexamples and belong into tests; `examine_layout` and
`examine_accessor` return a `Verdict`. ``mdview certify package.module:Layout`` does the same from a shell. Laws
use public names; only a law on an engine may import that engine. Begin with `laws` (the definition of a law),
`layout_laws` and `access_laws`; `certification` runs laws over cases.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    laws="Counterexample Finding Law Verdict",
    certification="check_accessor check_layout examine_accessor examine_layout",
)
