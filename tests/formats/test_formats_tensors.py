"""Blocked tensors and fragments whose owners have no library here: the steps and formulas of their documents."""

import numpy as np
import pytest
from owners import formats, numbers, shapes

from mdview import MDView, copy, parse
from mdview.algebra import f2


def stored(target, size):
    """Return what a copy of 1, 2, ... leaves in a buffer of zeros."""
    memory = np.zeros(size, dtype="<i4")
    copy(MDView(numbers(tuple(target.extents)), tuple(target.extents)), MDView.from_mapping(memory, target))
    return memory.tolist()


def table(mapping):
    """Return the offsets as an array."""
    return np.array(list(mapping.offsets())).reshape(mapping.extents)


def padded(array, tile):
    """Fill the last dimensions up with zeros to whole tiles."""
    rank = array.ndim - len(tile)
    missing = [-extent % t for extent, t in zip(array.shape[rank:], tile, strict=True)]
    return np.pad(array, [(0, 0)] * rank + [(0, count) for count in missing])


def tiled_by_xla(array, tile):
    """OpenXLA, *Tiled layout*, "Tiling as pad-reshape-transpose": the tile is for the last dimensions."""
    whole = padded(array, tile)
    kept = array.ndim - len(tile)
    parts = [x for extent, t in zip(whole.shape[kept:], tile, strict=True) for x in (extent // t, t)]
    split = whole.reshape(*whole.shape[:kept], *parts)
    last = range(kept, split.ndim)
    return split.transpose(*range(kept), *last[::2], *last[1::2])


XLA = {
    "{1,0}": [],
    "{0,1}": [],
    "{1,0:T(2,2)}": [(2, 2)],
    "{0,1:T(2,4)}": [(2, 4)],
    "{1,0:T(2,128)}": [(2, 128)],
    "{1,0:T(2,4)(2,1)}": [(2, 4), (2, 1)],
    "{1,0:T(8,128)(2,1)}": [(8, 128), (2, 1)],
    "{1,0:T(8,128)(4,1)}": [(8, 128), (4, 1)],
    "{2,1,0:T(2,4)}": [(2, 4)],
    "{0,2,1:T(4)}": [(4,)],
}


@pytest.mark.parametrize("layout", XLA)
def test_xla_tiles_are_padded_reshaped_and_transposed(layout):
    order = [int(n) for n in layout[1:].split(":")[0].strip("}").split(",")][::-1]
    for shape in shapes((len(order),), 5, longest=20):
        tiled = numbers(shape).transpose(order)
        for tile in XLA[layout]:
            tiled = tiled_by_xla(tiled, tile)
        assert stored(formats.xla(shape, layout), tiled.size) == tiled.ravel().tolist()


def test_xla_works_out_place_17_of_2_3():
    """OpenXLA, *Tiled layout*, "Linear index formulas": F32[3,5]{1,0:T(2,2)}."""
    assert formats.xla((3, 5), "{1,0:T(2,2)}")(2, 3) == 17


def test_xla_pairs_rows_in_words():
    """*Tiled layout*, "Repeated tiling" and example 4: an even and an odd row share a word of 32 bits."""
    found = formats.xla((16, 256), "{1,0:T(8,128)(2,1)}")
    assert all(found(i + 1, j) == found(i, j) + 1 for i in range(0, 4, 2) for j in range(8))
    assert (found(0, 127), found(2, 0), found(0, 128)) == (254, 256, 8 * 128)


def test_xla_joins_two_tiles():
    """*Tiled layout*, "Repeated tiling": a later tile may refer to the dimensions across the tiles before it."""
    tiled = tiled_by_xla(tiled_by_xla(numbers((8, 8)), (2, 4)), (2, 1, 1, 1))
    joined = parse("stride((32, 1, 8, 16, 2)) (2, 2, 2, 2, 4) reshape((8, 8))")
    assert stored(joined, 64) == tiled.ravel().tolist()


def test_xla_combines_dimensions():
    """*Tiled layout*, "Combining dimensions using tiles": [2,7,8,11,10] as [112,110], in tiles of (2,3)."""
    tiled = tiled_by_xla(numbers((2, 7, 8, 11, 10)).reshape(112, 110), (2, 3))
    combined = parse("xla('{1,0:T(2,3)}') (112, 110) reshape((2, 7, 8, 11, 10))")
    assert stored(combined, tiled.size) == tiled.ravel().tolist()


@pytest.mark.parametrize("layout", ["{1}", "{1,0:T(2,4)(2,1,1,1)}", "1,0", "{2,1,0}", "{1,0:T(2,2,2)}"])
def test_other_layouts_of_xla_are_refused(layout):
    with pytest.raises(ValueError, match=r"a layout of XLA of rank 2 is like"):
        formats.xla((4, 6), layout)


@pytest.mark.parametrize("itemsize", [1, 2])
def test_ascend_nz_is_w1_h1_h0_w0(itemsize):
    """CANN, *TransdataOperation*: FRACTAL_NZ is N W1 H1 H0 W0; H0 is 16, W0 is 16 for float16 and 32 for int8."""
    width = 32 // itemsize
    for shape in [(100, 30), *shapes((2,), 6, longest=70)]:
        whole = padded(numbers(shape), (16, width))
        height, breadth = whole.shape
        fractal = whole.reshape(height // 16, 16, breadth // width, width).transpose(2, 0, 1, 3)
        assert stored(formats.fractal_nz(shape, itemsize), fractal.size) == fractal.ravel().tolist()


@pytest.mark.parametrize(("family", "channels"), [("nc1hwc0", 16), ("nchw_vect_c", 4), ("nchw_vect_c", 32)])
def test_blocks_of_channels_are_reshaped_and_transposed(family, channels):
    """CANN, *Format*: reshape([N, C1, C0, H, W]).transpose([0, 1, 3, 4, 2]); TensorRT: [n][c/32][h][w][c%32]."""
    for shape in [(2, 35, 3, 5), *shapes((4,), 4)]:
        n, c, h, w = shape
        whole = np.pad(numbers(shape), [(0, 0), (0, -c % channels), (0, 0), (0, 0)])
        blocked = whole.reshape(n, whole.shape[1] // channels, channels, h, w).transpose(0, 1, 3, 4, 2)
        options = {} if family == "nc1hwc0" else {"channels": channels}
        assert stored(getattr(formats, family)(shape, **options), blocked.size) == blocked.ravel().tolist()


@pytest.mark.parametrize(("span", "bits"), [(128, 3), (64, 2), (32, 1)])
def test_a_swizzle_of_tma_exchanges_units_of_16_bytes(span, bits):
    """CUTLASS, ``Swizzle<3,4,3>``, ``<2,4,3>`` and ``<1,4,3>`` of bytes: units of 16, by the row of 128 bytes."""
    byte = table(formats.tma_swizzle((1024 // span, span)))
    plain = np.arange(1024).reshape(byte.shape)
    row, unit = plain // 128, plain // 16 % 8
    np.testing.assert_array_equal(byte, row * 128 + (unit ^ row % 2**bits) * 16 + plain % 16)
    halves = table(formats.tma_swizzle((1024 // span, span // 2), 2))
    np.testing.assert_array_equal(2 * halves, byte[:, ::2])


def test_a_column_of_swizzled_units_covers_all_banks():
    plain = f2.conflicts(parse("right (8, 32) [:, :1] reshape((8,))"), 32, lanes=8)
    swizzled = f2.conflicts(parse("tma_swizzle(4) (8, 32) [:, :1] reshape((8,))"), 32, lanes=8)
    assert (plain.degree, swizzled.degree) == (8, 1)


LANE = np.arange(32)
GROUP, THREAD = LANE >> 2, LANE % 4
PTX = {
    # fragment: extents, registers, and row and column of register i of each lane, as the PTX ISA writes them
    "m16n8k8.A": ((16, 8), 4, lambda i: (GROUP + 8 * (i >= 2), THREAD * 2 + (i & 1))),
    "m16n8k8.B": ((8, 8), 2, lambda i: (THREAD * 2 + i, GROUP)),
    "m16n8k16.A": (
        (16, 16),
        8,
        lambda i: (GROUP + 8 * (not (i < 2 or 4 <= i < 6)), THREAD * 2 + (i & 1) + 8 * (i >= 4)),
    ),
    "m16n8k16.B": ((16, 8), 4, lambda i: (THREAD * 2 + (i & 1) + 8 * (i >= 2), GROUP)),
    "m16n8k32.A": (
        (16, 32),
        16,
        lambda i: (GROUP + 8 * (not (i < 4 or 8 <= i < 12)), THREAD * 4 + (i & 3) + 16 * (i >= 8)),
    ),
    "m16n8k32.B": ((32, 8), 8, lambda i: (THREAD * 4 + (i & 3) + 16 * (i >= 4), GROUP)),
    "m16n8.C": ((16, 8), 4, lambda i: (GROUP + 8 * (i >= 2), THREAD * 2 + (i & 1))),
    "tf32.A": ((16, 8), 4, lambda i: (GROUP + 8 * (i in (1, 3)), THREAD + 4 * (i >= 2))),
    "tf32.B": ((8, 8), 2, lambda i: (THREAD + 4 * i, GROUP)),
    "ldmatrix": ((8, 8), 2, lambda i: (GROUP, THREAD * 2 + i)),
}


@pytest.mark.parametrize("fragment", PTX)
def test_fragments_are_those_of_the_ptx_isa(fragment):
    """PTX ISA, "Matrix Fragments for mma.m16n8k*", "ldmatrix"."""
    shape, registers, place = PTX[fragment]
    offsets = table(formats.mma(shape, fragment))
    for register in range(registers):
        row, column = place(register)
        np.testing.assert_array_equal(offsets[row, column], LANE * registers + register)


@pytest.mark.parametrize("columns", [8, 16, 64])
def test_accumulators_of_wgmma_are_those_of_the_ptx_isa(columns):
    """PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16", D: rows of a warp and pairs of columns."""
    offsets, registers = table(formats.wgmma_accumulator((64, columns))), columns // 2
    thread = np.arange(128)
    for i in range(registers):
        row = 16 * (thread // 32) + thread % 32 // 4 + 8 * (i // 2 % 2)
        column = 8 * (i // 4) + 2 * (thread % 4) + i % 2
        np.testing.assert_array_equal(offsets[row, column], thread * registers + i)


def test_accumulators_of_mfma_are_those_of_their_document():
    """AMD lab notes, *Matrix cores*, 32 x 32: row 8 * (v / 4) + 4 * (lane / 32) + v % 4, column lane % 32."""
    offsets, lane = table(formats.mfma_accumulator((32, 32))), np.arange(64)
    for v in range(16):
        np.testing.assert_array_equal(offsets[8 * (v // 4) + 4 * (lane // 32) + v % 4, lane % 32], lane * 16 + v)
