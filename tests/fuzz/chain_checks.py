"""Checks of random chains: each way to read a view, and each way to store, against the same on the twin."""

import copy
import operator
import pickle
import signal
import tempfile
from functools import cache, partial
from itertools import product

import numpy as np
from chain_bases import values
from chain_steps import broken_key, key
from outcomes import Wrong

import mdview as md
from mdview.errors import HaloError, KernelError, LayoutError, MDViewError


def _plain(array):
    """Nested lists of Python's values."""
    return array.tolist()


def _list_of(state):
    return _leaves(state.values().tolist(), state.places.ndim)


def _leaves(rows, rank):
    rows = [rows]
    for _ in range(rank):
        rows = [x for row in rows for x in row]
    return rows


def alike(mine, wanted):
    """Tell whether two values, or nested lists of them, are the same in value and type."""
    if type(mine) is not type(wanted):
        return False
    if isinstance(mine, list):
        return len(mine) == len(wanted) and all(map(alike, mine, wanted))
    return bool(mine == wanted)


def same(what, mine, wanted):
    if not alike(mine, wanted):
        raise Wrong(f"{what}: got {mine!r}, wanted {wanted!r}")


def _index(pick, s):
    return tuple([pick.randrange(-e if s.wraps else 0, e) for e in s.places.shape])


# --- reading ---


def _element(pick, s):
    if s.places.size:
        index = _index(pick, s)
        mine, wanted = s.view[index], s.values()[index]
        same("element", mine, wanted.item() if isinstance(wanted, np.generic) else wanted)


def _at(pick, s):
    if s.places.size:
        index = tuple([pick.randrange(e) for e in s.places.shape])
        wanted = s.values()[index]
        same("at", s.view.at((*index, 0)), wanted.item() if isinstance(wanted, np.generic) else wanted)


def _refused_key(pick, s):
    """What NumPy refuses is refused by an error that is caught as NumPy's, and stores nothing."""
    k = broken_key(pick, s.places.shape)
    wanted = _raised(lambda: s.places[k])
    # A view that does not count from the end may find a negative index before the mistake that NumPy names.
    right = type(wanted) if s.wraps else (type(wanted), IndexError)
    for attempt in (lambda: s.view[k], *[lambda: operator.setitem(s.view, k, 0)] * s.stores):
        if not isinstance(found := _raised(attempt), right):
            raise Wrong(f"key {k!r} raises {found!r}, NumPy {wanted!r}")


def outside(pick, s):
    """An index one outside is refused in each dimension, also where the offset does not depend on it."""
    if 0 in s.places.shape:
        return
    value = _value(pick, s)
    for view, low in ((s.view, -1 if s.wraps else 0), (md.checked(s.view), 0)):
        for r, extent in enumerate(s.places.shape):
            inside = _index(pick, s) if low else tuple([pick.randrange(e) for e in s.places.shape])
            before, after = (*inside[:r], low * extent - 1, *inside[r + 1 :]), (*inside[:r], extent, *inside[r + 1 :])
            far = (*inside[:r], 10**6, *inside[r + 1 :])
            attempts = [partial(operator.getitem, view, k) for k in (before, after, far)]
            attempts += [partial(operator.setitem, view, k, value) for k in (before, after, far) if s.stores]
            attempts += [partial(view.at, k) for k in (after, far)]
            for attempt in attempts:
                if not isinstance(error := _raised(attempt), IndexError):
                    raise Wrong(f"{attempt} of extents {s.places.shape} is answered, or raises {error!r}")
            if s.dtype is not None and not pick.randrange(COMPILED_ONE_IN):
                _outside_in_kernels(view, inside, (before, after, far))


COMPILED_ONE_IN = 10_000
"""To compile kernels for a view takes half a second."""


@cache
def _kernels():
    def put(view, index, inside):
        view[index] = view[inside]

    return md.jit(lambda view, index, _: view[index]), md.jit(put)


def _outside_in_kernels(view, inside, outside):
    """An index outside has no answer in kernels, which may refuse the view; the clock stops while they compile."""
    left, _ = signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    for kernel, index in product(_kernels(), outside):
        error = _raised(partial(kernel, view, index, inside))
        if not isinstance(error, IndexError | KernelError):
            raise Wrong(f"index {index} of {view.mapping!r} is answered in a kernel, or raises {error!r}")
    signal.setitimer(signal.ITIMER_VIRTUAL, left)


def _raised(attempt):
    try:
        attempt()
    except Exception as error:  # noqa: BLE001 - to be compared
        return error
    return None


def _tolist(pick, s):
    same("tolist", s.view.tolist(), _plain(s.values()))


