"""torch: whatever view it is given, the process lives. Each call has a process of its own, which torch could end."""

import pytest
from processes import output_of

pytest.importorskip("torch")

START = """
from array import array
import torch
from mdview import LayoutRight, MDView, flip, readonly, relayout
from mdview.errors import ExportError
whole = MDView(array("d", range(24)), (4, 6))
for view in (flip(whole), whole[:, ::-1], whole[::-2].T, whole[1, ::-1], readonly(flip(whole))):
    values = view.tolist()
    {}
"""
REFUSED = """
    try:
        {}
    except ExportError as error:
        assert "no negative strides" in str(error), error
    else:
        raise AssertionError(view)
"""
CALLS = (
    "torch.from_dlpack(view)",
    "torch.utils.dlpack.from_dlpack(view)",
    "torch.as_tensor(view)",
    "torch.asarray(view)",
    "torch.asarray(view, copy=True)",
    "torch.tensor(view)",
    "torch.Tensor(view)",
)
TAKEN = (
    "torch.from_dlpack(view, copy=True)",
    "torch.from_dlpack(relayout(view, LayoutRight()))",
    "torch.as_tensor(relayout(view, LayoutRight()))",
)


def run(body):
    output_of(START.format(body), options=["-W", "ignore"])


@pytest.mark.parametrize("call", CALLS)
def test_negative_strides_are_an_error(call):
    run(REFUSED.format(call))


@pytest.mark.parametrize("call", TAKEN)
def test_the_ways_out_give_the_values(call):
    run(f"assert {call}.tolist() == values")
