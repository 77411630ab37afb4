"""Every layout on symbolic extents and indices: the offset as an expression against the offset of numbers."""

import sys
from itertools import product
from pathlib import Path

import pytest
from samples import LayoutBanded, LayoutConstant, LayoutEveryOther, LayoutMortonLike, LayoutSymmetric

from mdview import (
    ExtentSlice,
    Layout,
    LayoutBlasPacked,
    LayoutComposed,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    dim,
    flip,
    pad,
    permute_dims,
    reshape,
    submapping,
)
from mdview.errors import SymbolicExtentError
from mdview.symbolic import Expr, SymbolicMapping, bounds, var

sys.path.append(str(Path(__file__).parents[2] / "examples"))

import layouts as examples


class LayoutRagged(Layout):
    """The example of the page on reliability."""

    def offset(self, extents, index):
        i, j = index
        return (i * (extents[1] // 2) + j // 2) * 2 + j % 2

    def required_span_size(self, extents):
        return 0 if 0 in extents else 1 + max(self.offset(extents, (i, extents[1] - 1)) for i in range(extents[0]))

    def __repr__(self):
        return "LayoutRagged()"


N = var("n", 1, 6)
I, J = var("i", 0, 9), var("j", 0, 9)
SWIZZLES = [
    LayoutSwizzled(inner, bits=bits, base=base, shift=shift)
    for inner in (LayoutRight(), LayoutTiled(2, 2), LayoutRightPadded(4))
    for bits, base, shift in ((1, 0, 2), (2, 1, 2), (1, 0, -2), (2, 1, -3), (0, 0, 0))
]
PACKED = [LayoutBlasPacked(triangle, order) for triangle in ("upper", "lower") for order in ("column", "row")]
STRIDED = [
    LayoutRight(),
    LayoutLeft(),
    LayoutRightPadded(4),
    LayoutRightPadded(dim(4)),
    LayoutLeftPadded(3),
    LayoutLeftPadded(None),
    LayoutStride(),
    LayoutStride((40, 3)),
    LayoutStrideRelaxed((7, -1), offset=9),
    LayoutStrideRelaxed((0, 1)),
    LayoutEveryOther(),
    LayoutConstant(),
]
TILED = [
    LayoutTiled(2, 3),
    LayoutTiled(2, 2, outer=LayoutLeft(), inner=LayoutLeft()),
    LayoutTiled(2, 3, inner=LayoutStride((4, 1))),
    LayoutTiled(4, 4, inner=LayoutTiled(2, 2)),
    LayoutTiled(4, 4, outer=LayoutRightPadded(3), inner=LayoutTiled(2, 2, inner=LayoutTiled(1, 2))),
]
USERS = [LayoutRagged(), LayoutBanded(1, 2), LayoutSymmetric(), examples.LayoutBanded(1, 2), examples.LayoutSymmetric()]
LAYOUTS = [
    *STRIDED,
    *TILED,
    *SWIZZLES,
    *USERS,
    *[LayoutTranspose(layout) for layout in (LayoutRight(), TILED[0], SWIZZLES[0], SWIZZLES[2], LayoutSymmetric())],
]
SHAPES = [(N, 5), (5, N), (N, N + 1), (2 * N, N // 2 + 1), (5, 6)]
SQUARES = [(N, N), (2 * N + 1, 2 * N + 1), (5, 5)]
OF_NUMBERS = [
    LayoutMorton(),
    LayoutMorton(compact=True),
    LayoutMorton(compact=True, fastest="first"),
    LayoutMortonLike(),
    LayoutTranspose(LayoutMorton()),
    LayoutSwizzled(LayoutMorton(), bits=1, base=0, shift=1),
]


def composed(mapping):
    """Views of a mapping that is not strided, so that a composition stays."""
    return [
        submapping(mapping, ExtentSlice(1, 3, 2), ExtentSlice(0, 3, 2))[0],
        permute_dims(mapping, (1, 0)),
        flip(mapping),
        reshape(mapping, (12, 3)),
        submapping(reshape(mapping, (12, 3)), ExtentSlice(1, 5, 2), ExtentSlice(0, 3, 1))[0],
        reshape(flip(reshape(mapping, (4, 9))), (6, 6)),
        pad(mapping, ((0, 0), (0, 0))),
    ]


BASES = [LayoutTiled(2, 4), LayoutMorton(), SWIZZLES[1], LayoutSymmetric(), PACKED[1]]
COMPOSED = [view for base in BASES for view in composed(Mapping((6, 6), base)) if type(view.layout) is LayoutComposed]


def agree(layout, shape):
    """Compare the offset of symbolic indices with that of numbers, for some extents and their first indices."""
    symbolic = SymbolicMapping(shape, layout)
    offset = symbolic.offset(I, J)
    low, high = bounds(offset)
    for n in (1, 2, 5, 6) if symbolic.extents.vars else (1,):
        mapping = symbolic.bind({N: n})
        for i, j in product(*[range(min(extent, 8)) for extent in mapping.extents]):
            found = offset.eval({N: n, I: i, J: j})
            assert low <= found <= high
            assert found == mapping(i, j), (n, i, j)
        last = [extent - 1 for extent in mapping.extents]
        assert symbolic.offset(*last).eval({N: n}) == mapping(*last)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_offsets_on_symbolic_extents(layout, shape):
    agree(layout, shape)


@pytest.mark.parametrize("shape", SQUARES, ids=str)
@pytest.mark.parametrize("layout", [*PACKED, *map(LayoutTranspose, PACKED)], ids=repr)
def test_offsets_in_symbolic_squares(layout, shape):
    agree(layout, shape)


@pytest.mark.parametrize("layout", OF_NUMBERS, ids=repr)
def test_offsets_of_symbolic_indices_where_extents_are_numbers(layout):
    agree(layout, (8, 8))


@pytest.mark.parametrize("view", COMPOSED, ids=repr)
def test_offsets_of_symbolic_indices_in_compositions(view):
    agree(view.layout, view.extents)


def test_compositions_of_every_base_are_tried():
    assert {view.layout.base for view in COMPOSED} >= set(BASES)
    assert any(view.layout.transform.radix for view in COMPOSED)


@pytest.mark.parametrize("layout", [layout for layout in OF_NUMBERS if layout != LayoutMortonLike()], ids=repr)
def test_a_layout_that_asks_for_bits_of_an_extent_says_so(layout):
    refused = rf"^the offset of {type(layout).__name__}\(.*\) over \[.*n#{N.number}.*\]: it asks for bit_length of \(n#"
    with pytest.raises(SymbolicExtentError, match=refused):
        SymbolicMapping((N, 8), layout).offset(I, J)


def facts(mapping):
    """What each fact of a symbolic mapping is, or its refusal."""
    asked = {
        "strides": lambda: mapping.strides,
        "origin": lambda: mapping.origin,
        "span": lambda: mapping.required_span_size,
        "offset": lambda: mapping.offset(I, J),
        "unique": mapping.is_unique,
        "exhaustive": mapping.is_exhaustive,
        "contiguous": mapping.is_contiguous,
    }
    found, reasons = {}, []
    for name, ask in asked.items():
        try:
            found[name] = ask()
        except SymbolicExtentError as error:
            found[name] = None
            reasons.append(str(error))
    assert all("narrow their bounds" in reason and f"n#{N.number} in [1, 6]" in reason for reason in reasons)
    return found


@pytest.mark.parametrize("layout", [*LAYOUTS, *PACKED, *OF_NUMBERS], ids=repr)
def test_each_fact_is_an_expression_or_a_refusal_that_says_why(layout):
    symbolic = SymbolicMapping((N, N), layout)
    found = facts(symbolic)
    for n in range(1, 7):
        mapping = symbolic.bind({N: n})
        wanted = {"origin": mapping.origin, "span": mapping.required_span_size, "unique": mapping.is_unique}
        wanted["exhaustive"] = mapping.is_exhaustive
        for name, fact in wanted.items():
            value = found[name].eval({N: n}) if isinstance(found[name], Expr) else found[name]
            assert value in {None, fact}, name
        if found["strides"] is not None:
            assert [s.eval({N: n}) for s in found["strides"]] == list(mapping.strides)


class LayoutStubborn(Layout):
    """A layout that fails on symbols in a way of its own."""

    def __init__(self, ask):
        self.ask = ask

    def __repr__(self):
        return "LayoutStubborn()"

    def offset(self, extents, index):
        return self.ask(index[0])

    def required_span_size(self, extents):
        return self.ask(extents[0] - 1) + 1


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (lambda i: [0, 1, 2, 3][i], "it asks for the number i#"),
        (lambda i: sum(range(i)), "it asks for the number i#"),
        (lambda i: {0: 1}[i], "__hash__ of i#"),
        (lambda i: i**2, "__pow__ of i#"),
        (lambda i: int(i / 2), "__truediv__ of i#"),
        (lambda i: i.real, "real of i#"),
        (lambda i: None, "None is no integer"),
        ("abc".index, "more than compute and compare .TypeError: "),
        (lambda i: i.to_bytes(), "to_bytes of i#"),
        (lambda i: [].pop(), "more than compute and compare .IndexError: "),
    ],
)
def test_what_symbols_cannot_do_is_refused_with_the_step_that_asks(ask, reason):
    with pytest.raises(SymbolicExtentError, match=rf"^the offset of LayoutStubborn\(\) over \[n#.*\]: .*{reason}"):
        SymbolicMapping((N,), LayoutStubborn(ask)).offset(I)


def test_a_layout_over_numbers_alone_fails_as_it_does():
    with pytest.raises(IndexError, match="pop from empty list"):
        SymbolicMapping((3,), LayoutStubborn(lambda _: [].pop())).offset(1)


def collatz(i):
    while i > 1:
        i = i // 2
    return i


def test_a_loop_that_comparisons_end_is_refused():
    assert SymbolicMapping((N,), LayoutStubborn(collatz)).offset(J).eval({J: 9}) == 1
    with pytest.raises(SymbolicExtentError, match="more than 64 outcomes"):
        SymbolicMapping((N,), LayoutStubborn(lambda i: sum(i > k for k in range(7)))).offset(J)


def test_of_a_choice_only_the_way_taken_is_computed():
    m = var("m", 0, 4)
    offset = SymbolicMapping((m + 1,), LayoutStubborn(lambda i: 12 // i if i > 0 else 0)).offset(m)
    assert str(offset) == f"((12 // m#{m.number}) if (m#{m.number} > 0) else 0)"
    assert [offset.eval({m: k}) for k in range(5)] == [0, 12, 6, 4, 3]
    assert offset.eval() is None
    assert (offset + 1).substitute({m: 3}).eval() == 5
