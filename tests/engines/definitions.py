"""What functions on whole views return or store, said in plain Python: one element after the other, in index order."""

import itertools

from one_by_one import elements_of, flat_of, in_memory, shown
from samples.data import np
from samples.variants import indices_of

from mdview.errors import HaloError, NotContiguousError, RankTypeError


def by_ufunc(looked, call):
    array = looked.array()
    result = call.other(array, array) if call.other.nin == 2 else call.other(array)
    return np.asarray(result).reshape(-1).tolist()


def accumulated(f, start):
    """Fold the values of each row into its first element."""

    def wanted(looked, call):
        found = [start(call.target[index]) for index in indices_of(call.target.shape)]
        for index, value in zip(indices_of(looked.extents), looked.values, strict=True):
            row = index[0] if index else 0
            found[row] = f(found[row], value)
        return found

    return wanted


def subtracted(x, y):
    return np.subtract(x, y).item()


STORES = {
    "copy": lambda looked, _: looked.values,
    "copy into it": lambda _, call: flat_of(call.other),
    "copy to itself, flipped": lambda looked, _: looked.values,
    "fill": lambda looked, call: [call.other] * len(looked.places),
    "transform, out": lambda looked, _: looked.values,
    "transform, itself": lambda looked, _: looked.values,
    "transform, itself flipped": lambda looked, _: looked.values,
    "transform, ufunc, out": by_ufunc,
    "transform, ufunc, itself": by_ufunc,
    "transform, ufunc of two": by_ufunc,
    "accumulate": accumulated(lambda _, x: x, lambda x: x),
    "accumulate, ufunc": accumulated(subtracted, lambda x: x),
    "v[:] = view": lambda _, call: flat_of(call.other),
    "v[:] = rows": lambda _, call: flat_of(call.other),
    "v[:] = value": lambda looked, call: [call.other] * len(looked.places),
    "v[:] = array": lambda _, call: flat_of(call.other),
}
"""Values that a function stores, in index order of its target."""


def transformed_by_ufunc(looked, call):
    array = looked.array()
    row = np.asarray(call.other(array)).reshape(-1)
    return "MDView", looked.extents, shown(list(row) if row.dtype.kind in "mM" else row.tolist())


def added(looked, call):
    is_plain = looked.accessor.is_plain and "O" not in looked.view.format
    array = looked.array() if is_plain else np.array(looked.values)
    return shown(call.other.reduce(array.reshape(-1)))


def listed(looked, call):
    if not looked.extents:
        raise RankTypeError
    if len(looked.extents) == 1:
        return shown(looked.loads())
    rows, count = shown(looked.loads()), len(looked.places) // (looked.extents[0] or 1)
    return [("MDView", looked.extents[1:], rows[k * count : (k + 1) * count]) for k in range(looked.extents[0])]


def flat(looked, call):
    places = in_memory(looked)
    if not looked.accessor.is_plain or len(places) != len(looked.places):
        raise NotContiguousError
    if places and places != list(range(places[0], places[0] + len(places))):
        raise NotContiguousError
    return "MDView", (len(places),), [shown(looked.read(place)) for place in places]


def tiled(looked, call):
    if not looked.is_total:
        raise HaloError
    at = dict(zip(indices_of(looked.extents), looked.places, strict=True))
    found = []
    for corner in itertools.product(*[range(0, e, 2) for e in looked.extents]):
        shape = tuple([min(2, e - c) for c, e in zip(corner, looked.extents, strict=True)])
        places = [at[tuple(map(sum, zip(corner, index, strict=True)))] for index in indices_of(shape)]
        found.append((min(places), corner, shape, places))
    load = looked.accessor.load
    return [
        ("MDView", shape, shown([load(looked.items, place) for place in places]))
        for _, _, shape, places in sorted(found)
    ]


def detached(x):
    """Nested lists with tuples for records."""
    if isinstance(x, list):
        return [detached(part) for part in x]
    return x.item() if isinstance(x, np.void) else x


READS = {
    "equal": lambda looked, call: all(x == y for x, y in zip(looked.values, flat_of(call.other), strict=True)),
    "reduce": lambda looked, _: shown([0, *looked.values][-1]),
    "reduce, ufunc": added,
    "transform": lambda looked, _: ("MDView", looked.extents, shown(looked.values)),
    "transform, ufunc": transformed_by_ufunc,
    "relayout": lambda looked, _: ("MDView", looked.extents, shown(looked.values)),
    "relayout, objects": lambda looked, _: ("MDView", looked.extents, shown(looked.values)),
    "tolist": lambda looked, _: shown(detached(looked.nested())),
    "elements": lambda looked, _: shown(looked.loads()),
    "elements, memory": lambda looked, _: shown([looked.accessor.load(looked.items, p) for p in in_memory(looked)]),
    "offsets": lambda looked, _: [place - looked.view.origin for place in elements_of(looked)],
    "list": listed,
    "in": lambda *_: False,
    "np.array": lambda looked, _: shown(looked.array()),
    "np.asarray": lambda looked, _: shown(looked.array()),
    "asview": lambda looked, _: ("MDView", looked.extents, shown(looked.values)),
    "runs": lambda looked, _: elements_of(looked),
    "runs, memory": lambda looked, _: sorted(set(in_memory(looked))),
    "indices": lambda looked, _: indices_of(looked.extents),
    "indices, memory": lambda looked, _: in_memory(looked),
    "flat": flat,
    "tiles": tiled,
}
"""What a function returns, as `seen` shows it."""

LOADS = {"elements", "elements, memory", "list", "asview", "tiles"}
"""Functions that give what loads give, which may be proxies of what cannot be read."""

LOOKS_AT_NOTHING = {"offsets", "asview", "runs", "runs, memory", "indices", "indices, memory", "flat"}


def seen(name, looked, result):
    """What a result shows."""
    if name in {"equal", "in", "offsets", "indices"}:
        return result
    if name in {"runs", "runs, memory"}:
        return [run.origin + k for run in result for k in range(len(run))]
    if name == "indices, memory":
        at = dict(zip(indices_of(looked.extents), looked.inside, strict=True))
        assert len(set(result)) == len(result)
        return [at[index] for index in result]
    return shown(result)


ONCE = {"elements", "tolist", "reduce", "transform", "np.array"}
"""Functions that read each element once, in index order, whatever a read does besides."""
