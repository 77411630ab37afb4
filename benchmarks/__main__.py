"""`python -m benchmarks [NAME …]`: run the named benchmarks, or all of them."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import benchmarks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from benchmarks.harness import Report, Table

_NOT_BENCHMARKS = {
    *("__main__", "harness", "loops", "mdspan", "sizes_cells", "views"),
    *("scaling_cluster", "scaling_simulation", "scaling_tiles"),
}
_WITH_OPTIONS = ("scaling", "shapes", "sizes")
_PARTS = {
    **dict.fromkeys(("sum3d", "subview_sum", "stencil3d", "tiny_add", "matvec", "matmul", "user_layout"), "kernels"),
    "relayout_file": "files",
}
"""Names of parts of benchmarks, with the module whose `main` takes the name."""
_ALIASES = {"composed": "parts", "import": "new_views", "offsets": "iteration"}
"""Other names of benchmarks."""


sys.path.append(str(Path(__file__).parents[1] / "tests"))  # the samples import modules of the tests


def available() -> list[str]:
    """Return the names of the modules in this folder that are benchmarks."""
    names = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(name for name in names if name not in _NOT_BENCHMARKS)


def load(name: str) -> Callable[..., Sequence[Report]] | None:
    """Return the `main` of the benchmark `name`; None if it has no `main`, or a library that it needs is missing."""
    try:
        module = importlib.import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(("benchmarks", "mdview")):
            raise
        print(f"{name}: skipped, {error}", end="\n\n")
        return None
    main: Callable[..., Sequence[Report]] | None = getattr(module, "main", None)
    return main


def measure(name: str) -> Iterator[Report]:
    """Yield the reports of a benchmark, of a part of one, or of both if they have the same name."""
    if name not in _PARTS or name in available():
        main = load(_ALIASES.get(name, name))
        yield from () if main is None else main()
    if name in _PARTS:
        main = load(_PARTS[name])
        yield from () if main is None else main(name)


def run(reports: Iterable[Report | Table]) -> bool:
    """Print reports as they are made; return True if all goals are met."""
    passed = True
    for report in reports:
        print(report.render(), end="\n\n", flush=True)
        passed &= report.passed
    return passed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks that the command line names, or all; return 1 if a goal is missed, else 0."""
    given = sys.argv[1:] if arguments is None else [*arguments]
    if len(given) > 1 and given[0] in _WITH_OPTIONS and given[1].startswith("-"):
        main = load(given[0])
        return 1 if main is None or not run(main(given[1:])) else 0
    every = available()
    names = sorted({*every, *_PARTS, *_ALIASES})
    note = f"{' and '.join(_WITH_OPTIONS)} take options, which NAME --help lists"
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure mdview.", epilog=note)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all by default")
    chosen: list[str] = parser.parse_args(given).names
    unknown = sorted(set(chosen) - set(names))
    if unknown:
        parser.error(f"no benchmark called {', '.join(unknown)}; there are {', '.join(names)}")
    if chosen:
        met = [run(measure(name)) for name in chosen]
    else:
        met = [run(main()) for main in map(load, every) if main is not None]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
