"""Images and video, compared with the files that Pillow and others write, or with the bytes of a document."""

from io import BytesIO

import numpy as np
import pytest
from owners import agrees, formats, noise, numbers, read, shapes


def saved(pixels, kind):
    """Return the bytes of a file that Pillow writes."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    file = BytesIO()
    image.fromarray(pixels).save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize("samples", [1, 3])
def test_bmp_rows_are_padded_from_the_bottom_and_blue_first(samples):
    for height, width in shapes((2,), 20, longest=20):
        pixels = noise((height, width, samples))
        data = saved(pixels[..., 0] if samples == 1 else pixels, "BMP")
        agrees(formats.bmp(pixels.shape), data, "u1", pixels, offset=int.from_bytes(data[10:14], "little"))


def test_bmp_of_32_bits_has_alpha_last_in_memory():
    pixels = noise((3, 5, 4))
    data = saved(pixels, "BMP")
    got = read(formats.bmp(pixels.shape), data, "u1", int.from_bytes(data[10:14], "little"))
    np.testing.assert_array_equal(got[..., [1, 2, 3, 0]], pixels)


def test_bmp_of_1_bit_has_rows_of_32_bits():
    for shape in shapes((2,), 20, longest=70):
        pixels = noise(shape, levels=2)
        data = saved(pixels.astype(bool), "BMP")
        agrees(formats.bmp_1bit(shape), data, ">uint1", pixels, offset=int.from_bytes(data[10:14], "little"))


def test_pbm_rows_are_bytes_of_bits():
    for shape in shapes((2,), 20, longest=40):
        pixels = noise(shape, levels=2)
        data = saved(pixels.astype(bool), "PPM")
        agrees(formats.pbm(shape), data[-shape[0] * -(-shape[1] // 8) :], ">uint1", 1 - pixels)


def test_pgm_and_ppm_are_rows_of_pixels():
    pixels = noise((4, 5, 3))
    agrees(formats.pnm(pixels.shape), saved(pixels, "PPM")[-60:], "u1", pixels)
    deep = noise((4, 5, 1), "u2", 2**16)
    agrees(formats.pnm(deep.shape), saved(deep[..., 0], "PPM")[-40:], ">u2", deep)


@pytest.mark.parametrize("samples", [1, 3])
def test_tga_rows_begin_at_the_bottom(samples):
    for height, width in shapes((2,), 20):
        pixels = noise((height, width, samples))
        data = saved(pixels[..., 0] if samples == 1 else pixels, "TGA")
        assert not data[17] >> 5 & 1
        agrees(formats.tga(pixels.shape), data[18:], "u1", pixels, offset=data[0])


@pytest.mark.parametrize("samples", [1, 3, 4])
def test_sgi_planes_begin_at_the_bottom(samples):
    for height, width in shapes((2,), 10):
        pixels = noise((height, width, samples))
        data = saved(pixels[..., 0] if samples == 1 else pixels, "SGI")
        agrees(formats.sgi(pixels.shape), data, "u1", pixels, offset=512)


def test_pfm_rows_begin_at_the_bottom():
    for shape in shapes((2,), 10):
        values = noise(shape, "f4")
        data = saved(values, "PPM")
        assert data[:2] == b"Pf"
        agrees(formats.pfm(shape), data[-4 * values.size :], "<f4", values)


@pytest.mark.parametrize(("samples", "order"), [(3, [0, 1, 2]), (4, [1, 2, 3, 0])])
def test_dds_pixels_are_blue_first(samples, order):
    for height, width in shapes((2,), 10):
        pixels = noise((height, width, samples))
        got = read(formats.dds(pixels.shape), saved(pixels, "DDS"), "u1", 128)
        np.testing.assert_array_equal(got[..., order], pixels)


def test_bc1_codes_are_what_pillow_decodes():
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    for rows, columns in shapes((2,), 10, longest=5):
        blocks = noise((rows, columns, 8))
        blocks[..., :4] = 0xFF, 0xFF, 0, 0  # white and black, of which four greys are made
        header = bytearray(saved(np.zeros((4 * rows, 4 * columns, 3), "u1"), "DDS")[:128])
        header[76:88] = (32).to_bytes(4, "little") + (4).to_bytes(4, "little") + b"DXT1"
        decoded = np.asarray(image.open(BytesIO(bytes(header) + blocks.tobytes())).convert("L"))
        codes = read(formats.bc1((4 * rows, 4 * columns)), blocks, "uint2")
        np.testing.assert_array_equal(np.array([255, 0, 170, 85])[codes], decoded)
        colours = read(formats.bc1((4 * rows, 4 * columns), "colours"), blocks, "<u2")
        assert colours.reshape(-1, 2).tolist() == [[0xFFFF, 0]] * (rows * columns)


@pytest.mark.parametrize(("kind", "size"), [("f2", 2), ("f4", 4)])
def test_exr_scan_lines_have_planes_in_a_line(tmp_path, kind, size):
    openexr = pytest.importorskip("OpenEXR", reason="OpenEXR is not installed")
    for height, width in shapes((2,), 6):
        pixels, path = noise((height, width, 3)).astype(kind), str(tmp_path / "a.exr")
        header = {"compression": openexr.NO_COMPRESSION, "type": openexr.scanlineimage}
        channels = {name: np.ascontiguousarray(pixels[..., k]) for k, name in enumerate("RGB")}
        with openexr.File(header, channels) as file:
            file.write(path)
        data = (tmp_path / "a.exr").read_bytes()
        begin = len(data) - height * (8 + 3 * width * size)
        assert int.from_bytes(data[begin - 8 * height :][:8], "little") == begin
        agrees(formats.exr_scanlines(pixels.shape, size), data, kind, pixels, offset=begin)


# Video, as the documents print bytes of 4 x 4 pixels: V4L2, "Image Formats".
Y = np.arange(16).reshape(4, 4)
U = 100 + np.arange(4).reshape(2, 2)
V = 200 + np.arange(4).reshape(2, 2)


def test_nv12_has_pairs_of_chroma_behind_luma():
    """V4L2_PIX_FMT_NV12: Y'00 … Y'33, then Cb00 Cr00 Cb01 Cr01 / Cb10 Cr10 Cb11 Cr11."""
    memory = np.concatenate([Y.ravel(), np.stack([U, V], 2).ravel()]).astype("u1")
    for part, plane in zip("yuv", (Y, U, V), strict=True):
        agrees(formats.nv12((4, 4), part), memory, "u1", plane)
        agrees(formats.nv12((4, 4), part), memory.astype("<u2") << 6, "<u2", plane << 6)


def test_i420_has_planes():
    """V4L2_PIX_FMT_YUV420: Y'00 … Y'33, then Cb00 Cb01 Cb10 Cb11, then Cr00 Cr01 Cr10 Cr11."""
    memory = np.concatenate([Y.ravel(), U.ravel(), V.ravel()]).astype("u1")
    for part, plane in zip("yuv", (Y, U, V), strict=True):
        agrees(formats.i420((4, 4), part), memory, "u1", plane)


def test_yuyv_has_two_pixels_in_four_bytes():
    """V4L2_PIX_FMT_YUYV: Y'00 Cb00 Y'01 Cr00 Y'02 Cb01 Y'03 Cr01 in each line."""
    u, v = np.repeat(U, 2, 0), np.repeat(V, 2, 0)
    memory = np.stack([Y[:, ::2], u, Y[:, 1::2], v], 2).astype("u1")
    for part, plane in zip("yuv", (Y, u, v), strict=True):
        agrees(formats.yuyv((4, 4), part), memory, "u1", plane)


@pytest.mark.parametrize(("name", "packed"), [("nv12", "nv12"), ("i420", "yuv420p"), ("yuyv", "yuyv422")])
def test_planes_are_those_of_ffmpeg(name, packed):
    av = pytest.importorskip("av", reason="PyAV is not installed")
    frame = av.VideoFrame.from_ndarray(noise((32, 64, 3)), format="rgb24").reformat(format=packed)
    planar = frame.reformat(format="yuv422p" if name == "yuyv" else "yuv420p")
    memory = b"".join(rows_of(plane, plane.line_size, plane.height) for plane in frame.planes)
    for part, plane in zip("yuv", planar.planes, strict=True):
        expected = np.frombuffer(rows_of(plane, plane.line_size, plane.height), "u1").reshape(plane.height, -1)
        agrees(getattr(formats, name)((32, 64), part), memory, "u1", expected[:, : plane.width])


def rows_of(plane, line, height):
    return bytes(plane)[: line * height]


def test_a_bayer_mosaic_has_a_plane_for_each_place_of_its_pattern():
    """V4L2_PIX_FMT_SRGGB8: R00 G01 R02 G03 / G10 B11 G12 B13 / R20 G21 R22 G23 / G30 B31 G32 B33."""
    sensor = numbers((4, 4), "u1")
    planes = read(formats.bayer((2, 2, 4)), sensor, "u1")
    red, green, other, blue = np.moveaxis(planes, 2, 0).tolist()
    assert red == sensor[::2, ::2].tolist()
    assert green == sensor[::2, 1::2].tolist()
    assert other == sensor[1::2, ::2].tolist()
    assert blue == sensor[1::2, 1::2].tolist()


def test_bit_planes_alternate_by_rows():
    """EA IFF 85, *ILBM*, "BODY": all of row 0 of plane 0, row 0 of plane 1, …; rows have a whole number of words."""
    planes = noise((3, 2, 21), levels=2)
    rows = np.pad(planes, ((0, 0), (0, 0), (0, 11))).transpose(1, 0, 2)
    agrees(formats.bitplanes(planes.shape), np.packbits(rows), ">uint1", planes)
