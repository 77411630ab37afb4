"""A function that writes does not take what only reads."""

from mdview import Dims1, Layout, MDView, Writable, readonly


def clear(line: MDView[float, Dims1, Layout, Writable[float, float]]) -> None:
    for i in range(len(line)):
        line[i] = 0.0


clear(readonly(MDView([1.0, 2.0], (2,))))  # error: a read-only accessor has no store
