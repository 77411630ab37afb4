"""Elementwise accessors: every way of a run gives what brackets give, and what each refuses is told."""

import math
from array import array
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from effort import some
from samples.variants import indices_of
from test_users_accessors import check, outcome

import mdview as md
from mdview.errors import AbsentMethodError, AccessorTypeError, KernelError, ReadOnlyError

PLAIN = md.DefaultAccessor()
TABLE = tuple(float(k * k) for k in range(300))


def helper(number):
    return math.sqrt(abs(number)) + 1.0


@dataclass(frozen=True)
class Own(md.ElementwiseWritable[Any, Any]):
    """What a user may write, by its name."""

    gain: Any = 3
    inner: Any = PLAIN
    table: Any = TABLE
    name: str = "sensor"
    limit = 7

    def encode(self, value):
        return self.inner.encode(value)


class Rounded(Own):
    def decode(self, item):
        return round(self.inner.decode(item) * self.gain)


class Logged(Own):
    def decode(self, item):
        x = self.inner.decode(item)
        return math.log(x) if x > 0 else -1.0


class Branching(Own):
    def decode(self, item):
        x = self.inner.decode(item)
        return 0.0 if x < 0 else x * 0.5


class Looked(Own):
    def decode(self, item):
        return self.table[int(abs(self.inner.decode(item))) % 300]


class Helped(Own):
    @property
    def twice(self):
        return 2 * self.gain

    @staticmethod
    def shifted(x):
        return x - 1

    def scaled(self, x):
        return helper(x) * self.twice

    def decode(self, item):
        return self.scaled(self.shifted(self.inner.decode(item))) + self.limit


class Middle(Own):
    """Undefined at one item in the middle alone."""

    def decode(self, item):
        return 1.0 / (item - 1500.0)


ACCESSORS = {
    **{cls.__name__: cls() for cls in (Rounded, Logged, Branching, Looked, Helped)},
    "middle": Middle(),
    "scaled": md.accessors.ScaledAccessor(2.5, Branching(inner=md.accessors.RestrictAccessor(PLAIN))),
    "conjugated": md.accessors.ConjugatedAccessor(md.ReadOnlyAccessor(Rounded())),
    "nested": Branching(inner=Rounded(2, inner=md.accessors.FillAccessor("edge", 0, Rounded(gain=np.float64(1.5))))),
    "NumPy": Logged(inner=md.accessors.ScaledAccessor(np.float32(1.25))),
    "objects": md.accessors.ScaledAccessor(10**30),
}
VALUES = {
    "b": [0, 1, -1, 127, -128, 5],
    "i": [0, 1, -7, 1234, 2**31 - 1, -(2**31)],
    "q": [0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63), 1234],
    "Q": [0, 1, 2**53 + 1, 2**64 - 1, 1234],
    "d": [0.0, -0.0, 1.5, 1e308, -1e-300, 1234.0, 5.0],
    "special": [0.0, math.inf, -math.inf, math.nan, 1.0],
}
LAYOUTS = {
    "right": lambda data, accessor: md.MDView(data, (40, 60), accessor=accessor),
    "flipped": lambda data, accessor: md.MDView(data, (40, 60), accessor=accessor)[::-1, 1::2],
    "tiled": lambda data, accessor: md.MDView(data, (40, 60), md.LayoutTiled(8, 8), accessor),
    "short": lambda data, accessor: md.MDView(data, (10, 9), accessor=accessor),
    "overlapping": lambda data, accessor: md.MDView(data, (40, 60), md.LayoutStrideRelaxed((1, 1)), accessor),
}


def made(kind, layout, accessor, *, small=False):
    """View of items of a kind, of which the first 60 are ordinary."""
    row = VALUES[kind]
    code = "d" if kind == "special" else kind
    data = array(code, [k % 50 for k in range(60)] + [5 if small else row[k % len(row)] for k in range(60, 3200)])
    return LAYOUTS[layout](data, accessor)


@pytest.mark.parametrize("name", ACCESSORS)
@pytest.mark.parametrize(("kind", "layout"), some(product(VALUES, LAYOUTS), 6))
def test_whole_views_read_what_brackets_read(name, kind, layout):
    check(made(kind, layout, ACCESSORS[name]))


