"""Views that threads read in every way, or release, while others release them; prints what should not happen.

python tests/views/released_by_threads.py
"""

import random
import sys
import threading
from array import array
from contextlib import suppress
from itertools import product
from pathlib import Path

import mdview as md
from mdview.errors import MDViewError

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))

import uses

LAYOUTS = [
    *(md.LayoutRight(), md.LayoutLeft(), md.LayoutTiled(2, 2), md.LayoutMorton(), md.LayoutBlasPacked("lower", "row")),
    md.LayoutStrideRelaxed((-4, 1), 12),
]
ACCESSORS = [None, md.CheckedAccessor(), md.UncheckedAccessor(), md.AtomicAccessor(), md.ReadOnlyAccessor()]
VARIANTS = {
    "whole": lambda v: v,
    "part of a part": lambda v: v[1:3][:, 1:],
    "row": lambda v: v[1],
    "flipped": md.flip,
    "permuted": lambda v: md.permute_dims(v[1:], (1, 0))[2:],
    "reshaped": lambda v: md.reshape(v, (2, 8)),
    "padded": lambda v: md.pad(v, 1, mode="edge"),
    "broadcast": lambda v: md.broadcast_to(v[1:2], (3, 4)),
    "atomic": md.atomic,
    "read-only": md.readonly,
    "scaled": lambda v: md.scaled(2, v),
    "static": lambda v: md.assume(v, (md.dim(4), 4)),
}


def nested(view):
    with view, view as again, again:
        pass


RELEASES = [
    *(lambda v: v.release(), lambda v: (v.release(), v.release()), nested, lambda v: v.move().release()),
    *(lambda v: v.__exit__(None, None, None), lambda v: (v.release(), repr(v))),
]
LEFT_OUT = {"release", "bins", "sum of bins"}
"""What releases itself, and what asks a view for its data twice."""
WAYS = [use for name, use in (uses.READS | uses.FACTS).items() if name not in LEFT_OUT] + [uses.WRITES["element"]]
TIMES = 20
"""How often a thread reads while another one waits for a while, then releases."""


def errors_of(view, ways):
    """What is raised when threads do this with the view at once, but that it has no data."""
    found, start = [], threading.Barrier(len(ways))

    def run(way):
        start.wait()
        try:
            way(view)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is printed
            found.append(repr(error))

    threads = [threading.Thread(target=run, args=(way,)) for way in ways]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return set(found)


def many_times(way):
    def read(view):
        for _ in range(TIMES):
            with suppress(MDViewError):
                way(random.Random(1), view)  # noqa: S311 - reproducible cases, no secrets

    return read


def after(pause):
    def release(view):
        for _ in range(pause):
            pass
        view.release()

    return release


def check_releases(turn, layout, name, variant):
    data = array("d", range(16))
    whole = md.MDView(data, (4, 4), layout)
    view = variant(whole)
    for error in errors_of(view, [RELEASES[(turn + k) % len(RELEASES)] for k in range(6)]):
        print(name, layout, error)
    if view.data is not None or view.origin:
        print(name, layout, "is not the null view")
    if view is not whole and whole[3, 3] != data[whole.mapping(3, 3)]:
        print(name, layout, "has taken the whole along")
    whole.release()
    try:
        data.append(1.0)
    except BufferError:
        print(name, layout, "is still locked")


def main():
    sys.setswitchinterval(1e-6)
    for turn, layout, (name, variant) in product(range(20), LAYOUTS, VARIANTS.items()):
        check_releases(turn, layout, name, variant)
    for size, layout, accessor, way in product((4, 32), LAYOUTS[:5], ACCESSORS, WAYS):
        for pause in range(0, 3000, 900 if size == 4 else 2000):
            view = md.MDView(array("d", range(1024)), (size, size), layout, accessor)
            for error in errors_of(view, [many_times(way), after(pause)]):
                print(WAYS.index(way), layout, accessor, error)


if __name__ == "__main__":
    main()
