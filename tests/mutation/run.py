"""Mutation check: ``python tests/mutation/run.py [--sample 300] [--seed 0] [--only layouts] [--jobs 2] [--named ...]``.

Changes one thing at a time in a copy of the project, runs the tests that look at it, and reports the share of mutants
that a test notices, with those that none did. First go the quickest tests that run the changed line, which one run of
all tests has recorded, then all tests near the module, then more of those that run the line, then those of the folder.
Answers are kept in a folder, so that a check that was ended goes on where it was; ``--again`` asks about those that
lived once more, when tests have been added. ``--named`` runs single mutants, as they are printed:
``--named "mdview/index/slices.py:40: Lt to LtE"``.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from queue import Queue
from typing import NamedTuple

import line_tests
from line_tests import digest
from mutate import mutant, sites
from near_tests import ROOT, folder_tests, modules, near_tests
from selected_tests import failure

KEPT = ROOT / ".mutants"
QUICK, MORE = 3.0, 30.0
"""Seconds, as they were recorded, of the tests that run first for a mutant, and after the tests near the module."""
LIMIT_QUICK, LIMIT = 60, 240
"""Seconds of the processor after which a mutant counts as noticed: it hangs."""
OF_ONE_FUNCTION = 4


class Place(NamedTuple):
    """What is changed, and where."""

    module: Path
    source: str
    site: tuple

    @property
    def name(self):
        """File, line and change; several of one name differ in where on the line the change is."""
        return f"{self.module}:{self.site.line}: {self.site.change}"

    @property
    def key(self):
        """What no other mutant has."""
        return f"{self.name} ({self.site.node}.{self.site.part} of {digest(self.source)})"

    @property
    def text(self):
        """The line that changes."""
        return self.source.splitlines()[self.site.line - 1].strip()


def places(only=""):
    """All places that can be changed in the modules whose path begins so."""
    found = []
    for module in modules():
        if module.relative_to("mdview").as_posix().startswith(only):
            source = (ROOT / module).read_text(encoding="utf-8")
            found += [Place(module, source, site) for site in sites(source)]
    return found


def named(found, names):
    """The places with these names."""
    known = {}
    for place in found:
        known.setdefault(place.name, []).append(place)
    missing = [name for name in names if name not in known]
    if missing:
        raise SystemExit(f"no such mutant: {', '.join(missing)}")
    return [place for name in names for place in known[name]]


def quick_tests(ran, seconds, most):
    """Of tests, quickest first, some of each function, as long as they take few seconds together."""
    functions = {}
    for name in ran:
        functions.setdefault(name.partition("[")[0], []).append(name)
    chosen, total = [], 0.0
    for name in sorted((n for names in functions.values() for n in names[:most]), key=seconds.__getitem__):
        total += seconds[name]
        if total > (QUICK if most else MORE):
            break
        chosen.append(name)
    return chosen


def stages(place, recorded):
    """The tests that may notice a mutant, in steps: files, names, whether these are left out, and a limit."""
    ran = recorded.of(place.module, place.source, place.site.line)
    quick = quick_tests(ran, recorded.seconds, OF_ONE_FUNCTION)
    near = [*map(str, near_tests(place.module))]
    near = [str(Path(path).relative_to(ROOT)) for path in near]
    if quick:
        yield files_of(quick), quick, False, LIMIT_QUICK
    yield near, quick, True, LIMIT
    more = quick_tests([n for n in ran if n not in quick and n.partition("::")[0] not in near], recorded.seconds, None)
    if more:
        yield files_of(more), more, False, LIMIT
    folder = [str(path.relative_to(ROOT)) for path in folder_tests(place.module)]
    rest = [path for path in folder if path not in near]
    if rest:
        yield rest, [*quick, *more], True, LIMIT


def files_of(names):
    """The files of tests, each once; a file that cannot be imported is shown with a comma."""
    return list(dict.fromkeys(name.partition("::")[0].partition(",")[0] for name in names))


@contextmanager
def changed(copy, place):
    """Change one place in a copy of the project for a while."""
    target = copy / place.module
    target.write_text(mutant(place.source, place.site), encoding="utf-8")
    try:
        yield
    finally:
        target.write_text(place.source, encoding="utf-8")


def noticed_by(copy, place, recorded):
    """What notices the mutant, or None."""
    with changed(copy, place):
        found = (
            failure(copy, files, names, limit, without=out) for files, names, out, limit in stages(place, recorded)
        )
        return next((shown for shown in found if shown is not None), None)


def copied(folder):
    """Copy what the tests need into a new folder."""
    folder.mkdir()
    for name in ("mdview", "tests", "examples", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_build"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def recorded_lines(kept, copy, *, afresh):
    """Which tests run which line: recorded before, or now."""
    path = kept / "lines.json.gz"
    if afresh or not path.exists():
        started = time.perf_counter()
        print("recording which tests run which line, which takes as long as all tests do a few times", flush=True)
        command = [sys.executable, Path(line_tests.__file__).name, copy, path]
        script = copy / "tests" / "mutation" / command[1]
        subprocess.run(
            [command[0], script, *command[2:]], cwd=copy, check=True, env=os.environ | {"PYTHONPATH": str(copy)}
        )
        print(f"recorded in {time.perf_counter() - started:.0f} s", flush=True)
    return line_tests.load(path)


class Answers:
    """What has been found, by mutant, kept in a file as it comes."""

    def __init__(self, path):
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.known = dict(json.loads(line) for line in lines)

    def add(self, place, shown):
        """Keep an answer."""
        self.known[place.key] = shown
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([place.key, shown]) + "\n")


def check(chosen, answers, options):
    """Run the mutants that have no answer yet; print those that nothing notices, and the share."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        copies = Queue()
        for job in range(options.jobs):
            copies.put(copied(Path(folder) / str(job)))
        recorded = recorded_lines(options.kept, copied(Path(folder) / "recorded"), afresh=options.afresh)

        def ask(place):
            copy = copies.get()
            try:
                return noticed_by(copy, place, recorded)
            finally:
                copies.put(copy)

        asked = [place for place in chosen if place.key not in answers.known]
        print(f"{len(chosen) - len(asked)} are answered already, {len(asked)} to go", flush=True)
        for number, (place, shown) in enumerate(zip(asked, pool.map(ask, asked), strict=True), 1):
            answers.add(place, shown)
            if shown is None:
                print(f"lives: {place.name}: {place.text}", flush=True)
            if number % 10 == 0:
                print(f"{number} of {len(asked)}, {time.perf_counter() - started:.0f} s", flush=True)
        doubtful = failing_unchanged(copies.get(), {answers.known[place.key] for place in chosen})
    return report(chosen, answers, doubtful)


