"""Uses of a view: every way through mdview to read its elements, to write them, and to make views and facts of it.

A use takes a `random.Random` and a view. Those that read give the values that they read in a list; the others give
None.
"""

import copy
import itertools
import operator

import numpy as np
from chain_steps import key
from samples.variants import VARIANTS

import mdview as md

MOST = 300
"""How many values a use reads at most."""


def flat(values):
    """All leaves of nested lists."""
    out, left = [], [values]
    while left and len(out) < MOST:
        one = left.pop()
        if isinstance(one, list | tuple):
            left.extend(one[:MOST])
        else:
            out.append(one)
    return out


def _index(pick, view):
    return tuple([pick.randrange(-e, e) if e > 0 else 0 for e in view.shape])


def _taken(iterator):
    return list(itertools.islice(iterator, MOST))


def _loaded(x):
    return x.load() if isinstance(x, md.atomics.AtomicRef) else x


# --- parts and transforms: each gives a view ---

OF_VIEWS = (md.flip, md.squeeze, md.checked, md.unchecked, md.atomic, md.readonly, copy.copy)
OF_VIEWS += (md.operations.transposed, md.operations.conjugated)
PARTS = {
    **{name: lambda pick, v, made=made: made.make(v, 0) for name, made in VARIANTS.items()},
    **{of.__name__: lambda pick, v, of=of: of(v) for of in OF_VIEWS},
    "brackets": lambda pick, v: v[key(pick, v.shape, wraps=True)],
    "parts of parts": lambda pick, v: (w := v[key(pick, v.shape, wraps=True)])[key(pick, w.shape, wraps=True)],
    "first row": lambda pick, v: v[0],
    "subview": lambda pick, v: md.subview(v, *[(0, e) if pick.randrange(2) else 0 for e in v.shape]),
    "flip of one": lambda pick, v: md.flip(v, pick.randrange(v.rank)),
    "permute": lambda pick, v: md.permute_dims(v, pick.sample(range(v.rank), v.rank)),
    "reshape": lambda pick, v: md.reshape(v, (-1,) if pick.randrange(2) else (*v.shape, 1), order=pick.choice("CF")),
    "ravel": lambda pick, v: md.ravel(v, order=pick.choice("CF")),
    "expand": lambda pick, v: md.expand_dims(v, 0),
    "diagonal": lambda pick, v: md.diagonal(v, pick.randint(-1, 1)),
    "window": lambda pick, v: md.sliding_window(v, tuple([min(2, e) for e in v.shape])),
    "shrink": lambda pick, v: md.operations.shrink(v, [(0, max(1, e - 1)) for e in v.shape]),
    "bitcast": lambda pick, v: md.operations.bitcast(v, "Q"),
    "assume": lambda pick, v: md.assume(v, v.extents),
    "from mapping": lambda pick, v: md.MDView.from_mapping(v.data, v.mapping, origin=v.origin),
    "strided": lambda pick, v: md.MDView.from_mapping(v.data, v.mapping.as_strided(), origin=v.origin),
    "convert": lambda pick, v: md.conversions.convert(
        v, pick.choice((md.LayoutRight(), md.LayoutStride(), md.LayoutLeft()))
    ),
}


# --- reading ---


def _shared(pick, v):
    """Read what NumPy gets, by the array interface."""
    return flat(np.asarray(v).tolist())


def _own_array(pick, v):
    return flat(np.array(v, copy=True).tolist())


def _interface(pick, v):
    """Read the memory that the array interface names, if it lies in the memory that comes with it."""
    claim = v.__array_interface__
    size = claim["data"].nbytes
    steps = claim["strides"]
    if 0 in claim["shape"]:
        return []
    if steps is None:  # in C order
        steps = [s * int(claim["typestr"][2:]) for s in md.Mapping(claim["shape"]).strides]
    reach = [s * (e - 1) for s, e in zip(steps, claim["shape"], strict=True)]
    low = claim["offset"] + sum([r for r in reach if r < 0])
    high = claim["offset"] + sum([r for r in reach if r > 0]) + int(claim["typestr"][2:])
    if not 0 <= low <= high <= size:
        raise OutsideError(f"an interface from byte {low} to {high} of {size}: {claim}")
    return []


class OutsideError(AssertionError):
    """Memory was named that is not the view's."""


