"""Inferred types of operations: what of the elements, extents, layout and accessor a result keeps."""

from __future__ import annotations

import operator
from typing import Any, Literal, TypeAlias, TypeVar, assert_type

import numpy as np

from mdview import (
    Accessor,
    AtomicAccessor,
    DefaultAccessor,
    Dim,
    Dims1,
    Dims2,
    Dims3,
    Dims4,
    Extents,
    Layout,
    LayoutLeft,
    LayoutRight,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    assume,
    asview,
    broadcast_to,
    copy,
    diagonal,
    dim,
    equal,
    expand_dims,
    fill,
    flip,
    has_extents,
    moveaxis,
    pad,
    permute_dims,
    ravel,
    reduce,
    reshape,
    sliding_window,
    squeeze,
    swapaxes,
    tiles,
    transform,
)
from mdview.accessors import FillAccessor
from mdview.iteration import Binned, elements, indices
from mdview.layouts import StridedLayout
from mdview.operations import accumulate, bitcast, conjugate_transposed, conjugated, scaled, shrink, transposed

D3: TypeAlias = Dim[Literal[3]]
D4: TypeAlias = Dim[Literal[4]]
D5: TypeAlias = Dim[Literal[5]]
V34: TypeAlias = MDView[float, Extents[D3, D4]]
V345: TypeAlias = MDView[int, Extents[D3, D4, D5]]
RO: TypeAlias = ReadOnlyAccessor[float]
T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
A = TypeVar("A", bound=Accessor[object, object])


def sum_of(x: float, y: float, z: float) -> float:
    return x + y + z


def turned(
    v: V34,
    w: V345,
    r: MDView[float, Dims2, LayoutTiled, RO],
    u: MDView[float],
    m: Mapping[Extents[D3, D4], LayoutRight],
    axes: list[int],
    i: int,
) -> None:
    assert_type(flip(v), MDView[float, Extents[D3, D4], StridedLayout])
    assert_type(flip(r, 0), MDView[float, Dims2, Layout, RO])
    assert_type(flip(u, (0, 1)), MDView[float, tuple[int, ...], StridedLayout])
    assert_type(flip(m), Mapping[Extents[D3, D4], StridedLayout])
    assert_type(permute_dims(v, (1, 0)), MDView[float, Extents[D4, D3], LayoutLeft])
    assert_type(permute_dims(permute_dims(v, (1, 0)), (1, 0)), V34)
    assert_type(permute_dims(v, axes), MDView[float, Dims2, StridedLayout])
    assert_type(permute_dims(v, (-1, 0)), MDView[float, Dims2, StridedLayout])
    assert_type(permute_dims(w, (2, 1, 0)), MDView[int, Dims3, StridedLayout])
    assert_type(w.T, MDView[int, Extents[D5, D4, D3], LayoutLeft])
    assert_type(permute_dims(w, (1, 2, 0)), MDView[int, Dims3, StridedLayout])
    assert_type(permute_dims(r, (1, 0)), MDView[float, Dims2, Layout, RO])
    assert_type(permute_dims(m, (1, 0)), Mapping[Extents[D4, D3], LayoutLeft])
    assert_type(permute_dims(u, (1, 0)), MDView[float, tuple[Any, ...], StridedLayout])
    assert_type(swapaxes(v, 0, 1), MDView[float, Extents[D4, D3], LayoutLeft])
    assert_type(swapaxes(v, -1, -2), MDView[float, Dims2, StridedLayout])
    assert_type(swapaxes(w, 0, i), MDView[int, Dims3, StridedLayout])
    assert_type(moveaxis(w, 0, -1), MDView[int, Dims3, StridedLayout])


def other_ranks(
    v: V34, w: V345, r: MDView[float, Dims2, LayoutTiled, RO], m: Mapping[Extents[D3, D4], LayoutRight], i: int
) -> None:
    assert_type(shrink(w, [(0, 1), (0, 1), (0, 1)]), MDView[int, Dims3, StridedLayout])
    assert_type(expand_dims(v), MDView[float, tuple[int, D3, D4]])
    assert_type(expand_dims(v, 0), MDView[float, tuple[int, D3, D4]])
    assert_type(expand_dims(v, -1), MDView[float, tuple[Any, ...], StridedLayout])
    assert_type(expand_dims(v, i), MDView[float, tuple[Any, ...], StridedLayout])
    assert_type(expand_dims(v, (0, 1)), MDView[float, tuple[Any, ...], StridedLayout])
    assert_type(expand_dims(r, 1), MDView[float, tuple[Any, ...], Layout, RO])
    assert_type(expand_dims(m, 0), Mapping[tuple[Any, ...], StridedLayout])
    assert_type(squeeze(v), MDView[float, tuple[Any, ...]])
    assert_type(squeeze(v, 0), MDView[float, Dims1])
    assert_type(squeeze(r, -1), MDView[float, Dims1, Layout, RO])
    assert_type(squeeze(r, i), MDView[float, Dims1, Layout, RO])


