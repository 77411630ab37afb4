"""A call holds the memory of its views until it is over, and lets go of it however it ends."""

import sys
from array import array
from contextlib import suppress
from pathlib import Path

import pytest
from effort import share
from processes import output_of

import mdview as md
from mdview.errors import KernelError

numba = pytest.importorskip("numba")
kernels = pytest.importorskip("mdview.numba")

ROOT = Path(__file__).parents[2]

RACE = """
    import threading
    from array import array

    import numba

    import mdview as md
    from mdview import numba as kernels

    GO, STARTED = 0, 1

    @numba.njit(nogil=True)
    def wait(v):
        kernels.atomic_add(v, STARTED, 1)
        for _ in range(2_000_000_000):
            if kernels.atomic_add(v, GO, 0):
                return v[STARTED]
        return -1

    direct = kernels.jit(nogil=True)(lambda v: wait(v))
    pair = numba.njit(nogil=True)(lambda views: wait(views[0]) + views[1][3])
    failing = numba.njit(nogil=True)(lambda v: v[7 + wait(v)])

    CALLS = {"njit": wait, "jit": direct, "tuple": lambda v: pair((v, v)), "error": failing}
    LAYOUTS = [md.LayoutRight(), md.LayoutMorton(), md.LayoutStrideRelaxed((-1,), 7)]

    def is_locked(data):
        try:
            data.append(1)
        except BufferError:
            return True
        return False

    def outcome(call, view, results):
        try:
            results.append(call(view))
        except Exception as error:
            results.append(f"{type(error).__name__}: {error}")

    def run(call, layout, releases):
        data, places, results = array("q", bytes(64)), md.Mapping((8,), layout), []
        view = md.MDView(memoryview(data), (8,), layout)
        if not releases:
            call = lambda view, call=call: call(view[:])  # nobody else has this view
        thread = threading.Thread(target=outcome, args=(call, view, results), daemon=True)
        thread.start()
        assert any(data[places(STARTED)] for _ in range(100_000_000))
        view.release()
        assert is_locked(data), "the data went while a kernel read it"
        data[places(GO)] = 1
        thread.join()
        (result,) = results
        assert not is_locked(data), "the data stayed locked"
        return result

    for call in CALLS.values():  # compiled before it counts
        for layout in LAYOUTS:
            outcome(call, md.MDView(array("q", [1] * 8), (8,), layout), [])
    for name, call in CALLS.items():
        found = {
            (releases, run(call, layout, releases))
            for layout in LAYOUTS
            for releases in (True, False)
        }
        print(name, sorted(found), sep=": ")
"""

OUT_OF_RANGE = "IndexOutOfRangeError: index 8 is out of range for extent 8 of dimension 0"


@pytest.mark.deep
def test_memory_stays_locked_while_a_kernel_runs_and_no_longer():
    done = output_of(RACE, options=["-W", "error"], cwd=ROOT)
    assert dict(line.split(": ", 1) for line in done.splitlines()) == {
        **dict.fromkeys(("njit", "jit", "tuple"), "[(False, 1), (True, 1)]"),
        "error": f"[(False, '{OUT_OF_RANGE}'), (True, '{OUT_OF_RANGE}')]",
    }


@numba.njit
def get(v, i):
    return v[i]


@kernels.jit
def first(v):
    return v[0]


@kernels.jit
def sum_of_firsts(v, w):
    return v[0] + w[0]


first_of_pair = numba.njit(lambda pair: pair[0][0])
tail = numba.njit(lambda v: v[1:][0])


def fresh():
    return md.MDView(array("d", [1, 2, 3]), (3,))


def released():
    view = fresh()
    first(view)
    view.release()
    return view


CALLS = {
    "njit": lambda v: get(v, 0),
    "jit": first,
    "two arguments": lambda v: sum_of_firsts(v, v),
    "tuple": lambda v: first_of_pair((v, v)),
    "part": tail,
    "index error": lambda v: get(v, 3),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_leaves_no_reference_behind(name):
    call, view = CALLS[name], fresh()
    first(view)
    parts = [view, view.data]

    def run():
        with suppress(IndexError):
            call(view)

    run()
    before = list(map(sys.getrefcount, parts))
    for _ in range(share(10_000, 500) if name in {"njit", "jit", "two arguments", "tuple"} else 100):
        run()
    assert list(map(sys.getrefcount, parts)) == before
    del parts
    data = view.data
    view.release()
    data.append(4.0)


@pytest.mark.parametrize("call", [first, lambda v: get(v, 0), tail, lambda v: first_of_pair((fresh(), v))])
def test_a_view_that_was_released_before_the_call_is_refused(call):
    for view in (released(), md.MDView.null((3,))):
        with pytest.raises(KernelError, match="this is the null view"):
            call(view)
    assert first(fresh()) == 1.0


def into_object_mode(v):
    part = v[1:]
    with numba.objmode():
        part.tolist()


@pytest.mark.parametrize("function", [lambda v: v, lambda v: v[1:], into_object_mode], ids=["whole", "part", "objmode"])
def test_no_view_comes_out_of_a_kernel(function):
    with pytest.raises(KernelError, match="return indices and slice the view there"):
        numba.njit(function)(fresh())


def test_a_view_does_not_come_out_of_object_mode():
    kind = numba.typeof(fresh())

    @numba.njit
    def make():
        with numba.objmode(made=kind):
            made = fresh()
        return made[0]

    with pytest.raises(KernelError, match="a view cannot come out of a block in object mode"):
        make()
