"""Formats that their owners define as steps on an array: pad, reshape, transpose. NumPy takes these steps.

What is left in C order is the memory of the format. It is compared with what `copy` stores.
"""

import pytest
from named import COMBINED, JOINED, mapping

from mdview import MDView, copy, parse

np = pytest.importorskip("numpy", reason="NumPy is not installed")


def numbers(shape):
    return np.arange(1, np.prod(shape) + 1, dtype="<i4").reshape(shape)


def stored(target, size):
    """Return what a copy of 1, 2, ... leaves in a buffer of zeros."""
    memory = np.zeros(size, dtype="<i4")
    copy(MDView(numbers(tuple(target.extents)), tuple(target.extents)), MDView.from_mapping(memory, target))
    return memory.tolist()


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
    "T(2,2)": [(2, 2)],
    "T(2,128)": [(2, 128)],
    "T(2,4)(2,1)": [(2, 4), (2, 1)],
    "T(8,128)(2,1)": [(8, 128), (2, 1)],
    "T(8,128)(4,1)": [(8, 128), (4, 1)],
}


@pytest.mark.parametrize("name", XLA)
@pytest.mark.parametrize("shape", [(3, 5), (4, 8), (1, 1), (16, 256), (9, 130), (2, 300)], ids=str)
def test_xla_tiles_are_padded_reshaped_and_transposed(name, shape):
    tiled = numbers(shape)
    for tile in XLA[name]:
        tiled = tiled_by_xla(tiled, tile)
    assert stored(mapping(name, shape), tiled.size) == tiled.ravel().tolist()


def test_xla_joins_two_tiles():
    """*Tiled layout*, "Repeated tiling": a later tile may refer to the dimensions across the tiles before it."""
    tiled = tiled_by_xla(tiled_by_xla(numbers((8, 8)), (2, 4)), (2, 1, 1, 1))
    assert stored(parse(JOINED), 64) == tiled.ravel().tolist()


def test_xla_combines_dimensions():
    """*Tiled layout*, "Combining dimensions using tiles": [2,7,8,11,10] as [112,110], in tiles of (2,3)."""
    tiled = tiled_by_xla(numbers((2, 7, 8, 11, 10)).reshape(112, 110), (2, 3))
    assert stored(parse(COMBINED), tiled.size) == tiled.ravel().tolist()


@pytest.mark.parametrize("shape", [(2, 35, 3, 5), (1, 16, 2, 2), (3, 1, 1, 2)], ids=str)
def test_ascend_nc1hwc0_is_reshaped_and_transposed(shape):
    """CANN, *Operator Development, Format*: reshape([N, C1, C0, H, W]).transpose([0, 1, 3, 4, 2])."""
    n, _, h, w = shape
    whole = np.pad(numbers(shape), [(0, 0), (0, -shape[1] % 16), (0, 0), (0, 0)])
    blocked = whole.reshape([n, whole.shape[1] // 16, 16, h, w]).transpose([0, 1, 3, 4, 2])
    assert stored(mapping("NC1HWC0", shape), blocked.size) == blocked.ravel().tolist()


@pytest.mark.parametrize(("name", "width"), [("FRACTAL_NZ", 16), ("FRACTAL_NZ of int8", 32)])
@pytest.mark.parametrize("shape", [(100, 30), (16, 32), (1, 17), (33, 65)], ids=str)
def test_ascend_nz_is_w1_h1_h0_w0(name, width, shape):
    """CANN, *TransdataOperation*: FRACTAL_NZ is N W1 H1 H0 W0; H0 is 16, W0 is 16 for float16 and 32 for int8."""
    whole = padded(numbers(shape), (16, width))
    height, breadth = whole.shape
    fractal = whole.reshape(height // 16, 16, breadth // width, width).transpose(2, 0, 1, 3)
    assert stored(mapping(name, shape), fractal.size) == fractal.ravel().tolist()


@pytest.mark.parametrize("shape", [(2, 35, 3, 5), (1, 32, 2, 2), (1, 1, 1, 1)], ids=str)
def test_tensorrt_chw32_is_the_c_array_of_its_documentation(shape):
    """NVIDIA TensorRT, ``TensorFormat``: a C array [N][(C+31)/32][H][W][32], subscript [n][c/32][h][w][c%32]."""
    n, channels, h, w = shape
    array = np.zeros((n, (channels + 31) // 32, h, w, 32), dtype="<i4")
    for c in range(channels):
        array[:, c // 32, :, :, c % 32] = numbers(shape)[:, c]
    assert stored(mapping("kCHW32", shape), array.size) == array.ravel().tolist()


@pytest.mark.parametrize("count", [1, 8, 20])
def test_aosoa_is_an_array_of_structs_of_arrays(count):
    """Cabana, *Core AoSoA*: an array of structs, each of which has a short array for each member."""
    structs = np.zeros((count + 7) // 8, dtype=[("x", "<i4", 8), ("y", "<i4", 8), ("z", "<i4", 8)])
    for particle, members in enumerate(numbers((count, 3))):
        for name, value in zip("xyz", members, strict=True):
            structs[particle // 8][name][particle % 8] = value
    memory = np.frombuffer(structs.tobytes(), dtype="<i4")
    assert stored(mapping("AoSoA", (count, 3)), memory.size) == memory.tolist()