def _asarray(pick, s):
    mine, wanted = np.asarray(s.view), s.values()
    if mine.shape != wanted.shape:
        raise Wrong(f"asarray has shape {mine.shape}, wanted {wanted.shape}")
    if s.dtype is None or s.fills:  # NumPy chooses a type for objects
        alike = (s.dtype is not None and s.dtype.kind in "SV") or mine.tolist() == wanted.tolist()
    else:
        alike = mine.dtype == wanted.dtype and mine.tobytes() == wanted.tobytes()
    if not alike:
        raise Wrong(f"asarray: got {mine!r}, wanted {wanted!r}")


def _iterated(pick, s):
    if s.places.ndim:
        mine = [row.tolist() if s.places.ndim > 1 else row for row in s.view]
        same("iteration", mine, _plain(s.values()))


def _elements(pick, s):
    same("elements", list(md.iteration.elements(s.view)), _list_of(s))


def _in_memory_order(pick, s):
    if s.fills or s.dtype is None:
        return
    mine = list(md.iteration.elements(s.view, order="memory"))
    same("memory order", sorted(map(repr, mine)), sorted(map(repr, _list_of(s))))


def _flat(pick, s):
    if not s.fills:
        try:
            mine = list(md.iteration.flat(s.view))
        except md.errors.NotContiguousError:
            return
        same("flat", sorted(map(repr, mine)), sorted(map(repr, _list_of(s))))


def _runs(pick, s):
    if not s.fills:
        same("runs", [x for run in md.iteration.runs(s.view) for x in run], _list_of(s))


def _transform(pick, s):
    mine = md.transform(lambda x: x, s.view)
    same("transform", mine.tolist(), _plain(s.values()))


def _ufunc(pick, s):
    if s.dtype is not None and s.dtype.kind in "iufc" and not s.fills:
        mine = np.asarray(md.transform(np.positive, s.view))
        if mine.tobytes() != s.values().astype(mine.dtype).tobytes() or mine.shape != s.places.shape:
            raise Wrong(f"transform by a ufunc: got {mine!r}, wanted {s.values()!r}")


def _reduced(pick, s):
    if s.dtype is not None and s.dtype.kind in "iu" and not s.fills:
        same("reduce", md.reduce(operator.add, s.view, initial=0), sum(_list_of(s)))
        if s.places.size:
            same("reduce by ufunc", md.reduce(np.maximum, s.view).item(), int(s.values().max()))
            total = np.add.reduce(np.ascontiguousarray(s.values().reshape(-1)))
            same("sum by ufunc", md.reduce(np.add, s.view).item(), total.item())


def _last(pick, s):
    if s.places.size:
        same("reduce to the last", md.reduce(lambda a, b: b, s.view), _list_of(s)[-1])


def _equal(pick, s):
    if s.dtype is None or s.fills:
        return
    other = np.array(s.values(), order="C")
    theirs = md.asview(other)
    if not md.equal(s.view, theirs):
        raise Wrong(f"equal: not what it is, {other!r}")
    if s.places.size and s.dtype.kind in "iu":
        other.reshape(-1)[pick.randrange(other.size)] ^= 1
        if md.equal(theirs, s.view):
            raise Wrong(f"equal: is what it is not, {other!r}")


def _copied_out(pick, s):
    if s.dtype is None:
        target = md.MDView([None] * s.places.size, s.places.shape)
        md.copy(s.view, target)
        return same("copied out", target.tolist(), _plain(s.values()))
    kind = s.dtype
    if s.dtype.kind in "iu" and s.dtype.itemsize < 4 and pick.randrange(3) == 0 and not s.fills:
        kind = np.dtype(pick.choice((np.int64, np.float64, np.float32, ">i4")))
    target = np.zeros(s.places.shape, kind, order=pick.choice("CF"))
    md.copy(s.view, md.asview(target))
    wanted = s.values().astype(kind)
    if target.tobytes() != wanted.tobytes():
        raise Wrong(f"copied out: got {target!r}, wanted {wanted!r}")
    return None


