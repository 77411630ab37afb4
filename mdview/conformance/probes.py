"""What an implementation of mdspan offers, found by small programs that compile or do not."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from mdview.conformance.compilers import NAMESPACES, CannotRunError, Compiler, Implementation, compiles, run

INCLUDE: Final = '#include "input_output.hpp"\n'
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
    """Return an implementation with what it offers; raise the reason if there is none."""
    plain = Implementation(compiler, namespace)
    if not compiles(plain, f"#include <{plain.header}>\n"):
        raise CannotRunError(f"no `<{plain.header}>`: {_way_out(namespace)}")
    if not compiles(plain, f"{INCLUDE}md::layout_right::mapping<{SPACE}> mapping;"):
        raise CannotRunError(
            f"no {namespace}::layout_right in `<{plain.header}>`: --namespace takes {', '.join(NAMESPACES)}, "
            "and --compiler at least -std=c++20"
        )
    with ThreadPoolExecutor(2) as pool:
        answers = dict(zip(PROBES, pool.map(lambda name: _offers(plain, name), PROBES), strict=True))
    offers = {name for name, offered in answers.items() if offered}
    offers |= {"padded"} & {name.removesuffix("_experimental") for name in offers}
    template, line = VIOLATION
    hardened = Implementation(compiler, namespace, frozenset({*offers, "preconditions"}))
    return hardened if _stops(hardened, [template], [line]) else Implementation(compiler, namespace, frozenset(offers))


def _way_out(namespace: str) -> str:
    if namespace == "std":
        return "g++ 15 or later, or --include"
    return f"--include takes the folder that has it ({NAMESPACES.get(namespace, 'mdspan')})"


def _offers(plain: Implementation, name: str) -> bool:
    return compiles(Implementation(plain.compiler, plain.namespace, frozenset({name})), f"{INCLUDE}{PROBES[name]}")


def _stops(target: Implementation, templates: Sequence[str], lines: Sequence[str]) -> bool:
    try:
        return run(target, templates, lines) == ['{"stops":true}']
    except CannotRunError:
        return False
