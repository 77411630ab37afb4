"""Travelling views: a pickle or a copy of any view is that view, over data of its own or the same, and never beyond it.

Views come from random chains, so what they should hold is known; now and then what a pickle is rebuilt from is changed.
"""

import copy
import mmap
import pickle
import tempfile
from array import array
from contextlib import suppress
from multiprocessing import shared_memory

import numpy as np
from chain_bases import base, values
from chain_checks import alike
from chain_steps import step
from hostile import anything
from outcomes import Wrong

import mdview as md
from mdview.accessors.buffers import Storage

PROTOCOLS = (2, 4, 5)


def _pickled(pick):
    protocol = pick.choice(PROTOCOLS)
    return lambda x: pickle.loads(pickle.dumps(x, protocol))  # noqa: S301 - of our own making


def _way(pick):
    """Choose how a view travels, and tell whether its data does."""
    return pick.choice(((_pickled(pick), True), (copy.deepcopy, True), (copy.copy, False)))


POLICIES = (
    lambda v: v,
    md.readonly,
    md.checked,
    md.unchecked,
    md.conjugated,
    lambda v: md.scaled(2, v),
    md.atomic,
    lambda v: md.readonly(md.checked(v)),
    lambda v: md.MDView.from_mapping(v.data, v.mapping, md.RestrictAccessor(), origin=v.origin),
    lambda v: md.MDView.from_mapping(v.data, v.mapping, md.MemorySpaceAccessor("host"), origin=v.origin),
)


class Shared(shared_memory.SharedMemory):
    """Shared memory whose name is gone with it."""

    def __del__(self):
        with suppress(OSError, AttributeError):
            self.unlink()
        super().__del__()


