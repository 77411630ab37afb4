"""The table of calls: for each public function and class, what is right for each argument and what is wrong there."""

import atexit
import operator
from array import array
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from misuse import NO_INTEGERS, STRANGERS, Arg, Stranger
from public import PUBLIC

import mdview as md
from mdview import conversions, polymorphic, symbolic, testing
from mdview.lazy import Chain, StridedBox

VIEW = md.MDView(array("d", range(6)), (2, 3))
LINE = md.MDView(array("d", range(6)), (6,))
MATRIX = md.MDView(array("d", range(4)), (2, 2))
MAPPING = md.Mapping((2, 3))
BOX = StridedBox((2, 3))
STRANGER = Stranger()


def output(*extents):
    return md.MDView([0.0] * md.Mapping(extents).size, extents)


view = Arg(VIEW, (*STRANGERS, md.MDView, [1, 2], MAPPING))
line = Arg(LINE, view.wrong)
target = Arg(output(2, 3), view.wrong)
mapping = Arg(MAPPING, (*STRANGERS, md.Mapping, (2, 3)))
subject = Arg(VIEW, (*STRANGERS, md.MDView, md.Mapping, [1, 2]))
function = Arg(operator.add, (*STRANGERS, VIEW))
writing = (
    *(Arg([(0, 1), (1, 2)], (*STRANGERS, VIEW, ["text"])), Arg(((2, 3), (1, 1)), STRANGERS)),
    {"region": Arg(..., ("text", STRANGER, 1.5))},
)
zero, one = Arg(0, NO_INTEGERS), Arg(1, NO_INTEGERS)
layout = Arg(md.LayoutRight(), (*STRANGERS, md.LayoutRight, MAPPING))
order_of_tiles = Arg(md.LayoutRight(), layout.wrong)
accessor = Arg(md.DefaultAccessor(), (*STRANGERS, md.DefaultAccessor, VIEW))
default_layout = Arg(md.LayoutRight(), (3, "text", STRANGER, md.LayoutRight))
default_accessor = Arg(md.DefaultAccessor(), (3, "text", STRANGER, md.DefaultAccessor))
extents = Arg((2, 3), (None, "text", STRANGER, int, 1.5, ("text", 3), (None, 3)))
shape = Arg((3, 2), extents.wrong)
pattern = Arg((2, None), ("text", STRANGER, int, 1.5, ("text", 3)))
part = Arg((0, 1), ("text", STRANGER, int, 1.5, None, (0, "text"), slice("text", 1), md.ExtentSlice("text", 1)))
axes = Arg((1, 0), ("text", STRANGER, int, 1.5, None, ("text", 0)))
axis = Arg(0, ("text", STRANGER, int, 1.5, ("text",)))
walk = {"order": Arg("index", STRANGERS)}
order = Arg("C", STRANGERS)
progress = Arg(False, (None, "text", STRANGER, 3))
data = Arg([0.0] * 6, (3, STRANGER, int))
ranges = Arg([(0, 1)], (*STRANGERS, [3], ["text"], [("text", 1)]))
cells = Arg(md.Mapping((1,)), (3, "text", STRANGER, md.Mapping))
pairs = Arg([(0, 1), (0, 1)], (*STRANGERS, int, [(0, 1), "text"], [(0, 1), (0, "text")], [3, 3]))
strides = Arg((3, 1), (3, "text", STRANGER, int, ("text", 3)))
part_of_transform = Arg((0, 1), (*STRANGERS, int))
padding = Arg(4, ("text", STRANGER, int, 1.5))
element = Arg((0, 0), ("text", STRANGER, int, 1.5, ("text", 0), slice("text", 1)))
place = Arg(md.iteration.ViewIndex(MAPPING), (*STRANGERS, md.iteration.ViewIndex))
places = Arg(md.iteration.MultiIndex(MAPPING), (*STRANGERS, md.iteration.MultiIndex))
kind_of_extents = conversions.ExtentsKind((2, 3))
kind_of_mapping = conversions.MappingKind(md.LayoutRight, kind_of_extents)


