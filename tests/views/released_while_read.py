"""Views that one thread reads in every way while another one releases them; prints errors other than `NullViewError`.

python tests/views/released_while_read.py
"""

import copy
import pickle
import sys
import threading
from array import array
from itertools import product

import numpy as np

import mdview as md
from mdview.errors import NullViewError

LAYOUTS = [
    md.LayoutRight(),
    md.LayoutLeft(),
    md.LayoutTiled(2, 2),
    md.LayoutMorton(),
    md.LayoutBlasPacked("lower", "row"),
]
ACCESSORS = [None, md.CheckedAccessor(), md.UncheckedAccessor(), md.AtomicAccessor(), md.ReadOnlyAccessor()]
WAYS = {
    "get": lambda v: v[1, 1],
    "negative": lambda v: v[-1, -1] if v.accessor.index_rule is md.IndexRule.WRAP else None,
    "row": lambda v: v[1],
    "window": lambda v: v[1:3, 0:2],
    "column": lambda v: v[..., 0],
    "subview": lambda v: md.subview(v, md.ALL, (1, 3)),
    "element of a subview": lambda v: md.subview(v, 1, 1),
    "steps": lambda v: md.subview(v, range(0, 4, 2), (1, 3)),
    "at": lambda v: v.at((1, 1)),
    "store": lambda v: v.__setitem__((1, 1), 2.0) if v.accessor is not ACCESSORS[-1] else None,
    "tolist": lambda v: v.tolist(),
    "array": np.asarray,
    "rows": lambda v: [row.tolist() for row in v],
    "elements": lambda v: list(md.elements(v)),
    "runs": lambda v: list(md.runs(v)),
    "contains": lambda v: 98.0 in v,
    "text": repr,
    "page": lambda v: v._repr_html_(),
    "facts": lambda v: (v.data, v.format, v.itemsize, v.shape, v.rank, v.origin, v.strides if v.is_strided else None),
    "flip": lambda v: md.flip(v).tolist(),
    "reduce": lambda v: md.reduce(np.add, v),
    "transform": lambda v: md.transform(lambda x: x, v),
    "copy": copy.copy,
    "pickle": pickle.dumps,
}
READS = 20
"""How often a thread reads while the other one waits for a while, then releases."""


def errors_of(way, view, pause):
    """What is raised while another thread releases the view."""
    found, start = [], threading.Barrier(2)

    def read():
        start.wait()
        for _ in range(READS):
            try:
                way(view)
            except NullViewError:
                pass
            except Exception as error:  # noqa: BLE001 - whatever it is, it is printed
                found.append(repr(error))

    reader = threading.Thread(target=read)
    reader.start()
    start.wait()
    for _ in range(pause):
        pass
    view.release()
    reader.join()
    return found


def main():
    sys.setswitchinterval(1e-6)
    for size, layout, accessor, (name, way) in product((4, 32), LAYOUTS, ACCESSORS, WAYS.items()):
        for pause in range(0, 3000, 300 if size == 4 else 1500):
            view = md.MDView(array("d", range(1024)), (size, size), layout, accessor)
            for error in set(errors_of(way, view, pause)):
                print(name, layout, accessor, error)


if __name__ == "__main__":
    main()
