"""Kernels load and store what Python does, to the bit: every layout, part, format and accessor of the samples."""

from dataclasses import dataclass
from itertools import product
from typing import Any, final

import pytest
from effort import share, some
from samples.accessors import ACCESSORS
from samples.data import BY_STRUCT, OF_NUMPY, items_of
from samples.layouts import LAYOUTS, bound
from samples.mappings import LayoutOf
from samples.variants import VARIANTS, indices_of
from samples.views import Kind, sample

import mdview as md
from mdview.errors import KernelError

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
kernels = pytest.importorskip("mdview.numba")


@numba.njit
def get(v, index):
    return v[index]


@numba.njit
def put(v, index, x):
    v[index] = x


BUILTIN = (IndexError, TypeError, ZeroDivisionError, OverflowError)


def outcome(function, *args, typed=True):
    """What a call gives, with its type, or the builtin error that it raises; a kernel has one type for all padding."""
    try:
        found = function(*args)
    except BUILTIN as error:
        return next(kind for kind in BUILTIN if isinstance(error, kind))
    return (type(found), repr(found)) if typed or found is None else repr(complex(found))


def raw(data):
    """All items, those in front of a view and behind it as well."""
    return list(map(repr, data))


def check(view, twin, data, other, values=(1, 3), *, outside=True, typed=True):
    """Read and store at every index, by kernels in ``view`` and by Python in its twin: results and memory agree."""
    indices = indices_of(view.shape)
    beyond = [index for index in product(*[(-1, e, -e - 1) for e in view.shape]) if outside and index]
    for index in [*indices, *beyond]:
        found = outcome(get, view, index, typed=typed)
        assert found == outcome(get.py_func, twin, index, typed=typed), (view.mapping, index)
    for k, index in enumerate([*indices, *beyond]):
        x = values[k % len(values)]
        try:
            found = outcome(put, view, index, x)
        except KernelError:  # the accessor has no store, or none that is arithmetic
            break
        assert found == outcome(put.py_func, twin, index, x), (view.mapping, index)
    assert raw(data) == raw(other)


def check_kind(kind, shape):
    made, twin = sample(kind, shape), sample(kind, shape)
    if made is None or made.view.ndim > 4:
        return
    outside = not ({"unchecked", "read-only around scaled"} & {kind.accessor})
    typed = not kind.variant.startswith("padded")
    check(made.view, twin.view, items_of(made.data), items_of(twin.data), outside=outside, typed=typed)


def deal(kinds, least):
    """A few kinds in the quick tier, since each one is compiled."""
    return [pytest.param(kind, id=", ".join(vars(kind).values())) for kind in some(kinds, least)]


OF_LAYOUTS = [
    Kind(layout=name, variant=variant) for name in LAYOUTS for variant in VARIANTS if name != "user's, looping"
]
OF_ACCESSORS = [
    Kind(accessor=name, variant=variant, format=code)
    for name in ACCESSORS
    for variant in ("whole", "padded, edge")
    for code in ("d", "q", "Zd")
    if not any(word in name for word in ("atomic", "counting"))
]
OF_FORMATS = [Kind(format=code, accessor=name) for code in "bBhHiIlLqQefd?" for name in ("default", "scaled, integer")]


@pytest.mark.parametrize("kind", deal(OF_LAYOUTS, 9))
def test_layouts_and_their_variants(kind):
    for shape in ((3, 4), (4, 4), (0, 3))[: share(3, 2)]:
        check_kind(kind, shape)


@pytest.mark.parametrize("kind", deal(OF_ACCESSORS, 6))
def test_accessors(kind):
    check_kind(kind, (3, 4))


@pytest.mark.parametrize("kind", deal(OF_FORMATS, 4))
def test_formats(kind):
    check_kind(kind, (3, 2))


@pytest.mark.parametrize("code", some([c for c in (*BY_STRUCT[1:], *OF_NUMPY, "c", "list") if "Z" not in c], 6))
def test_items_that_a_kernel_has_no_type_for_are_refused(code):
    with pytest.raises(KernelError):
        get(sample(Kind(format=code), (2, 3)).view, (0, 0))


