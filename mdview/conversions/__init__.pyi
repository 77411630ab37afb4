# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.conversions.type_kinds import AccessorKind, Conversion, ExtentsKind, MappingKind, ViewKind, kind_of
from mdview.conversions.value_conversion import comparable, conversion, convert, mandates

__all__ = ["AccessorKind", "Conversion", "ExtentsKind", "MappingKind", "ViewKind", "comparable", "conversion", "convert", "kind_of", "mandates"]
