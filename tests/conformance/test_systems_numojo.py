"""NuMojo's array view: every case of its document, tests and code, through brackets, operations and predicates."""

from __future__ import annotations

import gc
from array import array
from typing import Any

import numpy as np
import pytest
import systems_adapter as systems

from mdview import LayoutStrideRelaxed, Mapping, MDView, ReadOnlyAccessor, Writable, copy, flip, permute_dims, ravel
from mdview import readonly as as_readonly
from mdview.errors import LayoutError, SliceError, TooManyIndicesError
from mdview.layouts.stride_relaxed import negative_reach
from mdview.mappings.dense import dense_like
from mdview.mappings.facts import inner_contiguous, is_contiguous
from mdview.mappings.runs import contiguous_runs

KINDS = systems.KINDS | {
    "index_out_of_bounds": IndexError,
    "too_many_indices": TooManyIndicesError,
    "step_zero": SliceError,
    "invalid_order": LayoutError,
    "invalid_key": KeyError,
}

Key = list[Any]
View = MDView[Any, Any, Any, Any]


def view_of(shape: list[int], strides: list[int] | None = None, offset: int = 0) -> View:
    """View of elements that are their own positions."""
    given = Mapping(tuple(shape)).strides if strides is None else strides
    below = -negative_reach(shape, given)
    mapping = Mapping(tuple(shape), LayoutStrideRelaxed(given, below))
    return MDView.from_mapping(
        list(range(offset + mapping.required_span_size)), mapping, origin=offset - below if mapping.size else offset
    )


def bracket(key: Key) -> tuple[Any, ...]:
    return tuple([e if isinstance(e, int) else slice(e["start"], e["stop"], e["step"]) for e in key])


def described(view: View) -> dict[str, Any]:
    """Everything that the cases ask of a view; strides of extents of 1 carry no meaning."""
    mapping = view.mapping
    strides = list(mapping.strides)
    return {
        "shape": list(view.shape),
        "ndim": view.ndim,
        "elements": ravel(view).tolist(),
        "offset": view.origin + mapping.origin if mapping.size else None,
        "strides": [None if e == 1 else s for e, s in zip(view.shape, strides, strict=True)] if mapping.size else None,
    }


def sliced(shape: list[int], key: Key, strides: list[int] | None = None, offset: int = 0) -> dict[str, Any]:
    view = view_of(shape, strides, offset)
    part = as_view(view, bracket(key))
    return described(part) | {"normalised_strides": list(part.mapping.strides) if part.mapping.size else None}


def as_view(view: View, key: tuple[Any, ...]) -> View:
    """Subview also where the key names one element."""
    part: View = view[key] if len(key) > view.ndim else view[(*key, ...)]
    return part


def slice_chain(shape: list[int], strides: list[int], offset: int, steps: list[dict[str, Any]]) -> dict[str, Any]:
    view = view_of(shape, strides, offset)
    for step in steps:
        if step["op"] == "transpose":
            view = permute_dims(view, range(view.ndim)[::-1])
        else:
            view = as_view(view, bracket(step["key"]))
    return described(view)


def normalise(shape: list[int], strides: list[int], offset: int, key: Key) -> dict[str, Any]:
    """A slice of one index takes no step, and its strides are those of what it is a part of; NumPy multiplies them."""
    part = as_view(view_of(shape, strides, offset), bracket(key)).mapping
    items = np.arange(offset + Mapping(tuple(shape)).size, dtype=np.int8)[offset:]
    numpys = np.lib.stride_tricks.as_strided(items, shape, strides, writeable=False)[bracket(key)]
    strides_of_part = {"numpy_strides": list(numpys.strides), "normalised_strides": list(part.strides)}
    return {"shape": list(part.extents)} | strides_of_part | flags(part)


def flags(mapping: Mapping[Any, Any]) -> dict[str, bool]:
    return {
        "inner_c": inner_contiguous(mapping, -1),
        "inner_f": inner_contiguous(mapping, 0),
        "dense_c": is_contiguous(mapping, "C"),
        "dense_f": is_contiguous(mapping, "F"),
    }


def contiguity(shape: list[int], strides: list[int]) -> dict[str, bool]:
    return flags(view_of(shape, strides).mapping)


def runs(shape: list[int], strides: list[int], offset: int) -> dict[str, Any]:
    view = view_of(shape, strides, offset)
    return {"runs": [[view.origin + place, length] for place, length in contiguous_runs(view.mapping)]}


