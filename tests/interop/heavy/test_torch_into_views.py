"""torch: tensors of the CPU are viewed where they lie. Each program has a process of its own, which torch may end."""

import pytest
from processes import output_of

pytest.importorskip("torch")

START = """
import gc
import numpy as np
import torch
from mdview import asview
from mdview.errors import BufferFormatError

def refused(given, *texts):
    try:
        asview(given)
    except BufferFormatError as error:
        assert all(text in str(error) for text in texts), error
    else:
        raise AssertionError(texts)

grid = torch.arange(6.0).reshape(2, 3)
"""
PROGRAMS = {
    "what has no memory as it stands is refused": """
refused(torch.nn.Parameter(grid.clone()), "asview(tensor.detach().cpu())")
refused(grid.to(torch.float8_e5m2), "torch.int8")
refused(grid.to(torch.complex64).conj().imag, "resolve_neg()")
refused(torch._neg_view(grid), "resolve_neg()")
refused(torch.empty(2, device="meta"), "asview(tensor.detach().cpu())")
""",
    "the storage stays": """
tensor = torch.arange(4.0)
view = asview(tensor)
for change in (lambda: tensor.resize_(100_000), lambda: tensor.untyped_storage().resize_(0)):
    try:
        change()
    except RuntimeError:
        pass
    else:
        raise AssertionError
tensor.set_(torch.zeros(3))
gc.collect()
assert view.tolist() == [0.0, 1.0, 2.0, 3.0]
del tensor
gc.collect()
assert view.tolist() == [0.0, 1.0, 2.0, 3.0]
""",
    "views travel": """
import pickle
view = asview(grid)
again, part = pickle.loads(pickle.dumps([view, view[1:]]))
again[1, 0] = -1.0
assert (part[0, 0], view[1, 0]) == (-1.0, 3.0)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_torch(name):
    output_of(START + PROGRAMS[name])
