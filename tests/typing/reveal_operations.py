"""Inferred types of operations: what of the elements, extents, layout and accessor a result keeps."""

from __future__ import annotations

import operator
from typing import Any, Literal, TypeAlias, TypeVar, assert_type

import numpy as np

import mdview as md
from mdview.accessors import FillAccessor
from mdview.iteration import Binned, elements, indices
from mdview.layouts import StridedLayout
from mdview.operations import accumulate, bitcast, conjugate_transposed, conjugated, scaled, shrink, transposed

D3: TypeAlias = md.Dim[Literal[3]]
D4: TypeAlias = md.Dim[Literal[4]]
D5: TypeAlias = md.Dim[Literal[5]]
V34: TypeAlias = md.MDView[float, md.Extents[D3, D4]]
V345: TypeAlias = md.MDView[int, md.Extents[D3, D4, D5]]
RO: TypeAlias = md.ReadOnlyAccessor[float]
T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=md.Layout)
A = TypeVar("A", bound=md.Accessor[object, object])


def sum_of(x: float, y: float, z: float) -> float:
    return x + y + z


def turned(
    v: V34,
    w: V345,
    r: md.MDView[float, md.Dims2, md.LayoutTiled, RO],
    u: md.MDView[float],
    m: md.Mapping[md.Extents[D3, D4], md.LayoutRight],
    axes: list[int],
    i: int,
) -> None:
    assert_type(md.flip(v), md.MDView[float, md.Extents[D3, D4], StridedLayout])
    assert_type(md.flip(r, 0), md.MDView[float, md.Dims2, md.Layout, RO])
    assert_type(md.flip(u, (0, 1)), md.MDView[float, tuple[int, ...], StridedLayout])
    assert_type(md.flip(m), md.Mapping[md.Extents[D3, D4], StridedLayout])
    assert_type(md.permute_dims(v, (1, 0)), md.MDView[float, md.Extents[D4, D3], md.LayoutLeft])
    assert_type(md.permute_dims(md.permute_dims(v, (1, 0)), (1, 0)), V34)
    assert_type(md.permute_dims(v, axes), md.MDView[float, md.Dims2, StridedLayout])
    assert_type(md.permute_dims(v, (-1, 0)), md.MDView[float, md.Dims2, StridedLayout])
    assert_type(md.permute_dims(w, (2, 1, 0)), md.MDView[int, md.Dims3, StridedLayout])
    assert_type(w.T, md.MDView[int, md.Extents[D5, D4, D3], md.LayoutLeft])
    assert_type(md.permute_dims(w, (1, 2, 0)), md.MDView[int, md.Dims3, StridedLayout])
    assert_type(md.permute_dims(r, (1, 0)), md.MDView[float, md.Dims2, md.Layout, RO])
    assert_type(md.permute_dims(m, (1, 0)), md.Mapping[md.Extents[D4, D3], md.LayoutLeft])
    assert_type(md.permute_dims(u, (1, 0)), md.MDView[float, tuple[Any, ...], StridedLayout])
    assert_type(md.swapaxes(v, 0, 1), md.MDView[float, md.Extents[D4, D3], md.LayoutLeft])
    assert_type(md.swapaxes(v, -1, -2), md.MDView[float, md.Dims2, StridedLayout])
    assert_type(md.swapaxes(w, 0, i), md.MDView[int, md.Dims3, StridedLayout])
    assert_type(md.moveaxis(w, 0, -1), md.MDView[int, md.Dims3, StridedLayout])


def other_ranks(
    v: V34,
    w: V345,
    r: md.MDView[float, md.Dims2, md.LayoutTiled, RO],
    m: md.Mapping[md.Extents[D3, D4], md.LayoutRight],
    i: int,
) -> None:
    assert_type(shrink(w, [(0, 1), (0, 1), (0, 1)]), md.MDView[int, md.Dims3, StridedLayout])
    assert_type(md.expand_dims(v), md.MDView[float, tuple[int, D3, D4]])
    assert_type(md.expand_dims(v, 0), md.MDView[float, tuple[int, D3, D4]])
    assert_type(md.expand_dims(v, -1), md.MDView[float, tuple[Any, ...], StridedLayout])
    assert_type(md.expand_dims(v, i), md.MDView[float, tuple[Any, ...], StridedLayout])
    assert_type(md.expand_dims(v, (0, 1)), md.MDView[float, tuple[Any, ...], StridedLayout])
    assert_type(md.expand_dims(r, 1), md.MDView[float, tuple[Any, ...], md.Layout, RO])
    assert_type(md.expand_dims(m, 0), md.Mapping[tuple[Any, ...], StridedLayout])
    assert_type(md.squeeze(v), md.MDView[float, tuple[Any, ...]])
    assert_type(md.squeeze(v, 0), md.MDView[float, md.Dims1])
    assert_type(md.squeeze(r, -1), md.MDView[float, md.Dims1, md.Layout, RO])
    assert_type(md.squeeze(r, i), md.MDView[float, md.Dims1, md.Layout, RO])


