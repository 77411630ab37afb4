"""Ways in which views travel, and what is the same of those that have arrived."""

import copy
import pickle


def pickled(value, protocol=5):
    return pickle.loads(pickle.dumps(value, protocol))  # noqa: S301 - our own


def through_buffers(value):
    buffers = []
    sent = pickle.dumps(value, 5, buffer_callback=buffers.append)
    return pickle.loads(sent, buffers=[bytearray(buffer) for buffer in buffers])  # noqa: S301 - our own


WAYS = {
    **{f"protocol {p}": lambda value, p=p: pickled(value, p) for p in range(6)},
    "without the C pickler": lambda value: pickle._loads(pickle._dumps(value, 4)),
    "buffers": through_buffers,
    "deep copy": copy.deepcopy,
}


def state(views):
    """What stays of views; of their values the text, since NaNs and arrays in records do not compare."""
    return [(str(v.tolist()), v.format, v.itemsize, v.mapping, v.accessor, v.flags.writeable) for v in views]


def store(views, k=0):
    """Store one element over another one, ``k`` from the middle, through the first view that can."""
    for view in views:
        if view.size and view.flags.writeable:
            to, source = (tuple((e // 2 + k + i) % e for e in view.shape) for i in (0, 1))
            view[to] = view[source]
            return


def check_together(travel, views, k=0, *, is_opened=False):
    """Let views travel: they stay what they are and share data as before, with the originals where it is opened."""
    before, again = state(views), travel(views)
    assert state(again) == before == state(views)
    store(again, k)
    assert state(views) == (state(again) if is_opened else before)
    store(views, k)
    assert state(again) == state(views)
    return again