def _facts(pick, s):
    """What a mapping says of itself is so: traits, offsets, span, and the box of what is no padding."""
    if s.places.size > 60:
        return
    mapping, inside = s.view.mapping, s.places >= 0
    offsets = np.array(list(s.view.offsets()), dtype=np.int64)
    known = s.places[inside].reshape(-1)
    if offsets.size != known.size or (offsets.size and np.ptp(offsets * (s.dtype.itemsize if s.dtype else 1) - known)):
        raise Wrong(f"offsets {offsets} of {mapping!r}")
    different, span = len({*offsets.tolist()}), max(offsets.tolist(), default=-1) + 1
    is_padded = isinstance(mapping.layout, md.LayoutRightPadded | md.LayoutLeftPadded)
    # C++ compares a padded extent with its stride, and so may miss that the padding is not there.
    is_exhaustive = different == span and (mapping.is_exhaustive or not is_padded)
    wanted = span, different == offsets.size, is_exhaustive
    if (mapping.required_span_size, mapping.is_unique, mapping.is_exhaustive) != wanted:
        raise Wrong(f"span, is_unique and is_exhaustive of {mapping!r}, wanted {wanted}")
    if not s.fills and mapping.layout.is_total() and mapping.is_strided is not _is_linear(s.places):
        raise Wrong(f"is_strided {mapping.is_strided} of {mapping!r}")
    try:
        box = mapping.valid_box
    except md.errors.LayoutError:
        return
    found = np.zeros(inside.shape, bool)
    found[tuple([slice(*pair) for pair in box[: inside.ndim]])] = len(box) == inside.ndim
    if (found != inside).any():
        raise Wrong(f"valid_box {box} of {mapping!r}")


def _is_linear(places):
    if not places.size:
        return True
    zero = (0,) * places.ndim
    units = [(*zero[:r], int(e > 1), *zero[r + 1 :]) for r, e in enumerate(places.shape)]
    strides = [places[unit] - places[zero] for unit in units]
    line = sum(
        [s * k for s, k in zip(strides, np.indices(places.shape), strict=True)], np.full(places.shape, places[zero])
    )
    return bool((line == places).all())


# --- travelling ---

POLICIES = (
    *(lambda v: v, md.readonly, md.checked, md.unchecked, lambda v: md.readonly(md.checked(v))),
    lambda v: md.MDView.from_mapping(v.data, v.mapping, md.accessors.RestrictAccessor(), origin=v.origin),
)
WAYS = (copy.copy, copy.deepcopy, *[partial(lambda x, n: pickle.loads(pickle.dumps(x, n)), n=n) for n in (2, 4, 5)])  # noqa: S301


def _about(view):
    kinds = [*map(type, view.extents)]
    return view.format, view.itemsize, view.extents, kinds, view.layout, type(view.accessor), view.accessor


def _travelled(pick, s):
    """A pickle or a copy is the same view; a store through it reaches this data if only the view is copied."""
    is_plain = s.fills or not s.places.size or s.dtype != s.memory.dtype  # the data alone makes no such view
    way, view = pick.choice(WAYS), s.view if is_plain else pick.choice(POLICIES)(s.view)
    other, again = way([view, view]) if way is not copy.copy else (way(view), view)
    if _about(other) != _about(view):
        raise Wrong(f"another view: {_about(other)}, wanted {_about(view)}")
    same("elements", other.tolist(), view.tolist())
    if not s.stores or s.halo or not s.places.size or not isinstance(view.accessor, md.Writable):
        return
    value = _value(pick, s)
    md.fill(other, value)
    if way is copy.copy:
        given = [value] * s.places.size
        s.memory.scatter(s.places, given if s.dtype is None else np.array(given, s.dtype), s.dtype)
    same("what two views of one pickle share", again.tolist(), other.tolist())
    if not s.memory.agrees():
        raise Wrong(f"a store through a copy of {view.mapping!r} went elsewhere")


def _saved(pick, s):
    """A file gives back what it was given, in another layout, too."""
    if s.dtype is None or s.fills or s.dtype.kind not in "iufcb":
        return
    with tempfile.TemporaryDirectory() as folder:
        layout = pick.choice((md.LayoutRight(), md.LayoutLeft(), md.LayoutTiled(*[2] * s.places.ndim)))
        md.save(s.view, f"{folder}/a.npy", layout)
        with md.open_view(f"{folder}/a.npy") as view:
            same("a file", view.tolist(), s.values().tolist())
            same("offsets", list(view.offsets()), list(md.Mapping(s.places.shape, layout).offsets()))


READS = (
    *(_element, _element, _at, _refused_key, _refused_key, _tolist, _tolist, _asarray, _asarray, _iterated, _elements),
    *(_in_memory_order, _flat, _runs, _transform, _ufunc, _reduced, _last, _equal, _copied_out, _copied_out),
    *(_facts, _facts, _travelled, _travelled, _saved),
)


def read(pick, state):
    """Read in one way."""
    way = pick.choice(READS)
    way(pick, state)
    return way.__name__


# --- storing ---


def _value(pick, s):
    [value] = values(pick, s.dtype, 1)
    return value.item() if isinstance(value, np.generic) else value


def _store_element(pick, s):
    if not s.places.size:
        return None
    index, value = _index(pick, s), _value(pick, s)
    return s.places[index], lambda: operator.setitem(s.view, index, value), [value]


