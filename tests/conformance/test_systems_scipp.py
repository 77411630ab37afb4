"""scipp's ViewIndex, MultiIndex, bins and transform: every case but those about labels of dimensions.

Labels stand for positions here: where a case names a dimension, it is looked up among those of its own data.
"""

import operator
from itertools import pairwise
from math import prod

import pytest
import systems_adapter as systems
from places import filled, lifted, strided

import mdview as md
from mdview.errors import BinsError
from mdview.index.extents import digits
from mdview.iteration import flat

# ViewIndex


def iterate(shape, strides):
    mapping, lift = lifted(shape, strides)
    place, stepped = md.iteration.ViewIndex(mapping), []
    assert [o - lift for o in md.iteration.ViewIndex(mapping)] == [place[k] - lift for k in range(len(place))]
    while not place.at_end:
        stepped.append((place.memory_index - lift, place.view_index))
        assert mapping(*place.index) == place.memory_index
        place.increment()
    return {"memory_indices": [m for m, _ in stepped], "view_indices": [k for _, k in stepped], "size": len(place)}


def state(shape, strides):
    place = md.iteration.ViewIndex(strided(shape, strides))
    found = {
        "ndim": len(place.extents),
        "shape_fast_first": place.extents[::-1],
        "strides_fast_first": place.strides[::-1],
        "delta_fast_first": place.delta[::-1],
    }
    place.set_index(len(place))
    return found | {"end_coord_fast_first": place.coordinates[::-1]}


def set_index(shape, strides, index):
    mapping, lift = lifted(shape, strides)
    place = md.iteration.ViewIndex(mapping)
    place.set_index(index)
    found = {"view_index": place.view_index, "memory_index": place.memory_index - lift, "at_end": place.at_end}
    return found | {"remaining": [o - lift for o in place]}


def equality(shape, strides, a_index, b_index, then_increment_a):
    a, b = md.iteration.ViewIndex(strided(shape, strides)), md.iteration.ViewIndex(strided(shape, strides))
    a.set_index(a_index)
    b.set_index(b_index)
    before = a == b
    a.advance(then_increment_a)
    return {"equal_before": before, "equal_after": a == b}


def distance(shape, strides, source, to):
    a, b = md.iteration.ViewIndex(strided(shape, strides)), md.iteration.ViewIndex(strided(shape, strides))
    a.set_index(source)
    b.set_index(to)
    return {"distance": a.distance_to(b)}


def memory_bounds(shape, strides):
    low, high = md.mappings.bounds(strided(shape, strides))
    return {"tight_begin": low, "tight_end": high + 1}


def flat_index(strides, indices):
    """Extents are the smallest that have the index."""
    mapping, lift = lifted([i + 1 for i in indices], strides)
    return {"flat": mapping(*indices) - lift}


def overlaps(a, b):
    first, second = (strided(x["shape"], x["strides"], x["offset"]) for x in (a, b))
    return {"overlaps": md.mappings.overlap(first, second) is not None}


# Views of elements


def positions(offset, dims, strides):
    return {"positions": list(md.iteration.ViewIndex(strided([e for _, e in dims], strides, offset)))}


def access(offset, dims, strides, i):
    place = md.iteration.ViewIndex(strided([e for _, e in dims], strides, offset))
    return {"positions": [place[k] for k in i], "front": place[0], "back": place[-1]}


def redim(offset, dims, strides, target_dims):
    assert [label for label, _ in dims] == [label for label, _ in target_dims]
    mapping = md.broadcast_to(strided([e for _, e in dims], strides, offset), [e for _, e in target_dims])
    return {"positions": list(mapping.offsets())}


def as_span(dims, strides):
    mapping = strided([e for _, e in dims], strides)
    span = flat(filled(mapping), order="index")
    return {"contiguous": span.tolist() == list(mapping.offsets())}


def elements_equal(a, b):
    return {"equal": md.equal(*(md.MDView(x["values"], tuple(e for _, e in x["dims"])) for x in (a, b)))}


