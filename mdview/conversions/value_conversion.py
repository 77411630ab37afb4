"""Conversions of values: `conversion` returns the rule that applies, `convert` performs the conversion.

`convert` applies the rules of `mdview.conversions.conversion_rules` to the kinds, then checks that the value meets the
preconditions of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, cast, overload

from mdview.accessors.accessor import Accessor, Plain, T, Wrapper
from mdview.accessors.policies import Hint, ReadOnlyAccessor
from mdview.base import answer_calls, as_integer, as_text, brief
from mdview.base.message_texts import instance_text
from mdview.conversions import type_kinds
from mdview.conversions.conversion_rules import kind_mandates, kind_ruling, mapping_comparable
from mdview.conversions.type_kinds import AccessorKind, Conversion, ExtentsKind, MappingKind, Pattern, ViewKind, kind_of
from mdview.errors import ConversionError, LayoutError, RankError
from mdview.index.extents import as_extents, dim
from mdview.layouts.explicit_strides import LayoutStride, LayoutStrideRelaxed
from mdview.layouts.layout import Layout, Strides, as_layout
from mdview.mappings.mapping import AnyMapping, E, L, Mapping
from mdview.views.derived_views import derived, readonly_accessor
from mdview.views.typing_protocols import A, AnyRank
from mdview.views.view import MDView
from mdview.views.view_base import parts_of
from mdview.views.view_parts import check_fit

Sizes: TypeAlias = Pattern | ExtentsKind
Target: TypeAlias = Sizes | type[Layout] | Layout | str | MappingKind[Any] | ViewKind | AccessorKind

_NO_PARAMETERS: Final = frozenset({"inner", "process_local"})
"""The fields of wrappers that do not change the result of a load."""


@overload
def convert(source: Mapping[E, Layout], target: type[L] | L, *, implicit_only: bool = False) -> Mapping[E, L]: ...
@overload
def convert(
    source: AnyMapping, target: Target, extents: Pattern | None = None, *, implicit_only: bool = False
) -> Mapping[tuple[Any, ...], Any]: ...
@overload
def convert(
    source: MDView[T, E, Any, A], target: type[L] | L, *, implicit_only: bool = False
) -> MDView[T, E, L, A]: ...
@overload
def convert(source: MDView[T, E, L, Any], target: A, *, implicit_only: bool = False) -> MDView[T, E, L, A]: ...
@overload
def convert(
    source: MDView[T, Any, Any, Any], target: Target, extents: Pattern | None = None, *, implicit_only: bool = False
) -> MDView[T, tuple[Any, ...], Any, Any]: ...
@overload
def convert(source: AnyRank, target: Sizes, *, implicit_only: bool = False) -> AnyRank: ...
@answer_calls
def convert(source: Any, target: object, extents: Pattern | None = None, *, implicit_only: bool = False) -> object:
    """Convert extents, a mapping or a view to a target, implicitly or explicitly, without a copy.

    ``target`` is a layout (its class, its text, or an instance, which becomes the layout of the result), extents, or a
    kind; for a view it may also be an accessor. If it is a layout, ``extents`` may be given in addition. In extents
    ``dim(n)`` is static, None is dynamic, and a plain int is dynamic and must equal the extent of the source. Parts
    that the target does not name do not change. If the target is the class of a padded layout, the result has the
    padded stride of the source.

    Raises
    ------
    ConversionError
        The conversion does not exist; or it is explicit, and ``implicit_only`` is True; or the value does not meet the
        precondition: a static extent or a stride differs, or a number exceeds the index type.
    ExtentsError, ExtentsTypeError
        The source is a tuple that does not consist of valid extents.
    LayoutTypeError, NotationError
        The target is a string that does not denote a layout.
    AccessorError
        The data of a view does not fit the accessor: for example, it is not aligned as the accessor promises.

    >>> from mdview.index.extents import dim
    >>> from mdview.layouts.explicit_strides import LayoutStride
    >>> convert(Mapping((3, 4)), LayoutStride)
    Mapping((3, 4), LayoutStride((4, 1)))
    >>> convert((3, 4), (dim(3), None))
    (dim(3), 4)
    """
    kind = kind_of(source)
    target = as_layout("a layout is", target) if isinstance(target, str) else target
    goal = type_kinds.target_kind(kind, target, extents)
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


def _admit(source: object, kind: type_kinds.Kind, goal: type_kinds.Kind, way: str, *, implicit_only: bool) -> None:
    """Check that the rules allow a conversion between two kinds; the error message ends with the hint ``way``."""
    what = f"a view of {kind}" if isinstance(kind, ViewKind) else repr(source)
    ruling = kind_ruling(kind, goal)
    if ruling.conversion is Conversion.NONE:
        reason = ruling.reason.partition(";")[0] if way else ruling.reason  # `way` replaces the advice of the reason
        raise ConversionError(f"{what} does not convert to {goal}: {reason}{way}")
    if implicit_only and ruling.conversion is Conversion.EXPLICIT:
        raise ConversionError(
            f"{what} converts to {goal} explicitly only: {ruling.reason}; allow it with implicit_only=False"
        )
    broken = kind_mandates(kind, goal)
    if broken is not None:
        raise ConversionError(f"{what} does not convert to {goal}: {broken}; make one of them dynamic{way}")


def _way_to_copy(source: object, target: object, extents: Pattern | None) -> str:
    """Return the advice to copy if a view is to get a layout and no extents are given, else an empty string."""
    if extents is not None or not isinstance(source, MDView) or not type_kinds.is_layout(target):
        return ""
    return f"; copy by relayout(view, {instance_text(target) if isinstance(target, type) else brief(target)})"


def _view(
    view: type_kinds.AnyView, goal: ViewKind, mapping: AnyMapping, accessor: type_kinds.AnyAccessor | None
) -> type_kinds.AnyView:
    policy = _policy_of_kind(view, goal.accessor) if accessor is None else accessor
    if _load(view.accessor) not in ([], _load(policy)):
        raise ConversionError(
            f"{brief(view.accessor)} does not convert to {brief(policy)}: their parameters differ, and so what "
            "they load"
        )
    storage, origin, *_ = parts_of(view)
    if storage is not None:
        check_fit(storage, mapping, origin, policy)
    return derived(view, mapping, 0, policy)


def _policy_of_kind(view: type_kinds.AnyView, goal: AccessorKind) -> type_kinds.AnyAccessor:
    """Return the accessor of a view, or its read-only form, if it has the kind ``goal``; else raise an error."""
    for accessor in (view.accessor, readonly_accessor(view.accessor)):
        if type_kinds.accessor_kind(accessor, goal.element) == goal:
            return accessor
    raise ConversionError(f"{goal} does not say which accessor it is; pass the accessor itself")


def _load(accessor: type_kinds.AnyAccessor) -> list[object]:
    """Return the parameters on which a load of an accessor depends; an empty list if it loads plain elements."""
    if isinstance(accessor, Hint | ReadOnlyAccessor):
        return _load(accessor.inner)
    if isinstance(accessor, Plain):
        return []
    if not isinstance(accessor, Wrapper):
        return [accessor]
    names = [name for name in getattr(accessor, "__match_args__", ()) if name not in _NO_PARAMETERS]
    return [*[getattr(accessor, name) for name in names], *_load(accessor.inner)]


AnyMappingKind: TypeAlias = MappingKind[Layout]


def convert_extents(extents: Sequence[int], goal: ExtentsKind, wanted: Pattern | None) -> tuple[int, ...]:
    """Return extents with the static extents of ``goal``.

    Check each extent against the static extents, or against ``wanted`` if it is given, and against the index type.
    """
    for r, (extent, static) in enumerate(zip(extents, goal.static if wanted is None else wanted, strict=True)):
        if static is not None and extent != as_integer(static, "an extent"):
            raise ConversionError(
                f"extent {as_text(extent)} of dimension {r} is not {as_text(static)}, as the target "
                "has it; None takes any extent"
            )
        if extent > goal.largest:
            raise ConversionError(
                f"extent {as_text(extent)} of dimension {r} exceeds {goal.largest}, the largest {goal.index_type}"
            )
    return tuple([int(e) if s is None else dim(int(e)) for e, s in zip(extents, goal.static, strict=True)])


def convert_mapping(
    mapping: AnyMapping, goal: AnyMappingKind, wanted: Pattern | None, layout: Layout | None
) -> AnyMapping:
    """Convert a mapping to a kind; ``layout`` is the layout of the result if the target names one, else None."""
    extents = convert_extents(mapping.extents, goal.extents, wanted)
    span, largest = mapping.required_span_size, goal.extents.largest
    if span > largest:
        raise ConversionError(
            f"{brief(mapping)} spans {as_text(span)} elements, more than {largest}, the largest "
            f"{goal.extents.index_type}"
        )
    chosen = _layout(mapping, goal) if layout is None else layout
    try:
        result = Mapping(extents, chosen)
    except (LayoutError, RankError) as error:
        raise ConversionError(f"{brief(mapping)} does not convert to {type(chosen).__name__}: {error}") from error
    _check_same_function(mapping, result)
    return result


def _layout(mapping: AnyMapping, goal: AnyMappingKind) -> Layout:
    """Return a layout of the kind ``goal``; a strided or padded layout gets its parameters from ``mapping``."""
    kind = kind_of(mapping)
    if kind.layout is goal.layout and kind.padding == goal.padding:
        return mapping.layout
    strides = cast("Strides", mapping.found_strides())  # a mapping without strides converts to its own kind only
    if goal.family == "stride":
        return LayoutStride(strides)
    if goal.family == "relaxed":
        return LayoutStrideRelaxed(strides, mapping.origin)
    make = cast("Callable[..., Layout]", goal.layout)
    if goal.family != "padded":
        return make()
    row = strides[1 if goal.unit == type_kinds.FIRST else -2] if mapping.rank > 1 else 0
    return make((row or None) if goal.padding is None else dim(goal.padding))


def _check_same_function(source: AnyMapping, result: AnyMapping) -> None:
    """Check that a result has the same offsets as its source."""
    if source.layout == result.layout:
        return
    where = f"{brief(source)} does not convert to {brief(result.layout)}"
    strides, its = source.found_strides(), result.found_strides()
    if strides is None or its is None:
        raise ConversionError(f"{where}: they are not strided, and their parameters differ")
    for r, (s, t) in enumerate(zip(strides, its, strict=True)):
        if s != t:
            rule = f"stride {as_text(s)} of dimension {r} would become {as_text(t)}; LayoutStride keeps any strides"
            raise ConversionError(f"{where}: {rule}")
    if source.origin != result.origin:
        rule = f"the offset {as_text(source.origin)} of index (0, ...) would become {as_text(result.origin)}"
        raise ConversionError(f"{where}: {rule}; LayoutStrideRelaxed keeps it")


@answer_calls
def conversion(source: object, target: object, extents: Pattern | None = None) -> Conversion:
    """Return whether ``source`` converts to ``target`` implicitly, explicitly or not at all by the C++26 draft.

    ``source`` and ``target`` are kinds or values; ``target`` may also be a layout, extents, or both, as in `convert`.
    If overload resolution selects a conversion that breaks a mandate, the result is not `Conversion.NONE`; `mandates`
    returns the mandate.

    Raises
    ------
    ConversionError
        The target is neither of the class of the source nor a part of it: for example, the source is a mapping and the
        target an accessor.

    >>> conversion(ExtentsKind((3, None)), ExtentsKind((None, None)))
    <Conversion.IMPLICIT: 'implicit'>
    """
    kind = _as_kind(source)
    return kind_ruling(kind, type_kinds.target_kind(kind, target, extents)).conversion


@answer_calls
def mandates(source: object, target: object, extents: Pattern | None = None) -> str | None:
    """Return the mandate that a conversion breaks; None if it breaks none, or if the conversion does not exist.

    Overload resolution selects the conversion from ``left_padded<4>`` to ``left_padded<8>``, which then fails to
    compile; `convert` raises an error for it. Arguments and errors are those of `conversion`.
    """
    kind = _as_kind(source)
    return kind_mandates(kind, type_kinds.target_kind(kind, target, extents))


@answer_calls
def comparable(a: object, b: object) -> bool:
    """Tell whether ``a == b`` is a valid C++ expression, for extents or mappings given as kinds or values.

    A view stands for its mapping. The result is about C++ only; in Python ``==`` accepts mappings of any kinds.

    Raises
    ------
    ConversionError
        The arguments are not both extents or both mappings.
    """
    x, y = [kind.mapping if isinstance(kind, ViewKind) else kind for kind in (_as_kind(a), _as_kind(b))]
    if isinstance(x, MappingKind) and isinstance(y, MappingKind):
        return mapping_comparable(x, y)
    if isinstance(x, ExtentsKind) and isinstance(y, ExtentsKind):
        return True
    raise ConversionError(f"extents compare with extents and mappings with mappings, got {as_text(x)} and {as_text(y)}")


def _as_kind(value: object) -> type_kinds.Kind:
    return value if isinstance(value, type_kinds.Kind) else kind_of(value)