def shaped(
    v: V34,
    r: MDView[float, Dims2, LayoutTiled, RO],
    u: MDView[float],
    m: Mapping[Extents[D3, D4], LayoutRight],
    axes: list[int],
    i: int,
) -> None:
    assert_type(reshape(v, (2, 6)), MDView[float, Dims2])
    assert_type(reshape(v, (2, -1, i)), MDView[float, Dims3])
    assert_type(reshape(v, 12), MDView[float, Dims1])
    assert_type(reshape(v, axes), MDView[float, tuple[Any, ...]])
    assert_type(reshape(v, (2, 6), order="F"), MDView[float, tuple[Any, ...], Layout])
    assert_type(reshape(r, (2, 6)), MDView[float, Dims2, Layout, RO])
    assert_type(reshape(m, (2, 6)), Mapping[tuple[Any, ...], Layout])
    assert_type(ravel(v), MDView[float, Dims1])
    assert_type(ravel(r), MDView[float, Dims1, Layout, RO])
    assert_type(ravel(m), Mapping[Dims1, Layout])
    assert_type(broadcast_to(v, (i, i, i)), MDView[float, Dims3, StridedLayout])
    assert_type(broadcast_to(v, (i, dim(3), dim(4))), MDView[float, tuple[int, D3, D4], StridedLayout])
    assert_type(broadcast_to(v, v.extents), MDView[float, Extents[D3, D4], StridedLayout])
    assert_type(broadcast_to(v, u.extents), MDView[float, tuple[int, ...], StridedLayout])
    assert_type(broadcast_to(r, axes), MDView[float, tuple[Any, ...], Layout, RO])


def framed(v: V34, w: V345, r: MDView[float, Dims2, LayoutTiled, RO], m: Mapping[Extents[D3, D4], LayoutRight]) -> None:
    assert_type(diagonal(v), MDView[float, Dims1, StridedLayout])
    assert_type(diagonal(w), MDView[int, tuple[Any, ...], StridedLayout])
    assert_type(diagonal(w, 0, 1, 2), MDView[int, tuple[Any, ...], StridedLayout])
    assert_type(diagonal(m), Mapping[tuple[Any, ...], StridedLayout])
    assert_type(sliding_window(v, (2, 2)), MDView[float, Dims4, StridedLayout])
    assert_type(sliding_window(v, 2, 0), MDView[float, tuple[Any, ...], StridedLayout])
    assert_type(sliding_window(r, (2, 2)), MDView[float, Dims4, Layout, RO])
    assert_type(pad(v, 1), MDView[float, Dims2, Layout, FillAccessor[float]])
    assert_type(pad(r, 1), MDView[float, Dims2, Layout, RO])
    assert_type(pad(v, 1, "edge"), MDView[float, Dims2, Layout, FillAccessor[float]])
    assert_type(pad(v, (1, 2), constant=2.0), MDView[float, Dims2, Layout, FillAccessor[float]])
    assert_type(pad(v, 1, constant=None), MDView[Any, Dims2, Layout, Any])
    assert_type(pad(m, [(1, 2), (0, 0)]), Mapping[Dims2, Layout])
    assert_type(pad(pad(v, 1), 1), MDView[float, Dims2, Layout, FillAccessor[float]])
    pad(v, 1)[0, 0] = 1.0
    flip(v)[0, 0] = 1.0
    assert_type(bitcast(v, "i"), MDView[int, Dims2, StridedLayout, DefaultAccessor[int]])
    assert_type(bitcast(r, "d"), MDView[Any, Dims2, StridedLayout, Any])