def from_dims(dims):
    return {"strides": md.Mapping(tuple(e for _, e in dims)).strides}


def transposed(dims, order):
    labels = [label for label, _ in dims]
    mapping = md.permute_dims(md.Mapping(tuple(e for _, e in dims)), [labels.index(label) for label in order])
    return {"dims": [[label, e] for label, e in zip(order, mapping.extents, strict=True)], "strides": mapping.strides}


def resized(strides, size):
    """More dimensions have stride 0: in mdview they are new ones, over which the others repeat. Any extents do."""
    mapping = strided([2] * len(strides), strides)
    more = md.expand_dims(mapping, range(mapping.rank, size))
    return {"strides": md.broadcast_to(more, [2] * size).strides}


def sliced(offset, dims, strides, chosen):
    labels = [label for label, _ in dims]
    axis = labels.index(chosen["dim"])
    wanted = md.RangeSlice(*[chosen[name] for name in ("begin", "end", "step") if name in chosen])
    whole = strided([e for _, e in dims], strides, offset)
    part, shift = md.mappings.submapping(whole, *[wanted if r == axis else md.ALL for r in range(len(dims))])
    return {
        "offset": shift + part.origin,
        "dims": [[label, e] for label, e in zip(labels, part.extents, strict=True)],
        "strides": part.strides,
    }


# MultiIndex


def operand(iter_shape, strides, bins=None):
    mapping = strided(iter_shape, strides)
    if bins is None:
        return mapping
    return md.iteration.Bins(
        md.Mapping(tuple(bins["buffer_shape"])), bins["indices"], axis=bins["slice_axis"], cells=mapping
    )


def walk_of(iter_shape, operands):
    return md.iteration.MultiIndex(*[operand(iter_shape, **given) for given in operands])


def sequences(iter_shape, operands):
    walk = walk_of(iter_shape, operands)
    found = [list(walk.offsets(k)) for k in range(len(operands))]
    stepped, starts, size = [], walk.starts, walk.size
    assert list(walk) == list(zip(*found, strict=True))
    while not walk.at_end:
        stepped.append(walk.data_index)
        walk.increment()
    assert stepped == list(zip(*found, strict=True))
    answer = {"sequences": found, "size": size, "bin_starts": starts}
    binned = [o for o in walk.operands if isinstance(o, md.iteration.Bins)]
    return answer | (nested_place(binned[0]) if binned else {})


def nested_place(bins):
    return {"nested_dim_index_unflattened": bins.buffer.rank - 1 - bins.axis, "bin_stride": bins.stride}


def nested_dim(buffer_shape, slice_axis):
    return nested_place(md.iteration.Bins(md.Mapping(tuple(buffer_shape)), [], axis=slice_axis))


def remaining(iter_shape, operands, index):
    walk = walk_of(iter_shape, operands)
    walk.set_index(index)
    return {"remaining_sequences": [list(walk.offsets(k)) for k in range(len(operands))]}


def remaining_bins(iter_shape, operands, bin_index):
    walk = walk_of(iter_shape, operands)
    walk.set_index(bin_index)
    return {"remaining": [offset for (offset,) in walk], "at_end": walk.at_end}


def chunks(iter_shape, operands):
    walk = walk_of(iter_shape, operands)
    found = [{"data_index": list(start), "inner_size": length} for start, length in walk.chunks()]
    return {"inner_strides": walk.inner_strides, "chunks": found}


def increment_by(iter_shape, operands, index, by):
    walk = walk_of(iter_shape, operands)
    walk.set_index(index)
    walk.increment_by(by)
    return {"data_index": walk.data_index}


def stride_zero(iter_shape, operands):
    return {"has_stride_zero": walk_of(iter_shape, operands).has_stride_zero}


def flattened(iter_shape, operands):
    return {"ndim_after_flattening": len(walk_of(iter_shape, operands).extents)}


