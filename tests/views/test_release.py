"""A view that is released while other threads read it is read whole, or is the null view."""

import gc
import subprocess
import sys
import textwrap
from array import array
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from mdview import (
    ALL,
    LayoutMorton,
    LayoutRight,
    LayoutTiled,
    MDView,
    accumulate,
    atomic,
    copy,
    dim,
    elements,
    fill,
    flip,
    pad,
    permute_dims,
    readonly,
    reduce,
    runs,
    subview,
    tiles,
    transform,
)
from mdview.errors import IndexOutOfRangeError, MDViewError, NullViewError
from mdview.views.parts import NO_ITEMS

pytestmark = pytest.mark.usefixtures("quick_collections")

SCRIPTS = ["released_while_read.py", "released_by_many.py"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_threads_that_release_or_read_what_is_released_find_no_data_and_nothing_else(script):
    path = Path(__file__).with_name(script)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_whatever_is_asked_of_no_items_is_refused():
    for ask in (lambda: NO_ITEMS[0], lambda: NO_ITEMS.__setitem__(0, 1), lambda: len(NO_ITEMS)):
        with pytest.raises(NullViewError):
            ask()


def test_an_index_into_a_released_view_is_refused_for_want_of_data():
    view = MDView(array("d", range(12)), (3, 4))
    with pytest.raises(IndexOutOfRangeError):
        subview(view, 3, ALL)
    view.release()
    for slices in ((0, ALL), (ALL, 3), ((1, 2), 0)):
        with pytest.raises((NullViewError, ValueError)):
            subview(view, *slices)
    assert subview(view, ALL, ALL).data is None


LAYOUTS = [LayoutRight(), LayoutTiled(2, 2), LayoutMorton()]
PARTS = {
    "row": lambda v: v[1],
    "window": lambda v: v[1:, 2:],
    "flipped": flip,
    "permuted, then cut": lambda v: permute_dims(v, (1, 0))[1:],
    "padded": lambda v: pad(v, 1, mode="edge"),
    "read-only": readonly,
    "atomic": atomic,
    "itself again": lambda v: v[...],
}


def is_locked(data):
    try:
        data.append(1.0)
    except BufferError:
        return True
    data.pop()
    return False


@pytest.mark.parametrize("layout", LAYOUTS, ids=type)
@pytest.mark.parametrize("part_of", PARTS.values(), ids=PARTS)
def test_a_part_and_the_whole_are_released_each_by_itself(part_of, layout):
    data = array("d", range(16))
    whole = MDView(data, (4, 4), layout)
    for first, second in ((0, 1), (1, 0)):
        views = [whole[...], part_of(whole)]
        again = [np.asarray(view).tolist() for view in views]
        views[first].release()
        views[first].release()
        assert views[first].data is None
        assert np.asarray(views[second]).tolist() == again[second]
        assert is_locked(data)
        views[second].release()
    whole.release()
    assert not is_locked(data)


def test_exports_outlive_the_view():
    data = array("d", range(16))
    view = MDView(data, (4, 4))
    exported = np.asarray(view)
    view.release()
    assert exported[1, 2] == 6.0
    assert is_locked(data)
    exported[1, 2] = -1.0
    assert data[6] == -1.0
    del exported
    assert not is_locked(data)


def test_blocks_may_be_nested_and_end_by_an_error():
    data = array("d", range(16))
    with MDView(data, (4, 4)) as view:
        with view, view as same:
            assert same is view
            assert view[1, 1] == 5.0
        assert view.data is None
        with view:  # the null view is one
            pass
    with pytest.raises(ZeroDivisionError), MDView(data, (4, 4)) as view:
        view[0, 0] = 1 // 0
    assert view.data is None
    assert not is_locked(data)


def test_static_extents_stay_those_of_the_null_view():
    view = MDView(bytearray(12), (dim(3), 4))
    for _ in range(3):
        view.release()
        assert (view.extents, view.static_extents, view.origin, view.data) == ((3, 0), (3, None), 0, None)


WALKS = {
    "rows": iter,
    "elements": elements,
    "runs": runs,
    "tiles": lambda v: tiles(v, (2, 2)),
    "elements of rows": lambda v: (x for row in v for x in row),
}


@pytest.mark.parametrize("layout", LAYOUTS, ids=type)
@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
def test_a_walk_that_has_begun_goes_on_or_is_told(walk, layout):
    expected = [np.asarray(x).tolist() for x in walk(MDView(array("d", range(16)), (4, 4), layout))]
    data = array("d", range(16))
    view = MDView(data, (4, 4), layout)
    begun = walk(view)
    found = [np.asarray(next(begun)).tolist()]
    view.release()
    try:
        found += [np.asarray(x).tolist() for x in begun]
    except NullViewError:
        assert found == expected[: len(found)]
    else:
        assert found == expected
    del begun
    gc.collect()
    assert not is_locked(data)


def releasing(view, value):
    def function(*_):
        view.release()
        return value

    return function


@pytest.mark.parametrize("layout", LAYOUTS, ids=type)
def test_a_function_that_releases_what_it_is_called_for_does_no_harm(layout):
    calls = {
        "transform": lambda v: transform(releasing(v, 1.0), v),
        "transform into itself": lambda v: transform(releasing(v, 1.0), v, out=v),
        "reduce": lambda v: reduce(releasing(v, 1.0), v),
        "accumulate": lambda v: accumulate(releasing(v, 1.0), v, v[...]),
        "fill": lambda v: fill(v, type("Number", (), {"__float__": releasing(v, 1.0)})()),
        "element": lambda v: v.__setitem__((1, 1), type("Number", (), {"__float__": releasing(v, 1.0)})()),
        "index": lambda v: v[type("Index", (), {"__index__": releasing(v, 1)})(), 1],
        "index of a store": lambda v: v.__setitem__((type("Index", (), {"__index__": releasing(v, 1)})(), 1), 5.0),
        "slice": lambda v: v[: type("Index", (), {"__index__": releasing(v, 1)})()],
        "copy": lambda v: copy([[type("Number", (), {"__float__": releasing(v, 1.0)})()] * 4] * 4, v),
        "store of a slice": lambda v: v.__setitem__(
            slice(1, 3), [[type("Number", (), {"__float__": releasing(v, 1.0)})()] * 4] * 2
        ),
    }
    for name, call in calls.items():
        data = array("d", range(16))
        view = MDView(data, (4, 4), layout)
        with suppress(MDViewError, TypeError):  # what a number must be is not the matter here
            call(view)
        assert view.data is None or name == "copy", name
        assert len(data) == 16
        view.release()
        gc.collect()
        assert not is_locked(data), name


FINAL = """
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
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert told
    del view, views[:]
    gc.collect()
    data.append(1.0)

    # When the interpreter ends.
    held = Owner(MDView(data, (8, 8)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no timers")
def test_finalisers_and_handlers_of_signals_may_release():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(FINAL)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
