"""Formulas of accessors: those that code says, followed through every call, and none where it does more than that."""

import math
import operator
import random
from array import array
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mdview as md
from mdview.accessors.formulas import IDENTITY, Constant
from mdview.accessors.tracing import reading, storing, traced
from mdview.accessors.unchecked import UncheckedAccessor

PLAIN = md.DefaultAccessor()
OFFSET = 7.0


def halved(number):
    return number / 2


@dataclass
class Own(md.Writable):
    """What a test asks for; the methods are those of classes below. Not frozen: its fields may change."""

    factor: Any = 2.0
    inner: Any = PLAIN


class Affine(Own):
    def load(self, data, offset):
        return self.inner.read(data, offset) * self.factor + 1

    def store(self, data, offset, value):
        self.inner.store(data, offset, (value - 1) / self.factor)


class WithHelper(Own):
    def scaled(self, number):
        return number * self.factor

    @property
    def shift(self):
        return -self.factor

    def load(self, data, offset):
        found = data[offset]
        found += self.shift
        return halved(self.scaled(found))

    def store(self, data, offset, value):
        place, item = offset, abs(value) ** 2 - OFFSET
        data[place] = item


class Polynomial(Own):
    def load(self, data, offset):
        x, c = data[offset], self.factor
        return (c[-1] * x + c[1]) * x + c[0]


@final
class Slotted(md.Accessor):
    __slots__ = ("_gain",)
    __match_args__ = ("_gain",)

    def __init__(self, gain):
        object.__setattr__(self, "_gain", gain)

    def load(self, data, offset):
        return ~data[offset] ^ self._gain


class OfClass(md.Accessor):
    gain = 3

    def load(self, data, offset):
        return data[offset] // self.gain % 5 << 2 >> 1 & 255 | 1


class Parts(md.Accessor):
    def load(self, data, offset):
        return +data[offset].conjugate().real - data[offset].imag


ARITHMETIC = [
    Affine(),
    Affine(3, Affine(0.5)),
    WithHelper(),
    Polynomial((1, 2.5, 3)),
    Slotted(12),
    OfClass(),
    Parts(),
    PLAIN,
    md.CheckedAccessor(),
    UncheckedAccessor(),
    md.ScaledAccessor(2),
    md.ScaledAccessor(1 - 2j, md.ConjugatedAccessor(md.ReadOnlyAccessor(Affine()))),
    md.RestrictAccessor(md.AlignedAccessor(8, Affine())),
    md.FillAccessor("edge", 0, WithHelper()),
    md.ReadOnlyAccessor(md.MemorySpaceAccessor("host", md.NonTemporalAccessor(md.RandomAccessAccessor(Affine())))),
]


@pytest.mark.parametrize("accessor", ARITHMETIC, ids=lambda accessor: type(accessor).__name__)
def test_the_formula_gives_what_a_call_gives(accessor):
    items = [3, -4, 0] if isinstance(accessor, Slotted | OfClass) else [3, -4, True, 2.5, -0.0]
    formula = reading(accessor)
    found = formula.each(items)
    assert list(map(repr, found)) == [repr(accessor.read(items, k)) for k in range(len(items))]
    if isinstance(accessor, md.Writable) and (stored := storing(accessor)) is not None:
        written = list(items)
        for k, value in enumerate(items):
            accessor.store(written, k, value)
        assert list(map(repr, stored.each(items))) == list(map(repr, written))


def test_stores_have_formulas_of_their_own():
    assert [len(storing(accessor).steps) for accessor in (Affine(), WithHelper(), PLAIN)] == [2, 3, 0]
    assert storing(md.RestrictAccessor(Affine())) == storing(Affine())
    assert traced(md.ScaledAccessor(2), "store") == "ScaledAccessor has no store"
    assert traced(Polynomial((1, 2)), "store").startswith("Polynomial.store: it uses the name type,")


def test_plain_accessors_leave_items_as_they_are():
    for accessor in (PLAIN, md.CheckedAccessor(), md.RestrictAccessor(), md.ReadOnlyAccessor(), md.FillAccessor()):
        assert reading(accessor) == IDENTITY


COUNT = {"calls": 0}


class Counting(Own):
    def load(self, data, offset):
        self.factor += 1
        return data[offset]


class Noting(Own):
    def load(self, data, offset):
        self.factor.append(offset)
        return data[offset]


class Global(Own):
    def load(self, data, offset):
        COUNT["calls"] += 1
        return data[offset] * COUNT["calls"]


class OfType(Own):
    def load(self, data, offset):
        found = data[offset]
        return found * 2 if type(found) is float else found