def composed(base=layout.right, base_extents=extents.right, transform=None, box=None):
    taken = md.index.IndexMap.taking((0, 1)) if transform is None else transform
    return md.Mapping((2, 3), md.LayoutComposed(base, base_extents, taken, box))


FOLDER = mkdtemp()
atexit.register(rmtree, FOLDER, ignore_errors=True)
FILE = f"{FOLDER}/numbers.npy"
md.save(MATRIX, FILE)
path = Arg(FILE, (None, STRANGER, 1.5, int))
target_path = Arg(f"{FOLDER}/others.npy", (None, STRANGER, 1.5, int))

PREDICATES = ("bounds", "collision", "contiguous_runs", "hole", "is_dense", "mergeable_axes", "stride_order")
POLICIES = ("atomic", "checked", "conjugated", "readonly", "unchecked")
WRAPPERS = ("Atomic", "Conjugated", "NonTemporal", "RandomAccess", "ReadOnly", "Restrict")
CALLS = {
    **{name: (PUBLIC[name], mapping) for name in PREDICATES},
    **{name: (PUBLIC[name], view) for name in POLICIES},
    **{f"{name}Accessor": (PUBLIC[f"{name}Accessor"], accessor) for name in WRAPPERS},
    "aligned": (md.interop.writers.aligned, Arg(((1, 1), (3,)), (*STRANGERS, VIEW, ["text"])), *writing[1:]),
    "AlignedAccessor": (md.accessors.AlignedAccessor, Arg(8, NO_INTEGERS), accessor),
    "Binned": (md.iteration.Binned, line, ranges, {"axis": zero, "cells": cells}),
    "Binned[]": (md.iteration.Binned(LINE, [(0, 2)]).__getitem__, Arg(0, (None, "text", STRANGER, 1.5))),
    "Bins": (md.iteration.Bins, mapping, ranges, {"axis": zero, "cells": cells}),
    "FillAccessor": (md.accessors.FillAccessor, Arg("constant", STRANGERS), Arg(0), accessor),
    "IndexMap": (
        lambda *parts: composed(transform=md.index.IndexMap(*parts)),
        *(Arg((0, 0), part_of_transform.wrong), Arg((1, 1), part_of_transform.wrong), part_of_transform),
    ),
    "draw": (md.draw, subject),
    "LayoutBlasPacked": (md.LayoutBlasPacked, Arg("upper", STRANGERS), Arg("row", STRANGERS)),
    "LayoutComposed": (composed, layout, extents, Arg(None, (3, "text", STRANGER)), Arg(None, (3, "text", STRANGER))),
    "LayoutLeftPadded": (lambda given: md.Mapping((2, 3), md.LayoutLeftPadded(given)), padding),
    "LayoutLinear": (md.layouts.LayoutLinear, Arg(((1, 2), (4,)), (*STRANGERS, ("text",), (1.5,))), zero),
    "LayoutMorton": (md.LayoutMorton, {"fastest": Arg("first", STRANGERS)}),
    "LayoutNested": (md.LayoutNested, Arg(((2, 3), 4), STRANGERS), Arg(((1, 2), 6), STRANGERS), zero),
    "LayoutRightPadded": (lambda given: md.Mapping((2, 3), md.LayoutRightPadded(given)), padding),
    "LayoutStride": (md.LayoutStride, strides),
    "LayoutStrideRelaxed": (md.LayoutStrideRelaxed, strides, zero),
    "LayoutSwizzled": (md.LayoutSwizzled, layout, one, zero, Arg(2, NO_INTEGERS)),
    "LayoutTiled": (md.LayoutTiled, one, one, {"outer": order_of_tiles, "inner": order_of_tiles}),
    "LayoutTranspose": (md.layouts.LayoutTranspose, layout),
    "MDView": (md.MDView, data, extents, default_layout, default_accessor),
    "MDView.at": (VIEW.at, Arg((0, 0), (*STRANGERS, ("text", 0)))),
    "MDView.extent": (VIEW.extent, zero),
    "MDView.from_mapping": (md.MDView.from_mapping, data, mapping, default_accessor, {"origin": zero}),
    "MDView.is_valid": (VIEW.is_valid, zero, zero),
    "MDView.null": (md.MDView.null, extents),
    "MDView.stride": (VIEW.stride, zero),
    "MDView[]": (VIEW.__getitem__, element),
    "MDView[] =": (output(2, 3).__setitem__, element, Arg(1.0)),
    "Mapping": (md.Mapping, extents, layout),
    "Mapping()": (MAPPING, zero, zero),
    "Mapping.extent": (MAPPING.extent, zero),
    "Mapping.is_valid": (MAPPING.is_valid, zero, zero),
    "Mapping.stride": (MAPPING.stride, zero),
    "Mapping.to_c": (MAPPING.to_c, Arg(("i", "j"), (*STRANGERS, int, "ij", ("i", 3), ("i", STRANGER)))),
    "MemorySpaceAccessor": (md.accessors.MemorySpaceAccessor, Arg("host"), accessor),
    "MultiIndex": (md.iteration.MultiIndex, mapping, mapping),
    "MultiIndex.in_same_chunk": (places.right.in_same_chunk, places, one),
    "MultiIndex.increment_by": (places.right.increment_by, zero),
    "MultiIndex.inner_distance_to": (places.right.inner_distance_to, places),
    "MultiIndex.offsets": (places.right.offsets, zero),
    "MultiIndex.set_index": (places.right.set_index, zero),
    "ScaledAccessor": (md.accessors.ScaledAccessor, Arg(2), accessor),
    "ViewIndex": (md.iteration.ViewIndex, mapping),
    "ViewIndex.advance": (place.right.advance, zero),
    "ViewIndex.distance_to": (place.right.distance_to, place),
    "ViewIndex.set_index": (place.right.set_index, zero),
    "ViewIndex[]": (place.right.__getitem__, zero),
    "accumulate": (md.operations.accumulate, function, Arg(output(1), view.wrong), line),
    "assume": (md.assume, view, extents),
    "bitcast": (md.operations.bitcast, view, Arg("q", STRANGERS)),
    "broadcast_to": (md.broadcast_to, subject, extents),
    "coalesced": (md.mappings.coalesced, mapping, order),
    "comparable": (md.conversions.comparable, Arg(MAPPING, STRANGERS), Arg(MAPPING, STRANGERS)),
    "conjugate_transposed": (md.operations.conjugate_transposed, view),
    "conversion": (md.conversions.conversion, subject, Arg(md.LayoutRight(), STRANGERS), pattern),
    "convert": (md.conversions.convert, subject, Arg(md.LayoutRight(), STRANGERS), pattern),
    "copy": (md.copy, view, target, {"threads": one, "progress": progress}),
    "dense_like": (md.mappings.dense_like, mapping, Arg("K", STRANGERS)),
    "diagonal": (md.diagonal, subject, zero, zero, one),
    "dim": (md.dim, zero),
    "elements": (md.iteration.elements, view, walk),
    "conflicts": (md.interop.writers.conflicts, *writing),
    "equal": (md.equal, view, view, {"progress": progress}),
    "expand_dims": (md.expand_dims, subject, axis),
    "empty": (md.empty, extents, default_layout, Arg("d", STRANGERS)),
    "empty_like": (md.empty_like, view, default_layout, Arg("d", (3, "text", STRANGER))),
    "explain": (md.explain, subject),
    "fill": (md.fill, target, Arg(1), {"progress": progress}),
    "flat": (md.iteration.flat, view, walk),
    "flip": (md.flip, subject, axis),
    "full": (md.full, extents, Arg(1), default_layout, Arg("d", (3, "text", STRANGER))),
    "full_like": (md.full_like, view, Arg(1), default_layout, Arg("d", (3, "text", STRANGER))),
    "has_extents": (md.has_extents, view, extents),
    "indices": (md.iteration.indices, subject, walk),
    "inner_contiguous": (md.mappings.inner_contiguous, mapping, zero),
    "is_contiguous": (md.mappings.is_contiguous, mapping, order),
    "kind_of": (md.conversions.kind_of, subject),
    "mandates": (md.conversions.mandates, subject, Arg(md.LayoutRight(), STRANGERS), pattern),
    "moveaxis": (md.moveaxis, subject, axis, axis),
    "overlap": (md.mappings.overlap, mapping, mapping, {"shift": zero}),
    "pad": (md.pad, subject, one, Arg("constant", STRANGERS)),
    "permute_dims": (md.permute_dims, subject, axes),
    "ravel": (md.ravel, subject, {"order": order}),
    "reduce": (md.reduce, function, view, {"progress": progress}),
    "relayout": (md.relayout, view, layout, Arg("d", (3, "text", STRANGER)), {"progress": progress}),
    "reshape": (md.reshape, subject, shape, {"order": order}),
    "ones": (md.ones, extents, default_layout, Arg("d", STRANGERS)),
    "open_view": (
        *(md.open_view, path, Arg("right (2, 2)", (3, STRANGER)), Arg("d", (3, STRANGER, "text"))),
        {"offset": Arg(0, ("text", STRANGER, 1.5)), "mode": Arg("r", (3, "text", STRANGER))},
    ),
    "runs": (md.iteration.runs, view, walk),
    "save": (md.save, view, target_path, default_layout, Arg("d", (3, STRANGER)), {"progress": progress}),
    "scaled": (md.operations.scaled, Arg(2), view),
    "shrink": (md.operations.shrink, subject, pairs),
    "sliding_window": (md.sliding_window, subject, Arg((1, 1), extents.wrong), Arg((0, 1), axis.wrong)),
    "squeeze": (md.squeeze, Arg(output(1), subject.wrong), axis),
    "format": (md.format, subject),
    "parse": (md.parse, Arg("right (2, 3)", (3, None, Stranger(), str))),
    "submapping": (md.mappings.submapping, mapping, part, part),
    "subview": (md.subview, view, part, part),
    "swapaxes": (md.swapaxes, subject, zero, one),
    "tiles": (md.tiles, view, Arg((1, 2), (3, "text", STRANGER, ("text", 2)))),
    "transform": (md.transform, Arg(abs, function.wrong), view, {"out": Arg(output(2, 3), (3, "text", STRANGER))}),
    "transposed": (md.operations.transposed, subject),
    "zeros": (md.zeros, extents, default_layout, Arg("d", STRANGERS)),
    "zeros_like": (md.zeros_like, view, default_layout, Arg("d", (3, "text", STRANGER))),
}
if find_spec("numpy") is not None:
    import numpy as np

    CALLS["asview"] = (md.asview, Arg(np.zeros(3), (*STRANGERS, VIEW, [1])))
    RAW = Path(FOLDER, "raw")
    RAW.write_bytes(bytes(6))
    raw = Arg(RAW, (3, None, STRANGER))
    CALLS["relayout_file"] = (
        *(md.relayout_file, raw, raw, Arg("tiled(2, 2)", (3, None, STRANGER, md.LayoutRight))),
        *(Arg(MAPPING, (3, STRANGER, md.Mapping)), Arg("B", (3, STRANGER))),
        {"offset": zero, "max_memory": Arg(1 << 20, zero.wrong), "progress": progress},
    )
