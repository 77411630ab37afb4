"""`python -m benchmarks [NAME …]`: run the named benchmarks, or all of them."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from typing import TYPE_CHECKING

import benchmarks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.harness import Report

_NOT_BENCHMARKS = {"__main__", "harness", "mdspan"}
_PARTS: dict[str, str] = dict.fromkeys(
    ("sum3d", "subview_sum", "stencil3d", "tiny_add", "matvec", "matmul", "user_layout"), "kernels"
)
"""Parts of a benchmark that run by a name of their own: the module whose `main` takes it."""


def available() -> list[str]:
    """Return the names of the modules beside this one that hold a benchmark."""
    names = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(name for name in names if name not in _NOT_BENCHMARKS)


def load(name: str) -> Callable[..., Sequence[Report]] | None:
    """Return the `main` of the benchmark `name`; none if it has none, or if a partner it needs is missing."""
    try:
        module = importlib.import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(("benchmarks", "mdview")):
            raise
        print(f"{name}: skipped, {error}", end="\n\n")
        return None
    main: Callable[..., Sequence[Report]] | None = getattr(module, "main", None)
    return main


def run(name: str) -> bool:
    """Run one benchmark, print its reports, return whether every goal was met."""
    main = load(_PARTS.get(name, name))
    reports = () if main is None else main(name) if name in _PARTS else main()
    for report in reports:
        print(report.render(), end="\n\n", flush=True)
    return all(report.passed for report in reports)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line names; return 1 if a goal was missed."""
    names = available()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure mdview.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join([*names, *_PARTS])}; all by default")
    chosen: list[str] = parser.parse_args(arguments).names or names
    unknown = sorted(set(chosen) - {*names, *_PARTS})
    if unknown:
        known = ", ".join([*names, *_PARTS])
        parser.error(f"no benchmark called {', '.join(unknown)}; there are {known}")
    met = [run(name) for name in chosen]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
