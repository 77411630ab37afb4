"""The polymorphic view of P0009r00: ``view<DataType, Properties...>``, implicit dimensions, assignability.

Dimensions are *explicit* (an int, known from the type) or *implicit* (None, given at run time in order). Properties are
a layout, access policies, hints, or None, which has no effect, so that a condition may choose one. A view made here is
an `MDView` like any other: explicit dimensions are static extents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias, cast, final

from mdview.accessors.accessor import Accessor, Wrapper
from mdview.accessors.policies import CheckedAccessor, DefaultAccessor, UncheckedAccessor
from mdview.base import as_entries, as_integer, as_text, brief, plural, plural_takes, refuse, value
from mdview.errors import NotStridedError, PropertyError, RankError
from mdview.index.extents import as_extents, dim
from mdview.layouts.layout import Layout, as_layout
from mdview.layouts.strided_layout import LayoutRight
from mdview.mappings.mapping import AnyMapped, Mapping, mapping_of
from mdview.views.view import MDView
from mdview.views.view_base import check_view

Dims: TypeAlias = Sequence[int | None]
# Any, here and below: a property does not depend on the element type.
AnyView = MDView[Any, tuple[int, ...], Layout, Accessor[Any, Any]]
Property: TypeAlias = Layout | str | type[Accessor[Any, Any]] | None
"""A layout or its text, the class of an accessor, or None."""

_CORES: Final = (DefaultAccessor, CheckedAccessor, UncheckedAccessor)


def implicit_dimensions(rank: int) -> tuple[None, ...]:
    """Return ``rank`` implicit dimensions: P0009r00's ``array_view``."""
    number = as_integer(rank, "a rank")
    if number < 0:
        raise RankError(f"a rank is at least 0, got {as_text(number)}; write implicit_dimensions(2) for (None, None)")
    try:
        return (None,) * number
    except (OverflowError, MemoryError):
        raise RankError(f"nothing has {as_text(number)} dimensions") from None


def dimension(*sizes: int) -> tuple[int | None, ...]:
    """Dimensions from P0009r00's ``dimension<...>``, where 0 marks an implicit one.

    An explicit extent of 0 cannot be said this way; write it as 0 in the dimensions themselves.
    """
    return tuple([None if number == 0 else number for number in as_extents(sizes)])


def fill_dimensions(dims: Dims, *implicit: int) -> tuple[int, ...]:
    """Extents of ``dims`` with the implicit ones taken from ``implicit`` in order; omitted ones are 0.

    >>> fill_dimensions((None, 3), 4)
    (4, dim(3))

    Raises
    ------
    RankError
        More arguments than implicit dimensions.
    """
    free = [r for r, d in enumerate(as_entries(dims, "dimensions")) if d is None]
    if len(implicit) > len(free):
        raise RankError(
            f"{plural_takes(len(free), 'implicit dimension')} at most {plural(len(free), 'extent')}, "
            f"got {len(implicit)}: {as_text(implicit)}"
        )
    extents = dict(zip(free, implicit, strict=False))
    return as_extents([extents.get(r, 0) if d is None else dim(d) for r, d in enumerate(dims)])


@final
@value
class Properties:
    """Combined properties: a layout (None where none was given) and an accessor."""

    layout: Layout | None
    accessor: Accessor[Any, Any]


def combine_properties(*properties: Property) -> Properties:
    """Combine properties; each accessor class wraps those that come after it.

    Raises
    ------
    PropertyError
        Two layouts, two index rules, or something that is no property.
    """
    layouts = [as_layout("a property is", p) for p in properties if isinstance(p, Layout | str)]
    policies = [p for p in properties if isinstance(p, type) and issubclass(p, Accessor)]
    strangers = [p for p in properties if not isinstance(p, Layout | str | None) and p not in policies]
    if strangers:
        raise PropertyError(f"a property is a layout, the class of an accessor, or None; got {brief(strangers[0])}")
    cores = [p for p in policies if p in _CORES]
    for what, chosen in (("layout", layouts), ("index rule", cores)):
        if len(chosen) > 1:
            raise PropertyError(f"a view has one {what}, got {len(chosen)}: {', '.join(map(brief, chosen))}")
    accessor: Accessor[Any, Any] = cores[0]() if cores else DefaultAccessor()
    for policy in reversed([p for p in policies if p not in _CORES]):
        # A wrapper class has a field `inner`; other classes are used without one.
        accessor = cast("Any", policy)(inner=accessor) if issubclass(policy, Wrapper) else policy()
    return Properties(layouts[0] if layouts else None, accessor)


