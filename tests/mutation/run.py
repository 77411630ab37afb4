"""Mutation check: ``python tests/mutation/run.py [--sample 300] [--seed 0] [--only layouts] [--jobs 2] [--named ...]``.

Changes one thing at a time in a copy of the project, runs the tests that run the changed line, quickest first, and
reports the share of mutants that a test notices, with those that none did. Which test runs which line has been recorded
by one run of all tests; ``--deep`` records the deep tier, too.
Answers are kept in a folder, so that a check that was ended goes on where it was. ``--named`` runs single mutants, as
they are printed, whatever is kept of them: ``--named "mdview/index/slices.py:40: Lt to LtE"``.
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
from selected_tests import failure

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".mutants"
SECONDS = 3.0, 90.0
"""Seconds, as they were recorded, of the tests that run first for a mutant, and of all that run for one."""
LIMITS = 60, 300
"""Seconds of the processor after which a mutant counts as noticed: it hangs."""
OF_ONE_FUNCTION = 4
"""How many cases of a test run first."""


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
    for path in sorted((ROOT / "mdview").rglob("*.py")):
        module = path.relative_to(ROOT)
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


def quick_tests(ran, seconds, most, limit):
    """Of tests, quickest first, some of each function, as long as they take few seconds together."""
    functions = {}
    for name in ran:
        functions.setdefault(name.partition("[")[0], []).append(name)
    chosen, total = [], 0.0
    for name in sorted((n for names in functions.values() for n in names[:most]), key=seconds.__getitem__):
        total += seconds[name]
        if total > limit:
            break
        chosen.append(name)
    return chosen


def stages(place, recorded):
    """The tests that may notice a mutant, in two steps, each with its limit: a few quick ones, then the others."""
    ran = recorded.of(place.module, place.source, place.site.line)
    quick = quick_tests(ran, recorded.seconds, OF_ONE_FUNCTION, SECONDS[0])
    yield quick, LIMITS[0]
    yield quick_tests([name for name in ran if name not in {*quick}], recorded.seconds, None, SECONDS[1]), LIMITS[1]


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
        found = (failure(copy, names, limit) for names, limit in stages(place, recorded) if names)
        return next((shown for shown in found if shown is not None), None)


def copied(folder):
    """Copy what the tests need into a new folder."""
    folder.mkdir()
    for name in ("mdview", "tests", "examples", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_build"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def recorded_lines(options, copy):
    """Which tests run which line: recorded before, or now."""
    path = options.kept / "lines.json.gz"
    if not path.exists():
        started = time.perf_counter()
        print("recording which tests run which line, which takes as long as all tests do a few times", flush=True)
        script = copy / "tests" / "mutation" / Path(line_tests.__file__).name
        command = [sys.executable, script, copy, path, *["--deep"] * options.deep]
        subprocess.run(command, cwd=copy, check=True, env=os.environ | {"PYTHONPATH": str(copy)})
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
        recorded = recorded_lines(options, copied(Path(folder) / "recorded"))

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
    while names and (found := failure(copy, sorted(names), 10 * LIMITS[1])):
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
    parser.add_argument("--deep", action="store_true", help="record the tests of the deep tier, too")
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
    for place in chosen if options.named else ():
        answers.known.pop(place.key, None)
    return 0 if check(chosen, answers, options) >= 98 else 1


if __name__ == "__main__":
    sys.exit(main())
