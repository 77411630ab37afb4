"""The formats of ``docs/formats.md``: the layout that each is, in the language of layouts."""

from mdview.language.reading import parse

LAYOUTS = {
    "nChw16c": "tiled(1, 16, 1, 1)",
    "OIhw4i16o4i": "tiled(16, 16, 1, 1, inner=tiled(16, 4, 1, 1))",
    "OIhw16i16o": "tiled(16, 16, 1, 1, inner=left)",
    "BA16a16b4a": "tiled(64, 16, outer=left, inner=tiled(4, 16, inner=left))",
    "T(2,2)": "tiled(2, 2)",
    "T(2,4)(2,1)": "tiled(2, 4, inner=tiled(2, 1))",
    "T(8,128)(2,1)": "tiled(8, 128, inner=tiled(2, 1))",
    "Swizzle<3,3,3>": "swizzled(right, 3, 3, 3)",
    "FRACTAL_NZ": "tiled(16, 16, outer=left)",
    "AoSoA": "tiled(8, 1)",
    "packed upper": "packed(upper, column)",
    "packed lower": "packed(lower, column)",
    "zarr chunks": "tiled(4, 5)",
    "zarr shards": "tiled(4, 6, inner=tiled(2, 2))",
    "kCHW32": "tiled(1, 32, 1, 1)",
    "leading dimension": "left_padded(8)",
}
PIXELS = {"interleaved": "right (4, 6, 3)", "planar": "right (3, 4, 6) permute_dims((1, 2, 0))"}
JOINED = "stride((32, 1, 8, 16, 2)) (2, 2, 2, 2, 4) reshape((8, 8))"
"""XLA's T(2,4)(2,1,1,1) over 8 x 8."""
CUTE = {
    "(2,4):(1,2)": "stride((1, 2)) (2, 4)",
    "(2,4):(12,1)": "stride((12, 1)) (2, 4)",
    "(2,(2,2)):(4,(2,1))": "stride((4, 1, 2)) (2, 2, 2) reshape((2, 4))",
    "((2,2),2):((4,1),2)": "stride((1, 4, 2)) (2, 2, 2) reshape((4, 2))",
}


def mapping(name, extents):
    """Return the mapping of a format over extents."""
    return parse(f"{LAYOUTS[name]} {tuple(extents)}")
