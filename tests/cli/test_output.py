"""Output that nobody reads, that is full, closed or narrow: the status stays what it would have been."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_runs import ROOT
from file_contents import npy, npz

COMMANDS = {
    "info": (("info", "a.npy"), 0),
    "many arrays": (("info", "many.npz"), 0),
    "no file": (("info", "none"), 2),
    "accepted": (("certify", "mdview:LayoutRight", "--extents", "2"), 0),
    "rejected": (("certify", "noisy:LayoutWrong"), 1),
    "no target": (("certify", "mdview:nothing"), 2),
    "noise": (("certify", "noisy:nothing"), 2),
    "drawn": (("draw", "tiled(2, 3) (4, 6)"), 0),
    "many drawn": (("draw", *["right (30, 30)"] * 20), 0),
    "explained": (("explain", "tiled(2, 3) (4, 6)"), 0),
    "version": (("--version",), 0),
    "help": (("--help",), 0),
    "help on info": (("info", "--help"), 0),
    "wrong arguments": (("info",), 2),
}
WRONG = """
from mdview import Layout

print("noise")

class LayoutWrong(Layout):
    def offset(self, extents, index):
        return -1

    def required_span_size(self, extents):
        return 1
"""
"""A module of a user, which prints, and a layout that lies."""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.npy").write_bytes(npy(np.eye(3)))
    (tmp_path / "many.npz").write_bytes(npz(**{f"a{k}": np.eye(2) for k in range(300)}))
    (tmp_path / "noisy.py").write_text(WRONG)
    return tmp_path


def written_to(folder, arguments, **streams):
    """Run the command in a folder; no stream may be left open."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.run(
        [sys.executable, "-m", "mdview", *arguments], cwd=folder, env=environment, check=False, timeout=60, **given
    )


@pytest.fixture
def unread():
    """The end of a pipe that nobody reads."""
    other, end = os.pipe()
    os.close(other)
    yield end
    os.close(end)


def beside_errors(text):
    """Lines of what is no error of the command."""
    return [line for line in text.decode().splitlines() if not line.startswith("mdview: error: ")]


@pytest.mark.parametrize(("arguments", "status"), COMMANDS.values(), ids=COMMANDS)
def test_an_output_that_nobody_reads(arguments, status, folder, unread):
    ran = written_to(folder, arguments, stdout=unread)
    assert ran.returncode == status
    assert beside_errors(ran.stderr) == []
    assert len(ran.stderr.splitlines()) == (status == 2)


@pytest.mark.parametrize(("arguments", "status"), COMMANDS.values(), ids=COMMANDS)
def test_errors_that_nobody_reads(arguments, status, folder, unread):
    ran = written_to(folder, arguments, stderr=unread)
    assert ran.returncode == status
    assert bool(ran.stdout) == (status != 2 or arguments == ("certify", "noisy:nothing"))
    both = written_to(folder, arguments, stdout=unread, stderr=unread)
    assert both.returncode == status


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("arguments", "status"), [COMMANDS[name] for name in ("info", "no file", "noise", "help")])
def test_streams_that_are_closed(arguments, status, closed, folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
    line = ["sh", "-c", f'exec "$0" -m mdview "$@" {closed}', sys.executable, *arguments]
    ran = subprocess.run(line, cwd=folder, env=environment, check=False, capture_output=True, timeout=60)
    assert ran.returncode == status
    assert beside_errors(ran.stderr) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
@pytest.mark.parametrize(("arguments", "status"), COMMANDS.values(), ids=COMMANDS)
def test_an_output_that_cannot_be_written(arguments, status, folder):
    with Path("/dev/full").open("wb") as full:
        ran = written_to(folder, arguments, stdout=full)
    assert ran.returncode == 2
    assert beside_errors(ran.stderr) == []
    assert (b"the output cannot be written: No space left on device" in ran.stderr) == (
        status != 2 or arguments == ("certify", "noisy:nothing")
    )