def test_code_is_shared_by_views_that_differ_in_numbers():
    before = len(get.signatures)
    views = []
    for extents, shift in (((4, 5), 1), ((7, 8), 2), ((5, 6), 3)):
        mapping = md.Mapping(extents, md.LayoutTiled(2, 3))
        data = np.arange(mapping.required_span_size + 9.0)
        view = md.MDView.from_mapping(data, mapping, origin=shift)
        views.append(view[shift - 1 :: shift + 1, ::-2])
        views.append(md.pad(md.asview(data.reshape(1, -1)), shift, constant=shift / 2))
        for part in views[-2:]:
            assert get(part, (0, 0)) == part[0, 0]
    assert len(get.signatures) <= before + 2


# --- arithmetic -------------------------------------------------------------------------------------------------------

ARITHMETIC = {
    "quotients": lambda i, j: (i - 3) // 3 + (j - 5) // 4 + (i - 7) // (j - 9) + 9,
    "remainders": lambda i, j: (i - 3) % 3 + (j - 5) % 4 + (i - 7) % (j - 9) + 12,
    "bits": lambda i, j: (i ^ j) + (i | j) + (i & 5) + (~i + 9),
    "shifts": lambda i, j: (i << 2) + ((j - 4) >> 1) + (i >> j) + 2,
    "choices": lambda i, j: min(i, j) + max(3, i) - (-j if i != 2 else +j) + max(i - j, j - i),
    "comparisons": lambda i, j: (i < j) + 2 * (i <= 3) + 4 * (j > 2) + 8 * (i >= j) + 16 * (i == j),
    "shifted out": lambda i, j: (i >> 63) + (j >> 60 + i % 2) + i * 8 + j,
}


@pytest.mark.parametrize("name", some(ARITHMETIC, 3))
def test_arithmetic_of_layouts_rounds_as_in_python(name):
    data = np.arange(256.0)
    twin = data.copy()
    views = [md.MDView(d, (8, 8), LayoutOf(ARITHMETIC[name], 256)) for d in (data, twin)]
    check(*views, data, twin)
    check(*[view[1:, ::-2] for view in views], data, twin)


PLAIN = md.DefaultAccessor()


@final
@dataclass(frozen=True)
class Calibrated(md.ElementwiseWritable):
    """Arithmetic of a user's on both ways."""

    gain: Any
    shift: Any
    inner: Any = PLAIN

    def decode(self, item):
        return self.inner.decode(item) * self.gain + self.shift

    def encode(self, value):
        return self.inner.encode((value - self.shift) / self.gain)


@final
@dataclass(frozen=True)
class Bits(md.ElementwiseWritable):
    def decode(self, item):
        return (item >> 3) - 1

    def encode(self, value):
        return (value + 1 << 3) | 5


class Conversed(md.ElementwiseAccessor):
    def decode(self, x):
        return abs(-x.conjugate().imag) - x.real // 2 + x.real % 3 + (+x).real


USERS = {
    "calibrated": (Calibrated(2.5, -1.0), "d"),
    "by zero": (Calibrated(0.0, 1.0), "d"),
    "nested": (Calibrated(0.25, 1, md.accessors.RestrictAccessor(Calibrated(2, 1.0))), "f"),
    "scaled": (md.accessors.ScaledAccessor(0.5, md.accessors.ConjugatedAccessor(Calibrated(True, 0.0))), "q"),
    "bits": (Bits(), "q"),
    "conversed": (Conversed(), "d"),
    "complex": (Calibrated(2 + 1j, 1), "D"),
    "bool": (Calibrated(2, True), "?"),
}


@pytest.mark.parametrize("name", some(USERS, 3))
def test_accessors_that_do_arithmetic(name):
    accessor, code = USERS[name]
    data = np.array([1, 7, 100, 0]).astype(code)
    other = data.copy()
    views = [md.MDView(d, (4,), accessor=accessor) for d in (data, other)]
    check(*views, data, other, (6.0, 1.0) if code in "fd" else (9,))
    for mode, constant in some(product(("constant", "edge"), (0, -0.0, 2.5, True)), 2):
        if code != "?" and name not in {"conversed", "bits"}:
            padded = md.pad(views[0], 2, mode=mode, constant=constant)
            for i in range(8):
                assert outcome(get, padded, (i,)) == outcome(get.py_func, padded, (i,)), (name, mode, constant)


# --- parts that a kernel makes ----------------------------------------------------------------------------------------

