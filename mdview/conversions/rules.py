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
from mdview.conversions.kinds import AccessorKind, Conversion, ExtentsKind, Family, MappingKind, ViewKind
from mdview.layouts.base import Layout
from mdview.layouts.strided import padded_stride

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


ALIGNED: Final = "aligned"
ATOMIC: Final = "atomic"
MEMORY_SPACE: Final = "memory_space"

PLAIN: Final = frozenset({"default", "checked", "unchecked"})
"""Policies that load the element itself and differ in the indices they admit."""

HINTS: Final = frozenset({"restrict", "random_access", "non_temporal", MEMORY_SPACE})
"""Policies around another one that load what it loads."""

EXCLUSIVE_SPACES: Final = frozenset({"host", "device", "managed"})
"""Memory spaces of which data is in one; managed memory is reached from host and device and so converts to both."""


def view_ruling(source: ViewKind, target: ViewKind) -> Ruling:
    """Rule on views: what holds for both the mapping and the accessor."""
    return weaker(mapping_ruling(source.mapping, target.mapping), accessor_ruling(source.accessor, target.accessor))


def accessor_ruling(source: AccessorKind, target: AccessorKind) -> Ruling:
    """Rule on accessors; one to its own type is a copy and so implicit."""
    if source.element != target.element:
        return none(f"elements {source.element or 'of the source'} are no {target.element or 'elements of the target'}")
    if source.const and not target.const:
        return none("the source is read-only, the target stores")
    return _policy(source, target, same_elements=source.const == target.const)


def _policy(source: AccessorKind, target: AccessorKind, *, same_elements: bool) -> Ruling:
    if target.policy in PLAIN:
        return _to_plain(source, target)
    if target.policy == ALIGNED:
        return _to_aligned(source, target, same_elements=same_elements)
    if target.policy in HINTS:
        return _to_hint(source, target, same_elements=same_elements)
    if source.policy == target.policy:
        return _policy(_inner(source), _inner(target), same_elements=same_elements)
    if target.policy == ATOMIC and _strip(source, HINTS | {ALIGNED}).policy in PLAIN:
        return _policy(source, _inner(target), same_elements=same_elements)
    return none(f"{target.policy} means another load than {source.policy}; only its own kind converts to it")


def _to_plain(source: AccessorKind, target: AccessorKind) -> Ruling:
    bare = _strip(source, HINTS | {ALIGNED})
    if bare.policy == target.policy:
        return IMPLICIT
    if bare.policy in PLAIN:
        return explicit(f"{bare.policy} and {target.policy} admit different indices")
    return none(f"{bare.policy} means another load than {target.policy}")


def _to_aligned(source: AccessorKind, target: AccessorKind, *, same_elements: bool) -> Ruling:
    if source.policy == ALIGNED:
        if (source.alignment or 1) < (target.alignment or 1):
            return none(
                f"data aligned to {shown(source.alignment)} bytes need not be aligned to {shown(target.alignment)}"
            )
        return _policy(_inner(source), _inner(target), same_elements=same_elements)
    inner = _policy(source, _inner(target), same_elements=same_elements)
    promise = explicit(f"it promises that the data is aligned to {shown(target.alignment)} bytes")
    return weaker(inner, promise)


def _to_hint(source: AccessorKind, target: AccessorKind, *, same_elements: bool) -> Ruling:
    if target.policy == MEMORY_SPACE and not _spaces_agree(source, target):
        return none(f"memory space {_space(source)} does not convert to {target.space}")
    if source.policy == target.policy and (target.policy != MEMORY_SPACE or _related(source.space, target.space)):
        return _policy(_inner(source), _inner(target), same_elements=same_elements)
    if same_elements and _is_a(source, _inner(target)):
        return IMPLICIT
    inner = _policy(source, _inner(target), same_elements=same_elements)
    if inner.conversion is Conversion.IMPLICIT:
        return explicit(f"it takes two steps: one to what {target.policy} is around, and one into {target.policy}")
    return none(inner.reason)


def _is_a(source: AccessorKind, target: AccessorKind) -> bool:
    """Tell whether ``source`` is ``target`` under hints alone; an aligned accessor is none without its alignment."""
    kind: AccessorKind | None = source
    while kind is not None and _chain(kind) != _chain(target):
        kind = _inner(kind) if kind.policy in HINTS else None
    return kind is not None


def _chain(kind: AccessorKind) -> list[tuple[str, int | None, str | None]]:
    """Policies from the outermost to the innermost, the default one at the end left unsaid."""
    chain = []
    current: AccessorKind | None = kind
    while current is not None and current.policy != "default":
        chain.append((current.policy, current.alignment, current.space))
        current = current.inner
    return chain


def _strip(kind: AccessorKind, policies: frozenset[str]) -> AccessorKind:
    while kind.policy in policies:
        kind = _inner(kind)
    return kind


def _inner(kind: AccessorKind) -> AccessorKind:
    return kind.inner or AccessorKind(element=kind.element, const=kind.const)


def _space(kind: AccessorKind) -> str | None:
    """Memory space of an accessor: that of the outermost policy that names one."""
    return _strip(kind, (HINTS | {ALIGNED}) - {MEMORY_SPACE}).space


def _spaces_agree(source: AccessorKind, target: AccessorKind) -> bool:
    space = _space(source)
    return not {space, target.space} <= EXCLUSIVE_SPACES or _related(space, target.space)


def _related(source: str | None, target: str | None) -> bool:
    return source == target or (source == "managed" and target in EXCLUSIVE_SPACES)
