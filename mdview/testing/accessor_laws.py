"""Laws of an accessor: a load and a store reach one element, undo each other, and mean the same through every view."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, final

from mdview.accessors.accessor import Accessor, IndexRule, Writable
from mdview.base import as_text, import_numpy
from mdview.errors import AccessorError, IndexOutOfRangeError, MDViewError
from mdview.layouts import Layout, LayoutLeft, LayoutRight, LayoutStrideRelaxed, LayoutTiled
from mdview.layouts.layout import indices
from mdview.mappings.mapping import Mapping
from mdview.memory.storage import Storage
from mdview.operations.copy_fill_reduce import copy
from mdview.testing.access_laws import Placed, numpy_or_none, view_laws
from mdview.testing.laws import Findings, Stages, found, law
from mdview.views.view import MDView

# Any throughout: elements, data and views are whatever the accessor under test takes.
Data = Any

MAPPINGS: Final[tuple[tuple[tuple[int, ...], Layout], ...]] = (
    ((), LayoutRight()),
    ((3,), LayoutRight()),
    ((2, 3), LayoutLeft()),
    ((3,), LayoutStrideRelaxed((-1,), 2)),
    ((3, 3), LayoutTiled(2, 2)),
)
"""Mappings that elements are reached through: of rank 0, dense, flipped, and in tiles."""


@final
class Accessed:
    """An accessor and a maker of data for it: ``make(n)`` gives ``n`` different elements, the same at each call."""

    def __init__(self, accessor: Accessor[Any, Any], make: Callable[[int], Data], size: int) -> None:
        """Look at ``accessor`` over data of ``size`` elements."""
        self.accessor = accessor
        self.make = make
        self.size = size
        self.about: tuple[tuple[str, str], ...] = (("elements", str(size)),)


@law("index rule", "index_rule is an IndexRule, and a view admits the indices that it names")
def rule_is_kept(case: Accessed) -> Findings:
    """Look at an index from the end and at one beyond it."""
    rule: object = case.accessor.index_rule
    if not isinstance(rule, IndexRule):
        yield found("an IndexRule", rule)
        return
    view: Any = MDView.from_mapping(case.make(case.size), Mapping((case.size,)), case.accessor)
    for index in (-1, case.size, -case.size - 1) if rule is not IndexRule.TRUST else ():
        wanted = "an element" if rule is IndexRule.WRAP and index == -1 else "IndexOutOfRangeError"
        try:
            view[index]
            got = "an element"
        except IndexOutOfRangeError:
            got = "IndexOutOfRangeError"
        if got != wanted:
            yield found(f"{wanted}: the rule is {rule}", got, **{"view[...]": index})


@law("load", "a load depends on the element at its offset alone, and changes nothing")
def loads_are_local(case: Accessed) -> Findings:
    """Load from data whose other elements are replaced, and compare the data before and after."""
    data = case.make(case.size)
    before, values = list(data), [case.accessor.read(data, k) for k in range(case.size)]
    for k in range(case.size):
        case.accessor.load(data, k)
        if list(data) != before:
            yield found(f"data {before}", f"data {list(data)}", call=f"load(data, {k})")
        other = case.make(case.size)
        for position in range(case.size):
            other[position] = before[k if position == k else (position + 1) % case.size]
        got = case.accessor.read(other, k)
        if got != values[k]:
            yield found(f"{values[k]!r}, as element {k} is the same", got, call=f"read(data, {k})")
    different = len({repr(value) for value in before}) > len({repr(value) for value in values}) == 1 < case.size
    if different:
        yield found("different values of different elements", values[0], call="read")


@law("store", "a store changes the element at its offset alone, and a load then gives what was stored")
def stores_are_local(case: Accessed) -> Findings:
    """Store what no element has at each offset."""
    accessor = case.accessor
    if not isinstance(accessor, Writable):
        return
    value = accessor.read(case.make(case.size + 1), case.size)
    for k in range(case.size):
        data = case.make(case.size)
        before = list(data)
        accessor.store(data, k, value)
        changed = [p for p in range(case.size) if data[p] != before[p]]
        if any(p != k for p in changed):
            yield found(f"a change at offset {k} alone", f"offsets {changed} changed", call=f"store(data, {k}, ...)")
        if accessor.read(data, k) != value:
            yield found(value, accessor.read(data, k), call=f"store(data, {k}, {value!r}), then read")


@law("offset policy", "offset_policy() stores if this accessor does, has its index rule, and is its own offset policy")
def offset_policy_agrees(case: Accessed) -> Findings:
    """Compare the accessor of derived views, which other laws read and write, with this one."""
    accessor, policy = case.accessor, case.accessor.offset_policy()
    if not isinstance(policy, Accessor):
        yield found("an Accessor", policy)
        return
    if isinstance(policy, Writable) != isinstance(accessor, Writable):
        yield found("a policy that stores if this one does", policy)
    if policy.index_rule is not accessor.index_rule:
        yield found(accessor.index_rule, policy.index_rule, policy=policy)
    if policy.offset_policy() != policy:
        yield found(f"{as_text(policy, repr)}, as once", policy.offset_policy(), call="offset_policy().offset_policy()")


@law("check", "check accepts data or raises AccessorError")
def check_is_by_name(case: Accessed) -> Findings:
    """Offer a buffer, a list and a range, from different positions on."""
    for data in (case.make(case.size), [0] * case.size, range(case.size)):
        for origin in range(case.size):
            try:
                case.accessor.check(Storage(data), origin)
            except AccessorError:
                continue
            except Exception as error:  # noqa: BLE001 - any other kind is what is looked for
                yield found("None or AccessorError", f"{type(error).__name__}: {error}", data=data, origin=origin)


def _views(case: Accessed) -> Iterator[Placed]:
    """Views over several mappings."""
    for extents, layout in MAPPINGS:
        mapping = Mapping(extents, layout)
        data, other = case.make(mapping.required_span_size), case.make(mapping.required_span_size)
        places = {index: mapping(*index) for index in indices(extents)}
        values = dict.fromkeys(places, case.accessor.read(data, max(places.values())))
        yield MDView.from_mapping(data, mapping, case.accessor), data, other, places, values


# Elementwise accessors: a run of items gives what Python gives item by item.

SIZES: Final = (1, 2, 3, 8)
"""How many elements the data has, in turn."""
_COUNT: Final = 4096
_LONG: Final = 1500
"""So many items are a run, which need not be called item by item."""
_ULPS: Final = 2
_LIKELY: Final = 1e6


def _items(case: Accessed, np: Any) -> Any:
    """Items to try, an array: all of 8 and 16 bits, else those of the data, numbers of all sizes, and any bits."""
    from mdview.engines.bulk.arrays.item_arrays import row_of  # noqa: PLC0415 - loads NumPy

    row = row_of(Storage(case.make(case.size)).items)
    if not case.accessor.is_elementwise or row is None or row.dtype.kind not in "biufc":
        return None
    if row.dtype.kind == "b":
        return np.array([False, True])
    if row.dtype.itemsize <= 2:  # noqa: PLR2004 - bytes
        return np.arange(1 << 8 * row.dtype.itemsize).astype(f"u{row.dtype.itemsize}").view(row.dtype)
    powers = np.array([2**k + d for k in range(8 * min(row.dtype.itemsize, 8) - 1) for d in (-1, 0, 1)])
    special = np.array([] if row.dtype.kind in "iu" else [0.5, -0.5, -0.0, math.inf, -math.inf, math.nan])
    bits = np.random.default_rng(27).bytes(_COUNT * row.dtype.itemsize)
    numbers = [given.astype(row.dtype) for given in (powers, -powers, special)]
    return np.concatenate([row, *numbers, np.frombuffer(bits, row.dtype)])


def _groups(case: Accessed) -> Iterator[tuple[Any, list[Any]]]:
    """Items of which other ways may be taken, and what each is read as or fails by.

    They are all, those that are no extremes, and of these the positive ones; none of data that is not the largest.
    """
    np = numpy_or_none()
    if np is None or case.size < SIZES[-1]:
        return
    with np.errstate(all="ignore"):
        items = _items(case, np)
        if items is None or isinstance(_outcome(_view, case, items), MDViewError):
            return
        likely = items[np.abs(items.astype(complex)) < _LIKELY]
        groups = [items, likely, likely[likely.real > 0]]
    for group in groups:
        view = _view(case, group)
        yield group, [_outcome(view.__getitem__, k) for k in range(len(group))]


def _outcome(call: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except Exception as error:  # noqa: BLE001 - the code of a user
        return error


def _view(case: Accessed, items: Any) -> Any:
    return MDView(items, (len(items),), accessor=case.accessor)


def _agree(value: Any, got: Any) -> bool:
    value = value.item() if hasattr(value, "dtype") else value
    if isinstance(value, complex) and isinstance(got, complex):
        return _agree(value.real, got.real) and _agree(value.imag, got.imag)
    if type(value) is not type(got) or value == got or not isinstance(value, float):
        return type(value) is type(got) and value == got
    return (math.isnan(value) and math.isnan(got)) or abs(value - got) <= _ULPS * math.ulp(value)


def _differing(call: str, given: Iterable[Any], ones: Iterable[Any], run: Iterable[Any]) -> Findings:
    """Return what is not the same in a run, which goes on, as one by one."""
    for each, one, got in zip(given, ones, run, strict=False):
        if not _agree(one, got):
            yield found(one, got, call=f"{call}({each!r}) in a run")


@law(
    "runs read",
    "a run of items reads as item by item, to two units in the last place, and raises what one of them does",
)
def runs_read_as_items(case: Accessed) -> Findings:
    """Read many items at once, and an item that cannot be decoded among many that can."""
    for items, ones in _groups(case):
        good = [k for k, one in enumerate(ones) if not isinstance(one, Exception)]
        if not good:
            continue
        run = import_numpy().resize(items[good], max(_LONG, len(good)))
        yield from _differing("decode", items[good], [ones[k] for k in good], _view(case, run).tolist())
        for k in {type(one): k for k, one in enumerate(ones) if isinstance(one, Exception)}.values():
            run[run.size // 2] = items[k]
            got = _outcome(_view(case, run).tolist)
            if type(got) is not type(ones[k]):
                yield found(type(ones[k]).__name__, type(got).__name__, call=f"decode({items[k]!r}) in a run")


@law("runs write", "a run of values is stored as one by one, to two units in the last place")
def runs_write_as_values(case: Accessed) -> Findings:
    """Store what items are decoded to."""
    for items, ones in _groups(case) if isinstance(case.accessor, Writable) else ():
        np = import_numpy()
        cell = np.zeros_like(items[:1])
        target = _view(case, cell)
        good = [one for one in ones if not isinstance(one, Exception)]
        stored = [(one, cell.tolist()[0]) for one in good if _outcome(target.__setitem__, 0, one) is None]
        values = [one for one, _ in stored]
        if len({*map(type, values)}) != 1 or not isinstance(values[0], bool | int | float | complex):
            continue
        run = np.resize(np.array(values), max(_LONG, len(values)))
        written = np.zeros(run.size, items.dtype)
        copy(MDView(run, (run.size,)), _view(case, written))
        yield from _differing("encode", values, [item for _, item in stored], written.tolist())


ACCESSOR_LAWS: Final[Stages] = (
    (loads_are_local, check_is_by_name),
    (rule_is_kept,),
    (stores_are_local, offset_policy_agrees),
    *[(one,) for one in view_laws(_views)],
    (runs_read_as_items,),
    (runs_write_as_values,),
)
"""Laws of an accessor over some data, in stages."""
