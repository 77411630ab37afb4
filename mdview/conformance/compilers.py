"""Compilers of C++, and programs that are compiled with the headers of an implementation of mdspan and run.

Compiled programs are kept under the hash of their preprocessed text and of the commands, so that a change of a header
compiles again, and nothing else does.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, final

from mdview.errors import MDViewError

HEADERS: Final = Path(__file__).parent / "headers"
SECONDS: Final = 600
MOST_COMPILATIONS: Final = 24
NAMESPACES: Final = {"std": "mdspan", "cuda::std": "cuda/std/mdspan", "Kokkos": "mdspan/mdspan.hpp"}
"""The header of each implementation that is known by its namespace."""


class CannotRunError(MDViewError, RuntimeError):
    """An implementation cannot be asked: a compiler, a header or a function of an adapter is missing."""


@final
@dataclass(frozen=True)
class Compiler:
    """Commands that make an object file of a program, and a program of that; the version is that of all they use."""

    version: str
    compile: tuple[str, ...]
    link: tuple[str, ...]


@final
@dataclass(frozen=True)
class Implementation:
    """An implementation of mdspan: its compiler, its namespace, and what it offers beyond the first standard."""

    compiler: Compiler
    namespace: str = "std"
    offers: frozenset[str] = frozenset()

    @property
    def header(self) -> str:
        """Name of the header of mdspan."""
        return NAMESPACES.get(self.namespace, "mdspan")

    @property
    def library(self) -> str:
        """Namespace of arrays, pairs and traits of types."""
        return "cuda::std" if self.namespace.startswith("cuda") else "std"

    @property
    def flags(self) -> tuple[str, ...]:
        """What `answers.hpp` is told about the implementation."""
        names = {
            "MDVIEW_HEADER": f"<{self.header}>",
            "MDVIEW_NAMESPACE": self.namespace,
            "MDVIEW_LIBRARY": self.library,
        }
        return (
            f"-I{HEADERS}",
            *[f"-D{name}={value}" for name, value in names.items()],
            *[f"-DMDVIEW_OFFERS_{each.upper()}" for each in sorted(self.offers)],
            *(["-DMDVIEW_CUDA"] if self.library == "cuda::std" else []),
        )


def compiler_of(command: str, include: Sequence[str] = (), linker: str | None = None) -> Compiler:
    """Return the compiler of a command line, with folders of headers."""
    words = shlex.split(command)
    if not words or shutil.which(words[0]) is None:
        raise CannotRunError(f"no compiler {command!r}: --compiler takes a command on PATH, as in 'g++ -std=c++26'")
    missing = [folder for folder in include if not Path(folder).is_dir()]
    if missing:
        raise CannotRunError(f"no folder {missing[0]}: --include takes the folder that has the header of mdspan")
    asked = run_command([*[word for word in words if not word.startswith("-")], "--version"])
    version = (asked.stdout.splitlines() or [command])[0]
    places = [f"-I{Path(folder).resolve()}" for folder in include]
    return Compiler(version, (*words, *places, "-c"), tuple(shlex.split(linker)) if linker else tuple(words))


# --- programs --------------------------------------------------------------------------------------------------------


PROGRAM: Final = """\
#include "answers.hpp"

int main() {
  static void (*const kernels[])() = {
%s};
  return answer_all(kernels);
}
"""


def source(templates: Sequence[str]) -> str:
    """Return a program that answers by these templates, each named by its place in the list."""
    return PROGRAM % ",\n".join(f"    &{template}" for template in templates)


def run(target: Implementation, templates: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Compile the program of these templates, give it the lines of numbers, and return its lines of output."""
    program = compiled(target.compiler, source(templates), target.flags)
    done = subprocess.run(  # noqa: S603 - a program of our own
        [program], input="\n".join(lines), capture_output=True, text=True, check=False, timeout=SECONDS
    )
    return done.stdout.splitlines()


def compiled(compiler: Compiler, text: str, flags: Sequence[str] = ()) -> Path:
    """Return the path of the compiled program."""
    folder = cache_folder()
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        code = Path(scratch, "program.cpp")
        code.write_text(text, encoding="utf-8")
        every = [*compiler.compile, *flags, str(code)]
        expanded = _checked([*every, "-E", "-P"])
        options = [word for word in (*compiler.compile[1:], *flags) if not word.startswith("-I")]  # they are expanded
        key = "\0".join([expanded, compiler.version, *options])
        program = folder / sha256(key.encode()).hexdigest()[:32]
        with locked(program.with_suffix(".lock")):
            if not program.exists():
                objects, linked = code.with_suffix(".o"), code.with_suffix("")
                _checked([*every, "-o", str(objects)])
                _checked([*compiler.link, str(objects), "-o", str(linked)])
                linked.replace(program)
    return program


def _checked(arguments: list[str]) -> str:
    done = run_command(arguments)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or [""]
        raise CannotRunError(f"{arguments[0]} fails: {lines[0][:300]}")
    return done.stdout


def compiles(target: Implementation, text: str) -> bool:
    """Tell whether a program compiles."""
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder, "program.cpp")
        code.write_text(text, encoding="utf-8")
        every = [*target.compiler.compile, *target.flags, str(code), "-o", str(code.with_suffix(".o"))]
        return run_command(every).returncode == 0


def refused(target: Implementation, templates: Sequence[str]) -> list[str]:
    """Return the templates that do not compile, by halves; all of a half after too many attempts."""
    left, found = [list(templates)], []
    for attempt in range(len(templates) * 2):
        if not left:
            break
        part = left.pop()
        if attempt and attempt < MOST_COMPILATIONS and compiles(target, source(part)):
            continue
        if len(part) == 1 or attempt >= MOST_COMPILATIONS:
            found += part
        else:
            left += [part[: len(part) // 2], part[len(part) // 2 :]]
    return found


def run_command(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a compiler; Zig keeps what it compiles beside our programs."""
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig")}
    return subprocess.run(  # noqa: S603 - the compiler that the user has named
        arguments, capture_output=True, text=True, check=False, timeout=SECONDS, env=environment
    )


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
    raise CannotRunError("no folder for compiled programs: set XDG_CACHE_HOME to one that can be written")


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
