"""Memory that others can open travels as the place where it lies, and is the same memory where it arrives."""

import copy
import ctypes
import gc
import mmap
import os
import pickle
import sys
import tempfile
from array import array
from multiprocessing import get_context, shared_memory
from pathlib import Path

import numpy as np
import pytest
from processes import output_of

import mdview as md
from mdview.errors import BufferFormatError, MDViewError, PlaceError

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell where a map lies")
COUNT = 3000
SMALL = 1000
"""More bytes than a pickle of a place has, and far fewer than there are in what it stands for."""


def through_pickle(value, protocol=5):
    return pickle.loads(pickle.dumps(value, protocol))  # noqa: S301 - our own


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "data"
    made.write_bytes(np.arange(float(COUNT)).tobytes())
    return made


@pytest.fixture
def shared():
    memory = shared_memory.SharedMemory(create=True, size=8 * COUNT)
    memory.buf[: 8 * COUNT] = np.arange(float(COUNT)).tobytes()
    yield memory
    gc.collect()
    memory.close()
    memory.unlink()


def memmap(path, mode="r+", start=0, shape=(COUNT,), dtype="f8"):
    return np.memmap(path, dtype, mode, start, shape)


def plain_map(path, access=mmap.ACCESS_WRITE, length=0, offset=0):
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), length, access=access, offset=offset)


# Each makes a view of the file, whose elements are the numbers from 0 on, as doubles.
SEEN = {
    "memmap": lambda path: md.asview(memmap(path)),
    "memmap from within": lambda path: md.asview(memmap(path, start=8 * 513, shape=(COUNT - 513,))),
    "memmap of dates": lambda path: md.asview(memmap(path, dtype="M8[s]")),
    "flipped memmap": lambda path: md.asview(memmap(path)[::-3]),
    "matrix": lambda path: md.asview(memmap(path, shape=(50, 60)).T[3:, 2:]),
    "array of bytes": lambda path: md.asview(np.frombuffer(memmap(path), "u1")[8:].view("i2")),
    "memoryview": lambda path: md.MDView(memoryview(memmap(path))[100:], (10, 20)),
    "map": lambda path: md.operations.bitcast(md.MDView(plain_map(path), (8 * COUNT,)), "d"),
    "map from within": lambda path: md.MDView(plain_map(path, offset=mmap.ALLOCATIONGRANULARITY, length=999), (9, 9)),
    "part of a map": lambda path: md.MDView(memoryview(plain_map(path))[80:].cast("d"), (100,)),
    "ctypes": lambda path: md.MDView((ctypes.c_double * 100).from_buffer(plain_map(path), 80), (100,)),
    "tiles": lambda path: md.MDView(memmap(path), (40, 50), md.LayoutTiled(7, 9))[3:, 4:],
    "padded": lambda path: md.pad(md.MDView(memmap(path), (40, 50)), 2, mode="edge"),
    "atomic": lambda path: md.MDView(memmap(path), (40,), accessor=md.AtomicAccessor(process_local=True)),
    "of an MDView": lambda path: md.asview(np.asarray(md.MDView(memmap(path), (40, 60))[3:])),
}


def read(view):
    """The values of a view; proxies by what they load."""
    return np.asarray(view).tolist()


def state(view):
    return read(view), view.format, view.mapping, view.accessor, view.itemsize


@LINUX
@pytest.mark.parametrize("protocol", [0, 2, 5])
@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
def test_a_view_of_a_file_travels_as_its_place(seen, protocol, path):
    view = seen(path)
    sent = pickle.dumps(view, protocol)
    assert len(sent) < SMALL + 400
    again = pickle.loads(sent)  # noqa: S301 - our own
    assert state(again) == state(view)
    path.write_bytes(bytes(8 * COUNT))  # into the same file: both see it
    assert read(again) == read(view)
    assert np.asarray(again).flags.writeable == np.asarray(view).flags.writeable


