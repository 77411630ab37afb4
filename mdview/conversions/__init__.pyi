# The public names, which load on first use.

from mdview.conversions.type_kinds import AccessorKind as AccessorKind, Conversion as Conversion, ExtentsKind as ExtentsKind, MappingKind as MappingKind, ViewKind as ViewKind, kind_of as kind_of
from mdview.conversions.value_conversion import comparable as comparable, conversion as conversion, convert as convert, mandates as mandates