class OfInstance(Own):
    def load(self, data, offset):
        return data[offset] * isinstance(data[offset], int)


class OfValue(Own):
    def load(self, data, offset):
        return data[offset] if data[offset] > 0 else -data[offset]


class Either(Own):
    def load(self, data, offset):
        return data[offset] and self.factor


class Random(Own):
    def load(self, data, offset):
        return data[offset] * random.random()  # noqa: S311 - any will do


class Next(Own):
    def load(self, data, offset):
        return data[offset + 1]


class FromEnd(Own):
    def load(self, data, offset):
        return data[-1]


class OfOffset(Own):
    def load(self, data, offset):
        return data[offset] + offset


class OfLength(Own):
    def load(self, data, offset):
        return data[offset] * len(data)


class Sine(Own):
    def load(self, data, offset):
        return math.sin(data[offset])


class Rounded(Own):
    def load(self, data, offset):
        return float(data[offset])


class Constantly(Own):
    def load(self, data, offset):
        return self.factor


class Tolerant(Own):
    def load(self, data, offset):
        try:
            return 1 / data[offset]
        except ZeroDivisionError:
            return 0.0


class Listed(Own):
    def load(self, data, offset):
        return data[offset] * self.factor[0]


class Generating(Own):
    def load(self, data, offset):
        yield data[offset]


class Defaulting(Own):
    def load(self, data, offset, log=[]):  # noqa: B006 - that is the point
        log.append(offset)
        return data[offset]


class Descending(Own):
    def load(self, data, offset):
        return self.load(data, offset)


class Storing(Own):
    def load(self, data, offset):
        data[offset] = 0
        return data[offset]


class Watching(Own):
    def __getattribute__(self, name):
        return object.__getattribute__(self, name)

    def load(self, data, offset):
        return data[offset] * self.factor


class Inventing(Own):
    def __getattr__(self, name):
        return 3.0

    def load(self, data, offset):
        return data[offset] * self.gain


class Text(Own):
    def load(self, data, offset):
        return data[offset] * "x"


class Invalid(Own):
    def load(self, data, offset):
        return data[offset] * (1 / 0)


class Huge(Own):
    def load(self, data, offset):
        return data[offset] * 2 ** (10**9 * self.factor)


class Growing(Own):
    def load(self, data, offset):
        x = data[offset]
        for _ in range(3):
            x = x + x
        return x


class Fetched(Own):
    gain = property(operator.attrgetter("factor"))

    def load(self, data, offset):
        return data[offset] * self.gain


def closed():
    factor = 2

    class Closed(Own):
        def load(self, data, offset):
            return data[offset] * factor

        def change(self):
            nonlocal factor
            factor += 1

    return Closed()


TRICKY = [
    *(Counting(), Noting([]), Global(), OfType(), OfInstance(), OfValue(), Either(), Random(), Next(), FromEnd()),
    *(OfOffset(), OfLength(), Sine(), Rounded(), Constantly(), Tolerant(), Listed([2]), Generating(), Defaulting()),
    *(Descending(), Storing(), Watching(), Inventing(), Text(), Invalid(), Huge(1), Growing(), Fetched(), closed()),
    *(
        md.AtomicAccessor(),
        md.ScaledAccessor(2, md.AtomicAccessor()),
        md.ScaledAccessor(Fraction(2)),
        md.ScaledAccessor(Decimal(2)),
    ),
    md.ReadOnlyAccessor(Random()),
]


@pytest.mark.parametrize("accessor", TRICKY, ids=lambda accessor: type(accessor).__name__)
def test_code_that_does_more_has_no_formula_and_does_not_run(accessor):
    before = repr(getattr(accessor, "factor", None)), dict(COUNT)
    why = traced(accessor, "read")
    assert reading(accessor) is None
    assert isinstance(why, str)
    assert why
    assert (repr(getattr(accessor, "factor", None)), dict(COUNT)) == before


class Unlike:
    def __mul__(self, other):
        return other


def test_the_reason_names_the_object_of_this_accessor_whoever_was_asked_before():
    for factor in (Fraction(2), Decimal(2), Fraction(3), Unlike()):
        assert f"an object of {type(factor).__name__}" in traced(md.ScaledAccessor(factor), "read")


class Reads(Own):
    def store(self, data, offset, value):
        data[offset] = data[offset] + value


class Twice(Own):
    def store(self, data, offset, value):
        data[offset] = value
        data[offset] = value


class Beside(Own):
    def store(self, data, offset, value):
        data[offset + 1] = value


class Nowhere(Own):
    def store(self, data, offset, value):
        value * 2


class Fixed(Own):
    def store(self, data, offset, value):
        data[offset] = 5


