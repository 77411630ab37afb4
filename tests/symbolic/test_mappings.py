"""Symbolic mappings of every layout, against mappings of numbers."""

from contextlib import suppress
from itertools import product

import pytest
from samples.mappings import MAPPINGS, MATRICES, LayoutBanded, LayoutOf

import mdview as md
from mdview import errors
from mdview.symbolic import Const, Expr, SymbolicExtents, SymbolicMapping, bounds, var

N, M = var("n", 1, 6), var("m", 0, 4)
I, J = var("i", 0, 12), var("j", 0, 12)
RELAXED = md.LayoutStrideRelaxed


class LayoutRagged(md.Layout):
    """Computes with an extent."""

    def offset(self, extents, index):
        i, j = index
        return (i * (extents[1] // 2) + j // 2) * 2 + j % 2

    def required_span_size(self, extents):
        return 0 if 0 in extents else 1 + max(self.offset(extents, (i, extents[1] - 1)) for i in range(extents[0]))

    def __repr__(self):
        return "LayoutRagged()"


MADE = {
    "padded, of a constant": md.LayoutRightPadded(md.dim(4)),
    "padded by columns, absent": md.LayoutLeftPadded(None),
    "strided tiles": md.LayoutTiled(2, 3, inner=md.LayoutStride((4, 1))),
    "tiles in tiles in tiles": md.LayoutTiled(4, 4, inner=md.LayoutTiled(2, 2, inner=md.LayoutTiled(1, 2))),
    **{
        f"swizzled {inner} {numbers}": md.LayoutSwizzled(inner, *numbers)
        for inner in (md.LayoutRight(), md.LayoutTiled(2, 2), md.LayoutRightPadded(4))
        for numbers in ((2, 1, 2), (1, 0, -2), (2, 1, -3), (0, 0, 0))
    },
    "strided": md.LayoutStride((40, 3)),
    "flipped": RELAXED((7, -1), 12),
    "ragged": LayoutRagged(),
    "transposed, packed": md.layouts.LayoutTranspose(md.LayoutBlasPacked("lower", "row")),
    "transposed, morton": md.layouts.LayoutTranspose(md.LayoutMorton()),
}
SQUARES, SHAPES = [(N, N), (2 * N + 1, 2 * N + 1), (5, 5)], [(N, 5), (5, N), (2 * N, N // 2 + 1)]


def cases():
    """Names of layouts and the shapes that they take: those made for some extents these alone, here None."""
    for name in [*MATRICES, *MADE]:
        own = [None] * (name in MATRICES and "empty" not in name)
        one_size = "composed" in name or "nested" in name or "linear" in name
        if one_size or name in {"stride", "relaxed, flipped", "tiled, strided outside and inside"}:
            shapes = own
        else:
            shapes = own + SQUARES if "packed" in name or "symmetric" in name else own + SQUARES[:1] + SHAPES
        yield from [pytest.param(name, shape, id=f"{name} {k}") for k, shape in enumerate(shapes)]


def facts(mapping):
    """What each fact of a symbolic mapping is, None where it is refused for want of numbers."""
    asked = {
        "strides": lambda: mapping.strides,
        "origin": lambda: mapping.origin,
        "required_span_size": lambda: mapping.required_span_size,
    }
    found = {}
    for name, ask in asked.items():
        with suppress(errors.SymbolicExtentError):
            found[name] = ask()
    return {name: fact for name, fact in found.items() if fact is not None}


@pytest.mark.parametrize(("name", "shape"), [*cases()])
def test_offsets_and_facts_are_those_of_mappings_of_numbers(name, shape):
    sample = MATRICES[name]() if name in MATRICES else None
    symbolic = SymbolicMapping(shape or sample.extents, sample.layout if sample else MADE[name])
    if "morton" in name and symbolic.extents.vars:  # it asks for bits of an extent
        with pytest.raises(errors.SymbolicExtentError, match=rf"n#{N.number} in \[1, 6\]"):
            symbolic.offset(I, J)
        return
    offset = symbolic.offset(I, J)
    low, high = bounds(offset)
    known, contiguous = facts(symbolic), symbolic.is_contiguous()
    for n in range(1, 7) if symbolic.extents.vars else (1,):
        mapping = symbolic.bind({N: n})
        for i, j in product(*[sorted({*range(min(extent, 3)), *range(extent)[-1:]}) for extent in mapping.extents]):
            assert low <= offset.eval({N: n, I: i, J: j}) == mapping(i, j) <= high
        if mapping.size:
            assert symbolic.offset(i, j).eval({N: n}) == mapping(i, j)
        for fact, found in known.items():
            given, wanted = (found, mapping.strides) if fact == "strides" else ([found], [getattr(mapping, fact)])
            assert [e.eval({N: n}) if isinstance(e, Expr) else e for e in given] == list(wanted)
        assert contiguous in {None, list(mapping.offsets()) == list(range(mapping.size))}


@pytest.mark.parametrize("name", ["right", "left", "tiled", "stride", "relaxed, broadcast", "transposed"])
def test_permuted_and_expanded_mappings_bind_to_the_same_elements(name):
    layout = MAPPINGS[name]().layout
    symbolic = SymbolicMapping((N, 1), layout).expand((N, 4)).permute((1, 0))
    for k in range(1, 7):
        column = md.Mapping((k, 1), layout)
        seen = symbolic.bind({N: k})
        assert (seen.extents, list(seen.offsets())) == ((4, k), list(column.offsets()) * 4)
        assert symbolic.offset(3, k - 1).eval({N: k}) == column(k - 1, 0)
    assert symbolic.is_contiguous() is not True


RIGHT, LEFT = SymbolicMapping((N, 3)), SymbolicMapping((N, 3), md.LayoutLeft())
STRIDED, BANDED = SymbolicMapping((N, 3), RELAXED((4, 1))), SymbolicMapping((N, N), LayoutBanded(1, 2))
ONCE = var("one", 0, 1)


@pytest.mark.parametrize(
    ("symbolic", "contiguous", "plain"),
    [
        (RIGHT, True, True),
        (SymbolicMapping((M, 3)), True, True),
        (SymbolicMapping((M, 0)), True, True),
        (SymbolicMapping((2, 3)), True, True),
        (SymbolicMapping((2, 3), md.LayoutLeft()), False, False),
        (SymbolicMapping((N, 3), RELAXED((3, 1))), True, False),
        (SymbolicMapping((N + 1, 3), RELAXED((4, 1))), False, False),
        (STRIDED, None, False),
        (SymbolicMapping((N, 3), md.LayoutTiled(2, 2)), None, False),
        (SymbolicMapping((1, N), RELAXED((9, 1))), True, False),
        (SymbolicMapping((1, N)).expand((M, N)), None, False),
        (SymbolicMapping((1, N)).expand((ONCE, N)), True, False),
    ],
)
def test_what_is_contiguous_is_known_without_numbers(symbolic, contiguous, plain):
    assert (symbolic.is_contiguous(), symbolic.is_c_contiguous) == (contiguous, plain)


def test_spans_reshapes_and_what_changes_nothing():
    assert SymbolicMapping((M, 3)).required_span_size == SymbolicExtents((M, 3)).size
    assert SymbolicMapping((M, 0), md.LayoutRightPadded(4)).required_span_size == Const(0)
    assert SymbolicMapping((N, 6)).reshape((2, N, 3)).extents == SymbolicExtents((2, N, 3))
    assert SymbolicMapping((N, 6)).reshape((N, -1, 2)).extents == SymbolicExtents((N, 3, 2))
    assert SymbolicMapping((N, 6), RELAXED((6, 1))).reshape((-1,)).bind({N: 2}) == md.Mapping((12,))
    assert STRIDED.reshape((N, 3)) is STRIDED
    assert BANDED.permute((1, 0)).strides is None
    offset = SymbolicMapping((N, 4), md.LayoutTiled(2, 2)).offset(I + 1, J * 2)
    assert offset.eval({N: 3, I: 1, J: 1}) == md.Mapping((3, 4), md.LayoutTiled(2, 2))(2, 2)
    assert SymbolicMapping(SymbolicExtents((N, 3)), md.LayoutLeft()) == LEFT
    assert hash(LEFT) == hash(SymbolicMapping((N, 3), md.LayoutLeft()))
    assert (str(N) in repr(LEFT), LEFT.rank) == (True, 2)


def test_comparisons_are_settled_by_bounds_or_become_a_choice_of_which_one_way_is_computed():
    n, one = var("n", 1, 5), var("one", 1, 1)
    sure = SymbolicMapping((n, 3, one), LayoutOf(sum, lambda a, b, c: 7 if a > 0 and b < 4 and c == 1 else a))
    assert sure.required_span_size == Const(7)
    offset = SymbolicMapping((M + 1,), LayoutOf(lambda i: 12 // i if i > 0 else 0)).offset(M)
    assert str(offset) == f"((12 // m#{M.number}) if (m#{M.number} > 0) else 0)"
    assert [offset.eval({M: k}) for k in range(5)] == [0, 12, 6, 4, 3]
    assert (offset.eval(), (offset + 1).substitute({M: 3}).eval()) == (None, 5)

    def halved(i):
        while i > 1:
            i = i // 2
        return i

    assert SymbolicMapping((N,), LayoutOf(halved)).offset(J).eval({J: 9}) == 1


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda i: [0, 1, 2, 3][i], "the number i#"),
        (lambda i: i.real, "real of i#"),
        ("abc".index, "TypeError"),
        (lambda i: [].pop(), "IndexError"),
        (lambda i: sum(i > k for k in range(7)), "64"),
    ],
)
def test_what_symbols_cannot_do_is_refused_with_the_step_that_asks(ask, words):
    with pytest.raises(errors.SymbolicExtentError, match=rf"LayoutOf\(.* over \[n#.*\]: .*{words}"):
        SymbolicMapping((N,), LayoutOf(ask)).offset(I)


def test_what_has_no_span_or_raises_says_so():
    with pytest.raises(errors.SymbolicExtentError, match=r"LayoutBanded.*n#\d+ in \[1, 6\]"):
        _ = BANDED.required_span_size
    with pytest.raises(IndexError, match="pop"):
        SymbolicMapping((3,), LayoutOf(lambda _: [].pop())).offset(1)
