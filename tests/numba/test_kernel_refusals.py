"""What kernels refuse: the view or the code, the error, and the values that it names."""

import ctypes
from array import array
from dataclasses import dataclass
from fractions import Fraction

import pytest
from effort import some

import mdview as md
from mdview.errors import HaloError, IndexOutOfRangeError, KernelError, LayoutError, SliceError

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")


@numba.njit
def first(v):
    return v[0]


@numba.njit
def put(v, index, x):
    v[index] = x


class Lengths(md.ElementwiseAccessor):
    """A method that integers of a kernel do not have."""

    def decode(self, item):
        return item.bit_length()


class Maybe(md.ElementwiseAccessor):
    """Sometimes no number."""

    def decode(self, item):
        return item if item > 0 else None


class Elsewhere(md.Accessor):
    def load(self, data, offset):
        return data[offset + 1]


@dataclass
class Changing(md.ElementwiseAccessor):
    factor: float

    def decode(self, item):
        return self.factor * item


class Halves(md.ElementwiseWritable):
    """No store compiles."""

    def decode(self, item):
        return 2 * item

    def encode(self, value):
        return float.fromhex(value.hex()) / 2


class Inverse(md.ElementwiseWritable):
    def decode(self, item):
        return 1 / item

    def encode(self, value):
        return 1 / value


def laid(arithmetic):
    """A view whose layout is of a class of its own."""

    class Mine(md.Layout):
        def offset(self, extents, index):
            return arithmetic(index[0])

        def required_span_size(self, extents):
            return 8

    return md.MDView(array("d", range(10)), (4,), Mine())


def of(accessor=None, data=(1.0, 2.0), code="d"):
    return md.MDView(array(code, data), (len(data),), accessor=accessor or md.DefaultAccessor())


def at_odd_address():
    return md.asview(np.frombuffer((ctypes.c_byte * 33)(), "b", 32, 1).view("d"))


