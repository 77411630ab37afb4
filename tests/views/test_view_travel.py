"""Views travel (pickled, or copied deeply) as what they are: the same values, formats and policies, over data of their
own that they share as they shared it before, and no more of it than they reach."""

import copy
import ctypes
import io
import mmap
import multiprocessing
import pickle
from array import array
from collections import deque
from dataclasses import dataclass
from typing import final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples.mappings import CountingAccessor

import mdview as md
from mdview import errors
from mdview.testing.strategies import mappings


def mapped(count):
    memory = mmap.mmap(-1, 8 * count + 1)
    memory[: 8 * count] = array("d", range(count)).tobytes()
    return memoryview(memory)[: 8 * count].cast("d")


def octets(count):
    return bytes([k % 251 for k in range(count)])


OBJECTS = {"list": lambda n: [*map(float, range(n))], "tuple": lambda n: (*range(n),), "range": range}
OBJECTS["deque"] = lambda n: deque(range(n))
BUFFERS = {
    "bytes": octets,
    "bytearray": lambda n: bytearray(octets(n)),
    "array": lambda n: array("d", range(n)),
    "part of a map": mapped,
    "part of a memoryview": lambda n: memoryview(array("i", range(n + 9)))[5 : n + 5],
    "read-only memoryview": lambda n: memoryview(bytearray(octets(n))).toreadonly(),
    "ctypes": lambda n: (ctypes.c_double * n)(*range(n)),
    "ndarray": lambda n: np.arange(float(n)),
    "Fortran": lambda n: np.asfortranarray(np.arange(2.0 * n).reshape(2, n)),
    "foreign": lambda n: np.arange(n, dtype=">i4"),
    "part of a foreign one": lambda n: memoryview(np.arange(n + 9, dtype=">i4"))[3:],
    "halves": lambda n: np.arange(n).astype("f2"),
    "complex": lambda n: np.arange(n) * 1j,
    "memmap": lambda n: np.frombuffer(mapped(n)),
}
SOURCES = OBJECTS | BUFFERS
OWNERS = {"bytes", "bytearray", "array", "ndarray", "Fortran", "halves", "complex", *OBJECTS}
"""Sources that travel themselves, so that independent views of them share them afterwards."""


def through_buffers(value):
    buffers = []
    sent = pickle.dumps(value, 5, buffer_callback=buffers.append)
    return pickle.loads(sent, buffers=[bytearray(buffer) for buffer in buffers])  # noqa: S301 - our own


def through_pickle(protocol):
    return lambda value: pickle.loads(pickle.dumps(value, protocol))  # noqa: S301 - our own


pickled = through_pickle(5)
WAYS = {
    **{f"protocol {p}": through_pickle(p) for p in range(6)},
    "without the C pickler": lambda value: pickle._loads(pickle._dumps(value, 4)),
    "buffers": through_buffers,
    "deep copy": copy.deepcopy,
}
EACH_WAY = pytest.mark.parametrize("travel", WAYS.values(), ids=WAYS)

CORES = [md.DefaultAccessor(), md.CheckedAccessor(), md.UncheckedAccessor()]
WRAPPERS = [
    *(
        md.accessors.RestrictAccessor,
        md.accessors.NonTemporalAccessor,
        md.ReadOnlyAccessor,
        lambda inner: md.accessors.FillAccessor("constant", 7, inner),
    ),
    *(
        lambda inner: md.AtomicAccessor(inner, process_local=True),
        lambda inner: md.accessors.MemorySpaceAccessor("managed", inner),
    ),
]
READERS = [lambda inner: md.accessors.ScaledAccessor(3, inner), md.accessors.ConjugatedAccessor, md.ReadOnlyAccessor]


@st.composite
def accessors(draw, readonly):
    made = draw(st.sampled_from(CORES))
    for wrap in draw(st.lists(st.sampled_from(WRAPPERS), max_size=2)):
        if isinstance(made, md.AtomicAccessor) or not isinstance(made, md.Writable):
            break
        made = wrap(made)
    return draw(st.sampled_from(READERS))(made) if readonly or draw(st.integers(0, 4)) == 0 else made


@st.composite
def lying_in(draw, kind, around=(0, 1, 5000)):
    """A source and a view of some of it, perhaps of little."""
    mapping = draw(mappings(3, 4))
    before, behind = [draw(st.sampled_from(around)) for _ in "ab"]
    source = SOURCES[kind](before + mapping.required_span_size + behind)
    readonly = not hasattr(type(source), "__setitem__") or (isinstance(source, memoryview) and source.readonly)
    return md.MDView.from_mapping(source, mapping, draw(accessors(readonly)), origin=before)


