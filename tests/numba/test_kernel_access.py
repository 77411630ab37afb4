"""Access in kernels: element types, index rules, accessors, atomic steps."""

import ctypes
import multiprocessing
from array import array
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction

import pytest

import mdview as md
from mdview.accessors import processor
from mdview.accessors.base import Wrapper
from mdview.accessors.buffers import Storage
from mdview.errors import AccessorError, IndexOutOfRangeError, KernelError

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")
TypingError = pytest.importorskip("numba.core.errors").TypingError


@numba.njit
def swap(v):
    first = v[0]
    v[0] = v[1]
    v[1] = first
    return first


@numba.njit
def get(v, i, j):
    return v[i, j]


@numba.njit
def put(v, i, x):
    v[i] = x


DTYPES = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "f", "d", "F", "D"]


@pytest.mark.parametrize("code", DTYPES)
def test_every_numeric_type_is_read_and_written(code):
    numbers = np.array([1, 0, 7], dtype=code)
    if code in "bhilqfdFD":
        numbers[1] = -3
    if code in "FD":
        numbers[1] = 1 - 2.5j
    first, second, _ = numbers.tolist()
    view = md.asview(numbers)
    assert swap(view) == first
    assert numbers.tolist()[:2] == [second, first]
    assert type(swap(view)) is type(view[0])


def test_sizes_of_ssize_and_size_are_read():
    data = memoryview(bytearray(16)).cast("n")
    view = md.MDView(data, (2,))
    put(view, 1, -5)
    assert view[1] == -5


def test_default_access_wraps_and_checks():
    view = md.MDView(array("d", range(6)), (2, 3))
    assert get(view, -1, -3) == get(view, 1, 0) == 3.0
    for index in ((2, 0), (0, 3), (-3, 0), (0, -4)):
        with pytest.raises(IndexOutOfRangeError, match="index is out of range for the extent of dimension"):
            get(view, *index)


def test_checked_access_never_wraps():
    view = md.checked(md.MDView(array("d", range(6)), (2, 3)))
    assert get(view, 1, 2) == 5.0
    for index in ((-1, 0), (0, -1), (2, 0)):
        with pytest.raises(IndexError, match="out of range"):
            get(view, *index)


def test_unchecked_access_is_arithmetic_alone():
    view = md.unchecked(md.MDView(array("d", range(6)), (2, 3)))
    assert get(view, 0, 4) == 4.0
    assert get(view, 1, -1) == 2.0


def test_nothing_is_stored_at_an_index_out_of_range():
    view = md.MDView(array("d", range(3)), (3,))
    with pytest.raises(IndexError):
        put(view, 3, 9.0)
    assert view.tolist() == [0.0, 1.0, 2.0]


def test_indices_of_all_integer_types_and_bool():
    view = md.MDView(array("d", range(6)), (2, 3))
    assert get(view, np.int8(-1), np.uint64(2)) == get(view, True, np.int32(-1)) == 5.0


def test_large_unsigned_indices_do_not_wrap():
    view = md.MDView(array("d", range(6)), (2, 3))
    for index in (2**64 - 1, 2**63):
        with pytest.raises(IndexError):
            get(view, np.uint64(index), 0)


def test_a_read_only_view_is_refused_when_compiling():
    view = md.readonly(md.MDView(array("d", range(3)), (3,)))
    with pytest.raises(TypingError, match="this view is read-only: its accessor has no store"):
        put(view, 0, 1.0)
    with pytest.raises(TypingError, match="this view is read-only"):
        numba.njit(lambda v: kernels.atomic_add(v, 0, 1.0))(view)


def test_a_value_that_is_no_number_is_refused_when_compiling():
    with pytest.raises(TypingError, match="cannot store a value of type"):
        put(md.MDView(array("d", range(3)), (3,)), 0, "text")


@pytest.mark.parametrize("factor", [2, 2.5, True, 1 - 2j, 3.0])
def test_scaled_and_conjugated_access_load_what_they_do_in_python(factor):
    @numba.njit
    def load(v):
        return v[1]

    for data in (array("d", [1, -3.5]), array("q", [4, -3])):
        view = md.scaled(factor, md.MDView(data, (2,)))
        assert load(view) == view[1]
        assert type(load(view)) is type(view[1])
    view = md.conjugated(md.asview(np.array([0, 1 - 2j])))
    assert load(view) == view[1] == 1 + 2j
    assert load(md.conjugated(md.MDView(array("d", [1, 2]), (2,)))) == 2.0


def test_a_numpy_number_is_a_factor():
    view = md.scaled(np.float64(1.5), md.MDView(array("d", [1, 2, 4]), (3,)))
    assert numba.njit(lambda v: v[2])(view) == 6.0


