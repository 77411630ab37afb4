"""Converting values: the kinds must convert, and the value must be what the target's kind claims.

A conversion changes types only. A converted mapping is the same function, a converted view reaches the same elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar, cast, overload

from mdview.accessors.base import Accessor, Wrapper
from mdview.accessors.policies import Hint, ReadOnlyAccessor
from mdview.base.arguments import instance_text
from mdview.base.integers import as_integer
from mdview.base.texts import shown, told
from mdview.conversions.kinds import (
    FIRST,
    AccessorKind,
    AnyAccessor,
    AnyView,
    Conversion,
    ExtentsKind,
    Family,
    Kind,
    MappingKind,
    Pattern,
    ViewKind,
    accessor_kind,
    kind_of,
    target_kind,
)
from mdview.conversions.rules import (
    PLAIN,
    Ruling,
    accessor_ruling,
    extents_ruling,
    mapping_comparable,
    mapping_mandates,
    mapping_ruling,
    view_ruling,
)
from mdview.errors import ConversionError, LayoutError, RankError
from mdview.index.extents import as_extents, dim
from mdview.layouts.base import Layout, Strides
from mdview.layouts.stride import LayoutStride, LayoutStrideRelaxed
from mdview.mappings.mapping import Mapping
from mdview.views.base import parts_of
from mdview.views.derive import derived
from mdview.views.parts import check_fit
from mdview.views.policies import readonly_accessor
from mdview.views.protocols import LayoutExtentsAccessorOrKind, Wanted, WhatAConversionHas
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
    source: AnyMapping,
    target: type[L] | L | MappingKind[L],
    extents: Pattern | None = None,
    *,
    implicit_only: bool = False,
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
    source: MDView[T, Any, Layout, A],
    target: type[L] | L | MappingKind[L],
    extents: Pattern | None = None,
    *,
    implicit_only: bool = False,
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
        raise ConversionError(f"{what} does not convert to {wanted}: {reason}{way}")
    if implicit_only and ruling.conversion is Conversion.EXPLICIT:
        raise ConversionError(
            f"{what} converts to {goal} explicitly only: {ruling.reason}; allow it with implicit_only=False"
        )
    broken = kind_mandates(kind, goal)
    if broken is not None:
        raise ConversionError(f"{what} does not convert to {goal}: {broken}; make one of them dynamic{way}")


def _way_to_copy(source: object, target: object, extents: Pattern | None) -> str:
    """Say how a view gets a layout that no conversion gives it, if that and nothing else is asked for."""
    is_class = isinstance(target, type) and issubclass(target, Layout)
    if extents is not None or not isinstance(source, MDView) or not (is_class or isinstance(target, Layout)):
        return ""
    return f"; copy by relayout(view, {instance_text(target) if isinstance(target, type) else told(target)})"


def _view(view: AnyView, goal: ViewKind, mapping: AnyMapping, accessor: AnyAccessor | None) -> AnyView:
    policy = _policy_of_kind(view, goal.accessor) if accessor is None else accessor
    if not _loads_alike(view.accessor, policy):
        raise ConversionError(
            f"{told(view.accessor)} does not convert to {told(policy)}: their parameters differ, and so what they load"
        )
    storage, origin, *_ = parts_of(view)
    if storage is not None:
        check_fit(storage, mapping, origin, policy)
    return derived(view, mapping, 0, policy)


def _policy_of_kind(view: AnyView, goal: AccessorKind) -> AnyAccessor:
    """Accessor of a kind where the view's own, or that without its store, is one."""
    for accessor in (view.accessor, readonly_accessor(view.accessor)):
        if accessor_kind(accessor, goal.element) == goal:
            return accessor
    raise ConversionError(f"{goal} does not say which accessor it is; pass the accessor itself")


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


AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]
AnyMappingKind: TypeAlias = MappingKind[Layout]


