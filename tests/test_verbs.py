"""Every verb takes every view: what one of them reads or stores, all do, and what one refuses, all refuse alike.

A case is a view of a mapping of any kind, over data of any kind, rearranged or under another accessor. All verbs are
held against access to its single elements, index by index.
"""

import operator
from array import array
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from samples import MAPPINGS, all_indices

from mdview import (
    AtomicAccessor,
    DefaultAccessor,
    FillAccessor,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    Writable,
    accumulate,
    asview,
    atomic,
    broadcast_to,
    checked,
    conjugated,
    copy,
    elements,
    equal,
    errors,
    expand_dims,
    fill,
    flip,
    pad,
    permute_dims,
    ravel,
    readonly,
    reduce,
    reshape,
    scaled,
    sliding_window,
    subview,
    transform,
    unchecked,
)
from mdview.views.base import parts_of
from mdview.views.derive import derived, view_of

CHOSEN = {
    name: mapping
    for name, mapping in MAPPINGS.items()
    if "," not in name or name in {"right, empty", "relaxed, flipped", "relaxed, broadcast", "tiled, ragged"}
}
"""A mapping of each layout, of rank 0, and without elements; parts and reshapes are among the kinds of views."""

LARGE = {"large": Mapping((33, 32)), "large, tiled": Mapping((33, 32), MAPPINGS["tiled"].layout)}
"""Enough elements that NumPy copies them."""

DATA = {
    "d": lambda n: array("d", range(n)),
    "list": lambda n: [*map(float, range(n))],
    "objects": lambda n: np.array([*map(float, range(n))], dtype=object),
    "foreign order": lambda n: np.arange(n, dtype=">f8"),
    "half": lambda n: np.arange(n, dtype="e"),
}


def view_over(data: str, mapping: Mapping) -> MDView:
    row = asview(DATA[data](mapping.required_span_size + 3)) if data == "objects" else None
    if row is not None:
        return view_of(parts_of(row).storage, 0, mapping, DefaultAccessor())
    return MDView.from_mapping(DATA[data](mapping.required_span_size + 3), mapping)


# Ways from a view to another one.


def part(v: MDView, *bounds) -> MDView:
    return subview(v, *[slice(*each) for each in bounds])


def halo(v: MDView, width=1) -> MDView:
    return pad(v, width, constant=7.0)


def unfilled(v: MDView, width=1) -> MDView:
    return derived(v, pad(v.mapping, width), 0, v.accessor)


def rows(v: MDView) -> MDView:
    """Elements in one dimension, with two indices of padding before and after each row."""
    return ravel(pad(v, (*((0, 0),) * (v.rank - 1), (2, 2)), constant=7.0))


def one_row(v: MDView) -> MDView:
    return rows(v)[2 : 2 + v.extents[-1]]


def released(v: MDView) -> MDView:
    v.release()
    return v


class Kind(NamedTuple):
    make: Callable[[MDView], MDView]
    rank: int = 0
    """The lowest rank of a view that it can be made of."""
    extent: int = 0
    """Its lowest extent."""


KINDS = {
    "itself": Kind(lambda v: v),
    "padded, unfilled": Kind(unfilled),
    "padded": Kind(halo),
    "padded twice": Kind(lambda v: halo(halo(v))),
    "padded by the nearest": Kind(lambda v: pad(v, 2, mode="edge"), extent=1),
    "padded, the elements": Kind(lambda v: part(halo(v), *[(1, 1 + e) for e in v.extents])),
    "padded, unfilled, the elements": Kind(lambda v: part(unfilled(v), *[(1, 1 + e) for e in v.extents])),
    "padded, a corner": Kind(lambda v: part(halo(v), *[(0, 1)] * v.rank)),
    "padded, nothing of it": Kind(lambda v: part(halo(v), *[(0, 0)] * v.rank)),
    "padded by nothing": Kind(lambda v: halo(v, 0)),
    "padded, in windows": Kind(lambda v: sliding_window(halo(v), (2,) * v.rank)[:2], rank=1),
    "rows, padded, flat": Kind(rows, rank=1),
    "rows, padded, flat, one row": Kind(one_row, rank=1, extent=1),
    "rows, padded, flat, one row backwards": Kind(lambda v: flip(one_row(v)), rank=1, extent=1),
    "rows, padded, flat, one row and more": Kind(lambda v: rows(v)[: 2 + v.extents[-1]], rank=1),
    "rows, padded, flat, padding alone": Kind(lambda v: rows(v)[:2], rank=1, extent=1),
    "rows, padded, flat, nothing": Kind(lambda v: rows(v)[:0], rank=1),
    "rows, padded, flat, one row repeated": Kind(lambda v: broadcast_to(one_row(v), (3, v.extents[-1])), 1, 2),
    "rows, padded, flat, one row, atomic": Kind(lambda v: atomic(one_row(v)), rank=1, extent=1),
    "flat": Kind(ravel),
    "backwards": Kind(flip),
    "backwards, flat": Kind(lambda v: ravel(flip(v))),
    "backwards, in one more dimension": Kind(lambda v: reshape(flip(v), (1, *v.extents))),
    "permuted": Kind(lambda v: permute_dims(v, tuple(reversed(range(v.rank))))),
    "one element": Kind(lambda v: part(v, *[(0, 1)] * v.rank), extent=1),
    "repeated": Kind(lambda v: broadcast_to(v, (2, *v.extents))),
    "repeated, flat": Kind(lambda v: ravel(broadcast_to(v, (2, *v.extents)))),
    "repeated, inside": Kind(lambda v: broadcast_to(expand_dims(v, v.rank), (*v.extents, 3))),
    "repeated once": Kind(lambda v: expand_dims(v, 0)),
    "in windows": Kind(lambda v: sliding_window(v, (2,) * v.rank), extent=2),
    "empty": Kind(lambda v: part(v, *[(0, 0)] * v.rank)),
    "read-only": Kind(readonly),
    "read-only, padded": Kind(lambda v: readonly(halo(v))),
    "atomic": Kind(atomic),
    "atomic, padded": Kind(lambda v: atomic(halo(v))),
    "scaled": Kind(lambda v: scaled(2, v)),
    "scaled, padded": Kind(lambda v: scaled(2, halo(v))),
    "conjugated": Kind(conjugated),
    "checked": Kind(checked),
    "unchecked": Kind(unchecked),
}


