"""The memory of a view goes to who reads buffers, and to other libraries through DLPack."""

import hashlib
from array import array
from typing import assert_type

import numpy as np

from mdview import MDView


def digest(view: MDView[float, tuple[int, int]]) -> str:
    return hashlib.sha256(view.memoryview()).hexdigest()


def main() -> None:
    view = MDView(array("d", range(12)), (3, 4))
    memory = view.memoryview()
    assert_type(memory, "memoryview[float]")
    memory[1, 2] = 0.5
    assert view[1, 2] == 0.5
    assert_type(view.byte_strides, tuple[int, ...])
    assert memory.strides == view.byte_strides == (32, 8)
    assert len(digest(view)) == 64
    shared = np.from_dlpack(view)
    shared[0, 0] = -1.0
    assert view[0, 0] == -1.0
    assert_type(view.__dlpack_device__(), tuple[int, int])


main()
