"""Bytes do not change."""

from mdview import MDView


def blank(width: int) -> bytes:
    data = bytes(3 * width)
    pixels = MDView(data, (width, 3))  # error: bytes are read-only; ReadOnlyAccessor() reads them
    pixels[0, 0] = 255
    return data


print(blank)
