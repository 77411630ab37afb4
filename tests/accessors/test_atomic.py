"""Atomic access: every operation on an element is one step, whoever else is at work."""

import math
import operator
import pickle
import struct
import sys
from array import array
from collections import UserList
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import numpy as np
import pytest
from processes import output_of

import mdview as md
from mdview.errors import AccessorError, ElementError, HaloError

THREADS = 8
TIMES = 300


@pytest.mark.deep
def test_steps_are_the_same_without_the_extra():
    code = "import sys, pytest; sys.modules['llvmlite'] = None; sys.exit(pytest.main(sys.argv[1:]))"
    output_of(code, "-q", "-n", "0", "-p", "no:cacheprovider", __file__)


def in_threads(work):
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


class Digits(md.Writable):
    """Elements take two items each."""

    def load(self, data, offset):
        return data[2 * offset] * 100 + data[2 * offset + 1]

    def store(self, data, offset, value):
        data[2 * offset], data[2 * offset + 1] = divmod(value, 100)


class Bits(md.Writable):
    """Elements are the bits of items, eight each."""

    def load(self, data, offset):
        return data[offset >> 3] >> (offset & 7) & 1

    def store(self, data, offset, value):
        data[offset >> 3] = data[offset >> 3] & ~(1 << (offset & 7)) | (value << (offset & 7))


KINDS = {
    "integers": lambda: md.MDView(array("q", [0] * 4), (4,)),
    "floats": lambda: md.MDView(array("d", [0] * 4), (4,)),
    "complex numbers": lambda: md.MDView(np.zeros(4, dtype=complex), (4,)),
    "foreign order": lambda: md.operations.bitcast(md.MDView(bytearray(32), (32,)), ">q"),
    "a list": lambda: md.MDView([0] * 4, (4,)),
    "decimals": lambda: md.MDView([Decimal(0)] * 4, (4,)),
    "objects": lambda: md.asview(np.zeros(4, dtype=object)),
    "a sequence": lambda: md.MDView(UserList([0] * 4), (4,)),
    "checked": lambda: md.MDView(array("q", [0] * 4), (4,), accessor=md.CheckedAccessor()),
    "padded": lambda: md.pad(md.MDView(array("q", [0] * 4), (4,)), ((0, 3),)),
    "two items": lambda: md.MDView.from_mapping(array("q", [0] * 8), md.Mapping((4,)), Digits()),
}