def shaped(
    v: V34,
    r: md.MDView[float, md.Dims2, md.LayoutTiled, RO],
    u: md.MDView[float],
    m: md.Mapping[md.Extents[D3, D4], md.LayoutRight],
    axes: list[int],
    i: int,
) -> None:
    assert_type(md.reshape(v, (2, 6)), md.MDView[float, md.Dims2])
    assert_type(md.reshape(v, (2, -1, i)), md.MDView[float, md.Dims3])
    assert_type(md.reshape(v, 12), md.MDView[float, md.Dims1])
    assert_type(md.reshape(v, axes), md.MDView[float, tuple[Any, ...]])
    assert_type(md.reshape(v, (2, 6), order="F"), md.MDView[float, tuple[Any, ...], md.Layout])
    assert_type(md.reshape(r, (2, 6)), md.MDView[float, md.Dims2, md.Layout, RO])
    assert_type(md.reshape(m, (2, 6)), md.Mapping[tuple[Any, ...], md.Layout])
    assert_type(md.ravel(v), md.MDView[float, md.Dims1])
    assert_type(md.ravel(r), md.MDView[float, md.Dims1, md.Layout, RO])
    assert_type(md.ravel(m), md.Mapping[md.Dims1, md.Layout])
    assert_type(md.broadcast_to(v, (i, i, i)), md.MDView[float, md.Dims3, StridedLayout])
    assert_type(md.broadcast_to(v, (i, md.dim(3), md.dim(4))), md.MDView[float, tuple[int, D3, D4], StridedLayout])
    assert_type(md.broadcast_to(v, v.extents), md.MDView[float, md.Extents[D3, D4], StridedLayout])
    assert_type(md.broadcast_to(v, u.extents), md.MDView[float, tuple[int, ...], StridedLayout])
    assert_type(md.broadcast_to(r, axes), md.MDView[float, tuple[Any, ...], md.Layout, RO])


def framed(
    v: V34,
    w: V345,
    r: md.MDView[float, md.Dims2, md.LayoutTiled, RO],
    m: md.Mapping[md.Extents[D3, D4], md.LayoutRight],
) -> None:
    assert_type(md.diagonal(v), md.MDView[float, md.Dims1, StridedLayout])
    assert_type(md.diagonal(w), md.MDView[int, tuple[Any, ...], StridedLayout])
    assert_type(md.diagonal(w, 0, 1, 2), md.MDView[int, tuple[Any, ...], StridedLayout])
    assert_type(md.diagonal(m), md.Mapping[tuple[Any, ...], StridedLayout])
    assert_type(md.sliding_window(v, (2, 2)), md.MDView[float, md.Dims4, StridedLayout])
    assert_type(md.sliding_window(v, 2, 0), md.MDView[float, tuple[Any, ...], StridedLayout])
    assert_type(md.sliding_window(r, (2, 2)), md.MDView[float, md.Dims4, md.Layout, RO])
    assert_type(md.pad(v, 1), md.MDView[float, md.Dims2, md.Layout, FillAccessor[float]])
    assert_type(md.pad(r, 1), md.MDView[float, md.Dims2, md.Layout, RO])
    assert_type(md.pad(v, 1, "edge"), md.MDView[float, md.Dims2, md.Layout, FillAccessor[float]])
    assert_type(md.pad(v, (1, 2), constant=2.0), md.MDView[float, md.Dims2, md.Layout, FillAccessor[float]])
    assert_type(md.pad(v, 1, constant=None), md.MDView[Any, md.Dims2, md.Layout, Any])
    assert_type(md.pad(m, [(1, 2), (0, 0)]), md.Mapping[md.Dims2, md.Layout])
    assert_type(md.pad(md.pad(v, 1), 1), md.MDView[float, md.Dims2, md.Layout, FillAccessor[float]])
    md.pad(v, 1)[0, 0] = 1.0
    md.flip(v)[0, 0] = 1.0
    assert_type(bitcast(v, "i"), md.MDView[int, md.Dims2, StridedLayout, md.DefaultAccessor[int]])
    assert_type(bitcast(r, "d"), md.MDView[Any, md.Dims2, StridedLayout, Any])