if find_spec("zarr") is not None:
    ARRAY = Path(FOLDER, "array")
    md.to_zarr(md.zeros((2, 3)), ARRAY)
    CALLS["from_zarr"] = (
        *(md.from_zarr, Arg(ARRAY, (3, STRANGER))),
        {"copy": Arg(None, ("text", 3, STRANGER)), "mode": Arg("r", ("w", 3, STRANGER))},
    )
    CALLS["to_zarr"] = (
        *(md.to_zarr, view, Arg(ARRAY, (3, None, STRANGER))),
        {
            "chunks": Arg((1, 2), (3, "text", STRANGER)),
            "shards": Arg(None, (3, "text", STRANGER)),
            "overwrite": Arg(True),
        },
    )
if find_spec("dask") is not None:
    chunks = Arg((1, 2), ("text", STRANGER, ("text", 2), (1, 2, 3)))
    CALLS["to_dask"] = (md.interop.dask.to_dask, view, chunks)
    CALLS["map_tiles"] = (
        *(md.interop.dask.map_tiles, Arg(abs, function.wrong), view),
        {
            "halo": Arg(1, ("text", STRANGER, 1.5, ("text", 0))),
            "boundary": Arg("edge", ("text", STRANGER, (1, 2))),
            "chunks": chunks,
            "scheduler": Arg("sync", (3, "text", STRANGER)),
            "out": Arg(output(2, 3), (3, "text", STRANGER, MAPPING)),
        },
    )