def state(views):
    return [(v.tolist(), v.format, v.itemsize, v.extents, v.mapping, v.accessor, v.flags.writeable) for v in views]


def store(views, k):
    """Store through the first view that can, at its element number ``k``."""
    for view in views:
        if view.size and isinstance(view.accessor, md.Writable):
            index = tuple(int(i) for i in np.unravel_index(k % view.size, view.shape))
            view[index] = type(np.ravel(view.tolist()).tolist()[0])(1)
            return


@given(st.data(), st.sampled_from(list(SOURCES)), st.sampled_from(list(WAYS)))
def test_what_shares_data_shares_its_copy(data, kind, way):
    view = data.draw(lying_in(kind, (0, 1)))
    part = view[(..., *[slice(data.draw(st.integers(0, 2)), None) for _ in view.extents])]
    other = md.MDView.from_mapping(view.data, view.mapping, view.accessor, origin=view.origin)
    views = data.draw(st.permutations([view, part, copy.copy(view), *([other] if kind in OWNERS else [])]))
    before, again, k = state(views), WAYS[way](views), data.draw(st.integers(0, 100))
    assert state(again) == before == state(views)
    store(again, k)
    assert state(views) == before
    store(views, k)
    assert state(again) == state(views)


@EACH_WAY
@pytest.mark.parametrize("first", [1, 5, 5000])
def test_elements_that_begin_behind_offset_0_travel(travel, first):
    view = md.MDView(array("d", range(10_000)), (10,), md.LayoutStrideRelaxed((-1,), first + 9))
    assert travel([view])[0].tolist() == view.tolist() == [*range(first + 9, first - 1, -1)]


@given(st.data(), st.sampled_from(list(BUFFERS)))
def test_a_pickle_is_as_long_as_what_is_reached(data, kind):
    view = data.draw(lying_in(kind))
    offsets = list(view.mapping.offsets()) or [0]
    reached = (max(offsets) - min(offsets) + 1) * view.itemsize
    assert len(pickle.dumps(view, 5)) < reached + 4096 + 2048


LARGE = array("d", range(1 << 20))
LAYOUTS = [md.LayoutRight(), md.LayoutTiled(16, 16), md.LayoutMorton()]
WINDOWS = {
    "window": lambda v: v[500:502, 500:502],
    "flipped window": lambda v: md.flip(v[500:502, 500:502], (0, 1)),
    "transposed window": lambda v: md.permute_dims(v[500:502, 500:502], (1, 0)),
    "padded window": lambda v: md.pad(v[500:502, 500:502], 2, mode="edge"),
    "element": lambda v: v[7:8, 7:8],
    "empty": lambda v: v[5:5],
    "bytes of a window": lambda v: md.operations.bitcast(v[500:501, 500:502], "B"),
}


@pytest.mark.parametrize("layout", LAYOUTS, ids=type)
def test_windows_of_a_large_buffer_travel_alone_and_overlap_in_a_copy(layout):
    whole = md.MDView(LARGE, (1024, 1024), layout)
    for name, window_of in WINDOWS.items():
        window = window_of(whole)
        for protocol in range(2, 6):
            sent = pickle.dumps(window, protocol)
            assert len(sent) < (1 << 16), name
            again = pickle.loads(sent)  # noqa: S301 - our own
            assert state([again]) == state([window]), name
        assert copy.deepcopy(window).tolist() == window.tolist()
    windows = [whole[:2, :2], whole[1:3, 1:3], whole[-2:, -2:]]
    assert state(pickled(windows)) == state(windows)
    again = copy.deepcopy(windows)
    again[0][1, 1] = -1.0
    assert again[1][0, 0] == -1.0 != whole[1, 1]


@pytest.mark.parametrize("order", ["wv", "vw", "dvw", "vwd", "vdw", "dw", "wd", "wvd"])
@pytest.mark.parametrize("travel", [pickled, copy.deepcopy], ids=["pickle", "copy"])
@pytest.mark.parametrize("make", [lambda n: array("d", range(n)), lambda n: np.arange(float(n)), lambda n: [0.5] * n])
def test_the_whole_and_its_buffer_share_data_afterwards_and_a_window_does_in_a_copy(order, travel, make):
    data = make(128 * 128)
    whole = md.MDView(data, (128, 128))
    parts = {"d": data, "v": whole, "w": whole[3:5, 3:5]}
    again = dict(zip(order, travel([parts[name] for name in order]), strict=True))
    again["w"][0, 0] = -1.0
    is_shared = travel is not pickled or isinstance(data, list)
    assert "v" not in again or again["v"][3, 3] == (-1.0 if is_shared else whole[3, 3])
    assert "d" not in again or again["d"][3 * 128 + 3] == (-1.0 if is_shared else data[3 * 128 + 3])
    if {"d", "v"} <= again.keys():
        again["v"][0, 1] = -2.0
        assert again["d"][1] == -2.0
    assert data[3 * 128 + 3] != -1.0


