"""Which kind a value is of, and which kind is meant where only a part of one is named."""

from __future__ import annotations

from typing import Any, Final, TypeAlias, TypeVar, overload

from mdview.accessors.atomic import AtomicAccessor
from mdview.accessors.base import Accessor, Wrapper, Writable
from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.conjugated import ConjugatedAccessor
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.hints import (
    AlignedAccessor,
    MemorySpaceAccessor,
    NonTemporalAccessor,
    RandomAccessAccessor,
    RestrictAccessor,
)
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.accessors.scaled import ScaledAccessor
from mdview.accessors.unchecked import UncheckedAccessor
from mdview.base.texts import told
from mdview.base.values import replace
from mdview.conversions.kinds import (
    AccessorKind,
    ExtentsKind,
    Family,
    Kind,
    MappingKind,
    Pattern,
    ViewKind,
    extents_kind,
)
from mdview.errors import ConversionError
from mdview.layouts.base import Layout
from mdview.layouts.padding import static_padding
from mdview.mappings.mapping import Mapping
from mdview.views.view import MDView

L = TypeVar("L", bound=Layout)

AnyView: TypeAlias = MDView[Any, tuple[int, ...], Layout, Accessor[Any, Any]]
AnyAccessor: TypeAlias = Accessor[Any, Any]  # Any, here and above: kinds name elements, checkers see them elsewhere

POLICIES: Final[dict[type[AnyAccessor], str]] = {
    DefaultAccessor: "default",
    CheckedAccessor: "checked",
    UncheckedAccessor: "unchecked",
    AtomicAccessor: "atomic",
    ScaledAccessor: "scaled",
    ConjugatedAccessor: "conjugated",
    AlignedAccessor: "aligned",
    RestrictAccessor: "restrict",
    RandomAccessAccessor: "random_access",
    NonTemporalAccessor: "non_temporal",
    MemorySpaceAccessor: "memory_space",
}
"""Names of the policies; any other accessor class goes by its qualified name."""


@overload
def kind_of(value: Pattern) -> ExtentsKind: ...
@overload
def kind_of(value: Mapping[tuple[int, ...], L]) -> MappingKind[L]: ...
@overload
def kind_of(value: AnyAccessor) -> AccessorKind: ...
@overload
def kind_of(value: AnyView) -> ViewKind: ...
@overload
def kind_of(value: object) -> Kind: ...
def kind_of(value: object) -> Kind:
    """Describe the type of extents, a mapping, an accessor or a view as C++ would have it.

    Extents may be a pattern: None is a dynamic extent without a value.

    Raises
    ------
    ConversionError
        ``value`` is none of these.

    >>> from mdview.index.extents import dim
    >>> kind_of((dim(3), 4))
    ExtentsKind(static=(3, None), index_type='int64')
    """
    if isinstance(value, tuple):
        return extents_kind(value)
    if isinstance(value, Mapping):
        return _mapping_kind(value)
    if isinstance(value, Accessor):
        return accessor_kind(value)
    if isinstance(value, MDView):
        return ViewKind(_mapping_kind(value.mapping), accessor_kind(value.accessor, value.format))
    message = f"only extents, mappings, accessors and views have a kind, got {told(value)}"
    raise ConversionError(message)


def _mapping_kind(mapping: Mapping[tuple[int, ...], L]) -> MappingKind[L]:
    kind = layout_kind(mapping.layout, extents_kind(mapping.extents))
    if kind.family is not Family.OTHER:
        return kind
    return replace(kind, always_unique=mapping.is_always_unique, always_strided=mapping.is_always_strided)


def layout_kind(layout: L, extents: ExtentsKind) -> MappingKind[L]:
    """Return the kind of mapping that a layout has over extents of a kind."""
    return MappingKind(type(layout), extents, static_padding(getattr(layout, "padding", None)))


def accessor_kind(accessor: AnyAccessor, element: str = "", *, const: bool = False) -> AccessorKind:
    """Describe an accessor to elements of the type named ``element``."""
    const = const or not isinstance(accessor, Writable)
    if isinstance(accessor, ReadOnlyAccessor):
        return accessor_kind(accessor.inner, element, const=True)
    kind = type(accessor)
    return AccessorKind(
        policy=POLICIES.get(kind, f"{kind.__module__}.{kind.__qualname__}"),
        element=element,
        const=const,
        alignment=accessor.alignment if isinstance(accessor, AlignedAccessor) else None,
        space=accessor.space if isinstance(accessor, MemorySpaceAccessor) else None,
        inner=accessor_kind(accessor.inner, element, const=const) if isinstance(accessor, Wrapper) else None,
    )


def target_kind(source: Kind, target: object, extents: Pattern | None = None) -> Kind:
    """Complete a target to a kind of the same sort as ``source``: what it does not name is as there.

    Raises
    ------
    ConversionError
        ``target`` names nothing that ``source`` could be asked to become.
    """
    completed = _completed(source, target, extents)
    if type(completed) is type(source):
        return completed
    what = target if extents is None else (target, extents)
    message = f"{_SORTS[type(source)]} convert to {_TARGETS[type(source)]}, got {told(what)}"
    raise ConversionError(message)


_SORTS: Final = {ExtentsKind: "extents", MappingKind: "mappings", AccessorKind: "accessors", ViewKind: "views"}

_TARGETS: Final = {
    ExtentsKind: "extents such as (dim(3), None) or an ExtentsKind",
    MappingKind: "a layout, extents, both, a mapping or a MappingKind",
    AccessorKind: "an accessor or an AccessorKind",
    ViewKind: "a layout, extents, both, an accessor, a view or a ViewKind",
}


def _completed(source: Kind, target: object, extents: Pattern | None) -> object:
    if isinstance(source, ViewKind):
        return _completed_view(source, target, extents)
    if isinstance(source, MappingKind):
        return _completed_mapping(source, target, extents)
    if extents is not None:
        return None
    return target if isinstance(target, Kind) else kind_of(target)


def _completed_view(source: ViewKind, target: object, extents: Pattern | None) -> object:
    if isinstance(target, Accessor) and extents is None:
        return replace(source, accessor=accessor_kind(target, source.accessor.element))
    if isinstance(target, AccessorKind) and extents is None:
        return replace(source, accessor=target)
    if isinstance(target, ViewKind | MDView):
        return None if extents is not None else target if isinstance(target, ViewKind) else kind_of(target)
    mapping = _completed_mapping(source.mapping, target, extents)
    return replace(source, mapping=mapping) if isinstance(mapping, MappingKind) else None


def _completed_mapping(source: MappingKind[Layout], target: object, extents: Pattern | None) -> object:
    pattern = source.extents if extents is None else extents_kind(extents)
    if isinstance(target, Layout):
        return layout_kind(target, pattern)
    if isinstance(target, type) and issubclass(target, Layout):
        return MappingKind(target, pattern)
    if isinstance(target, type) or extents is not None:
        return None
    if isinstance(target, tuple):
        target = extents_kind(target)
    if isinstance(target, ExtentsKind):
        return replace(source, extents=target)
    return target if isinstance(target, Kind) else kind_of(target)