PARTS = {
    "row": lambda v: v[-1],
    "column": lambda v: v[..., 1],
    "part": lambda v: v[-2:99, ::-2],
    "part of a part": lambda v: v[1:, ::-1][::2, 1][-1:],
    "subview": lambda v: md.subview(v, 1, slice(1, 3)),
    "far steps": lambda v: v[1 :: 2**62, 0 :: 2**62],
}
BASES = {
    "right": lambda: md.Mapping((3, 4)),
    "static": lambda: md.Mapping((md.dim(3), md.dim(4)), md.LayoutLeft()),
    "tiled": lambda: bound("tiled, ragged", (5, 4)),
    "symmetric": lambda: bound("user's, symmetric", (4, 4)),
    "flipped": lambda: md.flip(md.Mapping((3, 4))),
    "reshaped": lambda: md.reshape(bound("tiled", (6, 4)), (3, 8)),
    "padded": lambda: md.pad(bound("tiled", (3, 4)), 1),
    "swizzled": lambda: bound("swizzled", (4, 8)),
}


@pytest.mark.parametrize(("base", "part"), some(product(BASES, PARTS), 8))
def test_parts_have_the_elements_that_they_have_in_python(base, part):
    mapping = BASES[base]()
    data = np.arange(mapping.required_span_size + 1.0)
    filled = md.accessors.FillAccessor("edge") if base == "padded" else md.DefaultAccessor()
    view = md.MDView.from_mapping(data, mapping, filled)
    make, expected = numba.njit(PARTS[part]), PARTS[part](view)

    @numba.njit
    def read(v, elements, stores):
        part = make(v)
        for k, index in enumerate(np.ndindex(part.shape)):
            elements[k] = part[index]
            if stores:
                part[index] = -k
        return part.shape

    elements = np.zeros(expected.size)
    assert read(view, elements, base != "padded") == expected.shape
    if base == "padded":
        assert elements.tolist() == md.ravel(expected).tolist()
    else:
        assert elements.tolist() == [expected.origin + offset for offset in expected.mapping.offsets()]
        assert md.ravel(expected).tolist() == [-float(k) for k in range(expected.size)]


@numba.njit
def by_tiles(v, out):
    n = 0
    for k in range(kernels.tile_count(v)):
        block = kernels.tile(v, k)
        for index in np.ndindex(block.shape):
            out[n] = block[index]
            n += 1
    return n


ORDERS = (md.LayoutRight(), md.LayoutLeft())


@pytest.mark.parametrize("outer", some(ORDERS, 1))
@pytest.mark.parametrize("is_transposed", some([True, False], 1))
def test_tiles_are_those_of_python_and_lie_in_memory_order(outer, is_transposed):
    tiled = md.LayoutTiled(2, 3, outer=outer, inner=md.LayoutLeft() if is_transposed else md.LayoutRight())
    for shape in ((4, 6), (5, 7), (2, 3), (0, 4)):
        mapping = md.Mapping(shape, md.layouts.LayoutTranspose(tiled) if is_transposed else tiled)
        view = md.MDView.from_mapping(np.arange(mapping.required_span_size + 1.0), mapping)
        found, expected = np.zeros(view.size), np.zeros(view.size)
        assert by_tiles(view, found) == by_tiles.py_func(view, expected) == view.size
        assert found.tolist() == expected.tolist() == sorted(view.mapping.offsets())


def test_facts_are_those_of_python():
    @numba.njit
    def facts(v):
        return v.extents, v.shape, v.strides, v.size, v.ndim, v.rank, v.itemsize, len(v), v.extent(1), v.extent(5)

    view = md.MDView(np.zeros(12), (md.dim(3), 4), md.LayoutLeft())
    assert facts(view) == ((3, 4), (3, 4), (1, 3), 12, 2, 2, 8, 3, 4, 1)
    stride = numba.njit(lambda v, r: v.stride(r))
    assert [stride(view, r) for r in range(2)] == [1, 3]
    with pytest.raises(IndexError):
        stride(view, 2)


def test_indices_of_all_integer_types_and_unchecked_ones():
    at = numba.njit(lambda v, i, j: v[i, j])
    view = md.MDView(np.arange(6.0), (2, 3))
    assert at(view, np.int8(-1), np.uint64(2)) == at(view, True, np.int32(-1)) == 5.0
    for index in (2**64 - 1, 2**63):
        with pytest.raises(IndexError):
            at(view, np.uint64(index), 0)
    assert (at(md.unchecked(view), 0, 4), at(md.unchecked(view), 1, -1)) == (4.0, 2.0)
