"""Symbolic mappings, against mappings of numbers."""

from itertools import product

import pytest

from mdview import (
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
)
from mdview.base.values import value
from mdview.errors import (
    AxisError,
    BroadcastError,
    IndexOutOfRangeError,
    NotStridedError,
    RankError,
    ShapeError,
    SliceError,
    StrideError,
    SymbolError,
    SymbolicExtentError,
)
from mdview.layouts.base import Layout
from mdview.lazy.box import StridedBox
from mdview.symbolic import (
    Const,
    SymbolicExtents,
    SymbolicMapping,
    var,
)

N = var("n", 1, 5)
M = var("m", 0, 4)
RANGE = [{N: n, M: m} for n, m in product(range(1, 6), range(5))]


@pytest.fixture
def n():
    return var("n", 1, 100)


@value
class Banded(Layout):
    """A user's layout: a band of a matrix, and a comparison that only numbers answer."""

    lower: int
    upper: int

    def offset(self, extents, index):
        i, j = index
        return (self.lower + i - j) + j * (self.lower + self.upper + 1)

    def required_span_size(self, extents):
        return extents[1] * (self.lower + self.upper + 1) if extents[0] > 2 else 0


LAYOUTS = [
    LayoutRight(),
    LayoutLeft(),
    LayoutRightPadded(4),
    LayoutTiled(2, 3),
    LayoutTranspose(LayoutRightPadded(4)),
    LayoutStrideRelaxed((7, -1), offset=9),
    LayoutStride((40, 3)),
]


def strides_or_refusal(symbolic):
    """Strides; "refused" where the layout has some for some numbers only."""
    try:
        return symbolic.strides
    except SymbolicExtentError:
        return "refused"


def agree(symbolic, mapping, values):
    at = [(0, 0), (0, mapping.extent(1) - 1), (mapping.extent(0) - 1, 0)] if mapping.size else []
    assert [symbolic.offset(*index).eval(values) for index in at] == [mapping(*index) for index in at]
    assert symbolic.size.eval(values) == mapping.size
    strides = strides_or_refusal(symbolic)
    if strides not in {None, "refused"}:
        assert [s.eval(values) for s in strides] == list(mapping.strides)
        assert symbolic.required_span_size.eval(values) == mapping.required_span_size
        assert symbolic.origin.eval(values) == mapping.origin


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
@pytest.mark.parametrize("shape", [(N, 3), (3, N), (N, N + M), (2, 4)])
def test_facts_are_those_of_the_mapping_of_numbers(layout, shape):
    symbolic = SymbolicMapping(shape, layout)
    proofs = symbolic.is_unique(), symbolic.is_exhaustive(), symbolic.is_contiguous()
    for values in RANGE:
        mapping = symbolic.bind(values)
        assert mapping == Mapping(symbolic.extents.numbers(values), layout)
        agree(symbolic, mapping, values)
        contiguous = list(mapping.offsets()) == list(range(mapping.size))
        for proof, fact in zip(proofs, (mapping.is_unique, mapping.is_exhaustive, contiguous), strict=True):
            assert proof in {None, fact}


def test_offsets_of_symbols():
    i, j = var("i", 0, 0), var("j", 0, 1)
    offset = SymbolicMapping((N, 4), LayoutTiled(2, 2)).offset(i + 1, j * 2)
    assert offset.eval({N: 3, i: 1, j: 1}) == Mapping((3, 4), LayoutTiled(2, 2))(2, 2)


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_permuted_and_expanded_mappings_bind_to_the_same_elements(layout):
    symbolic = SymbolicMapping((N, 1), layout).expand((N, 4)).permute((1, 0))
    for k in range(1, 6):
        column = Mapping((k, 1), layout)
        seen = symbolic.bind({N: k})
        assert seen.extents == (4, k)
        assert list(seen.offsets()) == list(column.offsets()) * 4
        assert symbolic.offset(3, k - 1).eval({N: k}) == column(k - 1, 0)
        if seen.is_strided:
            assert symbolic.box({N: k}).extents == (4, k)
    assert symbolic.is_unique() is False
    assert symbolic.is_contiguous() is not True


