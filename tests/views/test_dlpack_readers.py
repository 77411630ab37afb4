"""Readers that negative strides end get an error in their place; all others get the strides."""

from array import array
from types import ModuleType

import numpy as np
import pytest

from mdview import LayoutRight, LayoutStrideRelaxed, MDView, asview, broadcast_to, flip, readonly, relayout
from mdview.errors import ExportError

ASKING = """
def from_dlpack(given, **options):
    return given.__dlpack__(max_version=(1, 0), **options)

def of_version_0(given):
    return given.__dlpack__()

class Tensor:
    @staticmethod
    def of(given):
        return [from_dlpack(each) for each in (given,)]
"""


def module(name):
    found = ModuleType(name)
    exec(ASKING, found.__dict__)
    return found


class Wrapper:
    """An object around a view, which passes the question on."""

    def __init__(self, view):
        self.view = view

    def __dlpack__(self, **options):
        return self.view.__dlpack__(**options)


def whole():
    return MDView(array("d", range(24)), (4, 6))


NEGATIVE = {
    "flipped": (flip, 0, -6),
    "last dimension": (lambda v: v[:, ::-1], 1, -1),
    "steps": (lambda v: v[1:, ::-2], 1, -2),
    "read-only": (lambda v: readonly(v[::-1]), 0, -6),
    "transposed": (lambda v: v[::-1].T, 1, -6),
    "broadcast": (lambda v: broadcast_to(v[0, ::-1], (2, 6)), 1, -1),
    "by its layout": (lambda v: MDView(v.data, (6,), LayoutStrideRelaxed((-4,), 20)), 0, -4),
    "of an array": (lambda v: asview(np.arange(24, dtype="i2").reshape(4, 6)[:, ::-3]), 1, -3),
}
HARMLESS = {
    "plain": lambda v: v,
    "transposed": lambda v: v.T,
    "broadcast": lambda v: broadcast_to(v[0], (3, 6)),
    "one row backwards": lambda v: v[2:3][::-1],
    "empty backwards": lambda v: v[:0, ::-1],
    "rank 0": lambda v: v[1, 1, ...],
}


@pytest.mark.parametrize("name", NEGATIVE)
@pytest.mark.parametrize("asking", ["torch", "torch.utils.dlpack"])
def test_torch_gets_an_error_for_a_negative_stride(name, asking):
    part, dimension, stride = NEGATIVE[name]
    torch, view = module(asking), part(whole())
    says = (
        f"dimension {dimension} of this view has the stride {stride}, and torch takes no negative strides: it would "
        r"end the process; torch\.from_dlpack\(view, copy=True\) .*relayout\(view, LayoutRight\(\)\)"
    )
    asked = [torch.from_dlpack, torch.Tensor.of]
    for ask in asked if name == "read-only" else [*asked, torch.of_version_0]:
        for given in (view, Wrapper(view), Wrapper(Wrapper(view))):
            with pytest.raises(ExportError, match=says):
                ask(given)


@pytest.mark.parametrize("name", NEGATIVE)
def test_the_way_out_is_open(name):
    torch, view = module("torch.utils.dlpack"), NEGATIVE[name][0](whole())
    assert torch.from_dlpack(view, copy=True) is not None
    assert torch.from_dlpack(relayout(view, LayoutRight())) is not None


@pytest.mark.parametrize("name", HARMLESS)
def test_torch_gets_what_has_no_negative_stride(name):
    assert module("torch.utils.dlpack").from_dlpack(HARMLESS[name](whole())) is not None


@pytest.mark.parametrize("asking", ["torchvision.ops", "my.torch", "jax.dlpack", "__main__", "mytorch"])
def test_others_get_negative_strides(asking):
    other = module(asking)
    for part, _, _ in NEGATIVE.values():
        view = part(whole())
        assert other.from_dlpack(view) is not None
        assert other.from_dlpack(Wrapper(view)) is not None
        assert np.from_dlpack(view).tolist() == view.tolist()


def test_the_function_that_asks_decides_and_not_who_called_it():
    torch = module("torch.utils.data")
    exec("def load(read, view): return read(view)", torch.__dict__)
    view = flip(whole())
    assert torch.load(lambda v: module("other").from_dlpack(v), view) is not None