@pytest.mark.parametrize("mode", ["r", "r+", "w+"])
@pytest.mark.parametrize("start", [0, 24, mmap.ALLOCATIONGRANULARITY + 8])
def test_a_memmap_is_opened_as_it_was_but_never_emptied(mode, start, path):
    view = md.asview(memmap(path, mode, start, (600,)))
    before = view.tolist()
    sent = pickle.dumps(view)
    assert len(sent) < SMALL
    again = pickle.loads(sent)  # noqa: S301 - our own
    assert again.tolist() == before == view.tolist()
    assert memoryview(again.data).readonly == (mode == "r")
    if mode == "r":
        with pytest.raises(MDViewError):
            again[0] = -1.0
    else:
        again[3] = -1.0
        assert view[3] == -1.0 == np.fromfile(path, "f8", 4, offset=start)[3]


def unnamed(_):
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, "f8", "w+", 0, (COUNT,))


COPIED = {
    "copy on write": lambda path: memmap(path, "c"),
    "a map for its process": lambda path: plain_map(path, mmap.ACCESS_COPY),
    "no file": lambda path: mmap.mmap(-1, 8 * COUNT),
    "a file without a name": unnamed,
}


@pytest.mark.parametrize("make", COPIED.values(), ids=COPIED)
def test_what_no_other_can_open_travels_as_its_bytes(make, path):
    view = md.operations.bitcast(md.MDView(make(path), (1000,)), "B")
    view[5] = 7
    again = through_pickle(view)
    assert again.tolist() == view.tolist()
    again[5] = 8
    assert view[5] == 7


@LINUX
def test_a_file_that_is_gone_before_it_is_sent_travels_as_its_bytes(path, tmp_path):
    view, other = md.asview(memmap(path)), md.MDView(plain_map(path), (5, 5))
    pickle.dumps([view, other])  # what was known of the map is asked again
    (tmp_path / "new").write_bytes(b"x" * 8 * COUNT)
    (tmp_path / "new").rename(path)
    assert through_pickle([view, other])[0].tolist() == view.tolist() == [*range(COUNT)]
    assert through_pickle(other).tolist() == other.tolist()
    path.unlink()
    assert through_pickle(view).tolist() == view.tolist()


@LINUX
@pytest.mark.parametrize("name", ["b c", "is (deleted)", "back\\012slash", "ümlaut", "\udcff", " "])
def test_a_file_is_found_by_the_name_that_it_has_when_it_is_sent(name, path):
    views = [md.asview(memmap(path)), md.operations.bitcast(md.MDView(plain_map(path), (8 * COUNT,)), "d")]
    pickle.dumps(views)
    path.rename(path.with_name(name))
    for view in views:
        sent = pickle.dumps(view)
        assert len(sent) < SMALL
        again = pickle.loads(sent)  # noqa: S301 - our own
        again[0] += 1
    assert views[0][0] == 2


def cut(path):
    os.truncate(path, 100)


def replace(path):
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


BROKEN = {"no file": Path.unlink, "a shorter one": cut, "another one": replace}


