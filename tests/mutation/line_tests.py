"""Which tests run a line: found by one run of the tests that tells coverage the name of each, and kept in a file.

Caches forget before each test, so that what one test has made is made again in the next, and seen there.
The file is made once. Of a module that has changed since, all tests that ran any line of it are run for each.
"""

import functools
import gzip
import hashlib
import json
import os
import sys
import types
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from selected_tests import Repeatable

LEFT_OUT = ("tests/typing", "tests/mutation", "tests/conformance/cpp")
"""Tests that run no line of the package in this process, or compile for minutes."""


class LineTests(NamedTuple):
    """Seconds of each test, what each module was, and its lines with the tests that run them."""

    seconds: dict
    sources: dict
    lines: dict

    def of(self, module, source, line):
        """Tests that run a line, or the nearest line above it that any test runs; quickest first.

        Of a module that has changed since, and of a line above all that a test runs, those that run any of its lines.
        """
        lines = self.lines.get(str(module), {})
        is_known = self.sources.get(str(module)) == digest(source)
        nearest = max((known for known in lines if known <= line), default=None) if is_known else None
        found = lines[nearest] if nearest is not None else {name for names in lines.values() for name in names}
        return sorted(found, key=self.seconds.__getitem__)


def digest(source):
    """A short name of a text."""
    return hashlib.sha256(source.encode()).hexdigest()[:16]


class Recorder(Repeatable):
    """A plugin of pytest that notes which lines each test runs, how long it takes, and which ones fail."""

    def __init__(self, coverage):
        self.coverage = coverage
        self.seconds = defaultdict(float)
        self.failed = set()

    def pytest_runtest_logstart(self, nodeid):
        """Forget what other tests have made; what runs from here on belongs to this test."""
        forget()
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logfinish(self):
        """What runs between tests belongs to none."""
        self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report):
        """Add the time of a part of a test."""
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.add(report.nodeid)


def forget():
    """Empty all caches of the package."""
    names = frozenset(name for name in sys.modules if name.startswith("mdview."))
    for empty in _caches(names):
        empty()


@functools.lru_cache(maxsize=1)
def _caches(names):
    """What empties each cache of these modules."""
    found = [_emptying(*pair) for name in names for pair in vars(sys.modules[name]).items()]
    return [empty for empty in found if empty is not None]


def _emptying(label, value):
    if type(value) is dict and label.islower() and not label.startswith("__"):
        return value.clear
    if isinstance(value, functools._lru_cache_wrapper):
        return value.cache_clear
    if isinstance(value, types.FunctionType) and "cache" in value.__code__.co_freevars:
        return value.__closure__[value.__code__.co_freevars.index("cache")].cell_contents.clear
    return None


def record(root, target, options=()):
    """Run all tests of a project below the current folder and write which of them run which line."""
    import coverage  # noqa: PLC0415 - comes with pytest-cov, and only this run needs it
    import pytest  # noqa: PLC0415

    os.environ.pop("PYTEST_ADDOPTS", None)  # options of whoever runs this
    os.environ["MDVIEW_EFFORT"] = "0"
    traced = coverage.Coverage(data_file=None, source=[str(root / "mdview")], branch=False, config_file=False)
    recorder = Recorder(traced)
    traced.start()
    quiet = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts="]
    pytest.main([*quiet, *options, *(f"--ignore={path}" for path in LEFT_OUT)], plugins=[recorder])
    traced.stop()
    for name in recorder.failed:  # it would be taken for notice of a change
        print(f"left out, as it fails without any change: {name}")
        del recorder.seconds[name]
    target.write_bytes(gzip.compress(json.dumps(_found(root, traced.get_data(), recorder.seconds)).encode()))


def _found(root, data, seconds):
    """What was recorded, each test as a number."""
    tests = {name: number for number, name in enumerate(seconds)}
    sources, lines = {}, {}
    for path in map(Path, sorted(data.measured_files())):
        module = str(path.relative_to(root))
        sources[module] = digest(path.read_text(encoding="utf-8"))
        by_line = data.contexts_by_lineno(str(path))
        lines[module] = {
            line: sorted(tests[name] for name in names if name in tests) for line, names in by_line.items()
        }
    return {"tests": [*tests], "seconds": [*seconds.values()], "sources": sources, "lines": lines}


def load(path):
    """Read what was recorded."""
    found = json.loads(gzip.decompress(path.read_bytes()))
    tests = found["tests"]
    lines = {
        module: {int(line): [tests[number] for number in numbers] for line, numbers in by_line.items() if numbers}
        for module, by_line in found["lines"].items()
    }
    return LineTests(dict(zip(tests, found["seconds"], strict=True)), found["sources"], lines)


if __name__ == "__main__":
    record(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