LAZY = {
    "Chain": (Chain, Arg(BOX, (*STRANGERS, StridedBox, MAPPING))),
    "Chain.locate": (Chain(BOX).locate, zero, zero),
    "StridedBox": (StridedBox, extents, strides, zero, Arg(pairs.right, (3, "text", STRANGER, [3, 3]))),
    "StridedBox.extent": (BOX.extent, zero),
    "StridedBox.is_valid": (BOX.is_valid, Arg((0, 0), (*STRANGERS, ("text", 0)))),
    "StridedBox.linear_index": (BOX.linear_index, Arg((0, 0), (*STRANGERS, ("text", 0)))),
    "StridedBox.stride": (BOX.stride, zero),
}
for movable in (BOX, Chain(BOX)):
    kind = type(movable).__name__
    LAZY |= {
        f"{kind}.broadcast_to": (movable.broadcast_to, extents),
        f"{kind}.expand": (movable.expand, extents),
        f"{kind}.expand_dims": (movable.expand_dims, Arg((0,), (*STRANGERS, ("text",)))),
        f"{kind}.flip": (movable.flip, Arg((True, False), STRANGERS)),
        f"{kind}.pad": (movable.pad, pairs),
        f"{kind}.permute": (movable.permute, axes),
        f"{kind}.reshape": (movable.reshape, shape),
        f"{kind}.shrink": (movable.shrink, pairs),
        f"{kind}.squeeze": (movable.squeeze, Arg((), (3, "text", STRANGER, ("text",)))),
    }

