"""Conversions between accessors, and between views: elements, then policies.

Elements convert as pointers to arrays do: a store may be given up, and nothing else. Policies convert by what they
promise about the data: a promise is dropped implicitly (aligned to default, less strictly aligned), made explicitly
(default to aligned), and never contradicted (host to device). Policies that change what a load means convert to
themselves alone. Sources: [mdspan.accessor], [mdspan.mdspan.cons]; for memory spaces and restrict CCCL's accessors.
"""

from __future__ import annotations

from typing import Final

from mdview.base.texts import shown
from mdview.conversions.kinds import AccessorKind, Conversion, ViewKind
from mdview.conversions.rules import IMPLICIT, Ruling, explicit, mapping_ruling, none, weaker

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
