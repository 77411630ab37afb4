"""A memory travels as its length; its bytes come with its owner or in blocks, each of them once."""

import mmap
import pickle
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import (
    AlignedAccessor,
    AtomicAccessor,
    CheckedAccessor,
    ConjugatedAccessor,
    DefaultAccessor,
    FillAccessor,
    MemorySpaceAccessor,
    NonTemporalAccessor,
    RandomAccessAccessor,
    ReadOnlyAccessor,
    RestrictAccessor,
    ScaledAccessor,
    UncheckedAccessor,
    Writable,
)
from mdview.accessors.memories import LARGE, LEAF, MOST_TOUCHED, Arrival, Memory, bytes_of, is_private
from mdview.errors import BufferFormatError, BufferSizeError

DATA = bytes(range(256)) * 2048


def memory_of(owner):
    return Memory.of(owner, bytes_of(owner))


@given(st.lists(st.tuples(st.integers(0, len(DATA) - 1), st.integers(1, 3 * LARGE)), min_size=1, max_size=5))
def test_blocks_bring_what_is_asked_for_and_little_else(parts):
    memory = memory_of(DATA)
    ends = [(start, min(start + count, len(DATA))) for start, count in parts]
    blocks = [memory.blocks(start, stop) for start, stop in ends]
    arrival, _ = again = pickle.loads(pickle.dumps((memory, blocks)))  # noqa: S301 - our own
    assert len(again[1]) == len(parts)
    held = bytes(arrival.region(0, len(DATA), readonly=True))
    for start, stop in ends:
        assert held[start:stop] == DATA[start:stop]
    for start, stop in ends:
        alone = pickle.dumps((memory, memory.blocks(start, stop)))
        assert len(alone) < stop - start + 2 * LEAF + 24 * (2 * LARGE // LEAF + 8) + 200
    assert len(pickle.dumps((memory, [*blocks, *blocks]))) < len(pickle.dumps((memory, blocks))) + 3000


def test_a_pickle_has_each_block_once():
    memory = memory_of(DATA)
    parts = [memory.blocks(start, start + LARGE) for start in range(0, len(DATA) - LARGE, LEAF)]
    assert len(pickle.dumps((memory, parts))) < 3 * len(DATA)


def test_a_memory_stands_for_its_owner_while_it_is_held():
    owner, other = bytearray(DATA), bytearray(DATA)
    memory = memory_of(owner)
    assert memory_of(owner) is memory
    assert memory_of(other) is not memory
    assert memory.blocks(0, 9)[0] is not memory_of(other).blocks(0, 9)[0]
    with pytest.raises(BufferError):
        owner.append(1)
    del memory
    owner.append(1)


@pytest.mark.parametrize("size", [10, MOST_TOUCHED, MOST_TOUCHED + 1])
def test_what_arrives_first_decides_whose_memory_it_is(size):
    first, then = Arrival(size, readonly=False), Arrival(size, readonly=False)
    owner = bytearray(b"x" * size)
    first.take(owner)
    assert first.holder is owner
    first.place(0, b"ab")  # is there already
    assert bytes(first.region(0, 2, readonly=False)) == b"xx"
    then.place(1, b"ab")
    assert isinstance(then.holder, bytearray if size <= MOST_TOUCHED else mmap.mmap)
    assert is_private(then.holder) == (size > MOST_TOUCHED)
    region = then.region(0, 4, readonly=False)
    assert bytes(region) == b"\0ab\0"
    then.take(owner)
    assert then.holder is not owner
    assert bytes(region) == b"xxxx"


def test_what_is_stored_to_is_not_taken_from_what_is_read_only():
    arrival = Arrival(3, readonly=False)
    arrival.take(b"abc")
    arrival.region(0, 3, readonly=False)[0] = 65
    assert bytes(arrival.holder) == b"Abc"
    kept = Arrival(3, readonly=True)
    kept.take(held := b"abc")
    assert kept.holder is held


@pytest.mark.parametrize(
    ("owner", "error"),
    [(b"ab", BufferSizeError), ([1, 2, 3], BufferFormatError), (np.zeros(6, "u1")[::2], BufferFormatError)],
)
def test_another_owner_is_refused(owner, error):
    with pytest.raises(error):
        Arrival(3, readonly=True).take(owner)


@pytest.mark.parametrize(
    "owner",
    [
        array("d", [1, 2]),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.arange(3).astype("M8[D]"),
        np.array(5.0),
        np.zeros((0, 2)),
        np.arange(2).view(np.recarray),
    ],
    ids=lambda owner: type(owner).__name__,
)
def test_the_bytes_of_an_owner_are_its_own(owner):
    raw = bytes_of(owner)
    assert raw.format == "B"
    expected = owner.tobytes("A") if isinstance(owner, np.ndarray) else owner.tobytes()
    assert raw.tobytes() == expected
    if raw.nbytes:
        raw[0] = 77
        assert (owner.tobytes("A") if isinstance(owner, np.ndarray) else owner.tobytes())[0] == 77


def test_references_to_objects_are_no_bytes():
    with pytest.raises(BufferFormatError, match="a ndarray does not have its bytes in one run"):
        bytes_of(np.zeros(3, object))


class Shifted(Writable):
    def load(self, data, offset):
        return data[offset + 1]


@pytest.mark.parametrize("core", [DefaultAccessor(), CheckedAccessor(), UncheckedAccessor(), Shifted()], ids=type)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda inner: inner,
        AtomicAccessor,
        ConjugatedAccessor,
        NonTemporalAccessor,
        RandomAccessAccessor,
        ReadOnlyAccessor,
        RestrictAccessor,
        lambda inner: AlignedAccessor(8, inner),
        lambda inner: FillAccessor("edge", 0, inner),
        lambda inner: MemorySpaceAccessor("host", inner),
        lambda inner: ScaledAccessor(2, inner),
        lambda inner: ReadOnlyAccessor(RestrictAccessor(inner)),
    ],
)
def test_an_accessor_is_local_where_the_one_inside_is(core, wrap):
    assert wrap(core).is_local == (type(core) is not Shifted)
