"""The polymorphic view of P0009r00: ``view<DataType, Properties...>``, implicit dimensions, assignability.

A dimension is *explicit* (an int, known from the type) or *implicit* (None, given at run time, in order). A property is
a layout, an access policy, a hint, or None; None has no effect, so that a property can depend on a condition. A
polymorphic view is an `MDView`, and its explicit dimensions are static extents.
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
# ``Any`` stands for the element type, here and below: a property does not depend on the element type.
AnyView = MDView[Any, tuple[int, ...], Layout, Accessor[Any, Any]]
Property: TypeAlias = Layout | str | type[Accessor[Any, Any]] | None
"""A layout or a string that denotes it, a class of accessors, or None."""

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
    """Return the dimensions of P0009r00's ``dimension<...>``, in which 0 marks an implicit dimension.

    An explicit extent of 0 cannot be expressed this way; write it in a tuple of dimensions such as ``(0, None)``.
    """
    return tuple([None if number == 0 else number for number in as_extents(sizes)])


def fill_dimensions(dims: Dims, *implicit: int) -> tuple[int, ...]:
    """Return the extents of ``dims``; implicit dimensions take the numbers ``implicit`` in order, then 0.

    >>> fill_dimensions((None, 3), 4)
    (4, dim(3))

    Raises
    ------
    RankError
        There are more numbers than implicit dimensions.
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
    """Combined properties: a layout (None if no property is a layout) and an accessor."""

    layout: Layout | None
    accessor: Accessor[Any, Any]


def combine_properties(*properties: Property) -> Properties:
    """Combine properties; each class of accessors wraps the accessors that come after it.

    Raises
    ------
    PropertyError
        There are two layouts or two index rules (default, checked, unchecked), or an argument is not a property.
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
        # A wrapper class has a field `inner`; other classes have no accessor inside.
        accessor = cast("Any", policy)(inner=accessor) if issubclass(policy, Wrapper) else policy()
    return Properties(layouts[0] if layouts else None, accessor)


def polymorphic_view(data: Any, dims: Dims, *implicit: int, properties: Sequence[Property] = ()) -> AnyView:
    """Return a view of ``data`` with these dimensions and properties; the null view if ``data`` is None.

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
    """The type of a polymorphic view, an argument of `is_assignable`.

    Attributes
    ----------
    element
        The name of the element type.
    dims
        The dimensions; None for an implicit dimension.
    const
        Whether elements cannot be stored.
    layout
        The layout; None for the default, `LayoutRight`.
    policies
        The names of further policies of the accessor.
    """

    element: str
    dims: tuple[int | None, ...]
    const: bool = False
    layout: Layout | None = None
    policies: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Parse a layout given as text; check that element, dimensions and layout have valid types."""
        if not isinstance(self.element, str):
            refuse("the element of a ViewType", "a format", self.element)
        as_extents([0 if d is None else d for d in as_entries(self.dims, "the dimensions of a ViewType")])
        if self.layout is not None:
            object.__setattr__(self, "layout", as_layout("the layout of a ViewType is", self.layout))


def is_assignable(target: ViewType, source: ViewType) -> bool:
    """Tell whether a view of type ``source`` can be assigned to a view of type ``target``; only the types matter.

    The target may add const and policies, and may have implicit dimensions in place of explicit ones; it may not drop
    const or policies. A strided target that has an implicit dimension or rank 0 accepts every layout that is always
    strided; otherwise both layouts must be equal.
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
    """Tell whether the offsets of a mapping are exactly 0 to ``size - 1``, each once."""
    mapping = mapping_of(mapping)
    return mapping.required_span_size == mapping.size and mapping.is_unique


def has_iterators(view: AnyView) -> bool:
    """Tell whether a view has ``begin`` and ``end`` in P0009r00.

    The rank must be 1, the mapping isomorphic, and the accessor must load elements, not proxies.
    """
    check_view(view, "what has iterators")
    return view.rank == 1 and is_isomorphic(view.mapping) and view.accessor.is_plain


def flat_range(view: AnyView) -> range:
    """Return the positions in the data from ``begin`` to ``end``.

    Raises
    ------
    NotStridedError
        `has_iterators` is false for the view.
    """
    if not has_iterators(view):
        raise NotStridedError(
            "begin and end need rank 1, an isomorphic layout and plain access, not "
            f"{brief(view.mapping)}, {brief(view.accessor)}"
        )
    return range(view.origin, view.origin + view.size)
