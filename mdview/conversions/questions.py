"""What converts to what, asked of kinds or of values of those kinds.

The answers depend on types alone. Whether a conversion succeeds for a value is another question: `convert` answers it.
"""

from __future__ import annotations

from typing import cast

from mdview.base.texts import shown
from mdview.conversions.accessor_rules import accessor_ruling, view_ruling
from mdview.conversions.describe import kind_of, target_kind
from mdview.conversions.kinds import AccessorKind, Conversion, ExtentsKind, Kind, MappingKind, Pattern, ViewKind
from mdview.conversions.rules import Ruling, extents_ruling, mapping_comparable, mapping_mandates, mapping_ruling
from mdview.errors import ConversionError


def conversion(source: object, target: object, extents: Pattern | None = None) -> Conversion:
    """Tell how ``source`` converts to ``target``, as the C++26 draft rules: implicitly, explicitly or not at all.

    Both are kinds or values; ``target`` may also name a part, as in `convert`: a layout, extents, or both. A conversion
    that resolves and then fails to compile is not `Conversion.NONE`: see `mandates`.

    Raises
    ------
    ConversionError
        The two are of different sorts, such as an accessor and a mapping.

    >>> conversion(ExtentsKind((3, None)), ExtentsKind((None, None)))
    <Conversion.IMPLICIT: 'implicit'>
    """
    kind = _as_kind(source)
    return kind_ruling(kind, target_kind(kind, target, extents)).conversion


def mandates(source: object, target: object, extents: Pattern | None = None) -> str | None:
    """Say which mandate a conversion breaks that is otherwise well-formed; None if it breaks none, or does not exist.

    ``left_padded<4>`` to ``left_padded<8>`` is chosen by overload resolution and then fails to compile; `convert`
    raises. Arguments and errors are those of `conversion`.
    """
    kind = _as_kind(source)
    return kind_mandates(kind, target_kind(kind, target, extents))


def comparable(a: object, b: object) -> bool:
    """Tell whether ``a == b`` is a valid C++ expression, for extents or mappings given as kinds or values.

    Mappings of mdview compare with any other; this tells what a C++ program may write.

    Raises
    ------
    ConversionError
        The two are not both extents or both mappings.
    """
    x, y = _as_kind(a), _as_kind(b)
    if isinstance(x, MappingKind) and isinstance(y, MappingKind):
        return mapping_comparable(x, y)
    if isinstance(x, ExtentsKind) and isinstance(y, ExtentsKind):
        return True
    message = f"extents compare with extents and mappings with mappings, got {shown(x)} and {shown(y)}"
    raise ConversionError(message)


def kind_ruling(source: Kind, target: Kind) -> Ruling:
    """Rule on two kinds of the same sort."""
    if isinstance(source, ExtentsKind):
        return extents_ruling(source, cast("ExtentsKind", target))
    if isinstance(source, MappingKind):
        return mapping_ruling(source, cast("MappingKind", target))
    if isinstance(source, AccessorKind):
        return accessor_ruling(source, cast("AccessorKind", target))
    return view_ruling(source, cast("ViewKind", target))


def kind_mandates(source: Kind, target: Kind) -> str | None:
    """Say which mandate the conversion between two kinds of the same sort breaks."""
    if isinstance(source, ViewKind) and isinstance(target, ViewKind):
        source, target = source.mapping, target.mapping
    if not (isinstance(source, MappingKind) and isinstance(target, MappingKind)):
        return None
    if mapping_ruling(source, target).conversion is Conversion.NONE:
        return None
    return mapping_mandates(source, target)


def _as_kind(value: object) -> Kind:
    return value if isinstance(value, Kind) else kind_of(value)
