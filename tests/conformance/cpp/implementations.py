"""C++ compilers and libraries with mdspan: those of this machine, and of packages of the extra `conformance`."""

import shutil
import sys
from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest
from compiled import FRONT

EXTRA = "pip install 'mdview-layouts[conformance]'"
HOST_COMPILERS = ("g++", "c++", "clang++")


class Implementation(NamedTuple):
    """The commands that make object files, and programs of them."""

    compile: tuple[str, ...]
    link: tuple[str, ...]


def has(package):
    """Tell whether a package is installed."""
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def host():
    """Find a C++ compiler of this machine."""
    return next((found for name in HOST_COMPILERS if (found := shutil.which(name))), None)


@cache
def zig():
    """Clang with libc++, as the package `ziglang` has them.

    Programs are linked by the machine's own compiler where there is one: Zig would first compile all of libc++, of
    which mdspan needs nothing. For the same reason there are no exceptions.
    """
    if not has("ziglang"):
        pytest.skip(f"libc++ comes with the package ziglang, which is missing: {EXTRA}")
    command = (sys.executable, "-m", "ziglang")
    flags = ("-std=c++26", "-O0", "-fno-exceptions", "-fno-rtti", "-fno-sanitize=all", "-c")
    linker = host() or shutil.which("cc")
    return Implementation((*FRONT, *command, "c++", *flags), (linker,) if linker else (*command, "cc"))


@cache
def cccl():
    """A compiler of this machine, or else that of `ziglang`, with the headers of CCCL."""
    if not has("nvidia-cuda-cccl"):
        pytest.skip(f"CCCL comes with the package nvidia-cuda-cccl, which is missing: {EXTRA}")
    include, found = f"-I{cccl_headers()}", host()
    if found is None:
        return Implementation((*zig().compile, include), zig().link)
    return Implementation((*FRONT, found, "-std=c++20", "-O0", include, "-c"), (found,))


def cccl_headers():
    """Folder of CCCL's headers."""
    files = metadata.files("nvidia-cuda-cccl") or ()
    header = next(file for file in files if file.as_posix().endswith("/cuda/std/mdspan"))
    return Path(str(header.locate())).parents[2]


IMPLEMENTATIONS: dict[str, Callable[[], Implementation]] = {"libc++": zig, "CCCL": cccl}
