"""Hypothesis strategies: extents, layouts, mappings, slices, views, and chains of operations.

They need Hypothesis, which the extra `testing` installs. All examples are valid, and shrink to few and small numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import prod
from typing import Any, Final, TypeAlias

import mdview as md
from mdview.index.slices import Selection, selected_extents
from mdview.layouts.explicit_strides import negative_reach

try:
    from hypothesis import strategies as st
except ImportError:
    raise md.errors.MissingExtraError(
        "the strategies need Hypothesis; install the extra: pip install 'mdview-layouts[testing]'"
    ) from None

PlainShape: TypeAlias = tuple[int, ...]

MOST_OFFSETS: Final = 3
"""The bound of drawn strides: of their size, or of the excess above the least injective stride."""

# Any: a view of any rank.
Operation: TypeAlias = "Callable[[Any], Any]"


def extents(
    max_rank: int = 4, max_extent: int = 5, *, min_rank: int = 0, min_extent: int = 0
) -> st.SearchStrategy[PlainShape]:
    """Extents of small ranks, some of them static.

    >>> extents(2, 3).filter(bool).example()  # doctest: +SKIP
    (2, dim(3))
    """
    extent = st.integers(min_extent, max_extent)
    return st.lists(extent | extent.map(md.dim), min_size=min_rank, max_size=max_rank).map(tuple)


@st.composite
def layouts(draw: st.DrawFn, shape: PlainShape) -> md.Layout:
    """Layouts of every kind that can be bound to ``shape``."""
    rank = len(shape)
    made: list[st.SearchStrategy[md.Layout]] = [st.just(md.LayoutRight()), st.just(md.LayoutLeft()), _relaxed(shape)]
    made += [_strided(shape), _nested(shape), _tiled(rank), st.builds(md.LayoutMorton, compact=st.booleans())]
    made += [st.builds(kind, st.integers(1, 4)) for kind in (md.LayoutRightPadded, md.LayoutLeftPadded)]
    if all(e.bit_count() == 1 for e in shape):
        made.append(_linear(shape))
    if rank == 2:  # noqa: PLR2004 - matrices
        made.append(_tiled(rank).map(md.layouts.LayoutTranspose))
        if shape[0] == shape[1]:
            made.append(st.builds(md.LayoutBlasPacked, st.sampled_from(["upper", "lower"]), st.sampled_from(["row"])))
    layout = draw(st.one_of(made))
    bits = draw(st.integers(0, 2))
    return md.LayoutSwizzled(layout, bits, 0, bits + 1) if bits and draw(st.booleans()) else layout


@st.composite
def _relaxed(draw: st.DrawFn, shape: PlainShape) -> md.Layout:
    strides = tuple([draw(st.integers(-MOST_OFFSETS, MOST_OFFSETS)) for _ in shape])
    return md.LayoutStrideRelaxed(strides, draw(st.integers(0, 2)) - negative_reach(shape, strides))


@st.composite
def _nested(draw: st.DrawFn, shape: PlainShape) -> md.Layout:
    """Dimensions cut in two parts, each with a step of any sign."""
    cuts = [[(n, e // n) for n in range(1, e + 1) if e % n == 0] or [(0, 1)] for e in shape]
    modes, step = tuple([draw(st.sampled_from(each)) for each in cuts]), st.integers(-MOST_OFFSETS, 2 * MOST_OFFSETS)
    steps = draw(st.tuples(*[st.tuples(step, step)] * len(shape)))
    return md.LayoutNested(modes, steps, draw(st.integers(0, 2)) - md.LayoutNested(modes, steps).lowest_offset(shape))


def _linear(shape: PlainShape) -> st.SearchStrategy[md.Layout]:
    """Any number for each bit."""
    number = st.integers(0, 2 * prod(shape) - 1)
    columns = st.tuples(*[st.tuples(*[number] * (e.bit_length() - 1)) for e in shape])
    return st.builds(md.layouts.LayoutLinear, columns, number)


@st.composite
def _strided(draw: st.DrawFn, shape: PlainShape) -> md.Layout:
    """Strides in any order of the dimensions, each larger than the reach of those before."""
    strides, reach = [1] * len(shape), 0
    for r in draw(st.permutations(range(len(shape)))):
        strides[r] = reach + draw(st.integers(1, MOST_OFFSETS))
        reach += strides[r] * max(0, shape[r] - 1)
    return md.LayoutStride(tuple(strides))


@st.composite
def _tiled(draw: st.DrawFn, rank: int) -> md.Layout:
    order = st.sampled_from([md.LayoutRight(), md.LayoutLeft()])
    sizes = [draw(st.integers(1, 3)) for _ in range(rank)]
    return md.LayoutTiled(*sizes, outer=draw(order), inner=draw(order))


@st.composite
def mappings(draw: st.DrawFn, max_rank: int = 4, max_extent: int = 5) -> md.Mapping[PlainShape, md.Layout]:
    """Mappings of every layout."""
    shape = draw(extents(max_rank, max_extent))
    return md.Mapping(shape, draw(layouts(shape)))


def slices(shape: PlainShape) -> st.SearchStrategy[tuple[Selection, ...]]:
    """One slice for each dimension of ``shape``, for `subview`: it fits and never wraps."""
    return st.tuples(*[one_slice(extent) for extent in shape])


@st.composite
def one_slice(draw: st.DrawFn, extent: int) -> Selection:
    """One slice of a dimension: `ALL`, an index, or some indices forwards or backwards."""
    if extent == 0 or draw(st.booleans()):
        return md.ALL
    first = draw(st.integers(0, extent - 1))
    if draw(st.booleans()):
        return first
    step = draw(st.integers(-2, 2).filter(bool))
    most = (extent - 1 - first) // step + 1 if step > 0 else first // -step + 1
    return md.ExtentSlice(first, draw(st.integers(0, most)), step)


@st.composite
def views(draw: st.DrawFn, max_rank: int = 4, max_extent: int = 5) -> Any:  # Any: a view of any rank
    """Views of every layout over doubles, all different, with some elements in front and behind."""
    mapping = draw(mappings(max_rank, max_extent))
    origin, rest = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    data = array("d", range(origin + mapping.required_span_size + rest))
    return md.MDView.from_mapping(data, mapping, origin=origin)


@st.composite
def operation_chains(draw: st.DrawFn, shape: PlainShape, max_length: int = 4) -> list[Operation]:
    """Operations to be applied one after the other to a view of ``shape`` (an array takes the slices alone)."""
    chain: list[Operation] = []
    for _ in range(draw(st.integers(0, max_length))):
        operation, shape = draw(_operation(shape))
        chain.append(operation)
    return chain


@st.composite
def _operation(draw: st.DrawFn, shape: PlainShape) -> tuple[Operation, PlainShape]:
    """Draw an operation and the shape of its result."""
    kind = draw(st.sampled_from(["slice", "flip", "permute_dims", "expand_dims", "ravel"]))
    if kind == "slice":
        chosen = draw(slices(shape))
        kept = selected_extents(shape, chosen)
        # An element has no further operations.
        return (lambda v: v[chosen] if kept else v), kept or shape
    if kind == "permute_dims":
        axes = tuple(draw(st.permutations(range(len(shape)))))
        return (lambda v: md.permute_dims(v, axes)), tuple([shape[axis] for axis in axes])
    if kind == "expand_dims":
        return (lambda v: md.expand_dims(v, 0)), (1, *shape)
    return (md.flip, shape) if kind == "flip" else (md.ravel, (prod(shape),))
