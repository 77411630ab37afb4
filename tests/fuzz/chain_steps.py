"""Steps of random chains: an operation on a view, and the same on the places of its elements by NumPy."""

import copy

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from outcomes import Wrong
from public import PUBLIC

import mdview as md

MOST, MOST_RANK = 150, 6
SLICES = (slice(None), slice(None), slice(None, None, -1), slice(None, None, 2), slice(1, None), slice(None, -1))
EMPTY = (slice(0, 0), slice(1, 0), slice(-1, 0), slice(0, 0, -1), slice(9, None))


def entry(pick, extent, wraps):
    """One entry of brackets, valid for an extent."""
    kind = pick.randrange(8)
    if kind < 2 and extent:
        return pick.choice((int, int, np.int32, np.int64))(pick.randrange(-extent if wraps else 0, extent))
    if kind < 6:
        return pick.choice(SLICES if pick.randrange(16) else EMPTY)
    bounds = [pick.choice((None, pick.randint(-extent - 1, extent + 1))) for _ in range(2)]
    return slice(*bounds, pick.choice((None, 1, 2, 3, -1, -2, md.dim(2))))


def key(pick, shape, wraps):
    """A valid key of brackets: an entry a dimension, fewer, with an ellipsis or a new dimension."""
    entries = [entry(pick, e, wraps) for e in shape]
    kind = pick.randrange(7)
    if kind == 0:
        del entries[pick.randint(0, len(entries)) :]
    elif kind == 1:
        start = pick.randint(0, len(entries))
        entries[start : pick.randint(start, len(entries))] = [...]
    elif kind == 2 and len(shape) < MOST_RANK:
        entries.insert(pick.randint(0, len(entries)), None)
    return entries[0] if len(entries) == 1 and pick.randrange(2) else tuple(entries)


def part_key(pick, shape, wraps):
    """A key that leaves a view, and not an element."""
    made = key(pick, shape, wraps)
    entries = made if isinstance(made, tuple) else (made,)
    if len(entries) == len(shape) and all(isinstance(e, int | np.integer) for e in entries):
        return (*entries, ...)
    return made


def broken_key(pick, shape):
    """A key with something wrong in it."""
    entries = [entry(pick, e, wraps=True) for e in shape]
    if shape and pick.randrange(3):
        r = pick.randrange(len(shape))
        beyond = shape[r], -shape[r] - 1, 2**40
        entries[r] = pick.choice((*beyond, 1.0, "0", slice(None, None, 0), slice(1.5, None), slice("a")))
        return tuple(entries)
    return pick.choice(((*entries, 0), (*entries, slice(None)), (..., *entries, ...)))


def _brackets(pick, s):
    k = part_key(pick, s.places.shape, s.wraps)
    return s.view[k], s.places[k]


def _flip(pick, s):
    axis = None if not s.places.ndim or pick.randrange(2) else pick.randrange(-s.places.ndim, s.places.ndim)
    return md.flip(s.view, axis), np.flip(s.places, axis)


def _permute(pick, s):
    axes = pick.sample(range(s.places.ndim), s.places.ndim)
    return md.permute_dims(s.view, axes), s.places.transpose(axes)


def _swap(pick, s):
    if not s.places.ndim:
        return None
    a, b = pick.randrange(s.places.ndim), pick.randrange(-s.places.ndim, 0)
    if pick.randrange(2):
        return md.swapaxes(s.view, a, b), s.places.swapaxes(a, b)
    return md.moveaxis(s.view, a, b), np.moveaxis(s.places, a, b)


def _transposed(pick, s):
    return (md.operations.transposed(s.view), s.places.T) if s.places.ndim == 2 else None


def _shape(pick, size):
    shape, rest = [], size
    for _ in range(pick.randrange(3)):
        factors = [n for n in range(1, rest + 1) if rest % n == 0] or [0, 1, 2]
        shape.append(pick.choice(factors))
        rest = rest // shape[-1] if shape[-1] else rest
    shape.append(rest)
    if pick.randrange(3) == 0:
        shape.insert(pick.randrange(len(shape) + 1), 1)
    if size and pick.randrange(4) == 0:
        shape[pick.randrange(len(shape))] = -1
    return shape


def _reshape(pick, s):
    order = pick.choice("CCF")
    if s.places.size == 1 and pick.randrange(3) == 0:
        return md.reshape(s.view, ()), s.places.reshape(())
    shape = _shape(pick, s.places.size)
    return md.reshape(s.view, shape, order=order), s.places.reshape(shape, order=order)


