"""A million tiles on a hundred workers: what a tile and a task cost here, and a simulation of the rest.

`python -m benchmarks scaling [--write]`; with `--write` the tables go into the page that explains them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks import matrix_tables, scaling_tiles
from benchmarks.harness import machine
from benchmarks.matrix_tables import Table, markdown
from benchmarks.scaling_cluster import cluster, costs, shortest
from benchmarks.scaling_simulation import Costs, grouped, simulate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.scaling_tiles import TileTimes

PAGE: Final = Path(__file__).parents[1] / "docs" / "design" / "scaling.md"
TILES: Final = 1_000_000
WORKERS: Final = (10, 100, 1000)
GROUPS: Final = (1, 4, 16, 64, 256, 1024)
CLUSTERS: Final = ((2, 1), (8, 1), (2, 8))
"""Workers and threads of each, as this machine can run them."""
LOADS: Final = ((1000, 0.0), (1000, 0.005), (500, 0.02), (125, 0.08))
"""Tasks, and the seconds that each takes."""


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    """Measure tiles and tasks, compare a simulation with real runs, and simulate what no machine here can run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks scaling")
    parser.add_argument("--write", action="store_true", help="write the tables into the page on scaling")
    options = parser.parse_args([*arguments])
    tables = []
    for table in measured():
        tables.append(table)
        yield table
    if options.write:
        matrix_tables.write("\n\n".join([machine(), *[table.render() for table in tables]]), PAGE, "scaling")


def measured() -> Iterator[Table]:
    """Make the tables, one after the other."""
    tiles = scaling_tiles.measure()
    tile = next(times for times in tiles if times.side == scaling_tiles.PLANNED)
    yield scaling_tiles.table(tiles)
    found, memory = costs()
    yield of_tasks(found, memory)
    yield compared(found)
    yield planned(found, memory, tile)
    yield by_workers(found, tile.seconds)


def of_tasks(found: Costs, memory: float) -> Table:
    """What a task costs on each scheduler."""
    rows = [
        [f"{name}: all of it", milliseconds(seconds) + " ms"]
        for name, seconds in scaling_tiles.local_schedulers().items()
    ]
    made, size = scaling_tiles.graph()
    rows += [
        ["a task of the graph, made", milliseconds(made) + " ms"],
        ["a task of the graph, pickled", f"{size:.0f} bytes"],
        ["distributed: graph, made and sent before the first task starts", milliseconds(found.client) + " ms"],
        ["distributed: the scheduler, one for all workers", milliseconds(found.scheduler) + " ms"],
        ["distributed: a message, one way", milliseconds(found.message) + " ms"],
        ["distributed: the worker", milliseconds(found.worker) + " ms"],
    ]
    rows.append(["distributed: memory of client and scheduler", f"{memory / 1e3:.1f} kB"])
    return Table("What a task costs, whatever it does", markdown(["", "a task"], rows))


def compared(found: Costs) -> Table:
    """Put simulations beside runs of the same tasks on this machine."""
    rows = []
    for workers, threads in CLUSTERS:
        with cluster(workers, threads) as client:
            for tasks, seconds in LOADS:
                real = shortest(client, tasks, seconds)
                run = simulate(found, [seconds] * tasks, workers, threads)
                rows.append(
                    [
                        f"{workers} x {threads}",
                        str(tasks),
                        milliseconds(seconds),
                        f"{real.seconds:.2f}",
                        f"{run.seconds:.2f}",
                        f"{run.seconds / real.seconds:.2f}",
                    ]
                )
    headings = ["workers x threads", "tasks", "ms a task", "real, s", "simulated, s", "simulated / real"]
    return Table("The simulation and this machine", markdown(headings, rows))


def planned(found: Costs, memory: float, tile: TileTimes) -> Table:
    """A million tiles on a hundred workers, in groups of some size."""
    rows = []
    for group in GROUPS:
        tasks = grouped(tile.seconds, TILES, group)
        run = simulate(found, tasks, 100)
        rows.append(
            [
                str(group),
                f"{len(tasks)}",
                f"{memory * len(tasks) / 1e9:.2f} GB",
                minutes(run.waiting),
                minutes(run.seconds),
                f"{run.scheduler_busy:.0%}",
                f"{run.threads_busy:.0%}",
                f"{TILES * tile.moved / run.seconds / 1e9:.1f}",
            ]
        )
    headings = [
        "tiles a task",
        "tasks",
        "memory",
        "first task after",
        "all done after",
        "scheduler busy",
        "workers busy",
        "GB/s",
    ]
    return Table("10⁶ tiles on 100 workers, simulated", markdown(headings, rows))


def by_workers(found: Costs, seconds: Sequence[float]) -> Table:
    """Do the same on more workers and fewer: the time, and how much of it workers are busy."""
    rows = []
    for group in GROUPS:
        tasks = grouped(seconds, TILES, group)
        runs = [simulate(found, tasks, workers) for workers in WORKERS]
        rows.append([str(group), *[f"{minutes(run.seconds)} ({run.threads_busy:.0%})" for run in runs]])
    headings = ["tiles a task", *[f"{workers} workers" for workers in WORKERS]]
    return Table("10⁶ tiles on more workers and fewer: time, and how busy workers are", markdown(headings, rows))


def milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.2f}"


def minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
