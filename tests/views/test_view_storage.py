"""Who holds the data: views lock it, share it, give it back, hand it on and take it along when they travel."""

import copy
import gc
import mmap
import pickle
import sys
import threading
import weakref
from array import array
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from samples import MAPPINGS

from mdview import (
    DefaultAccessor,
    LayoutStride,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    asview,
    atomic,
    bitcast,
    checked,
    dim,
    readonly,
)
from mdview.errors import BufferSizeError, NullViewError


def travelled(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - of our own making


@pytest.mark.parametrize("resize", [lambda b: b.extend(b"x"), lambda b: b.clear(), lambda b: b.pop()])
def test_a_buffer_cannot_be_resized_while_a_view_lives(resize):
    data = bytearray(b"abcd")
    view = MDView(data, (2, 2))
    part = view[1]
    with pytest.raises(BufferError, match="cannot be re-sized"):
        resize(data)
    view.release()
    with pytest.raises(BufferError, match="cannot be re-sized"):
        resize(data)
    part.release()
    resize(data)
    assert len(data) != 4


def test_a_buffer_is_unlocked_when_its_last_view_dies():
    data = array("d", [1, 2])
    view = MDView(data, (2,))
    rows = [view[:1], copy.copy(view), readonly(view)]
    with pytest.raises(BufferError):
        data.append(3)
    del view, rows
    data.append(3)
    assert len(data) == 3


def test_a_memory_map_cannot_be_closed_under_a_view(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(bytes(range(16)))
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        view = MDView(memory, (4, 4), LayoutTiled(2, 2))
        with pytest.raises(BufferError, match="cannot close exported pointers exist"):
            memory.close()
        view[0, 2] = 99
        assert travelled(view).tolist() == view.tolist()
        view.release()
    assert path.read_bytes()[4] == 99


def test_a_view_keeps_its_data_alive():
    class Data(array):
        pass

    data = Data("q", [1, 2, 3])
    gone = weakref.ref(data)
    part = MDView(data, (3,))[1:]
    del data
    gc.collect()
    assert part.tolist() == [2, 3]
    del part
    gc.collect()
    assert gone() is None


def test_leaving_a_with_block_releases_the_view():
    data = bytearray(b"ab")
    with MDView(data, (2,)) as view:
        assert view[0] == 97
    data.append(1)
    with pytest.raises(NullViewError, match="null view"):
        view[0]
    with pytest.raises(ZeroDivisionError), MDView(data, (2,)) as view:
        1 / 0  # noqa: B018 - an error in the block
    assert view.data is None


def test_a_released_view_is_the_null_view():
    view = MDView([1] * 6, (dim(2), 3), LayoutStride((3, 1)))
    view.release()
    view.release()
    assert (view.extents, view.layout, view.data, view.origin) == ((2, 0), LayoutStride((3, 1)), None, 0)
    assert view.static_extents == (2, None)


def test_moving_leaves_the_null_view_behind():
    data = array("q", [1, 2, 3])
    view = MDView(data, (3,))[1:]
    moved = view.move()
    assert moved.tolist() == [2, 3]
    assert (view.data, view.extents) == (None, (0,))
    moved.release()
    data.append(4)


def test_a_copy_is_another_view_of_the_same_data():
    view = MDView([1, 2, 3], (3,))[1:]
    again = copy.copy(view)
    again[0] = 9
    assert view[0] == 9
    assert (again.mapping, again.origin) == (view.mapping, view.origin)
    view.release()
    assert again.tolist() == [9, 3]


def test_a_deep_copy_has_data_of_its_own():
    view = MDView([1, [2], 3], (3,))[1:]
    again = copy.deepcopy(view)
    again[0].append(9)
    assert view.tolist() == [[2], 3]
    assert again.tolist() == [[2, 9], 3]


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_view_of_any_layout_travels_with_data_mapping_and_accessor(name):
    mapping = MAPPINGS[name]
    data = array("d", range(mapping.required_span_size + 2))
    for view in (MDView.from_mapping(data, mapping, origin=2), checked(readonly(MDView.from_mapping(data, mapping)))):
        again = travelled(view)
        assert again.tolist() == view.tolist()
        assert (again.mapping, again.accessor, again.origin) == (view.mapping, view.accessor, view.origin)
        # Its access is compiled, too; perhaps once more, since classes are forgotten when there are many.
        assert type(again).__mro__[1:] == type(view).__mro__[1:]


def test_data_shared_by_several_views_travels_once():
    data = array("d", bytes(80_000))
    view = MDView(data, (100, 100))
    views = travelled([view[k] for k in range(100)])
    assert len(pickle.dumps([view[k] for k in range(100)])) < 200_000
    views[0][0] = 1.0
    assert views[0].data is views[99].data


def test_a_broadcast_view_travels_without_being_repeated():
    view = asview(np.broadcast_to(np.arange(3.0), (1000, 3)))
    assert len(pickle.dumps(view)) < 2_000
    assert travelled(view).strides == (0, 1)


@pytest.mark.parametrize(
    "array_",
    [
        np.arange(12.0).reshape(3, 4)[::-1, ::2],
        np.arange(6, dtype=">i4"),
        np.asfortranarray(np.eye(3)),
        np.arange(5.0)[1:4],
    ],
)
def test_a_view_of_a_numpy_array_travels(array_):
    again = travelled(asview(array_))
    assert again.tolist() == array_.tolist()
    again[0] = again[-1]
    assert again[0].tolist() == again[-1].tolist() if array_.ndim > 1 else again[0] == again[-1]


def test_the_null_view_travels():
    again = travelled(MDView(None, (dim(2), 3)))
    assert again.data is None
    assert again.static_extents == (2, None)


def test_an_atomic_view_travels():
    again = travelled(atomic(MDView(array("q", [1]), (1,))))
    again[0] += 1
    assert again.tolist() == [2]


def test_read_only_data_stays_read_only():
    again = travelled(MDView(b"abc", (3,), accessor=ReadOnlyAccessor()))
    assert isinstance(again.data, bytes)
    assert travelled(MDView(memoryview(b"abc"), (3,), accessor=ReadOnlyAccessor())).data == b"abc"


def test_threads_may_release_views_of_one_buffer_in_any_order():
    data = bytearray(100)
    whole = MDView(data, (10, 10))
    barrier = threading.Barrier(4)

    def work(me):
        barrier.wait()
        for k in range(200):
            part = whole[k % 10]
            part[me] = part[me] + 1 & 255
            part.release()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert [whole[row, me] for row in range(10) for me in range(4)] == [20] * 40
    whole.release()
    data.append(1)


def test_views_do_not_leak():
    data = array("d", [0] * 16)
    before = sys.getrefcount(data)
    for _ in range(50):
        view = MDView(data, (4, 4), LayoutTiled(2, 2))
        view[1:, 1:].tolist()
        repr(view)
        np.asarray(view[1])
    del view
    gc.collect()
    assert sys.getrefcount(data) == before


def sent(view):
    return pickle.loads(pickle.dumps(view))  # noqa: S301 - our own


@pytest.mark.parametrize("travel", [copy.deepcopy, sent], ids=["copy", "pickle"])
@pytest.mark.parametrize("item_format", ["B", "b", "h", "f", "e", ">d", "<h"])
@pytest.mark.parametrize(
    "source",
    [
        array("d", [1, 2, 3, 4]),
        bytearray(32),
        bytes(32),
        np.arange(4.0),
        memoryview(bytearray(32)),
    ],
    ids=type,
)
def test_a_recast_view_travels_with_the_format_that_it_reads(source, item_format, travel):
    accessor = ReadOnlyAccessor() if memoryview(source).readonly else DefaultAccessor()
    cast = bitcast(MDView(source, (2, -1 + 32 // memoryview(source).itemsize // 2 + 1), accessor=accessor), item_format)
    again = travel(cast)
    assert (again.format, again.itemsize, again.extents) == (cast.format, cast.itemsize, cast.extents)
    assert again.tolist() == cast.tolist()
    assert np.asarray(again).nbytes == 32


def test_what_is_unpickled_is_checked_like_what_is_made():
    make, (base, storage, origin, _, accessor) = MDView(array("d", [1, 2]), (2,)).__reduce__()
    with pytest.raises(BufferSizeError, match="needs 3 elements"):
        make(base, storage, origin, Mapping((3,)), accessor)


@pytest.mark.parametrize("travel", [copy.deepcopy, sent], ids=["copy", "pickle"])
def test_the_bytes_of_an_array_of_the_other_byte_order_stay_where_they_are(travel):
    view = bitcast(MDView(np.arange(4.0, dtype=">f8"), (4,)), "B")
    assert travel(view).tolist() == view.tolist()
