"""Laws of an accessor: a load and a store reach one element, undo each other, and mean the same through every view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, final

from mdview.accessors.base import Accessor, IndexRule, Writable
from mdview.accessors.buffers import Storage
from mdview.errors import AccessorError, IndexOutOfRangeError, ReadOnlyError
from mdview.layouts.base import Layout, indices
from mdview.layouts.left import LayoutLeft
from mdview.layouts.right import LayoutRight
from mdview.layouts.stride_relaxed import LayoutStrideRelaxed
from mdview.layouts.tiled import LayoutTiled
from mdview.mappings.mapping import Mapping
from mdview.operations.algorithms import copy, fill
from mdview.testing.laws import Finding, Law, found, law
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
        self.about = (("elements", str(size)),)

    def stored(self, data: Data) -> list[Any]:
        """Return what lies in the data, whatever the accessor makes of it."""
        return list(data)

    def values(self, data: Data) -> list[Any]:
        """Return what the accessor reads from each element."""
        return [self.accessor.read(data, k) for k in range(self.size)]


@law("index rule", "index_rule is an IndexRule, and a view admits the indices that it names")
def rule_is_kept(case: Accessed) -> Finding | None:
    """Look at an index from the end and at one beyond it."""
    rule: object = case.accessor.index_rule
    if not isinstance(rule, IndexRule):
        return found("an IndexRule", rule)
    view: Any = MDView.from_mapping(case.make(case.size), Mapping((case.size,)), case.accessor)
    if rule is IndexRule.TRUST:
        return None
    for index, admitted in ((-1, rule is IndexRule.WRAP), (case.size, False), (-case.size - 1, False)):
        try:
            view[index]
        except IndexOutOfRangeError:
            if admitted:
                return found(f"an element: the rule is {rule}", "IndexOutOfRangeError", **{"view[...]": index})
        else:
            if not admitted:
                return found(f"IndexOutOfRangeError: the rule is {rule}", "an element", **{"view[...]": index})
    return None


@law("load", "a load depends on the element at its offset alone, and changes nothing")
def loads_are_local(case: Accessed) -> Finding | None:
    """Load from data whose other elements are replaced, and compare the data before and after."""
    data = case.make(case.size)
    before, values = case.stored(data), case.values(data)
    for k in range(case.size):
        case.accessor.load(data, k)
        if case.stored(data) != before:
            return found(f"data {before}", f"data {case.stored(data)}", call=f"load(data, {k})")
        other = case.make(case.size)
        for position in range(case.size):
            other[position] = before[k if position == k else (position + 1) % case.size]
        got = case.accessor.read(other, k)
        if got != values[k]:
            return found(f"{values[k]!r}, as element {k} is the same", got, call=f"read(data, {k})")
    different = len({repr(value) for value in before}) > len({repr(value) for value in values}) == 1 < case.size
    return found("different values of different elements", values[0], call="read") if different else None


@law("read", "read gives the value of what load gives")
def read_is_the_value_of_load(case: Accessed) -> Finding | None:
    """Compare both at every offset; a proxy compares by its value."""
    data = case.make(case.size)
    for k in range(case.size):
        loaded, value = case.accessor.load(data, k), case.accessor.read(data, k)
        if loaded != value:
            return found(f"{loaded!r}, as load gives", value, call=f"read(data, {k})")
    return None


@law("store", "a store changes the element at its offset alone, and a load then gives what was stored")
def stores_are_local(case: Accessed) -> Finding | None:
    """Store what no element has at each offset."""
    accessor = case.accessor
    if not isinstance(accessor, Writable):
        return None
    value = accessor.read(case.make(case.size + 1), case.size)
    for k in range(case.size):
        data = case.make(case.size)
        before = case.stored(data)
        accessor.store(data, k, value)
        after = case.stored(data)
        changed = [p for p in range(case.size) if after[p] != before[p]]
        if any(p != k for p in changed):
            return found(f"a change at offset {k} alone", f"offsets {changed} changed", call=f"store(data, {k}, ...)")
        if accessor.read(data, k) != value:
            return found(value, accessor.read(data, k), call=f"store(data, {k}, {value!r}), then read")
    return None


@law("plain", "where is_plain, a load is data[offset] and a store data[offset] = value")
def plain_is_plain(case: Accessed) -> Finding | None:
    """Compare with the data itself."""
    if not case.accessor.is_plain:
        return None
    data = case.make(case.size)
    for k in range(case.size):
        if case.accessor.load(data, k) != data[k]:
            return found(data[k], case.accessor.load(data, k), call=f"load(data, {k})")
        if isinstance(case.accessor, Writable):
            value = data[(k + 1) % case.size]
            case.accessor.store(data, k, value)
            if data[k] != value:
                return found(f"data[{k}] {value!r}", data[k], call=f"store(data, {k}, {value!r})")
    return None


@law(
    "offset policy", "offset_policy() reads and writes the same, has the same index rule, and is its own offset policy"
)
def offset_policy_agrees(case: Accessed) -> Finding | None:
    """Compare the accessor of derived views with this one."""
    accessor, policy = case.accessor, case.accessor.offset_policy()
    if not isinstance(policy, Accessor):
        return found("an Accessor", policy)
    if isinstance(policy, Writable) != isinstance(accessor, Writable):
        return found("a policy that stores if this one does", policy)
    if policy.index_rule is not accessor.index_rule:
        return found(accessor.index_rule, policy.index_rule, policy=policy)
    if policy.offset_policy() != policy:
        return found(f"{policy!r}, as once", policy.offset_policy(), call="offset_policy().offset_policy()")
    data = case.make(case.size)
    for k in range(case.size):
        if policy.read(data, k) != accessor.read(data, k):
            return found(accessor.read(data, k), policy.read(data, k), call=f"offset_policy().read(data, {k})")
    if isinstance(accessor, Writable) and isinstance(policy, Writable):
        return _stores_agree(case, accessor, policy)
    return None


def _stores_agree(case: Accessed, accessor: Writable[Any, Any], policy: Writable[Any, Any]) -> Finding | None:
    mine, its = case.make(case.size), case.make(case.size)
    value = accessor.read(mine, 0)
    for k in range(case.size):
        accessor.store(mine, k, value)
        policy.store(its, k, value)
        if case.stored(mine) != case.stored(its):
            return found(case.stored(mine), case.stored(its), call=f"offset_policy().store(data, {k}, {value!r})")
    return None


@law("check", "check accepts data or raises AccessorError")
def check_is_by_name(case: Accessed) -> Finding | None:
    """Offer a buffer, a list and a range, from different positions on."""
    for data in (case.make(case.size), [0] * case.size, range(case.size)):
        for origin in range(case.size):
            try:
                case.accessor.check(Storage(data), origin)
            except AccessorError:
                continue
            except Exception as error:  # noqa: BLE001 - any other kind is what is looked for
                return found("None or AccessorError", f"{type(error).__name__}: {error}", data=data, origin=origin)
    return None


def _views(case: Accessed) -> Iterator[tuple[Any, Data, dict[tuple[int, ...], int]]]:
    """Views over several mappings with the data and the position of each index."""
    for extents, layout in MAPPINGS:
        mapping = Mapping(extents, layout)
        data = case.make(mapping.required_span_size)
        view = MDView.from_mapping(data, mapping, case.accessor)
        yield view, data, {index: mapping(*index) for index in indices(extents)}


@law("views read", "every way to read a view gives what read gives at the mapping's offset")
def views_read(case: Accessed) -> Finding | None:
    """Read elements one by one, all at once, and through slices, over several layouts."""
    for view, data, places in _views(case):
        wanted = [case.accessor.read(data, place) for place in places.values()]
        ways = {"view[index]": [view[index] for index in places], "view.tolist()": _flat(view.tolist())}
        if view.rank:
            back = view[(slice(None, None, -1),) * view.rank]
            ways["view[::-1, ...], from the end"] = _flat(back.tolist())[::-1]
        for way, got in ways.items():
            if got != wanted:
                return found(wanted, got, way=way, mapping=view.mapping)
    return None


@law("views write", "every way to write a view stores at the mapping's offsets alone; a view that cannot store says so")
def views_write(case: Accessed) -> Finding | None:
    """Write elements one by one, copy, and fill, over several layouts."""
    for view, data, places in _views(case):
        accessor = case.accessor
        if not isinstance(accessor, Writable):
            finding = _refuses_stores(view, data)
            if finding is not None:
                return finding
            continue
        value = accessor.read(data, max(places.values()))
        for way, write in _writers(view, value, list(places)).items():
            expected = case.make(len(data))
            for place in places.values():
                accessor.store(expected, place, value)
            write()
            if list(data) != list(expected):
                return found(list(expected), list(data), way=way, mapping=view.mapping)
    return None


def _writers(view: Any, value: Any, places: list[tuple[int, ...]]) -> dict[str, Callable[[], None]]:
    def one_by_one() -> None:
        for index in places:
            view[index] = value

    def copied() -> None:
        copy(MDView([value] * len(places), tuple(view.extents)), view)

    return {"view[index] = x": one_by_one, "copy": copied, "fill": lambda: fill(view, value)}


def _refuses_stores(view: Any, data: Data) -> Finding | None:
    before = list(data)
    try:
        view[(0,) * view.rank] = before[0]
    except ReadOnlyError:
        return None if list(data) == before else found(before, list(data), way="view[index] = x")
    return found("ReadOnlyError: the accessor has no store", "no error", way="view[index] = x")


def _flat(nested: Any) -> list[Any]:
    return [x for part in nested for x in _flat(part)] if isinstance(nested, list) else [nested]


ACCESSOR_LAWS: Final[tuple[Law, ...]] = (
    loads_are_local,
    read_is_the_value_of_load,
    stores_are_local,
    plain_is_plain,
    rule_is_kept,
    offset_policy_agrees,
    check_is_by_name,
    views_read,
    views_write,
)
"""Laws of an accessor over some data."""
