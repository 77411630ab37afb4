"""A released view is the null view: to who released it, to threads, walks, functions, finalisers and handlers."""

import copy
import mmap
import sys
from array import array
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
from test_view_lifetime import is_locked

import mdview as md
from mdview import errors

LAYOUTS = [md.LayoutRight(), md.LayoutTiled(2, 2), md.LayoutMorton()]
EACH_LAYOUT = pytest.mark.parametrize("layout", LAYOUTS, ids=type)
PARTS = {
    "row": lambda v: v[1],
    "window": lambda v: v[1:, 2:],
    "flipped": md.flip,
    "padded": lambda v: md.pad(v, 1, mode="edge"),
    "read-only": md.readonly,
    "atomic": md.atomic,
    "a copy": copy.copy,
}


@EACH_LAYOUT
@pytest.mark.parametrize("part_of", PARTS.values(), ids=PARTS)
def test_a_part_and_the_whole_are_released_each_by_itself(part_of, layout):
    data = array("d", range(16))
    whole = md.MDView(data, (4, 4), layout)
    for first, second in ((0, 1), (1, 0)):
        views = [whole[...], part_of(whole)]
        again = [np.asarray(view).tolist() for view in views]
        views[first].release()
        views[first].release()
        assert views[first].data is None
        for key in [..., None, (..., 0), (None, 0), slice(1)]:
            with pytest.raises(errors.NullViewError):
                views[first][key]
        assert np.asarray(views[second]).tolist() == again[second]
        assert is_locked(data)
        views[second].release()
    whole.release()
    assert not is_locked(data)


def test_a_released_or_moved_view_is_the_null_view_with_its_static_extents():
    data = array("d", range(6))
    for empty in (md.MDView.release, md.MDView.move, lambda v: v.__exit__(None, None, None)):
        view = md.MDView(data, (md.dim(2), 3), md.LayoutStride((3, 1)))
        for _ in range(3):
            empty(view)
            assert (view.extents, view.layout, view.data, view.origin) == ((2, 0), md.LayoutStride((3, 1)), None, 0)
            assert view.static_extents == (2, None)
        assert md.subview(view, md.ALL, md.ALL).data is None
    for slices in ((0, md.ALL), (md.ALL, 3), ((1, 2), 0)):
        with pytest.raises((errors.NullViewError, ValueError)):
            md.subview(md.MDView.null((4, 4)), *slices)
    null = md.MDView(None, (md.dim(3), 4), md.LayoutTiled(2, 2))
    assert (null.extents, null.layout, null.format, null.itemsize) == ((3, 0), md.LayoutRight(), "O", 0)
    moved = md.MDView(data, (2, 3))[1:].move()
    assert moved.tolist() == [[3, 4, 5]]
    with moved, moved as same:
        assert same is moved
    with pytest.raises(ZeroDivisionError), md.MDView(data, (2, 3)) as view:
        view[0, 0] = 1 // 0
    assert view.data is None
    assert not is_locked(data)


WALKS = {
    "rows": iter,
    "elements": md.iteration.elements,
    "runs": md.iteration.runs,
    "tiles": lambda v: md.tiles(v, (2, 2)),
}


@EACH_LAYOUT
@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
def test_a_walk_that_has_begun_goes_on_or_is_told(walk, layout):
    expected = [np.asarray(x).tolist() for x in walk(md.MDView(array("d", range(16)), (4, 4), layout))]
    data = array("d", range(16))
    view = md.MDView(data, (4, 4), layout)
    begun = walk(view)
    found = [np.asarray(next(begun)).tolist()]
    view.release()
    try:
        found += [np.asarray(x).tolist() for x in begun]
    except errors.NullViewError:
        assert found == expected[: len(found)]
    else:
        assert found == expected
    del begun
    assert not is_locked(data)


def test_a_memory_map_is_not_closed_under_a_view_and_views_do_not_leak(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(bytes(range(16)))
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory, md.MDView(memory, (4, 4)) as view:
        with pytest.raises(BufferError):
            memory.close()
        view[0, 2] = 99
    assert path.read_bytes()[2] == 99
    data = array("d", [0] * 16)
    before = sys.getrefcount(data)
    for _ in range(50):
        view = md.MDView(data, (4, 4), md.LayoutTiled(2, 2))
        view[1:, 1:].tolist(), repr(view), np.asarray(view[1])
    del view
    assert sys.getrefcount(data) == before


READS = [
    *(
        md.MDView.tolist,
        lambda v: v[1, 1],
        lambda v: v[1:, 2].tolist(),
        lambda v: list(md.iteration.elements(v)),
        np.asarray,
    ),
    *(lambda v: md.copy(v, md.zeros((4, 4))), lambda v: v.__setitem__((1, 1), 5.0), copy.deepcopy, repr),
]


@EACH_LAYOUT
@pytest.mark.parametrize("read", READS)
def test_threads_that_read_what_another_one_releases_find_its_elements_or_no_data(read, layout):
    def use(view):
        with suppress(errors.NullViewError):
            while view.data is not None:
                read(view)

    for _ in range(20):
        data = array("d", range(16))
        view = md.MDView(data, (4, 4), layout)
        with ThreadPoolExecutor(2) as threads:
            running = threads.submit(use, view)
            threads.submit(view.release)
        running.result()
        assert not is_locked(data)