def _store_value(pick, s):
    k, value = key(pick, s.places.shape, s.wraps), _value(pick, s)
    places = np.asarray(s.places[k])
    if isinstance(value, bytes | tuple):  # a buffer or a sequence, each for brackets
        return None
    return places, lambda: operator.setitem(s.view, k, value), [value] * places.size


def _store_array(pick, s):
    if s.dtype is None or s.dtype.kind == "S":
        return None
    k = key(pick, s.places.shape, s.wraps)
    places = np.asarray(s.places[k])
    given = np.array(values(pick, s.dtype, places.size)).reshape(places.shape)
    source = given if pick.randrange(2) or not places.size or not places.ndim else given.tolist()
    if not places.ndim:
        source = given.item()
    return places, lambda: operator.setitem(s.view, k, source), given


def _overlapping(pick, s):
    """Another view of the same memory that has the same shape."""
    shape = s.places.shape
    kind = pick.randrange(4)
    if kind == 0:
        return md.flip(s.view), np.flip(s.places)
    if kind == 1 and len(shape) >= 2:
        same_extents = [(a, b) for a in range(len(shape)) for b in range(a) if shape[a] == shape[b]]
        if same_extents:
            pair = pick.choice(same_extents)
            return md.swapaxes(s.view, *pair), s.places.swapaxes(*pair)
    if kind == 2 and shape and s.places.size:
        row = pick.randrange(shape[0])
        return md.broadcast_to(s.view[row, ...], shape), np.broadcast_to(s.places[row], shape)
    return md.reshape(md.reshape(md.flip(s.view), (-1,)) if s.places.size else s.view, shape), np.flip(s.places)


def _store_view(pick, s):
    source, places = _overlapping(pick, s)
    given = s.values(places).reshape(-1)
    if pick.randrange(2) and s.places.ndim and s.places.shape[0] > 1 and not s.fills:
        high = s.places.shape[0]
        a, b = pick.sample(range(high), 2)
        low, other = min(a, b), max(a, b)
        moved, at = s.view[: high - low], s.view[low:]
        if other % 2:
            moved, at = at, moved
            return s.places[: high - low], lambda: md.copy(moved, at), s.values()[low:].reshape(-1)
        return s.places[low:], lambda: md.copy(moved, at), s.values()[: high - low].reshape(-1)
    ways = (lambda: md.copy(source, s.view), lambda: operator.setitem(s.view, ..., source))
    return s.places, pick.choice(ways), given


def _fill(pick, s):
    value = _value(pick, s)
    return s.places, lambda: md.fill(s.view, value), [value] * s.places.size


def _transform_out(pick, s):
    if s.dtype is None or s.dtype.kind not in "iuf":
        return None
    given = s.values()
    if s.fills:
        return None
    if s.dtype.kind == "f":
        return s.places, lambda: md.transform(lambda x: -x, s.view, out=s.view), -given
    return s.places, lambda: md.transform(np.invert, s.view, out=s.view), ~given


STORES = (_store_element, _store_element, _store_value, _store_array, _store_array, _store_view, _store_view, _fill)
STORES += (_transform_out,)


def _agree(places, given, dtype):
    """Tell whether what is stored to one place is always the same, bit for bit."""
    items = [(type(x), repr(x)) for x in given] if dtype is None else [x.tobytes() for x in np.array(given, dtype).flat]
    first = {}
    return all(first.setdefault(place, item) == item for place, item in zip(places.flat, items, strict=True))


def store(pick, state):
    """Store in one way, if the view stores; where an index is in padding it must be refused and nothing change."""
    way = pick.choice(STORES)
    found = way(pick, state)
    if found is None:
        return None
    places, attempt, given = found
    places = np.asarray(places)
    given = given.reshape(-1) if isinstance(given, np.ndarray) else given
    try:
        attempt()
    except MDViewError as error:
        expected = (not state.stores) or (isinstance(error, HaloError) and (places < 0).any())
        expected = expected or (isinstance(error, LayoutError) and not _agree(places, given, state.dtype))
        if not expected:
            raise Wrong(f"{way.__name__} was refused by {type(error).__name__}: {error}") from error
        return way.__name__
    if not state.stores:
        raise Wrong(f"{way.__name__} stored through a read-only view")
    if (places < 0).any():
        raise Wrong(f"{way.__name__} stored in padding")
    if not _agree(places, given, state.dtype):
        raise Wrong(f"{way.__name__} stored values that differ for one element")
    if state.dtype is None:
        state.memory.scatter(places, list(given), None)
    else:
        state.memory.scatter(places, np.array(given, state.dtype), state.dtype)
    return way.__name__
