"""What a `LocalCluster` takes for tasks that do nothing but wait, and what a task costs it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from logging import CRITICAL
from math import ceil
from time import perf_counter, process_time, sleep, time
from typing import TYPE_CHECKING, Any, Final

import psutil
from distributed import Client, LocalCluster, wait

from benchmarks.scaling_simulation import SATURATION, Costs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TASKS: Final = 1000
ROUNDS: Final = 3
HELD: Final = 5000
FEW: Final = 2
"""Workers that the scheduler waits for, when tasks take no time."""
MANY: Final = 8
"""Workers that wait for the scheduler, then."""
NAMES: Final = count()


@dataclass(frozen=True)
class Clocked:
    """One graph, run.

    Parameters
    ----------
    seconds
        From the call to the last result.
    waiting
        Seconds until the first task began.
    worker
        Processor time that the workers spent on each task.
    """

    seconds: float
    waiting: float
    worker: float


@contextmanager
def cluster(workers: int, threads: int) -> Iterator[Client]:
    """Start a cluster of processes on this machine, warm."""
    options: dict[str, Any] = {"n_workers": workers, "threads_per_worker": threads}
    options |= {"dashboard_address": None, "silence_logs": CRITICAL}
    with LocalCluster(**options) as local, Client(local) as client:  # type: ignore[no-untyped-call]
        clocked(client, [0.0] * 50 * workers)
        yield client


def stay(seconds: float) -> float:
    """Do what a task does without data: take its time. Return when it began."""
    began = time()
    if seconds:
        sleep(seconds)
    return began


def shortest(client: Any, tasks: Sequence[float]) -> Clocked:
    """Run the same tasks some times, since others use the machine, and keep the run that they disturbed least."""
    return min((clocked(client, tasks) for _ in range(ROUNDS)), key=lambda run: run.seconds)


def clocked(client: Any, tasks: Sequence[float]) -> Clocked:
    """Run tasks of these seconds that depend on nothing, as those of `map_tiles` do."""
    name = f"stay-{next(NAMES)}"
    before, called, start = cpu(client), time(), perf_counter()
    graph = {(name, k): (stay, seconds) for k, seconds in enumerate(tasks)}
    began = client.get(graph, list(graph))
    taken = perf_counter() - start
    return Clocked(taken, min(began) - called, (cpu(client) - before) / len(tasks))


def cpu(client: Any) -> float:
    """Processor time that all workers have spent so far."""
    return float(sum(client.run(process_time).values()))


def held(client: Any) -> float:
    """Bytes of memory that client and scheduler, which share a process here, hold for each task of a graph."""
    name, process = f"stay-{next(NAMES)}", psutil.Process()
    before = process.memory_info().rss
    futures = client.get({(name, k): (stay, 0.0) for k in range(HELD)}, [(name, k) for k in range(HELD)], sync=False)
    wait(futures)  # type: ignore[no-untyped-call]
    return float(process.memory_info().rss - before) / HELD


def costs() -> tuple[Costs, float]:
    """Find what a task costs: many workers keep the scheduler busy, few show how long messages are under way.

    Returns
    -------
    costs, memory
        Seconds, and bytes of memory of client and scheduler.
    """
    with cluster(MANY, 1) as client:
        busy = shortest(client, [0.0] * TASKS)
        memory = held(client)
    with cluster(FEW, 1) as client:
        idle = shortest(client, [0.0] * TASKS)
    ahead = ceil(SATURATION)
    first = busy.waiting / TASKS
    scheduler = (busy.seconds - busy.waiting) / TASKS
    round_trip = FEW * ahead * (idle.seconds - idle.waiting) / TASKS
    message = max(round_trip - scheduler - ahead * busy.worker, 0.0) / 2
    return Costs(first, scheduler, message, busy.worker), memory
