"""ScaLAPACK's block-cyclic distribution, asked of the functions of its TOOLS that need no message passing."""

import ctypes

NAMES = ("libscalapack-mpich.so.2.2", "libscalapack-openmpi.so.2.2")
"""The library as Debian ships it, once for each implementation of MPI."""


def load():
    """Return the library, or None where there is none."""
    for name in NAMES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def distribution(library, extent, block, processes):
    """Tell of each index of a dimension which process has it and at which local index, both as the library counts."""

    def ask(name, *arguments):
        return getattr(library, name)(*[ctypes.byref(ctypes.c_int(number)) for number in arguments])

    indices = range(1, extent + 1)
    return {
        "extent": extent,
        "block": block,
        "processes": processes,
        "process": [ask("indxg2p_", index, block, 0, 0, processes) for index in indices],
        "local": [ask("indxg2l_", index, block, 0, 0, processes) for index in indices],
        "count": [ask("numroc_", extent, block, process, 0, processes) for process in range(processes)],
    }
