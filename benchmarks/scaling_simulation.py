"""A simulation of a cluster without data: a client, a scheduler and workers, as events in time.

The model:

- The client makes and sends the graph, `Costs.client` per task. No task starts before the whole graph is sent.
- The scheduler is one server. It spends `Costs.scheduler` on each task, in the order in which workers report. It keeps
  each worker supplied with as many tasks as the worker has threads, and a tenth more (dask's `worker-saturation`).
- A message takes `Costs.message` each way.
- A thread spends `Costs.worker` on each task, and then the time of the tiles of the task. Tasks do not depend on other
  tasks, as in `map_tiles`.

Not modelled: storage that slows down as more workers use it, workers that fail, memory that runs short.

>>> costs = Costs(client=0.0, scheduler=0.001, message=0.0, worker=0.0)
>>> round(simulate(costs, [0.01] * 100, workers=1).seconds, 3)  # the worker is always busy
1.001
>>> round(simulate(costs, [0.01] * 1000, workers=100).seconds, 3)  # the scheduler is always busy
1.01
>>> round(simulate(costs, [0.01] * 1000, workers=2, threads=4).seconds, 2)
1.26
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from heapq import heappop, heappush, heapreplace
from math import ceil
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

SATURATION: Final = 1.1
SEED: Final = 17


@dataclass(frozen=True)
class Costs:
    """Seconds of overhead for each task, independent of its work.

    Parameters
    ----------
    client
        Time of the client before the first task starts: making and sending the graph.
    scheduler
        Time of the scheduler, which has one thread for all tasks.
    message
        Time of a message from the scheduler to a worker, or back.
    worker
        Time of a thread of a worker.
    """

    client: float
    scheduler: float
    message: float
    worker: float


@dataclass(frozen=True)
class Run:
    """The result of a simulation.

    Parameters
    ----------
    seconds
        Seconds from the call to the last result.
    waiting
        Seconds before the first task could start.
    scheduler_busy, threads_busy
        Shares of the time after ``waiting``, from 0 to 1.
    """

    seconds: float
    waiting: float
    scheduler_busy: float
    threads_busy: float


def grouped(tile_seconds: Sequence[float], tiles: int, group: int) -> list[float]:
    """Return the times of tasks of ``group`` tiles each; the time of a tile is drawn from measured times."""
    draw = random.Random(SEED)  # noqa: S311 - the same tiles in each run
    times = draw.choices(tile_seconds, k=tiles)
    return [sum(times[first : first + group]) for first in range(0, tiles, group)]


def simulate(costs: Costs, tasks: Sequence[float], workers: int, threads: int = 1) -> Run:
    """Simulate tasks of these seconds on ``workers`` workers with ``threads`` threads each."""
    waiting = scheduler = costs.client * len(tasks)
    free = [[waiting] * threads for _ in range(workers)]
    reports = [(waiting, worker) for _ in range(ceil(SATURATION * threads)) for worker in range(workers)]
    for seconds in tasks:
        reported, worker = heappop(reports)
        scheduler = max(scheduler, reported) + costs.scheduler
        done = max(free[worker][0], scheduler + costs.message) + costs.worker + seconds
        heapreplace(free[worker], done)
        heappush(reports, (done + costs.message, worker))
    end = max([scheduler, *(time for time, _ in reports)])
    working = max(end - waiting, 1e-12)
    busy = sum(tasks) + costs.worker * len(tasks)
    return Run(end, waiting, costs.scheduler * len(tasks) / working, busy / (workers * threads * working))
