"""scipp's ViewIndex, MultiIndex, bins and transform: every case but those about labels of dimensions.

Labels stand for positions here: where a case names a dimension, it is looked up among those of its own data.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
import systems_adapter as systems

from mdview import (
    Binned,
    Bins,
    Layout,
    LayoutStrideRelaxed,
    Mapping,
    MDView,
    MultiIndex,
    RangeSlice,
    ViewIndex,
    accumulate,
    bounds,
    broadcast_to,
    equal,
    flat,
    overlap,
    permute_dims,
    submapping,
    transform,
)
from mdview.index.orders import right_strides
from mdview.iteration.bins import packed_ranges
from mdview.iteration.view_index import deltas, digits, flat_index

Dims = Sequence[tuple[str, int]]

ABOUT_LABELS = {
    "scipp.strides.transpose.006": "an unknown label",
    "scipp.slice.012": "an unknown label",
}


def strided(shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> Mapping[tuple[int, ...], Layout]:
    return Mapping(tuple(shape), LayoutStrideRelaxed(strides, offset))


def anywhere(shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> tuple[Any, int]:
    """Mapping with the offset that negative strides need, and how much that is."""
    lowest = sum((e - 1) * s for e, s in zip(shape, strides, strict=True) if s < 0 < e)
    return strided(shape, strides, offset - lowest), lowest


# ViewIndex


def iterate(shape: list[int], strides: list[int]) -> dict[str, Any]:
    mapping, shift = anywhere(shape, strides)
    place, stepped = ViewIndex(mapping), []
    assert [o + shift for o in ViewIndex(mapping)] == [shift + place[k] for k in range(len(place))]
    while not place.at_end:
        stepped.append((place.memory_index + shift, place.view_index))
        assert mapping(*place.index) == place.memory_index
        place.increment()
    return {"memory_indices": [m for m, _ in stepped], "view_indices": [k for _, k in stepped], "size": len(place)}


def state(shape: list[int], strides: list[int]) -> dict[str, Any]:
    place = ViewIndex(strided(shape, strides))
    found = {
        "ndim": len(place.extents),
        "shape_fast_first": place.extents[::-1],
        "strides_fast_first": place.strides[::-1],
        "delta_fast_first": place.delta[::-1],
    }
    place.set_index(len(place))
    return found | {"end_coord_fast_first": None if 0 in shape else place.coordinates[::-1]}


def set_index(shape: list[int], strides: list[int], index: int) -> dict[str, Any]:
    mapping, shift = anywhere(shape, strides)
    place = ViewIndex(mapping)
    place.set_index(index)
    memory = None if place.at_end else place.memory_index + shift
    found = {"view_index": place.view_index, "memory_index": memory, "at_end": place.at_end}
    return found | {"remaining": [o + shift for o in place]}


def equality(shape: list[int], strides: list[int], a_index: int, b_index: int, then_increment_a: int) -> dict[str, Any]:
    a, b = ViewIndex(strided(shape, strides)), ViewIndex(strided(shape, strides))
    a.set_index(a_index)
    b.set_index(b_index)
    before = a == b
    a.advance(then_increment_a)
    return {"equal_before": before, "equal_after": a == b}


def distance(shape: list[int], strides: list[int], source: int, to: int) -> dict[str, Any]:
    a, b = ViewIndex(strided(shape, strides)), ViewIndex(strided(shape, strides))
    a.set_index(source)
    b.set_index(to)
    return {"distance": a.distance_to(b)}


def memory_bounds(shape: list[int], strides: list[int]) -> dict[str, Any]:
    low, high = bounds(strided(shape, strides)) or (0, -1)
    return {"tight_begin": low, "tight_end": high + 1}


def overlaps(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    first, second = (strided(x["shape"], x["strides"], x["offset"]) for x in (a, b))
    return {"overlaps": overlap(first, second) is not None}


# Views of elements


def positions(offset: int, dims: Dims, strides: list[int]) -> dict[str, Any]:
    return {"positions": list(ViewIndex(strided([e for _, e in dims], strides, offset)))}


def access(offset: int, dims: Dims, strides: list[int], i: list[int]) -> dict[str, Any]:
    place = ViewIndex(strided([e for _, e in dims], strides, offset))
    return {"positions": [place[k] for k in i], "front": place[0], "back": place[-1]}


def redim(offset: int, dims: Dims, strides: list[int], target_dims: Dims) -> dict[str, Any]:
    assert [label for label, _ in dims] == [label for label, _ in target_dims]
    mapping = broadcast_to(strided([e for _, e in dims], strides, offset), [e for _, e in target_dims])
    return {"positions": list(mapping.offsets())}


def as_span(dims: Dims, strides: list[int]) -> dict[str, Any]:
    mapping = strided([e for _, e in dims], strides)
    view = MDView.from_mapping(list(range(mapping.required_span_size)), mapping)
    return {"contiguous": flat(view, order="index").tolist() == list(mapping.offsets())}


def elements_equal(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    return {"equal": equal(*(MDView(x["values"], tuple(e for _, e in x["dims"])) for x in (a, b)))}


def from_dims(dims: Dims) -> dict[str, Any]:
    return {"strides": right_strides([e for _, e in dims])}


def transposed(dims: Dims, order: list[str]) -> dict[str, Any]:
    labels = [label for label, _ in dims]
    axes = [labels.index(label) for label in order] if order else range(len(dims))[::-1]
    mapping = permute_dims(Mapping(tuple(e for _, e in dims)), axes)
    return {
        "dims": [[labels[axis], e] for axis, e in zip(axes, mapping.extents, strict=True)],
        "strides": mapping.strides,
    }


def resized(strides: list[int], size: int) -> dict[str, Any]:
    """More dimensions have stride 0: in mdview they are new ones, over which the others repeat."""
    extents = tuple(range(2, 2 + len(strides)))
    wider = broadcast_to(Mapping((*extents, 1), LayoutStrideRelaxed((*strides, 9))), (*extents, 7))
    assert wider.rank == size
    return {"strides": wider.strides}


def sliced(offset: int, dims: Dims, strides: list[int], **given: Any) -> dict[str, Any]:
    spec = given["slice"]
    axis = [label for label, _ in dims].index(spec["dim"])
    point = "end" not in spec
    wanted = spec["begin"] if point else RangeSlice(spec["begin"], spec["end"], spec.get("step", 1))
    whole = strided([e for _, e in dims], strides)
    part, shift = submapping(whole, *[wanted if r == axis else slice(None) for r in range(len(dims))])
    labels = [label for r, (label, _) in enumerate(dims) if not (point and r == axis)]
    return {
        "offset": offset + shift + (part.origin if part.size else 0),
        "dims": [[label, int(e)] for label, e in zip(labels, part.extents, strict=True)],
        "strides": part.strides,
    }


# MultiIndex


def operand(iter_shape: list[int], strides: list[int], bins: dict[str, Any] | None = None, **_: Any) -> Any:
    mapping = strided(iter_shape, strides)
    if bins is None:
        return mapping
    return Bins(Mapping(tuple(bins["buffer_shape"])), bins["indices"], axis=bins["slice_axis"], cells=mapping)


def walk_of(iter_shape: list[int], operands: list[dict[str, Any]]) -> MultiIndex:
    return MultiIndex(*[operand(iter_shape, **given) for given in operands])


def sequences(iter_shape: list[int], operands: list[dict[str, Any]]) -> dict[str, Any]:
    walk = walk_of(iter_shape, operands)
    found = [list(walk.offsets(k)) for k in range(len(operands))]
    stepped, starts, size = [], walk.starts, walk.size
    assert list(walk) == list(zip(*found, strict=True))
    while not walk.at_end:
        stepped.append(walk.data_index)
        walk.increment()
    assert stepped == list(zip(*found, strict=True))
    answer = {"sequences": found, "size": size, "bin_starts": starts}
    binned = [o for o in walk.operands if isinstance(o, Bins)]
    return answer | (nested_place(binned[0]) if binned else {})


def nested_place(bins: Bins) -> dict[str, Any]:
    return {"nested_dim_index_unflattened": bins.buffer.rank - 1 - bins.axis, "bin_stride": bins.stride}


def nested_dim(buffer_shape: list[int], slice_axis: int) -> dict[str, Any]:
    return nested_place(Bins(Mapping(tuple(buffer_shape)), [], axis=slice_axis))


def remaining(iter_shape: list[int], operands: list[dict[str, Any]], index: int) -> dict[str, Any]:
    walk = walk_of(iter_shape, operands)
    walk.set_index(index)
    return {"remaining_sequences": [list(walk.offsets(k)) for k in range(len(operands))]}


def remaining_bins(iter_shape: list[int], operands: list[dict[str, Any]], bin_index: int) -> dict[str, Any]:
    walk = walk_of(iter_shape, operands)
    walk.set_index(bin_index)
    return {"remaining": [offset for (offset,) in walk], "at_end": walk.at_end}


def chunks(iter_shape: list[int], operands: list[dict[str, Any]]) -> dict[str, Any]:
    walk = walk_of(iter_shape, operands)
    found = [{"data_index": list(start), "inner_size": length} for start, length in walk.chunks()]
    return {"inner_strides": walk.inner_strides, "chunks": found}


def increment_by(iter_shape: list[int], operands: list[dict[str, Any]], index: int, by: int) -> dict[str, Any]:
    walk = walk_of(iter_shape, operands)
    walk.set_index(index)
    walk.increment_by(by)
    return {"data_index": walk.data_index}


def stride_zero(iter_shape: list[int], operands: list[dict[str, Any]]) -> dict[str, Any]:
    return {"has_stride_zero": walk_of(iter_shape, operands).has_stride_zero}


def flattened(iter_shape: list[int], operands: list[dict[str, Any]]) -> dict[str, Any]:
    return {"ndim_after_flattening": len(walk_of(iter_shape, operands).extents)}


def two_binned(iter_shape: list[int], operands: list[dict[str, Any]]) -> dict[str, Any]:
    """Compare sizes of bins; the buffers of the case are shorter than its ranges, which would be refused before."""
    for given in operands:
        given["bins"]["buffer_shape"] = [max(end for _, end in given["bins"]["indices"])]
    with pytest.raises(systems.KINDS["bin_size_mismatch"], match=r"cell \(0,\) of \(2,\) has 3 and 4 elements"):
        walk_of(iter_shape, operands)
    return sequences(iter_shape, operands)


def transformed(fn: str, iter_shape: list[int], operands: list[dict[str, Any]]) -> dict[str, Any]:
    views = []
    for given in operands:
        if "bins" in given:
            bins = operand(iter_shape, **given)
            events = MDView(list(given["values"]), bins.buffer.extents)
            views.append(Binned(events, bins.ranges, axis=bins.axis, cells=bins.cells))
        else:
            views.append(MDView(given["values"], tuple(iter_shape)))
    function = getattr(operator, fn)
    anew = transform(function, *views)
    transform(function, *views, out=views[0])
    assert all(anew[cell].tolist() == views[0][cell].tolist() for cell in range(iter_shape[0]))
    return {"result_in_buffer": views[0].events.tolist()}


HANDLERS: dict[str, systems.Handler] = {
    "view_index.iterate": iterate,
    "view_index.state": state,
    "view_index.set_index": set_index,
    "view_index.equality": equality,
    "view_index.distance": distance,
    "view_index.delta": lambda shape, strides: {"delta_fast_first_unflattened": deltas(shape, strides)[::-1]},
    "index.extract": lambda flat, shape_fast_first: {"indices": digits(flat, shape_fast_first[::-1])[::-1]},
    "index.flat": lambda strides, indices: {"flat": flat_index(strides, indices)},
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
    "multi_index.two_binned": two_binned,
    "multi_index.binned_set_index": remaining_bins,
    "multi_index.nested_dim": nested_dim,
    "transform": transformed,
    "bins.contiguous_indices": lambda indices: {
        "indices": list(map(list, packed_ranges([end - begin for begin, end in indices]))),
        "size": sum(end - begin for begin, end in indices),
    },
}


def asked() -> list[dict[str, Any]]:
    found = [case for case in systems.cases("scipp") if not case["op"].startswith("dims.")]
    return [case for case in found if case["id"] not in ABOUT_LABELS]


@pytest.mark.parametrize("op", sorted({case["op"] for case in asked()}))
def test_operation(op):
    cases = [case for case in asked() if case["op"] == op]
    assert [wrong for case in cases if (wrong := systems.check(case, HANDLERS))] == []


def test_what_is_left_out_is_about_labels():
    cases = systems.cases("scipp")
    left_out = [case for case in cases if case["op"].startswith("dims.") or case["id"] in ABOUT_LABELS]
    assert (len(cases), len(left_out)) == (154, 9)


def test_accumulation_in_place_over_bins():
    """The one operation that is described and has no case: a broadcast output is added to serially."""
    total = MDView([0], (1,))
    edges = [0, 2, 2, 5]
    accumulate(operator.add, total, Binned(MDView([1, 2, 3, 4, 5], (5,)), list(pairwise(edges))))
    assert total[0] == 15
