"""Inferred types that both checkers must agree on, outside of any annotation context where that matters."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any, Literal, NewType, TypeAlias, assert_type

from typing_extensions import TypeVar

from mdview import (
    ALL,
    Accessor,
    AtomicAccessor,
    CheckedAccessor,
    DefaultAccessor,
    Dim,
    Dims1,
    Dims2,
    Dims3,
    Dims4,
    Dyn,
    Extents,
    Layout,
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    StridedSlice,
    UncheckedAccessor,
    Writable,
    assume,
    atomic,
    checked,
    dim,
    has_extents,
    readonly,
    subview,
    tiles,
    transform,
    unchecked,
)
from mdview.atomics import AtomicRef
from mdview.iteration import Binned, MultiIndex, ViewIndex, elements, flat, indices, runs
from mdview.layouts import StridedLayout
from mdview.mappings import submapping  # fmt: skip

D2: TypeAlias = Dim[Literal[2]]
D3: TypeAlias = Dim[Literal[3]]
D4: TypeAlias = Dim[Literal[4]]
D5: TypeAlias = Dim[Literal[5]]
Rows = NewType("Rows", int)
Cols = NewType("Cols", int)
E = TypeVar("E", bound="tuple[int, ...]")
LA = TypeVar("LA", bound=Layout)
AA = TypeVar("AA", bound=Accessor[float, float])
T = TypeVar("T")
V34: TypeAlias = MDView[float, Extents[D3, D4]]
L34: TypeAlias = MDView[float, Extents[D3, D4], LayoutLeft]
S34: TypeAlias = MDView[float, Extents[D3, D4], LayoutStride]
G34: TypeAlias = MDView[float, Extents[D3, D4], Layout]
T34: TypeAlias = MDView[float, Extents[D3, D4], LayoutTiled]
P34: TypeAlias = MDView[float, Extents[D3, D4], LayoutRightPadded]
V345: TypeAlias = MDView[float, Extents[D3, D4, D5]]
RO: TypeAlias = ReadOnlyAccessor[float]
Bytes: TypeAlias = MDView[int, Dims1, LayoutRight, ReadOnlyAccessor[int]]


def dims(n: int, rows: Rows) -> None:
    d = dim(3)
    assert_type(d, D3)
    assert_type((d, dim(4)), tuple[D3, D4])
    assert_type(dim(n), Dim[int])
    assert_type(dim(rows), Dim[Rows])


def construct(n: int, b: list[float], a: array[float], m: memoryview, e: tuple[int, ...], r: Dim[Rows]) -> None:
    v = MDView(b, (dim(3), n))
    assert_type(v, MDView[float, Extents[D3, Dyn], LayoutRight, DefaultAccessor[float]])
    w = MDView(b, (3, 4))
    assert_type(w, MDView[float, Dims2])
    assert_type(MDView(b, ()), MDView[float, tuple[()]])
    assert_type(MDView(b, (3,)), MDView[float, Dims1])
    assert_type(MDView(b, (1, 2, 3, 4)), MDView[float, Dims4])
    assert_type(MDView(a, (3,)), MDView[float, Dims1])
    assert_type(MDView(m, (3,)), MDView[int, Dims1])
    assert_type(MDView(m.cast("d"), (3,)), MDView[float, Dims1])
    assert_type(MDView(b"abc", (3,), accessor=ReadOnlyAccessor()), Bytes)
    assert_type(MDView(bytearray(3), (3,)), MDView[int, Dims1])
    assert_type(MDView(["a"], (1,)), MDView[str, Dims1])
    assert_type(MDView(b, e), MDView[float, tuple[int, ...]])
    assert_type(MDView(b, (r,)), MDView[float, Extents[Dim[Rows]]])
    assert_type(MDView(b, (3, 4), LayoutTiled(2, 2)), MDView[float, Dims2, LayoutTiled])
    proxies = MDView(b, (3,), accessor=AtomicAccessor[float]())
    assert_type(proxies, MDView[float, Dims1, LayoutRight, AtomicAccessor[float]])
    given = MDView(b, (3,), LayoutLeft(), ReadOnlyAccessor[float](CheckedAccessor()))
    assert_type(given, MDView[float, Dims1, LayoutLeft, ReadOnlyAccessor[float]])
    mapping = Mapping((dim(3), dim(4)), LayoutLeft())
    assert_type(mapping, Mapping[Extents[D3, D4], LayoutLeft])
    assert_type(MDView.from_mapping(b, mapping), L34)


def accessors() -> None:
    default: DefaultAccessor[float] = DefaultAccessor()
    assert_type(default, DefaultAccessor[float])
    inner: CheckedAccessor[float] = CheckedAccessor()
    assert_type(ReadOnlyAccessor(inner), RO)


def element_access(v: V34, a: MDView[float, Dims2, LayoutRight, AtomicAccessor[float]], s: MDView[str, Dims1]) -> None:
    assert_type(v[1, 2], float)
    assert_type(v[-1, 2], float)
    assert_type(s[0], str)
    assert_type(a[1, 2], AtomicRef[float])
    assert_type(a[1, 2].fetch_add(1.0), float)
    assert_type(v.at((1, 2)), float)


def more_elements(z: MDView[int, tuple[()]], c: MDView[int, Dims3], d: MDView[int, Dims4], u: MDView[float]) -> None:
    assert_type(z[()], int)
    assert_type(c[1, 2, 3], int)
    assert_type(d[1, 2, 3, 4], int)
    assert_type(d[1], MDView[int, Dims3])
    assert_type(u.at((1, 2)), float)
    assert_type(u[1:2], MDView[float, tuple[int, ...], Layout])
    assert_type(u.extents, tuple[int, ...])


def generic(v: MDView[float, Extents[D3, D4], LA, AA], w: MDView[T, E, LA]) -> None:
    assert_type(v[1, 2], float)
    assert_type(v[1], MDView[float, Extents[D4], Layout, AA])
    assert_type(v[:, 1], MDView[float, Extents[D3], Layout, AA])
    assert_type(subview(v, 1, ALL), MDView[float, Extents[D4], Layout, AA])
    assert_type(w.extents, E)
    assert_type(readonly(w), MDView[T, E, LA, ReadOnlyAccessor[T]])


def brackets(v: V34, left: L34, s: S34, g: G34, t: T34, p: P34, i: int) -> None:
    assert_type(v[1], MDView[float, Extents[D4]])
    assert_type(v[1, :], MDView[float, Extents[D4]])
    assert_type(v[1, ...], MDView[float, Extents[D4]])
    assert_type(v[:, 1], MDView[float, Extents[D3], LayoutStride])
    assert_type(v[..., 0], MDView[float, Extents[D3], LayoutStride])
    assert_type(v[:, :], V34)
    assert_type(v[...], V34)
    assert_type(v[:], V34)
    assert_type(v[1:3], MDView[float, Extents[Dyn, D4]])
    assert_type(v[1:i, :], MDView[float, Extents[Dyn, D4]])
    assert_type(v[1, 1:3], MDView[float, Dims1])
    assert_type(v[::2], MDView[float, Extents[Dyn, D4], StridedLayout])
    assert_type(v[::-1, 0], MDView[float, Dims1, StridedLayout])
    assert_type(v[1:6:2, 2:8:2], MDView[float, Dims2, StridedLayout])
    assert_type(left[1], MDView[float, Extents[D4], LayoutStride])
    assert_type(left[:, 1], MDView[float, Extents[D3], LayoutLeft])
    assert_type(s[1], MDView[float, Extents[D4], LayoutStride])
    assert_type(g[1], MDView[float, Extents[D4], Layout])
    assert_type(t[1], MDView[float, Extents[D4], Layout])
    assert_type(p[1], MDView[float, Extents[D4], StridedLayout])


def brackets3(v: V345, x: MDView[float, Dims1]) -> None:
    assert_type(v[1], MDView[float, Extents[D4, D5]])
    assert_type(v[1, 2], MDView[float, Extents[D5]])
    assert_type(v[1, 2, :], MDView[float, Extents[D5]])
    assert_type(v[1, 1:3], MDView[float, Dims2, StridedLayout])
    assert_type(v[:, 1, :], MDView[float, Extents[D3, D5], LayoutRightPadded])
    assert_type(v[:, :, 1], MDView[float, Extents[D3, D4], LayoutStride])
    assert_type(v[..., 1], MDView[float, Extents[D3, D4], LayoutStride])
    assert_type(v[1, ..., 1], MDView[float, tuple[Any, ...], Layout])
    assert_type(x[1:3], MDView[float, Dims1])
    assert_type(x[::2], MDView[float, Dims1, StridedLayout])
    assert_type(v[1][2][3], float)


def subviews(v: V34, left: L34, s: S34, g: G34, w: V345, d: MDView[int, Dims4], i: int) -> None:
    assert_type(subview(v, 1, ALL), MDView[float, Extents[D4]])
    assert_type(subview(v, ALL, ALL), V34)
    assert_type(subview(v, 1, 2), MDView[float, tuple[()]])
    assert_type(subview(v, 1, (0, 2)), MDView[float, Dims1])
    assert_type(subview(v, (0, 2), ALL), MDView[float, Extents[Dyn, D4]])
    assert_type(subview(v, slice(i, i), ALL), MDView[float, Extents[Dyn, D4]])
    assert_type(subview(v, range(0, 3, 2), ALL), MDView[float, Extents[Dyn, D4], StridedLayout])
    assert_type(subview(v, ALL, (0, 2)), MDView[float, Extents[D3, Dyn], StridedLayout])
    assert_type(subview(v, slice(i, None), range(2)), MDView[float, Dims2, StridedLayout])
    assert_type(subview(v, StridedSlice(0, 2, 2), 1), MDView[float, Dims1, StridedLayout])
    assert_type(subview(left, ALL, (0, 2)), MDView[float, Extents[D3, Dyn], LayoutLeft])
    assert_type(subview(left, 1, ALL), MDView[float, Extents[D4], LayoutStride])
    assert_type(subview(s, (0, 2), ALL), MDView[float, Extents[Dyn, D4], LayoutStride])
    assert_type(subview(g, ALL, ALL), G34)
    assert_type(subview(g, 1, (1, 2)), MDView[float, Dims1, Layout])
    assert_type(subview(w, 1, (0, 2), ALL), MDView[float, tuple[Any, ...], Any])
    assert_type(subview(w, ALL, 1, ALL), MDView[float, tuple[Any, ...], Any])
    assert_type(subview(w, ALL, ALL, 1), MDView[float, tuple[Any, ...], Any])
    assert_type(subview(d, 1, 2, (0, 2), ALL), MDView[int, tuple[Any, ...], Layout])
    assert_type(subview(d, ALL, 1, 2, 3), MDView[int, tuple[Any, ...], Layout])
    assert_type(subview(d, 1, range(2), (i, 4), (0, 2)), MDView[int, tuple[Any, ...], Layout])


def accessor_changes(v: V34, r: MDView[float, Extents[D3, D4], LayoutRight, RO], s: S34) -> None:
    assert_type(readonly(v), MDView[float, Extents[D3, D4], LayoutRight, RO])
    assert_type(atomic(s), MDView[float, Extents[D3, D4], LayoutStride, AtomicAccessor[float]])
    assert_type(checked(v), MDView[float, Extents[D3, D4], LayoutRight, CheckedAccessor[float]])
    assert_type(unchecked(v), MDView[float, Extents[D3, D4], LayoutRight, UncheckedAccessor[float]])
    assert_type(checked(r), MDView[float, Extents[D3, D4], LayoutRight, RO])
    assert_type(readonly(r), MDView[float, Extents[D3, D4], LayoutRight, RO])
    assert_type(readonly(atomic(v)), MDView[float, Extents[D3, D4], LayoutRight, RO])


def narrowing(v: MDView[float, Dims2, LayoutLeft], u: MDView[float]) -> None:
    assert_type(assume(v, (dim(3), dim(4))), MDView[float, Extents[D3, D4], LayoutLeft])
    if has_extents(v, (dim(3), dim(4))):
        assert_type(v, MDView[float, Extents[D3, D4], LayoutLeft])
    else:
        assert_type(v, MDView[float, Dims2, LayoutLeft])
    assert_type(assume(u, (dim(3), dim(4))), MDView[float, Extents[D3, D4], Layout])


def facts(v: V34, s: S34, u: MDView[float]) -> None:
    assert_type(v.extents, Extents[D3, D4])
    assert_type(v.layout, LayoutRight)
    assert_type(v.accessor, DefaultAccessor[float])
    assert_type(v.mapping, Mapping[Extents[D3, D4], LayoutRight])
    assert_type(v.shape, tuple[int, int])
    assert_type(u.shape, tuple[int, ...])
    assert_type(s.strides, tuple[int, ...])
    assert_type(v.extents[1], D4)
    assert_type(len(v), int)
    assert_type(v.tolist(), list[list[float]])
    assert_type(u.rank, int)
    assert_type(submapping(v.mapping, 1, ALL), tuple[Mapping[Extents[D4], LayoutRight], int])


def iteration(v: V34, x: MDView[float, Dims1], a: MDView[int, Dims1, LayoutRight, AtomicAccessor[int]]) -> None:
    assert_type(iter(x), Iterator[float])
    for row in v:
        assert_type(row, MDView[float, Extents[D4]])
        for element in row:
            assert_type(element, float)
    assert_type([reference for reference in a], list[AtomicRef[int]])
    assert_type(max(x), float)


def walks(v: V34, a: MDView[int, Dims2, LayoutTiled, AtomicAccessor[int]], s: Binned[float]) -> None:
    assert_type(elements(v), Iterator[float])
    assert_type(next(elements(a, order="memory")), AtomicRef[int])
    assert_type(indices(v), Iterator[tuple[int, int]])
    assert_type(flat(v), MDView[float, Dims1])
    assert_type(next(runs(a)), MDView[int, Dims1, LayoutRight, AtomicAccessor[int]])
    assert_type(next(tiles(a)), MDView[int, Dims2, Layout, AtomicAccessor[int]])
    assert_type(list(ViewIndex(v.mapping)), list[int])
    assert_type(list(MultiIndex(v.mapping, s.bins)), list[tuple[int, ...]])
    assert_type(s[0, 1], MDView[float, tuple[int, ...], Layout])
    assert_type(transform(max, v, s), Binned[float])
    assert_type(transform(max, v, v), MDView[float, tuple[Any, ...]])


def widening(v: V34, i: MDView[int, Dims1], p: P34) -> None:
    dyn: MDView[float, Dims2] = v
    unknown: MDView[float] = v
    reads: MDView[float, Dims1, Layout, Accessor[float, float]] = i
    writes: MDView[float, Dims2, LayoutRight, Writable[float, float]] = v
    strided: MDView[float, Dims2, StridedLayout] = p
    anything: MDView[Any, Any, Any, Any] = v
    del dyn, unknown, reads, writes, strided, anything
