"""A view holds its buffer; `with` and `release` give it back."""

import mmap
import tempfile
from typing import BinaryIO, assert_type

from mdview import Dims2, LayoutRight, MDView, ReadOnlyAccessor


def checksum(file: BinaryIO, rows: int, columns: int) -> int:
    reading: ReadOnlyAccessor[int] = ReadOnlyAccessor()
    with (
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as memory,
        MDView(memory, (rows, columns), accessor=reading) as view,
    ):
        assert_type(view, MDView[int, Dims2, LayoutRight, ReadOnlyAccessor[int]])
        return sum(sum(row) for row in view)


def main() -> None:
    with tempfile.TemporaryFile() as file:
        _ = file.write(bytes(range(6)))
        file.flush()
        assert checksum(file, 2, 3) == 15
    buffer = bytearray(6)
    view = MDView(buffer, (2, 3))
    view[1, 2] = 255
    view.release()
    buffer.append(1)
    assert list(buffer) == [0, 0, 0, 0, 0, 255, 1]


main()
