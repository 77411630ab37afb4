"""Views travel (pickled, or copied deeply) as what they are: the same values, formats and policies, over data of their
own that views made of one view share, and no more of it than they reach."""

import copy
import ctypes
import io
import mmap
import pickle
from array import array
from collections import deque
from dataclasses import dataclass
from typing import final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.accessors import ACCESSORS, CountingAccessor
from samples.data import FORMATS
from samples.drawn import mappings
from travels import WAYS, check_together, pickled, state

import mdview as md


def mapped(count):
    memory = mmap.mmap(-1, 8 * count + 1)
    memory[: 8 * count] = array("d", range(count)).tobytes()
    return memoryview(memory)[: 8 * count].cast("d")


SOURCES = {name: made.make for name, made in FORMATS.items() if not made.needs_numpy} | {
    "range": range,
    "deque": lambda n: deque(range(n)),
    "bytes": lambda n: bytes(k % 251 for k in range(n)),
    "bytearray": lambda n: bytearray(k % 251 for k in range(n)),
    "array": lambda n: array("d", range(n)),
    "part of a map": mapped,
    "part of a memoryview": lambda n: memoryview(array("i", range(n + 9)))[5 : n + 5],
    "read-only memoryview": lambda n: memoryview(bytes(range(200)) * n)[:n].toreadonly(),
    "ctypes": lambda n: (ctypes.c_double * n)(*range(n)),
    "ndarray": lambda n: np.arange(float(n)),
    "part of a foreign one": lambda n: memoryview(np.arange(n + 9, dtype=">i4"))[3:],
    "array of a map": lambda n: np.frombuffer(mapped(n)),
}
BUFFERS = SOURCES.keys() - {"list", "tuple", "range", "deque"}
POLICIES = [x for x in ACCESSORS if x not in ("user's, counting", "aligned")]
SOME_WAYS = ("protocol 0", "protocol 2", "protocol 5", "deep copy")
EACH_WAY = pytest.mark.parametrize("travel", WAYS.values(), ids=WAYS)
TWO_WAYS = pytest.mark.parametrize("travel", [pickled, copy.deepcopy], ids=["pickle", "copy"])


@st.composite
def lying_in(draw, kind, around=(0, 1, 5000)):
    """A view of some of a source, perhaps of little; one that only reads where the source does not take the policy."""
    mapping, accessor = draw(mappings(3, 4)), ACCESSORS[draw(st.sampled_from(POLICIES))]()
    before, behind = [draw(st.sampled_from(around)) for _ in "ab"]
    source = SOURCES[kind](before + mapping.required_span_size + behind)
    try:
        view = md.MDView.from_mapping(source, mapping, accessor, origin=before)
        view.tolist()
    except (md.errors.MDViewError, TypeError, AttributeError):
        return md.MDView.from_mapping(source, mapping, md.ReadOnlyAccessor(), origin=before)
    return view


@given(st.data(), st.sampled_from(list(SOURCES)), st.sampled_from(list(WAYS)))
def test_what_shares_data_shares_its_copy(data, kind, way):
    view = data.draw(lying_in(kind, (0, 1)))
    views = [view, view[(..., *[slice(data.draw(st.integers(0, 2)), None) for _ in view.extents])], copy.copy(view)]
    check_together(WAYS[way], data.draw(st.permutations(views)), data.draw(st.integers(0, 100)))


@given(st.data(), st.sampled_from(sorted(BUFFERS)))
def test_a_pickle_is_as_long_as_what_is_reached(data, kind):
    view = data.draw(lying_in(kind))
    offsets = list(view.mapping.offsets()) or [0]
    assert len(pickle.dumps(view, 5)) < (max(offsets) - min(offsets) + 1) * view.itemsize + 4096 + 2048


PARTS = {
    "each thousandth": lambda make: md.MDView(make(300_000), (300_000,))[::1000],
    "flipped": lambda make: md.MDView(make(300_000), (300_000,))[::-1000],
    "columns": lambda make: md.MDView(make(1 << 18), (512, 512))[:, 3:5],
    "part of tiles": lambda make: md.MDView(make(1 << 18), (512, 512), "tiled(8, 8)")[3:200, 5:50:3],
    "part of Morton": lambda make: md.MDView(make(1 << 18), (512, 512), "morton")[::64, ::32],
    "read only": lambda make: md.asview(memoryview(make(300_000)).toreadonly())[::999],
    "scaled": lambda make: md.operations.scaled(2, md.asview(make(300_000)))[5::999],
    "columns of an array": lambda make: md.asview(np.asarray(make(1 << 18)).reshape(512, 512)[:, ::100]),
}
ITEMS = {
    "numbers": lambda n: array("d", range(n)),
    "array": lambda n: np.arange(float(n)),
    "foreign": lambda n: np.arange(n, dtype=">i4"),
}


