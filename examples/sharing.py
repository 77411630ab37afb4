"""Sharing: one buffer, used by NumPy, by torch if installed, and by a C++ function, without a copy.

A view of a terrain model is passed to each of them, and each writes into the shared memory. The C++ function takes a
``std::mdspan``; each call compares the view with its type.

Run ``python examples/sharing.py``; it needs NumPy, matplotlib for the terrain model, and ziglang for a C++ compiler.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mdview import asview, subview
from mdview.errors import ConversionError
from mdview.interop import cpp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

MATRIX: Final = "std::mdspan<double, std::dextents<int, 2>, std::layout_stride>"
SOURCE: Final = f"""
#include "mdview.hpp"

extern "C" double flood(const mdview::strided<2>* given, double level) {{
  auto heights = mdview::as<{MATRIX}>(*given);
  double raised = 0;
  for (int i = 0; i < heights.extent(0); ++i)
    for (int j = 0; j < heights.extent(1); ++j)
      if (heights[i, j] < level) {{
        heights[i, j] = level;
        raised += 1;
      }}
  return raised;
}}
"""


def load() -> NDArray[np.float64]:
    """Heights around the Jacksboro fault, Tennessee, in metres."""
    from matplotlib.cbook import get_sample_data  # noqa: PLC0415 - for the data only

    with np.load(get_sample_data("jacksboro_fault_dem.npz", asfileobj=False)) as dem:
        heights: NDArray[np.float64] = dem["elevation"].astype(float)
    return heights


def build(folder: Path) -> Callable[..., float]:
    """Compile the C++ function and return it as one of views.

    It needs no code of the C++ library. The compiler of this machine links it where there is one, as Zig would compile
    libraries of its own first.
    """
    source, compiled, library = folder / "flood.cpp", folder / "flood.o", folder / "flood.so"
    source.write_text(SOURCE, encoding="utf-8")
    zig = [sys.executable, "-m", "ziglang"]
    flags = ["-std=c++2b", "-O2", "-fPIC", "-fno-exceptions", f"-I{cpp.include_folder()}"]
    linker = ["cc"] if shutil.which("cc") else [*zig, "cc"]
    subprocess.run([*zig, "c++", *flags, "-c", source, "-o", compiled], check=True)  # noqa: S603
    subprocess.run([*linker, "-shared", compiled, "-o", library], check=True)  # noqa: S603
    found: Any = ctypes.CDLL(str(library)).flood  # Any: ctypes finds functions by name
    return cpp.function(found, MATRIX, ctypes.c_double, returns=ctypes.c_double)


def tensor(view: Any) -> Any:  # Any: whatever has __dlpack__, and the array of another library
    """Hand a view to torch by DLPack, or to NumPy where torch is missing."""
    if find_spec("torch") is None:
        return np.from_dlpack(view)
    import torch  # noqa: PLC0415 - large, and optional

    return torch.from_dlpack(view)


def main(arguments: Sequence[str] | None = None) -> int:
    """Let each partner write into the buffer, and look whether the others see it."""
    argparse.ArgumentParser(description="One buffer for NumPy, torch and C++.").parse_args(arguments)
    heights = load()
    view = asview(heights)
    valley = subview(view, slice(0, 200, 2), (100, 400))
    print(f"A view of {heights.shape[0]} x {heights.shape[1]} heights; a part of it is {cpp.cpp_type(valley)}")
    with TemporaryDirectory() as folder:
        flood = build(Path(folder))
        raised = flood(valley, 300.0)
    seen = bool(heights[0:200:2, 100:400].min() == 300.0)
    print(f"C++ has raised {raised:.0f} heights to 300 m in every other row; the NumPy array sees it: {seen}")
    other = tensor(view)
    other[0, 0] = -1.0
    shared = heights[0, 0] == view[0, 0] == -1.0
    print(f"A store into what {type(other).__module__} got by DLPack is seen by the array and the view: {bool(shared)}")
    try:
        flood(view[0], 0.0)
        refused = False
    except ConversionError as error:
        refused = True
        print(f"A row is refused before C++ is called: {error}")
    return 0 if seen and shared and refused else 1


if __name__ == "__main__":
    sys.exit(main())
