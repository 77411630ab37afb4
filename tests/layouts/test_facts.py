"""Every fact of every layout is what a look at each index shows: over small extents, of parts, and of large ones."""

from contextlib import suppress
from itertools import product
from random import Random

import pytest
from effort import share, some
from expression_trees import every_progression, random_progression
from hypothesis import given
from hypothesis import strategies as st
from samples.derived import chains, derivations, derive
from samples.enumerated import Enumerated, check_facts
from samples.layouts import LAYOUTS, bound
from samples.mappings import LayoutBanded, LayoutMortonLike, LayoutOf, LayoutSymmetric, part_of

import mdview as md
from mdview.errors import ExtentsError, LayoutError, UndecidedError

SHAPES = [shape for rank in range(4) for shape in product(range(5 if rank < 3 else 4), repeat=rank)]


@pytest.mark.parametrize("name", LAYOUTS)
def test_over_every_small_box(name):
    mappings = [bound(name, shape) for shape in some(SHAPES, 15)]
    for mapping in filter(None, mappings):
        check_facts(mapping)
        static = md.Mapping(tuple(map(md.dim, mapping.extents)), mapping.layout)
        check_facts(static)
        if not name.startswith(("composed", "nested", "relaxed", "linear", "user", "stride")) and "padded" not in name:
            for fact in ("unique", "exhaustive"):
                assert getattr(static, f"is_always_{fact}") == getattr(static, f"is_{fact}"), static
        check_open(mapping, is_exact=name.startswith(("packed", "right", "left", "stride")) and "padded" not in name)


def check_open(mapping, *, is_exact):
    """What a layout says of extents of which one is open holds for each extent there that the layout takes.

    An exact layout also says what does.
    """
    for r, fact in product(range(mapping.rank), ("unique", "exhaustive", "strided")):
        before, after = mapping.extents[:r], mapping.extents[r + 1 :]
        answers = []
        for n in range(6):
            with suppress(ExtentsError, LayoutError):  # one that is not square, say
                answers.append(getattr(md.Mapping((*before, n, *after), mapping.layout), f"is_{fact}"))
        is_said = getattr(mapping.layout, f"is_always_{fact}")((*before, None, *after))
        assert is_said <= all(answers), (mapping, r, fact)
        assert is_said == all(answers) or not (is_exact and answers), (mapping, r, fact)


@pytest.mark.parametrize("name", LAYOUTS)
def test_of_what_is_derived(name):
    shapes = [(3, 3), (5,), (1, 4), (3, 1), (2, 3), (2, 3, 2), (3, 5), (5, 5)]
    for mapping in filter(None, [bound(name, shape) for shape in some(shapes, 2)]):
        for each in derivations(mapping):
            check_facts(derive(mapping, each))


def square(name):
    return bound(name, (4, 4))


@given(chains(st.sampled_from(sorted(LAYOUTS)).map(square)))
def test_of_chains(mapping):
    check_facts(mapping)


@pytest.mark.parametrize("name", LAYOUTS)
def test_of_more_indices_than_are_looked_at_one_by_one(name):
    shapes = [(18, 16), (70, 70), (5000,), (3, 40, 21), (2, 300)]
    for mapping in filter(None, [bound(name, shape) for shape in some(shapes, 1)]):
        for each in some(derivations(mapping), 2):
            check_facts(derive(mapping, each))


# --- where a layout is linear -----------------------------------------------------------------------------------------