def cases():
    """Each kind of view of each mapping, the kinds of data in turn."""
    for number, (name, mapping) in enumerate([*CHOSEN.items(), *LARGE.items()]):
        for turn, (kind, (make, rank, extent)) in enumerate(KINDS.items()):
            if mapping.rank >= rank and min(mapping.extents, default=extent) >= extent:
                data = [*DATA][(number + turn) % len(DATA)]
                yield pytest.param(
                    lambda m=mapping, make=make, data=data: make(view_over(data, m)), id=f"{name}-{kind}"
                )


# The verbs. Each gives the elements in index order.


def numbers(v: MDView) -> list[float]:
    return [100.0 + k % 100 for k in range(v.size)]


def like(v: MDView, values: list[float]) -> MDView:
    return MDView(array("d", values or [0.0]), v.extents)


def flat_list(v: MDView) -> list[object]:
    return [float(element) for element in elements(v)]


def stored(v: MDView, verb: Callable[[MDView], object]) -> list[object]:
    target = like(v, [0.0] * v.size)
    verb(target)
    return target.tolist() if v.rank == 1 else flat_list(target)


def listed(v: MDView, verb: Callable[[MDView], object]) -> list[object]:
    held = [0.0] * v.size
    verb(MDView(held, v.extents))
    return held


def known(v: MDView, answer: object) -> object:
    """The elements, one by one, where a verb that gives only one answer gives the right one."""
    return one_by_one(v) if answer else answer


def either(v: MDView) -> list[float]:
    """The elements, one by one, or others where they cannot be read: what is compared with them is to say so."""
    found = reading(one_by_one, v)
    return found if isinstance(found, list) else numbers(v)


def one_by_one(v: MDView) -> list[float]:
    return [float(v[index]) for index in all_indices(v.extents)]


READING = {
    "elements": flat_list,
    "tolist": lambda v: [*map(float, np.array(v.tolist(), dtype=object).reshape(-1))],
    "copy": lambda v: stored(v, lambda target: copy(v, target)),
    "copy into a list": lambda v: listed(v, lambda target: copy(v, target)),
    "brackets": lambda v: stored(v, lambda target: operator.setitem(target, ..., v)),
    "equal": lambda v: known(v, equal(v, like(v, either(v)))),
    "equal, reversed": lambda v: known(v, equal(like(v, either(v)), v)),
    "reduce": lambda v: reduce(lambda found, x: found.append(x) or found, v, initial=[]),
    "reduce by a ufunc": lambda v: known(v, reduce(np.maximum, v, initial=-2.0) == max(either(v), default=-2.0)),
    "transform": lambda v: flat_list(transform(float, v)),
    "transform by a ufunc": lambda v: flat_list(transform(np.positive, v)),
    "transform of two": lambda v: flat_list(transform(lambda _, x: x, like(v, numbers(v)), v)),
    "accumulate": lambda v: stored(v, lambda target: accumulate(lambda _, x: x, target, v)),
    "accumulate by a ufunc": lambda v: stored(v, lambda target: accumulate(np.add, target, v)),
    "array": lambda v: np.asarray(v).reshape(-1).tolist(),
    "in": lambda v: known(v, "no number" not in v),
}