@pytest.mark.parametrize("make", ITEMS.values(), ids=ITEMS)
@pytest.mark.parametrize("part", [*PARTS])
def test_elements_far_apart_travel_without_what_lies_between_them(part, make):
    view = PARTS[part](make)
    check_together(pickled, [view])
    assert len(pickle.dumps(view, 5)) < view.nbytes + 2000


def test_nearly_all_of_a_buffer_travels_whole_and_a_part_alone():
    view = md.MDView(bytearray(200_000), (200_000,))
    for part, size in (
        (view[:-4096], 200_000),
        (view[4096:], 200_000),
        (view[:-4100], 195_900),
        (view[4100:], 195_900),
    ):
        sent = pickle.dumps(part, 5)
        assert (memoryview(pickled(part).data).nbytes, 0 < len(sent) - size < 1024) == (size, True)


# Arrays.


class Tagged(np.ndarray):
    """A subclass of arrays."""


NESTED = np.dtype([("a", "i1"), ("n", [("x", ">f4", (2, 2)), ("s", "U3")]), ("b", "M8[ms]")], align=True)
NUMBERS = ("?", "e", "g", "G", ">f8", "M8[s]", ">m8[25us]", "U2", ">U5", "S2", "V5", "O")
ARRAYS = [(np.ndarray, kind) for kind in (*NUMBERS, "i4,f8", ">i4,<f8", "i4,O", NESTED)]
ARRAYS += [(np.recarray, "i4,f8"), (np.recarray, "f8"), (Tagged, "f8")]
SHAPES = {
    "whole": lambda a: a,
    "right": lambda a: a.reshape(3, 4),
    "left": lambda a: np.asfortranarray(a.reshape(3, 4)),
    "transposed": lambda a: a.reshape(2, 3, 2).transpose(1, 0, 2),
    "strided": lambda a: a[1::3],
    "flipped": lambda a: a.reshape(3, 4)[::-1, ::-2],
    "broadcast": lambda a: np.broadcast_to(a[:3], (4, 3)),
    "empty": lambda a: a[:0],
    "empty part": lambda a: a[5:5].reshape(0, 3),
    "rank 0": lambda a: a[3:4].reshape(()),
    "part": lambda a: a[3:6],
}


def as_bytes(array):
    """Its items as bytes alone, with what lies between the fields: what NumPy copies of that depends on its version."""
    return np.asarray(array).view(f"V{array.itemsize}")


def counting(cls, kind):
    """An array of the numbers from 0 on, with bits between its fields."""
    made = np.zeros(12, kind)
    if not made.dtype.hasobject:
        as_bytes(made)[...] = b"\xab" * made.itemsize
    made[...] = np.arange(12).astype("S2") if made.dtype.kind == "V" and not made.dtype.names else np.arange(12)
    return made.view(cls)


