"""Formulas on arrays: the numbers that calls one by one give, bit for bit and type for type, or nothing."""

import math
import struct
from dataclasses import dataclass
from typing import Any, final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mdview as md
from mdview.accessors.struct_items import StructItems

np = pytest.importorskip("numpy")
formulas = pytest.importorskip("mdview.engines.bulk.arrays.formulas")

PLAIN = md.DefaultAccessor()
FORMATS = {
    **{code: code for code in "?bBhHiIqQefd"},
    **{f"{order}{code}": f"{order}{code}" for order in "<>" for code in "hHiIqQefd"},
    "Zf": "F",
    "Zd": "D",
    ">Zf": ">F",
    ">Zd": ">D",
}
FLOATS = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, -math.nan, 5e-324, 1e-310, 1.7e308, 2.0**53 + 2, 7.25]
INTEGERS = [0, 1, -1, 2, 3, -7, 63, 64, 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**64 - 1, 2**70]
NUMBERS = (
    st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from(INTEGERS)
    | st.sampled_from(FLOATS)
    | st.floats()
    | st.builds(complex, st.sampled_from(FLOATS), st.sampled_from(FLOATS))
)
BINARY = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"]
UNARY = ["-x", "+x", "~x", "abs(x)", "x.conjugate()", "x.real", "x.imag"]


def own(text):
    """Class of accessors whose load is an expression of ``x``, the item that ``inner`` reads, and a ``number``."""
    names = {}
    body = f"def load(self, data, offset):\n    x, n = self.inner.read(data, offset), self.number\n    return {text}\n"
    exec(body, names)

    @final
    @dataclass(frozen=True)
    class Own(md.Accessor):
        number: Any
        inner: Any = PLAIN
        load = names["load"]

        def __repr__(self):
            return f"Own({text!r}, {self.number!r}, {self.inner!r})"

    return Own


OWN = [
    *[own(f"x {name} n") for name in BINARY],
    *[own(f"n {name} x") for name in BINARY],
    *map(own, UNARY),
    *[own(f"x {name} x") for name in BINARY],
    own("(x - n) * (x + n) - x"),
    own("n * x * x + x"),
    own("-x + n"),
    own("x / n - x // n"),
]


@st.composite
def accessors(draw):
    """Random accessors, wrapped in each other."""
    found = PLAIN
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["own", "own", "scaled", "conjugated", "read-only", "hint"]))
        if kind == "own":
            found = draw(st.sampled_from(OWN))(draw(NUMBERS), found)
        elif kind == "scaled":
            found = md.ScaledAccessor(draw(NUMBERS), found)
        elif kind == "hint" and isinstance(found, md.Writable):
            found = md.RestrictAccessor(md.FillAccessor("edge", 0, found))
        else:
            found = md.ConjugatedAccessor(found) if kind == "conjugated" else md.ReadOnlyAccessor(found)
    return found


@st.composite
def arrays(draw):
    """Items of a format as an array and as Python reads them."""
    name = draw(st.sampled_from(sorted(FORMATS)))
    kind = np.dtype(FORMATS[name])
    size = draw(st.integers(0, 4))
    if kind.kind == "b" or draw(st.booleans()):
        raw = draw(st.binary(min_size=size * kind.itemsize, max_size=size * kind.itemsize))
        items = np.frombuffer(raw, kind)
    elif kind.kind in "iu":
        limits = np.iinfo(kind)
        known = [n for n in INTEGERS if limits.min <= n <= limits.max]
        items = np.array(draw(st.lists(st.sampled_from(known) | st.integers(0, 9), min_size=size, max_size=size)), kind)
    else:
        row = draw(st.lists(st.sampled_from(FLOATS), min_size=2 * size, max_size=2 * size))
        with np.errstate(all="ignore"):
            items = np.array(row).view(np.complex128 if kind.kind == "c" else np.float64)[:size].astype(kind)
    return items, read_by_python(items, name)


def read_by_python(items, name):
    """Items of a format, read one by one as a view reads them."""
    raw = memoryview(items.tobytes())
    if not raw.nbytes:
        return []
    row = raw.cast(name) if name in "?bBhHiIqQfd" else StructItems(raw, name)
    return [row[k] for k in range(len(row))]


def bits(number):
    """What tells a number from every other one."""
    if isinstance(number, float | complex):
        return type(number), struct.pack("<dd", number.real, number.imag)
    return type(number), number


def one_by_one(accessor, row):
    """What calls give, or None where one raises."""
    try:
        return [bits(accessor.read(row, k)) for k in range(len(row))]
    except (ArithmeticError, TypeError, ValueError):
        return None


@settings(max_examples=400)
@given(accessors(), arrays())
def test_elements_are_what_calls_give(accessor, both):
    items, row = both
    before = items.tobytes()
    found = formulas.elements(accessor, items)
    if found is not None and found is not items:  # of which the bytes are those of a copy
        assert found.shape == items.shape
        assert list(map(bits, found.tolist())) == one_by_one(accessor, row)
    assert items.tobytes() == before


