"""The implementations of mdspan that are asked here: which headers, which compiler, and programs compiled and run.

Headers come from packages of the extra `conformance`. Compiled programs are kept under the name of everything that
went into them, so that only a change compiles again.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import pytest
import questions

HERE = Path(__file__).parent
EXTRA = "pip install 'mdview-layouts[conformance]'"
HOST_COMPILERS = ("g++", "c++", "clang++")
SECONDS = 600


@dataclass(frozen=True)
class Compiler:
    """Commands that make an object file of a program, and a program of that; the version is that of all they use."""

    version: str
    compile: tuple[str, ...]
    link: tuple[str, ...]


@dataclass(frozen=True)
class Implementation:
    """An implementation of mdspan: the package with its headers, what it has, and its compiler."""

    name: str
    package: str
    layouts: tuple[str, ...]
    features: dict[str, questions.Feature]
    compiler: Callable[[], Compiler]

    @property
    def version(self) -> str:
        """Version of the package."""
        return metadata.version(self.package)


# --- compilers -------------------------------------------------------------------------------------------------------


def has(package: str) -> bool:
    """Tell whether a package is installed."""
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def host() -> str | None:
    """Find a C++ compiler of this machine."""
    return next((found for name in HOST_COMPILERS if (found := shutil.which(name))), None)


@cache
def zig() -> Compiler:
    """Clang with libc++, as the package `ziglang` has them.

    Programs are linked by the machine's own compiler where there is one: Zig would first compile all of libc++, of
    which mdspan needs nothing. For the same reason there are no exceptions.
    """
    if not has("ziglang"):
        pytest.skip(f"libc++ comes with the package ziglang, which is missing: {EXTRA}")
    command = (sys.executable, "-m", "ziglang")
    flags = ("-std=c++26", "-O0", "-fno-exceptions", "-fno-rtti", "-fno-sanitize=all", "-c")
    linker = host() or shutil.which("cc")
    return Compiler(
        f"ziglang {metadata.version('ziglang')}",
        (*command, "c++", *flags),
        (linker,) if linker else (*command, "cc"),
    )


@cache
def cccl() -> Compiler:
    """A compiler of this machine, or else that of `ziglang`, with the headers of CCCL."""
    if not has("nvidia-cuda-cccl"):
        pytest.skip(f"CCCL comes with the package nvidia-cuda-cccl, which is missing: {EXTRA}")
    flags = ("-DMDVIEW_CCCL", f"-I{cccl_headers()}")
    headers = f"CCCL {metadata.version('nvidia-cuda-cccl')}"
    found = host()
    if found is None:
        with_zig = zig()
        return Compiler(f"{headers}, {with_zig.version}", (*with_zig.compile, *flags), with_zig.link)
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return Compiler(f"{headers}, {version}", (found, "-std=c++20", "-O0", "-c", *flags), (found,))


def cccl_headers() -> Path:
    """Folder of CCCL's headers."""
    files = metadata.files("nvidia-cuda-cccl") or ()
    header = next(file for file in files if file.as_posix().endswith("/cuda/std/mdspan"))
    return Path(str(header.locate())).parents[2]


def libcxx_version() -> str:
    """Version of the libc++ that `ziglang` has."""
    found = importlib.util.find_spec("ziglang")
    folder = Path(str(found and found.origin)).parent
    text = (folder / "lib" / "libcxx" / "include" / "__config").read_text(encoding="utf-8")
    digits = re.search(r"define _LIBCPP_VERSION (\d\d)(\d\d)(\d\d)", text)
    return ".".join(str(int(part)) for part in digits.groups()) if digits else "unknown"


LIBCXX = Implementation("libc++", "ziglang", questions.PLAIN, questions.STANDARD, zig)
CCCL = Implementation(
    "CCCL",
    "nvidia-cuda-cccl",
    questions.EXTENDED,
    {**questions.STANDARD, **questions.EXTENSIONS},
    cccl,
)
IMPLEMENTATIONS = {each.name: each for each in (LIBCXX, CCCL)}


# --- programs --------------------------------------------------------------------------------------------------------


PROGRAM = """\
#include "answers.hpp"
#if defined(MDVIEW_CCCL)
#  include "extensions.hpp"
#endif

int main() {
  static void (*const kernels[])() = {
%s};
  return answer_all(kernels);
}
"""


def source(templates: list[str]) -> str:
    """Program that answers by these templates, each named by its place in the list."""
    return PROGRAM % ",\n".join(f"    &{template}" for template in templates)


def run(implementation: Implementation, asks: list[questions.Ask]) -> list[str]:
    """Compile the program that the questions need, run it, and return its lines of output."""
    places = {template: place for place, template in enumerate(dict.fromkeys(ask.template for ask in asks))}
    lines = [" ".join(map(str, (places[ask.template], *ask.numbers))) for ask in asks]
    program = compiled(implementation.compiler(), source(list(places)))
    done = subprocess.run(
        [program], input="\n".join(lines), capture_output=True, text=True, check=True, timeout=SECONDS
    )
    return done.stdout.splitlines()


def compiled(compiler: Compiler, text: str) -> Path:
    """Path of the compiled program."""
    headers = [header.read_text(encoding="utf-8") for header in sorted(HERE.glob("*.hpp"))]
    everything = "\0".join([*headers, text, compiler.version, *compiler.compile])
    program = cache_folder() / sha256(everything.encode()).hexdigest()[:32]
    with locked(program.with_suffix(".lock")):
        if not program.exists():
            build(compiler, text, program)
    return program


def build(compiler: Compiler, text: str, program: Path) -> None:
    """Compile and link a program."""
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        code, objects, linked = (Path(folder, name) for name in ("program.cpp", "program.o", "program"))
        code.write_text(text, encoding="utf-8")
        result = command([*compiler.compile, f"-I{HERE}", str(code), "-o", str(objects)])
        assert result.returncode == 0, result.stderr
        result = command([*compiler.link, str(objects), "-o", str(linked)])
        assert result.returncode == 0, result.stderr
        linked.replace(program)


def compiles(compiler: Compiler, template: str) -> bool:
    """Tell whether one template compiles."""
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder, "program.cpp")
        code.write_text(source([template]), encoding="utf-8")
        place = ["-o", str(code.with_suffix(".o"))]
        return command([*compiler.compile, f"-I{HERE}", str(code), *place]).returncode == 0


def command(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a compiler; Zig keeps what it compiles beside our programs."""
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig")}
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=SECONDS, env=environment)


@cache
def cache_folder() -> Path:
    """Folder of compiled programs, in `$XDG_CACHE_HOME` or `~/.cache`, else among the temporary files."""
    base = os.environ.get("XDG_CACHE_HOME")
    for candidate in (Path(base) if base else Path.home() / ".cache", Path(tempfile.gettempdir())):
        folder = candidate / "mdview-conformance"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp())


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time compile a program, where the system has locks on files."""
    if importlib.util.find_spec("fcntl") is None:
        yield
        return
    import fcntl  # noqa: PLC0415 - POSIX only

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
