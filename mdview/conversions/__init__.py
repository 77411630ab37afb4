"""Conversions between kinds of extents, mappings, accessors and views: implicit, explicit or none, as C++26 has them.

`conversion` tells which it is, `convert` performs it on a value and checks what the value must be. This is the one
folder that asks which class a layout or an accessor is, since the draft defines conversions between classes; it may
know views and everything below them. Begin with `type_kinds`, what the rules speak of, and `conversion_rules`;
`describe` leads from a value to its kind.
"""

from __future__ import annotations

from mdview.conversions.type_kinds import AccessorKind, Conversion, ExtentsKind, MappingKind, ViewKind, kind_of
from mdview.conversions.value_conversion import comparable, conversion, convert, mandates

__all__ = [
    "AccessorKind",
    "Conversion",
    "ExtentsKind",
    "MappingKind",
    "ViewKind",
    "comparable",
    "conversion",
    "convert",
    "kind_of",
    "mandates",
]
