"""Laws of access: every way to read or to write a view reaches the elements at the mapping's offsets alone.

Ways are compiled access to one element, whole views, parts, copies and arrays of NumPy. The same comparisons serve
layouts, over data whose elements are their positions, and accessors, over data of the user's.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, Final, TypeAlias

from mdview.accessors.accessor import IndexRule, Writable
from mdview.base import import_numpy
from mdview.errors import HaloError, IndexOutOfRangeError, IndexTypeError, MissingExtraError, RankError, ReadOnlyError
from mdview.index.extents import dim
from mdview.operations.copy_fill_reduce import copy, fill
from mdview.testing.laws import Bound, Findings, IndexTuple, Law, found, law
from mdview.views.view import MDView

# Any throughout: views of any rank and accessor, and their values.
SomeView: TypeAlias = Any
Write: TypeAlias = tuple[str, Callable[[], object], Mapping[IndexTuple, Any]]
"""A way to write: its text, what it does, and which values it stores at which indices."""
Placed: TypeAlias = tuple[SomeView, Any, Any, Mapping[IndexTuple, int], Mapping[IndexTuple, Any]]
"""A view, its data, other data that is equal, the position of each index, and what is to be stored there."""

ORIGIN: Final = 3
"""Elements in front of those of a view, which no access may reach."""
GUARD: Final = 2
"""Elements behind them."""
LARGEST_COPY: Final = 1 << 16
"""Mappings with a larger span are given no data of their own, and so are not looked at under these laws."""


def flattened(nested: object) -> list[Any]:
    """Return the elements of nested lists, such as ``tolist`` gives, in order."""
    return [x for part in nested for x in flattened(part)] if isinstance(nested, list) else [nested]


def _read_ways(view: SomeView, wanted: Iterable[IndexTuple]) -> Iterator[tuple[str, Callable[[], Iterable[Any]]]]:
    yield "view[index]", lambda: [view[index] for index in wanted]
    if view.accessor.index_rule is IndexRule.WRAP:
        shape = tuple(map(int, view.extents))
        yield (
            "view[index], counted from the end",
            lambda: [view[tuple([i - e for i, e in zip(index, shape, strict=True)])] for index in wanted],
        )
    if not view.layout.is_total():
        return
    yield "view.tolist()", lambda: flattened(view.tolist())
    yield "copy(view, ...)", lambda: _copied(view)
    if view.rank:
        flipped = (slice(None, None, -1),) * view.rank
        yield "view[::-1, ...], from the end", lambda: flattened(view[flipped].tolist())[::-1]
    np = numpy_or_none() if view.accessor.is_plain and view.format != "O" else None
    if np is not None:
        yield "np.asarray(view)", lambda: np.asarray(view).ravel().tolist()


def numpy_or_none() -> Any:
    """Return NumPy if it is installed."""
    try:
        return import_numpy()
    except MissingExtraError:
        return None


def _copied(view: SomeView) -> list[Any]:
    made = [None] * view.size
    copy(view, MDView(made, tuple(map(int, view.extents))))
    return made


def _write_ways(view: SomeView, values: Mapping[IndexTuple, Any]) -> Iterator[Write]:
    # What one store changes besides its own element, another one has written before in either order.
    yield "view[index] = x", lambda: [view.__setitem__(*item) for item in values.items()], values
    yield (
        "view[index] = x, backwards",
        lambda: [view.__setitem__(*item) for item in reversed([*values.items()])],
        values,
    )
    if values and view.layout.is_total():
        dense: SomeView = MDView([*values.values()], tuple(map(int, view.extents)))
        yield "copy(..., view)", partial(copy, dense, view), values
        yield "copy(..., view[...])", partial(copy, dense, view[...]), values
        one = next(iter(values.values()))
        yield "fill(view, ...)", partial(fill, view, one), dict.fromkeys(values, one)


def view_laws(views: Callable[[Any], Iterator[Placed]]) -> tuple[Law, Law]:
    """Return the laws of all ways to read and to write views, where ``views`` makes those of a case. Any: a case."""
    read = law("views read", "every way to read a view gives what its accessor reads at the mapping's offsets")
    says = "every way to write a view stores at the mapping's offsets alone; one that cannot store says so"
    return (
        read(lambda case: chain.from_iterable(map(_misread, views(case)))),
        law("views write", says)(lambda case: chain.from_iterable(map(_miswritten, views(case)))),
    )


def _misread(placed: Placed) -> Findings:
    """Compare what every way reads with what the accessor does at each place."""
    view, data, _, places, _ = placed
    wanted = {index: view.accessor.read(data, place) for index, place in places.items()}
    for way, read in _read_ways(view, wanted):
        for (index, value), got in zip(wanted.items(), read(), strict=True):
            if got != value:
                yield found(value, got, way=way, mapping=view.mapping, index=index)
                break


def _miswritten(placed: Placed) -> Findings:
    """Compare the data after every way to write with what the accessor stores at each place."""
    view, data, expected, places, values = placed
    if not isinstance(view.accessor, Writable):
        yield from _refuses_stores(view, data)
        return
    for way, write, stored in _write_ways(view, values):
        write()
        for index, value in stored.items():
            view.accessor.store(expected, places[index], value)
        if list(data) != list(expected):
            wrong = [k for k, (x, y) in enumerate(zip(data, expected, strict=True)) if x != y]
            wanted, got = [expected[k] for k in wrong], [data[k] for k in wrong]
            yield found(wanted, got, way=way, mapping=view.mapping, positions=wrong)
            return


def _refuses_stores(view: SomeView, data: Any) -> Findings:
    before = list(data)
    try:
        view[(0,) * view.rank] = before[0]
        yield found("ReadOnlyError: the accessor has no store", "no error", way="view[index] = x")
    except ReadOnlyError:
        if list(data) != before:
            yield found(before, list(data), way="view[index] = x")


def _over_positions(case: Bound) -> Iterator[Placed]:
    """Yield views of data in which each element is its position, of static extents, too; none if that is too large."""
    for make in (int, dim) if case.span <= LARGEST_COPY else ():
        data = array("q", range(ORIGIN + case.mapping.required_span_size + GUARD))
        mapping = type(case.mapping)(tuple([make(int(extent)) for extent in case.extents]), case.layout)
        places = {index: ORIGIN + offset for index, offset in case.offsets.items()}
        values = {index: -1 - offset for index, offset in case.offsets.items()}  # which tell where they belong
        yield MDView.from_mapping(data, mapping, origin=ORIGIN), data, array("q", data), places, values


@law("errors", "an index outside the extents, of another rank, or no integer, is an error, and nothing is written")
def bad_indices_are_refused(case: Bound) -> Findings:
    """Give a mapping and a view an index just outside each bound, a huge one, too few, too many, and no integer."""
    mapping = case.mapping
    for index, wanted in _bad_indices(case.extents):
        # Over empty extents index 0 of another dimension is out of range already.
        kinds = (wanted, IndexOutOfRangeError) if 0 in case.extents else (wanted,)
        yield from _accepted("mapping(...)", lambda given: mapping(*given), index, kinds)
    for view, data, before, *_ in _over_positions(case):
        for index, wanted in _bad_indices(case.extents):
            if wanted is not RankError and -1 not in index:  # fewer indices select a part, and -1 the last element
                refusals = (wanted, IndexOutOfRangeError, HaloError)
                yield from _accepted("view[...]", view.__getitem__, index, refusals)
                yield from _accepted("view[...] = x", partial(_stored, view), index, refusals)
        if data != before:
            yield found("data as before", "changed data")


def _stored(view: SomeView, index: object) -> None:
    view[index] = -1


def _accepted(
    way: str, call: Callable[[Any], object], index: tuple[object, ...], kinds: tuple[type[Exception], ...]
) -> Findings:
    """Return that an index is not refused as it should be."""
    try:
        got = f"offset {call(index)}"
    except kinds:
        return
    except Exception as error:  # noqa: BLE001 - any other kind is what is looked for
        got = f"{type(error).__name__}: {error}"
    yield found(kinds[0].__name__, got, **{way: index})


def _bad_indices(extents: tuple[int, ...]) -> Iterator[tuple[tuple[object, ...], type[Exception]]]:
    zero = (0,) * len(extents)
    yield (*zero, 0), RankError
    if extents:
        yield zero[1:], RankError
    for r, extent in enumerate(extents):
        for i, error in [(i, IndexOutOfRangeError) for i in (-1, extent, -extent - 1, 2**70)] + [(0.5, IndexTypeError)]:
            yield (*zero[:r], i, *zero[r + 1 :]), error


ACCESS_LAWS: Final = (bad_indices_are_refused, *view_laws(_over_positions))
"""Laws of the access to views over one mapping."""
