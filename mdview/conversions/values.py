"""Converting values: the kinds must convert, and the value must be what the target's kind claims.

A conversion changes types only. A converted mapping is the same function, a converted view reaches the same elements.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar, cast, overload

from mdview.accessors.base import Accessor, Wrapper
from mdview.accessors.hints import Hint
from mdview.accessors.readonly import ReadOnlyAccessor
from mdview.base.arguments import instance_text
from mdview.base.texts import told
from mdview.conversions.accessor_rules import PLAIN
from mdview.conversions.describe import AnyAccessor, AnyView, accessor_kind, kind_of, target_kind
from mdview.conversions.kinds import AccessorKind, Conversion, ExtentsKind, Kind, MappingKind, Pattern, ViewKind
from mdview.conversions.mapping_values import AnyMapping, AnyMappingKind, convert_extents, convert_mapping
from mdview.conversions.questions import kind_mandates, kind_ruling
from mdview.errors import ConversionError
from mdview.index.extents import as_extents
from mdview.layouts.base import Layout
from mdview.mappings.mapping import Mapping
from mdview.views.base import parts_of
from mdview.views.derive import derived
from mdview.views.policies import readonly_accessor
from mdview.views.protocols import LayoutExtentsAccessorOrKind, Wanted, WhatAConversionHas
from mdview.views.validation import check_fit
from mdview.views.view import MDView

T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
A = TypeVar("A", bound=Accessor[object, object])

_NO_PARAMETERS: Final = frozenset({"inner", "process_local"})
"""Fields of wrappers on which no load depends."""


@overload
def convert(
    source: Mapping[E, Layout], target: type[L] | L, extents: None = None, *, implicit_only: bool = False
) -> Mapping[E, L]: ...
@overload
def convert(
    source: AnyMapping, target: type[L] | L, extents: Pattern, *, implicit_only: bool = False
) -> Mapping[tuple[int, ...], L]: ...
@overload
def convert(
    source: AnyMapping, target: MappingKind[L], extents: None = None, *, implicit_only: bool = False
) -> Mapping[tuple[int, ...], L]: ...
@overload
def convert(
    source: Mapping[Any, L], target: Pattern | ExtentsKind, extents: None = None, *, implicit_only: bool = False
) -> Mapping[tuple[int, ...], L]: ...
@overload
def convert(
    source: MDView[T, E, Layout, A], target: type[L] | L, extents: None = None, *, implicit_only: bool = False
) -> MDView[T, E, L, A]: ...
@overload
def convert(
    source: MDView[T, Any, Layout, A], target: type[L] | L, extents: Pattern, *, implicit_only: bool = False
) -> MDView[T, tuple[int, ...], L, A]: ...
@overload
def convert(
    source: MDView[T, Any, Layout, A], target: MappingKind[L], extents: None = None, *, implicit_only: bool = False
) -> MDView[T, tuple[int, ...], L, A]: ...
@overload
def convert(
    source: MDView[T, Any, L, A], target: Pattern | ExtentsKind, extents: None = None, *, implicit_only: bool = False
) -> MDView[T, tuple[int, ...], L, A]: ...
@overload
def convert(
    source: MDView[T, E, L, Any], target: A, extents: None = None, *, implicit_only: bool = False
) -> MDView[T, E, L, A]: ...
@overload
def convert(
    source: MDView[T, Any, Layout, Any],
    target: ViewKind | AccessorKind,
    extents: None = None,
    *,
    implicit_only: bool = False,
) -> MDView[T, tuple[int, ...], Layout, Accessor[T, object]]: ...
@overload
def convert(
    source: tuple[int, ...], target: Pattern | ExtentsKind, extents: None = None, *, implicit_only: bool = False
) -> tuple[int, ...]: ...
@overload  # for no call that is right, as the next one
def convert(
    source: MDView[Any, Any, Any, Any] | AnyMapping,
    target: Wanted[LayoutExtentsAccessorOrKind],
    *rest: object,
    **named: object,
) -> Any: ...
@overload
def convert(source: Wanted[WhatAConversionHas], *rest: object, **named: object) -> Any: ...
def convert(  # type: ignore[misc]  # pyright: ignore[reportInconsistentOverload]
    source: Any, target: object, extents: Pattern | None = None, *, implicit_only: bool = False
) -> object:
    """Convert extents, a mapping or a view, implicitly or explicitly, to the kind that ``target`` names.

    ``target`` is a layout (its class, or an instance that the result then has), extents, a layout and ``extents``, a
    kind, or for a view an accessor. In extents ``dim(n)`` is static, None is dynamic, and a plain int is dynamic and
    must be met. What the target does not name stays as it is. A padded layout given by its class takes the padded
    stride of the source. Nothing is copied.

    Raises
    ------
    ConversionError
        There is no such conversion, or only an explicit one where ``implicit_only`` is set, or this value does not
        meet its precondition: static extents or strides are others, or a number exceeds the index type.
    ExtentsError, ExtentsTypeError
        The source is a tuple of no valid extents.
    AccessorError
        The data of a view does not fit the accessor, such as one that promises alignment.

    >>> from mdview.index.extents import dim
    >>> from mdview.layouts.stride import LayoutStride
    >>> convert(Mapping((3, 4)), LayoutStride)
    Mapping((3, 4), LayoutStride((4, 1)))
    >>> convert((3, 4), (dim(3), None))
    (dim(3), 4)
    """
    kind = kind_of(source)
    goal = target_kind(kind, target, extents)
    way = _way_to_copy(source, target, extents)
    _admit(source, kind, goal, way, implicit_only=implicit_only)
    wanted = extents if extents is not None else target if isinstance(target, tuple) else None
    if isinstance(goal, ExtentsKind):
        return convert_extents(as_extents(source), goal, wanted)
    layout = target if isinstance(target, Layout) else None
    if isinstance(goal, ViewKind):
        accessor = target if isinstance(target, Accessor) else None
        try:
            mapping = convert_mapping(source.mapping, goal.mapping, wanted, layout)
        except ConversionError as error:
            raise ConversionError(f"{error}{way}") from None
        return _view(source, goal, mapping, accessor)
    return convert_mapping(source, cast("AnyMappingKind", goal), wanted, layout)


def _admit(source: object, kind: Kind, goal: Kind, way: str, *, implicit_only: bool) -> None:
    """Refuse what the kinds alone rule out; ``way`` is one to have what no conversion gives."""
    what = f"a view of {kind}" if isinstance(kind, ViewKind) else repr(source)
    ruling = kind_ruling(kind, goal)
    if ruling.conversion is Conversion.NONE:
        wanted = str(goal)
        if isinstance(kind, ViewKind) and isinstance(goal, ViewKind) and kind.accessor == goal.accessor:
            what, wanted = f"a view of {kind.mapping}", str(goal.mapping).removesuffix(f" over {kind.mapping.extents}")
        reason = ruling.reason.partition(";")[0] if way else ruling.reason  # one way out, the one to what is asked for
        message = f"{what} does not convert to {wanted}: {reason}{way}"
        raise ConversionError(message)
    if implicit_only and ruling.conversion is Conversion.EXPLICIT:
        message = f"{what} converts to {goal} explicitly only: {ruling.reason}; allow it with implicit_only=False"
        raise ConversionError(message)
    broken = kind_mandates(kind, goal)
    if broken is not None:
        message = f"{what} does not convert to {goal}: {broken}; make one of them dynamic{way}"
        raise ConversionError(message)


def _way_to_copy(source: object, target: object, extents: Pattern | None) -> str:
    """Say how a view gets a layout that no conversion gives it, if that and nothing else is asked for."""
    is_class = isinstance(target, type) and issubclass(target, Layout)
    if extents is not None or not isinstance(source, MDView) or not (is_class or isinstance(target, Layout)):
        return ""
    return f"; copy by relayout(view, {instance_text(target) if isinstance(target, type) else told(target)})"


def _view(view: AnyView, goal: ViewKind, mapping: AnyMapping, accessor: AnyAccessor | None) -> AnyView:
    policy = _policy_of_kind(view, goal.accessor) if accessor is None else accessor
    if not _loads_alike(view.accessor, policy):
        message = (
            f"{told(view.accessor)} does not convert to {told(policy)}: their parameters differ, and so what they load"
        )
        raise ConversionError(message)
    storage, origin, *_ = parts_of(view)
    if storage is not None:
        check_fit(storage, mapping, origin, policy)
    return derived(view, mapping, 0, policy)


def _policy_of_kind(view: AnyView, goal: AccessorKind) -> AnyAccessor:
    """Accessor of a kind where the view's own, or that without its store, is one."""
    for accessor in (view.accessor, readonly_accessor(view.accessor)):
        if accessor_kind(accessor, goal.element) == goal:
            return accessor
    message = f"{goal} does not say which accessor it is; pass the accessor itself"
    raise ConversionError(message)


def _loads_alike(source: AnyAccessor, target: AnyAccessor) -> bool:
    """Tell whether two accessors whose kinds convert differ in nothing that a load depends on."""
    a, b = _bare(source), _bare(target)
    if accessor_kind(a).policy in PLAIN:
        return True
    if not (isinstance(a, Wrapper) and isinstance(b, Wrapper)):
        return a == b
    return _parameters(a) == _parameters(b) and _loads_alike(a.inner, b.inner)


def _bare(accessor: AnyAccessor) -> AnyAccessor:
    while isinstance(accessor, Hint | ReadOnlyAccessor):
        accessor = accessor.inner
    return accessor


def _parameters(wrapper: Wrapper[Any, Any]) -> list[object]:
    """What a wrapper holds that a load depends on, besides the accessor it is around."""
    names = getattr(wrapper, "__match_args__", ())
    return [getattr(wrapper, name) for name in names if name not in _NO_PARAMETERS]