@pytest.mark.parametrize(
    "accessor",
    [md.RestrictAccessor(), md.RandomAccessAccessor(md.CheckedAccessor()), md.AlignedAccessor(8), md.FillAccessor()],
)
def test_hints_change_nothing(accessor):
    view = md.MDView(array("d", [1, 2, 4]), (3,), accessor=accessor)
    assert swap(view) == 1.0
    assert view.tolist() == [2.0, 1.0, 4.0]


def test_atomic_steps_of_many_threads_lose_nothing():
    @numba.njit(parallel=True)
    def count(keys, out, weights):
        for i in numba.prange(keys.size):
            kernels.atomic_add(out, (0, keys[i]), 1)
            weights[keys[i]] += 0.5
            weights[keys[i]] -= 0.25

    keys = md.MDView(array("q", [k % 3 for k in range(3000)]), (3000,))
    out, weights = md.MDView(array("q", [0] * 3), (1, 3)), md.MDView(array("d", [0] * 3), (3,))
    count(keys, out, md.atomic(weights))
    assert out.tolist() == [[1000] * 3]
    assert weights.tolist() == [250.0] * 3


def test_an_atomic_element_is_a_reference():
    @numba.njit
    def steps(v):
        v[0] = 5
        v[1] = v[0]
        before = v[2].fetch_add(10)
        v[2] -= 1
        return before, v[2].load()

    data = array("q", [0, 0, 7])
    assert steps(md.atomic(md.MDView(data, (3,)))) == (7, 16)
    assert data.tolist() == [5, 5, 16]


def test_atomic_add_in_python_is_the_same():
    view = md.MDView(array("d", [1, 2]), (2,))
    assert kernels.atomic_add(view, -1, 3.0) == 2.0
    assert view.tolist() == [1.0, 5.0]


def test_atomic_steps_on_shared_memory_ask_in_python_and_not_in_a_kernel(monkeypatch):
    monkeypatch.setattr(processor, "KNOWN", defaultdict(dict))  # as without the extra

    @numba.njit
    def steps(v):
        return kernels.atomic_add(v, 1, 2)

    @numba.njit
    def more(v):
        v[1] += 3

    data = multiprocessing.RawArray("q", 4)
    view = md.MDView(data, (4,))
    assert (steps(view), list(data)) == (0, [0, 2, 0, 0])
    with pytest.raises(AccessorError, match="process_local=True"):
        kernels.atomic_add(view, 1, 2)
    told = md.atomic(view, process_local=True)
    more(told)
    assert kernels.atomic_add(told, 1, 2) == 5
    assert list(data) == [0, 7, 0, 0]


@pytest.mark.parametrize("order", ["seq_cst", "acq_rel", "acquire", "release", "relaxed"])
def test_atomic_steps_are_under_the_memory_order_of_the_view(order):
    @numba.njit
    def steps(v):
        v[0] = 5
        v[1] = v[0]
        v[1] += 1
        v[1] -= 3
        kernels.atomic_add(v, 1, 10)
        return v[0].fetch_add(2), v[1].load()

    view = md.atomic(md.MDView(array("q", [0, 0]), (2,)), order=order)
    assert steps(view) == (5, 13)
    found = {"acq_rel": "acquire", "release": "monotonic", "relaxed": "monotonic"}.get(order, order)
    text = next(iter(steps.inspect_llvm().values()))
    ended = "monotonic" if order == "relaxed" else order
    for line in text.splitlines():
        if " = load atomic " in line:
            assert f" {found}," in line
        if " = atomicrmw " in line:
            assert f" {ended}" in line


def test_kernels_and_python_step_on_the_same_elements():
    pytest.importorskip("llvmlite")

    @numba.njit(parallel=True, nogil=True)
    def count(v, times):
        for i in numba.prange(times):
            v[i % 2] += 1

    data, mine = array("q", [0, 0]), 0
    view = md.atomic(md.MDView(data, (2,)))
    count(view, 4)
    with ThreadPoolExecutor(1) as pool:
        kernel = pool.submit(count, view, 2_000_000)
        while not kernel.done() or not mine:
            view[0].fetch_add(1)
            view[1] += 1
            mine += 1
        kernel.result()
    assert data.tolist() == [1_000_002 + mine] * 2


@pytest.mark.parametrize(("out", "into"), [("release", "acquire"), ("acq_rel", "acq_rel"), ("seq_cst", "seq_cst")])
def test_what_was_stored_before_a_release_is_seen_after_an_acquire(out, into):
    times = 100_000

    @numba.njit(nogil=True)
    def send(data, flag):
        for k in range(1, times + 1):
            data[0] = k
            flag[0] = k

    @numba.njit(nogil=True)
    def late(data, flag):
        missed = found = 0
        while found < times:
            found = flag[0].load()
            if data[0] < found:
                missed += 1
        return missed

    data, flags = md.MDView(array("q", [0]), (1,)), md.MDView(array("q", [0]), (1,))
    sent, received = md.atomic(flags, order=out), md.atomic(flags, order=into)
    with ThreadPoolExecutor(2) as pool:
        receiver, sender = pool.submit(late, data, received), pool.submit(send, data, sent)
        sender.result()
        assert receiver.result() == 0


