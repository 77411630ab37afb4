"""Memory that others can open travels as the place where it lies, and is the same memory where it arrives."""

import copy
import ctypes
import gc
import mmap
import os
import pickle
import sys
import tempfile
from multiprocessing import get_context, shared_memory
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from processes import output_of
from travels import check_together, pickled, state

import mdview as md
from mdview.errors import AccessorError, BufferFormatError, ConversionError, PlaceError
from mdview.operations import bitcast

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell where a map lies")
COUNT = 3000
NUMBERS = np.arange(float(COUNT)).tobytes()
SMALL = 1000
"""More bytes than a pickle of a place has, and far fewer than there are in what it stands for."""


@pytest.fixture
def place(tmp_path):
    """A file and shared memory of the numbers from 0 on, as doubles."""
    (tmp_path / "data").touch()
    made = SimpleNamespace(path=tmp_path / "data", shared=shared_memory.SharedMemory(create=True, size=8 * COUNT))
    fill(made, NUMBERS)
    yield made
    gc.collect()
    made.shared.close()
    made.shared.unlink()


def fill(place, raw):
    with place.path.open("r+b") as file:
        file.write(raw)
    place.shared.buf[: len(raw)] = raw


def memmap(place, mode="r+", start=0, shape=(COUNT,), dtype="f8"):
    return np.memmap(place.path, dtype, mode, start, shape)


def plain_map(place, access=mmap.ACCESS_WRITE, length=0, offset=0):
    with place.path.open("r+b") as file:
        return mmap.mmap(file.fileno(), length, access=access, offset=offset)


def row_of(memory):
    return bitcast(md.MDView(memory, (8 * COUNT,)), "d")


SEEN = {
    "memmap": lambda place: md.asview(memmap(place)),
    "memmap from within": lambda place: md.asview(memmap(place, start=mmap.ALLOCATIONGRANULARITY + 8, shape=(600,))),
    "memmap to read": lambda place: md.asview(memmap(place, "r", 24, (600,))),
    "memmap of a new file": lambda place: md.asview(memmap(place, "w+")),
    "memmap of dates": lambda place: md.asview(memmap(place, dtype="M8[s]")),
    "flipped memmap": lambda place: md.asview(memmap(place)[::-3]),
    "matrix": lambda place: md.asview(memmap(place, shape=(50, 60)).T[3:, 2:]),
    "array of bytes": lambda place: md.asview(np.frombuffer(memmap(place), "u1")[8:].view("i2")),
    "memoryview": lambda place: md.MDView(memoryview(memmap(place))[100:], (10, 20)),
    "map": lambda place: row_of(plain_map(place)),
    "map from within": lambda place: md.MDView(plain_map(place, offset=mmap.ALLOCATIONGRANULARITY, length=999), (9, 9)),
    "part of a map": lambda place: md.MDView(memoryview(plain_map(place))[80:].cast("d"), (100,)),
    "ctypes": lambda place: md.MDView((ctypes.c_double * 100).from_buffer(plain_map(place), 80), (100,)),
    "tiles": lambda place: md.MDView(memmap(place), (40, 50), md.LayoutTiled(7, 9))[3:, 4:],
    "padded": lambda place: md.pad(md.MDView(memmap(place), (40, 50)), 2, mode="edge"),
    "atomic": lambda place: md.MDView(memmap(place), (40,), accessor=md.AtomicAccessor(process_local=True)),
    "of an MDView": lambda place: md.asview(np.asarray(md.MDView(memmap(place), (40, 60))[3:])),
    "empty": lambda place: md.asview(memmap(place))[5:5],
    "shared memory": lambda place: md.MDView(place.shared, (60, 70)),
    "array of shared memory": lambda place: md.asview(np.frombuffer(place.shared.buf, "i2")[3:]),
}


@pytest.mark.parametrize("protocol", [0, 2, 5])
@pytest.mark.parametrize("seen", [pytest.param(SEEN[x], id=x, marks=[] if "memmap" in x else LINUX) for x in SEEN])
def test_a_view_of_memory_that_has_a_place_travels_as_the_place(seen, protocol, place):
    view = seen(place)
    fill(place, NUMBERS)
    assert len(pickle.dumps(view, protocol)) < SMALL + 400
    again = check_together(lambda views: pickled(views, protocol), [view, view[1:]], is_opened=True)[:1]
    again += [pickled(again[0]), copy.copy(again[0])]
    deep = check_together(copy.deepcopy, [view])
    before = state(deep)
    fill(place, bytes(8 * COUNT))  # into the same file: all that opened it see it
    assert state(again) == state([view]) * 3
    assert state(deep) == before
    assert not view.size or state([view]) != before


