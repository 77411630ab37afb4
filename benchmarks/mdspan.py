"""The C++ loops of `mdspan_kernels.cpp` over ``std::mdspan``, compiled by Zig's Clang and called by ctypes.

Zig is installed as a wheel (``pip install ziglang``). The version of its Clang is close to that of Numba's LLVM, and
contraction to fused multiply-add is off, as in Numba, so that results agree to the bit.
"""

from __future__ import annotations

import ctypes
import importlib.util
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

SOURCE: Final = Path(__file__).with_name("mdspan_kernels.cpp")
FLAGS: Final = ("-std=c++23", "-march=native", "-shared", "-fPIC")


@cache
def library() -> ctypes.CDLL | None:
    """Return the loops, compiled into a temporary directory and loaded; None if Zig is not installed."""
    if importlib.util.find_spec("ziglang") is None:
        print("no C++ peer: pip install ziglang")
        return None
    print("compiling the C++ peer; the first time takes minutes, as Zig builds its standard library", file=sys.stderr)
    return compiled(SOURCE, "-O3", "-ffp-contract=off")


def compiled(source: Path, *flags: str) -> ctypes.CDLL:
    """Return a shared library compiled from a file of C++."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        target = Path(folder) / "peer.so"
        command = [sys.executable, "-m", "ziglang", "c++", *FLAGS, *flags, str(source), "-o", str(target)]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(target))


def function(name: str, arrays: Sequence[NDArray[Any]], numbers: Sequence[int], *, returns: bool) -> Callable[[], Any]:
    """Return a function without arguments that runs a compiled loop on the memory of ``arrays``.

    The caller keeps the arrays alive. ``numbers`` are the integer arguments of the loop: the extents, the strides for
    ``layout_stride``, and scalars.
    """
    loaded = library()
    assert loaded is not None
    call = getattr(loaded, name)
    pointer = ctypes.POINTER(ctypes.c_double)
    call.restype = ctypes.c_double if returns else None
    call.argtypes = [*[pointer] * len(arrays), ctypes.POINTER(ctypes.c_int64)]
    arguments = [array.ctypes.data_as(pointer) for array in arrays]
    extents = (ctypes.c_int64 * len(numbers))(*numbers)

    def run() -> Any:
        return call(*arguments, extents)

    return run
