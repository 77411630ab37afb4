"""A million tiles on a hundred workers: times of a tile and of a task on this machine, and a simulation of a cluster.

`python -m benchmarks scaling [--write]`; with `--write` the tables are written into the page that explains them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks import scaling_tiles
from benchmarks.harness import Table, machine, table, write
from benchmarks.scaling_cluster import cluster, costs, shortest
from benchmarks.scaling_simulation import Costs, grouped, simulate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.scaling_tiles import TileTimes

PAGE: Final = Path(__file__).parents[1] / "docs" / "design" / "scaling.md"
TILES: Final = 1_000_000
GROUPS: Final = (1, 16, 64, 1024)
CLUSTERS: Final = ((2, 1), (8, 1), (2, 8))
"""Numbers of workers and of threads in each worker, for clusters that this machine can run."""
LOADS: Final = ((1000, 0.0), (1000, 0.005), (500, 0.02), (125, 0.08))
"""Numbers of tasks, and the seconds of each task."""
COMPARED: Final = "The simulation and this machine"
"""The title of the table that is not written into the page."""


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    """Measure tiles and tasks, compare a simulation with real runs, and simulate larger clusters.

    The page gets the tables of tiles, of tasks and of a hundred workers.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks scaling")
    parser.add_argument("--write", action="store_true", help="write the tables into the page on scaling")
    options = parser.parse_args([*arguments])
    found = []
    for each in measured():
        if each.title != COMPARED:
            found.append(each.render())
        yield each
    if options.write:
        write("\n\n".join([machine(), *found]), PAGE, "scaling")


def measured() -> Iterator[Table]:
    """Yield the tables."""
    tiles = scaling_tiles.measure()
    tile = next(times for times in tiles if times.side == scaling_tiles.PLANNED)
    yield table("What a tile takes", [times.row() for times in tiles])
    found, memory = costs()
    yield of_tasks(found, memory)
    yield compared(found)
    yield planned(found, memory, tile)


def of_tasks(found: Costs, memory: float) -> Table:
    """Return the table of the cost of a task on each scheduler."""
    made, size = scaling_tiles.graph()
    times = {f"{name}: all of it": seconds for name, seconds in scaling_tiles.local_schedulers().items()}
    parts = {
        "graph, made and sent before the first task starts": found.client,
        "the scheduler, one for all workers": found.scheduler,
        "a message, one way": found.message,
        "the worker": found.worker,
    }
    times |= {"a task of the graph, made": made} | {f"distributed: {name}": time for name, time in parts.items()}
    texts = {name: milliseconds(seconds) + " ms" for name, seconds in times.items()}
    texts["a task of the graph, pickled"] = f"{size:.0f} bytes"
    texts["distributed: memory of client and scheduler"] = f"{memory / 1e3:.1f} kB"
    return table("What a task costs, whatever it does", [{"": name, "a task": text} for name, text in texts.items()])


def compared(found: Costs) -> Table:
    """Return the table of simulations and runs of the same tasks on this machine."""
    rows = []
    for workers, threads in CLUSTERS:
        with cluster(workers, threads) as client:
            for tasks, seconds in LOADS:
                real = shortest(client, tasks, seconds).seconds
                run = simulate(found, [seconds] * tasks, workers, threads).seconds
                row = {"workers x threads": f"{workers} x {threads}", "tasks": str(tasks)}
                row |= {"ms a task": milliseconds(seconds), "real, s": f"{real:.2f}", "simulated, s": f"{run:.2f}"}
                rows.append(row | {"simulated / real": f"{run / real:.2f}"})
    return table(COMPARED, rows)


def planned(found: Costs, memory: float, tile: TileTimes) -> Table:
    """Return the table of a simulation of a million tiles on a hundred workers, by tiles in a task."""
    rows = []
    for group in GROUPS:
        tasks = grouped(tile.seconds, TILES, group)
        run = simulate(found, tasks, 100)
        row = {"tiles a task": str(group), "tasks": f"{len(tasks)}", "memory": f"{memory * len(tasks) / 1e9:.2f} GB"}
        row |= {"first task after": minutes(run.waiting), "all done after": minutes(run.seconds)}
        row |= {"scheduler busy": f"{run.scheduler_busy:.0%}", "workers busy": f"{run.threads_busy:.0%}"}
        rows.append(row | {"GB/s": f"{TILES * tile.moved / run.seconds / 1e9:.1f}"})
    return table("10⁶ tiles on 100 workers, simulated", rows)


def milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.2f}"


def minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
