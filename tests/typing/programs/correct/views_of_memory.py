"""asview of what has memory: its type says element, rank and layout where the source's does."""

import ctypes
from array import array
from mmap import mmap
from multiprocessing.shared_memory import SharedMemory
from typing import assert_type, final

from mdview import Accessor, DefaultAccessor, Dims1, Layout, LayoutRight, MDView, ReadOnlyAccessor, asview
from mdview.layouts import StridedLayout


@final
class Image:
    """Tells of its memory by an array interface."""

    def __init__(self) -> None:
        self.pixels: bytearray = bytearray(6)

    @property
    def __array_interface__(self) -> dict[str, object]:
        return {"version": 3, "shape": (2, 3), "typestr": "|u1", "data": self.pixels}


def total(view: MDView[float, Dims1, Layout, Accessor[float, float]]) -> float:
    return sum(view)


def share() -> None:
    memory = SharedMemory(create=True, size=8)
    with asview(memory) as view:
        assert_type(view, MDView[int, tuple[int], LayoutRight, DefaultAccessor[int]])
        view[0] = 1
    memory.close()
    memory.unlink()


def main() -> None:
    share()
    numbers = array("d", [1.0, 2.0])
    view = asview(numbers)
    assert_type(view, MDView[float, tuple[int], LayoutRight, DefaultAccessor[float]])
    view[0] = 3.0
    assert total(view) == 5.0
    assert numbers[0] == 3.0

    counts = asview(array("i", [1, 2]))
    assert_type(counts[1], int)

    text = asview(b"abc")
    assert_type(text, MDView[int, tuple[int], LayoutRight, ReadOnlyAccessor[int]])
    assert text[0] == 97

    data = asview(bytearray(b"abc"))
    assert_type(data, MDView[int, tuple[int], LayoutRight, DefaultAccessor[int]])
    data[0] = 1

    with mmap(-1, 8) as memory, asview(memory) as mapped:
        assert_type(mapped[0], int)
        mapped[0] = 1

    stepped = asview(memoryview(b"abcdef")[::-2])
    assert_type(stepped, MDView[int, tuple[int, ...], StridedLayout, DefaultAccessor[int]])
    assert stepped.tolist() == [102, 100, 98]

    grid: MDView[int, tuple[int, ...], StridedLayout] = asview((ctypes.c_int * 6)(1, 2))
    assert grid.extents == (6,)
    assert grid[1] == 2
    assert asview(Image()).extents == (2, 3)  # numpy


main()
