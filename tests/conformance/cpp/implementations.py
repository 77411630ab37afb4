"""The implementations of mdspan that the packages of the extra `conformance` bring along."""

import importlib.util
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from compiled import FRONT

from mdview.conformance import implementations, questions
from mdview.conformance.implementations import Implementation

EXTRA = "pip install 'mdview-layouts[conformance]'"
NEEDS = {"subviews": "submdspan", "linear algebra": "linalg", "preconditions": "preconditions"}
HOST_COMPILERS = ("g++", "c++", "clang++")


@dataclass(frozen=True)
class Package:
    """A package with an implementation of mdspan: its headers, its compiler, and what it offers."""

    name: str
    package: str
    compiler: Callable[[], Implementation]
    offers: frozenset[str]

    @property
    def version(self):
        """Version of the package."""
        return metadata.version(self.package)

    @property
    def features(self):
        """What it is asked about."""
        return [name for name in questions.FEATURES if NEEDS.get(name, "aligned") in self.offers]

    @property
    def target(self):
        """What is compiled and run."""
        return replace(self.compiler(), offers=self.offers)


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
    return Implementation(
        f"ziglang {metadata.version('ziglang')}",
        (*FRONT, *command, "c++", *flags),
        (linker,) if linker else (*command, "cc"),
    )


@cache
def cccl():
    """A compiler of this machine, or else that of `ziglang`, with the headers of CCCL."""
    if not has("nvidia-cuda-cccl"):
        pytest.skip(f"CCCL comes with the package nvidia-cuda-cccl, which is missing: {EXTRA}")
    headers = f"CCCL {metadata.version('nvidia-cuda-cccl')}"
    found = host()
    if found is None:
        with_zig = zig()
        compile_it = (*with_zig.compile, f"-I{cccl_headers()}")
        return Implementation(f"{headers}, {with_zig.version}", compile_it, with_zig.link, "cuda::std")
    compiler = implementations.compiler_of(f"{found} -std=c++20 -O0", [str(cccl_headers())], "cuda::std")
    return replace(compiler, version=f"{headers}, {compiler.version}", compile=(*FRONT, *compiler.compile))


def cccl_headers():
    """Folder of CCCL's headers."""
    files = metadata.files("nvidia-cuda-cccl") or ()
    header = next(file for file in files if file.as_posix().endswith("/cuda/std/mdspan"))
    return Path(str(header.locate())).parents[2]


def libcxx_version():
    """Version of the libc++ that `ziglang` has."""
    found = importlib.util.find_spec("ziglang")
    folder = Path(str(found and found.origin)).parent
    text = (folder / "lib" / "libcxx" / "include" / "__config").read_text(encoding="utf-8")
    digits = re.search(r"define _LIBCPP_VERSION (\d\d)(\d\d)(\d\d)", text)
    return ".".join(str(int(part)) for part in digits.groups()) if digits else "unknown"


LIBCXX = Package("libc++", "ziglang", zig, frozenset({"aligned"}))
CCCL = Package(
    "CCCL",
    "nvidia-cuda-cccl",
    cccl,
    frozenset({"aligned", "linalg", "relaxed", "strided_slice", "submdspan"}),
)
IMPLEMENTATIONS = {each.name: each for each in (LIBCXX, CCCL)}
