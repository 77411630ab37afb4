"""Conversions between kinds of extents, mappings, accessors and views: implicit, explicit or none, as in C++26.

`conversion` returns whether a conversion is implicit, explicit or does not exist. `convert` performs it on a value; it
checks that the kinds convert and that the value meets the preconditions of the target. A conversion changes types only:
a converted mapping has the same offsets, a converted view the same elements. A *kind* describes a C++ type, and
`kind_of` returns the kind of a value. This folder alone depends on the classes of layouts and accessors, since the
draft defines conversions between classes; it may import views and every folder below them. `type_kinds` defines the
kinds, `conversion_rules` the rules for them.
"""

from mdview import _on_first_use

_on_first_use(globals())
