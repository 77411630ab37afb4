"""Accessors that do arithmetic, in kernels: the numbers that they give one by one in Python, loaded and stored."""

from array import array
from dataclasses import dataclass
from typing import Any, final

import pytest

import mdview as md
from mdview.errors import KernelError

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")
TypingError = pytest.importorskip("numba.core.errors").TypingError


PLAIN = md.DefaultAccessor()


@final
@dataclass(frozen=True)
class Calibrated(md.Writable):
    gain: Any
    shift: Any
    inner: Any = PLAIN

    def load(self, data, offset):
        return self.inner.read(data, offset) * self.gain + self.shift

    def store(self, data, offset, value):
        self.inner.store(data, offset, (value - self.shift) / self.gain)


@final
@dataclass(frozen=True)
class Packed(md.Writable):
    bits: int = 3

    def load(self, data, offset):
        return (data[offset] >> self.bits) - 1

    def store(self, data, offset, value):
        data[offset] = (value + 1 << self.bits) | 5


class Squared(md.Accessor):
    def load(self, data, offset):
        found = data[offset]
        return found * found


class Halves(md.Writable):
    """Every store is a branch, which a kernel does not know."""

    def load(self, data, offset):
        return 2 * data[offset]

    def store(self, data, offset, value):
        data[offset] = value / 2 if value else 0.0


class Conversed(md.Accessor):
    def load(self, data, offset):
        return (
            abs(-data[offset].conjugate().imag) - data[offset].real // 2 + data[offset].real % 3 + (+data[offset]).real
        )


@numba.njit
def first(v):
    return v[0]


@numba.njit
def doubled(v):
    for i in range(v.extent(0)):
        v[i] = 2 * v[i]


def named(accessor):
    """Name an accessor without its address."""
    return f"{type(accessor).__name__}{vars(accessor) or ''}"


@pytest.mark.parametrize("code", ["b", "B", "h", "H", "i", "I", "q", "f", "d"])
@pytest.mark.parametrize(
    "accessor",
    [
        Calibrated(2.5, -1.0),
        md.ReadOnlyAccessor(Calibrated(3, 4)),
        md.ScaledAccessor(0.5, md.ConjugatedAccessor(Calibrated(True, 0.0))),
        Calibrated(0.25, 1, md.RestrictAccessor(Calibrated(2, 1.0))),
        Squared(),
        Conversed(),
    ],
    ids=named,
)
def test_a_load_is_the_arithmetic_of_the_accessor(code, accessor):
    for number in (1.1, -7.3, 100.0) if code in "fd" else (1, 7, 100):
        view = md.MDView(array(code, [number]), (1,), accessor=accessor)
        found = first(view)
        assert (type(found), found) == (type(view[0]), view[0])


@pytest.mark.parametrize("accessor", [Calibrated(2 + 1j, 1), Calibrated(1j, 0.5), Squared()], ids=named)
def test_a_load_of_complex_numbers(accessor):
    for data in (np.array([1.5 - 2j]), np.array([-1.1 + 2.3j], np.complex64)):
        view = md.MDView(data, (1,), accessor=accessor)
        assert first(view) == view[0]


def test_a_bool_calculates_as_an_integer():
    view = md.MDView(memoryview(bytearray(b"\1")).cast("?"), (1,), accessor=Calibrated(2, True))
    assert first(view) == view[0] == 3


@pytest.mark.parametrize("accessor", [Calibrated(4.0, -1.0), Calibrated(2, 1.0, md.CheckedAccessor())], ids=named)
def test_a_store_undoes_it(accessor):
    data = array("d", [1.0, -2.5, 3.0])
    view, wanted = (md.MDView(array("d", data), (3,), accessor=accessor) for _ in range(2))
    doubled(view)
    doubled.py_func(wanted)
    assert view.tolist() == wanted.tolist() == [2 * accessor.load(data, k) for k in range(3)]


def test_shifts_and_bits_of_integers_are_stored():
    view, wanted = (md.MDView(array("q", [80, -9]), (2,), accessor=Packed()) for _ in range(2))
    doubled(view)
    doubled.py_func(wanted)
    assert view.tolist() == wanted.tolist()


def test_a_division_by_zero_is_an_error_as_in_python():
    view = md.MDView(array("d", [1.0]), (1,), accessor=Calibrated(0.0, 1.0))
    with pytest.raises(ZeroDivisionError):
        doubled(view)
    assert view.tolist() == [1.0]


def test_equal_formulas_share_code_and_others_do_not():
    types = [
        numba.typeof(md.MDView(array("d", [1.0]), (1,), accessor=accessor))
        for accessor in (
            Calibrated(2.0, 1),
            Calibrated(2.0, 1),
            Calibrated(2, 1),
            Calibrated(2.0, 0.0),
            Calibrated(2.0, -0.0),
        )
    ]
    assert types[0] == types[1]
    assert types[0].mangling_args == types[1].mangling_args
    assert len(set(types)) == len({str(kind) for kind in types}) == 4


def test_a_store_that_is_no_arithmetic_is_refused_where_it_is_asked_for():
    view = md.MDView(array("d", [1.5]), (1,), accessor=Halves())
    assert first(view) == 3.0
    with pytest.raises(TypingError, match="cannot compile the store of this view, as Halves"):
        doubled(view)


def test_atomic_steps_are_those_of_plain_elements():
    view = md.MDView(array("d", [1.5]), (1,), accessor=Calibrated(2.0, 0.0))
    with pytest.raises(TypingError, match="atomic steps are those of elements as they are"):
        numba.njit(lambda v: kernels.atomic_add(v, 0, 1.0))(view)
    with pytest.raises(KernelError, match="atomic steps of a kernel are those of elements as they are"):
        first(md.atomic(view))
    assert first(md.readonly(md.atomic(view))) == 3.0
    assert view.tolist() == [3.0]


def test_what_is_stored_of_a_reference_is_made_of_its_number():
    @numba.njit
    def put(given, out):
        out[0] = given[0]

    given = md.atomic(md.asview(np.array([5], "i")))
    out = md.MDView(array("d", [1.0]), (1,), accessor=Calibrated(4.0, -1.0))
    put(given, out)
    assert out[0] == 5


def test_what_a_kernel_has_no_type_for_is_named():
    view = md.MDView(np.array([1j]), (1,), accessor=Packed())
    with pytest.raises(TypingError, match="the accessor of this view does >> on complex128, 3"):
        first(view)
