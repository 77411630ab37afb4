"""Swizzled: some bits of another layout's offsets flipped by others."""

import pickle
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import LayoutBanded, LayoutMortonLike, LayoutSymmetric, all_indices

from mdview import (
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    dim,
    pad,
    submapping,
)
from mdview.errors import ExtentsTypeError, LayoutError, RankError, UndecidedError
from mdview.expressions.python_source import Writer
from mdview.expressions.tracing import trace
from mdview.layouts import swizzled
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.swizzled import LayoutSwizzled

INNER = [
    Mapping((), LayoutRight()),
    Mapping((), LayoutStrideRelaxed((), 5)),
    Mapping((5, 7), LayoutRight()),
    Mapping((8, 8), LayoutLeft()),
    Mapping((3, 0), LayoutRight()),
    Mapping((4, 5), LayoutRightPadded(8)),
    Mapping((3, 4, 2), LayoutStride((9, 2, 1))),
    Mapping((4, 6), LayoutStrideRelaxed((-7, 1), 30)),
    Mapping((4, 6), LayoutStrideRelaxed((0, -3), 15)),
    Mapping((4, 4), LayoutStrideRelaxed((1, 1), 0)),
    Mapping((5, 6), LayoutTiled(2, 4)),
    Mapping((8, 4), LayoutTiled(2, 4)),
    Mapping((5, 6), LayoutMorton()),
    Mapping((4, 4), LayoutSymmetric()),
    Mapping((4, 4), LayoutBanded(3, 3)),
]
PARAMETERS = [
    (bits, base, shift) for bits, base, shift in product(range(4), range(4), range(-4, 5)) if abs(shift) >= bits
]
HALO = pad(Mapping((2, 2)), 1)


def flipped(offset, bits, base, shift):
    """The definition, bit by bit: source bits lie ``shift`` above their targets."""
    digits = [offset >> k & 1 for k in range(80)]
    low, high = base, base + abs(shift)
    source, target = (high, low) if shift >= 0 else (low, high)
    for k in range(bits):
        digits[target + k] ^= digits[source + k]
    return sum(digit << k for k, digit in enumerate(digits))


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_swizzling_flips_target_bits_and_twice_is_not_at_all(parameters):
    layout = LayoutSwizzled(LayoutRight(), *parameters)
    for offset in (*range(300), 2**62 + 12345):
        assert layout.swizzle(offset) == flipped(offset, *parameters)
        assert layout.swizzle(layout.swizzle(offset)) == offset


@pytest.mark.parametrize("inner", INNER, ids=repr)
def test_traits_are_those_of_the_offsets(inner):
    for parameters in PARAMETERS:
        mapping = Mapping(inner.extents, LayoutSwizzled(inner.layout, *parameters))
        image = [flipped(offset, *parameters) for offset in inner.offsets()]
        assert list(mapping.offsets()) == image
        assert mapping.required_span_size == max(image, default=-1) + 1
        assert mapping.is_unique == (len(set(image)) == len(image))
        assert mapping.is_exhaustive == (len(set(image)) == mapping.required_span_size)
        static = Mapping(tuple(map(dim, inner.extents)), mapping.layout)
        assert static.is_always_unique == inner.is_always_unique
        assert static.is_exhaustive or not static.is_always_exhaustive
        assert static.is_strided or not static.is_always_strided
        if not parameters[0]:
            assert mapping.is_always_exhaustive == inner.is_always_exhaustive
            assert mapping.is_always_strided == inner.is_always_strided
            assert mapping.layout.is_monotone() == inner.layout.is_monotone()


@pytest.mark.parametrize("inner", INNER, ids=repr)
def test_strides_are_found_exactly_where_there_are_any(inner):
    if not inner.size:
        return
    for parameters in PARAMETERS:
        mapping = Mapping(inner.extents, LayoutSwizzled(inner.layout, *parameters))
        image = dict(zip(all_indices(mapping.extents), mapping.offsets(), strict=True))
        origin = image[(0,) * mapping.rank]
        units = [tuple([int(k == r) for k in range(mapping.rank)]) for r in range(mapping.rank)]
        strides = [image.get(unit, origin) - origin for unit in units]
        linear = all(o == origin + sum(i * s for i, s in zip(k, strides, strict=True)) for k, o in image.items())
        assert mapping.is_strided == linear


@given(st.sampled_from(INNER[2:]), st.sampled_from(PARAMETERS), st.data())
def test_a_slice_shows_the_same_offsets(inner, parameters, data):
    mapping = Mapping(inner.extents, LayoutSwizzled(inner.layout, *parameters))
    slices = []
    for e in mapping.extents:
        first = data.draw(st.integers(0, e))
        slices.append((first, data.draw(st.integers(first, e))))
    part, offset = submapping(mapping, *slices)
    for index in all_indices(part.extents):
        assert offset + part(*index) == mapping(*[i + first for i, (first, _) in zip(index, slices, strict=True)])