@pytest.mark.parametrize("accessor", [md.ScaledAccessor(2), md.ScaledAccessor(-0.5), md.ConjugatedAccessor()], ids=repr)
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_ordinary_numbers_of_every_format_are_calculated_on_arrays(accessor, name):
    items = np.arange(6).astype(FORMATS[name])
    found = formulas.elements(accessor, items.reshape(2, 3))
    assert found.shape == (2, 3)
    assert list(map(bits, found.ravel().tolist())) == one_by_one(accessor, read_by_python(items, name))


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("x * n + 1", np.arange(-5, 5)),
        ("x * n", np.array([2**62], np.uint64)),
        ("x // n - x % n", np.array([-7, 7, 2**62])),
        ("x / n", np.array([2**53, -1])),
        ("x ** n", np.array([-9, 3], np.int8)),
        ("x << n | 1", np.array([5, 255], np.uint8)),
        ("x >> n & 3 ^ 1", np.array([2**64 - 1], np.uint64)),
        ("(x + n) / (x - n)", np.array([0.5, 4.0, -math.inf])),
        ("x % n + x // n", np.array([0.5, -4.25, 1e308])),
        ("abs(x) - n", np.array([-3, 3])),
        ("x / n * x", np.array([1 + 2j, -0.5j])),
        ("x.real + x.imag * n", np.array([1 + 2j], np.complex64)),
        ("~x & n", np.array([-3, 3])),
    ],
)
def test_common_arithmetic_is_calculated_on_arrays(text, items):
    for number in (2, 3):
        accessor = own(text)(number)
        found = formulas.elements(accessor, items)
        assert list(map(bits, found.tolist())) == one_by_one(accessor, items.tolist())


@pytest.mark.parametrize(
    ("text", "number", "items"),
    [
        ("x * n", 2, np.array([-1, 2**63 - 1])),
        ("x - n", 2**63, np.array([-1])),
        ("-x", 0, np.array([1, 2**64 - 1], np.uint64)),
        ("x / n", 3, np.array([2**53 + 1])),
        ("n / x", 1, np.array([1, 0])),
        ("n / x", 1.0, np.array([1.0, -0.0])),
        ("n // x", 1, np.array([1, 0])),
        ("x % n", 0, np.array([1])),
        ("x ** n", -1, np.array([2])),
        ("x ** n", 2, np.array([1.5])),
        ("x ** n", 99, np.array([0])),
        ("x << n", -1, np.array([1])),
        ("n << x", 1, np.array([1, 70])),
        ("x & n", 1, np.array([1.0])),
        ("abs(x)", 1, np.array([3 + 4j])),
        ("~x", 1, np.array([True])),
        ("x * n", math.nan, np.array([1.0])),
        ("x * n", 10**400, np.array([1.0])),
        ("x * n", 2, np.array([1], "M8[s]")),
        ("x * n", 2, np.array([1, 2], object)),
        ("x * n", 2, np.array([1], np.longdouble)),
    ],
)
def test_what_is_not_known_to_be_what_python_computes_is_refused(text, number, items):
    assert formulas.elements(own(text)(number), items) is None


def test_bounds_are_those_of_the_items_and_not_of_their_format():
    for kind in (np.int64, np.uint64):
        assert formulas.elements(md.ScaledAccessor(1000), np.array([1, 2], kind)).tolist() == [1000, 2000]


def test_plain_elements_are_the_items_themselves():
    for items in (np.array([1, 2], ">f4"), np.array([b"ab"]), np.zeros(2, [("a", int)]), np.array([[]])):
        assert formulas.elements(md.RestrictAccessor(), items) is items
        assert formulas.items_of(PLAIN, items) is items
    assert formulas.elements(md.AtomicAccessor(), np.zeros(1)) is None


@pytest.mark.parametrize("name", ["e", ">e"])
def test_every_half_float_is_read_as_python_reads_it(name):
    items = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.dtype(name))
    assert list(map(bits, formulas.as_read(items).tolist())) == list(map(bits, read_by_python(items, name)))
    assert formulas.as_read(np.ones(2)).tolist() == [1.0, 1.0]


def test_many_complex_numbers_are_those_of_few():
    items = (np.arange(70_000) * (1 + 0.1j)).reshape(2, -1)
    for accessor in (md.ScaledAccessor(0.3 - 2j), own("x.imag * n")(3)):
        found = formulas.elements(accessor, items)
        few = [formulas.elements(accessor, part) for part in items.reshape(700, 100)]
        assert found.shape == items.shape
        assert np.array_equal(found.ravel(), np.concatenate(few))


def test_numbers_without_dimensions_and_with_gaps_keep_their_shape():
    accessor = md.ScaledAccessor(2)
    assert formulas.elements(accessor, np.array(3)).shape == ()
    items = np.arange(12).reshape(3, 4)[::2, ::-1].T
    assert formulas.elements(accessor, items).tolist() == (2 * items).tolist()


@final
@dataclass(frozen=True)
class Calibrated(md.Writable):
    gain: Any
    shift: Any

    def load(self, data, offset):
        return data[offset] * self.gain + self.shift

    def store(self, data, offset, value):
        data[offset] = (value - self.shift) / self.gain


@pytest.mark.parametrize("values", [[1, 2, 3], [True, False], [1.5, math.inf, -0.0], [1 + 2j], []])
def test_items_of_values_are_those_that_stores_write(values):
    for accessor in (Calibrated(2.0, 1), Calibrated(2, 0.5), md.RestrictAccessor(Calibrated(True, 3))):
        written = [None] * len(values)
        for k, value in enumerate(values):
            accessor.store(written, k, value)
        found = formulas.items_of(accessor, np.array(values))
        assert list(map(bits, found.tolist())) == list(map(bits, written))
    assert formulas.items_of(Calibrated(0, 1), np.array([1.0])) is None
    assert formulas.items_of(md.ScaledAccessor(2), np.array(values)) is None