def transformed(fn, iter_shape, operands):
    views = [values_of(iter_shape, **given) for given in operands]
    function = getattr(operator, fn)
    anew = md.transform(function, *views)
    md.transform(function, *views, out=views[0])
    assert all(anew[cell].tolist() == views[0][cell].tolist() for cell in range(iter_shape[0]))
    return {"result_in_buffer": views[0].events.tolist()}


def values_of(iter_shape, strides, values, bins=None):
    if bins is None:
        return md.MDView.from_mapping(values, strided(iter_shape, strides))
    found = operand(iter_shape, strides, bins)
    return md.iteration.Binned(
        md.MDView(list(values), found.buffer.extents), found.ranges, axis=found.axis, cells=found.cells
    )


def contiguous_indices(indices):
    """A transform makes new bins, whose ranges follow each other."""
    events = list(range(max(end for _, end in indices)))
    made = md.transform(operator.neg, md.iteration.Binned(md.MDView(events, (len(events),)), indices))
    return {"indices": made.bins.ranges, "size": made.events.size}


def unflattened_deltas(shape, strides):
    """What a step adds where a dimension moves, beyond what one adds where only the next faster one moves."""
    offsets = list(md.iteration.ViewIndex(lifted(shape, strides)[0]))
    places = [prod(shape[r:]) for r in range(len(shape), 0, -1)]
    steps = [0, *[offsets[k] - offsets[k - 1] for k in places]]
    return {"delta_fast_first_unflattened": [step - faster for faster, step in pairwise(steps)]}


HANDLERS = {
    "view_index.iterate": iterate,
    "view_index.state": state,
    "view_index.set_index": set_index,
    "view_index.equality": equality,
    "view_index.distance": distance,
    "view_index.delta": unflattened_deltas,
    "index.extract": lambda flat, shape_fast_first: {"indices": digits(flat, (shape_fast_first or [1])[::-1])[::-1]},
    "index.flat": flat_index,
    "index.memory_bounds": memory_bounds,
    "overlaps": overlaps,
    "element_view.iterate": positions,
    "element_view.redim": redim,
    "element_view.as_span": as_span,
    "element_view.access": access,
    "element_view.equal": elements_equal,
    "strides.from_dims": from_dims,
    "strides.transpose": transposed,
    "strides.resize": resized,
    "slice": sliced,
    "multi_index.iterate": sequences,
    "multi_index.set_index": remaining,
    "multi_index.chunks": chunks,
    "multi_index.increment_by": increment_by,
    "multi_index.has_stride_zero": stride_zero,
    "multi_index.flatten": flattened,
    "multi_index.binned": sequences,
    "multi_index.binned_dense": sequences,
    "multi_index.two_binned": sequences,
    "multi_index.binned_set_index": remaining_bins,
    "multi_index.nested_dim": nested_dim,
    "transform": transformed,
    "bins.contiguous_indices": contiguous_indices,
}


def test_two_operands_of_bins_have_the_same_sizes():
    """The case about it has buffers that are shorter than its ranges, which is refused before; here they are not."""
    (case,) = [case for case in systems.cases("scipp") if case["op"] == "multi_index.two_binned"]
    bins = [operand["bins"] for operand in case["input"]["operands"]]
    ends = [max(end for _, end in each["indices"]) for each in bins]
    first, second = [
        md.iteration.Bins(md.Mapping((end,)), each["indices"]) for end, each in zip(ends, bins, strict=True)
    ]
    with pytest.raises(BinsError, match=r"cell \(0,\) of \(2,\) has 3 and 4 elements"):
        md.iteration.MultiIndex(first, second)


def test_accumulation_in_place_over_bins():
    """The one operation that is described and has no case: a broadcast output is added to serially."""
    total = md.MDView([0], (1,))
    edges = [0, 2, 2, 5]
    md.operations.accumulate(
        operator.add, total, md.iteration.Binned(md.MDView([1, 2, 3, 4, 5], (5,)), list(pairwise(edges)))
    )
    assert total[0] == 15
