"""Views that many threads release at once, with their parts; prints errors, and data that is still locked afterwards.

python tests/views/released_by_many.py
"""

import sys
import threading
from array import array
from itertools import product

import mdview as md

THREADS = 6
ROUNDS = 20

LAYOUTS = [
    md.LayoutRight(),
    md.LayoutLeft(),
    md.LayoutTiled(2, 2),
    md.LayoutMorton(),
    md.LayoutStrideRelaxed((-4, 1), 12),
    md.LayoutBlasPacked("lower", "row"),
]
VARIANTS = {
    "whole": lambda v: v,
    "part": lambda v: v[1:],
    "part of a part": lambda v: v[1:3][:, 1:],
    "row": lambda v: v[1],
    "flipped": md.flip,
    "permuted": lambda v: md.permute_dims(v[1:], (1, 0))[2:],
    "reshaped": lambda v: md.reshape(v, (2, 8)),
    "padded": lambda v: md.pad(v, 1, mode="edge"),
    "broadcast": lambda v: md.broadcast_to(v[1:2], (3, 4)),
    "atomic": md.atomic,
    "read-only": md.readonly,
    "checked": md.checked,
    "scaled": lambda v: md.scaled(2, v),
    "static": lambda v: md.assume(v, (md.dim(4), 4)),
}


def nested(view):
    with view, view as again, again:
        pass


WAYS = {
    "release": lambda v: v.release(),
    "twice": lambda v: (v.release(), v.release()),
    "block": lambda v: v.__exit__(None, None, None),
    "nested": nested,
    "move": lambda v: v.move().release(),
    "read": lambda v: (v.release(), repr(v), v.tolist() if v.data is not None else None),
}


def errors_of(view, ways):
    """What is raised when threads do this with the view at once."""
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
    return found


def main():
    sys.setswitchinterval(1e-6)
    for turn, layout, (name, variant) in product(range(ROUNDS), LAYOUTS, VARIANTS.items()):
        data = array("d", range(16))
        whole = md.MDView(data, (4, 4), layout)
        view = variant(whole)
        if turn % 2:
            repr(view)
        ways = [list(WAYS.values())[(turn + k) % len(WAYS)] for k in range(THREADS)]
        for error in set(errors_of(view, ways)):
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


if __name__ == "__main__":
    main()