def convert_extents(extents: Sequence[int], goal: ExtentsKind, wanted: Pattern | None) -> tuple[int, ...]:
    """Return extents with the static ones of ``goal``, checked against them and against what else is ``wanted``."""
    for r, (extent, static) in enumerate(zip(extents, wanted or goal.static, strict=True)):
        if static is not None and extent != as_integer(static, "an extent"):
            raise ConversionError(
                f"extent {shown(extent)} of dimension {r} is not {shown(static)}, as the target "
                "has it; None takes any extent"
            )
        if extent > goal.largest:
            raise ConversionError(
                f"extent {shown(extent)} of dimension {r} exceeds {goal.largest}, the largest {goal.index_type}"
            )
    return tuple([int(e) if s is None else dim(int(e)) for e, s in zip(extents, goal.static, strict=True)])


def convert_mapping(
    mapping: AnyMapping, goal: AnyMappingKind, wanted: Pattern | None, layout: Layout | None
) -> AnyMapping:
    """Convert to a kind that ``mapping`` converts to; ``layout`` is the very layout asked for, if one is."""
    extents = convert_extents(mapping.extents, goal.extents, wanted)
    span, largest = mapping.required_span_size, goal.extents.largest
    if span > largest:
        raise ConversionError(
            f"{told(mapping)} spans {shown(span)} elements, more than {largest}, the largest {goal.extents.index_type}"
        )
    chosen = _layout(mapping, goal) if layout is None else layout
    try:
        result = Mapping(extents, chosen)
    except (LayoutError, RankError) as error:
        raise ConversionError(f"{told(mapping)} does not convert to {type(chosen).__name__}: {error}") from error
    _check_same_function(mapping, result)
    return result


def _layout(mapping: AnyMapping, goal: AnyMappingKind) -> Layout:
    """Layout of the kind of ``goal`` with the strides of ``mapping``, where it has room for them."""
    own = kind_of(mapping)
    if own.layout is goal.layout and own.padding == goal.padding:
        return mapping.layout
    if goal.family is Family.PADDED:
        return _padded(mapping, goal)
    if goal.family is Family.STRIDE:
        return LayoutStride(_strides(mapping))
    if goal.family is Family.RELAXED:
        return LayoutStrideRelaxed(_strides(mapping), mapping.origin)
    return goal.layout()  # to a layout outside the standard's nothing converts but itself


def _padded(mapping: AnyMapping, goal: AnyMappingKind) -> Layout:
    make = cast("Callable[[int | None], Layout]", goal.layout)
    if goal.padding is not None:
        return make(dim(goal.padding))
    if mapping.rank < 2:  # noqa: PLR2004 - one dimension has no rows to pad
        return make(None)
    row = _strides(mapping)[1 if goal.unit == FIRST else -2]
    return make(row if row > 0 else None)


def _strides(mapping: AnyMapping) -> Strides:
    """Strides of a mapping whose kind says that it has them."""
    return cast("Strides", mapping.found_strides())


def _check_same_function(source: AnyMapping, result: AnyMapping) -> None:
    """Refuse a result that lies elsewhere than its source."""
    if source.layout == result.layout:
        return
    where = f"{told(source)} does not convert to {told(result.layout)}"
    own, its = source.found_strides(), result.found_strides()
    if own is None or its is None:
        raise ConversionError(f"{where}: they are not strided, and their parameters differ")
    for r, (s, t) in enumerate(zip(own, its, strict=True)):
        if s != t:
            raise ConversionError(
                f"{where}: stride {shown(s)} of dimension {r} would become {shown(t)}; LayoutStride keeps any strides"
            )
    if source.origin != result.origin:
        raise ConversionError(
            f"{where}: the offset {shown(source.origin)} of index (0, ...) would become {shown(result.origin)}; "
            f"LayoutStrideRelaxed keeps it"
        )


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
    raise ConversionError(f"extents compare with extents and mappings with mappings, got {shown(x)} and {shown(y)}")


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