def failing_unchanged(copy, shown):
    """Of the tests that noticed a mutant, those that fail without one: what they show is no notice."""
    names, failing = {name for name in shown if name and ".py" in name}, set()
    while names and (found := failure(copy, files_of(sorted(names)), sorted(names), 10 * LIMIT)):
        failing.add(found)
        if found not in names:
            break
        names.remove(found)
    return failing


def report(chosen, answers, doubtful):
    """Print what lives, and return the share of what does not, in per cent."""
    lived = [place for place in chosen if answers.known[place.key] is None]
    for place in chosen:
        if answers.known[place.key] in doubtful:
            print(f"{place.name}: noticed by {answers.known[place.key]}, which fails without any change, too")
    print("", f"{len(lived)} of {len(chosen)} live:", sep="\n")
    for _, group in groupby(lived, key=lambda place: place.module):
        for place in sorted(group, key=lambda place: place.site.line):
            print(f"  {place.name}: {place.text}")
    share = 100 * (len(chosen) - len(lived)) / len(chosen)
    print(f"{len(chosen) - len(lived)} of {len(chosen)} mutants are noticed: {share:.1f} %", flush=True)
    return 0.0 if doubtful else share


def parsed():
    """The arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--only", default="", help="folder or module, as in layouts/tiled")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--named", nargs="+")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="ask about those that lived once more")
    parser.add_argument("--afresh", action="store_true", help="record once more which tests run which line")
    parser.add_argument("--kept", type=Path, default=KEPT, help="folder of what is recorded and answered")
    return parser.parse_args()


def main():
    """Parse the arguments and check a sample."""
    options = parsed()
    found = places(options.only)
    pick = random.Random(options.seed)  # noqa: S311 - a reproducible sample, no secrets
    if options.named:
        chosen = named(found, options.named)
    else:
        chosen = found if options.all else pick.sample(found, min(options.sample, len(found)))
    print(f"{len(chosen)} of {len(found)} mutants", flush=True)
    import hypothesis  # noqa: F401, PLC0415 - loaded once for all forks, as are the next two
    import numpy  # noqa: F401, ICN001, PLC0415
    import pytest  # noqa: F401, PLC0415

    options.kept.mkdir(exist_ok=True)
    answers = Answers(options.kept / "answers.jsonl")
    if options.named:
        again = chosen
    else:
        again = [place for place in chosen if options.again and answers.known.get(place.key, "") is None]
    for place in again:
        answers.known.pop(place.key, None)
    return 0 if check(chosen, answers, options) >= 98 else 1


if __name__ == "__main__":
    sys.exit(main())