class Clipped(Own):
    def store(self, data, offset, value):
        data[offset] = min(value, 1)


@pytest.mark.parametrize(
    "kind", [Reads, Twice, Beside, Nowhere, Fixed, Clipped, Noting], ids=lambda kind: kind.__name__
)
def test_stores_that_do_more_have_no_formula(kind):
    assert storing(kind()) is None
    assert storing(md.RestrictAccessor(kind())) is None


def test_a_formula_changes_as_fields_do():
    accessor = Affine(2.0, Affine(3.0))
    assert reading(accessor).each([1]) == [9.0]
    accessor.factor = 5.0
    accessor.inner.factor = 1.0
    assert reading(accessor).each([1]) == [11.0]
    accessor.load = lambda data, offset: 0
    assert reading(accessor) is None
    listed = Noting([])
    assert reading(listed) is None


def test_a_formula_changes_as_classes_and_functions_do(monkeypatch):
    assert reading(OfClass()) == reading(OfClass())
    assert reading(OfClass()).each([31]) == [31 // 3 % 5 << 2 >> 1 & 255 | 1]
    monkeypatch.setattr(OfClass, "gain", 7)
    assert reading(OfClass()).each([31]) == [31 // 7 % 5 << 2 >> 1 & 255 | 1]
    assert reading(WithHelper(3.0)).each([5]) == [3.0]
    monkeypatch.setitem(globals(), "halved", lambda number: number - 1)
    assert reading(WithHelper(3.0)).each([5]) == [5.0]
    monkeypatch.setitem(globals(), "OFFSET", 1.0)
    assert storing(WithHelper()).each([3]) == [8.0]
    monkeypatch.setattr(WithHelper, "scaled", lambda self, number: number or 0)
    assert reading(WithHelper(3.0)) is None


@pytest.mark.parametrize("numbers", [(2, 2.0, True, 2 + 0j), (0.0, -0.0, 0, False), (complex(0.0, -0.0), 0j)])
def test_factors_that_are_equal_and_not_the_same_have_their_own_formulas(numbers):
    for _ in range(2):
        for number in numbers:
            assert repr(reading(md.ScaledAccessor(number)).each([3])) == repr([number * 3])
    assert len({reading(md.ScaledAccessor(number)) for number in numbers}) == len(numbers)


def test_a_scalar_of_numpy_takes_part_where_that_is_asked_for():
    np = pytest.importorskip("numpy")
    accessor = md.ScaledAccessor(np.float64(1.5))
    assert reading(accessor) is None
    assert traced(accessor, "read").is_foreign
    assert reading(md.ScaledAccessor(np.longdouble(1.5))) is None


def test_wide_deep_and_circular_accessors_have_an_answer():
    circular = Affine()
    circular.inner = circular
    assert reading(circular) is None
    deep = PLAIN
    for _ in range(100):
        deep = md.ScaledAccessor(2, deep)
    assert reading(deep) is None
    wide = Affine()
    vars(wide).update({f"f{k}": k for k in range(1000)})
    assert reading(wide) is None
    assert reading(md.ScaledAccessor(10**400)) is None


@example(complex(123456789012345, 1234567890123))
@given(st.booleans() | st.integers() | st.floats(allow_nan=True) | st.complex_numbers())
def test_a_constant_is_its_number(number):
    found = Constant.of(number)
    assert repr(found.number) == repr(number)
    assert type(found.number) is type(number)
    assert math.copysign(1, found.number.real) == math.copysign(1, number.real)
    assert eval(repr(found)) == found  # noqa: S307 - written by this very test
    assert hash(eval(repr(found))) == hash(found)  # noqa: S307


def test_a_formula_is_remembered_by_value_and_keeps_no_accessor_alive():
    import gc  # noqa: PLC0415 - for this test alone
    import weakref  # noqa: PLC0415

    accessor = Affine(1.25)
    gone = weakref.ref(accessor)
    assert reading(accessor) is reading(Affine(1.25))
    del accessor
    gc.collect()
    assert gone() is None


def test_views_by_formula_and_by_calls_are_the_same():
    data = array("d", [1.5, -2.0])
    view = md.MDView(data, (2,), accessor=Affine(4.0))
    assert reading(Affine(4.0)).each(data) == [view[0], view[1]]


@dataclass(frozen=True)
class Logged(md.Accessor):
    """It has a log that it does not use."""

    factor: float
    log: list = field(default_factory=list)

    def load(self, data, offset):
        return data[offset] - self.factor


def test_what_is_not_used_may_be_anything():
    assert reading(Logged(1.0)).each([3]) == [2.0]
