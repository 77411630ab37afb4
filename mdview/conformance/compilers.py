"""Compilers of C++, programs that are compiled with the headers of an implementation of mdspan, and what it offers."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
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
        """The macros by which `answers.hpp` knows the implementation."""
        names = {"HEADER": f"<{self.header}>", "NAMESPACE": self.namespace, "LIBRARY": self.library}
        return (
            f"-I{HEADERS}",
            *[f"-DMDVIEW_{name}={value}" for name, value in names.items()],
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


def source(templates: Sequence[str]) -> str:
    """Return a program that answers by these templates, each named by its place in the list."""
    kernels = ", ".join(f"&{template}" for template in templates)
    return (
        f'#include "answers.hpp"\nint main() {{\n  static void (*const kernels[])() = {{{kernels}}};\n'
        "  return answer_all(kernels);\n}\n"
    )


def compiled(target: Implementation, text: str, folder: str) -> Path:
    """Compile a program in a folder, and return the path of its object file."""
    code = Path(folder, "program.cpp")
    code.write_text(text, encoding="utf-8")
    objects = code.with_suffix(".o")
    _checked([*target.compiler.compile, *target.flags, str(code), "-o", str(objects)])
    return objects


def build(target: Implementation, text: str, folder: str) -> Path:
    """Compile and link a program in a folder, and return its path."""
    objects, program = compiled(target, text, folder), Path(folder, "program")
    _checked([*target.compiler.link, str(objects), "-o", str(program)])
    return program


def _checked(command: Sequence[str]) -> None:
    done = run_command(command)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or [*done.stderr.splitlines(), ""]
        raise CannotRunError(f"{command[0]} fails: {lines[0][:300]}")


def compiles(target: Implementation, text: str) -> bool:
    """Tell whether a program compiles."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            compiled(target, text, folder)
        except CannotRunError:
            return False
    return True


def refused(target: Implementation, templates: Sequence[str]) -> list[str]:
    """Return the templates that do not compile, of some that do not together."""
    if len(templates) == 1:
        return list(templates)
    middle = len(templates) // 2
    halves = [half for half in (templates[:middle], templates[middle:]) if not compiles(target, source(half))]
    return [template for half in halves for template in refused(target, half)]


def run_command(arguments: Sequence[str], given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a compiler that the user has named, or a program of our own."""
    return subprocess.run(  # noqa: S603 - see above
        arguments, input=given, capture_output=True, text=True, check=False, timeout=SECONDS
    )


# --- what is offered -------------------------------------------------------------------------------------------------

SPACE: Final = "md::extents<int, 3>"
PROBES: Final = {
    "relaxed": f"cuda::layout_stride_relaxed::mapping<{SPACE}> mapping;",
    "padded": f"md::layout_left_padded<4>::mapping<{SPACE}> a; md::layout_right_padded<4>::mapping<{SPACE}> b;",
    "padded_experimental": f"md::Experimental::layout_left_padded<4>::mapping<{SPACE}> a;",
    "aligned": "md::aligned_accessor<int, 16> accessor;",
    "submdspan": f"auto part = md::submdspan(md::mdspan<int, {SPACE}>((int*)nullptr), md::full_extent);",
    "strided_slice": "md::strided_slice<int, int, int> slice{0, 1, 1};",
    "extent_slice": "md::extent_slice<int, int, int> slice{0, 1, 1};",
    "linalg": "auto view = md::linalg::transposed(md::mdspan<int, md::extents<int, 3, 3>>((int*)nullptr));",
}
"""For each thing that is not in every implementation a program that needs it."""
VIOLATION: Final = ("stops<&extents_from_all<md::extents<std::int32_t, 4>>>", "0 1 5")
"""A broken precondition, which hardened builds stop."""


def probed(compiler: Compiler, namespace: str = "std") -> Implementation:
    """Return an implementation with what it offers, found by small programs; raise the reason if there is none."""
    plain, include = Implementation(compiler, namespace), '#include "input_output.hpp"\n'
    if not compiles(plain, f"#include <{plain.header}>\n"):
        way = f"--include takes the folder that has it ({plain.header})"
        raise CannotRunError(f"no `<{plain.header}>`: {'g++ 15 or later, or --include' if namespace == 'std' else way}")
    if not compiles(plain, f"{include}md::layout_right::mapping<{SPACE}> mapping;"):
        raise CannotRunError(
            f"no {namespace}::layout_right in `<{plain.header}>`: --namespace takes {', '.join(NAMESPACES)}, "
            "and --compiler at least -std=c++20"
        )

    def offers(name: str) -> bool:
        return compiles(replace(plain, offers=frozenset({name})), include + PROBES[name])

    with ThreadPoolExecutor(2) as pool:
        found = {name for name, offered in zip(PROBES, pool.map(offers, PROBES), strict=True) if offered}
    found |= {"padded"} if "padded_experimental" in found else set()
    hardened = replace(plain, offers=frozenset({*found, "preconditions"}))
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = run_command([str(build(hardened, source(VIOLATION[:1]), folder))], VIOLATION[1])
        except CannotRunError:
            return replace(plain, offers=frozenset(found))
    return hardened if done.stdout == '{"stops":true}\n' else replace(plain, offers=frozenset(found))
