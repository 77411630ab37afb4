"""What is refused, and what is answered, does not depend on what was asked before: each call is made twice.

Once in a process that has done nothing else, and once after the nearest valid call. A call has in the place of one
number another one that equals it, or says so; or one of the wrong arguments of `test_wrong_arguments`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

CHILD = """
import sys, json
from contextlib import suppress
from importlib import import_module
sys.path[:0] = [{tests!r}, {fuzz!r}]
import test_wrong_arguments as table
from isolation import in_child
for partner in ("dask.array", "zarr"):  # loaded once, not in each child
    with suppress(ImportError):
        import_module(partner)
from twice import calls_with_twins, told

found = []
for name, right, asked in calls_with_twins(table.TABLE):
    fresh = in_child(lambda: told(asked))
    later = in_child(lambda: (told(right), told(asked), told(asked))[1:])
    if {{fresh}} != {{*later}}:
        found.append((name, fresh, later))
print(json.dumps(found))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a fresh process is a fork")
def test_every_call_has_the_same_outcome_fresh_and_after_the_nearest_valid_one():
    ran = subprocess.run(
        [sys.executable, "-c", CHILD.format(tests=str(HERE), fuzz=str(HERE / "fuzz"))],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(HERE.parent)},
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout.splitlines()[-1]) == []