@pytest.fixture
def _often():
    """Let threads take turns often."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("_often")
@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_steps_of_several_threads_lose_nothing_whatever_they_are_on(make):
    view = md.atomic(make())

    def work(_):
        for _ in range(50):
            view[0] += 1
            view[1].fetch_sub(-2)
            while not view[2].compare_exchange(found := view[2].load(), found + 1)[0]:
                pass
            view[3].store(view[3].exchange(0))

    in_threads(work)
    assert [view[k].load() for k in range(4)] == [50 * THREADS, 100 * THREADS, 50 * THREADS, 0]


@pytest.mark.usefixtures("_often")
def test_elements_that_share_an_item_do_not_undo_each_other():
    data = array("B", bytes(THREADS))
    view = md.atomic(md.MDView.from_mapping(data, md.Mapping((THREADS,)), Bits()))

    def work(me):
        for _ in range(TIMES + me % 2):
            view[me] ^= 1

    in_threads(work)
    assert view.tolist() == [(TIMES + me) % 2 for me in range(THREADS)]
    assert not any(data[1:])


@pytest.mark.usefixtures("_often")
def test_an_element_of_several_items_is_read_as_it_was_at_one_moment():
    data = array("q", [0, 0])
    view = md.atomic(md.MDView.from_mapping(data, md.Mapping((1,)), Digits()))
    found = []

    def work(me):
        for k in range(TIMES):
            if me:
                found.append(view[0].load())
            else:
                view[0] = 101 * (k % 50)

    in_threads(work)
    assert {number % 101 for number in found} == {0}


def test_a_number_that_equals_nothing_is_exchanged():
    view = md.atomic(md.MDView(array("d", [math.nan, -0.0]), (2,)))
    assert math.isnan(view[0].exchange(2.0))
    assert math.copysign(1, view[1].fetch_add(1.0)) == -1
    assert view.tolist() == [2.0, 1.0]
    view[0] = math.nan
    assert view[0].compare_exchange(math.nan, 3.0)[0] is False
    assert math.isnan(view[0].fetch_add(1))


def test_an_operation_that_fails_changes_nothing():
    data = array("b", [100])
    ref = md.atomic(md.MDView(data, (1,)))[0]
    for name, *values in (
        ("fetch_add", 100),
        ("store", 1000),
        ("exchange", 1000),
        ("compare_exchange", 100, 1000),
        ("compare_exchange", 5, 1000),
    ):
        with pytest.raises(ElementError):
            getattr(ref, name)(*values)
    assert ref.compare_exchange(1000, 3) == (False, 100)
    assert data[0] == 100


def test_views_of_one_buffer_are_atomic_to_each_other():
    buffer = array("q", [0] * 16)
    views = [md.atomic(md.MDView(buffer, (4, 4), layout)) for layout in (md.LayoutTiled(2, 2), md.LayoutTiled(4, 4))]

    def work(me):
        for _ in range(TIMES):
            views[me % 2][0, 0] += 1

    in_threads(work)
    assert buffer[0] == THREADS * TIMES


@pytest.mark.parametrize(
    ("operation", "argument", "after"),
    [
        ("exchange", 3, 3),
        ("fetch_add", 3, 15),
        ("fetch_sub", 3, 9),
        ("fetch_and", 10, 8),
        ("fetch_or", 3, 15),
        ("fetch_xor", 10, 6),
        ("fetch_min", 3, 3),
        ("fetch_min", 30, 12),
        ("fetch_max", 3, 12),
        ("fetch_max", 30, 30),
    ],
)
def test_an_operation_returns_the_value_before(operation, argument, after):
    view = md.atomic(md.MDView(array("q", [0, 12]), (2,)))
    assert getattr(view[1], operation)(argument) == 12
    assert view[1].load() == after


def test_a_proxy_stands_for_the_value_of_its_element():
    view = md.atomic(md.MDView(array("q", [3, 0]), (2,)))
    ref = view[0]
    assert isinstance(ref, md.atomics.AtomicRef)
    assert ref == 3
    assert ref != 4
    assert ref == view[0]
    assert (bool(ref), bool(view[1])) == (True, False)
    assert (int(ref), float(ref), [0, 1, 2, 30][ref], repr(ref)) == (3, 3.0, 30, "AtomicRef(3)")
    with pytest.raises(TypeError):
        hash(ref)


def test_a_proxy_is_stored_as_its_value():
    view = md.atomic(md.MDView(array("q", [3, 4]), (2,)))
    view[0] = view[1]
    view[1] = view[1]
    assert view.tolist() == [4, 4]


OPERATORS = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow),
    *(operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, divmod),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
]


def test_operators_load_the_value():
    v = md.atomic(md.MDView(array("q", [3, 2]), (2,)))
    for apply in OPERATORS:
        for left, right in ((v[0], 2), (3, v[1]), (v[0], v[1])):
            assert apply(left, right) == apply(3, 2), apply
    for apply in (operator.neg, operator.pos, operator.invert, abs, round, bool):
        assert apply(v[0]) == apply(3), apply
    total = 0
    for i in range(2):
        total += v[i]
    assert type(total) is int
    assert (total, v.tolist()) == (5, [3, 2])


def test_operators_in_place_are_steps():
    v = md.atomic(md.MDView(array("q", [3, 48]), (2,)))
    v[0] *= 7
    v[0] //= 2
    v[0] **= 2
    v[0] %= 64
    v[1] >>= 2
    v[1] <<= 1
    assert v.tolist() == [36, 24]
    half = md.atomic(md.MDView(array("d", [3]), (1,)))
    half[0] /= 2
    assert half.tolist() == [1.5]


@pytest.mark.parametrize("mode", ["constant", "edge", "wrap", "reflect", "symmetric"])
@pytest.mark.parametrize("outside", [True, False])
def test_a_reference_to_padding_stores_nothing_whatever_stands_in_for_it(mode, outside):
    view = md.MDView(array("d", range(12)), (3, 4))
    padded = md.atomic(md.pad(view, 1, mode)) if outside else md.pad(md.atomic(view), 1, mode)
    read = md.pad(view, 1, mode).tolist()
    for reference in (padded[0, 0], padded[-1][-1], padded.at((0, 0)), list(padded[0])[1]):
        for step in (lambda r: r.store(9), lambda r: r.fetch_add(1), lambda r: r.compare_exchange(r.load(), 7)):
            with pytest.raises(HaloError):
                step(reference)
    assert [[float(x) for x in row] for row in padded] == read
    padded[1, 2] += 1
    assert list(view.data) == [0, 2, *range(2, 12)]


@pytest.mark.parametrize("order", ["seq_cst", "acq_rel", "acquire", "release", "relaxed"])
def test_a_memory_order_is_a_property_of_the_accessor(order):
    view = md.atomic(md.MDView(array("i", [1]), (1,)), order=order)
    assert view.accessor == md.AtomicAccessor(order=order)
    assert (order == "seq_cst") == (view.accessor == md.AtomicAccessor())
    assert (order == "seq_cst") == ("order" not in repr(view.accessor))
    assert pickle.loads(pickle.dumps(view.accessor)) == view.accessor  # noqa: S301 - of our own making
    assert md.atomic(view) is not view
    assert md.atomic(view).accessor == view.accessor
    assert md.atomic(view, order="relaxed").accessor.order == "relaxed"
    ref = view[0]
    ref += 2
    ref.store(ref.exchange(ref.load()) + 1)
    assert ref.compare_exchange(4, 5) == (True, 4)
    ref *= 2
    assert view.tolist() == [10]


@pytest.mark.parametrize("letter", "hHiIlLqQfd")
def test_items_that_are_misaligned_are_refused(letter):
    size = struct.calcsize(letter)
    whole = memoryview(bytearray(80 * size))
    data = whole[size // 2 : size // 2 + 64 * size]
    octets = md.atomic(md.MDView(data, (64 * size,)))
    for make in (
        lambda: md.atomic(md.MDView(data.cast(letter), (64,))),
        lambda: md.MDView(data.cast(letter), (64,), accessor=md.AtomicAccessor(process_local=True)),
        lambda: md.operations.bitcast(octets, letter),
        lambda: md.operations.bitcast(md.readonly(octets), letter),
    ):
        with pytest.raises(AccessorError):
            make()
    assert md.operations.bitcast(octets[:0], letter).size == 0
    assert md.atomic(md.MDView(whole[size:].cast(letter), (4,)))[1:][0].fetch_add(1) == 0


def test_bytes_and_items_that_no_processor_steps_on_lie_anywhere():
    row = memoryview(bytearray(33))[1:]
    for item_format in ("b", "B", "?", ">q", "Zf"):
        view = md.atomic(md.operations.bitcast(md.MDView(row, (32,)), item_format))
        view[0] = 1
        assert view[0] == 1


def test_a_step_on_a_released_buffer_is_refused():
    data = memoryview(array("q", [1, 2]))
    ref = md.atomics.AtomicRef(md.AtomicAccessor().inner, data, 0)
    data.release()
    for step in (ref.load, lambda: ref.store(1), lambda: ref.fetch_add(1), lambda: ref.compare_exchange(1, 2)):
        with pytest.raises(ValueError):  # noqa: PT011 - of Python or of mdview
            step()
