"""A form says how a kernel computes an offset: plain data, so that it is a part of the Numba type and of its key.

What varies from view to view without a new compilation is a *value*, a number that the kernel reads from the view.
The values of a view are its dynamic extents, then what its form needs.
"""

from __future__ import annotations

from typing import Any, TypeAlias, cast, final

from mdview.base.values import value
from mdview.engines.scalar.offset_code import AnyMapping, OffsetFunction, concrete_plan, symbolic_plan
from mdview.errors import KernelError
from mdview.expressions.branches import Branches, each_leaf, explore
from mdview.expressions.trace import OffsetSource, Symbol, written
from mdview.index.extents import Dim
from mdview.layouts.base import Layout
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.right import LayoutRight
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.tiled import LayoutTiled

Known: TypeAlias = tuple[int | None, ...]
"""Numbers that belong to the code; None for each one that is a value."""


@final
@value
class Strided:
    """The sum of index times stride."""

    strides: Known


@final
@value
class Tile:
    """How a tiled layout falls apart: sizes and strides of a tile, and which dimension of the grid is the fastest."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    first_is_fastest: bool


@final
@value
class Traced:
    """The layout's own arithmetic, traced (see `mdview.expressions.trace`).

    The text is all that a kernel depends on, so a layout that was edited has another form, and equal arithmetic is
    compiled once. The values are those of the plan beyond the dynamic extents.
    """

    source: Branches[OffsetSource]
    values: int
    tile: Tile | None = None


@final
@value
class Sliced:
    """Another form over ``extents``, at index ``first + step * index[source]`` per base dimension.

    The values are those of a view of the base, then every first index, then the steps that are not known.
    """

    base: Traced
    extents: Known
    steps: Known
    source: tuple[int | None, ...]


Form: TypeAlias = Strided | Traced | Sliced


def describe(mapping: AnyMapping) -> tuple[Form, tuple[int, ...], int]:
    """Form of a mapping, the values of this one, and the offset at which a kernel's data begins.

    Raises
    ------
    KernelError
        The mapping has a halo, or its arithmetic asks for more of an index than how it compares.
    """
    if not mapping.layout.is_total():
        message = f"a kernel has no halo: {mapping!r} has one; slice it to its valid_box, or copy it"
        raise KernelError(message)
    dynamic = tuple([int(e) for e in mapping.extents if type(e) is not Dim])
    strides, known = mapping.found_strides(), known_strides(mapping)
    if strides is None or known is None or isinstance(mapping.layout, LayoutTiled):
        return (*_traced(mapping), 0)
    free = [int(s) for s, k in zip(strides, known, strict=True) if k is None]
    return Strided(known), (*dynamic, *free), mapping.origin


def known_strides(mapping: AnyMapping) -> Known | None:
    """Strides that the kind of mapping alone tells, and those that are 0 or 1; None where there are no strides."""
    layout, strides = mapping.layout, mapping.found_strides()
    if strides is None:
        return None
    if isinstance(layout, LayoutRight | LayoutLeft) or _has_static_padding(layout):
        extents: list[Any] = [int(e) if type(e) is Dim else Symbol("e") for e in mapping.extents]
        symbolic: Any = layout.strides(extents)  # symbols stand for the ints it is written for
        return tuple([s if isinstance(s, int) else None for s in symbolic])
    return tuple([int(s) if type(s) is Dim or s in {0, 1} else None for s in strides])


def _has_static_padding(layout: object) -> bool:
    return isinstance(layout, LayoutRightPadded | LayoutLeftPadded) and type(layout.padding) in {Dim, type(None)}


def _tile(layout: Layout) -> Tile | None:
    if not isinstance(layout, LayoutTiled):
        return None
    strides = layout.inner.strides(layout.tile)
    if strides is None:
        return None
    sizes, inner = tuple(map(int, layout.tile)), tuple(map(int, strides))
    return Tile(sizes, inner, first_is_fastest=isinstance(layout.outer, LayoutLeft))


def _traced(mapping: AnyMapping) -> tuple[Traced, tuple[int, ...]]:
    """Trace a mapping that is not strided: with dynamic extents, else with all of them baked in."""
    failure: Exception | None = None
    for make in (symbolic_plan, concrete_plan):
        plan = make(mapping, moved=False)
        values = (*plan.values, plan.start) if plan.shifted else plan.values
        try:
            traced = explore(cast("OffsetFunction", plan.offset), len(values), mapping.rank)
            source = each_leaf(traced, written)
        except Exception as error:  # noqa: BLE001 - a user's arithmetic may fail on symbols in any way
            failure = error
        else:
            return Traced(source, len(values) - mapping.static_extents.count(None), _tile(mapping.layout)), values
    message = f"the arithmetic of {mapping.layout!r} cannot be traced for a kernel: {failure}"
    raise KernelError(message) from failure