STORING = {
    "copy": lambda v: copy(like(v, numbers(v)), v),
    "copy from a list": lambda v: copy(MDView(numbers(v), v.extents), v),
    "brackets": lambda v: operator.setitem(v, ..., like(v, numbers(v))),
    "brackets, an array": lambda v: operator.setitem(v, ..., np.array(numbers(v)).reshape(v.extents or ())),
    "accumulate": lambda v: accumulate(lambda _, x: x, v, like(v, numbers(v))),
    "transform": lambda v: transform(float, like(v, numbers(v)), out=v),
    "transform of two": lambda v: transform(lambda x, _: x, MDView(numbers(v), v.extents), v, out=v),
    "transform by a ufunc": lambda v: transform(np.positive, like(v, numbers(v)), out=v),
}

FILLING = {
    "fill": lambda v: fill(v, -1.0),
    "brackets": lambda v: operator.setitem(v, ..., -1.0),
    "accumulate": lambda v: accumulate(lambda *_: -1.0, v, like(v, numbers(v))),
    "accumulate by a ufunc": lambda v: accumulate(np.minimum, v, like(v, [-1.0] * v.size)),
    "transform": lambda v: transform(lambda _: -1.0, like(v, numbers(v)), out=v),
    "transform by a ufunc": lambda v: transform(np.positive, like(v, [-1.0] * v.size), out=v),
}


def reading(verb: Callable[[MDView], object], v: MDView) -> object:
    """What a verb gives, or the class of its refusal."""
    try:
        return verb(v)
    except errors.MDViewError as error:
        return type(error)


def storing(verb: Callable[[MDView], object], v: MDView) -> object:
    """The class of a refusal, or None, and all the data afterwards."""
    try:
        verb(v)
    except errors.MDViewError as error:
        return type(error), data_of(v)
    return None, data_of(v)


def data_of(v: MDView) -> list[float]:
    return [*map(float, parts_of(v).items)]


def stored_one_by_one(make: Callable[[], MDView], values: list[float]) -> object:
    """What single stores do where none is refused; else that refusal, and the data as it was."""
    v = make()
    for index, value in zip(all_indices(v.extents), values, strict=True):
        try:
            v[index] = value
        except errors.MDViewError as error:
            return type(error), data_of(make())
    return None, data_of(v)


def repeats(mapping: Mapping) -> bool:
    """Tell whether no index along some dimension moves the element, by a look at all."""
    places = {i: mapping(*i) for i in all_indices(mapping.extents)}
    return bool(places) and any(
        e > 1 and all(place == places[(*i[:r], 0, *i[r + 1 :])] for i, place in places.items())
        for r, e in enumerate(mapping.extents)
    )


@pytest.mark.parametrize("make", [*cases()])
def test_every_verb_reads_what_is_read_one_by_one(make):
    expected = reading(one_by_one, make())
    assert {name: reading(verb, make()) for name, verb in READING.items()} == dict.fromkeys(READING, expected)


@pytest.mark.parametrize("make", [*cases()])
def test_every_verb_stores_where_is_stored_one_by_one(make):
    v = make()
    for verbs, values in ((STORING, numbers(v)), (FILLING, [-1.0] * v.size)):
        expected = dict.fromkeys(verbs, refusal_of_all(v) or stored_one_by_one(make, values))
        if expected["accumulate"][0] is None and repeats(v.mapping):  # see `accumulate`
            refused = errors.BroadcastError, data_of(v)
            expected |= {name: refused for name in verbs if name.startswith("transform")}
        assert {name: storing(verb, make()) for name, verb in verbs.items()} == expected


def refusal_of_all(v: MDView) -> object:
    """What refuses a store even where there is no index to store to."""
    return None if isinstance(v.accessor, Writable) else (errors.ReadOnlyError, data_of(v))


@pytest.mark.parametrize("accessor", [DefaultAccessor(), ReadOnlyAccessor(), AtomicAccessor()], ids=repr)
@pytest.mark.parametrize("mapping", CHOSEN.values(), ids=CHOSEN)
def test_every_verb_refuses_a_view_without_data(mapping, accessor):
    null = MDView.from_mapping(None, mapping, accessor)
    stores = errors.NullViewError if isinstance(accessor, Writable) else errors.ReadOnlyError
    assert {name: reading(verb, null) for name, verb in READING.items()} == dict.fromkeys(READING, errors.NullViewError)
    for verbs in (STORING, FILLING):
        assert {name: reading(verb, null) for name, verb in verbs.items()} == dict.fromkeys(verbs, stores)


@pytest.mark.parametrize("accessor", [DefaultAccessor(), AtomicAccessor(), FillAccessor("edge")], ids=repr)
@pytest.mark.parametrize("mapping", CHOSEN.values(), ids=CHOSEN)
def test_every_verb_refuses_data_that_has_become_shorter(mapping, accessor):
    held = [1.0] * (mapping.required_span_size + 1)
    v = MDView.from_mapping(held, mapping, accessor)
    del held[-1]
    for verbs in (READING, STORING, FILLING):
        found = {name: reading(verb, v) for name, verb in verbs.items()}
        assert found == dict.fromkeys(verbs, errors.BufferSizeError)
    assert held == [1.0] * mapping.required_span_size
