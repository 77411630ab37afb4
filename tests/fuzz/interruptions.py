"""Interruptions: mdview is asked for something while it answers something else, in each way that Python has for that.

A signal handler, a finaliser, a hash or another thread makes views in the middle of work, or the process forks. Each
input runs in a child with limits: what waits for itself is ended and counts as a failure.
"""

import gc
import os
import random
import signal
import sys
import threading
import time
import weakref
from array import array

import numpy as np
from hostile import OwnError
from isolation import in_child
from outcomes import Wrong

import mdview as md
from mdview.errors import NullViewError

SECONDS = 0.04
"""How long the work of one input goes on."""
WALL = 90.0
MANY = 1200
"""More layouts than any cache keeps."""


# --- work: small jobs whose results are known ---


def _fresh_extents(pick):
    return pick.randint(1, 40), pick.randint(1, 40)


def _make(pick):
    e = _fresh_extents(pick)
    view = md.MDView(range(e[0] * e[1]), e, accessor=md.ReadOnlyAccessor())
    return view[e[0] - 1, e[1] - 1], e[0] * e[1] - 1


def _tiled(pick):
    e = _fresh_extents(pick)
    layout = md.LayoutTiled(pick.randint(1, 5), pick.randint(1, 5))
    mapping = md.Mapping(e, layout)
    view = md.MDView.from_mapping(range(mapping.required_span_size), mapping, md.ReadOnlyAccessor())
    i = pick.randrange(e[0]), pick.randrange(e[1])
    return view[i], mapping(*i)


def _slice(pick):
    view = md.MDView(range(10_000), (100, 100), accessor=md.ReadOnlyAccessor())
    low, step = pick.randrange(50), pick.randint(1, 40)
    return view[low::step, 7].tolist(), [r * 100 + 7 for r in range(low, 100, step)]


def _copy(pick):
    n = pick.choice((6, 40))
    source = md.MDView(array("q", range(n * n)), (n, n))
    target = md.MDView(array("q", [0] * (n * n)), (n, n), pick.choice((md.LayoutLeft(), md.LayoutTiled(2, 2))))
    md.copy(source, target)
    return target.tolist(), source.tolist()


def _atomic(pick):
    items = array("q", [0])
    view = md.atomic(md.MDView(items, (1,)))
    for _ in range(20):
        view[0].fetch_add(1)
    return items[0], 20


def _reshaped(pick):
    a, b, c = [pick.randint(1, 6) for _ in range(3)]
    view = md.MDView(range(a * b * c), (a, b, c), accessor=md.ReadOnlyAccessor())
    return md.reshape(md.flip(view), (-1,)).tolist(), list(range(a * b * c))[::-1]


def _array(pick):
    e = _fresh_extents(pick)
    view = md.MDView(np.arange(e[0] * e[1]), e, md.LayoutLeft())
    return np.asarray(view).tolist(), np.arange(e[0] * e[1]).reshape(e, order="F").tolist()


JOBS = (_make, _make, _tiled, _slice, _copy, _atomic, _reshaped, _array)


def _do(pick):
    job = pick.choice(JOBS)
    got, wanted = job(pick)
    if got != wanted:
        raise Wrong(f"{job.__name__} gave another result: {got}, wanted {wanted}")


def _work(pick, seconds=SECONDS):
    """Do jobs for a while."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        _do(pick)


# --- layouts with a life of their own ---


class Named(md.Layout):
    """Rows in order; each number makes another layout."""

    def __init__(self, number, act=None):
        self.number, self.act = number, act

    def offset(self, extents, index):
        return index[0] + self.number - self.number

    def required_span_size(self, extents):
        return extents[0]

    def __eq__(self, other):
        self._act()
        return isinstance(other, Named) and self.number == other.number

    def __hash__(self):
        self._act()
        return hash(self.number % 7)

    def _act(self):
        act, self.act = self.act, None
        if act is not None:
            act()
            self.act = act


class Finalised(Named):
    """A layout whose end makes views."""

    def __init__(self, number, at_end):
        super().__init__(number)
        self.at_end = at_end

    def __del__(self):
        self.at_end()


def _use(layout, n=4):
    view = md.MDView(list(range(n)), (n,), layout)
    if view.tolist() != list(range(n)) or view[::-1].tolist() != list(range(n))[::-1] or view[n - 1] != n - 1:
        raise Wrong("another order: of a user's layout")


# --- interruptions ---


def _by_signals(pick):
    """A timer fires all the time, and its handler does jobs, too."""
    other = random.Random(pick.random())  # noqa: S311 - reproducible cases, no secrets
    busy = []

    def handle(*_):
        if not busy:
            busy.append(1)
            _do(other)
            busy.clear()

    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, pick.choice((0.0003, 0.002)))
    _work(pick)
    signal.setitimer(signal.ITIMER_REAL, 0)


def _by_errors(pick):
    """A handler raises in the middle of a job; what comes after gives right results."""

    def raising(*_):
        raise OwnError("mine")

    for _ in range(40):
        try:
            signal.signal(signal.SIGALRM, raising)
            signal.setitimer(signal.ITIMER_REAL, pick.uniform(0.00005, 0.0015))
            for _ in range(50):
                _do(pick)
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
        except OwnError:
            pass
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    _work(pick, 0.01)


def _by_forks(pick):
    """The process forks while other threads do jobs; the child does jobs as well."""
    stop = threading.Event()
    seeds = [pick.random() for _ in range(3)]

    def busy(seed):
        mine = random.Random(seed)  # noqa: S311 - reproducible cases, no secrets
        while not stop.is_set():
            _do(mine)

    threads = [threading.Thread(target=busy, args=(seed,), daemon=True) for seed in seeds]
    for thread in threads:
        thread.start()
    try:
        for _ in range(4):
            time.sleep(pick.uniform(0, 0.004))
            if in_child(lambda: _all_jobs(pick), seconds=2, wall=60) is not True:
                raise Wrong("a child of a process with threads failed")
    finally:
        stop.set()
        for thread in threads:
            thread.join(20)


def _all_jobs(pick):
    for job in JOBS:
        got, wanted = job(pick)
        if got != wanted:
            return False
    _use(Named(pick.randrange(10**6)))
    return True


def _by_finalisers(pick):
    """Layouts end while others are made, and their end makes views."""
    count = [0]

    def at_end():
        count[0] += 1
        if count[0] % 3 == 0:
            _do(pick)

    for k in range(MANY):
        layout = Finalised(k, at_end)
        view = md.MDView([0] * 4, (4,), layout)
        if k % 5 == 0:
            view[1:].tolist()
    del layout, view
    gc.collect()


def _by_weak_references(pick):
    """A weak reference to a layout calls for views when it dies."""
    kept = []
    for k in range(MANY):
        layout = Named(k)
        kept.append(weakref.ref(layout, lambda _: _use(Named(0))))
        md.MDView([0] * 4, (4,), layout)
    del layout
    gc.collect()


def _by_hashes(pick):
    """A layout's hash or comparison makes views."""
    inner = Named(-1)
    for k in range(60):
        _use(Named(k % 11, act=lambda: _use(inner)))