def item_vs_load(shape: list[int], strides: list[int], i: int, offset: int = 0) -> dict[str, Any]:
    """The element at a place in C order, and the one at a place in memory."""
    view = view_of(shape, strides, offset)
    if not shape:
        return {"item_position": view[i]}
    memory = list(range(offset + view.mapping.required_span_size))
    return {"item_position": ravel(view)[i], "load_position": MDView(memory, (len(memory),))[i]}


FLAGS = {
    "c_contiguous": ("C", lambda view: is_contiguous(view.mapping, "C")),
    "f_contiguous": ("F", lambda view: is_contiguous(view.mapping, "F")),
    "owndata": ("O", lambda view: False),  # a view never does
    "writeable": ("W", lambda view: isinstance(view.accessor, Writable)),
    "forc": ("FORC", lambda view: is_contiguous(view.mapping, "C") or is_contiguous(view.mapping, "F")),
}
"""What answers for each field of NuMojo's flags, and the short key of the field: there is no such object here."""


def flags_key(key: str) -> dict[str, Any]:
    names = {name: field for field, (short, _) in FLAGS.items() for name in (short, field.upper())}
    field = names[key]
    assert FLAGS[field][1](view_of([2, 3])) == (field in {"c_contiguous", "writeable", "forc"})
    return {"field": field}


def ownership(buffer: list[int], shape: list[int], steps: list[dict[str, Any]]) -> dict[str, Any]:
    """Run the steps on a view of a buffer; tell of the last view and of the buffer."""
    data = array("q", buffer)
    base: View = MDView(data, tuple(shape))
    view = base
    for step in steps:
        view = stepped(step, view, base)
    if any("drop_base" in step for step in steps):
        del data, base
        gc.collect()
        return {"view_at": [1, 1], "view_value": view[1, 1]}
    shares = view.data is data
    places = described(view) | {"strides": list(view.mapping.strides)}
    told = {
        "shares_buffer_with_base": shares,
        "owns_data": not shares,
        "writeable": isinstance(view.accessor, Writable),
    }
    found = {"view_at": [2, 2], "view_value": view[2, 2]} if view.ndim == 2 else {}
    if told["writeable"] is False:
        found = {"view_at": [0, 0], "view_value": view[0, 0]}
    return told | places | found | {"base_at": [1, 2], "base_value": base[1, 2]}


def stepped(step: dict[str, Any], view: View, base: View) -> View:
    """View after one step; a step may also write."""
    if "write_base" in step:
        base[tuple(step["write_base"])] = step["value"]
    if "write" in step:
        view[tuple(step["write"])] = step["value"]
    if "readonly_base" in step:
        return MDView(memoryview(view.data).toreadonly(), view.extents, accessor=ReadOnlyAccessor())
    if "readonly_view" in step:
        return as_readonly(view)
    if "copy" in step:
        dense: View = MDView.from_mapping(array("q", bytes(8 * view.mapping.size)), dense_like(view.mapping, "C"))
        copy(view, dense)
        return dense
    return as_view(view, bracket(step["view"])) if "view" in step else view


HANDLERS: dict[str, systems.Handler] = {
    "slice": sliced,
    "mixed": sliced,
    "index": sliced,
    "slice_error": sliced,
    "ndim_rule": sliced,
    "slice_chain": slice_chain,
    "normalise": normalise,
    "address": lambda shape, strides, offset, index: {"address": view_of(shape, strides, offset)[tuple(index)]},
    "transpose": lambda shape, strides, offset: described(
        permute_dims(view_of(shape, strides, offset), range(len(shape))[::-1])
    ),
    "flip": lambda shape, strides, offset, axes: described(flip(view_of(shape, strides, offset), axes)),
    "contiguity": contiguity,
    "contiguous_runs": runs,
    "item_vs_load": item_vs_load,
    "strides_from_shape": lambda shape, order: {"strides": list(dense_like(Mapping(tuple(shape)), order).strides)},
    "flags_key": flags_key,
    "ownership": ownership,
}


@pytest.mark.parametrize("case", systems.cases("numojo"), ids=lambda case: case["id"])
def test_a_case_of_the_document(case, monkeypatch):
    monkeypatch.setattr(systems, "KINDS", KINDS)
    assert systems.check(case, HANDLERS) is None


def test_all_cases_are_there():
    assert len(systems.cases("numojo")) == 101


def test_another_order_or_key_is_refused():
    with pytest.raises(LayoutError):
        dense_like(Mapping((2, 3)), "Z")
    with pytest.raises(KeyError):
        flags_key("CONTIGUOUS")
