"""Bytes do not change."""

from mdview import MDView


def blank(width: int) -> bytes:
    data = bytes(3 * width)
    pixels = MDView(data, (width, 3))
    pixels[0, 0] = 255  # error: bytes are read-only; a bytearray is not
    return data


print(blank)