def test_atomic_steps_that_no_processor_has_are_refused():
    view = md.asview(np.zeros(2, dtype=complex))
    with pytest.raises(TypingError, match="a processor has atomic steps for integers and floats"):
        numba.njit(lambda v: kernels.atomic_add(v, 0, 1))(view)
    for kernel in (lambda v: put(v, 0, 1), lambda v: v[0].load()):
        with pytest.raises(TypingError, match="not for elements of type complex128"):
            numba.njit(kernel)(md.atomic(view))
    with pytest.raises(TypingError, match="cannot add a value of type"):
        numba.njit(lambda v: kernels.atomic_add(v, 0, "x"))(md.MDView(array("d", [1]), (1,)))


@pytest.mark.parametrize(
    "kernel",
    [
        lambda v: len(v.size),
        lambda v: v.size[0],
        lambda v: md.subview(v.size, 0),
        lambda v: kernels.atomic_add(v, 0.5, 1),
        lambda v: v.extent(0.5),
    ],
)
def test_what_is_no_view_or_no_index_is_left_to_numba(kernel):
    with pytest.raises(TypingError):
        numba.njit(kernel)(md.MDView(array("d", [1]), (1,)))


def test_conjugating_numbers_that_have_no_imaginary_part_comes_before_scaling():
    view = md.scaled(2.0, md.conjugated(md.MDView(array("d", [1, 3]), (2,))))
    assert numba.njit(lambda v: v[1])(view) == 6.0


class Larger(md.Accessor):
    def load(self, data, offset):
        return data[offset] if data[offset] > 0 else 0.0


class Elsewhere(Wrapper):
    inner = md.DefaultAccessor()

    def load(self, data, offset):
        return data[offset + 1]


@dataclass
class Changing(md.Accessor):
    factor: float

    def load(self, data, offset):
        return self.factor * data[offset]


@pytest.mark.parametrize(
    ("view", "reason"),
    [
        (md.MDView([1, 2], (2,)), "are Python objects; copy them"),
        (md.MDView(array("d", [1]), (1,), accessor=Larger()), "cannot compile Larger, as .* more than arithmetic"),
        (md.MDView(array("d", [1]), (1,), accessor=Elsewhere()), "cannot compile Elsewhere"),
        (md.MDView(array("d", [1]), (1,), accessor=Changing(2.0)), "which may change; make it a frozen data class"),
        (
            md.scaled(Fraction(2), md.MDView(array("d", [1]), (1,))),
            "it uses an object of Fraction; pass a view without it",
        ),
        (md.pad(md.atomic(md.MDView(array("d", [1]), (1,))), 1), "a kernel has no references to padding"),
        (md.pad(md.MDView(array("q", [1]), (1,)), 1, constant=0.5), "a kernel has no type for elements of type int64"),
        (
            md.pad(md.reshape(md.pad(md.MDView(array("d", [1]), (1, 1)), 1), (9,)), 1),
            "a kernel has one padding at most",
        ),
        (md.MDView.null((2,)), "this is the null view"),
        (md.MDView(bytearray(4), (2,)), None),
    ],
)
def test_views_that_kernels_do_not_take_say_why(view, reason):
    load = numba.njit(lambda v: v[0])
    if reason is None:
        assert load(view) == 0
    else:
        with pytest.raises(KernelError, match=reason):
            load(view)


@pytest.mark.parametrize("dtype", [">f8", "f2"])
def test_items_that_a_kernel_has_no_type_for(dtype):
    with pytest.raises(KernelError, match="a kernel has no type for items of format"):
        swap(md.asview(np.zeros(3, dtype=dtype)))


def test_data_at_an_odd_address_is_refused():
    storage = Storage(memoryview((ctypes.c_byte * 33)())[1:]).recast("d")
    with pytest.raises(KernelError, match="begins at no multiple of 8 bytes"):
        swap(md.MDView(storage, (2,)))


def test_a_released_view_is_forgotten():
    view = md.MDView(array("d", [1, 2, 3]), (3,))
    swap(view)
    view.release()
    with pytest.raises(KernelError, match="null view"):
        swap(view)


def test_a_loop_over_an_index_cannot_be_traced():
    class Looping(md.Layout):
        def offset(self, extents, index):
            return sum(range(index[0]))

        def required_span_size(self, extents):
            return 10

    with pytest.raises(KernelError, match="cannot be traced for a kernel"):
        swap(md.MDView(array("d", range(10)), (4,), Looping()))


def test_comparisons_without_end_are_refused():
    class Comparing(md.Layout):
        def offset(self, extents, index):
            return sum([1 for k in range(1, 8) if index[0] >= k * index[0] * k])

        def required_span_size(self, extents):
            return 10

    with pytest.raises(KernelError, match="more than 64 outcomes"):
        swap(md.MDView(array("d", range(10)), (4,), Comparing()))
