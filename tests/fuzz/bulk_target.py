"""Bulk operations between views of hostile sources: each must do what element by element access does.

A twin of the target takes the same values one at a time; in the end the two are alike, or there was an error for both
and the target is as it was. Now and then the data is released, shortened or resized before.
"""

import functools
import math
import operator
import random
from array import array
from itertools import product

import numpy as np
from hostile import OwnError
from outcomes import Wrong, refused

from mdview import (
    AtomicAccessor,
    AtomicRef,
    CheckedAccessor,
    DefaultAccessor,
    Layout,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    ScaledAccessor,
    asview,
    broadcast_to,
    copy,
    equal,
    fill,
    flip,
    pad,
    reduce,
    submapping,
)
from mdview.accessors.base import Writable
from mdview.base.values import value
from mdview.engines.bulk import runs
from mdview.engines.bulk import whole_views as engine
from mdview.errors import HaloError, NullViewError
from mdview.views.derive import derived

# --- data ---

NUMBERS = (0, 1, -1, 7, 100, 255, -128, 2**31, 2**63 - 1, -(2**63), 2**64, 0.5, -0.0, 1e300, math.inf, math.nan, True)
INTEGERS = "bBhHiIlLqQnN"
DTYPES = ("<i2", ">i4", "<u8", ">f8", "<f2", "<c16", "?", "S3", "M8[s]", "i2, f4")


class Odd:
    """An element that compares as it likes."""

    def __init__(self, pick):
        self.answer = pick.choice((True, False, None, OwnError("mine")))

    def __eq__(self, other):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    __hash__ = object.__hash__

    def __repr__(self):
        return f"Odd({self.answer!r})"