def halved(i, j):
    """Linear in steps of two, and no tracing follows it."""
    return sum(1 for _ in range(i // 2)) * 10 + j


ODD = {
    "banded": LayoutBanded(2, 1),
    "of bits": LayoutMortonLike(),
    "symmetric": LayoutSymmetric(),
    "product": LayoutOf(lambda i, j: i * j),
    "wrapping": LayoutOf(lambda i, j: (i * 37 + j) % 64),
    "by thirds": LayoutOf(lambda i, j: (i + j) // 3 * 3 + (i + j) % 3),
    "larger": LayoutOf(max),
    "off at the end": LayoutOf(lambda i, j: i + 7 * j - (j == 39)),
    "halved": LayoutOf(halved),
    "constant": LayoutOf(lambda i, j: 7),
}


def check_part(mapping, box):
    """Hold the strides of a grid of indices against its offsets."""
    part, shift = md.mappings.submapping(mapping, *[md.ExtentSlice(*axis) for axis in box])
    table = Enumerated(part)
    chosen = product(*[[first + k * step for k in range(count)] for first, count, step in box])
    assert [o + shift for o in table.offsets] == [mapping(*index) for index in chosen], (mapping, box)
    assert part.is_strided is (table.line is not None), (mapping, box)
    if part.is_strided:
        pairs = zip(part.extents, part.strides, table.line[1], strict=True)
        assert all(e == 1 or mine == its for e, mine, its in pairs), (mapping, box)


@pytest.mark.parametrize("name", [*LAYOUTS, *ODD])
def test_parts_have_strides_exactly_where_their_offsets_are_linear(name):
    small = md.Mapping((4, 4), ODD[name]) if name in ODD else bound(name, (4, 4))
    for box in some(product(every_progression(4), repeat=2), 40):
        check_part(small, box)
    size = 32 if name == "linear" else 40
    large = md.Mapping((size, size), ODD[name]) if name in ODD else bound(name, (size, size))
    random = Random(name)  # noqa: S311 - the same boxes each time
    for _ in range(share(150, 8)):
        check_part(large, [random_progression(random, size) for _ in range(2)])


# --- compositions, halos and strides that no operation makes ----------------------------------------------------------

TILES = md.LayoutTiled(2, 2)


def through(extents, offset, stride, source, base=TILES, radix=None):
    transform = md.index.IndexMap(offset, stride, source, radix)
    return md.Mapping(extents, md.LayoutComposed(base, (4, 4), transform))


RADIX = type(md.index.IndexMap.of_reshape((4, 4), (2, 8)).radix)

MADE = {
    "antidiagonal": lambda: through((4,), (0, 3), (1, -1), (0, 0)),
    "broadcast": lambda: through((3, 4), (2, 0), (0, 1), (None, 1)),
    "broadcast of no stride": lambda: through((3, 2), (1, 0), (0, 1), (0, 1)),
    "one element": lambda: through((), (2, 1), (0, 0), (None, None)),
    "empty": lambda: through((0, 9), (7, 0), (1, 1), (0, 1)),
    "by whole tiles": lambda: through((2,), (1, 1), (2, 0), (0, None)),
    "of a base that is not monotone": lambda: through((3,), (0, 3), (1, -1), (0, 0), LayoutBanded(3, 3)),
    "of a strided base": lambda: through((3,), (0, 0), (1, 1), (0, 0), md.LayoutRight()),
    "one element repeated": lambda: through((4, 4), (0, 0), (1, 1), (0, 1), radix=RADIX(1, (), (4, 4))),
    "a digit that nothing moves": lambda: through((2,), (0, 1), (1, 0), (0, None), radix=RADIX(0, (4,), (4, 4))),
    "a dimension without a weight": lambda: through((2, 3), (0, 0), (1, 1), (0, 1), radix=RADIX(0, (8,), (4, 4))),
    "each row the same": lambda: md.broadcast_to(part_of(md.reshape(md.Mapping((4, 4), TILES), (16,)), (0, 4)), (4, 4)),
    "windows in steps": lambda: part_of(
        md.sliding_window(md.Mapping((12, 9), TILES), (3, 3)), *[slice(None, None, 2)] * 4
    ),
    "windows of windows": lambda: md.sliding_window(md.sliding_window(md.Mapping((6, 7), TILES), (3, 3)), (2, 2, 1, 1)),
    "halo on two sides": lambda: md.pad(md.Mapping((2, 3), md.LayoutLeft()), ((0, 2), (1, 0))),
    "halo behind a reshape": lambda: md.reshape(md.pad(md.Mapping((2, 3)), 1), (5, 4)),
    "halo in steps": lambda: part_of(md.pad(md.Mapping((7,), md.LayoutTiled(2)), [(2, 2)]), range(1, 11, 3)),
    "halo alone": lambda: part_of(md.pad(md.Mapping((3,)), [(2, 2)]), (0, 2)),
    "halo of rank 0": lambda: part_of(md.pad(md.Mapping((3,)), [(2, 2)]), 0),
    "halo around nothing": lambda: md.pad(md.Mapping((0, 2)), 1),
    "halo around nothing, reshaped": lambda: md.reshape(md.pad(md.Mapping((0, 2)), 1), (8,)),
    "halo of a broadcast": lambda: md.pad(md.Mapping((2, 3), md.LayoutStrideRelaxed((0, 1))), 1),
    "reshape of nothing": lambda: md.reshape(md.Mapping((0, 3), TILES), (3, 0)),
    "far away": lambda: md.Mapping((2, 3), md.LayoutStrideRelaxed((3, 1), 100)),
    "unit dimensions": lambda: md.Mapping((1, 3, 1), md.LayoutStrideRelaxed((7, 1, 0))),
    "strides of nothing": lambda: md.Mapping((2, 0, 3), md.LayoutStrideRelaxed((0, 5, -7), 2)),
    "strides of nothing, zero": lambda: md.Mapping((3, 0), md.LayoutStride((0, 0))),
    "interleaved by slicing": lambda: md.Mapping((5, 2), md.LayoutStride((4, 3))),
    "tiles of tiles": lambda: md.Mapping(
        (5, 7), md.LayoutTiled(4, md.dim(4), inner=md.LayoutTiled(2, 3, inner=md.LayoutLeft()))
    ),
    "tiles with strides": lambda: md.Mapping(
        (4, 5), md.LayoutTiled(2, 3, outer=md.LayoutStride((2, 5)), inner=md.LayoutRightPadded(4))
    ),
    "span before a negative stride": lambda: md.Mapping(
        (3, 4), md.LayoutSwizzled(md.LayoutStrideRelaxed((5, -1), 3), 1, 2, -2)
    ),
    "transposed symmetric": lambda: md.Mapping((3, 4), md.layouts.LayoutTranspose(LayoutSymmetric())),
}


def test_of_compositions_and_strides_that_are_made_by_hand():
    for name, make in MADE.items():
        assert check_facts(make()), name


def swizzles():
    """All small parameters."""
    return [(bits, low, shift) for bits, low, shift in product(range(4), range(4), range(-4, 5)) if abs(shift) >= bits]


@pytest.mark.parametrize("name", ["right", "left", "right padded", "stride", "relaxed, negative", "tiled", "Morton"])
def test_of_swizzles_by_every_parameter(name):
    for shape in [(5, 7), (8, 4), (3, 4, 2), (3, 0)]:
        inner = bound(name, shape)
        for parameters in some(swizzles(), 12):
            mapping = md.Mapping(shape, md.LayoutSwizzled(inner.layout, *parameters))
            check_facts(mapping)
            static = md.Mapping(tuple(map(md.dim, shape)), mapping.layout)
            if md.Mapping(static.extents, inner.layout).is_always_exhaustive:
                assert static.is_always_exhaustive is (Enumerated(mapping).hole is None), static
            if not parameters[0]:
                assert mapping.is_always_exhaustive == inner.is_always_exhaustive
                assert mapping.layout.is_monotone() == inner.layout.is_monotone()


def nested(depth, base, *, turned):
    """Swizzles within each other, each perhaps transposed."""
    layout = base.layout
    for k in range(depth):
        layout = md.LayoutSwizzled(layout, 1 + k % 2, k % 3, 2)
        layout = md.layouts.LayoutTranspose(layout) if turned else layout
    return md.Mapping(base.extents, layout)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", ["tiled", "Morton", "packed, upper by rows", "user's, symmetric"])
def test_of_layouts_deep_within_each_other(name, turned):
    for depth in (1, 2, share(60, 5)):
        check_facts(nested(depth, bound(name, (8, 8)), turned=turned))


# --- what a layout may say wrongly or not at all ----------------------------------------------------------------------


class LayoutModest(md.Layout):
    """Denies traits that it has, and needs more room than its offsets take."""

    def offset(self, extents, index):
        return index[0] ^ 1

    def required_span_size(self, extents):
        return 6

    def is_unique(self, extents):
        return False

    def is_exhaustive(self, extents):
        return False


class LayoutRoomy(LayoutModest):
    """The same with strides."""

    def offset(self, extents, index):
        return index[0]

    def strides(self, extents):
        return (1,)


def test_a_witness_is_looked_for_where_a_layout_denies_a_trait():
    mapping = md.Mapping((4,), LayoutModest())
    assert (md.mappings.collision(mapping), md.mappings.hole(mapping)) == (None, 4)
    roomy = [md.Mapping((n,), LayoutRoomy()) for n in (4, 5, 6)]
    assert [md.mappings.hole(mapping) for mapping in roomy] == [4, 5, None]


# --- large ones -------------------------------------------------------------------------------------------------------

N = 2**20


def test_of_large_mappings_without_a_look_at_each_index():
    base = bound("Morton", (N, N))
    for part in (
        md.flip(md.reshape(base, (N // 4, -1))),
        md.reshape(md.flip(base), (-1, 4)),
        md.flip(md.reshape(md.flip(base, 0), (-1,))),
    ):
        assert (part.is_unique, part.is_exhaustive, part.required_span_size) == (True, True, N * N)
        inner, _ = md.mappings.submapping(part, (1, part.extent(0) - 1), *[slice(None)] * (part.rank - 1))
        assert inner.is_unique
    wide = md.reshape(md.Mapping((N, 1, N), md.LayoutTiled(4, 1, 4)), (N * N // 2, 2))
    assert (wide.is_strided, wide.is_unique, wide.required_span_size) == (False, True, N * N)
    packed, _ = md.mappings.submapping(bound("packed, upper by rows", (N, N)), (0, N // 2), (0, N // 2))
    assert packed.required_span_size == 1 + packed(N // 2 - 1, N // 2 - 1)
    for inner in (md.LayoutRight(), md.LayoutRightPadded(3000)):
        swizzled = md.Mapping((1_000_000, 3000), md.LayoutSwizzled(inner, 3, 3, 3))
        assert (swizzled.required_span_size, swizzled.is_strided) == (3_000_000_000, False)
    far = md.LayoutSwizzled(md.LayoutRight(), 3, 2, -14)
    assert [far.required_span_size((n,)) for n in (1 << 60, (1 << 60) - 2)] == [1 << 60, 1 << 60]
    with pytest.raises(UndecidedError):
        md.LayoutSwizzled(md.LayoutRight(), 3, 2, -40).required_span_size((1 << 60,))


@pytest.mark.parametrize(
    "name", [name for name in LAYOUTS if not name.startswith(("user's", "packed", "trans", "swi", "nested", "linear"))]
)
def test_the_largest_span_is_taken_and_one_more_is_refused(name):
    for size in (2**62, 2**63 - 1):
        try:
            mapping = md.Mapping((size,), LAYOUTS[name]((4,)))
        except LayoutError:
            assert name in {"stride", "relaxed, negative", "relaxed, interleaved", "composed", "composed, backwards"}
            continue
        last = mapping(size - 1)
        assert 0 <= last < mapping.required_span_size <= 2**63 - 1
    with pytest.raises(LayoutError, match=r"2\*\*63 - 1"):
        md.Mapping((2,), md.LayoutStrideRelaxed((1,), 2**63 - 2))


@pytest.mark.parametrize("layout", [md.LayoutLeftPadded(3), md.LayoutRightPadded(3)])
def test_a_halo_around_one_row_asks_offsets_and_not_types_whether_it_is_exhaustive(layout):
    for extents in ((1, 1), (1, 1, 1)):
        padded = md.pad(md.Mapping(extents, layout), 1)
        assert (padded.is_exhaustive, padded.required_span_size) == (True, 1)
    assert not md.pad(md.Mapping((2, 2), layout), 1).is_exhaustive
