"""Quantised weights: what the owner's library dequantises, or what the statements of its source pack."""

import numpy as np
import pytest
from owners import RANDOM, agrees, formats, noise, read, shapes

from mdview.formats import GGML

IQ4 = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113])


@pytest.mark.parametrize("kind", GGML)
def test_parts_of_gguf_give_what_gguf_dequantises(kind):
    gguf = pytest.importorskip("gguf", reason="gguf is not installed")
    number = gguf.GGMLQuantizationType[kind]
    for rows, blocks in shapes((2,), 6, longest=4):
        memory, shape = (
            finite(kind, noise((rows, blocks, GGML[kind]["bytes"]))),
            (rows, blocks * GGML[kind]["elements"]),
        )
        parts = {
            name: read(formats.gguf(shape, kind, name), memory, about["items"]).astype("f4")
            for name, about in GGML[kind]["parts"].items()
        }
        expected = gguf.quants.dequantize(memory.reshape(rows, -1), number)
        np.testing.assert_allclose(dequantised(kind, **parts), expected, rtol=1e-6, err_msg=kind)


def finite(kind, memory):
    """Let numbers of 16 and 8 bits be finite and not extreme."""
    for about in GGML[kind]["parts"].values():
        first = about["first"]
        if about["items"] == "float16":
            memory[..., 2 * first + 1] = 0x30 + memory[..., 2 * first + 1] % 8
        elif about["items"].startswith("float8"):
            memory[..., first : first + 4 if kind == "NVFP4" else first + 1] %= 64
            memory[..., first : first + 4 if kind == "NVFP4" else first + 1] += 40
        elif about["items"] == "bfloat16":
            memory[..., 1] = 0x3F
    return memory


def dequantised(kind, codes, scales=1, **more):
    """Compute numbers of the parts, as ``ggml-quants.c`` does; parts of several bits are shifted."""
    shift = {"Q6_K": 16, "Q5_0": 16, "Q5_1": 16, "Q5_K": 16, "Q3_K": 4}.get(kind, 0)
    codes = codes + shift * more.get("codes_high", 0)
    codes = codes - {"Q4_0": 8, "Q5_0": 16, "Q6_K": 32, "TQ2_0": 1, "Q3_K": 4}.get(kind, 0)
    if kind.startswith("IQ4"):
        codes = IQ4[codes.astype(int)]
    if "scales_low" in more:
        zero = {"Q3_K": 32, "IQ4_XS": 32}.get(kind, 0)
        scales = scales * (more["scales_low"] + 16 * more.get("scales_high", 0) - zero)
    sign = 1 if kind in {"Q4_1", "Q5_1"} else -1
    minima = more.get("minima", 0) * (more.get("minima_low", 1) + 16 * more.get("minima_high", 0))
    return scales * codes + sign * minima


def test_gptq_packs_inputs():
    """AutoGPTQ, ``QuantLinear.pack``: qweight[row] |= intweight[i + …] << (bits * j), for 8 rows in a word."""
    for inputs, outputs in shapes((2,), 8):
        codes = noise((8 * inputs, outputs), "u4", 16)
        words = np.zeros((inputs, outputs), "<u4")
        for k in range(8):
            words |= codes[k::8] << 4 * k
        agrees(formats.gptq(codes.shape), words, "uint4", codes)


def test_awq_packs_outputs_in_its_order():
    """AutoAWQ 0.2.9, ``WQLinear_GEMM.from_linear``: order_map = [0, 2, 4, 6, 1, 3, 5, 7]."""
    for inputs, outputs in shapes((2,), 8):
        codes = noise((inputs, 8 * outputs), "u4", 16)
        words = np.zeros((inputs, outputs), "<u4")
        for place, column in enumerate([0, 2, 4, 6, 1, 3, 5, 7]):
            words |= codes[:, column::8] << 4 * place
        agrees(formats.awq(codes.shape), words, "uint4", codes)


