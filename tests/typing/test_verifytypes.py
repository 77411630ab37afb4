"""Every public name has a type: what pyright asks of a library that says it is typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from checkers import ROOT

pytestmark = pytest.mark.deep


def test_the_type_of_every_public_name_is_known(tmp_path):
    command = [sys.executable, "-m", "pyright", "--verifytypes", "mdview", "--ignoreexternal", "--outputjson"]
    done = subprocess.run(
        [*command, "--pythonpath", sys.executable],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    found = json.loads(done.stdout)["typeCompleteness"]
    assert found["packageRootDirectory"] == str(ROOT / "mdview")
    unknown = [s["name"] for s in found["symbols"] if s["isExported"] and not s["isTypeKnown"]]
    assert (unknown, found["completenessScore"]) == ([], 1)