def polymorphic_view(data: Any, dims: Dims, *implicit: int, properties: Sequence[Property] = ()) -> AnyView:
    """View of ``data`` with these dimensions and properties; ``data`` None makes the null view.

    >>> polymorphic_view(list(range(12)), (None, 3), 4).static_extents
    (None, 3)

    Raises
    ------
    RankError, PropertyError
        See `fill_dimensions` and `combine_properties`.
    BufferSizeError, BufferFormatError, ReadOnlyError
        See `MDView`.
    """
    chosen = combine_properties(*as_entries(properties, "properties"))
    mapping = Mapping(fill_dimensions(dims, *implicit), chosen.layout or LayoutRight())
    return MDView.from_mapping(data, mapping, chosen.accessor)


@final
@value
class ViewType:
    """The type of a polymorphic view, for questions of assignability.

    Attributes
    ----------
    element
        The name of the element type.
    dims
        Its dimensions, None for a dynamic one.
    const
        Whether elements cannot be stored.
    layout
        The layout; None for the default of such views.
    policies
        The names of further policies of its accessor.
    """

    element: str
    dims: tuple[int | None, ...]
    const: bool = False
    layout: Layout | None = None
    policies: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Parse the layout; refuse wrong dimensions, and layouts that are neither a layout nor None."""
        if not isinstance(self.element, str):
            refuse("the element of a ViewType", "a format", self.element)
        as_extents([0 if d is None else d for d in as_entries(self.dims, "the dimensions of a ViewType")])
        if self.layout is not None:
            object.__setattr__(self, "layout", as_layout("the layout of a ViewType is", self.layout))


def is_assignable(target: ViewType, source: ViewType) -> bool:
    """Tell whether a view of type ``source`` may be assigned to one of type ``target``; a question of types alone.

    Elements may become const, dimensions implicit, and policies may be added, never the reverse. A strided target
    with an implicit dimension takes every regular layout; otherwise layouts must be the same.
    """
    for name, kind in (("target", target), ("source", source)):
        if not isinstance(kind, ViewType):
            refuse(name, "a ViewType", kind)
    return (
        target.element == source.element
        and (target.const or not source.const)
        and len(target.dims) == len(source.dims)
        and all(t is None or t == s for t, s in zip(target.dims, source.dims, strict=True))
        and _layouts_agree(target, source)
        and target.policies >= source.policies
    )


def _layouts_agree(target: ViewType, source: ViewType) -> bool:
    to, layout = target.layout or LayoutRight(), source.layout or LayoutRight()
    rule = to.stride_rule()
    if rule is not None and rule.order is None and (None in target.dims or not target.dims):
        return layout.is_always_strided(source.dims)
    return to == layout


def is_isomorphic(mapping: AnyMapped) -> bool:
    """Tell whether the elements are exactly the first ``size`` ones of the data, each once."""
    mapping = mapping_of(mapping)
    return mapping.required_span_size == mapping.size and mapping.is_unique


def has_iterators(view: AnyView) -> bool:
    """Tell whether P0009r00 gives the view ``begin`` and ``end``: rank 1, isomorphic, elements and no proxies."""
    check_view(view, "what has iterators")
    return view.rank == 1 and is_isomorphic(view.mapping) and view.accessor.is_plain


def flat_range(view: AnyView) -> range:
    """Positions in the data from ``begin`` to ``end``.

    Raises
    ------
    NotStridedError
        The view has no iterators, see `has_iterators`.
    """
    if not has_iterators(view):
        raise NotStridedError(
            "begin and end need rank 1, an isomorphic layout and plain access, not "
            f"{brief(view.mapping)}, {brief(view.accessor)}"
        )
    return range(view.origin, view.origin + view.size)
