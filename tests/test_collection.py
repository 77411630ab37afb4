"""Tests make their samples themselves: a fault in the package fails tests, and no module while tests are collected."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.deep

HERE = Path(__file__).parent
PLUGIN = """
import mdview as md

def fault(*_, **__):
    raise RuntimeError("made at import")

"""
FAULTS = {
    "no layout has an offset": """
for kind in vars(md.layouts).values():
    if isinstance(kind, type) and kind is not md.Layout and "offset" in vars(kind):
        kind.offset = fault
""",
    "no view is made": "md.MDView.__new__ = md.MDView.from_mapping = fault",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_fails_no_collection(fault, tmp_path):
    (tmp_path / "planted_fault.py").write_text(PLUGIN + FAULTS[fault])
    options = ["--collect-only", "--deep", "-q", "-n0", "-p", "no:cacheprovider", "-p", "planted_fault"]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(HERE)],
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONPATH": path},
        text=True,
    )
    assert run.returncode == 0, run.stdout[-4000:]
