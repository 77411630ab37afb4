"""Times of a `LocalCluster` for graphs of `map_tiles` whose tasks only wait, and the cost of a task from them."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from logging import CRITICAL
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, sleep, time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import psutil
from distributed import Client, LocalCluster

from benchmarks.scaling_simulation import SATURATION, Costs
from mdview import open_view
from mdview.interop.dask import map_tiles

if TYPE_CHECKING:
    from collections.abc import Iterator

TASKS: Final = 1000
ROUNDS: Final = 3
HELD: Final = 5000
FEW: Final = 2
"""Number of workers so small that the scheduler waits for them, if tasks take no time."""
MANY: Final = 8
"""Number of workers so large that they wait for the scheduler, if tasks take no time."""
LONGEST: Final = 120.0
"""The most seconds to wait for a graph."""


@dataclass(frozen=True)
class Clocked:
    """The times of one run of a graph.

    Parameters
    ----------
    seconds
        Seconds from the call to the last result.
    waiting
        Seconds until the first task began.
    worker
        Processor time of the workers for each task.
    """

    seconds: float
    waiting: float
    worker: float


@contextmanager
def cluster(workers: int, threads: int) -> Iterator[Client]:
    """Start a cluster of processes on this machine and run a first graph on it; yield its client."""
    options: dict[str, Any] = {"n_workers": workers, "threads_per_worker": threads}
    options |= {"dashboard_address": ":0", "silence_logs": CRITICAL}
    with LocalCluster(**options) as local, Client(local) as client:  # type: ignore[no-untyped-call]
        clocked(client, 50 * workers, 0.0)
        yield client


def stay(seconds: float, block: Any) -> Any:
    """Sleep for the seconds of a task; return the time at which the task began, as a tile of one element."""
    began = np.full_like(block, time())
    if seconds:
        sleep(seconds)
    return began


def shortest(client: Any, tasks: int, seconds: float) -> Clocked:
    """Run the same tasks several times; return the shortest run, which other programs have disturbed least."""
    return min((clocked(client, tasks, seconds) for _ in range(ROUNDS)), key=lambda run: run.seconds)


def clocked(client: Any, tasks: int, seconds: float) -> Clocked:
    """Run `map_tiles` over a file of ``tasks`` tiles of one element; each task sleeps for ``seconds``."""
    with sparse_files(tasks) as (source, target):
        before, called, start = cpu(client), time(), perf_counter()
        map_tiles(partial(stay, seconds), source, out=target, scheduler=client)
        taken = perf_counter() - start
        first = float(np.asarray(target).min()) - called
    return Clocked(taken, first, (cpu(client) - before) / tasks)


@contextmanager
def sparse_files(tiles: int, side: int = 1) -> Iterator[tuple[Any, Any]]:
    """Yield views of two temporary sparse files of ``tiles`` tiles of float64, which take no space on disk."""
    with TemporaryDirectory(prefix="mdview-scaling-") as folder, ExitStack() as opened:
        paths = Path(folder, "source"), Path(folder, "target")
        for path in paths:
            with path.open("wb") as file:
                file.truncate(8 * tiles * side**2)
        text = f"tiled({side}, {side}) ({tiles * side}, {side})"
        source, target = [opened.enter_context(open_view(path, text, "d", mode="r+")) for path in paths]
        yield source, target


def cpu(client: Any) -> float:
    """Return the processor time of all workers so far."""
    return float(sum(client.run(process_time).values()))


def held(client: Any) -> float:
    """Return the bytes of memory for each task of a graph in client and scheduler, which share a process here."""
    process = psutil.Process()
    with sparse_files(HELD) as (source, target):
        before = process.memory_info().rss
        delayed = map_tiles(partial(stay, 0.0), source, out=target, scheduler=client, compute=False)
        done = client.compute(delayed)
        time_limit = perf_counter() + LONGEST
        most = before
        while not done.done() and perf_counter() < time_limit:
            most = max(most, process.memory_info().rss)
            sleep(0.01)
    return float(most - before) / HELD


def costs() -> tuple[Costs, float]:
    """Measure the cost of a task: many workers keep the scheduler busy, few workers show the time of messages.

    Returns
    -------
    costs, memory
        Seconds of each part, and bytes of memory of client and scheduler, for each task.
    """
    with cluster(MANY, 1) as client:
        busy = shortest(client, TASKS, 0.0)
        memory = held(client)
    with cluster(FEW, 1) as client:
        idle = shortest(client, TASKS, 0.0)
    ahead = ceil(SATURATION)
    first = busy.waiting / TASKS
    scheduler = (busy.seconds - busy.waiting) / TASKS
    round_trip = FEW * ahead * (idle.seconds - idle.waiting) / TASKS
    message = max(round_trip - scheduler - ahead * busy.worker, 0.0) / 2
    return Costs(first, scheduler, message, busy.worker), memory
