"""Accessors of users: whole views give what brackets give, whatever the methods do and whatever the items are."""

import math
from array import array
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from effort import share, some
from hypothesis import given, settings
from hypothesis import strategies as st
from samples.data import FORMATS
from samples.variants import indices_of

import mdview as md

PLAIN = md.DefaultAccessor()
FLOATS = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 5e-324, 1.7e308, 2.0**53 + 2, 7.25]
INTEGERS = [0, 1, -1, 2, 3, -7, 63, -(2**31), 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**64 - 1, 2**70]
"""No number by which a text is repeated to gigabytes: those of 53 bits and more are refused at once."""
NUMBERS = (
    st.booleans()
    | st.sampled_from(INTEGERS)
    | st.sampled_from(FLOATS)
    | st.builds(complex, st.sampled_from(FLOATS), st.sampled_from(FLOATS))
)
TEXTS = [
    *[f"x {name} n" for name in ["+", "-", "*", "/", "//", "%", ">>", "&", "|", "^"]],
    *[f"n {name} x" for name in ["+", "-", "*", "/", "//", "%", "&", "|"]],
    *("x ** 2", "x << 3", "-x", "+x", "~x", "abs(x)", "x.conjugate()", "x.real", "x.imag", "x * x"),
    *("(x - n) * (x + n) - x", "n * x * x + x", "x / n - x // n", "x if x > n else -x", "n if x else 0.0 * n"),
    *("min(x, n)", "float(x)", "x == n"),
    *("x * 2 if type(x) is float else x", "x * isinstance(x, int)", "round(x)", "n", "str(x)", "offset + x"),
    *("data[offset - offset]", "data[-1]", "len(data) * x", "math.sin(x)", "[n][0] * x", "x * (n, 2)[1]"),
]


NEEDS_DATA = ("data", "offset")


def own(text, store="2 * value"):
    """Class of accessors that load an expression of ``x``, the item that ``inner`` reads, and a ``number``."""
    names: dict[str, Any] = {"math": math}
    if any(name in text for name in NEEDS_DATA):
        body = f"""
def load(self, data, offset):
    x, n = self.inner.read(data, offset), self.number
    return {text}

def store(self, data, offset, value):
    self.inner.store(data, offset, {store})
"""
        base = md.Writable
    else:
        body = f"""
def decode(self, item):
    x, n = self.inner.decode(item), self.number
    return {text}

def encode(self, value):
    return self.inner.encode({store})
"""
        base = md.ElementwiseWritable
    exec(body, names)
    methods = {name: names[name] for name in ("load", "store", "decode", "encode") if name in names}
    fields = {"__annotations__": {"number": Any, "inner": Any}, "number": 2, "inner": PLAIN}
    return dataclass(frozen=True)(type("Own", (base,), {**fields, **methods}))


OWN = {text: own(text) for text in TEXTS}


@st.composite
def accessors(draw):
    """Accessors of users and of mdview, around each other."""
    found = PLAIN
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["own", "own", "scaled", "conjugated", "read-only", "hint"]))
        if kind == "own":
            text = draw(st.sampled_from(TEXTS))
            if found.is_elementwise or any(name in text for name in NEEDS_DATA):
                found = OWN[text](draw(NUMBERS), found)
        elif kind == "scaled":
            found = md.accessors.ScaledAccessor(draw(NUMBERS), found)
        elif kind == "hint" and isinstance(found, md.Writable):
            found = md.accessors.RestrictAccessor(md.accessors.FillAccessor("edge", 0, found))
        else:
            found = md.accessors.ConjugatedAccessor(found) if kind == "conjugated" else md.ReadOnlyAccessor(found)
    return found


def alike(found, wanted):
    """Whether values agree within the contract: two units in the last place, any NaN, numbers of NumPy or Python."""
    if isinstance(wanted, list | type):
        same_kind = isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted)
        return found is wanted or (same_kind and all(map(alike, found, wanted)))
    found, wanted = [
        x.item() if isinstance(x, np.generic) and not isinstance(x, np.longdouble) else x for x in (found, wanted)
    ]
    if type(found) is not type(wanted) or not isinstance(wanted, float | complex):
        return type(found) is type(wanted) and repr(found) == repr(wanted)
    if isinstance(wanted, complex):  # whose products may cancel
        parts = [[f"{part:.14e}" for part in (x.real, x.imag)] for x in (found, wanted)]
        return parts[0] == parts[1]
    if not math.isfinite(wanted) or not wanted:
        return repr(found) == repr(wanted)
    return abs(found - wanted) <= 2 * math.ulp(wanted)


def outcome(attempt):
    try:
        return attempt()
    except Exception as error:  # noqa: BLE001 - to be compared
        return type(error)


def last(_, x):
    return x


def flat(rows):
    return [x for row in rows for x in (row if isinstance(row, list) else [row])]


def check(view):
    """Hold whole-view reads against brackets."""
    each = outcome(lambda: [view[index] for index in indices_of(view.shape)])
    for read in (
        lambda: list(md.iteration.elements(view)),
        lambda: flat(view.tolist()),
        lambda: flat(md.transform(lambda x: x, view).tolist()),
    ):
        assert alike(outcome(read), each), view.accessor
    if isinstance(each, list) and len({*map(type, each)}) == 1:  # else NumPy picks a type for all
        row = np.asarray(view).ravel()
        listed = [*memoryview(row.view("u1")).cast("c")] if row.dtype == "S1" else row.tolist()  # NumPy strips zeros
        assert row.dtype == object or alike(listed, each), view.accessor
    found = outcome(lambda: [md.reduce(last, view, initial=None)])
    assert alike(found, (each[-1:] or [None]) if isinstance(each, list) else each), view.accessor
    if isinstance(each, list):
        target = md.MDView([0] * view.size, view.shape)
        md.copy(view, target)
        assert alike(list(target.data), each)
        assert md.equal(view, target) == (not any(x != x for x in target.data))  # noqa: PLR0124 - a NaN