@pytest.mark.parametrize("parameters", [(0, 0, 0), (2, 0, 3), (1, 2, -2)])
@pytest.mark.parametrize("inner", [LayoutRight(), LayoutTiled(2, 2), LayoutSymmetric(), LayoutMortonLike()])
def test_views_see_the_swizzled_offsets(inner, parameters):
    mapping = Mapping((4, 4), LayoutSwizzled(inner, *parameters))
    view = MDView.from_mapping(list(range(mapping.required_span_size)), mapping)
    assert [view[index] for index in all_indices((4, 4))] == list(mapping.offsets())


def test_the_offset_is_arithmetic_that_an_engine_can_trace():
    source = Writer().source(trace(LayoutSwizzled(LayoutRight(), 2, 0, 3), (None, None)).root)
    assert source.result == "(t0 ^ ((t0 & 24) >> 3))"


def test_the_span_of_a_large_mapping_looks_at_its_last_block_only():
    for inner in (LayoutRight(), LayoutRightPadded(3000)):
        mapping = Mapping((1_000_000, 3000), LayoutSwizzled(inner, 3, 3, 3))
        assert mapping.required_span_size == 3_000_000_000
    assert not Mapping((2000, 2000), LayoutSwizzled(LayoutRight(), 3, 3, 3)).is_strided


def test_what_takes_too_long_to_decide_is_not_guessed(monkeypatch):
    monkeypatch.setattr(swizzled, "ENUMERATION_BUDGET", 10)
    wide = Mapping((8, 8), LayoutSwizzled(LayoutRight(), 2, 0, -4))
    padded = Mapping((8, 5), LayoutSwizzled(LayoutRightPadded(8), 2, 0, -4))
    ragged = Mapping((5, 5), LayoutSwizzled(LayoutTiled(2, 2), 1, 0, 1))
    assert wide.required_span_size == 64
    for mapping in (padded, ragged):
        with pytest.raises(UndecidedError, match=r"the largest offset of .* is among \d+, more than 10; make shift"):
            mapping.required_span_size  # noqa: B018 - the access is the test
    even = LayoutSwizzled(LayoutStride((16, 2)), 1, 0, 4)
    assert even.strides((2, 4)) == even.strides((2, 8)) == (17, 2)


def test_a_layout_shows_what_makes_it_and_travels():
    layout = LayoutSwizzled(LayoutRightPadded(dim(8)), dim(2), 0, -3)
    assert repr(layout) == "LayoutSwizzled(inner=LayoutRightPadded(padding=dim(8)), bits=2, base=0, shift=-3)"
    assert eval(repr(layout)) == layout  # noqa: S307 - of our own making
    assert pickle.loads(pickle.dumps(layout)) == layout  # noqa: S301 - of our own making


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: LayoutSwizzled("right", 1, 0, 1), LayoutError, "LayoutSwizzled swizzles a layout, got 'right'"),
        (
            lambda: LayoutSwizzled(HALO.layout, 1, 0, 1),
            LayoutError,
            "needs an element for every index, .* swizzle, then pad",
        ),
        (
            lambda: LayoutSwizzled(LayoutRight(), 1, 0.5, 1),
            ExtentsTypeError,
            "base of LayoutSwizzled must be an integer",
        ),
        (lambda: LayoutSwizzled(LayoutRight(), -1, 0, 1), LayoutError, "bits and base .* at least 0: bits=-1, base=0"),
        (lambda: LayoutSwizzled(LayoutRight(), 3, 0, -2), LayoutError, r"overlap: .*; make \|shift\| at least bits"),
        (
            lambda: LayoutSwizzled(LayoutRight(), 3, 50, 12),
            LayoutError,
            "reaches beyond the 63 bits of an offset: bits=3",
        ),
        (lambda: Mapping((2,), LayoutSwizzled(LayoutTiled(2, 2), 1, 0, 1)), RankError, "has 2 tile sizes"),
    ],
)
def test_what_is_no_swizzle_says_why(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_the_span_over_strides_that_go_backwards_one_by_one():
    mapping = Mapping((3, 4), LayoutSwizzled(LayoutStrideRelaxed((5, -1), 3), 1, 2, -2))
    assert mapping.required_span_size == 1 + max(mapping.offsets())


def test_the_span_without_holes_needs_no_look(monkeypatch):
    monkeypatch.setattr(swizzled, "ENUMERATION_BUDGET", 0)
    for bits, base, shift in product(range(4), range(3), range(-4, 5)):
        if abs(shift) >= bits:
            layout = LayoutSwizzled(LayoutRight(), bits, base, shift)
            largest = 0
            for n in range(1, 200):
                largest = max(largest, layout.swizzle(n - 1))
                assert layout.required_span_size((n,)) == 1 + largest, (layout, n)
    far = LayoutSwizzled(LayoutRight(), 3, 2, -40)
    assert far.required_span_size((1 << 60,)) == 1 << 60
    assert far.required_span_size(((1 << 60) - 2,)) == 1 << 60
