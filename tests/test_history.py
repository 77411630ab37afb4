"""What is refused, and what is answered, does not depend on what was asked before: calls are made in two orders.

Each function of `refusals` is called in two processes that have done nothing else: the valid call last, or first and
the others the other way round. A call has in the place of one number another one that equals it, or says so; or one of
the wrong arguments. What one call leaves behind for another would show in one of the two.
"""

import json
import os
from pathlib import Path

import pytest
from processes import output_of

HERE = Path(__file__).parent

CHILD = """
import sys, json
from functools import partial
sys.path[:0] = [{tests!r}, {fuzz!r}]
from effort import some
from refusals import TABLE
from isolation import in_child
from twice import answers

LEFT_OUT = {{"MultiIndex.increment_by", "ViewIndex.advance"}}  # places themselves, which go on from where they are
LEFT_OUT |= {{"empty", "empty_like"}}  # whose numbers are any
LEFT_OUT |= {{"Var"}}  # which numbers the variables of a process
found = []
for name, args in some([item for item in TABLE.items() if item[0] not in LEFT_OUT], 50):
    first, second = [in_child(partial(answers, args, forwards=way), seconds=30) for way in (True, False)]
    found += [(name, asked, first[asked], second[asked]) for asked in first if first[asked] != second[asked]]
print(json.dumps(found))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a fresh process is a fork")
def test_calls_have_the_same_outcomes_in_either_order():
    program = CHILD.format(tests=str(HERE), fuzz=str(HERE / "fuzz"))
    ran = output_of(program, env=os.environ | {"PYTHONPATH": str(HERE.parent)})
    assert json.loads(ran.splitlines()[-1]) == []