def test_a_layout_without_strides_stays_itself_behind_a_permutation():
    symbolic = SymbolicMapping((N, N), Banded(1, 2)).permute((1, 0))
    assert symbolic.offset(2, 1).eval({N: 3}) == symbolic.bind({N: 3})(2, 1) == Mapping((3, 3), Banded(1, 2))(1, 2)
    assert symbolic.strides is None


def test_traits_without_numbers():
    right = SymbolicMapping((N, 3))
    assert (right.is_unique(), right.is_exhaustive(), right.is_contiguous(), right.is_c_contiguous) == (True,) * 4
    assert SymbolicMapping((M, 3)).is_exhaustive() is None
    assert SymbolicMapping((M, 0)).is_contiguous() is True
    assert SymbolicMapping((N, 3), LayoutStrideRelaxed((3, 1))).is_contiguous() is True
    assert SymbolicMapping((N, 3), LayoutStrideRelaxed((3, 1))).is_c_contiguous is False
    assert SymbolicMapping((N + 1, 3), LayoutStrideRelaxed((4, 1))).is_contiguous() is False
    assert SymbolicMapping((N, 3), LayoutStrideRelaxed((4, 1))).is_contiguous() is None
    assert SymbolicMapping((N, 3), LayoutStrideRelaxed((3, 1))).is_unique() is None
    assert SymbolicMapping((2, 3), LayoutLeft()).is_c_contiguous is False
    assert SymbolicMapping((2, 3)).is_exhaustive() is True
    assert SymbolicMapping((N, 3), LayoutTiled(2, 2)).is_contiguous() is None
    assert SymbolicMapping((1, N), LayoutStrideRelaxed((9, 1))).is_contiguous() is True
    expanded = SymbolicMapping((1, N)).expand((M, N))
    assert expanded.is_unique() is None
    assert SymbolicMapping((1, N)).expand((var("one", 0, 1), N)).is_unique() is True


def test_spans():
    assert SymbolicMapping((M, 3)).required_span_size == SymbolicExtents((M, 3)).size
    assert SymbolicMapping((M, 0), LayoutRightPadded(4)).required_span_size == Const(0)
    with pytest.raises(SymbolicExtentError, match="are empty"):
        _ = SymbolicMapping((M, 3), LayoutRightPadded(4)).required_span_size
    tiled = SymbolicMapping((N, 4), LayoutTiled(2, 2)).required_span_size
    assert tiled.eval({N: 3}) == Mapping((3, 4), LayoutTiled(2, 2)).required_span_size


def test_reshape_where_contiguity_is_proven():
    assert SymbolicMapping((N, 6)).reshape((2, N, 3)).extents == SymbolicExtents((2, N, 3))
    assert SymbolicMapping((N, 6)).reshape((N, -1, 2)).extents == SymbolicExtents((N, 3, 2))
    assert SymbolicMapping((N, 6), LayoutStrideRelaxed((6, 1))).reshape((-1,)).bind({N: 2}) == Mapping((12,))
    same = SymbolicMapping((N, 6), LayoutStrideRelaxed((9, 1)))
    assert same.reshape((N, 6)) is same


def test_a_padding_of_nothing_changes_nothing():
    symbolic = SymbolicMapping((N, 3))
    assert symbolic.pad([(0, 0), (0, 0)]) is symbolic


def test_bound_extents_move_as_boxes(n):
    symbolic = SymbolicMapping((n, 3))
    n.bind(2)
    assert symbolic.flip((True, False)) == StridedBox((2, 3)).flip((True, False))
    assert symbolic.shrink([(1, 2), (0, 3)]) == StridedBox((2, 3)).shrink([(1, 2), (0, 3)])
    assert symbolic.pad([(1, 0), (0, 0)]) == StridedBox((2, 3)).pad([(1, 0), (0, 0)])
    assert symbolic.is_materializable
    assert symbolic.numel == 6
    with pytest.raises(SliceError, match="begin < end"):
        symbolic.shrink([(0, 0), (0, 3)])


