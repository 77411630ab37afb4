"""Layouts: functions from an index to an offset, with their traits; one module for each family.

`layout` has the interface: two abstract methods, and others whose defaults are correct for any layout. `strided_layout`
has the abstract class of layouts with strides, and `swizzle_transpose` that of layouts around another layout.
`composed` has the results of operations on layouts without strides, `explicit_strides` chooses a layout for given
strides, and `offset_analysis` derives facts from `offset` alone. The folder imports the index space, expressions and
arithmetic; it knows neither data nor accessors nor mappings.
"""

from mdview import _on_first_use

_on_first_use(globals())
