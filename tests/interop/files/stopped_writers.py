"""Writers of one path that are interrupted, killed, or several at once: a program of its own, which forks.

``python stopped_writers.py interrupt|kill|crowd WRITER COUNT FOLDER``. It prints how often the new data was there, and
fails if there was ever anything else than the old data or the new data, or if something is left behind: a file, a lock
that refuses the next writer, or a descriptor.
"""

import gc
import os
import random
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path

import numpy as np
import zarr

import mdview as md
from mdview.errors import WritingError

SHAPE = 60, 80
OLD, NEW, FAILED = 0, 5, 9


def save(path, value):
    md.save(md.asview(np.full(SHAPE, value)), path, "tiled(20, 20)")


def relayout(path, value):
    source = path.parent.parent / f"source-{value}.npy"
    if not source.exists():
        np.save(source, np.full(SHAPE, value))
    md.relayout_file(source, path, "left")


def plain_zarr(path, value):
    md.to_zarr(md.asview(np.full(SHAPE, value)), path, chunks=(30, 40), shards=None, overwrite=True)


def packed_zarr(path, value):
    md.to_zarr(md.asview(np.full(SHAPE, value)), path, chunks=(30, 40), compressors="auto", overwrite=True)


def map_tiles(path, value):
    if not path.exists():
        save(path, OLD)
    with md.open_view(path, mode="r+") as out:
        md.interop.dask.map_tiles(lambda tile: np.full_like(tile, value), out, out=out, scheduler="synchronous")


WRITERS = {call.__name__: call for call in (save, relayout, plain_zarr, packed_zarr, map_tiles)}


def values_at(path):
    """The values that are there, as a set."""
    if path.is_dir():
        return set(zarr.open_array(path, mode="r")[...].ravel().tolist())
    return set(np.load(path).ravel().tolist())


def open_files():
    """How many descriptors are open; a traceback that dask has caught may hold some until its cycle is collected."""
    gc.collect()
    return len([*Path("/proc/self/fd").iterdir()])


def forked(run):
    """Start a child that runs a function, whose answer is its status; return its number."""
    child = os.fork()
    if child:
        return child
    status = FAILED
    try:
        status = int(bool(run()))
    except BaseException:  # noqa: BLE001 - a child says what it is, and ends
        traceback.print_exc()
    finally:
        os._exit(status)


def answer(run):
    """Run a function in a child; return whether its answer is true."""
    status = os.waitstatus_to_exitcode(os.waitpid(forked(run), 0)[1])
    assert status in {0, 1}, status
    return status


def checked(write, path):
    """Whether the new data is there; then the next writer completes, and nothing else is left."""
    found = values_at(path)
    assert found in ([{OLD}, {NEW}] if write is not map_tiles else [{OLD}, {NEW}, {OLD, NEW}]), found
    write(path, NEW)
    assert values_at(path) == {NEW}
    names = sorted(each.name for each in path.parent.iterdir())
    assert names == [path.name], names
    return found == {NEW}


class Interrupt(BaseException):
    """What the handler of a signal raises."""


def interrupt(write, count, path):
    armed = fired = False

    def handle(*_):
        nonlocal fired
        if armed:
            fired = True
            raise Interrupt

    def run():
        nonlocal armed, fired
        fired = False
        try:
            armed = True
            write(path, NEW)
            armed = False
        except BaseException:  # dask may make another error of it
            armed = False
            if not fired:
                raise
        return fired

    signal.signal(signal.SIGALRM, handle)
    begin = time.perf_counter()
    write(path, OLD)
    lasts, moments, outcomes = time.perf_counter() - begin, random.Random(1), [0, 0]  # noqa: S311 - moments, no secrets
    descriptors = open_files()
    while sum(outcomes) < count:
        write(path, OLD)
        signal.setitimer(signal.ITIMER_REAL, moments.uniform(1e-6, lasts))
        was_interrupted = run()
        signal.setitimer(signal.ITIMER_REAL, 0)
        is_new = checked(write, path)
        outcomes[is_new] += was_interrupted
        assert open_files() == descriptors
    return outcomes


def kill(write, count, path):
    """Kill a child that writes, ``count`` times."""
    begin = time.perf_counter()
    answer(lambda: write(path, OLD))
    lasts, moments, outcomes = time.perf_counter() - begin, random.Random(1), [0, 0]  # noqa: S311 - moments, no secrets
    for _ in range(count):
        child = forked(lambda: write(path, NEW))
        time.sleep(moments.uniform(0, lasts))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        outcomes[checked(write, path)] += 1
        write(path, OLD)
    return outcomes


def crowd(write, count, path):
    """Let four children write at once, ``count`` times each; a file that they read is always that of one of them."""

    def run(value):
        done = 0
        while done < count:
            try:
                write(path, value)
                done += 1
            except WritingError:
                assert path.is_dir() or len(values_at(path)) == 1

    children = [forked(lambda value=value: run(value)) for value in range(NEW + 1, NEW + 5)]
    statuses = [os.waitpid(child, 0)[1] for child in children]
    assert statuses == [0] * 4, statuses
    assert len(values_at(path)) == 1
    write(path, OLD)
    return checked(write, path)


if __name__ == "__main__":
    how, writer, count, folder = sys.argv[1:]
    target = Path(folder) / "target" / ("target" if "zarr" in writer else "target.npy")
    target.parent.mkdir()
    warnings.simplefilter("ignore")  # objects close files that they have just opened; children of threads are forked
    WRITERS[writer](target, OLD)
    checked(WRITERS[writer], target)
    print(how, writer, {"interrupt": interrupt, "kill": kill, "crowd": crowd}[how](WRITERS[writer], int(count), target))