def test_a_layout_that_asks_for_numbers_is_refused_with_the_symbols_that_it_lacks():
    symbolic = SymbolicMapping((N, N), Banded(1, 2))
    assert symbolic.strides is None
    assert symbolic.offset(1, 1).eval() == Banded(1, 2).offset((3, 3), (1, 1))
    with pytest.raises(
        SymbolicExtentError, match=r"the span of Banded.*asks whether .n#\d+ > 2.*their bounds: n#\d+ in"
    ):
        _ = symbolic.required_span_size


def test_a_box_has_strides():
    with pytest.raises(NotStridedError, match="only a strided mapping is a box"):
        SymbolicMapping((N, N), LayoutTiled(2, 2)).box({N: 3})


@value
class Listed(Layout):
    """A layout that looks its offsets up, which no symbol can."""

    def offset(self, extents, index):
        return "abc".index(index[0])

    def required_span_size(self, extents):
        return 3


def test_what_is_no_arithmetic_is_refused():
    with pytest.raises(SymbolicExtentError, match="more than compute and compare"):
        SymbolicMapping((N,), Listed()).offset(0)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: SymbolicMapping((N, 3), LayoutStrideRelaxed((1,))), RankError, "2 strides, got 1"),
        (lambda: SymbolicMapping((N, 3), LayoutStride((-1, 1))), StrideError, "-1 of dimension 0"),
        (lambda: SymbolicMapping((N, 3)).offset(1), RankError, "takes 2 indices"),
        (lambda: SymbolicMapping((N, 3)).offset(5, 0), IndexOutOfRangeError, "index 5 .* dimension 0"),
        (lambda: SymbolicMapping((N, 3)).offset(0, -1), IndexOutOfRangeError, "index -1"),
        (lambda: SymbolicMapping((N, 3)).permute((0,)), RankError, "takes 2 axes"),
        (lambda: SymbolicMapping((N, 3)).permute((0, 0)), AxisError, "permutation"),
        (lambda: SymbolicMapping((N, 3)).expand((N,)), RankError, "takes 2 extents"),
        (lambda: SymbolicMapping((N, 3)).expand((N, 4)), BroadcastError, "extent 3 of dimension 1 to 4"),
        (lambda: SymbolicMapping((N, 3)).expand((M, 3)), SymbolicExtentError, r"may become m#\d+"),
        (lambda: SymbolicMapping((N, 3)).reshape((-1, -1)), ShapeError, "only one"),
        (lambda: SymbolicMapping((N, 3)).reshape((N, 4)), ShapeError, "equal size"),
        (lambda: SymbolicMapping((N, 3)).reshape((M, 3)), SymbolicExtentError, "has the size of"),
        (lambda: SymbolicMapping((N, 3)).reshape((2, -1)), SymbolicExtentError, "the extent that makes"),
        (lambda: SymbolicMapping((N, 3), LayoutLeft()).reshape((3, N)), SymbolicExtentError, "not contiguous"),
        (lambda: SymbolicMapping((N, 3)).bind(), SymbolicExtentError, r"n#\d+ in \[1, 5\]"),
        (lambda: SymbolicMapping((N, 3)).bind({N: 6}), SymbolError, "value 6"),
        (lambda: SymbolicMapping((N, 3)).flip((True, False)), SymbolicExtentError, r"flip needs numbers: .*n#\d+"),
        (lambda: SymbolicMapping((N, 3)).shrink([(0, 1), (0, 3)]), SymbolicExtentError, r"shrink needs .*n#\d+"),
        (lambda: SymbolicMapping((N, 3)).pad([(0, 1), (0, 3)]), SymbolicExtentError, r"pad needs numbers: .*n#\d+"),
    ],
)
def test_mapping_refusals(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_it_is_a_value():
    symbolic = SymbolicMapping((N, 3), LayoutLeft())
    assert symbolic == SymbolicMapping(SymbolicExtents((N, 3)), LayoutLeft())
    assert hash(symbolic) == hash(SymbolicMapping((N, 3), LayoutLeft()))
    assert str(N) in repr(symbolic)
    assert symbolic.rank == 2