def _placed(pick):
    """A view of a mapped file, or of shared memory, whose place is what travels."""
    kind, start = pick.randrange(3), pick.choice((0, 8, mmap.ALLOCATIONGRANULARITY))
    if kind == 0:
        memory = Shared(create=True, size=start + 96)
        memory.buf[start:] = pick.randbytes(len(memory.buf) - start)
        return md.MDView(memory, (start // 8 + 4, 8))[pick.randrange(3) :, :: pick.choice((1, -1, 3))]
    with tempfile.NamedTemporaryFile() as file:
        file.write(pick.randbytes(start + 96))
        file.flush()
        shape, dtype = pick.choice((((4, 6), "i4"), ((2, 12), ">i4"), ((3, 4), "M8[s]"), ((12, 2), "f2, i2")))
        whole = np.memmap(file.name, dtype, pick.choice(("r", "r+", "c")), start, shape)
        view = md.asview(whole[:: pick.choice((1, -1, 2)), :: pick.choice((1, -1))])
        if kind == 1:
            return view  # whose file is gone when it is sent
        sent = pickle.dumps(view)
        if len(sent) > 2000 and whole.mode != "c":
            raise Wrong(f"a large pickle: {len(sent)} bytes of a place")
        again = pickle.loads(sent)  # noqa: S301 - of our own making
        _check_same(view, again)
        return again


def _others(pick):  # noqa: C901 - one case a source
    """Views of sources that chains do not have."""
    kind = pick.randrange(9)
    whole = np.frombuffer(bytearray(pick.randbytes(96)), "i4")
    if kind == 0:
        memory = mmap.mmap(-1, 64)
        memory[:] = pick.randbytes(64)
        return md.MDView(memory, (4, 8))
    if kind == 1:
        return md.asview(whole.reshape(4, 6)[:: pick.choice((1, 2, -1)), :: pick.choice((1, -1, -2))])
    if kind == 2:
        return md.asview(np.array([["ab", "c"], ["", "xyz"]], pick.choice(("S3", "U3")))[:: pick.choice((1, -1))])
    if kind == 3:
        return md.asview(whole.view(pick.choice(("M8[s]", "m8[ms]", "V4", "i2, i2", ">i4", "u2")))[2:])
    if kind == 4:
        return md.MDView(
            pick.choice((range(12), tuple(range(12)), bytes(range(12)))), (3, 4), None, md.ReadOnlyAccessor()
        )[1:]
    if kind == 5:
        return md.MDView.null((md.dim(2), 3))
    if kind == 6:
        view = md.MDView(array("d", range(6)), (2, 3))
        view.release()
        return view
    if kind == 7:
        return md.asview(np.asfortranarray(whole.reshape(4, 6)))[1:3]
    large = memoryview(bytearray(1 << 20)).cast("d")
    return md.MDView(large, (2**8, 2**9))[pick.randrange(200) :, pick.randrange(500) :][:2, :3]


FACTS = ("format", "item size", "tuple of extents", "kind of extents", "layout", "accessor class", "accessor")


def _facts(view):
    kinds = [*map(type, view.extents)]
    return view.format, view.itemsize, view.extents, kinds, view.layout, type(view.accessor), view.accessor


def _elements(view):
    if view.data is None:
        return None
    values = view.tolist()
    return [x.load() if isinstance(x, md.AtomicRef) else x for x in _flat(values, view.rank)]


def _flat(rows, rank):
    rows = [rows]
    for _ in range(rank):
        rows = [x for row in rows for x in row]
    return rows


def _check_same(view, other):
    for name, mine, theirs in zip(FACTS, _facts(view), _facts(other), strict=True):
        if mine != theirs:
            raise Wrong(f"another {name}: {theirs}, wanted {mine}, of {view.mapping!r} under {view.accessor!r}")
    mine, theirs = _elements(view), _elements(other)
    if not alike(theirs, mine) and repr(theirs) != repr(mine):  # NaN is not equal to itself
        raise Wrong(f"other elements: {theirs}, wanted {mine}, of {view.mapping!r} in {view.format}")
    if view.data is not None and view.format != "O" and view.mapping.layout.is_total():
        first, second = np.asarray(view), np.asarray(other)
        same = first.tolist() == second.tolist() if first.dtype == object else first.tobytes() == second.tobytes()
        if first.dtype != second.dtype or not same:
            raise Wrong(f"another array: {second!r}, wanted {first!r}")


def _check_own(pick, state, other, *, travelled):
    """Store through the other view: it changes the data of the first one where they have the same, and else not."""
    if not state.stores or state.halo or not state.places.size:
        return
    [value] = values(pick, state.dtype, 1)
    value = value.item() if isinstance(value, np.generic) else value
    if state.memory.format == "record":
        return
    md.fill(other, value)
    if not travelled:
        flat = [value] * state.places.size
        state.memory.scatter(state.places, flat if state.dtype is None else np.array(flat, state.dtype), state.dtype)
    if not state.memory.agrees():
        raise Wrong(f"a store through a copy of {state.view.mapping!r} went elsewhere")


def _length(storage):
    return 0 if storage is None else len(storage.items)


def _corrupted(pick, view):
    """Rebuild from changed parts: an error, or a view that fits its data."""
    made, (base_class, *parts) = view.__reduce__()[:2]
    place = pick.randrange(4)
    mapping = view.mapping
    others = (
        lambda: pick.choice((Storage(bytearray(4)), Storage([1]), None, view.data, 3)),
        lambda: pick.choice((anything(pick), -1, 10**9, view.origin + 1)),
        lambda: pick.choice((md.Mapping((9, 9)), md.Mapping([e + 1 for e in mapping.extents]), None, (2, 3))),
        lambda: pick.choice((md.AlignedAccessor(64), md.DefaultAccessor(), None, md.DefaultAccessor)),
    )
    parts[place] = others[place]()
    if len(parts) > 4:
        return
    again = made(base_class, *parts)
    if not isinstance(again, md.MDView) or again.data is None:
        return
    last = again.origin + again.mapping.required_span_size
    if again.mapping.size and not (
        again.origin >= 0 and last <= _length(Storage(again.data) if again.format == "O" else _storage(again))
    ):
        raise Wrong(f"rebuilt beyond its data: {again!r}")
    np.asarray(again)


def _storage(view):
    from mdview.views.base import parts_of  # noqa: PLC0415

    return parts_of(view).storage


def travelling(pick):
    """Send one view, or two of the same data, through a pickle or a copy."""
    way, travelled = _way(pick)
    kind = pick.randrange(8)
    if kind == 0:
        view = pick.choice((_placed, *[_others] * 9))(pick)
        _check_same(view, way(view))
        if len(pickle.dumps(view)) > 20_000:
            raise Wrong(f"a large pickle: {len(pickle.dumps(view))} bytes for {view.size} elements")
        return
    state = _walked(pick)
    if kind == 1:
        numeric = state.dtype is not None and state.dtype.kind in "iufc"
        view = pick.choice(POLICIES if numeric else POLICIES[:4])(state.view)
        _check_same(view, way(view))
    elif kind == 2:
        _corrupted(pick, state.view)
    elif kind <= 4:
        _together(pick, state)
    else:
        other = way(state.view)
        _check_same(state.view, other)
        _check_own(pick, state, other, travelled=travelled)
        _check_same(pick.choice((way, lambda x: x))(other), other)


def _walked(pick):
    state = base(pick)
    for _ in range(pick.randrange(4)):
        _, state = step(pick, state)
    return state


def _together(pick, state):
    """Two views of the same data in one pickle still share it."""
    _, part = step(pick, state)
    if part.halo or not part.stores or not part.places.size or state.memory.format == "record":
        return
    first, second = _pickled(pick)([state.view, part.view])
    _check_same(state.view, first)
    _check_same(part.view, second)
    [value] = values(pick, part.dtype, 1)
    value = value.item() if isinstance(value, np.generic) else value
    md.fill(second, value)
    md.fill(part.view, value)
    flat = [value] * part.places.size
    state.memory.scatter(part.places, flat if part.dtype is None else np.array(flat, part.dtype), part.dtype)
    _check_same(state.view, first)