def _by_collections(pick):
    """The garbage collector calls back, and the call does jobs."""
    busy = []

    def call(*_):
        if not busy:
            busy.append(1)
            _do(pick)
            busy.clear()

    gc.callbacks.append(call)
    gc.set_threshold(pick.choice((20, 100)))
    _work(pick)
    gc.callbacks.clear()
    gc.set_threshold(700)


READS = (
    lambda v: v[1, 2],
    lambda v: v[1],
    lambda v: v[1:, 2].tolist(),
    lambda v: v.tolist(),
    np.asarray,
    list,
    lambda v: md.reduce(lambda a, b: b, v),
    lambda v: v.at((1, 2)),
    lambda v: md.copy(v, md.MDView([0] * v.size, v.shape)),
    lambda v: md.flip(v).tolist(),
    lambda v: v.__setitem__((1, 2), 3),
    lambda v: md.fill(v, 3),
    lambda v: list(md.elements(v)),
    lambda v: list(md.runs(v)),
    lambda v: md.transform(np.negative, v),
    repr,
    lambda v: v.format,
    lambda v: md.equal(v, v),
)
RELEASED = (NullViewError, IndexError, md.errors.ShapeError, md.errors.AxisError)
"""What a view raises that has no data, and extents (0, 0), by now."""


def _reading(view, number, begun, errors):
    """Read a view again and again until it has been released."""
    begun.wait(20)
    try:
        for _ in range(60):
            READS[number](view)
    except RELEASED:
        pass
    except Exception as error:  # noqa: BLE001 - told by another thread
        errors.append(f"{type(error).__name__}: {error}, reading by number {number}")


def _by_release(pick):
    """Threads read a view in every way until it is released in another one: `NullViewError` and nothing else."""
    errors = []
    for _ in range(30):
        view = md.MDView(array("q", range(16)), (3, 4), pick.choice((md.LayoutRight(), md.LayoutTiled(2, 2))))
        begun = threading.Barrier(3)
        told = view, pick.randrange(len(READS)), begun, errors
        threads = [threading.Thread(target=_reading, args=told, daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        begun.wait(20)
        for _ in range(pick.randrange(60)):
            pass
        view.release()
        for thread in threads:
            thread.join(20)
    if errors:
        raise Wrong(f"a view released meanwhile raises {errors[0]}")


LOADED = []
WAYS = (
    *(_by_signals, _by_signals, _by_errors, _by_forks, _by_finalisers, _by_weak_references, _by_hashes),
    *(_by_collections, _by_release, _by_release),
)


def _all_loaded():
    """Load what loads on first use: a module that is half loaded is nothing that a handler could use."""
    for job in (*JOBS, lambda _: (np.asarray(md.MDView([1], (1,))).sum(), 1)):
        job(random.Random(0))  # noqa: S311 - reproducible cases, no secrets


def interruptions(pick):
    """Interrupt work in one way, in a child."""
    if not LOADED:
        _all_loaded()
        LOADED.append(True)
    way = pick.choice(WAYS)

    def work():
        sys.setswitchinterval(pick.choice((0.005, 1e-5, 1e-6)))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        way(pick)

    try:
        found = in_child(work, seconds=8, wall=WALL)
    except Wrong as error:
        raise Wrong(f"{way.__name__[1:]}: {error}") from None
    if found is not None:
        raise Wrong(f"{way.__name__[1:]} raises {found[0]}: {found[1]}")
