"""A released view is the null view: to who released it, to threads, walks, functions, finalisers and handlers."""

import copy
import mmap
import sys
from array import array
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from processes import output_of
from test_view_lifetime import is_locked

import mdview as md
from mdview import errors

pytestmark = pytest.mark.usefixtures("quick_collections")

LAYOUTS = [md.LayoutRight(), md.LayoutTiled(2, 2), md.LayoutMorton()]
EACH_LAYOUT = pytest.mark.parametrize("layout", LAYOUTS, ids=type)
PARTS = {
    "row": lambda v: v[1],
    "window": lambda v: v[1:, 2:],
    "flipped": md.flip,
    "permuted, then cut": lambda v: md.permute_dims(v, (1, 0))[1:],
    "padded": lambda v: md.pad(v, 1, mode="edge"),
    "read-only": md.readonly,
    "atomic": md.atomic,
    "itself again": lambda v: v[...],
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
    with moved:  # the null view is one
        assert moved.data is None
    with pytest.raises(ZeroDivisionError), md.MDView(data, (2, 3)) as view:
        view[0, 0] = 1 // 0
    assert view.data is None
    assert not is_locked(data)


WALKS = {
    "rows": iter,
    "elements": md.elements,
    "runs": md.runs,
    "tiles": lambda v: md.tiles(v, (2, 2)),
    "elements of rows": lambda v: (x for row in v for x in row),
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


def releasing(view, value):
    def function(*_):
        view.release()
        return value

    return function


def number(view, name="__float__", value=1.0):
    """A number or an index that releases a view when its value is asked for."""
    return type("Number", (), {name: releasing(view, value)})()


CALLS = {
    "transform": lambda v: md.transform(releasing(v, 1.0), v),
    "transform into itself": lambda v: md.transform(releasing(v, 1.0), v, out=v),
    "reduce": lambda v: md.reduce(releasing(v, 1.0), v),
    "accumulate": lambda v: md.accumulate(releasing(v, 1.0), v, v[...]),
    "fill": lambda v: md.fill(v, number(v)),
    "element": lambda v: v.__setitem__((1, 1), number(v)),
    "index": lambda v: v[number(v, "__index__", 1), 1],
    "index of a store": lambda v: v.__setitem__((number(v, "__index__", 1), 1), 5.0),
    "slice": lambda v: v[: number(v, "__index__", 1)],
    "store of a slice": lambda v: v.__setitem__(slice(1, 3), [[number(v)] * 4] * 2),
}


@EACH_LAYOUT
def test_a_function_that_releases_what_it_is_called_for_does_no_harm(layout):
    for name, call in CALLS.items():
        data = array("d", range(16))
        view = md.MDView(data, (4, 4), layout)
        with suppress(errors.MDViewError, TypeError):  # what a number must be is not the matter here
            call(view)
        assert view.data is None, name
        assert len(data) == 16
        assert not is_locked(data), name


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


PROGRAMS = {
    "data that holds its own export is collected": """
        import gc
        import numpy as np
        from mdview import MDView
        class Data(bytearray): pass
        for make in (MDView.memoryview, lambda v: v.T.memoryview(), np.asarray, memoryview, np.from_dlpack):
            for _ in range(20):
                data = Data(12)
                try:
                    data.held = make(MDView(data, (3, 4)))
                except TypeError:
                    pass
                data.me = data
                del data
                gc.collect()
    """,
    "finalisers and handlers of signals release": """
        import gc, signal, weakref
        from array import array
        from mdview import MDView, LayoutMorton, elements, flip
        from mdview.errors import NullViewError

        # In finalisers, of cycles, too.
        class Owner:
            def __init__(self, view):
                self.view, self.me = view, self
            def __del__(self):
                self.view.release()
                self.view.release()

        data = array("d", range(64))
        for layout in (None, LayoutMorton()):
            view = MDView(data, (8, 8), layout)
            for shared in (view, view[1:], flip(view)):
                Owner(shared)
            weakref.finalize(Owner(view[2:]), view.release)
            del view, shared
            gc.collect()
            data.append(data.pop())

        # In a handler of signals, between any two instructions.
        views = []
        def handle(*_):
            views[-1].release()
            signal.setitimer(signal.ITIMER_REAL, 1e-4)
        signal.signal(signal.SIGALRM, handle)
        told = 0
        views.append(MDView(data, (8, 8)))
        signal.setitimer(signal.ITIMER_REAL, 1e-4)
        for k in range(400):
            view = MDView(data, (8, 8), LayoutMorton() if k % 2 else None)
            views[:] = [view]
            try:
                for _ in range(20):
                    view[3, 4] + view[1:, 2][3]
                    view[3, 4] = 28.0 if k % 2 == 0 else view[3, 4]
                    view.tolist()
                    list(elements(flip(view)))
            except NullViewError:
                told += 1
        signal.signal(signal.SIGALRM, signal.SIG_IGN)  # a handler may have set the timer again
        assert told
        del view, views[:]
        gc.collect()
        data.append(1.0)

        # When the interpreter ends.
        held = Owner(MDView(data, (8, 8)))
    """,
}


@pytest.mark.deep
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_end_well(name):
    kind = "error" if "final" in name else "default"
    assert output_of(PROGRAMS[name], options=["-X", "faulthandler", "-W", kind]) == ""


@pytest.mark.deep
def test_threads_that_release_or_read_what_is_released_find_no_data_and_nothing_else():
    run = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"
    program = Path(__file__).with_name("released_by_threads.py")
    assert output_of(run, program, options=["-X", "faulthandler"]) == ""