ROWS = np.arange(12.0).reshape(3, 4)
VIEWS = {
    "objects": (lambda: md.MDView([1, 2], (2,)), "objects"),
    "a method of integers": (lambda: of(Lengths(), [1, 2], "q"), r"Lengths.decode \(line \d+\): .*bit_length.*int64"),
    "no number": (lambda: of(Maybe()), "Maybe.decode.*no number"),
    "elsewhere": (lambda: of(Elsewhere()), "Elsewhere.*elementwise"),
    "changing": (lambda: of(Changing(2.0)), "frozen"),
    "fraction": (lambda: md.operations.scaled(Fraction(2), of()), "ScaledAccessor.decode.*factor"),
    "references to padding": (lambda: md.pad(md.atomic(of()), 1), "padding"),
    "a constant of no type": (lambda: md.pad(of(None, [1], "q"), 1, constant=0.5), "int64"),
    "two paddings": (lambda: md.pad(md.reshape(md.pad(md.asview(np.zeros((1, 1))), 1), (9,)), 1), "one padding"),
    "a constant that cannot be loaded": (lambda: md.pad(of(Inverse()), 1, constant=0), "0"),
    "null": (lambda: md.MDView.null((2,)), "null"),
    "an odd address": (at_odd_address, "8"),
    "a loop": (lambda: laid(lambda i: sum(range(i))), "Mine"),
    "a division where it is chosen": (lambda: laid(lambda i: 7 % i if i else 0), "divides by no 0"),
    "a large negative number": (lambda: laid(lambda i: i * (-(2**63) - 1) % 7), str(-(2**63) - 1)),
    "a large stride": (lambda: md.MDView(array("d", [5]), (1,), md.LayoutStrideRelaxed((2**70,))), "64"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_that_kernels_do_not_take_say_why(name):
    make, values = VIEWS[name]
    with pytest.raises(KernelError, match=values or None):
        first(make())


def plain(*extents):
    return md.asview(np.zeros(extents or (2,)))


PUT = put.py_func.__code__.co_firstlineno + 2
INTEGERS, FLAT, SQUARE = of(None, [7], "q"), plain(), plain(4, 6)
TILED = md.MDView(np.zeros(24), (4, 6), md.LayoutTiled(2, 3))
WIDE = md.MDView(np.zeros(12), (2, 2), md.LayoutStride((6, 2)))
ATOMIC, COMPLEX = md.atomic(INTEGERS), md.asview(np.zeros(2, complex))

CODE = [
    (lambda v: v[..., ...], SQUARE, "2"),
    (lambda v: v[(0, 1), 0], SQUARE, "pair"),
    (lambda v: md.subview(v, 0), SQUARE, "2.*1"),
    (lambda v: md.subview(v, None, 0), SQUARE, "None"),
    (lambda v: kernels.tile(v[1:], 0), TILED, "LayoutTiled"),
    (lambda v: kernels.tile(v, 0), SQUARE, "LayoutTiled"),
    (lambda v: kernels.run(v, 0), WIDE, "1"),
    (lambda v: v.nonsense, SQUARE, "nonsense.*extents"),
    (lambda v: 1 + len(v), md.MDView(array("d", [1]), ()), "rank 0"),
    (lambda v: v.extent(0.5), FLAT, ""),
    (lambda v: kernels.atomic_add(v, 0, "x"), FLAT, ""),
    (lambda v: kernels.atomic_add(v, 0, 1.0), md.readonly(FLAT), "read-only"),
    (lambda v: kernels.atomic_add(v, 0, 1), COMPLEX, ""),
    (lambda v: kernels.atomic_add(v, 0, 1.0), of(Halves()), ""),
    (lambda v: v[0].load(), md.atomic(COMPLEX), "complex128"),
    (lambda v: v[0].fetch_add(1.5), ATOMIC, "float64.*int64; round it first"),
    (lambda v: v[0].exchange(1j), ATOMIC, "complex128.*int64"),
    (lambda v: v[0].compare_exchange("a", 2), ATOMIC, "int64"),
    (lambda v: v[0].fetch_add(), ATOMIC, "1 value"),
    (lambda v: v[0].load(1), ATOMIC, "0 values"),
    (lambda v: v[0].fetch_mul(1), ATOMIC, "fetch_mul.*fetch_sub"),
    (lambda v: v[0].fetch_xor(1), md.atomic(FLAT), "float64"),
    (lambda v: put(v, 0, "text"), FLAT, "text|unicode"),
    (lambda v: put(v, 0, 1.0), of(Halves()), "Halves"),
    (lambda v: put(v, 0, 1), md.atomic(COMPLEX), "complex128"),
]


@pytest.mark.parametrize("number", some(range(len(CODE)), 14))
def test_what_a_kernel_cannot_do_is_refused_when_compiling(number):
    kernel, view, values = CODE[number]
    line = kernel.__code__.co_firstlineno
    for compiler in (numba.njit, kernels.jit):
        with pytest.raises(KernelError, match=rf"{values}.* \(test_kernel_refusals.py, line ({line}|{PUT})\)$"):
            compiler(kernel)(view)


@pytest.mark.parametrize("kernel", [lambda v: np.sum(v) + 1, lambda v: v[0] + "x", lambda v: 1 + nowhere(v)])  # noqa: F821
def test_what_numba_says_at_length_begins_with_the_reason(kernel):
    with pytest.raises(Exception, match=r"^(No implementation of .* for signature: |name 'nowhere')") as caught:
        kernels.jit(kernel)(FLAT)
    assert len(str(caught.value).splitlines()) <= 5


GLOBAL = of()


@numba.njit
def kept(v):
    held = [v]
    return held[0][0]


@numba.njit
def steps(v):
    for i in range(len(v)):
        yield v[i]


OUTLIVING = [
    (numba.njit(lambda: GLOBAL[0]), KernelError, "constant"),
    (lambda: numba.njit(lambda v, by=GLOBAL: v[0] + by[1])(GLOBAL), KernelError, "constant"),
    (lambda: kept(GLOBAL), Exception, "list"),
    (lambda: steps(GLOBAL), Exception, "list"),
    (lambda: numba.typed.List().append(GLOBAL), Exception, "list"),
]


@pytest.mark.parametrize("number", range(len(OUTLIVING)))
def test_views_that_a_kernel_could_outlive_are_refused(number):
    call, error, values = OUTLIVING[number]
    with pytest.raises(error, match=values or None):
        call()


at2 = numba.njit(lambda v, i, j: v[i, j])
stepped = numba.njit(lambda v, a, b, s: v[a:b:s])
cut = numba.njit(lambda v, begin, end: md.subview(v, (begin, end)))
tile = numba.njit(lambda v, k: kernels.tile(v, k)[:])
PADDED = md.pad(md.asview(ROWS.copy()), 1)
UNFILLED = md.MDView.from_mapping(np.arange(12.0), PADDED.mapping)
RUNNING = [
    (lambda: at2(UNFILLED, 1, 0), HaloError, "1"),
    (lambda: put(PADDED, (0, 1), 1.0), HaloError, "0"),
    (lambda: put(PADDED, (5, 0), 1.0), IndexOutOfRangeError, "^index 5 is out of range for extent 5 of dimension 0$"),
    (lambda: at2(SQUARE, 0, -7), IndexOutOfRangeError, "^index -7 is out of range for extent 6 of dimension 1$"),
    (lambda: at2(SQUARE, np.uint64(2**64 - 1), 0), IndexOutOfRangeError, f"index {2**64 - 1} .* extent 4"),
    (lambda: at2(md.checked(SQUARE), -1, 0), IndexOutOfRangeError, "index -1 .* extent 4 of dimension 0"),
    (lambda: stepped(FLAT, 0, 1, 0), ValueError, "zero"),
    (lambda: cut(FLAT, 0, 3), SliceError, ""),
    (lambda: cut(FLAT, -1, 1), SliceError, ""),
    (lambda: tile(TILED, 4), IndexOutOfRangeError, "tile"),
    (lambda: kernels.tile(TILED, 4), IndexOutOfRangeError, "4.*4"),
    (lambda: kernels.run(FLAT, -1), IndexOutOfRangeError, "-1"),
    (lambda: kernels.tile_count(SQUARE), LayoutError, ""),
    (lambda: kernels.run_count(WIDE), LayoutError, "1"),
]


def test_what_is_refused_while_a_kernel_runs():
    for call, error, values in RUNNING:
        with pytest.raises(error, match=values or None):
            call()
    assert not PADDED[0].tolist()[0]
    assert first(of(Halves())) == 2.0  # whose stores are refused
    assert md.subview(PADDED, (1, 4), (1, 5)).tolist() == ROWS.tolist()