def unnamed(_):
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, "f8", "w+", 0, (COUNT,))


COPIED = {
    "copy on write": lambda place: memmap(place, "c"),
    "a map for its process": lambda place: plain_map(place, mmap.ACCESS_COPY),
    "no file": lambda place: mmap.mmap(-1, 8 * COUNT),
    "a file without a name": unnamed,
}


@pytest.mark.parametrize("make", COPIED.values(), ids=COPIED)
def test_what_no_other_can_open_travels_as_its_bytes(make, place):
    view = bitcast(md.MDView(make(place), (1000,)), "B")
    view[500] = 7  # over which the next element is stored
    check_together(pickled, [view])


def cut(path):
    os.truncate(path, 100)


def replace(path):
    path.with_name("other").write_bytes(path.read_bytes())
    path.with_name("other").replace(path)


@LINUX
@pytest.mark.parametrize("harm", [Path.unlink, cut, replace])
@pytest.mark.parametrize("mode", ["r", "r+"])
def test_a_file_that_is_not_what_it_was_is_refused_and_sent_as_its_bytes(harm, mode, place):
    views = [md.asview(memmap(place, mode)), md.MDView(plain_map(place), (5, 5))]
    before, sent = state(views), pickle.dumps(views[0][10:20])
    pickle.dumps(views)  # what was known of the map is asked again
    harm(place.path)
    with pytest.raises(PlaceError) as caught:
        pickle.loads(sent)  # noqa: S301 - our own
    assert isinstance(caught.value, OSError)
    if harm is not cut:
        assert state(pickled(views)) == before == [*state([pickled(views[0])]), *state([pickled(views[1])])]


@LINUX
@pytest.mark.parametrize("name", ["b c", "is (deleted)", "back\\012slash", "ümlaut", "\udcff", " "])
def test_a_file_is_found_by_the_name_that_it_has_when_it_is_sent(name, place):
    views = [md.asview(memmap(place)), row_of(plain_map(place))]
    pickle.dumps(views)
    place.path.rename(place.path.with_name(name))
    for view in views:
        assert len(pickle.dumps(view)) < SMALL
        pickled(view)[0] += 1
    assert views[0][0] == 2


@LINUX
def test_views_of_one_map_have_one_map_on_arrival_and_leave_nothing(place):
    def opened():
        gc.collect()
        maps = Path("/proc/self/maps").read_text("utf-8", "replace").count(str(place.path))
        return len(list(Path("/proc/self/fd").iterdir())), maps

    whole = md.asview(memmap(place, shape=(50, 60)))
    before = opened()
    views = [whole, whole[3:, 4:], md.flip(md.permute_dims(whole, (1, 0)))]
    for k in range(3):
        again = check_together(pickled, [*views[k:], *views[:k]], is_opened=True)
        assert len({memoryview(view.data).obj for view in again}) == 1
        assert opened()[1] == before[1] + 1
        again.append(again)
        del again
        assert opened() == before
    one_by_one = [pickled(view) for view in (whole, whole[3:], md.readonly(whole))]  # one that only reads, too
    assert len({id(memoryview(view.data).obj) for view in one_by_one}) == 1
    del one_by_one
    assert opened() == before


@LINUX
def test_views_that_only_read_open_for_reading_alone(place):
    for view in (md.asview(memmap(place)), row_of(place.shared), md.MDView(plain_map(place), (5, 5))):
        for made in (md.readonly(view)[2:], md.operations.scaled(2, view)):
            again = pickled(made)
            assert state([again]) == state([made])
            assert "ACCESS_READ" in repr(memoryview(again.data).obj)


@LINUX
def test_shared_memory_that_has_gone_or_is_another_one_is_refused(place):
    sent = pickle.dumps(md.MDView(place.shared, (5,)))
    assert row_of(place.shared).data is place.shared
    place.shared.close()
    place.shared.unlink()
    with pytest.raises(BufferFormatError):
        md.MDView(place.shared, (4,))
    with pytest.raises(PlaceError):
        pickle.loads(sent)  # noqa: S301 - our own
    place.shared = shared_memory.SharedMemory(place.shared.name, create=True, size=9 * COUNT)
    with pytest.raises(PlaceError):
        pickle.loads(sent)  # noqa: S301 - our own


