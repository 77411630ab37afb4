"""The formats of ``docs/formats.md``: the layout that each is, in the language of layouts."""

from math import prod

from mdview import LayoutStrideRelaxed, Mapping, parse, reshape

LAYOUTS = {
    "nChw16c": "tiled(1, 16, 1, 1)",
    "OIhw4i16o4i": "tiled(16, 16, 1, 1, inner=tiled(16, 4, 1, 1))",
    "OIhw16i16o": "tiled(16, 16, 1, 1, inner=left)",
    "BA16a16b4a": "tiled(64, 16, outer=left, inner=tiled(4, 16, inner=left))",
    "T(2,2)": "tiled(2, 2)",
    "T(2,128)": "tiled(2, 128)",
    "T(2,4)(2,1)": "tiled(2, 4, inner=tiled(2, 1))",
    "T(8,128)(2,1)": "tiled(8, 128, inner=tiled(2, 1))",
    "T(8,128)(4,1)": "tiled(8, 128, inner=tiled(4, 1))",
    "Swizzle<3,3,3>": "swizzled(right, 3, 3, 3)",
    "FRACTAL_NZ": "tiled(16, 16, outer=left)",
    "FRACTAL_NZ of int8": "tiled(16, 32, outer=left)",
    "NC1HWC0": "tiled(1, 16, 1, 1)",
    "AoSoA": "tiled(8, 1)",
    "packed upper": "packed(upper, column)",
    "packed lower": "packed(lower, column)",
    "band": "relaxed((1, 3), offset=1)",
    "zarr chunks": "tiled(4, 5)",
    "zarr shards": "tiled(4, 6, inner=tiled(2, 2))",
    "kCHW32": "tiled(1, 32, 1, 1)",
    "leading dimension": "left_padded(8)",
}
PIXELS = {"interleaved": "right (4, 6, 3)", "planar": "right (3, 4, 6) permute_dims((1, 2, 0))"}
JOINED = "stride((32, 1, 8, 16, 2)) (2, 2, 2, 2, 4) reshape((8, 8))"
"""XLA's T(2,4)(2,1,1,1) over 8 x 8."""
COMBINED = "tiled(2, 3) (112, 110) reshape((2, 7, 8, 11, 10))"
"""XLA's T(*,*,2,*,3) over [2,7,8,11,10]."""
CYCLIC = "stride((2, 72, 1, 12, 24, 6)) (3, 2, 2, 2, 3, 2) reshape((12, 12)) [:9, :9]"
"""ScaLAPACK's blocks of 2 x 2 over 2 x 3 processes, each with a local array of 6 x 4, one after the other."""
CUTE = {
    "(4,2):(1,4)": "stride((1, 4)) (4, 2)",
    "(4,2):(2,1)": "stride((2, 1)) (4, 2)",
    "(2,4):(1,2)": "stride((1, 2)) (2, 4)",
    "(2,4):(12,1)": "stride((12, 1)) (2, 4)",
    "(2,(2,2)):(4,(1,2))": "stride((4, 2, 1)) (2, 2, 2) reshape((2, 4))",
    "(2,(2,2)):(4,(2,1))": "stride((4, 1, 2)) (2, 2, 2) reshape((2, 4))",
    "((2,2),2):((4,1),2)": "stride((1, 4, 2)) (2, 2, 2) reshape((4, 2))",
}


def mapping(name, extents):
    """Return the mapping of a format over extents."""
    return parse(f"{LAYOUTS[name]} {tuple(extents)}")


def cyclic(shape, block, processes):
    """Return the mapping of ScaLAPACK's distribution: local arrays of one size, one after the other.

    An index of rows is a round, a process and a row of its block, and an index of columns likewise. The local arrays
    are those of the first process, which has the most, with whole blocks.
    """
    rounds = [-(-e // (b * p)) for e, b, p in zip(shape, block, processes, strict=True)]
    rows, columns = (r * b for r, b in zip(rounds, block, strict=True))
    across = (block[0], processes[1] * rows * columns, 1, block[1] * rows, rows * columns, rows)
    parts = (rounds[0], processes[0], block[0], rounds[1], processes[1], block[1])
    whole = rows * processes[0], columns * processes[1]
    return parse(f"stride({across}) {parts} reshape({whole}) [:{shape[0]}, :{shape[1]}]")


def cute(shape, stride):
    """Return the mapping of a CuTe layout, each of whose dimensions is a tuple of parts, the fastest first."""
    extents = tuple(e for parts in shape for e in reversed(parts))
    strides = tuple(s for parts in stride for s in reversed(parts))
    return reshape(Mapping(extents, LayoutStrideRelaxed(strides)), tuple(map(prod, shape)))
