"""The rules for conversions between types of extents, mappings, accessors and views, as in the C++26 draft.

In C++ a conversion is a constructor of the target. Its constraints decide whether the conversion exists, and its
``explicit`` condition decides whether it is implicit. Its *mandates* are further conditions: a program that breaks a
mandate is ill-formed although overload resolution succeeds. Sources are [mdspan.extents.cons],
[mdspan.layout.left.cons] and the sections of the other layouts, and CCCL's ``layout_stride_relaxed`` for
`LayoutStrideRelaxed`, which is not in the draft.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias, cast, final

from mdview.base import as_text
from mdview.conversions.type_kinds import AccessorKind, Conversion, ExtentsKind, Kind, MappingKind, ViewKind
from mdview.layouts.layout import Layout
from mdview.layouts.strided_layout import padded_stride

AnyKind: TypeAlias = MappingKind[Layout]


@final
class Ruling(NamedTuple):
    """The result of the rules for one conversion: implicit, explicit or none, and the reason unless it is implicit."""

    conversion: Conversion
    reason: str = ""


IMPLICIT: Final = Ruling(Conversion.IMPLICIT)


def explicit(reason: str) -> Ruling:
    """Return the ruling that a conversion is explicit."""
    return Ruling(Conversion.EXPLICIT, reason)


def none(reason: str) -> Ruling:
    """Return the ruling that there is no conversion."""
    return Ruling(Conversion.NONE, reason)


def weaker(a: Ruling, b: Ruling) -> Ruling:
    """Return the weaker of two rulings: none is weaker than explicit, explicit weaker than implicit."""
    order = (Conversion.NONE, Conversion.EXPLICIT, Conversion.IMPLICIT)
    return min(a, b, key=lambda ruling: order.index(ruling.conversion))


def kind_ruling(source: Kind, target: Kind) -> Ruling:
    """Return the ruling on the conversion between two kinds of the same class."""
    if isinstance(source, ExtentsKind):
        return extents_ruling(source, cast("ExtentsKind", target))
    if isinstance(source, MappingKind):
        return mapping_ruling(source, cast("AnyKind", target))
    if isinstance(source, AccessorKind):
        return accessor_ruling(source, cast("AccessorKind", target))
    wanted = cast("ViewKind", target)
    return weaker(mapping_ruling(source.mapping, wanted.mapping), accessor_ruling(source.accessor, wanted.accessor))


def extents_ruling(source: ExtentsKind, target: ExtentsKind) -> Ruling:
    """Return the ruling on extents.

    The conversion is explicit if a dynamic extent becomes static or the index type becomes smaller, else implicit.
    There is no conversion between different ranks or different static extents.
    """
    if source.rank != target.rank:
        return none(f"the rank {source.rank} of the source is not the rank {target.rank} of the target")
    pairs = list(enumerate(zip(source.static, target.static, strict=True)))
    for r, (s, t) in pairs:
        if s is not None and t is not None and s != t:
            return none(f"the static extent {as_text(s)} of dimension {r} is not the target's, {as_text(t)}")
    for r, (s, t) in pairs:
        if s is None and t is not None:
            return explicit(f"the dynamic extent of dimension {r} becomes the static {as_text(t)}")
    if target.largest < source.largest:
        return explicit(f"the index type {target.index_type} holds less than {source.index_type}")
    return IMPLICIT


_WAY: Final = "convert to LayoutStride"


def _layout_ruling(source: AnyKind, target: AnyKind) -> Ruling:
    """Return the ruling on the layouts of two mappings; `extents_ruling` covers their extents."""
    s, t = source.layout.__name__, target.layout.__name__
    match source.family, target.family:
        case "dense" | "padded" | "stride", "stride" | "relaxed":
            return IMPLICIT
        case "dense" | "padded", "dense" | "padded":
            return _row_ruling(source, target)
        case "stride", "dense" | "padded":
            return explicit(f"{s} leaves the strides open, {t} does not") if source.rank else IMPLICIT
        case "relaxed", "stride":
            if source.extents != target.extents:
                return none(f"{s} converts to {t} of the very same extents only; convert the extents first")
            return explicit(f"{s} leaves open whether the strides are positive and unique and the offset 0")
        case "other", "stride" | "relaxed":
            return _foreign_ruling(source, target)
    return IMPLICIT if source.layout is target.layout else none(f"nothing converts {s} to {t}")


def _row_ruling(source: AnyKind, target: AnyKind) -> Ruling:
    """Return the ruling on two dense or padded layouts, in which the first or the last dimension has stride 1."""
    s, t = source.layout.__name__, target.layout.__name__
    if source.unit != target.unit and (source.family, target.family) == ("padded", "dense"):
        return none(f"{s} and {t} lie in opposite orders; {_WAY}")
    if source.unit != target.unit and source.rank > 1:
        return none(f"{s} and {t} agree up to rank 1 only, the rank is {source.rank}; {_WAY}")
    is_claimed = source.family == target.family == "padded" and (target.padding is not None or source.padding is None)
    if is_claimed and source.rank > 1:
        return explicit("only from a static to a dynamic padding is nothing claimed about the rows")
    return IMPLICIT


def _foreign_ruling(source: AnyKind, target: AnyKind) -> Ruling:
    """Return the ruling on a source layout outside of the draft and a target layout with arbitrary strides."""
    s, t, is_unique = source.layout.__name__, target.layout.__name__, target.family == "stride"
    if source.always_strided and (source.always_unique or not is_unique):
        return explicit(f"{s} is no layout of the standard")
    return none(f"a source of {t} is {'always unique and ' * is_unique}always strided, {s} is not")


def mapping_ruling(source: AnyKind, target: AnyKind) -> Ruling:
    """Return the ruling on two mappings; equal kinds convert implicitly, since the conversion is a copy."""
    if source == target:
        return IMPLICIT
    ruling = extents_ruling(source.extents, target.extents)
    if ruling.conversion is Conversion.NONE:
        return ruling
    return weaker(ruling, _layout_ruling(source, target))


def kind_mandates(source: Kind, target: Kind) -> str | None:
    """Return the mandate that the conversion between two kinds of the same class breaks; None if it breaks none.

    Mandates apply to dense and padded layouts of the same order with rank 2 or more. Two padded layouts must not have
    different static paddings. A dense and a padded layout must not have different static lengths of a row.
    """
    if isinstance(source, ViewKind) and isinstance(target, ViewKind):
        source, target = source.mapping, target.mapping
    if not (isinstance(source, MappingKind) and isinstance(target, MappingKind)):
        return None
    if source.unit is None or source.unit != target.unit or source.rank <= 1:
        return None
    if mapping_ruling(source, target).conversion is Conversion.NONE:
        return None
    if source.family is target.family:
        if source.padding == target.padding or None in (source.padding, target.padding):
            return None
        return f"the static padding {as_text(source.padding)} is not the target's, {as_text(target.padding)}"
    row, its = _static_row(source, source.unit), _static_row(target, source.unit)
    if row == its or None in (row, its):
        return None
    return f"rows of the source take {as_text(row)} elements, those of the target {as_text(its)}, and both are static"


def _static_row(kind: AnyKind, unit: int) -> int | None:
    """Return the length of a row (of a column for left layouts) with its padding; None if it is dynamic."""
    extent = kind.extents.static[unit]
    if kind.family == "dense" or extent is None:
        return extent
    return None if kind.padding is None else padded_stride(kind.padding, extent)


def mapping_comparable(a: AnyKind, b: AnyKind) -> bool:
    """Tell whether ``a == b`` is a valid C++ expression for mappings of these kinds.

    The expression is valid if the ``==`` of one type accepts the other type without conversion. Otherwise exactly one
    of the two types must convert implicitly to the other; if both convert, the expression is ambiguous.
    """
    if _takes(a, b) or _takes(b, a):
        return True
    there, back = mapping_ruling(a, b), mapping_ruling(b, a)
    return (there.conversion is Conversion.IMPLICIT) != (back.conversion is Conversion.IMPLICIT)


def _takes(kind: AnyKind, other: AnyKind) -> bool:
    """Tell whether the ``==`` of the C++ type ``kind`` accepts a mapping of type ``other`` without conversion."""
    is_strided = other.family in {"dense", "padded", "stride"} or other.always_strided
    takes_strided = kind.family in {"stride", "relaxed"} and is_strided
    return kind.rank == other.rank and (takes_strided or kind.layout is other.layout)


PLAIN: Final = frozenset({"default", "checked", "unchecked"})
"""Policies that load the element itself; they differ in the indices that they accept."""

HINTS: Final = frozenset({"restrict", "random_access", "non_temporal", "memory_space", "aligned"})
"""Policies that load and store as the policies that they wrap."""

EXCLUSIVE_SPACES: Final = frozenset({"host", "device", "managed"})
"""Memory spaces that do not convert to each other, except that managed memory converts to host and device memory."""


def accessor_ruling(source: AccessorKind, target: AccessorKind) -> Ruling:
    """Return the ruling on two accessors by their elements, loads, memory spaces and alignments.

    Hints may be added and dropped implicitly. A conversion to a larger alignment is explicit, and so is a conversion
    that adds both a hint and const.
    """
    if source.element != target.element:
        return none(f"elements {source.element or 'of the source'} are no {target.element or 'elements of the target'}")
    if source.const and not target.const:
        return none("the source is read-only, the target stores")
    (space, wanted), (alignment, claimed) = [
        (_promised(source, name), _promised(target, name)) for name in ("space", "alignment")
    ]
    is_kept = space == wanted or (space == "managed" and wanted in EXCLUSIVE_SPACES)
    if {space, wanted} <= EXCLUSIVE_SPACES and not is_kept:
        return none(f"memory space {space} does not convert to {wanted}")
    if alignment and claimed and alignment < claimed:
        return none(f"data aligned to {as_text(alignment)} bytes need not be aligned to {as_text(claimed)}")
    ruling = _load_ruling(source, target)
    if (claimed or 1) > (alignment or 1):
        return weaker(ruling, explicit(f"it promises that the data is aligned to {as_text(claimed)} bytes"))
    if source.const != target.const and target.policy in HINTS and not (is_kept and target.policy == source.policy):
        return weaker(ruling, explicit(f"it takes two steps: one to const elements, and one into {target.policy}"))
    return ruling


def _load_ruling(source: AccessorKind, target: AccessorKind) -> Ruling:
    """Return the ruling on the loads of two accessors without their hints."""
    policy, its = _bare(source), _bare(target)
    if its.policy == "atomic" and policy.policy in PLAIN:
        its = _bare(_inner(its))
    if policy.policy == its.policy:
        return IMPLICIT if policy.policy in PLAIN else _load_ruling(_inner(policy), _inner(its))
    if {policy.policy, its.policy} <= PLAIN:
        return explicit(f"{policy.policy} and {its.policy} admit different indices")
    return none(f"{policy.policy} means another load than {its.policy}")


def _bare(kind: AccessorKind) -> AccessorKind:
    """Return the kind of the accessor inside all outer hints."""
    while kind.policy in HINTS:
        kind = _inner(kind)
    return kind


def _inner(kind: AccessorKind) -> AccessorKind:
    return kind.inner or AccessorKind(element=kind.element, const=kind.const)


def _promised(kind: AccessorKind, name: str) -> Any:
    """Return the alignment (an int) or memory space (a string) of the outermost hint that has one; None without one."""
    while kind.policy in HINTS and getattr(kind, name) is None:
        kind = _inner(kind)
    return getattr(kind, name)