@pytest.mark.parametrize(("cls", "kind"), ARRAYS, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("writeable", [True, False])
@pytest.mark.parametrize("way", SOME_WAYS)
def test_a_view_of_any_array_travels(cls, kind, shape, writeable, way):
    array = SHAPES[shape](counting(cls, kind))
    array.flags.writeable = writeable and shape != "broadcast"
    view = md.asview(array)
    views = [view, view[(..., *[slice(0, 2)] * view.rank)]]
    held = np.asarray(WAYS[way](views)[0])
    assert (held.dtype, held.flags.writeable) == (array.dtype, view.flags.writeable)
    if not array.dtype.hasobject and (kind is not NESTED or way != "deep copy"):  # NumPy copies whole arrays there
        assert as_bytes(held).tobytes() == as_bytes(array).tobytes()
    check_together(WAYS[way], views)


@EACH_WAY
def test_a_view_of_each_kind_travels_alone(travel):
    large, row = array("d", range(1 << 20)), md.MDView(array("d", range(5000)), (4000,), accessor=PairAccessor())
    kinds = [row[5:9], md.readonly(row)[5:9]]
    kinds.append(md.MDView(row.data, (4000,), accessor=CountingAccessor())[3:5])
    policies = (md.accessors.AlignedAccessor(8), md.accessors.MemorySpaceAccessor("managed"))
    kinds += [md.MDView(row.data, (4,), accessor=policy) for policy in policies]
    kinds.append(md.MDView(array("q", [1, 2]), (2,), accessor=md.AtomicAccessor(process_local=True)))
    kinds.append(md.asview(np.broadcast_to(np.arange(3.0), (1000, 3))))
    kinds += [md.MDView(large, (10,), md.LayoutStrideRelaxed((-1,), first + 9)) for first in (1, 5, 5000)]
    for layout in (md.LayoutRight(), md.LayoutTiled(16, 16), md.LayoutMorton()):
        whole = md.MDView(large, (1024, 1024), layout)
        window = whole[500:502, 500:502]
        kinds += [window, md.flip(window, (0, 1)), md.permute_dims(window, (1, 0)), md.pad(window, 2, mode="edge")]
        overlapping = [whole[:2, :2], whole[1:3, 1:3], whole[3:5, :3]]
        assert state(travel(overlapping)) == state(overlapping)
        check_together(copy.deepcopy, overlapping)
        kinds += [whole[7:8, 7:8], whole[5:5], md.operations.bitcast(window[:1], "B")]
    for source in (array("d", [1, 2, 3, 4]), bytes(32), np.arange(4.0), np.arange(4.0, dtype=">f8")):
        accessor = md.ReadOnlyAccessor() if isinstance(source, bytes) else md.DefaultAccessor()
        view = md.MDView(source, (2, len(source) // 2), accessor=accessor)
        kinds += [md.operations.bitcast(view, item_format) for item_format in ("B", "b", "h", "f", "e", ">d", "<h")]
    for view in kinds:
        for protocol in range(2, 6):
            assert len(pickle.dumps(view, protocol)) < (1 << 16)
        [again] = check_together(travel, [view])
        assert again.flags.writeable == view.flags.writeable


# What they share.


@pytest.mark.parametrize("order", ["wv", "vw"])
@TWO_WAYS
@pytest.mark.parametrize("make", [lambda n: array("d", range(n)), lambda n: np.arange(float(n)), lambda n: [0.5] * n])
def test_a_window_shares_data_with_the_whole_in_a_copy_and_in_a_list(order, travel, make):
    data = make(128 * 128)
    whole = md.MDView(data, (128, 128))
    parts = {"v": whole, "w": whole[3:5, 3:5]}
    again = dict(zip(order, travel([parts[name] for name in order]), strict=True))
    again["w"][0, 0] = -1.0
    is_shared = travel is not pickled or isinstance(data, list)
    assert again["v"][3, 3] == (-1.0 if is_shared else data[3 * 128 + 3]) != data[3 * 128 + 3] or not is_shared
    assert data[3 * 128 + 3] != -1.0


def test_a_pickle_has_no_trace_of_others():
    whole = md.MDView(array("d", range(1 << 17)), (1 << 17,))
    assert len(pickle.dumps(md.asview(np.broadcast_to(np.arange(3.0), (1000, 3))))) < 2_000
    window, other = whole[:2], whole[100:900]
    alone, keeping = pickle.dumps(window), pickle.Pickler(io.BytesIO())
    keeping.dump([other, window])
    pickle.dumps([other, window])
    assert pickle.dumps(window) == alone
    whole[0] = -1.0
    assert (pickled(window)[0], pickled(other).tolist()) == (-1.0, other.tolist())


def test_a_pickle_locks_a_buffer_only_while_it_is_made():
    data = bytearray(100_000)
    with md.MDView(data, (100_000,)) as view:
        again = [pickled(view[:5]), copy.deepcopy(view[:5]), pickled(view)]
    data.append(1)
    for made in again:
        made.release()


@TWO_WAYS
def test_an_alignment_is_claimed_where_it_holds(travel):
    for place in range(40):
        data = np.zeros(2048, "u1")
        start = -data.ctypes.data % 1024
        aligned = md.MDView(memoryview(data)[start : start + 512], (512,), accessor=md.accessors.AlignedAccessor(1024))
        made = travel([bytearray(place), aligned])[1]
        assert made.tolist() == aligned.tolist()
        assert np.asarray(made).ctypes.data % 1024 == 0 or made.accessor != aligned.accessor


@final
@dataclass(frozen=True)
class PairAccessor(md.Writable[float, float]):
    """Adds the element at the offset and the one a thousand items behind."""

    def load(self, data, offset):
        return data[offset] + data[offset + 1000]

    def store(self, data, offset, value):
        data[offset] = value - data[offset + 1000]


@EACH_WAY
def test_a_released_view_travels_and_one_of_shrunk_data_does_not(travel):
    view, data = md.MDView(bytearray(6), (md.dim(2), 3)), [1, 2, 3]
    view.release()
    again = travel([view, view])
    assert again[0] is again[1]
    assert (again[0].data, again[0].extents, again[0].static_extents) == (None, (2, 0), (2, None))
    shrunk = md.MDView(data, (3,))
    data.pop()
    with pytest.raises(md.errors.BufferSizeError, match=r"3.*2"):
        travel(shrunk)
