"""Conversions between kinds of extents, mappings, accessors and views: implicit, explicit or none, as C++26 has them.

`conversion` tells which it is; `convert` performs it on a value, after checks that the kinds convert and that the value
meets the target's preconditions. It changes types only: a converted mapping is the same function, a converted view
reaches the same elements. This is the one folder that asks which class a layout or an accessor is, since the draft
defines conversions between classes; it may know views and everything below them. Begin with `type_kinds`, what the
rules speak of, and `conversion_rules`; `kind_of` leads from a value to its kind.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    type_kinds="AccessorKind Conversion ExtentsKind MappingKind ViewKind kind_of",
    value_conversion="comparable conversion convert mandates",
)
