"""Runs some tests of a copy of the project in a fork, which has pytest loaded, and tells which one failed."""

import os
import resource
import signal
import sys
import time

MEMORY = 8 << 30
NO_TESTS = 5
"""What pytest says where it has found no test."""
BROKEN = 70
"""What a run ends with that did not begin."""


class Repeatable:
    """A plugin of pytest: tests draw the same examples in each run, and learn nothing from the last one."""

    def pytest_configure(self):
        """Choose what Hypothesis draws."""
        from hypothesis import settings  # noqa: PLC0415 - loaded before the fork

        settings.register_profile("mutants", settings.default, derandomize=True, database=None)
        settings.load_profile("mutants")


class Selection(Repeatable):
    """A plugin of pytest: runs the tests of these names alone, in their order, and notes what fails."""

    def __init__(self, names, note):
        self.places = {name: place for place, name in enumerate(names)}
        self.note = note

    def pytest_collection_modifyitems(self, items):
        """Leave the selected tests."""
        chosen = [item for item in items if item.nodeid in self.places]
        items[:] = sorted(chosen, key=lambda item: self.places[item.nodeid])

    def pytest_runtest_logreport(self, report):
        """Note the name of a test that failed."""
        if report.failed:
            self.note.write_text(report.nodeid, encoding="utf-8")

    def pytest_collectreport(self, report):
        """Note the name of a file that cannot be imported."""
        if report.failed:
            self.note.write_text(f"{report.nodeid}, when it is imported", encoding="utf-8")


def files_of(names):
    """The files of tests, each once; a file that cannot be imported is shown with a comma."""
    return list(dict.fromkeys(name.partition("::")[0].partition(",")[0] for name in names))


def failure(copy, names, seconds):
    """The name of a test that failed, or how the run ended, or None; the run has ``seconds`` of the processor."""
    note = copy / "failed.txt"
    note.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        _run(copy, Selection(names, note), seconds)
    status = _wait(child, 10 * seconds)
    if status == BROKEN:
        raise RuntimeError("the tests could not be run")
    if note.exists():
        return note.read_text(encoding="utf-8")
    if status in {0, NO_TESTS}:
        return None
    return f"the run ended with {status}"


def _wait(child, seconds):
    """Wait for a process, and end it with all that it has started where it does not go on."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "no answer"


def _run(copy, selection, seconds):
    """Run the tests in this process and end it; never returns."""
    code = BROKEN
    try:
        import pytest  # noqa: PLC0415 - loaded before the fork

        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(copy)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        sys.path.insert(0, str(copy))
        os.environ["PYTHONPATH"] = str(copy)
        for name in ("CI", "PYTEST_ADDOPTS"):  # options of the run that asks are not those of these tests
            os.environ.pop(name, None)
        sys.dont_write_bytecode = True
        os.environ["MDVIEW_EFFORT"] = "0"
        deep = ["--deep"] if (copy / "tests" / "conftest.py").exists() else []
        quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # Hypothesis is loaded before the fork
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", *quiet, *deep]
        code = pytest.main([*options, *files_of(selection.places)], plugins=[selection])
    finally:
        os._exit(int(code))