def _ravel(pick, s):
    order = pick.choice("CF")
    return md.ravel(s.view, order=order), s.places.ravel(order=order)


def _broadcast(pick, s):
    shape = [pick.choice((1, 2, 3)) if e == 1 else e for e in s.places.shape]
    shape = [pick.choice((1, 2)) for _ in range(pick.choice((0, 0, 1)))] + shape
    if np.prod(shape, dtype=int) > MOST or len(shape) > MOST_RANK:
        return None
    return md.broadcast_to(s.view, shape), np.broadcast_to(s.places, shape)


def _window(pick, s):
    shape = s.places.shape
    if 0 in shape or s.places.size > 36 or len(shape) > 3 or not shape:
        return None
    axis = pick.randrange(len(shape))
    length = pick.randint(1, shape[axis])
    return md.sliding_window(s.view, length, axis), sliding_window_view(s.places, length, axis)


def _diagonal(pick, s):
    if s.places.ndim < 2:
        return None
    a, b = pick.sample(range(s.places.ndim), 2)
    offset = pick.randint(-2, 2)
    return md.diagonal(s.view, offset, a, b), np.diagonal(s.places, offset, a, b)


def _expand(pick, s):
    if s.places.ndim >= MOST_RANK:
        return None
    axis = pick.randint(-s.places.ndim - 1, s.places.ndim)
    return md.expand_dims(s.view, axis), np.expand_dims(s.places, axis)


def _squeeze(pick, s):
    return md.squeeze(s.view), np.squeeze(s.places)


def _pad(pick, s):
    if s.places.ndim > 3 or len(s.fills) > 2:
        return None
    widths = [(pick.randrange(2), pick.randrange(3)) for _ in s.places.shape]
    if np.prod([sum(w) + e for w, e in zip(widths, s.places.shape, strict=True)], dtype=int) > MOST:
        return None
    fill = s.values().reshape(-1).tolist()[0] if s.places.size and not s.halo else 0
    fill = s.fills[0] if s.fills else fill
    padded = np.pad(s.places, widths, constant_values=-1 - len(s.fills)) if widths else s.places
    return md.pad(s.view, widths, constant=fill), padded, {"fills": (*s.fills, fill)}


def _subview(pick, s):
    parts, keys = [], []
    for e in s.places.shape:
        low, high = sorted((pick.randint(0, e), pick.randint(0, e)))
        kind = pick.randrange(4)
        if kind == 0 and e:
            i = pick.randrange(e)
            parts.append(i)
            keys.append(i)
        elif kind == 1 and high > low:
            parts.append(md.ExtentSlice(high - 1, high - low, -1))
            keys.append([*range(low, high)[::-1]])
        elif kind == 2:
            parts.append((low, high))
            keys.append(slice(low, high))
        else:
            parts.append(md.ALL)
            keys.append(slice(None))
    places = s.places
    for r in range(len(keys))[::-1]:
        places = places[(slice(None),) * r + (keys[r],)]
    return md.subview(s.view, *parts), places


