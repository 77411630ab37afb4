"""Workers that step on the same elements, of every item type and under every memory order, and count what they did.

They are four threads, or processes that share a map of memory.
"""

import mmap
import os
import sys
import threading

from mdview import MDView, atomic

WORKERS = 4
STEPS = 250_000
FORMATS = "bBhHiIqQfd"
ORDERS = ("seq_cst", "acq_rel", "acquire", "release", "relaxed")
PAIRS = [(item_format, order) for item_format in FORMATS for order in ORDERS]
ROUNDS = STEPS // (len(PAIRS) * 8) + 1
"""Each makes eight steps on the elements of a pair, and more where another worker was faster."""
ROW = 128
"""Bytes of the elements of a pair."""


def rows(memory):
    """Views of the elements of each pair, and a counter of the workers that are ready."""
    whole = memoryview(memory)
    parts = [whole[k * ROW : (k + 1) * ROW] for k in range(len(PAIRS) + 1)]
    pairs = zip(parts[1:], PAIRS, strict=True)
    views = [
        atomic(MDView(part.cast("B").cast(item_format), (16,)), order=order) for part, (item_format, order) in pairs
    ]
    return views, atomic(MDView(parts[0].cast("B").cast("q"), (1,)))


def work(memory, me):
    """Step, and leave in the row what has come into the hands of this worker by exchanges."""
    views, ready = rows(memory)
    tokens = [me + 1] * len(views)
    ready[0] += 1
    while ready[0] < WORKERS:
        pass
    for k in range(ROUNDS):
        for pair, view in enumerate(views):
            view[0].fetch_add(1)
            view[0].fetch_sub(1)
            is_done = False
            while not is_done:
                found = view[1].load()
                is_done, _ = view[1].compare_exchange(found, (found + 1) % 100)
            tokens[pair] = view[2].exchange(tokens[pair])
            view[3].fetch_max(k % 50 + me)
            view[4].fetch_min(k % 50 + me)
            if PAIRS[pair][0] in "fd":
                view[5] += 1
                view[6] *= -1
            else:
                view[5] ^= 1 << me
                view[6].fetch_or(1 << me)
    for token, view in zip(tokens, views, strict=True):
        view[8 + me] = token


def check(memory):
    views, _ = rows(memory)
    for (item_format, order), view in zip(PAIRS, views, strict=True):
        tokens = sorted([view[k].load() for k in (2, *range(8, 8 + WORKERS))])
        marks = [WORKERS * ROUNDS, 1] if item_format in "fd" else [(1 << WORKERS) - 1 if ROUNDS % 2 else 0, 15]
        expected = [0, WORKERS * ROUNDS % 100, [0, 1, 2, 3, 4], min(ROUNDS, 50) + 2, 0, *marks]
        found = [view[0].load(), view[1].load(), tokens, *(view[k].load() for k in range(3, 7))]
        assert found == expected, (item_format, order, found, expected)


SIZE = (len(PAIRS) + 1) * ROW


def prepared(memory):
    views, _ = rows(memory)
    for (item_format, _), view in zip(PAIRS, views, strict=True):
        view[6] = 1 if item_format in "fd" else 0
        view[4] = 100
    return memory


def in_threads():
    sys.setswitchinterval(1e-5)
    memory = prepared(bytearray(SIZE))
    threads = [threading.Thread(target=work, args=(memory, me)) for me in range(WORKERS)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    check(memory)


def in_processes():
    """Fork, so that the functions are compiled once."""
    memory = prepared(mmap.mmap(-1, SIZE))
    children = []
    for me in range(WORKERS):
        pid = os.fork()
        if not pid:
            work(memory, me)
            os._exit(0)
        children.append(pid)
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children] == [0] * WORKERS
    check(memory)


if __name__ == "__main__":
    match sys.argv[1]:
        case "threads":
            in_threads()
        case "processes":
            in_processes()
