"""The conversions between the types of extents and mappings that the C++26 draft defines, and those of no other.

A conversion is a constructor of the target. Its constraints decide whether it exists, its ``explicit`` condition
whether it is implicit, and its *mandates* are what must hold besides: there, overload resolution succeeds and the
program is ill-formed all the same. Sources: [mdspan.extents.cons], [mdspan.layout.left.cons] and its siblings; for
`LayoutStrideRelaxed`, which is not in the draft, CCCL's ``layout_stride_relaxed``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias, final

from mdview.base.texts import shown
from mdview.conversions.kinds import Conversion, ExtentsKind, Family, MappingKind
from mdview.layouts.base import Layout
from mdview.layouts.padding import padded_stride

AnyMapping: TypeAlias = MappingKind[Layout]


@final
class Ruling(NamedTuple):
    """A conversion, and why it is no better than it is."""

    conversion: Conversion
    reason: str = ""


IMPLICIT: Final = Ruling(Conversion.IMPLICIT)


def explicit(reason: str) -> Ruling:
    """Rule that a conversion has to be asked for."""
    return Ruling(Conversion.EXPLICIT, reason)


def none(reason: str) -> Ruling:
    """Rule that there is no conversion."""
    return Ruling(Conversion.NONE, reason)


def weaker(a: Ruling, b: Ruling) -> Ruling:
    """Return the ruling of two that hold at once."""
    order = (Conversion.NONE, Conversion.EXPLICIT, Conversion.IMPLICIT)
    return min(a, b, key=lambda ruling: order.index(ruling.conversion))


def extents_ruling(source: ExtentsKind, target: ExtentsKind) -> Ruling:
    """Looser extents follow implicitly, tighter ones and smaller index types explicitly, others not at all."""
    if source.rank != target.rank:
        return none(f"the rank {source.rank} of the source is not the rank {target.rank} of the target")
    pairs = list(enumerate(zip(source.static, target.static, strict=True)))
    for r, (s, t) in pairs:
        if s is not None and t is not None and s != t:
            return none(f"the static extent {shown(s)} of dimension {r} is not the target's, {shown(t)}")
    for r, (s, t) in pairs:
        if s is None and t is not None:
            return explicit(f"the dynamic extent of dimension {r} becomes the static {shown(t)}")
    if target.largest < source.largest:
        return explicit(f"the index type {target.index_type} holds less than {source.index_type}")
    return IMPLICIT


Rule: TypeAlias = Callable[[AnyMapping, AnyMapping, Ruling], Ruling]
"""From source, target and the ruling on their extents, which is not none, to that on the mappings."""


def mapping_ruling(source: AnyMapping, target: AnyMapping) -> Ruling:
    """Rule on the conversion of mappings; one to its own type is a copy and so implicit."""
    if source == target:
        return IMPLICIT
    extents = extents_ruling(source.extents, target.extents)
    if extents.conversion is Conversion.NONE:
        return extents
    return RULES[source.family, target.family](source, target, extents)


def _as_extents(_source: AnyMapping, _target: AnyMapping, extents: Ruling) -> Ruling:
    return extents


def _same_side(source: AnyMapping, target: AnyMapping, extents: Ruling) -> Ruling:
    if source.unit == target.unit:
        return extents
    return none(f"{_names(source, target)} lie in opposite orders; convert to LayoutStride")


def _same_side_or_flat(source: AnyMapping, target: AnyMapping, extents: Ruling) -> Ruling:
    if source.unit == target.unit or source.rank <= 1:
        return extents
    return none(f"{_names(source, target)} agree up to rank 1 only, the rank is {source.rank}; convert to LayoutStride")


def _padded_to_padded(source: AnyMapping, target: AnyMapping, extents: Ruling) -> Ruling:
    ruling = _same_side_or_flat(source, target, extents)
    if ruling != IMPLICIT or source.rank <= 1 or (target.padding is None and source.padding is not None):
        return ruling
    return explicit("only from a static to a dynamic padding is nothing claimed about the rows")


def _stride_to_other_strides(source: AnyMapping, target: AnyMapping, extents: Ruling) -> Ruling:
    if source.rank == 0:
        return extents
    return explicit(f"{source.layout.__name__} leaves the strides open, {target.layout.__name__} does not")


def _relaxed_to_stride(source: AnyMapping, target: AnyMapping, _extents: Ruling) -> Ruling:
    if source.extents == target.extents:
        return explicit("LayoutStrideRelaxed leaves open whether the strides are positive and unique and the offset 0")
    return none("LayoutStrideRelaxed converts to LayoutStride of the very same extents only; convert the extents first")


def _other_to_stride(source: AnyMapping, _target: AnyMapping, _extents: Ruling) -> Ruling:
    if source.always_unique and source.always_strided:
        return explicit(f"{source.layout.__name__} is no layout of the standard")
    return none(f"a source of LayoutStride is always unique and always strided, {source.layout.__name__} is not")


def _other_to_relaxed(source: AnyMapping, _target: AnyMapping, _extents: Ruling) -> Ruling:
    if source.always_strided:
        return explicit(f"{source.layout.__name__} is no layout of the standard")
    return none(f"a source of LayoutStrideRelaxed is always strided, {source.layout.__name__} is not")


def _other_to_other(source: AnyMapping, target: AnyMapping, extents: Ruling) -> Ruling:
    return extents if source.layout is target.layout else _unrelated(source, target, extents)


def _unrelated(source: AnyMapping, target: AnyMapping, _extents: Ruling) -> Ruling:
    return none(f"nothing converts {source.layout.__name__} to {target.layout.__name__}")


def _names(source: AnyMapping, target: AnyMapping) -> str:
    return f"{source.layout.__name__} and {target.layout.__name__}"


_D, _P, _S, _R, _O = Family.DENSE, Family.PADDED, Family.STRIDE, Family.RELAXED, Family.OTHER

RULES: Final[dict[tuple[Family, Family], Rule]] = {
    **{(s, t): _unrelated for s in Family for t in Family},
    (_D, _D): _same_side_or_flat,
    (_D, _P): _same_side_or_flat,
    (_P, _D): _same_side,
    (_P, _P): _padded_to_padded,
    **dict.fromkeys([(_S, _D), (_S, _P)], _stride_to_other_strides),
    **dict.fromkeys([(_D, _S), (_P, _S), (_S, _S)], _as_extents),
    **dict.fromkeys([(_D, _R), (_P, _R), (_S, _R), (_R, _R)], _as_extents),
    (_R, _S): _relaxed_to_stride,
    (_O, _S): _other_to_stride,
    (_O, _R): _other_to_relaxed,
    (_O, _O): _other_to_other,
}
"""For each pair of source and target families the rule."""


_ALWAYS_STRIDED: Final = frozenset({Family.DENSE, Family.PADDED, Family.STRIDE})


def mapping_mandates(source: AnyMapping, target: AnyMapping) -> str | None:
    """Say which mandate the constructor chosen for this conversion breaks; None if it breaks none.

    Mandates compare what is static about the rows of the dense and padded layouts of one side.
    """
    if source.unit is None or source.unit != target.unit or source.rank <= 1:
        return None
    if source.family is target.family is Family.PADDED:
        if None not in (source.padding, target.padding) and source.padding != target.padding:
            return f"the static padding {shown(source.padding)} is not the target's, {shown(target.padding)}"
        return None
    if source.family is target.family:
        return None
    own, its = _static_row(source, source.unit), _static_row(target, source.unit)
    if None not in (own, its) and own != its:
        return f"rows of the source take {shown(own)} elements, those of the target {shown(its)}, and both are static"
    return None


def _static_row(kind: AnyMapping, unit: int) -> int | None:
    """Length of a row (a column for left) with its padding, where the kind says it; None else."""
    extent = kind.extents.static[unit]
    if kind.family is Family.DENSE or extent is None:
        return extent
    return None if kind.padding is None else padded_stride(kind.padding, extent)


def mapping_comparable(a: AnyMapping, b: AnyMapping) -> bool:
    """Tell whether ``a == b`` is a valid expression.

    It is if the ``==`` of either type takes the other as it is. Failing that, one side must convert implicitly to the
    type of the other; where both do, neither ``==`` is better and the expression is ambiguous.
    """
    if _takes(a, b) or _takes(b, a):
        return True
    there, back = mapping_ruling(a, b), mapping_ruling(b, a)
    return (there.conversion is Conversion.IMPLICIT) != (back.conversion is Conversion.IMPLICIT)


def _takes(own: AnyMapping, other: AnyMapping) -> bool:
    """Tell whether the ``==`` that ``own`` defines takes ``other`` without converting it."""
    if own.rank != other.rank:
        return False
    if own.family in {Family.STRIDE, Family.RELAXED}:
        return other.family in _ALWAYS_STRIDED or other.always_strided or own.layout is other.layout
    return own.layout is other.layout