class Fickle:
    """A sequence that raises somewhere, or whose slices are not as long as they should be."""

    def __init__(self, pick, length):
        self.length, self.bad, self.lost = length, pick.choice((None, length // 2)), pick.randrange(2)

    def __len__(self):
        return self.length

    def __getitem__(self, k):
        if isinstance(k, slice):
            return list(range(*k.indices(self.length)))[self.lost :]
        if k == self.bad:
            raise OwnError("mine")
        return k


def _bytes(pick, code, length):
    """Bytes of numbers: small ones, or any pattern of bits."""
    size = np.dtype(code).itemsize * length
    patterns = pick.randrange(2) and code != "?"
    return bytearray(pick.randbytes(size) if patterns else pick.choices((0, 1), k=size))


def _items(pick, length):
    """Data of any kind, most of which stores."""
    kind = pick.randrange(12)
    if kind < 4:
        code = pick.choice("bBhHiIlLqQfd")
        return array(code, bytes(_bytes(pick, code, length)))
    if kind < 6:
        return [Odd(pick) if pick.randrange(30) == 0 else pick.choice(NUMBERS) for _ in range(length)]
    if kind == 6:
        return bytearray(pick.randbytes(length))
    if kind == 7:
        code = pick.choice("bBhHiIlLqQnNfd?")
        return memoryview(_bytes(pick, code, length)).cast(code)
    if kind < 11:
        dtype = pick.choice(DTYPES)
        return np.frombuffer(_bytes(pick, dtype, length), dtype)
    return pick.choice((range(length), tuple(range(length)), pick.randbytes(length), Fickle(pick, length)))


def _twin(items):
    """Data of its own with the same items; what does not store is its own twin."""
    if isinstance(items, memoryview):
        return memoryview(bytearray(items)).cast(items.format)
    if isinstance(items, np.ndarray):
        return items.copy()
    return items[:] if isinstance(items, list | array | bytearray) else items


def _state(items):
    """What the data is, bit by bit where it is memory; NaNs are all alike."""
    if isinstance(items, list):
        return [(type(x), repr(x)) for x in items]
    if isinstance(items, np.ndarray) and items.dtype.kind not in "fc":
        return items.tobytes()
    return repr(items.tolist()) if isinstance(items, array | memoryview | np.ndarray) else repr(items)


# --- views ---


@value
class Branching(Layout):
    """A layout of a user: rows backwards where they are odd, in an arithmetic that nothing can trace."""

    def offset(self, extents, index):
        place = 0
        for i, e in zip(index, extents, strict=True):
            place = place * e + (e - 1 - i if place % 2 else i)
        return place

    def required_span_size(self, extents):
        return math.prod(extents)


@functools.cache
def _mapping(extents, number):
    """Mapping of any layout, with a shift that its data has to begin with."""
    pick = random.Random(f"{extents} {number}")  # noqa: S311 - reproducible cases, no secrets
    rank = len(extents)
    kind = pick.randrange(13)
    if kind < 2:
        strides = [pick.randint(-4, 7) for _ in extents]
        start = sum([-s * max(e - 1, 0) for s, e in zip(strides, extents, strict=True) if s < 0])
        return Mapping(extents, LayoutStrideRelaxed(strides, start)), 0
    if kind == 2 and rank:
        double = Mapping([2 * e + 1 for e in extents], pick.choice((LayoutRight(), LayoutTiled(*[2] * rank))))
        return submapping(double, *[slice(pick.randrange(2), 2 * e, 2) for e in extents])
    if kind == 3 and rank:
        return flip(Mapping(extents, LayoutTiled(*[pick.randint(1, 3) for _ in extents]))), 0
    if kind == 4 and rank:
        return broadcast_to(Mapping((*[1 for _ in extents[1:]], extents[-1])), extents), 0
    if kind == 5 and rank and pick.randrange(3) == 0:
        return pad(Mapping([max(e - 1, 0) for e in extents]), [(0, min(e, 1)) for e in extents]), 0
    layouts = [LayoutRight(), LayoutLeft(), LayoutTiled(*[2] * rank), LayoutMorton(compact=True), Branching()]
    layouts += [LayoutSwizzled(LayoutRight(), 2, 0, 3), LayoutRightPadded(8)]
    layouts += [LayoutTranspose(LayoutTiled(3, 2))] if rank == 2 else []
    return Mapping(extents, pick.choice(layouts)), 0


ACCESSORS = (*[DefaultAccessor()] * 4, *[CheckedAccessor(), AtomicAccessor()] * 2, ScaledAccessor(2))
EXTENTS = ((), (0,), (1,), (5,), (0, 2), (2, 0), (1, 4), (3, 3), (4, 2), (2, 5), (1, 1, 3), (3, 2, 4), (2, 3, 1, 2))


class Side:
    """A view with its data, and the twin of both."""

    def __init__(self, pick, extents, items=None):
        self.mapping, shift = _mapping(extents, pick.randrange(60))
        self.origin = shift + pick.randrange(3)
        length = self.origin + self.mapping.required_span_size + pick.randrange(3)
        self.items = items if items is not None and len(items) >= length else _items(pick, length)
        stores = isinstance(self.items, list | array | bytearray | memoryview | np.ndarray)
        stores = stores and bool(getattr(getattr(self.items, "flags", None), "writeable", True))
        self.accessor = pick.choice(ACCESSORS) if stores else ReadOnlyAccessor()
        self.view = self.over(self.items)

    def over(self, items):
        if isinstance(items, np.ndarray) and items.dtype.kind in "SMV":
            return derived(asview(items), self.mapping, self.origin, self.accessor)  # brackets do not lead everywhere
        return MDView.from_mapping(items, self.mapping, self.accessor, origin=self.origin)


def _each(view):
    """Values of all elements, loaded one by one; nothing says here what a halo reads as."""
    if not view.mapping.layout.is_total():
        raise HaloError
    for index in product(*map(range, view.extents)):
        element = view[index]
        element = element.load() if isinstance(element, AtomicRef) else element
        yield element.copy() if isinstance(element, np.void) else element  # a record that follows its memory


# --- operations ---


def _copied(pick, source, target):
    return lambda: copy(source.view, target.view), lambda s, t: _stored(t, list(_each(s)))


def _assigned(pick, source, target):
    return lambda: operator.setitem(target.view, ..., source.view), lambda s, t: _stored(t, list(_each(s)))


def _filled(pick, source, target):
    x = pick.choice((*NUMBERS, "x", None, 2**70, 1j))
    return lambda: fill(source.view, x), lambda s, t: _stored(s, [x] * s.size)


def _compared(pick, source, target):
    return lambda: equal(source.view, target.view), lambda s, t: all(map(operator.eq, _each(s), _each(t)))


def _listed(pick, source, target):
    return lambda: _flat(source.view.tolist(), source.view.rank), lambda s, t: list(_each(s))


def _reduced(pick, source, target):
    function = pick.choice((operator.add, max, lambda x, y: y, _raising, 3))

    def one_by_one(s, t):
        if not callable(function):
            raise TypeError("no function")
        return functools.reduce(function, _each(s), nothing)

    of_dates = isinstance(source.items, np.ndarray) and source.items.dtype.kind == "M"
    nothing = np.timedelta64(0, "s") if of_dates else 0  # NumPy adds no plain number to a date
    return lambda: reduce(function, source.view, initial=nothing), one_by_one


def _reduced_by_ufunc(pick, source, target):
    function = pick.choice((np.add, np.subtract, np.maximum, np.multiply))
    if not isinstance(source.items, array) or source.items.typecode in "fd" or not source.accessor.is_plain:
        return _reduced(pick, source, target)
    code = source.items.typecode
    return (
        lambda: reduce(function, source.view).item(),
        lambda s, t: function.reduce(np.array(list(_each(s)), code)).item(),
    )


OPERATIONS = (_copied, _copied, _copied, _assigned, _filled, _compared, _listed, _reduced, _reduced_by_ufunc)
"""Each gives what is tried, and the same one element at a time, over two views that it is called with."""


def _raising(x, y):
    raise OwnError("mine")


def _flat(rows, rank):
    rows = [rows]
    for _ in range(rank):
        rows = [element for row in rows for element in row]
    return rows


def _stored(view, values):
    if not isinstance(view.accessor, Writable):
        raise TypeError("read-only")
    for index, x in zip(product(*map(range, view.extents)), values, strict=True):
        view[index] = x


def _vanish(pick, side):
    """Take the data away, or try to; tell whether it is gone."""
    if pick.randrange(2):
        side.view.release()
        return True
    items = side.items
    if isinstance(items, list) and items:
        del items[pick.randrange(len(items)) :]
        return True
    for change in ("append", "extend", "clear", "pop"):
        if isinstance(items, array | bytearray) and hasattr(items, change) and len(items):
            try:
                getattr(items, change)(*{"append": (1,), "extend": (items[:1],)}.get(change, ()))
            except BufferError:
                continue
            raise Wrong(f"{type(items).__name__}.{change} changed a buffer under a view")
    if isinstance(items, np.ndarray):
        try:
            items.resize(len(items) + 1)
        except ValueError:
            return False
        raise Wrong("an array was resized under a view")
    return False


def bulk(pick):
    """One operation on one or two views, compared with element by element access to their twins."""
    limits = engine.PAYS_FROM, runs.TRACED_FROM
    engine.PAYS_FROM, runs.TRACED_FROM = pick.choice((1, 10**9)), pick.choice((1, 256))
    try:
        _bulk(pick)
    finally:
        engine.PAYS_FROM, runs.TRACED_FROM = limits


def _bulk(pick):
    extents = pick.choice(EXTENTS)
    source = Side(pick, extents)
    target = Side(pick, extents, source.items if pick.randrange(3) == 0 else None)
    attempt, reference = pick.choice(OPERATIONS)(pick, source, target)
    twin = _twin(source.items)
    twins = [twin, twin if source.items is target.items else _twin(target.items)]
    if pick.randrange(10) == 0 and _vanish(pick, source):
        wanted = NullViewError()
    else:
        wanted = _outcome(lambda: reference(source.over(twins[0]), target.over(twins[1])))
    before = [_state(source.items), _state(target.items)]
    got = _outcome(attempt)
    after = [_state(source.items), _state(target.items)]
    fitting = before if isinstance(got, Exception) else [*map(_state, twins)]
    if after != fitting or not _agree(got, wanted):
        about = f"{attempt.__qualname__} of {source.view!r} and {target.view!r}"
        raise Wrong(f"{about}: got {got!r} and {after}, wanted {wanted!r} and {fitting}")
    if isinstance(got, Exception):
        raise got


def _outcome(attempt):
    try:
        return attempt()
    except Exception as error:  # noqa: BLE001 - to be compared
        return error


def _agree(got, wanted):
    """Tell whether two outcomes are alike: results, or an error of mdview or of one kind for both."""
    if isinstance(wanted, NullViewError | HaloError) and got is False:
        return True  # a null view has other extents, and some element before the halo differs
    if isinstance(got, Exception) and isinstance(wanted, Exception):
        return refused(got) or refused(wanted) or type(got) is type(wanted)  # of two errors either may come first
    return repr(got) == repr(wanted)
