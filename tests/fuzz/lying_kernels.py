"""Kernels over lying layouts: what Numba compiles for them reads and writes nothing outside of their data.

Compiling takes a second, so these are few, and each runs in a child of its own.
"""

import random
from itertools import product

from hostile import OwnError
from isolation import in_child
from lying import liar
from lying_target import EXTENTS, FIRST, LAST, OWN, Data
from outcomes import Wrong, refused

import mdview as md


def _kernels():
    import numba  # noqa: PLC0415 - half a second that no other target needs

    @numba.njit
    def load(view, index):
        return view[index]

    @numba.njit
    def store(view, index):
        view[index] = 7

    return load, store


def _in_kernels(seed):
    """Load and store at indices of a view that is checked; tell what was refused."""
    pick = random.Random(seed)  # noqa: S311 - reproducible cases, no secrets
    extents = pick.choice([e for e in EXTENTS if 0 not in e and e])
    data = Data(pick, 500)
    while data.whole is None:
        data = Data(pick, 500)
    view = md.checked(md.MDView.from_mapping(data.given, md.Mapping(extents, liar(pick, len(extents)))))
    load, store = _kernels()
    refusals = []
    for index in pick.sample(list(product(*map(range, extents))), 2):
        try:
            found = load(view, index)
            if not (FIRST <= found < LAST or found == 7):
                raise Wrong(f"a kernel read what is not in the data: {found}")
            store(view, index)
        except OwnError:
            raise
        except Exception as error:
            if isinstance(error, AssertionError) or not (refused(error) or _compilers(error) or isinstance(error, OWN)):
                raise
            refusals.append(type(error).__name__)
        data.check(["kernel"])
    return refusals


def _compilers(error):
    return type(error).__module__.startswith("numba")


def lying_in_kernels(pick):
    """Run one input; mdview's own errors and Python's are allowed."""
    seed = pick.random()
    found = in_child(lambda: _in_kernels(seed), seconds=60, wall=300)
    if found and isinstance(found, tuple) and found[0] in {"SystemError", "KeyError", "NameError"}:
        raise Wrong(f"a kernel raises {found[0]}: {found[1]}")
