"""A small input costs little, whatever numbers it has: processor seconds and resident bytes, in a process of its own.

What would take a look at each of too many indices is refused by name: `UndecidedError`, or the rule that is broken.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

if not hasattr(os, "fork"):
    pytest.skip("the inputs run in forks, within limits", allow_module_level=True)

from cost_inputs import DECIDED, MEGABYTES, REFUSED, SECONDS

SCRIPT = Path(__file__).with_name("cost_inputs.py")


@pytest.fixture(scope="module")
def outcomes():
    command = [sys.executable, str(SCRIPT)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=SCRIPT.parents[1])
    return {name: outcome for name, *outcome in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", [*DECIDED, *REFUSED])
def test_a_few_numbers_cost_little(outcomes, name):
    outcome, seconds, megabytes = outcomes[name]
    assert outcome == (REFUSED[name][0] if name in REFUSED else "True")
    assert seconds < SECONDS
    assert megabytes < MEGABYTES
