"""Compile an example of bindings to an extension module beside the sources, or in a folder that is named.

    python examples/bindings/build.py nanobind_example [folder]

nanobind and pybind11 are sources in their wheels, so that one command compiles a module; a project of its own has CMake
or Meson do it. The C++ compiler is that of this machine, or else Clang with libc++ from the package ``ziglang``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
FLAGS = ("-std=c++2b", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing")


def folder_of(package: str) -> Path:
    """Folder of an installed package."""
    found = find_spec(package)
    if found is None or found.origin is None:
        message = f"{package} is missing: pip install 'mdview-layouts[bindings]'"
        raise ModuleNotFoundError(message)
    return Path(found.origin).parent


def compiler() -> list[str]:
    """Command of a C++ compiler."""
    host = next((path for name in ("c++", "g++", "clang++") if (path := shutil.which(name))), None)
    if host is None and find_spec("ziglang") is None:
        message = "there is no C++ compiler: pip install ziglang"
        raise FileNotFoundError(message)
    return [host] if host else [sys.executable, "-m", "ziglang", "c++", "-fno-sanitize=all"]


def mdspan_headers() -> list[Path]:
    """Folders with a `<cuda/std/mdspan>`: that of CCCL, if it is installed, for C++ libraries without `<mdspan>`."""
    try:
        files = metadata.files("nvidia-cuda-cccl") or []
    except metadata.PackageNotFoundError:
        return []
    return [Path(str(file.locate())).parents[2] for file in files if file.as_posix().endswith("/cuda/std/mdspan")]


def command(name: str, target: Path) -> list[str]:
    """Command that compiles the example ``name``."""
    sources = [HERE / f"{name}.cpp"]
    headers = [Path(sysconfig.get_paths()["include"])]
    if name.startswith("nanobind"):
        library = folder_of("nanobind")
        sources.append(library / "src" / "nb_combined.cpp")
        headers += [library / "include", library / "ext" / "robin_map" / "include", *mdspan_headers()]
    else:
        headers.append(folder_of("pybind11") / "include")
    late = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    return [*compiler(), *FLAGS, *[f"-I{folder}" for folder in headers], *map(str, sources), *late, "-o", str(target)]


def build(name: str, folder: Path = HERE) -> Path:
    """Compile the example ``name`` into a folder and return the path of the module."""
    target = folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    subprocess.run(command(name, target), check=True)  # noqa: S603 - a compiler, with arguments of our own
    return target


if __name__ == "__main__":
    build(sys.argv[1], *map(Path, sys.argv[2:]))