@settings(max_examples=share(400, 60))
@given(accessors(), st.sampled_from(sorted(name for name, made in FORMATS.items() if not made.needs_numpy)), st.data())
def test_whole_views_give_what_brackets_give(accessor, item_format, data):
    shape = data.draw(st.sampled_from([(0,), (4,), (3, 3), (40, 33)]))
    layout = data.draw(st.sampled_from([md.LayoutRight(), md.LayoutTiled(*[2] * len(shape))]))
    mapping = md.Mapping(shape, layout)
    held = FORMATS[item_format].make(mapping.required_span_size + 1, any_bits=data.draw(st.booleans()))
    if isinstance(held, tuple) and isinstance(accessor, md.Writable):
        accessor = md.ReadOnlyAccessor(accessor)
    with np.errstate(all="ignore"):
        check(md.MDView.from_mapping(held, mapping, accessor))


EDGES = {"q": [*INTEGERS[:10], 2**63 - 1, -(2**63)], "Q": [0, 1, 2**64 - 1], "d": FLOATS, "b": range(-128, 128)}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("kind", "number", "size"), some(product(EDGES, (2, 0, -1, 2.5, 10**30, True, 1j), (20, 1500)), 8)
)
def test_every_expression_of_items_of_every_kind(text, kind, number, size):
    items = array(kind, [EDGES[kind][k % len(EDGES[kind])] for k in range(size)])
    check(md.MDView(items, (size,), accessor=OWN[text](number)))


@dataclass
class Counting(md.Accessor):
    """What it loads depends on what it did, and it changes the data."""

    factor: float = 2.0

    def load(self, data, offset):
        self.factor += 1
        data[offset] += 1
        return data[offset] * self.factor


@pytest.mark.parametrize("size", [4, 1500])
def test_a_load_that_does_more_runs_once_for_each_element_and_in_order(size):
    def seen(read):
        view = md.MDView(array("d", range(1, size + 1)), (size,), accessor=Counting())
        return read(view), list(view.data), view.accessor.factor

    wanted = seen(lambda v: [v[k] for k in range(size)])
    target = [0] * size
    for read in (
        lambda v: v.tolist(),
        lambda v: list(md.iteration.elements(v)),
        lambda v: md.reduce(lambda row, x: [*row, x], v, initial=[]),
        lambda v: md.transform(lambda x: x, v).tolist(),
        lambda v: [md.copy(v, md.MDView(target, (size,))), target][1],
        lambda v: np.array(v).tolist(),
    ):
        assert seen(read) == wanted


@dataclass
class Affine(md.ElementwiseAccessor):
    factor: Any = 2.0
    inner: Any = PLAIN

    def decode(self, item):
        return self.inner.decode(item) * self.factor + 1


def test_fields_may_change():
    view = md.MDView(array("d", range(3000)), (3000,), accessor=Affine(2.0, Affine(3.0)))
    for changed, name, value in (
        (view.accessor, "factor", 5.0),
        (view.accessor.inner, "factor", Fraction(1, 2)),
        (view.accessor, "decode", lambda item: item - 1),
    ):
        setattr(changed, name, value)
        check(view)


@pytest.mark.parametrize(
    "factor", [Fraction(2), Decimal(2), np.float64(1.5), np.longdouble(2), 10**400, True, 2 + 0j, -0.0]
)
def test_factors_that_are_equal_and_not_the_same_give_their_own_numbers(factor):
    for size in (3, 2000):
        for data in (array("q", range(size)), array("d", range(size)), list(range(size))):
            check(md.MDView(data, (size,), accessor=md.accessors.ScaledAccessor(factor)))


STORES = [
    *("(value - 1) / 2.0", "value * self.number", "abs(value) ** 2 - 7", "5", "min(value, 1)"),
    *("-value", "int(value)", "'x'"),
]


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("size", [4, 1500])
@pytest.mark.parametrize("kind", ["d", "q", "O"])
@pytest.mark.parametrize("values", [[1, -2, 3], [1.5, -0.0], [2, 2**62], [2j]], ids=str)
def test_stores_of_users_accessors_write_what_single_ones_write(store, size, kind, values):
    accessor = own("x", store)(3)
    assert accessor.is_elementwise
    row = [values[k % len(values)] for k in range(size)]
    wanted, found, filled = ([7] * size if kind == "O" else array(kind, [7] * size) for _ in "wff")
    errors = outcome(lambda: [accessor.store(wanted, k, x) for k, x in enumerate(row)])
    for source in (row, np.array(row)):
        target = md.MDView(found, (size,), accessor=accessor)
        taken = md.asview(source) if source is not row else md.MDView(source, (size,))
        done = outcome(lambda t=target, s=taken: md.copy(s, t))
        if isinstance(errors, list):
            assert done is None
            assert alike(list(found), list(wanted))
        else:
            assert issubclass(done, errors)
            assert set(found) == {7}
    if outcome(lambda: accessor.store(filled, 0, row[0])) is None:
        one = filled[0]
        md.fill(md.MDView(filled, (size,), accessor=accessor), row[0])
        assert alike(list(filled), [one] * size)