def _bitcast(pick, s):
    if s.memory.dtype is None or s.halo or s.fills or s.dtype.kind not in "iufc" or s.dtype.byteorder == ">":
        return None
    letter = pick.choice("bBhHiIqQ")
    dtype = np.dtype(letter)
    if s.places.ndim and s.places.size and s.places.shape[-1]:
        sizes = s.dtype.itemsize, dtype.itemsize
        try:
            view = md.operations.bitcast(s.view, letter)
        except md.errors.StrideError:
            return None
        except md.errors.NotStridedError:
            return None
        places = s.places
        if sizes[0] > sizes[1]:
            steps = np.arange(sizes[0] // sizes[1]) * sizes[1]
            places = (places[..., None] + steps).reshape(*places.shape[:-1], -1)
        elif sizes[0] < sizes[1]:
            places = places[..., :: sizes[1] // sizes[0]]
        return view, places, {"dtype": dtype}
    return None


def _row(pick, s):
    if not s.places.ndim or not s.places.shape[0] or s.places.ndim < 2:
        return None
    k = pick.randrange(s.places.shape[0])
    return list(s.view)[k], s.places[k]


def _same(pick, s):
    how = pick.randrange(4)
    if how == 0:
        return copy.copy(s.view), s.places
    if how == 1:
        return md.checked(s.view), s.places, {"wraps": False}
    if how == 2:
        return md.readonly(s.view), s.places, {"stores": False}
    return md.assume(s.view, s.view.shape), s.places


def _shrink(pick, s):
    if 0 in s.places.shape:
        return None
    bounds = [sorted(pick.sample(range(e + 1), 2)) for e in s.places.shape]
    return md.operations.shrink(s.view, [tuple(b) for b in bounds]), s.places[tuple([slice(*b) for b in bounds])]


# --- arguments that are valid or not: NumPy says ---


def _axis(pick, s):
    return pick.randint(-s.places.ndim - 1, s.places.ndim)


def _axes(pick, s):
    """Different axes in any order; now and then one of them twice, or one that is not there."""
    n = s.places.ndim
    axes = [pick.choice((r, r - n)) for r in pick.sample(range(n), pick.randint(0, n))]
    return (*axes, *pick.choice(((), (), (), axes[:1], (n,), (-n - 1,))))


def _some_axes(pick, s):
    return pick.choice((_axis, _axes))(pick, s)


def _near(pick, numbers):
    """The numbers, of which perhaps one is another, or is not there."""
    numbers = list(numbers)
    if numbers and pick.randrange(2):
        numbers[pick.randrange(len(numbers))] = pick.choice((-1, 0, 1, 2, 5))
    return numbers[pick.randrange(4) == 0 :]


ARGUMENTS = {
    "permute_dims": (np.transpose, lambda pick, s: (_axes(pick, s),)),
    "flip": (np.flip, lambda pick, s: (_some_axes(pick, s),)),
    "expand_dims": (np.expand_dims, lambda pick, s: (_some_axes(pick, s),)),
    "squeeze": (np.squeeze, lambda pick, s: (_some_axes(pick, s) if s.places.ndim else None,)),
    "broadcast_to": (np.broadcast_to, lambda pick, s: (_near(pick, (2, *s.places.shape)[pick.randrange(2) :]),)),
    "reshape": (np.reshape, lambda pick, s: (_near(pick, _shape(pick, s.places.size)),)),
    "moveaxis": (
        np.moveaxis,
        lambda pick, s: pick.choice(
            ((_axis(pick, s), _axis(pick, s)), (_axes(pick, s), range(pick.randint(0, s.places.ndim))))
        ),
    ),
    "swapaxes": (np.swapaxes, lambda pick, s: (_axis(pick, s), _axis(pick, s))),
    "diagonal": (np.diagonal, lambda pick, s: (pick.randint(-3, 3), _axis(pick, s), _axis(pick, s))),
    "sliding_window": (
        sliding_window_view,
        lambda pick, s: pick.choice(((_near(pick, s.places.shape),), (_near(pick, (1, 2)), _axes(pick, s)))),
    ),
}


def _builtins_of(error):
    """The builtin classes that a caller may catch an error as."""
    kinds = {kind for kind in type(error).__mro__ if kind.__module__ == "builtins"}
    return kinds - {object, BaseException, Exception, LookupError}


def _as_numpy(pick, s):
    """Do what NumPy does, or be refused by an error that is caught as NumPy's."""
    name = pick.choice(list(ARGUMENTS))
    theirs, draw = ARGUMENTS[name]
    given = draw(pick, s)
    try:
        places = theirs(s.places, *given)
    except Exception as wanted:  # noqa: BLE001 - any error of NumPy's
        try:
            PUBLIC[name](s.view, *given)
        except md.errors.MDViewError as error:
            if not all(isinstance(error, kind) for kind in _builtins_of(wanted)):
                raise Wrong(f"{name}{given} raises {error!r}, NumPy {wanted!r}") from error
            return None
        raise Wrong(f"{name}{given} is not refused, NumPy raises {wanted!r}") from None
    if places.size > MOST or places.ndim > MOST_RANK:
        return None
    view, mapping = (PUBLIC[name](x, *given) for x in (s.view, s.view.mapping))
    if [view.origin + o for o in view.offsets()] != [s.view.origin + o for o in mapping.offsets()]:
        raise Wrong(f"{name}{given} of a mapping is {mapping!r}, of a view {view.mapping!r} from {view.origin}")
    return view, places


STEPS = (
    *[_brackets] * 7,
    *[_as_numpy] * 6,
    *[_reshape] * 3,
    *(_flip, _permute, _swap, _transposed, _ravel, _broadcast, _window, _diagonal, _expand, _squeeze, _pad, _subview),
    *(_bitcast, _bitcast, _row, _same, _shrink),
)
"""Each gives the view behind it, the places, and what else has changed; None where it does not apply."""


def step(pick, state):
    """Take one step from a state; return what it was and the state behind it."""
    while True:
        taken = pick.choice(STEPS)
        found = taken(pick, state)
        if found is not None:
            view, places, *changes = found
            return taken.__name__, state.moved(view, np.asarray(places), **(changes[0] if changes else {}))
