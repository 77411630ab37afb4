"""Compiled copies: every byte of the target, and of what lies around it, is that of NumPy's own copy."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numba")

from mdview import (
    DefaultAccessor,
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutTiled,
    Mapping,
    MDView,
    copy,
    permute_dims,
)
from mdview.engines.bulk import whole_views
from mdview.engines.bulk.arrays import cache_order, compiled, kernels
from mdview.engines.bulk.arrays.kernels import Kernels
from mdview.engines.bulk.operand import Operand

FORMATS = ("u1", "u2", "f4", "f8", "c16")
RNG = np.random.default_rng(5)


def noise(count, dtype):
    """Items of any bits, signalling NaNs among them."""
    size = np.dtype(dtype).itemsize
    return np.frombuffer(RNG.integers(0, 256, count * size, np.uint8).tobytes(), dtype)


def canvas(shape, steps, dtype):
    """Array of a shape amid other things in memory, its items ``steps`` apart, negative ones backwards."""
    size = np.dtype(dtype).itemsize
    sizes = [n * abs(s) for n, s in zip(shape, steps, strict=True)]
    memory = bytearray(noise(np.prod(sizes) * size + 2 * size + 1, "u1"))
    whole = np.ndarray(sizes, dtype, memory, size + 1)  # off the items' own alignment, too
    return memory, whole[tuple(slice(None, None, s) for s in steps)]


def assert_copied(copied, shape, steps, its_steps, dtype, order):
    """Compare with what NumPy stores into equal memory."""
    memory, target = canvas(shape, steps, dtype)
    other = bytearray(memory)
    offset = target.__array_interface__["data"][0] - np.frombuffer(memory, "u1").__array_interface__["data"][0]
    same = np.ndarray(shape, dtype, other, offset, target.strides)
    _, source = canvas([shape[r] for r in order], its_steps, dtype)
    source = source.transpose(np.argsort(order))
    np.copyto(same, source)
    copied(source, target)
    assert memory == other


steps = st.sampled_from([1, 1, 2, -1, -3])


@given(
    st.tuples(st.integers(1, 3), st.integers(1, 150), st.integers(1, 150)),
    st.tuples(st.integers(1, 2), steps, steps),
    st.tuples(st.integers(1, 2), steps, steps),
    st.sampled_from(FORMATS),
    st.booleans(),
)
def test_planes_are_transposed_bit_for_bit(shape, mine, its, dtype, streams):
    assert_copied(Kernels(streams=streams).transpose, shape, mine, its, dtype, (0, 2, 1))


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("streams", [False, True])
def test_planes_larger_than_the_buffer(dtype, streams):
    shape = (300, 3 * kernels.BUFFER_WIDTH // np.dtype(dtype).itemsize + 5)
    for columns in (1, 2):
        assert_copied(Kernels(streams=streams).transpose, shape, (1, columns), (1, 1), dtype, (1, 0))


@given(
    st.lists(st.integers(1, 5), max_size=4),
    st.integers(1, 400),
    st.lists(steps, min_size=4, max_size=4),
    st.lists(steps, min_size=4, max_size=4),
    st.sampled_from(FORMATS),
    st.booleans(),
)
def test_runs_are_copied_bit_for_bit(outer, length, mine, its, dtype, streams):
    count, shape = len(outer), (*outer, length)
    order = range(count + 1)
    assert_copied(Kernels(streams=streams).copy_runs, shape, (*mine[:count], 1), (*its[:count], 1), dtype, tuple(order))


@pytest.fixture
def at_any_size(monkeypatch):
    """Small copies are done as large ones are: compiled, streamed, in many parts."""
    monkeypatch.setattr(compiled, "PAYS_FROM", 1)
    monkeypatch.setattr(compiled, "STREAMED_FROM", 1)
    monkeypatch.setattr(cache_order, "THREADED_FROM", 1)
    monkeypatch.setattr(cache_order, "STEP", 1000)


LAYOUTS = {
    "right": LayoutRight(),
    "left": LayoutLeft(),
    "padded": LayoutRightPadded(50),
    "tiled 32": LayoutTiled(32, 32),
    "tiled 8 by 16": LayoutTiled(8, 16),
}


EXTENTS = (70, 45)
MAPPINGS = {name: Mapping(EXTENTS, layout) for name, layout in LAYOUTS.items()}
OFFSETS = {name: np.array(list(mapping.offsets())) for name, mapping in MAPPINGS.items()}


@pytest.mark.usefixtures("at_any_size")
@pytest.mark.parametrize("dtype", [*FORMATS, "V3", "V24"])
@pytest.mark.parametrize("threads", [1, 3])
def test_items_of_any_layout_are_copied_and_holes_left_alone(dtype, threads):
    rows = {name: noise(mapping.required_span_size, dtype).copy() for name, mapping in MAPPINGS.items()}
    for out, into in product(LAYOUTS, LAYOUTS):
        stored = rows[into].copy()
        expected = stored.copy()
        expected[OFFSETS[into]] = rows[out][OFFSETS[out]]
        source = Operand(rows[out], MAPPINGS[out], 0, DefaultAccessor())
        whole_views.copy(source, Operand(stored, MAPPINGS[into], 0, DefaultAccessor()), threads=threads)
        assert stored.tobytes() == expected.tobytes(), (out, into)


@pytest.mark.usefixtures("at_any_size")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_matrix_is_transposed_in_its_own_memory(threads):
    numbers = noise(150 * 150, "u8").reshape(150, 150)
    stored = numbers.copy()
    view = MDView(stored, (150, 150))
    copy(permute_dims(view, (1, 0)), view, threads=threads)
    assert np.array_equal(stored, numbers.T)
    flipped = MDView(stored, (150, 150))[::-1, ::-1]
    copy(permute_dims(view, (1, 0)), flipped, threads=threads)
    assert np.array_equal(stored, numbers[::-1, ::-1])


def test_without_a_place_for_a_cache_kernels_are_compiled_all_the_same(monkeypatch):
    wanted = []

    def refusing(*, nogil, cache=False):
        wanted.append(cache)
        if cache:
            raise RuntimeError
        return lambda function: function

    monkeypatch.setattr(kernels, "njit", refusing)
    assert kernels._compiled(abs) is abs
    assert wanted == [True, False]


@pytest.mark.parametrize("early", [0, 16])
@pytest.mark.parametrize("length", [8, 15, 16, 32, 100])
def test_streamed_runs_are_copied_in_whatever_order_the_source_has(length, early):
    memory = np.zeros(1 << 15, np.uint8)
    start = -memory.__array_interface__["data"][0] % kernels.LINE + early
    target = memory[start:][: 8 * 4 * 8 * length].view("u8").reshape(4, 8, length)
    source = noise(4 * 8 * length, "u8").reshape(8, 4, length).transpose(1, 0, 2)
    Kernels(streams=True).copy_runs(source, target)
    assert np.array_equal(target, source)
    assert memory.sum() == target.view("u1").sum()