def functions(
    v: V34,
    n: MDView[int, Dims2],
    row: MDView[float, Dims1],
    a: MDView[int, Dims1, LayoutRight, AtomicAccessor[int]],
    s: Binned[float],
    u: MDView[float],
    r: MDView[float, Dims2, Layout, RO],
) -> None:
    assert_type(transform(lambda x: x > 0, v), MDView[bool, Extents[D3, D4]])
    assert_type(transform(str, v), MDView[str, Extents[D3, D4]])
    assert_type(transform(max, v, v), MDView[float, tuple[Any, ...]])
    assert_type(transform(lambda x, y: x + y, v, row), MDView[float, tuple[Any, ...]])
    assert_type(transform(lambda x: x + 1, a), MDView[int, Dims1])
    transform(sum_of, v, row, r)
    transform(sum_of, v, v, r)
    transform(lambda x: x * 2, v, out=v)
    assert_type(transform(lambda x: x * 2, s), Binned[float])
    assert_type(transform(lambda x, y: x * y, s, row), Binned[float])
    transform(lambda x, y: x * y, s, row, out=s)
    transform(np.add, v, v)
    transform(np.sqrt, v, out=v)
    transform(operator.add, v, v, out=v)
    transform(int, v, out=a)
    accumulate(lambda x, y: x + y, row, v)
    accumulate(operator.add, row, v)
    accumulate(np.add, row, v)
    accumulate(max, row, v)
    assert_type(reduce(operator.add, n), int)
    assert_type(reduce(max, v), float)
    assert_type(reduce(max, n, initial=7), int)
    reduce(np.add, v)
    copy(v, v)
    copy(u, v)
    copy(v, u)
    assert equal(v, n)
    fill(v, 1)


def algebra(
    v: V34,
    c: MDView[complex, Dims2],
    n: MDView[int, Dims2],
    a: MDView[complex, Dims1, LayoutRight, AtomicAccessor[complex]],
) -> None:
    assert_type(conjugated(c)[0, 0], complex)
    assert_type(conjugated(v)[0, 0], float)
    assert_type(conjugated(v), MDView[float, Extents[D3, D4], LayoutRight, Accessor[float, float]])
    assert_type(conjugated(conjugated(c))[0, 0], complex)
    assert_type(conjugate_transposed(c)[0, 0], complex)
    assert_type(conjugate_transposed(v).extents, Extents[D4, D3])
    assert_type(scaled(2, n)[0, 0], int)
    assert_type(scaled(2.0, n)[0, 0], float)
    assert_type(scaled(2, v)[0, 0], float)
    assert_type(scaled(2j, v)[0, 0], complex)
    assert_type(scaled(2, c)[0, 0], complex)
    assert_type(transposed(v), MDView[float, Extents[D4, D3], LayoutLeft])


def walks(
    v: V34,
    n: MDView[int, Dims3],
    x: MDView[int, Dims1],
    u: MDView[float],
    t: MDView[int, Dims2, LayoutTiled, RO],
    m: Mapping[Extents[D3], LayoutLeft],
) -> None:
    for ij in indices(v):
        assert_type(v[ij], float)
        v[ij] = 1.0
    for ijk in indices(n):
        assert_type(n[ijk], int)
    for k in indices(x):
        assert_type(x[k], int)
    for at in indices(u):
        assert_type(u.at(at), float)
    for (j,) in indices(m):
        assert_type(j, int)
    for part in tiles(v, (2, 2)):
        assert_type(part, MDView[float, Dims2, StridedLayout])
        part[0, 0] = 1.0
    for p in tiles(t):
        assert_type(p, MDView[int, Dims2, Layout, RO])
    for e in elements(v):
        assert_type(e, float)


def views(v: V34, d: MDView[float, Dims2, LayoutLeft], u: MDView[float, tuple[int, ...], LayoutTiled], n: int) -> None:
    assert_type(assume(d, (dim(3), dim(4))), MDView[float, Extents[D3, D4], LayoutLeft])
    assert_type(assume(d, (dim(3), n)), MDView[float, Extents[D3, int], LayoutLeft])
    assert_type(assume(u, (dim(3), n)), MDView[float, Extents[D3, int], Layout])
    assert_type(assume(v, (dim(3), dim(4))), V34)
    if has_extents(u, (dim(3), dim(4))):
        assert_type(u.extents, Extents[D3, D4])


def generic(v: MDView[T, E, L, A], w: MDView[T, tuple[int, int], L, A]) -> None:
    assert_type(flip(v), MDView[T, E, Layout, A])
    assert_type(permute_dims(w, (0, 1)), MDView[T, Dims2, Layout, A])
    assert_type(reshape(v, (2, 3)), MDView[T, Dims2, Layout, A])
    assert_type(tiles(w, (2, 2)).__next__(), MDView[T, Dims2, Layout, A])
    assert_type(transposed(w), MDView[T, Dims2, Layout, A])


def arrays(n: int) -> None:
    floats, ints, complexes = np.zeros(12), np.zeros((n, n), np.int64), np.zeros((n, n), np.complex128)
    assert_type(asview(floats), MDView[float, Dims1, StridedLayout])
    assert_type(asview(ints), MDView[int, Dims2, StridedLayout])
    assert_type(asview(complexes), MDView[complex, Dims2, StridedLayout])
    assert_type(asview(np.zeros(12)), MDView[float, Dims1, StridedLayout])