view_type = Arg(polymorphic.ViewType("d", (3,)), STRANGERS)
OTHERS = {
    "AccessorKind, MappingKind": (
        conversions.ViewKind,
        Arg(kind_of_mapping, STRANGERS),
        Arg(conversions.AccessorKind(), STRANGERS),
    ),
    "ExtentsKind": (conversions.ExtentsKind, Arg((3, None), (*STRANGERS, ("text",))), Arg("int64", STRANGERS)),
    "MappingKind": (
        conversions.MappingKind,
        Arg(md.LayoutRight, STRANGERS),
        Arg(kind_of_extents, STRANGERS),
        Arg(None, ("x",)),
    ),
    "combine_properties": (polymorphic.combine_properties, Arg(md.LayoutRight(), (3, "text", STRANGER, int))),
    "dimension": (polymorphic.dimension, zero),
    "fill_dimensions": (polymorphic.fill_dimensions, Arg((None, 3), (*STRANGERS, (None, "text"))), one),
    "flat_range": (polymorphic.flat_range, line),
    "has_iterators": (polymorphic.has_iterators, view),
    "implicit_dimensions": (polymorphic.implicit_dimensions, zero),
    "is_assignable": (polymorphic.is_assignable, view_type, view_type),
    "is_isomorphic": (polymorphic.is_isomorphic, mapping),
    "polymorphic_view": (
        *(polymorphic.polymorphic_view, data, Arg((None, 3), STRANGERS), one),
        {"properties": Arg((), (*STRANGERS, ("text",)))},
    ),
    "check_accessor": (testing.check_accessor, accessor, Arg(lambda n: array("d", range(n)), STRANGERS)),
    "check_layout": (testing.check_layout, layout, Arg((2,), extents.wrong)),
    "examine_accessor": (testing.examine_accessor, accessor),
    "examine_layout": (testing.examine_layout, layout, Arg((2,))),
}
N = symbolic.var("n", 1, 8)
SYMBOLIC_EXTENTS, SYMBOLIC_MAPPING = symbolic.SymbolicExtents((N, 3)), symbolic.SymbolicMapping((N, 3))
expression, bound = Arg(N, NO_INTEGERS), Arg(8, NO_INTEGERS)
any_values = Arg({N: 4}, (3, "text", STRANGER, {"text": 4}))
values = Arg({N: 4}, (*any_values.wrong, {N: "text"}))
symbols = Arg((N, 3), (*STRANGERS, int, ("text", 3)))
symbol = (Arg("n", (3, None, STRANGER)), one, bound)
BINARY = ("Add", "FloorDiv", "Mul", "divides", "equal", "less", "quotient")
UNARY = ("Neg", "bounds", "simplified", "to_c")
SYMBOLIC = {
    **{name: (getattr(symbolic, name), expression, expression) for name in BINARY},
    **{name: (getattr(symbolic, name), expression) for name in UNARY},
    **{name: (getattr(symbolic, name), bound) for name in ("Const", "constant")},
    **{name: (getattr(symbolic, name), *symbol) for name in ("Var", "var")},
    **{f"Expr.{name}": (getattr(N, name), expression) for name in ("__add__", "__floordiv__")},
    "Expr.eval": (N.eval, any_values),
    "Expr.substitute": ((N + 1).substitute, values),
    "Var.bind": (symbolic.var("k", 1, 8).bind, bound),
    "SymbolicExtents": (symbolic.SymbolicExtents, symbols),
    "SymbolicExtents.bind": (symbolic.SymbolicExtents((symbolic.var("k", 1, 8),)).bind, values),
    "SymbolicExtents.eval": (SYMBOLIC_EXTENTS.eval, any_values),
    "SymbolicExtents.numbers": (SYMBOLIC_EXTENTS.numbers, values),
    "SymbolicExtents.resolve_reshape": (SYMBOLIC_EXTENTS.resolve_reshape, symbols),
    "SymbolicExtents.substitute": (SYMBOLIC_EXTENTS.substitute, values),
    "SymbolicMapping": (
        *(symbolic.SymbolicMapping, symbols, layout, Arg(SYMBOLIC_EXTENTS, (3, STRANGER))),
        Arg((0, 1), (3, STRANGER)),
    ),
    "SymbolicMapping.bind": (SYMBOLIC_MAPPING.bind, values),
    "SymbolicMapping.expand": (SYMBOLIC_MAPPING.expand, symbols),
    "SymbolicMapping.offset": (SYMBOLIC_MAPPING.offset, zero, zero),
    "SymbolicMapping.permute": (SYMBOLIC_MAPPING.permute, Arg((1, 0), (*STRANGERS, int, ("text", 0)))),
    "SymbolicMapping.reshape": (SYMBOLIC_MAPPING.reshape, Arg((3, N), symbols.wrong)),
}
KERNELS = {}
if find_spec("numba") is not None:
    from mdview import numba

    kernel = Arg(lambda v: v[0], (3, "text", int, VIEW))
    tiles = Arg(md.zeros((4, 4), md.LayoutTiled(2, 2)), (*STRANGERS, md.MDView, MAPPING))
    KERNELS = {
        "atomic_add": (
            *(numba.atomic_add, Arg(VIEW, tiles.wrong)),
            *(Arg((0, 0), ("text", None, ("text", 0), 0, ..., (0, slice(None)))), Arg(1.0)),
        ),
        "jit": (numba.jit, kernel),
        "jit()": (numba.jit(nogil=True), Arg(kernel.right, (3, None, "text", int))),
        "tile": (numba.tile, tiles, one),
        "tile_count": (numba.tile_count, tiles),
    }
TABLE = CALLS | LAZY | OTHERS | SYMBOLIC | KERNELS
