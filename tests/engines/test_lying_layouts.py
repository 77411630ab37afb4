"""No position leaves the data, whatever a layout says of itself: through each verb, over any items.

The lies are those of `tests/fuzz`, in an interpreter of their own, so that a crash is a failure here and nothing else.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from effort import share

RUN = Path(__file__).parents[1] / "fuzz" / "run.py"


@pytest.mark.parametrize("seed", range(4))
def test_a_layout_that_lies_reads_and_writes_nothing_outside_of_its_data(seed):
    command = [sys.executable, RUN, "--only", "lying layouts", "--seed", str(seed), "--inputs", str(share(4000, 400))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
