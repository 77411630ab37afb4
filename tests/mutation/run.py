"""Mutation check: ``python tests/mutation/run.py [--sample 150] [--seed 0] [--only slices] [--all] [--named ...]``.

Changes one operator or number at a time in a copy of the project, runs the tests near it, and reports the share of
mutants that a test notices, with those that none did. A sample takes minutes; ``--all`` takes hours. ``--named`` runs
single mutants, as they are printed: ``--named "mdview/index/slices.py:40: Lt to LtE"``.
"""

import argparse
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from mutate import mutant, sites

ROOT = Path(__file__).parents[2]
SECONDS = 150
"""Seconds of the processor after which a mutant counts as noticed: it hangs."""
MEMORY = 8 << 30

FACTS = [f"tests/conformance/test_{name}.py" for name in ("algebra_layouts", "algebra_strided", "cpp_mappings")]
SLICING = ["tests/conformance/test_cpp_submdspan.py", "tests/mappings/test_slicing.py", "tests/test_numpy_agreement.py"]
MOVING = [
    "tests/conformance/test_algebra_operations.py",
    "tests/mappings/test_rearranging.py",
    "tests/operations/test_manipulation.py",
]
KIT = ["tests/testing/test_shipped.py::test_a_composed_layout_is_accepted_over_its_extents"]

MODULES = {
    "index/slices": [
        "tests/index/test_slices.py",
        "tests/views/test_brackets.py",
        *SLICING,
        "tests/fuzz/test_fuzz.py::test_what_was_found_has_a_named_error",
    ],
    "index/transforms": ["tests/index/test_transforms.py", *MOVING, *KIT],
    "mappings/slicing": [*SLICING, *MOVING],
    "mappings/rearranging": [*MOVING, *KIT],
    "layouts/*": [*FACTS, "tests/mappings/test_mapping.py", "tests/layouts", *SLICING, *KIT],
}
"""Modules whose arithmetic is changed, and the tests near them: quick ones first."""


def places(only):
    """All places that can be changed: module, tests, site."""
    found = []
    for pattern, tests in MODULES.items():
        if only in {None, pattern.removesuffix("/*")}:
            for path in sorted((ROOT / "mdview").glob(f"{pattern}.py")):
                module = path.relative_to(ROOT)
                found += [(module, tests, site) for site in sites(path.read_text(encoding="utf-8"))]
    return found


def named(found, names):
    """The places with these names."""
    known = {}
    for entry in found:
        known.setdefault(name_of(entry), []).append(entry)
    missing = [name for name in names if name not in known]
    if missing:
        raise SystemExit(f"no such mutant: {', '.join(missing)}")
    return [entry for name in names for entry in known[name]]


def name_of(entry):
    """File, line and change of a mutant; several of one name differ in where on the line the change is."""
    module, _, site = entry
    return f"{module}:{site.line}: {site.change}"


def noticed(copy, module, tests, changed):
    """Tell whether a test fails over the changed module; the tests run in a fork, which has pytest loaded."""
    target = copy / module
    original = target.read_text(encoding="utf-8")
    target.write_text(changed, encoding="utf-8")
    child = os.fork()
    if not child:
        _run_tests(copy, tests)
    _, status = os.waitpid(child, 0)
    target.write_text(original, encoding="utf-8")
    return os.waitstatus_to_exitcode(status) != 0


def _run_tests(copy, tests):
    """Run the tests in this process and end it; never returns."""
    code = 1
    try:
        import pytest  # noqa: PLC0415 - loaded before the fork

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(copy)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        sys.path.insert(0, str(copy))
        sys.dont_write_bytecode = True
        quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # Hypothesis is loaded before the fork
        code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *quiet, *tests])
    finally:
        os._exit(int(code))


def copied(folder):
    """Copy what the tests need into a new folder."""
    folder.mkdir()
    for name in ("mdview", "tests", "examples", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_build"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def check(chosen, jobs):
    """Run all chosen mutants, after the tests alone; print those that nothing noticed, and the share."""
    lived, started = [], time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        copies = Queue()
        for job in range(jobs):
            copies.put(copied(Path(folder) / str(job)))

        def is_noticed(entry):
            module, tests, site = entry
            copy = copies.get()
            source = (copy / module).read_text(encoding="utf-8")
            try:
                return noticed(copy, module, tests, source if site is None else mutant(source, site))
            finally:
                copies.put(copy)

        every_test = {test: None for _, tests, _ in chosen for test in tests}
        if is_noticed((chosen[0][0], [*every_test], None)):  # it would be taken for notice of a change
            raise SystemExit("a test fails without any change")
        print(f"unchanged, all tests pass ({time.perf_counter() - started:.0f} s)", flush=True)
        for number, (entry, seen) in enumerate(zip(chosen, pool.map(is_noticed, chosen), strict=True), 1):
            if not seen:
                lived.append(entry)
                print(f"lives: {name_of(entry)}: {_line_of(entry)}")
            if number % 10 == 0:
                print(
                    f"{number} of {len(chosen)}, {len(lived)} live, {time.perf_counter() - started:.0f} s", flush=True
                )
    noticed_count = len(chosen) - len(lived)
    share = 100 * noticed_count / len(chosen)
    seconds = time.perf_counter() - started
    print(f"{noticed_count} of {len(chosen)} mutants are noticed: {share:.1f} %, in {seconds:.0f} s")
    return share


def _line_of(entry):
    module, _, site = entry
    return (ROOT / module).read_text(encoding="utf-8").splitlines()[site.line - 1].strip()


def main():
    """Parse the arguments and check a sample."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=150)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--only", choices=[pattern.removesuffix("/*") for pattern in MODULES])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--named", nargs="+")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    import hypothesis  # noqa: F401, PLC0415 - loaded once for all forks, as are the next two
    import numpy  # noqa: F401, ICN001, PLC0415
    import pytest  # noqa: F401, PLC0415

    found = places(options.only)
    pick = random.Random(options.seed)  # noqa: S311 - a reproducible sample, no secrets
    if options.named:
        chosen = named(found, options.named)
    else:
        chosen = found if options.all else pick.sample(found, min(options.sample, len(found)))
    print(f"{len(chosen)} of {len(found)} mutants", flush=True)
    return 0 if check(chosen, options.jobs) >= 90 else 1


if __name__ == "__main__":
    sys.exit(main())
