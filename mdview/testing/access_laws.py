"""Laws of access: every way to read or write a view agrees with the accessor; bad indices are refused.

The ways are access to one element, to whole views and to parts, copies, and NumPy arrays. The same comparison of all
ways tests layouts and accessors. In the data for layouts, each element is its own position. The data for accessors
comes from a user; runs of items that are long enough for the engines on arrays are added.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, cycle, islice
from typing import Any, Final, TypeAlias, final

import mdview as md
from mdview.accessors.accessor import Accessor, IndexRule, Writable
from mdview.base import as_text, import_numpy
from mdview.layouts.layout import indices
from mdview.memory.storage import Storage
from mdview.testing.laws import Bound, Findings, IndexTuple, Law, Stages, error_text, found, law, outcome

# Any throughout: views of any rank and accessor, their values, and data for the accessor under test.
SomeView: TypeAlias = Any
Ways: TypeAlias = Iterator[tuple[str, Callable[[], Any]]]
"""Ways to read or to write a view: a description and a function for each way."""
Placed: TypeAlias = tuple[SomeView, Any, Any, Mapping[IndexTuple, int], Mapping[IndexTuple, Any]]
"""A view, its data, a copy of the data, the position in the data of each index, and the value to store for each."""

ORIGIN, GUARD = 3, 2
"""The numbers of further elements before and after the elements of a view; no access may reach them."""
LARGEST_COPY: Final = 1 << 16
"""The largest span of a mapping for which data is made; mappings with a larger span are not tested."""
KINDS: Final[dict[type, str]] = {bool: "b", int: "iu", float: "f", complex: "c"}
"""For each Python number type, the kinds of NumPy types that hold its numbers unchanged."""
MOST_SHOWN: Final = 8
"""The most wrong positions that a finding lists."""
ULPS: Final = 2
"""The most units in the last place by which two floats may differ and still agree."""


def flattened(nested: object) -> list[Any]:
    """Return the elements of nested lists, as from ``tolist``, in order."""
    return [x for part in nested for x in flattened(part)] if isinstance(nested, list) else [nested]


def _read_ways(view: SomeView, wanted: Iterable[IndexTuple]) -> Ways:
    yield "view[index]", lambda: [view[index] for index in wanted]
    shape = tuple(map(int, view.extents))
    if view.accessor.index_rule is IndexRule.WRAP:
        ends = [tuple([i - e for i, e in zip(index, shape, strict=True)]) for index in wanted]
        yield "view[index], counted from the end", lambda: [view[index] for index in ends]
    if not view.layout.is_total():
        return
    yield "view.tolist()", lambda: flattened(view.tolist())
    yield "copy(view, ...)", partial(_copied, view, shape)
    if view.rank:
        flipped = (slice(None, None, -1),) * view.rank
        yield "view[::-1, ...], from the end", lambda: flattened(view[flipped].tolist())[::-1]
    np = numpy_or_none() if view.accessor.is_plain and view.format != "O" else None
    if np is not None:
        yield "np.asarray(view)", lambda: np.asarray(view).ravel().tolist()


def _copied(view: SomeView, shape: IndexTuple) -> list[Any]:
    values = [None] * view.size
    md.copy(view, md.MDView(values, shape))
    return values


def numpy_or_none() -> Any:
    """Return NumPy, or None if it is not installed."""
    try:
        return import_numpy()
    except md.errors.MissingExtraError:
        return None


def _write_ways(view: SomeView, values: Mapping[IndexTuple, Any]) -> Ways:
    # In one of the two orders, a store that changes another element changes one that was already written.
    yield "view[index] = x", lambda: [view.__setitem__(*item) for item in values.items()]
    yield "view[index] = x, backwards", lambda: [view.__setitem__(*item) for item in reversed([*values.items()])]
    if values and view.layout.is_total():
        shape, row = tuple(map(int, view.extents)), [*values.values()]
        dense: SomeView = md.MDView(row, shape)
        yield "copy(..., view)", partial(md.copy, dense, view)
        yield "copy(..., view[...])", partial(md.copy, dense, view[...])
        if {*map(repr, row)} == {repr(row[0])}:
            yield "fill(view, ...)", partial(md.fill, view, row[0])
        np, kinds = numpy_or_none(), {KINDS.get(type(value), "") for value in row}
        numbers = np.array(row) if np and len(kinds) == 1 and "" not in kinds else None
        if numbers is not None and numbers.dtype.kind in kinds.pop():
            yield "copy(np.array(...), view)", partial(md.copy, md.MDView(numbers, shape), view)


def view_laws(views: Callable[[Any], Iterator[Placed]]) -> tuple[Law, Law]:
    """Return the laws about all ways to read and to write views. ``views`` makes the views of a case."""
    read = law(
        "views read",
        "every way to read a view gives what its accessor reads at the mapping's offsets, floats to two units in the "
        "last place, or raises what it raises",
    )
    says = "every way to write a view stores at the mapping's offsets alone; one that cannot store says so"
    written = law("views write", says)(lambda case: chain.from_iterable(map(_miswritten, views(case))))
    return read(lambda case: chain.from_iterable(map(_misread, views(case)))), written


def _misread(placed: Placed) -> Findings:
    """Compare the values and errors of every way to read with the values and errors of the accessor."""
    view, data, _, places, _ = placed
    wanted = {index: outcome(view.accessor.read, data, position) for index, position in places.items()}
    failures = {type(value).__name__ for value in wanted.values() if isinstance(value, Exception)}
    for way, read in _read_ways(view, wanted):
        result = outcome(read)
        if failures or isinstance(result, Exception):
            if type(result).__name__ not in failures:
                yield found(", ".join(failures) or "no error", result, way=way, mapping=view.mapping)
            continue
        for (index, value), got in zip(wanted.items(), result, strict=True):
            if not _agree(value, got):
                yield found(value, got, way=way, mapping=view.mapping, index=index)
                break


def _miswritten(placed: Placed) -> Findings:
    """Compare the data after every way to write with the data after stores by the accessor at each position.

    If the accessor does not store, every way must raise `ReadOnlyError` and leave the data unchanged.
    """
    view, data, expected, places, values = placed
    stores = isinstance(view.accessor, Writable)
    for index, value in values.items() if stores else ():
        view.accessor.store(expected, places[index], value)
    for way, write in _write_ways(view, values) if values else ():
        if stores:
            write()
        elif not isinstance(error := outcome(write), md.errors.ReadOnlyError):
            said = error if isinstance(error, Exception) else "no error"
            yield found("ReadOnlyError: the accessor has no store", said, way=way)
        wrong = _differing(expected, data)
        if wrong:
            wanted, got = [expected[k] for k in wrong], [data[k] for k in wrong]
            yield found(wanted, got, way=way, mapping=view.mapping, positions=wrong)
            return


def _differing(expected: Iterable[Any], got: Iterable[Any]) -> list[int]:
    """Return the first positions, at most `MOST_SHOWN`, at which two sequences differ."""
    pairs = enumerate(zip(expected, got, strict=True))
    return [*islice((k for k, (x, y) in pairs if not _agree(x, y)), MOST_SHOWN)]


def _agree(value: Any, got: Any) -> bool:
    """Tell whether two values agree: floats may differ by `ULPS`; numbers of different types do not agree."""
    if type(value) is type(got) and value == got:
        return True
    value = value.item() if hasattr(value, "dtype") else value
    if isinstance(value, complex) and isinstance(got, complex):
        return _agree(value.real, got.real) and _agree(value.imag, got.imag)
    if isinstance(value, float) and isinstance(got, float) and value != got:
        return (math.isnan(value) and math.isnan(got)) or abs(value - got) <= ULPS * math.ulp(value)
    is_alike = type(value) is type(got) or type(got) not in KINDS  # a proxy equals its element
    return is_alike and bool(value == got)


def _over_positions(case: Bound) -> Iterator[Placed]:
    """Yield two views, with dynamic and with static extents, over data in which each element is its position.

    There is no view if the span exceeds `LARGEST_COPY`.
    """
    for make in (int, md.dim) if case.span <= LARGEST_COPY else ():
        data = array("q", range(ORIGIN + case.mapping.required_span_size + GUARD))
        mapping = type(case.mapping)(tuple([make(int(extent)) for extent in case.extents]), case.layout)
        places = {index: ORIGIN + offset for index, offset in case.offsets.items()}
        values = {index: -1 - offset for index, offset in case.offsets.items()}  # each value identifies its offset
        yield md.MDView.from_mapping(data, mapping, origin=ORIGIN), data, array("q", data), places, values


@law("errors", "an index outside the extents, of another rank, or no integer, is an error, and nothing is written")
def bad_indices_are_refused(case: Bound) -> Findings:
    """Test indices just outside each bound, a huge index, a float, and too few or too many indices.

    The indices are tested on a mapping and on a view.
    """
    mapping = case.mapping
    for index, wanted in _bad_indices(case.extents):
        # Over empty extents index 0 of another dimension is out of range already.
        kinds = (wanted, md.errors.IndexOutOfRangeError) if 0 in case.extents else (wanted,)
        yield from _accepted("mapping(...)", lambda key: mapping(*key), index, kinds)
    for view, data, before, *_ in _over_positions(case):
        for index, wanted in _bad_indices(case.extents):
            if wanted is not md.errors.RankError and -1 not in index:  # these select a part, or the last element
                refusals = (wanted, md.errors.IndexOutOfRangeError, md.errors.HaloError)
                yield from _accepted("view[...]", view.__getitem__, index, refusals)
                yield from _accepted("view[...] = x", partial(_stored, view), index, refusals)
        if data != before:
            yield found("data as before", "changed data")


def _stored(view: SomeView, index: object) -> None:
    view[index] = -1


def _accepted(
    way: str, call: Callable[[Any], object], index: tuple[object, ...], kinds: tuple[type[Exception], ...]
) -> Findings:
    """Yield a finding unless ``call`` refuses an index with an error of a class in ``kinds``."""
    got = outcome(call, index)
    if not isinstance(got, kinds):
        said = error_text(got) if isinstance(got, Exception) else f"offset {got}"
        yield found(kinds[0].__name__, said, **{way: index})


def _bad_indices(extents: tuple[int, ...]) -> Iterator[tuple[tuple[object, ...], type[Exception]]]:
    zero = (0,) * len(extents)
    yield (*zero, 0), md.errors.RankError
    if extents:
        yield zero[1:], md.errors.RankError
    for r, extent in enumerate(extents):
        for i in (-1, extent, -extent - 1, 2**70, 0.5):
            error = md.errors.IndexTypeError if isinstance(i, float) else md.errors.IndexOutOfRangeError
            yield (*zero[:r], i, *zero[r + 1 :]), error


ACCESS_LAWS: Final = (bad_indices_are_refused, *view_laws(_over_positions))
"""Laws of the access to views over one mapping."""

MAPPINGS: Final[tuple[tuple[tuple[int, ...], md.Layout], ...]] = (
    ((), md.LayoutRight()),
    ((3,), md.LayoutRight()),
    ((2, 3), md.LayoutLeft()),
    ((3,), md.LayoutStrideRelaxed((-1,), 2)),
    ((3, 3), md.LayoutTiled(2, 2)),
)
"""The mappings on which accessors are tested: of rank 0, contiguous, flipped, and tiled."""
SIZES: Final = (1, 2, 3, 8)
"""The sizes of the data, in elements."""
COUNT, LONG, LIKELY = 1024, 1500, 1e6
"""The number of items of random bits, the length of a run for the engines on arrays, and the bound of likely values."""


@final
class Accessed:
    """An accessor, and the function that makes its data: ``make(n)`` returns ``n`` different elements.

    The elements are the same at each call.
    """

    def __init__(self, accessor: Accessor[Any, Any], make: Callable[[int], Any], size: int) -> None:
        """Make the case of ``accessor`` over data of ``size`` elements."""
        self.accessor = accessor
        self.make = make
        self.size = size
        self.about: tuple[tuple[str, str], ...] = (("elements", str(size)),)


@law("index rule", "index_rule is an IndexRule, and a view admits the indices that it names")
def rule_is_kept(case: Accessed) -> Findings:
    """Access an element at index -1 and at an index beyond each end, and compare the results with the index rule."""
    rule: object = case.accessor.index_rule
    if not isinstance(rule, IndexRule):
        yield found("an IndexRule", rule)
    view = _view(case, case.make(case.size))
    for index in (-1, case.size, -case.size - 1) if rule in {IndexRule.WRAP, IndexRule.CHECK} else ():
        wanted = "an element" if rule is IndexRule.WRAP and index == -1 else "IndexOutOfRangeError"
        got = outcome(view.__getitem__, index)
        said = type(got).__name__ if isinstance(got, Exception) else "an element"
        if said != wanted:
            yield found(f"{wanted}: the rule is {rule}", said, **{"view[...]": index})


@law("load", "a load depends on the element at its offset alone, and changes nothing")
def loads_are_local(case: Accessed) -> Findings:
    """Compare the data before and after a load, and the value of each element before and after all others change."""
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
    if len({*map(repr, before)}) > len({*map(repr, values)}) == 1 < case.size:
        yield found("different values of different elements", values[0], call="read")


@law("store", "a store changes the element at its offset alone, and a load then gives what was stored")
def stores_are_local(case: Accessed) -> Findings:
    """Store a new value, which equals no element, at each offset, and compare the data before and after."""
    accessor = case.accessor
    if not isinstance(accessor, Writable):
        return
    value = accessor.read(case.make(case.size + 1), case.size)
    for k in range(case.size):
        data = case.make(case.size)
        before = list(data)
        accessor.store(data, k, value)
        changed = [p for p in range(case.size) if data[p] != before[p]]
        if {*changed} - {k}:
            yield found(f"a change at offset {k} alone", f"offsets {changed} changed", call=f"store(data, {k}, ...)")
        if accessor.read(data, k) != value:
            yield found(value, accessor.read(data, k), call=f"store(data, {k}, {value!r}), then read")


@law("offset policy", "offset_policy() stores if this accessor does, has its index rule, and is its own offset policy")
def offset_policy_agrees(case: Accessed) -> Findings:
    """Compare the accessor of derived views, ``offset_policy()``, with the accessor of the case."""
    accessor, policy = case.accessor, case.accessor.offset_policy()
    if not isinstance(policy, Accessor):
        yield found("an Accessor", policy)
    if isinstance(policy, Writable) != isinstance(accessor, Writable):
        yield found("a policy that stores if this one does", policy)
    if policy.index_rule is not accessor.index_rule:
        yield found(accessor.index_rule, policy.index_rule, policy=policy)
    if policy.offset_policy() != policy:
        yield found(f"{as_text(policy, repr)}, as once", policy.offset_policy(), call="offset_policy().offset_policy()")


@law("check", "check accepts data or raises AccessorError")
def check_is_by_name(case: Accessed) -> Findings:
    """Call ``check`` with the data of the case, a list and a range, for each position of offset 0."""
    for data in (case.make(case.size), [0] * case.size, range(case.size)):
        for origin in range(case.size):
            error = outcome(case.accessor.check, Storage(data), origin)
            if isinstance(error, Exception) and not isinstance(error, md.errors.AccessorError):
                yield found("None or AccessorError", error_text(error), data=data, origin=origin)


def _view(case: Accessed, items: Any) -> SomeView:
    return md.MDView(items, (len(items),), accessor=case.accessor)


def _views(case: Accessed) -> Iterator[Placed]:
    """Yield a view for each mapping in `MAPPINGS`, and for an elementwise accessor also long runs of items."""
    for extents, layout in MAPPINGS:
        mapping = md.Mapping(extents, layout)
        data, other = case.make(mapping.required_span_size), case.make(mapping.required_span_size)
        places = {index: mapping(*index) for index in indices(extents)}
        values = dict.fromkeys(places, case.accessor.read(data, max(places.values())))
        yield md.MDView.from_mapping(data, mapping, case.accessor), data, other, places, values
    np = numpy_or_none() if case.accessor.is_elementwise and case.size == SIZES[-1] else None
    for items in () if np is None else _items(case, np):
        if not isinstance(outcome(_view, case, items), md.errors.MDViewError):
            yield from _runs(case, np, items)


def _items(case: Accessed, np: Any) -> list[Any]:
    """Return three arrays of items: all items, the items of moderate size, and the positive items of moderate size.

    The items are the items of the data, powers of 2 with their neighbours, special floats, and random bits. For truth
    values, there is only one array; for items that are not numbers, the list is empty.
    """
    from mdview.engines.bulk.arrays.item_arrays import row_of  # noqa: PLC0415 - loads NumPy

    row = row_of(Storage(case.make(case.size)).items)
    if row is None or row.dtype.kind not in "biufc":
        return []
    if row.dtype.kind == "b":
        return [np.array([False, True])]
    powers = np.array([2**k + d for k in range(8 * min(row.dtype.itemsize, 8) - 1) for d in (-1, 0, 1)])
    special = np.array([] if row.dtype.kind in "iu" else [0.5, -0.5, -0.0, math.inf, -math.inf, math.nan])
    bits = np.random.default_rng(27).bytes(COUNT * row.dtype.itemsize)
    with np.errstate(all="ignore"):
        numbers = [candidates.astype(row.dtype) for candidates in (powers, -powers, special)]
        items = np.concatenate([row, *numbers, np.frombuffer(bits, row.dtype)])
        likely = items[np.abs(items.astype(complex)) < LIKELY]
    return [items, likely, likely[likely.real > 0]]


def _runs(case: Accessed, np: Any, items: Any) -> Iterator[Placed]:
    """Yield a run of the items that can be decoded, and for each type of error a run in which one item raises it."""
    view, one = _view(case, items), _view(case, np.zeros_like(items[:1]))
    decoded = [outcome(view.__getitem__, k) for k in range(len(items))]
    good = [k for k, value in enumerate(decoded) if not isinstance(value, Exception)]
    bad = {type(value): k for k, value in enumerate(decoded) if isinstance(value, Exception)}
    stored = [decoded[k] for k in good if outcome(one.__setitem__, 0, decoded[k]) is None]
    for k in (None, *bad.values()) if good else ():
        run = np.resize(items[good], max(LONG, len(good)))
        places: dict[IndexTuple, int] = {(position,): position for position in range(run.size)}
        if k is not None:
            run[run.size // 2] = items[k]
        values = dict(zip(places, cycle(stored if k is None else ()), strict=False))
        yield _view(case, run), Storage(run).items, Storage(run.copy()).items, places, values


ACCESSOR_LAWS: Final[Stages] = (
    (loads_are_local, check_is_by_name),
    (rule_is_kept,),
    (stores_are_local, offset_policy_agrees),
    *[(one,) for one in view_laws(_views)],
)
"""Laws of an accessor over some data, in stages."""