READS = {
    "element": lambda pick, v: [_loaded(v[_index(pick, v)])],
    "at": lambda pick, v: [
        _loaded(v.at(tuple([i % max(1, e) for i, e in zip(_index(pick, v), v.shape, strict=True)])))
    ],
    "all elements": lambda pick, v: [_loaded(v[i]) for i in itertools.islice(np.ndindex(v.shape), 40)],
    "tolist": lambda pick, v: flat(v.tolist()),
    "array": _shared,
    "array of its own": _own_array,
    "interface": _interface,
    "iteration": lambda pick, v: flat([_loaded(x) if v.rank == 1 else x.tolist() for x in v]),
    "elements": lambda pick, v: _taken(map(_loaded, md.iteration.elements(v))),
    "elements in memory order": lambda pick, v: _taken(map(_loaded, md.iteration.elements(v, order="memory"))),
    "flat": lambda pick, v: _taken(md.iteration.flat(v, order=pick.choice(("index", "memory")))),
    "runs": lambda pick, v: flat(
        [run.tolist() for run in _taken(md.iteration.runs(v, order=pick.choice(("index", "memory"))))]
    ),
    "reduce": lambda pick, v: [md.reduce(lambda a, b: b, v)],
    "reduce by max": lambda pick, v: [md.reduce(np.maximum, v).item()],
    "copied out": lambda pick, v: _copied_out(v),
    "transform": lambda pick, v: flat(md.transform(lambda x: x, v).tolist()),
    "transform of an array": lambda pick, v: flat(md.transform(np.positive, v).tolist()),
    "tiles": lambda pick, v: flat([t.tolist() for t in _taken(md.tiles(v, (2,) * v.rank))]),
    "memoryview": lambda pick, v: flat(np.asarray(memoryview(v)).tolist()) if hasattr(v, "__buffer__") else [],
    "deepcopy": lambda pick, v: flat(copy.deepcopy(v).tolist()),
    "bins": lambda pick, v: flat(md.iteration.Binned(v, [(0, v.shape[0])])[0].tolist()),
    "sum of bins": lambda pick, v: flat(
        md.transform(lambda x: x, md.iteration.Binned(v, [(0, v.shape[0])])).events.tolist()
    ),
}


def _copied_out(v):
    target = md.MDView([0] * v.size, v.shape)
    md.copy(v, target)
    return flat(target.tolist())


# --- writing: only 7s ---


def _sevens(v):
    return np.full(v.shape, 7, "q")


def _atomically(pick, v):
    reference = md.atomic(v)[_index(pick, v)]
    reference.store(7)


WRITES = {
    "element": lambda pick, v: operator.setitem(v, _index(pick, v), 7),
    "all elements": lambda pick, v: [operator.setitem(v, i, 7) for i in itertools.islice(np.ndindex(v.shape), 40)],
    "slices": lambda pick, v: operator.setitem(v, key(pick, v.shape, wraps=True), 7),
    "fill": lambda pick, v: md.fill(v, 7),
    "copy": lambda pick, v: md.copy(md.MDView([7] * v.size, v.shape), v),
    "copy of an array": lambda pick, v: md.copy(md.asview(_sevens(v)), v),
    "store of an array": lambda pick, v: operator.setitem(v, ..., _sevens(v)),
    "store of lists": lambda pick, v: operator.setitem(v, ..., _sevens(v).tolist()),
    "transform out": lambda pick, v: md.transform(lambda _: 7, v, out=v),
    "transform out by a ufunc": lambda pick, v: md.transform(np.maximum, v, md.asview(_sevens(v)), out=v),
    "accumulate": lambda pick, v: md.operations.accumulate(lambda x, y: 7, v, v),
    "accumulate by a ufunc": lambda pick, v: md.operations.accumulate(np.minimum, v, md.asview(_sevens(v))),
    "through NumPy": lambda pick, v: np.asarray(v).fill(7),
    "runs": lambda pick, v: [md.fill(run, 7) for run in _taken(md.iteration.runs(v))],
    "atomic": _atomically,
    "onto itself": lambda pick, v: md.copy(md.flip(v), v),
}


# --- facts ---

OF_MAPPINGS = ("bounds", "collision", "hole", "is_dense", "is_contiguous", "dense_like")
OF_MAPPINGS += ("stride_order", "mergeable_axes", "coalesced")
FACTS = {
    **{name: lambda pick, v, name=name: getattr(md.mappings, name)(v.mapping) for name in OF_MAPPINGS},
    "inner contiguous": lambda pick, v: md.mappings.inner_contiguous(v.mapping, 0),
    "repr": lambda pick, v: repr(v),
    "text": lambda pick, v: (str(v), getattr(v, "_repr_html_", str)()),
    "unique": lambda pick, v: (v.is_unique, v.is_exhaustive, v.is_strided),
    "strides": lambda pick, v: (v.mapping.strides, v.mapping.stride(0)),
    "overlap": lambda pick, v: md.mappings.overlap(v.mapping, v.mapping, shift=pick.randrange(-3, 4)),
    "runs": lambda pick, v: _taken(md.mappings.contiguous_runs(v.mapping)),
    "offsets": lambda pick, v: _taken(v.offsets()),
    "explain": lambda pick, v: str(md.explain(v.mapping)),
    "equality": lambda pick, v: (v.mapping == md.Mapping(v.shape), hash(v.mapping)),
    "equal": lambda pick, v: md.equal(v, v),
    "view index": lambda pick, v: md.iteration.ViewIndex(v.mapping).advance(1),
    "multi index": lambda pick, v: md.iteration.MultiIndex(v.mapping, v.mapping).increment_by(1),
    "conversion": lambda pick, v: (md.conversions.conversion(v, md.LayoutStride()), md.conversions.kind_of(v)),
    "submapping": lambda pick, v: md.mappings.submapping(v.mapping, *[(0, e) for e in v.shape]),
    "box": lambda pick, v: (v.valid_box, v.is_valid(*[0] * v.rank)),
    "release": lambda pick, v: v.release(),
}