def test_marlin_packs_as_threads_load():
    """Marlin, ``_get_perms`` and ``Layer.pack``."""
    order = []
    for i in range(32):
        rows = [2 * (i % 4), 2 * (i % 4) + 1, 2 * (i % 4 + 4), 2 * (i % 4 + 4) + 1]
        one = [16 * row + i // 4 + 8 * block for block in (0, 1) for row in rows]
        order += [place + 256 * j for j in range(4) for place in one]
    order = np.array(order).reshape(-1, 8)[:, [0, 2, 4, 6, 1, 3, 5, 7]].ravel()
    for inputs, outputs in shapes((2,), 6, longest=4):
        codes = noise((16 * inputs, 64 * outputs), "u4", 16)
        tiles = codes.reshape(inputs, 16, 4 * outputs, 16).transpose(0, 2, 1, 3).reshape(inputs, -1)
        moved = tiles.reshape(-1, order.size)[:, order].reshape(tiles.shape)
        words = np.zeros((inputs, moved.shape[1] // 8), "<u4")
        for k in range(8):
            words |= moved[:, k::8] << 4 * k
        agrees(formats.marlin(codes.shape), words, "uint4", codes)


def test_compressed_tensors_pad_rows_to_words():
    """compressed-tensors 0.20.1, ``pack_to_int32``: value + 8, padded to the pack factor, << (num_bits * i)."""
    for shape in shapes((2,), 8, longest=20):
        values = noise(shape, "i4", 16) - 8
        padded = np.pad(values + 8, ((0, 0), (0, -shape[1] % 8))).astype("<u4")
        words = sum(padded[:, k::8] << 4 * k for k in range(8)).astype("<u4")
        agrees(formats.compressed_tensors(shape), words, "uint4", values + 8)


def test_bitsandbytes_has_the_first_number_in_the_high_nibble():
    """bitsandbytes, ``quantize_4bit``: packed = (quantized[::2] << 4) | quantized[1::2]."""
    codes = noise((6, 64), levels=16)
    flat = codes.ravel()
    agrees(formats.bitsandbytes(codes.shape), (flat[::2] << 4) | flat[1::2], ">uint4", codes)


def test_onnx_has_the_first_number_in_the_low_nibble():
    """ONNX, ``TensorProto.DataType``: "two 4-bit elements per byte", the first in the low bits."""
    codes = noise((3, 4), levels=16)
    flat = codes.ravel()
    agrees(formats.onnx_int4(codes.shape), flat[::2] | (flat[1::2] << 4), "uint4", codes)


def test_scales_lie_in_tiles_of_128_by_4():
    """*cuBLAS*, "1D Block Scaling Factors Layout": the offset in a tile is (r % 32) * 16 + (r / 32) * 4 + c."""
    for shape in [(128, 4), (1, 1), (130, 9), (RANDOM.randint(1, 400), RANDOM.randint(1, 20))]:
        rows, columns = np.indices(shape)
        tile = (rows // 128) * -(-shape[1] // 4) + columns // 4
        expected = tile * 512 + (rows % 32) * 16 + (rows % 128 // 32) * 4 + columns % 4
        offsets = np.array(list(formats.mx_scales(shape).offsets())).reshape(shape)
        np.testing.assert_array_equal(offsets, expected)


@pytest.mark.parametrize("order", ["COL32", "COL4_4R2_8C", "COL32_2R_4R4"])
def test_orders_of_cublaslt_are_those_of_fastertransformer(order):
    """FasterTransformer, ``index_CUBLASLT_ORDER_COL4_4R2_8C`` and ``…_COL32_2R_4R4``, ``m_32`` is 32 * rows."""
    for height, width in shapes((2,), 4, longest=3):
        shape = 32 * height, 32 * width
        r, c = np.indices(shape)
        within = {
            "COL32": 32 * r + c % 32,
            "COL4_4R2_8C": (((r >> 3 << 3) + ((r & 1) << 2) + ((c & 31) >> 3)) << 5)
            + ((((c & 7) >= 4) * 4 + ((r & 7) >> 1)) << 2)
            + (c & 3),
            "COL32_2R_4R4": (r >> 5 << 10) + (((((r & 7) >> 1 << 2) + ((r & 31) >> 3) << 1) + (r & 1)) << 5) + (c & 31),
        }[order]
        offsets = np.array(list(formats.cublaslt(shape, order).offsets())).reshape(shape)
        np.testing.assert_array_equal(offsets, (c >> 5) * 32 * shape[0] + within)