@LINUX
def test_a_promise_of_one_process_is_not_sent_to_another(place):
    accessor = md.AtomicAccessor(process_local=True)
    for policy in (accessor, md.accessors.RestrictAccessor(accessor)):
        view = bitcast(md.MDView(place.shared, (160,), accessor=policy), "Zd")
        for part in (view, view[1:3]):
            with pytest.raises(AccessorError, match=r"process_local=True promises .* send readonly\(view\), or a copy"):
                pickle.dumps(part)
        view[1] = 7
        only_read, [copied] = pickled(md.readonly(view)), check_together(copy.deepcopy, [view])
        view[1], copied[1] = 8, 9
        assert (only_read[1], copied[1], pickled(copied)[1]) == (8, 9, 9)


def test_what_is_made_of_shared_memory_is_refused_unless_it_is_told(place):
    view = bitcast(md.MDView(place.shared, (64,)), "Zd")
    for made in (view, view[1:3], md.reshape(view, (2, 2)), md.pad(view, 1), copy.copy(view), view[:0]):
        with pytest.raises(AccessorError):
            md.atomic(made)
        told = md.atomic(made, process_local=True)
        assert told.accessor == md.AtomicAccessor(made.accessor, process_local=True)
        assert md.atomic(told).accessor == md.readonly(told).accessor.inner == told.accessor
    told = md.atomic(view, process_local=True)
    assert md.conversions.convert(view, md.AtomicAccessor(process_local=True)).accessor == told.accessor
    with pytest.raises(AccessorError):
        md.conversions.convert(told, md.AtomicAccessor())
    with pytest.raises(ConversionError):
        md.conversions.convert(told, md.accessors.ScaledAccessor(2))
    copied = copy.deepcopy(told)
    assert md.atomic(bitcast(md.MDView(copied.data, (64,)), "Zd")).accessor == md.AtomicAccessor()


# Other processes.


def in_processes(test):
    """Run it with processes of each kind."""
    methods = [method for method in ("spawn", "fork") if method == "spawn" or hasattr(os, "fork")]
    ignored = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
    return pytest.mark.deep(ignored(pytest.mark.parametrize("method", methods)(test)))


def negated(view):
    """Store in the child what the parent then sees."""
    for k in range(len(view)):
        view[k] = -view[k]
    return view[1:]


@in_processes
def test_what_a_child_stores_is_seen_by_its_parent_where_memory_has_a_place(method, place):
    row, file = row_of(place.shared)[10:20], md.asview(memmap(place))[10:20]
    window = md.MDView(np.arange(float(1 << 16)), (256, 256), md.LayoutTiled(2, 2))[7, 10:20]
    before, expected = window.tolist(), [-float(k) for k in range(10, 20)]
    with get_context(method).Pool(1) as pool:
        back = pool.map_async(negated, [row, file, window]).get(60)
    assert row.tolist() == file.tolist() == expected
    assert (window.tolist(), back[2].tolist()) == (before, [-x for x in before[1:]])
    back[0][0] = back[1][0] = 0.5
    assert row[1] == file[1] == 0.5


STEPS = 5_000


def count(view):
    """Step, in a process that was sent the view."""
    for k in range(STEPS):
        view[0].fetch_add(1)
        view[1] -= 2
        view[2].fetch_max(k)
        found = view[3].load()
        while not view[3].compare_exchange(found, (found + 1) % 97)[0]:
            found = view[3].load()
    return view.accessor.order


@LINUX
@in_processes
def test_steps_of_processes_that_were_sent_the_view_lose_nothing(method, place):
    pytest.importorskip("llvmlite")
    fill(place, bytes(8 * COUNT))
    counts = md.atomic(md.MDView(memmap(place, dtype="i8"), (1000,))[600:604], order="acq_rel")
    backwards = md.atomic(bitcast(md.MDView(place.shared, (160,)), "q"), order="acq_rel")[::-1][2:6]
    with get_context(method).Pool(3) as pool:
        assert pool.map(count, [counts, backwards] * 3, 1) == ["acq_rel"] * 6
    total = 3 * STEPS
    assert counts.tolist() == backwards.tolist() == [total, -2 * total, STEPS - 1, total % 97]


CHILD = """
    import sys, pickle
    view = pickle.loads(bytes.fromhex(sys.argv[1]))
    view[0] = view[0] + 1
    if sys.argv[2] == "release":
        view.release()  # else it is held at exit, too
    assert not any(name.startswith("multiprocessing") for name in sys.modules)
"""


@LINUX
@pytest.mark.deep
def test_no_child_removes_shared_memory_or_warns_of_it(place):
    view = row_of(place.shared)
    for end in ("keep", "release", "keep"):
        assert output_of(CHILD, pickle.dumps(view[3:]).hex(), end, options=["-W", "error"]) == ""
    assert view[3] == 6.0
    shared_memory.SharedMemory(place.shared.name).close()  # it is still there
