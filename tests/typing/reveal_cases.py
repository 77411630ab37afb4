"""Inferred types that both checkers must agree on, outside of any annotation context where that matters."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any, Literal, NewType, TypeAlias, assert_type

from typing_extensions import TypeVar

import mdview as md
from mdview.atomics import AtomicRef
from mdview.iteration import Binned, MultiIndex, ViewIndex, elements, flat, indices, runs
from mdview.layouts import StridedLayout
from mdview.mappings import submapping  # fmt: skip

D2: TypeAlias = md.Dim[Literal[2]]
D3: TypeAlias = md.Dim[Literal[3]]
D4: TypeAlias = md.Dim[Literal[4]]
D5: TypeAlias = md.Dim[Literal[5]]
Rows = NewType("Rows", int)
Cols = NewType("Cols", int)
E = TypeVar("E", bound="tuple[int, ...]")
LA = TypeVar("LA", bound=md.Layout)
AA = TypeVar("AA", bound=md.Accessor[float, float])
T = TypeVar("T")
V34: TypeAlias = md.MDView[float, md.Extents[D3, D4]]
L34: TypeAlias = md.MDView[float, md.Extents[D3, D4], md.LayoutLeft]
S34: TypeAlias = md.MDView[float, md.Extents[D3, D4], md.LayoutStride]
G34: TypeAlias = md.MDView[float, md.Extents[D3, D4], md.Layout]
T34: TypeAlias = md.MDView[float, md.Extents[D3, D4], md.LayoutTiled]
P34: TypeAlias = md.MDView[float, md.Extents[D3, D4], md.LayoutRightPadded]
V345: TypeAlias = md.MDView[float, md.Extents[D3, D4, D5]]
RO: TypeAlias = md.ReadOnlyAccessor[float]
Bytes: TypeAlias = md.MDView[int, md.Dims1, md.LayoutRight, md.ReadOnlyAccessor[int]]


def dims(n: int, rows: Rows) -> None:
    d = md.dim(3)
    assert_type(d, D3)
    assert_type((d, md.dim(4)), tuple[D3, D4])
    assert_type(md.dim(n), md.Dim[int])
    assert_type(md.dim(rows), md.Dim[Rows])


def construct(n: int, b: list[float], a: array[float], m: memoryview, e: tuple[int, ...], r: md.Dim[Rows]) -> None:
    v = md.MDView(b, (md.dim(3), n))
    assert_type(v, md.MDView[float, md.Extents[D3, md.Dyn], md.LayoutRight, md.DefaultAccessor[float]])
    w = md.MDView(b, (3, 4))
    assert_type(w, md.MDView[float, md.Dims2])
    assert_type(md.MDView(b, ()), md.MDView[float, tuple[()]])
    assert_type(md.MDView(b, (3,)), md.MDView[float, md.Dims1])
    assert_type(md.MDView(b, (1, 2, 3, 4)), md.MDView[float, md.Dims4])
    assert_type(md.MDView(a, (3,)), md.MDView[float, md.Dims1])
    assert_type(md.MDView(m, (3,)), md.MDView[int, md.Dims1])
    assert_type(md.MDView(m.cast("d"), (3,)), md.MDView[float, md.Dims1])
    assert_type(md.MDView(b"abc", (3,), accessor=md.ReadOnlyAccessor()), Bytes)
    assert_type(md.MDView(bytearray(3), (3,)), md.MDView[int, md.Dims1])
    assert_type(md.MDView(["a"], (1,)), md.MDView[str, md.Dims1])
    assert_type(md.MDView(b, e), md.MDView[float, tuple[int, ...]])
    assert_type(md.MDView(b, (r,)), md.MDView[float, md.Extents[md.Dim[Rows]]])
    assert_type(md.MDView(b, (3, 4), md.LayoutTiled(2, 2)), md.MDView[float, md.Dims2, md.LayoutTiled])
    proxies = md.MDView(b, (3,), accessor=md.AtomicAccessor[float]())
    assert_type(proxies, md.MDView[float, md.Dims1, md.LayoutRight, md.AtomicAccessor[float]])
    given = md.MDView(b, (3,), md.LayoutLeft(), md.ReadOnlyAccessor[float](md.CheckedAccessor()))
    assert_type(given, md.MDView[float, md.Dims1, md.LayoutLeft, md.ReadOnlyAccessor[float]])
    mapping = md.Mapping((md.dim(3), md.dim(4)), md.LayoutLeft())
    assert_type(mapping, md.Mapping[md.Extents[D3, D4], md.LayoutLeft])
    assert_type(md.MDView.from_mapping(b, mapping), L34)


def accessors() -> None:
    default: md.DefaultAccessor[float] = md.DefaultAccessor()
    assert_type(default, md.DefaultAccessor[float])
    inner: md.CheckedAccessor[float] = md.CheckedAccessor()
    assert_type(md.ReadOnlyAccessor(inner), RO)


def element_access(
    v: V34, a: md.MDView[float, md.Dims2, md.LayoutRight, md.AtomicAccessor[float]], s: md.MDView[str, md.Dims1]
) -> None:
    assert_type(v[1, 2], float)
    assert_type(v[-1, 2], float)
    assert_type(s[0], str)
    assert_type(a[1, 2], AtomicRef[float])
    assert_type(a[1, 2].fetch_add(1.0), float)
    assert_type(v.at((1, 2)), float)


def more_elements(
    z: md.MDView[int, tuple[()]], c: md.MDView[int, md.Dims3], d: md.MDView[int, md.Dims4], u: md.MDView[float]
) -> None:
    assert_type(z[()], int)
    assert_type(c[1, 2, 3], int)
    assert_type(d[1, 2, 3, 4], int)
    assert_type(d[1], md.MDView[int, md.Dims3])
    assert_type(u.at((1, 2)), float)
    assert_type(u[1:2], md.MDView[float, tuple[int, ...], md.Layout])
    assert_type(u.extents, tuple[int, ...])


def generic(v: md.MDView[float, md.Extents[D3, D4], LA, AA], w: md.MDView[T, E, LA]) -> None:
    assert_type(v[1, 2], float)
    assert_type(v[1], md.MDView[float, md.Extents[D4], md.Layout, AA])
    assert_type(v[:, 1], md.MDView[float, md.Extents[D3], md.Layout, AA])
    assert_type(md.subview(v, 1, md.ALL), md.MDView[float, md.Extents[D4], md.Layout, AA])
    assert_type(w.extents, E)
    assert_type(md.readonly(w), md.MDView[T, E, LA, md.ReadOnlyAccessor[T]])


def brackets(v: V34, left: L34, s: S34, g: G34, t: T34, p: P34, i: int) -> None:
    assert_type(v[1], md.MDView[float, md.Extents[D4]])
    assert_type(v[1, :], md.MDView[float, md.Extents[D4]])
    assert_type(v[1, ...], md.MDView[float, md.Extents[D4]])
    assert_type(v[:, 1], md.MDView[float, md.Extents[D3], md.LayoutStride])
    assert_type(v[..., 0], md.MDView[float, md.Extents[D3], md.LayoutStride])
    assert_type(v[:, :], V34)
    assert_type(v[...], V34)
    assert_type(v[:], V34)
    assert_type(v[1:3], md.MDView[float, md.Extents[md.Dyn, D4]])
    assert_type(v[1:i, :], md.MDView[float, md.Extents[md.Dyn, D4]])
    assert_type(v[1, 1:3], md.MDView[float, md.Dims1])
    assert_type(v[::2], md.MDView[float, md.Extents[md.Dyn, D4], StridedLayout])
    assert_type(v[::-1, 0], md.MDView[float, md.Dims1, StridedLayout])
    assert_type(v[1:6:2, 2:8:2], md.MDView[float, md.Dims2, StridedLayout])
    assert_type(left[1], md.MDView[float, md.Extents[D4], md.LayoutStride])
    assert_type(left[:, 1], md.MDView[float, md.Extents[D3], md.LayoutLeft])
    assert_type(s[1], md.MDView[float, md.Extents[D4], md.LayoutStride])
    assert_type(g[1], md.MDView[float, md.Extents[D4], md.Layout])
    assert_type(t[1], md.MDView[float, md.Extents[D4], md.Layout])
    assert_type(p[1], md.MDView[float, md.Extents[D4], StridedLayout])


def brackets3(v: V345, x: md.MDView[float, md.Dims1]) -> None:
    assert_type(v[1], md.MDView[float, md.Extents[D4, D5]])
    assert_type(v[1, 2], md.MDView[float, md.Extents[D5]])
    assert_type(v[1, 2, :], md.MDView[float, md.Extents[D5]])
    assert_type(v[1, 1:3], md.MDView[float, md.Dims2, StridedLayout])
    assert_type(v[:, 1, :], md.MDView[float, md.Extents[D3, D5], md.LayoutRightPadded])
    assert_type(v[:, :, 1], md.MDView[float, md.Extents[D3, D4], md.LayoutStride])
    assert_type(v[..., 1], md.MDView[float, md.Extents[D3, D4], md.LayoutStride])
    assert_type(v[1, ..., 1], md.MDView[float, tuple[Any, ...], md.Layout])
    assert_type(x[1:3], md.MDView[float, md.Dims1])
    assert_type(x[::2], md.MDView[float, md.Dims1, StridedLayout])
    assert_type(v[1][2][3], float)


def subviews(v: V34, left: L34, s: S34, g: G34, w: V345, d: md.MDView[int, md.Dims4], i: int) -> None:
    assert_type(md.subview(v, 1, md.ALL), md.MDView[float, md.Extents[D4]])
    assert_type(md.subview(v, md.ALL, md.ALL), V34)
    assert_type(md.subview(v, 1, 2), md.MDView[float, tuple[()]])
    assert_type(md.subview(v, 1, (0, 2)), md.MDView[float, md.Dims1])
    assert_type(md.subview(v, (0, 2), md.ALL), md.MDView[float, md.Extents[md.Dyn, D4]])
    assert_type(md.subview(v, slice(i, i), md.ALL), md.MDView[float, md.Extents[md.Dyn, D4]])
    assert_type(md.subview(v, range(0, 3, 2), md.ALL), md.MDView[float, md.Extents[md.Dyn, D4], StridedLayout])
    assert_type(md.subview(v, md.ALL, (0, 2)), md.MDView[float, md.Extents[D3, md.Dyn], StridedLayout])
    assert_type(md.subview(v, slice(i, None), range(2)), md.MDView[float, md.Dims2, StridedLayout])
    assert_type(md.subview(v, md.StridedSlice(0, 2, 2), 1), md.MDView[float, md.Dims1, StridedLayout])
    assert_type(md.subview(left, md.ALL, (0, 2)), md.MDView[float, md.Extents[D3, md.Dyn], md.LayoutLeft])
    assert_type(md.subview(left, 1, md.ALL), md.MDView[float, md.Extents[D4], md.LayoutStride])
    assert_type(md.subview(s, (0, 2), md.ALL), md.MDView[float, md.Extents[md.Dyn, D4], md.LayoutStride])
    assert_type(md.subview(g, md.ALL, md.ALL), G34)
    assert_type(md.subview(g, 1, (1, 2)), md.MDView[float, md.Dims1, md.Layout])
    assert_type(md.subview(w, 1, (0, 2), md.ALL), md.MDView[float, tuple[Any, ...], Any])
    assert_type(md.subview(w, md.ALL, 1, md.ALL), md.MDView[float, tuple[Any, ...], Any])
    assert_type(md.subview(w, md.ALL, md.ALL, 1), md.MDView[float, tuple[Any, ...], Any])
    assert_type(md.subview(d, 1, 2, (0, 2), md.ALL), md.MDView[int, tuple[Any, ...], md.Layout])
    assert_type(md.subview(d, md.ALL, 1, 2, 3), md.MDView[int, tuple[Any, ...], md.Layout])
    assert_type(md.subview(d, 1, range(2), (i, 4), (0, 2)), md.MDView[int, tuple[Any, ...], md.Layout])


def accessor_changes(v: V34, r: md.MDView[float, md.Extents[D3, D4], md.LayoutRight, RO], s: S34) -> None:
    assert_type(md.readonly(v), md.MDView[float, md.Extents[D3, D4], md.LayoutRight, RO])
    assert_type(md.atomic(s), md.MDView[float, md.Extents[D3, D4], md.LayoutStride, md.AtomicAccessor[float]])
    assert_type(md.checked(v), md.MDView[float, md.Extents[D3, D4], md.LayoutRight, md.CheckedAccessor[float]])
    assert_type(md.unchecked(v), md.MDView[float, md.Extents[D3, D4], md.LayoutRight, md.UncheckedAccessor[float]])
    assert_type(md.checked(r), md.MDView[float, md.Extents[D3, D4], md.LayoutRight, RO])
    assert_type(md.readonly(r), md.MDView[float, md.Extents[D3, D4], md.LayoutRight, RO])
    assert_type(md.readonly(md.atomic(v)), md.MDView[float, md.Extents[D3, D4], md.LayoutRight, RO])


def narrowing(v: md.MDView[float, md.Dims2, md.LayoutLeft], u: md.MDView[float]) -> None:
    assert_type(md.assume(v, (md.dim(3), md.dim(4))), md.MDView[float, md.Extents[D3, D4], md.LayoutLeft])
    if md.has_extents(v, (md.dim(3), md.dim(4))):
        assert_type(v, md.MDView[float, md.Extents[D3, D4], md.LayoutLeft])
    else:
        assert_type(v, md.MDView[float, md.Dims2, md.LayoutLeft])
    assert_type(md.assume(u, (md.dim(3), md.dim(4))), md.MDView[float, md.Extents[D3, D4], md.Layout])


def facts(v: V34, s: S34, u: md.MDView[float]) -> None:
    assert_type(v.extents, md.Extents[D3, D4])
    assert_type(v.layout, md.LayoutRight)
    assert_type(v.accessor, md.DefaultAccessor[float])
    assert_type(v.mapping, md.Mapping[md.Extents[D3, D4], md.LayoutRight])
    assert_type(v.shape, tuple[int, int])
    assert_type(u.shape, tuple[int, ...])
    assert_type(s.strides, tuple[int, ...])
    assert_type(v.extents[1], D4)
    assert_type(len(v), int)
    assert_type(v.tolist(), list[list[float]])
    assert_type(u.rank, int)
    assert_type(submapping(v.mapping, 1, md.ALL), tuple[md.Mapping[md.Extents[D4], md.LayoutRight], int])


def iteration(
    v: V34, x: md.MDView[float, md.Dims1], a: md.MDView[int, md.Dims1, md.LayoutRight, md.AtomicAccessor[int]]
) -> None:
    assert_type(iter(x), Iterator[float])
    for row in v:
        assert_type(row, md.MDView[float, md.Extents[D4]])
        for element in row:
            assert_type(element, float)
    assert_type([reference for reference in a], list[AtomicRef[int]])
    assert_type(max(x), float)


def walks(v: V34, a: md.MDView[int, md.Dims2, md.LayoutTiled, md.AtomicAccessor[int]], s: Binned[float]) -> None:
    assert_type(elements(v), Iterator[float])
    assert_type(next(elements(a, order="memory")), AtomicRef[int])
    assert_type(indices(v), Iterator[tuple[int, int]])
    assert_type(flat(v), md.MDView[float, md.Dims1])
    assert_type(next(runs(a)), md.MDView[int, md.Dims1, md.LayoutRight, md.AtomicAccessor[int]])
    assert_type(next(md.tiles(a)), md.MDView[int, md.Dims2, md.Layout, md.AtomicAccessor[int]])
    assert_type(list(ViewIndex(v.mapping)), list[int])
    assert_type(list(MultiIndex(v.mapping, s.bins)), list[tuple[int, ...]])
    assert_type(s[0, 1], md.MDView[float, tuple[int, ...], md.Layout])
    assert_type(md.transform(max, v, s), Binned[float])
    assert_type(md.transform(max, v, v), md.MDView[float, tuple[Any, ...]])


def widening(v: V34, i: md.MDView[int, md.Dims1], p: P34) -> None:
    dyn: md.MDView[float, md.Dims2] = v
    unknown: md.MDView[float] = v
    reads: md.MDView[float, md.Dims1, md.Layout, md.Accessor[float, float]] = i
    writes: md.MDView[float, md.Dims2, md.LayoutRight, md.Writable[float, float]] = v
    strided: md.MDView[float, md.Dims2, StridedLayout] = p
    anything: md.MDView[Any, Any, Any, Any] = v
    del dyn, unknown, reads, writes, strided, anything
