"""The programs of the page `docs/interop.md` run, each in a process of its own, where their partners are installed."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "interop.md"
PROGRAMS = dict(re.findall(r"^### ([^\n]+)\n+```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL))
IMPORT = re.compile(r"^(?:from|import) (\w+)", re.MULTILINE)
PARTNERS = {
    *("NumPy", "torch", "JAX", "pyarrow", "pandas", "polars", "h5py", "ctypes", "mmap", "Shared memory"),
    "array, bytes, hashlib, files, sockets",
    *("nanobind", "pybind11"),  # run in tests/examples, where their modules are built
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs(name):
    for package in IMPORT.findall(PROGRAMS[name]):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", PROGRAMS[name]]
    folders = os.pathsep.join(filter(None, [str(PAGE.parents[1]), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": folders}
    done = subprocess.run(command, check=False, timeout=300, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_each_partner_has_a_program_of_a_few_lines():
    assert set(PROGRAMS) == PARTNERS
    for program in PROGRAMS.values():
        assert len([line for line in program.splitlines() if not IMPORT.match(line)]) <= 6
