"""Bytes are read-only, and so is a view of them."""

from mdview import asview


def main(data: bytes, other: bytearray) -> None:
    asview(other)[0] = 1
    asview(data)[0] = 1  # error: bytes cannot be stored to


main(b"abc", bytearray(3))