def functions(
    v: V34,
    n: md.MDView[int, md.Dims2],
    row: md.MDView[float, md.Dims1],
    a: md.MDView[int, md.Dims1, md.LayoutRight, md.AtomicAccessor[int]],
    s: Binned[float],
    u: md.MDView[float],
    r: md.MDView[float, md.Dims2, md.Layout, RO],
) -> None:
    assert_type(md.transform(lambda x: x > 0, v), md.MDView[bool, md.Extents[D3, D4]])
    assert_type(md.transform(str, v), md.MDView[str, md.Extents[D3, D4]])
    assert_type(md.transform(max, v, v), md.MDView[float, tuple[Any, ...]])
    assert_type(md.transform(lambda x, y: x + y, v, row), md.MDView[float, tuple[Any, ...]])
    assert_type(md.transform(lambda x: x + 1, a), md.MDView[int, md.Dims1])
    md.transform(sum_of, v, row, r)
    md.transform(sum_of, v, v, r)
    md.transform(lambda x: x * 2, v, out=v)
    assert_type(md.transform(lambda x: x * 2, s), Binned[float])
    assert_type(md.transform(lambda x, y: x * y, s, row), Binned[float])
    md.transform(lambda x, y: x * y, s, row, out=s)
    md.transform(np.add, v, v)
    md.transform(np.sqrt, v, out=v)
    md.transform(operator.add, v, v, out=v)
    md.transform(int, v, out=a)
    accumulate(lambda x, y: x + y, row, v)
    accumulate(operator.add, row, v)
    accumulate(np.add, row, v)
    accumulate(max, row, v)
    assert_type(md.reduce(operator.add, n), int)
    assert_type(md.reduce(max, v), float)
    assert_type(md.reduce(max, n, initial=7), int)
    md.reduce(np.add, v)
    md.copy(v, v)
    md.copy(u, v)
    md.copy(v, u)
    assert md.equal(v, n)
    md.fill(v, 1)


def algebra(
    v: V34,
    c: md.MDView[complex, md.Dims2],
    n: md.MDView[int, md.Dims2],
    a: md.MDView[complex, md.Dims1, md.LayoutRight, md.AtomicAccessor[complex]],
) -> None:
    assert_type(conjugated(c)[0, 0], complex)
    assert_type(conjugated(v)[0, 0], float)
    assert_type(conjugated(v), md.MDView[float, md.Extents[D3, D4], md.LayoutRight, md.Accessor[float, float]])
    assert_type(conjugated(conjugated(c))[0, 0], complex)
    assert_type(conjugate_transposed(c)[0, 0], complex)
    assert_type(conjugate_transposed(v).extents, md.Extents[D4, D3])
    assert_type(scaled(2, n)[0, 0], int)
    assert_type(scaled(2.0, n)[0, 0], float)
    assert_type(scaled(2, v)[0, 0], float)
    assert_type(scaled(2j, v)[0, 0], complex)
    assert_type(scaled(2, c)[0, 0], complex)
    assert_type(transposed(v), md.MDView[float, md.Extents[D4, D3], md.LayoutLeft])


def walks(
    v: V34,
    n: md.MDView[int, md.Dims3],
    x: md.MDView[int, md.Dims1],
    u: md.MDView[float],
    t: md.MDView[int, md.Dims2, md.LayoutTiled, RO],
    m: md.Mapping[md.Extents[D3], md.LayoutLeft],
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
    for part in md.tiles(v, (2, 2)):
        assert_type(part, md.MDView[float, md.Dims2, StridedLayout])
        part[0, 0] = 1.0
    for p in md.tiles(t):
        assert_type(p, md.MDView[int, md.Dims2, md.Layout, RO])
    for e in elements(v):
        assert_type(e, float)


def views(
    v: V34, d: md.MDView[float, md.Dims2, md.LayoutLeft], u: md.MDView[float, tuple[int, ...], md.LayoutTiled], n: int
) -> None:
    assert_type(md.assume(d, (md.dim(3), md.dim(4))), md.MDView[float, md.Extents[D3, D4], md.LayoutLeft])
    assert_type(md.assume(d, (md.dim(3), n)), md.MDView[float, md.Extents[D3, int], md.LayoutLeft])
    assert_type(md.assume(u, (md.dim(3), n)), md.MDView[float, md.Extents[D3, int], md.Layout])
    assert_type(md.assume(v, (md.dim(3), md.dim(4))), V34)
    if md.has_extents(u, (md.dim(3), md.dim(4))):
        assert_type(u.extents, md.Extents[D3, D4])


def generic(v: md.MDView[T, E, L, A], w: md.MDView[T, tuple[int, int], L, A]) -> None:
    assert_type(md.flip(v), md.MDView[T, E, md.Layout, A])
    assert_type(md.permute_dims(w, (0, 1)), md.MDView[T, md.Dims2, md.Layout, A])
    assert_type(md.reshape(v, (2, 3)), md.MDView[T, md.Dims2, md.Layout, A])
    assert_type(md.tiles(w, (2, 2)).__next__(), md.MDView[T, md.Dims2, md.Layout, A])
    assert_type(transposed(w), md.MDView[T, md.Dims2, md.Layout, A])


def arrays(n: int) -> None:
    floats, ints, complexes = np.zeros(12), np.zeros((n, n), np.int64), np.zeros((n, n), np.complex128)
    assert_type(md.asview(floats), md.MDView[float, md.Dims1, StridedLayout])
    assert_type(md.asview(ints), md.MDView[int, md.Dims2, StridedLayout])
    assert_type(md.asview(complexes), md.MDView[complex, md.Dims2, StridedLayout])
    assert_type(md.asview(np.zeros(12)), md.MDView[float, md.Dims1, StridedLayout])
