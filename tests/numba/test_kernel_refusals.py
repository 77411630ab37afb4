"""What kernels refuse beside what tests/mistakes/numba.txt has."""

from array import array
from fractions import Fraction

import pytest

import mdview as md
from mdview.errors import HaloError, KernelError

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")


@numba.njit
def first(v):
    return v[0]


@numba.njit
def put(v, index, x):
    v[index] = x


class Halves(md.ElementwiseWritable):
    """No store compiles."""

    def decode(self, item):
        return 2 * item

    def encode(self, value):
        return float.fromhex(value.hex()) / 2


def of(accessor=None, data=(1.0, 2.0), code="d"):
    return md.MDView(array(code, data), (len(data),), accessor=accessor or md.DefaultAccessor())


def plain(*extents):
    return md.asview(np.zeros(extents or (2,)))


PUT = put.py_func.__code__.co_firstlineno + 2


def test_an_error_has_the_line_of_the_kernel():
    for compiler in (numba.njit, kernels.jit):
        with pytest.raises(KernelError, match=rf"Halves.* \(test_kernel_refusals.py, line {PUT}\)$"):
            compiler(lambda v: put(v, 0, 1.0))(of(Halves()))
    with pytest.raises(KernelError, match=r"ScaledAccessor.decode.*factor"):
        first(md.operations.scaled(Fraction(2), of()))


@pytest.mark.parametrize("kernel", [lambda v: v[0][0], lambda v: v[0] + "x", lambda v: 1 + nowhere(v)])  # noqa: F821
def test_what_numba_says_at_length_begins_with_the_reason(kernel):
    with pytest.raises(Exception, match=r"^(No implementation of .* for signature: |name 'nowhere')") as caught:
        kernels.jit(kernel)(plain())
    assert len(str(caught.value).splitlines()) <= 5


def test_whether_a_view_has_an_attribute_is_a_question():
    asked = numba.njit(lambda v: (hasattr(v, "size"), hasattr(v, "nonsense"), getattr(v, "nonsense", 7)))
    assert asked(plain()) == (True, False, 7)


def test_what_is_refused_while_a_kernel_runs_changes_nothing():
    rows = np.arange(12.0).reshape(3, 4)
    padded = md.pad(md.asview(rows.copy()), 1)
    with pytest.raises(HaloError, match="along dimension 0"):
        put(padded, (0, 1), 1.0)
    with pytest.raises(ValueError, match="zero"):
        numba.njit(lambda v, step: len(v[0:1:step]))(plain(), 0)
    assert not padded[0].tolist()[0]
    assert first(of(Halves())) == 2.0  # whose stores are refused
    assert md.subview(padded, (1, 4), (1, 5)).tolist() == rows.tolist()