@pytest.mark.parametrize("name", some(ACCESSORS, 8))
def test_kernels_read_what_brackets_read(name):
    numba = pytest.importorskip("numba")
    pytest.importorskip("mdview.numba")

    @numba.njit
    def read(v, out):
        for i in range(v.extent(0)):
            for j in range(v.extent(1)):
                out[i, j] = v[i, j]

    for kind, layout in some(product("bid", ("right", "tiled", "flipped")), 2):
        view = made(kind, layout, ACCESSORS[name], small=True)
        wanted = outcome(lambda v=view: [v[index] for index in indices_of(v.shape)])
        out = np.zeros(view.shape, complex)
        found = outcome(lambda v=view, o=out: read(v, o))
        if found is KernelError:
            assert name in {"NumPy", "objects"}
        elif isinstance(wanted, type):
            assert found is wanted
        else:
            narrow = any(isinstance(each, np.float32) for each in wanted)  # a kernel computes in 64 bits
            close = np.allclose(out.ravel(), np.array(wanted, complex), rtol=1e-6 if narrow else 1e-15, atol=0)
            assert close, (name, kind, layout)


def test_an_undefined_result_in_the_middle_is_the_error_that_brackets_raise():
    view = md.MDView(np.arange(3000), (3000,), accessor=Middle())
    for read in (view.tolist, lambda: np.asarray(view), lambda: md.copy(view, md.MDView([0] * 3000, (3000,)))):
        with pytest.raises(ZeroDivisionError):
            read()


def test_nothing_is_stored_where_encode_raises():
    class Picky(md.ElementwiseWritable[float, float]):
        def decode(self, item: float) -> float:
            return item

        def encode(self, value: float) -> float:
            if value == 4000.0:
                raise LookupError
            return value + 1.0

    for size in (4100, 300_000):
        data = np.zeros(size)
        with pytest.raises(LookupError):
            md.copy(md.asview(np.arange(float(size))), md.MDView(data, (size,), accessor=Picky()))
        assert not data.any()


FACTOR = 2.0


def product_of(x):
    return x * FACTOR if x > 0 else 0.0


class Global(md.ElementwiseAccessor[float, float]):
    def decode(self, item: float) -> float:
        return product_of(item)


def test_constants_that_are_replaced_are_noticed(monkeypatch):
    view = md.MDView(np.arange(5000.0), (5000,), accessor=Global())
    assert view.tolist()[3] == 6.0
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert view.tolist()[3] == view[3] == 9.0
    monkeypatch.setitem(globals(), "product_of", lambda _: 1.5)
    assert view.tolist()[3] == view[3] == 1.5


def test_one_compilation_serves_all_values_of_the_fields():
    numba = pytest.importorskip("numba")
    pytest.importorskip("mdview.numba")
    first = numba.njit(lambda v: v[5])
    data = np.arange(10)
    for gain in (1, 2, 7):
        assert first(md.MDView(data, (10,), accessor=Branching(inner=Rounded(gain)))) == 2.5 * gain
        assert first(md.MDView(data, (10,), accessor=Branching(inner=Rounded(gain)))[::-1]) == 2.0 * gain
    assert len(first.signatures) == 2


def test_classes_are_read_only_by_absence_and_access_in_one_way():
    class Reading(md.ElementwiseAccessor[int, int]):
        def decode(self, item: int) -> int:
            return item

    view = md.MDView([1], (1,), accessor=Reading())
    with pytest.raises(ReadOnlyError):
        view[0] = 2
    with pytest.raises(AccessorTypeError, match="ElementwiseWritable"):
        type("Encoding", (md.ElementwiseAccessor,), {"encode": lambda _, x: x})
    for name in ("load", "read"):
        with pytest.raises(AccessorTypeError, match=name):
            type("Loading", (md.ElementwiseAccessor,), {name: lambda _, data, offset: data[offset]})
    with pytest.raises(AccessorTypeError, match="store"):
        type("Storing", (md.ElementwiseWritable,), {"store": lambda *_: None})
    with pytest.raises(AbsentMethodError, match="decode"):
        md.MDView([1], (1,), accessor=md.ElementwiseWritable())[0]
    with pytest.raises(AbsentMethodError, match="encode"):
        md.MDView([1], (1,), accessor=md.ElementwiseWritable())[0] = 1


@pytest.mark.parametrize("layout", [md.LayoutRight(), md.LayoutTiled(2, 2), md.LayoutBlasPacked("upper", "row")])
def test_a_load_that_fails_is_tried_once(layout):
    tried = []

    class Failing(md.ElementwiseAccessor[int, int]):
        def decode(self, item: int) -> int:
            tried.append(item)
            raise IndexError(item)

    view = md.MDView([7] * 16, (4, 4), layout, accessor=Failing())
    for each in (view, view[1:3, 1:3]):
        with pytest.raises(IndexError, match="7"):
            each[0, 1]
    assert tried == [7, 7]


def test_an_explanation_says_which_way_whole_views_go():
    told = md.explain(md.MDView(np.arange(3000.0), (3000,), accessor=Branching()))
    assert "array refused" in told
    assert "Numba" in told
    assert "by array." in md.explain(md.operations.scaled(2.0, md.asview(np.arange(3000.0))))
    assert "not elementwise" in md.explain(md.atomic(md.asview(np.arange(3.0))))