@LINUX
@pytest.mark.parametrize("harm", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("mode", ["r", "r+"])
def test_a_place_that_is_not_what_it_was_is_refused(harm, mode, path):
    sent = pickle.dumps(md.asview(memmap(path, mode)[10:20]))
    harm(path)
    with pytest.raises(PlaceError) as caught:
        pickle.loads(sent)  # noqa: S301 - our own
    assert isinstance(caught.value, OSError)


@pytest.mark.parametrize("order", ["wpf", "pwf", "fpw"])
def test_views_of_one_map_have_one_map_on_arrival(order, path):
    whole = md.asview(memmap(path, shape=(50, 60)))
    made = {"w": whole, "p": whole[3:, 4:], "f": md.flip(md.permute_dims(whole, (1, 0)))}
    again = dict(zip(order, through_pickle([made[name] for name in order]), strict=True))
    assert len({memoryview(view.data).obj for view in again.values()}) == 1
    again["w"][5, 6] = -1.0
    again["p"][7, 8] = -2.0
    assert again["p"][2, 2] == again["f"][-7, -6] == whole[5, 6] == -1.0
    assert whole[10, 12] == -2.0


@LINUX
def test_nothing_is_left_of_views_that_have_gone(path):
    def count():
        gc.collect()
        opened = len(list(Path("/proc/self/fd").iterdir()))
        return opened, Path("/proc/self/maps").read_text("utf-8", "replace").count(str(path))

    view = md.asview(memmap(path))
    before = count()
    again = [through_pickle(view) for _ in range(20)]
    assert count() != before
    again.append(again)
    del again
    assert count() == before


@LINUX
def test_views_that_only_read_open_for_reading_alone(path, shared):
    shared_row = md.operations.bitcast(md.MDView(shared, (8 * COUNT,)), "d")
    for view in (md.asview(memmap(path)), shared_row, md.MDView(plain_map(path), (5, 5))):
        for made in (md.readonly(view)[2:], md.operations.scaled(2, view)):
            again = through_pickle(made)
            assert again.tolist() == made.tolist()
            assert memoryview(again.data).readonly
            assert "ACCESS_READ" in repr(memoryview(again.data).obj)
            with pytest.raises(MDViewError):
                again[...] = 1
            again = None
        assert not memoryview(through_pickle(view).data).readonly


# Shared memory.


def test_shared_memory_is_data(shared):
    view = md.operations.bitcast(md.MDView(shared, (8 * COUNT,)), "d")
    assert view.data is shared
    view[0] = 9.0
    assert bytes(shared.buf[:8]) == array("d", [9.0]).tobytes()
    view.release()
    gc.collect()
    shared.close()
    with pytest.raises(BufferFormatError):
        md.MDView(shared, (4,))


@LINUX
def test_shared_memory_travels_by_its_name(shared):
    for view in (md.MDView(shared, (60, 70)), md.asview(np.frombuffer(shared.buf, "i2")[3:])):
        sent = pickle.dumps(view)
        assert len(sent) < SMALL
        assert shared.name.encode() in sent
        again = pickle.loads(sent)  # noqa: S301 - our own
        again[...] = 5
        assert view.tolist() == again.tolist()


@LINUX
def test_shared_memory_that_has_gone_or_is_another_one_is_refused():
    memory = shared_memory.SharedMemory(create=True, size=5000)
    sent, name = pickle.dumps(md.MDView(memory, (5,))), memory.name
    memory.close()
    memory.unlink()
    with pytest.raises(PlaceError):
        pickle.loads(sent)  # noqa: S301 - our own
    other = shared_memory.SharedMemory(name, create=True, size=6000)
    try:
        with pytest.raises(PlaceError):
            pickle.loads(sent)  # noqa: S301 - our own
        sent = pickle.dumps(md.MDView(other, (5,)))
    finally:
        other.close()
        other.unlink()


# Other processes.


def negated(view):
    """Store in the child what the parent then sees."""
    for k in range(len(view)):
        view[k] = -view[k]
    return view[1:]


@pytest.mark.deep
@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_what_a_child_stores_is_seen_by_its_parent(method, path, shared):
    if method == "fork" and not hasattr(os, "fork"):
        pytest.skip("no forks here")
    numbers = md.MDView(shared, (8 * COUNT,))
    row, file = md.operations.bitcast(numbers, "d")[10:20], md.asview(memmap(path))[10:20]
    expected = [-float(k) for k in range(10, 20)]
    with get_context(method).Pool(1) as pool:
        back = pool.map_async(negated, [row, file]).get(60)
    assert row.tolist() == file.tolist() == expected
    back[0][0] = back[1][0] = 0.5
    assert row[1] == file[1] == 0.5


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
def test_no_child_removes_shared_memory_or_warns_of_it(shared):
    view = md.operations.bitcast(md.MDView(shared, (8 * COUNT,)), "d")
    for end in ("keep", "release", "keep"):
        assert output_of(CHILD, pickle.dumps(view[3:]).hex(), end, options=["-W", "error"]) == ""
    assert view[3] == 6.0
    shared_memory.SharedMemory(shared.name).close()  # it is still there


def test_what_arrives_is_sent_on_and_copied_as_any_view(path, shared):
    for view in (md.asview(memmap(path)), md.operations.bitcast(md.MDView(shared, (8 * COUNT,)), "d")):
        again = through_pickle(through_pickle(view[2:]))
        assert len(pickle.dumps(again)) < SMALL
        deep, flat = copy.deepcopy(again), copy.copy(again)
        again[0] = 77.0
        assert (view[2], flat[0], deep[0]) == (77.0, 77.0, 2.0)
        assert through_pickle(view[5:5]).extents == (0,)
        again = flat = None