def test_a_pickle_has_no_trace_of_others():
    whole = md.MDView(array("d", range(1 << 17)), (1 << 17,))
    broadcast = md.asview(np.broadcast_to(np.arange(3.0), (1000, 3)))
    assert len(pickle.dumps(broadcast)) < 2_000
    assert pickled(broadcast).strides == (0, 1)
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
        held = made.data
        made.release()
        if isinstance(held, bytearray):
            held.append(1)


@pytest.mark.parametrize("travel", [copy.deepcopy, pickled], ids=["copy", "pickle"])
def test_an_alignment_is_claimed_where_it_holds(travel):
    for place in range(40):
        data = np.zeros(2048, "u1")
        start = -data.ctypes.data % 1024
        aligned = md.MDView(memoryview(data)[start : start + 512], (512,), accessor=md.accessors.AlignedAccessor(1024))
        made = travel([bytearray(place), aligned])[1]
        assert made.tolist() == aligned.tolist()
        assert np.asarray(made).ctypes.data % 1024 == 0 or made.accessor != aligned.accessor
    view = md.MDView(array("d", range(4)), (4,), accessor=md.accessors.AlignedAccessor(8))
    assert travel(view).accessor == view.accessor


@final
@dataclass(frozen=True)
class PairAccessor(md.Writable[float, float]):
    """Adds the element at the offset and the one a thousand items behind."""

    def load(self, data, offset):
        return data[offset] + data[offset + 1000]

    def store(self, data, offset, value):
        data[offset] = value - data[offset + 1000]


@EACH_WAY
def test_what_travels_in_its_own_way(travel):
    row = md.MDView(array("d", range(5000)), (4000,), accessor=PairAccessor())
    assert travel(row[5:9]).tolist() == travel(md.readonly(row)[5:9]).tolist() == [1010, 1012, 1014, 1016]
    assert travel(md.MDView(array("d", range(5000)), (4000,), accessor=CountingAccessor())[3:5]).tolist() == [-3, -4]
    view, data = md.MDView(bytearray(6), (md.dim(2), 3)), [1, 2, 3]
    view.release()
    again = travel([view, view])
    assert again[0] is again[1]
    assert (again[0].data, again[0].extents, again[0].static_extents) == (None, (2, 0), (2, None))
    shrunk = md.MDView(data, (3,))
    data.pop()
    with pytest.raises(errors.BufferSizeError, match=r"3.*2"):
        travel(shrunk)
    atomic = travel(md.MDView(array("q", [1]), (1,), accessor=md.AtomicAccessor(process_local=True)))
    atomic[0] += 1
    assert atomic.tolist() == [2]


@pytest.mark.parametrize("travel", [copy.deepcopy, pickled], ids=["copy", "pickle"])
@pytest.mark.parametrize("source", [array("d", [1, 2, 3, 4]), bytes(32), np.arange(4.0), np.arange(4.0, dtype=">f8")])
def test_a_recast_view_travels_with_the_format_that_it_reads(source, travel):
    accessor = md.ReadOnlyAccessor() if isinstance(source, bytes) else md.DefaultAccessor()
    for item_format in ("B", "b", "h", "f", "e", ">d", "<h"):
        cast = md.operations.bitcast(md.MDView(source, (2, len(source) // 2), accessor=accessor), item_format)
        assert state([travel(cast)]) == state([cast])
        assert type(travel(cast).data) is type(source) or not isinstance(source, bytes)


def sent_there_and_back(view):
    view[0, 0] = -view[0, 0]
    return view


@pytest.mark.deep
def test_a_window_goes_to_another_process_and_back():
    window = md.MDView(array("d", range(1 << 16)), (256, 256), md.LayoutTiled(2, 2))[7:9, 7:9]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        again = pool.apply(sent_there_and_back, (window,))
    assert again[0, 0] == -window[0, 0] != 0
    assert again[1:].tolist() == window[1:].tolist()
