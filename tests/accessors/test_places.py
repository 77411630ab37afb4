"""A file that mdview has opened travels as its path, and is the same memory where it arrives."""

import copy
import gc
import mmap
import os
import pickle
from multiprocessing import get_context, shared_memory
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from travels import check_together, pickled, state

import mdview as md
from mdview.errors import AccessorError, ConversionError, PlaceError
from mdview.operations import bitcast

COUNT = 3000
NUMBERS = np.arange(float(COUNT)).tobytes()
SMALL = 1400
"""More bytes than a pickle of a path has, and far fewer than there are in what it stands for."""


@pytest.fixture
def place(tmp_path):
    """A file and shared memory of the numbers from 0 on, as doubles."""
    (tmp_path / "data").write_bytes(NUMBERS)
    made = SimpleNamespace(path=tmp_path / "data", shared=shared_memory.SharedMemory(create=True, size=8 * COUNT))
    made.shared.buf[: 8 * COUNT] = NUMBERS
    yield made
    gc.collect()
    made.shared.close()
    made.shared.unlink()


def fill(place, raw):
    with place.path.open("r+b") as file:
        file.write(raw)


def opened(place, mode="r+", extents=(COUNT,), dtype="d", offset=0):
    return md.open_view(place.path, md.Mapping(extents), dtype, mode=mode, offset=offset)


OPENED = {
    "stored to": opened,
    "read": lambda place: opened(place, "r", (600,), offset=24),
    "from within": lambda place: opened(place, extents=(600,), offset=mmap.ALLOCATIONGRANULARITY + 8),
    "flipped": lambda place: opened(place)[::-3],
    "matrix": lambda place: opened(place, extents=(50, 60)).T[3:, 2:],
    "tiles": lambda place: md.MDView(opened(place).data, (40, 50), md.LayoutTiled(7, 9))[3:, 4:],
    "padded": lambda place: md.pad(opened(place, extents=(40, 50)), 2, mode="edge"),
    "atomic": lambda place: md.MDView(opened(place).data, (40,), accessor=md.AtomicAccessor(process_local=True)),
    "dates": lambda place: opened(place, dtype="M8[s]"),
    "of an array": lambda place: md.asview(np.asarray(opened(place, extents=(40, 60))[3:])),
    "empty": lambda place: opened(place)[5:5],
}


@pytest.mark.parametrize("protocol", [0, 2, 5])
@pytest.mark.parametrize("seen", OPENED.values(), ids=OPENED)
def test_a_view_of_an_opened_file_travels_as_its_path(seen, protocol, place):
    view = seen(place)
    assert len(pickle.dumps(view, protocol)) < SMALL
    again = check_together(lambda views: pickled(views, protocol), [view, view[1:]], is_opened=True)[:1]
    again += [pickled(again[0]), copy.copy(again[0])]
    deep = check_together(copy.deepcopy, [view])
    before = state(deep)
    fill(place, bytes(8 * COUNT))  # into the same file: all that opened it see it
    assert state(again) == state([view]) * 3
    assert state(deep) == before
    assert not view.size or state([view]) != before


def plain_map(place):
    with place.path.open("r+b") as file:
        return mmap.mmap(file.fileno(), 0)


COPIED = {
    "array of a file": lambda place: np.memmap(place.path, "f8", "r+"),
    "copy on write": lambda place: np.memmap(place.path, "f8", "c"),
    "map": plain_map,
    "no file": lambda place: mmap.mmap(-1, 8 * COUNT),
    "shared memory": lambda place: place.shared,
}


@pytest.mark.parametrize("make", COPIED.values(), ids=COPIED)
def test_what_mdview_has_not_opened_travels_as_its_bytes(make, place):
    view = bitcast(md.MDView(make(place), (1000,)), "B")
    view[500] = 7  # over which the next element is stored
    check_together(pickled, [view])


def cut(path):
    os.truncate(path, 100)


def replace(path):
    path.with_name("other").write_bytes(path.read_bytes())
    path.with_name("other").replace(path)


@pytest.mark.parametrize("harm", [Path.unlink, cut, replace])
@pytest.mark.parametrize("mode", ["r", "r+"])
def test_a_file_that_is_not_what_it_was_is_refused_and_sent_as_its_bytes(harm, mode, place):
    view = opened(place, mode)
    before, sent = state([view]), pickle.dumps(view[10:20])
    harm(place.path)
    with pytest.raises(PlaceError) as caught:
        pickle.loads(sent)  # noqa: S301 - our own
    assert isinstance(caught.value, OSError)
    if harm is not cut:
        assert state([pickled(view)]) == before


def test_views_of_one_pickle_have_one_map_on_arrival(place):
    whole = opened(place, extents=(50, 60))
    views = [whole, whole[3:, 4:], md.flip(md.permute_dims(whole, (1, 0)))]
    for k in range(3):
        again = check_together(pickled, [*views[k:], *views[:k]], is_opened=True)
        assert len({id(memoryview(view.data).obj) for view in again}) == 1


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
def test_what_a_child_stores_is_seen_by_its_parent_in_an_opened_file(method, place):
    row = opened(place)[10:20]
    window = md.MDView(np.arange(float(1 << 16)), (256, 256), md.LayoutTiled(2, 2))[7, 10:20]
    before = window.tolist()
    with get_context(method).Pool(1) as pool:
        back = pool.map_async(negated, [row, window]).get(60)
    assert row.tolist() == [-float(k) for k in range(10, 20)]
    assert (window.tolist(), back[1].tolist()) == (before, [-x for x in before[1:]])
    back[0][0] = 0.5
    assert row[1] == 0.5


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


@in_processes
def test_steps_of_processes_that_were_sent_the_view_lose_nothing(method, place):
    pytest.importorskip("llvmlite")
    fill(place, bytes(8 * COUNT))
    row = md.atomic(opened(place, dtype="q"), order="acq_rel")
    counts, backwards = row[600:604], row[::-1][2:6]
    with get_context(method).Pool(3) as pool:
        assert pool.map(count, [counts, backwards] * 3, 1) == ["acq_rel"] * 6
    total = 3 * STEPS
    assert counts.tolist() == backwards.tolist() == [total, -2 * total, STEPS - 1, total % 97]
