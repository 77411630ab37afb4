"""Chains, against lists of positions; simplification, against a search for the one box."""

from itertools import islice, pairwise, product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview.errors import IndexOutOfRangeError, LayoutError, RankError, ShapeError, SliceError
from mdview.lazy import composite
from mdview.lazy.box import StridedBox
from mdview.lazy.chain import Chain

MOST_CELLS = 60


def cells_of(shape, elements):
    return dict(zip(product(*map(range, shape)), elements, strict=True))


@st.composite
def starts(draw):
    extents = draw(st.lists(st.integers(1, 4), max_size=3))
    if draw(st.booleans()):
        return StridedBox(extents)
    rank = len(extents)
    return StridedBox(
        extents, draw(st.lists(st.integers(-3, 6), min_size=rank, max_size=rank)), draw(st.integers(0, 9))
    )


def shapes_of(draw, size):
    shape = []
    while size > 1:
        shape.append(draw(st.sampled_from([d for d in range(2, size + 1) if size % d == 0])))
        size //= shape[-1]
    if draw(st.integers(0, 5)) == 0:
        shape.insert(draw(st.integers(0, len(shape))), 1)
    return draw(st.permutations(shape))


def step(draw, chain, shape, elements):
    """One movement of a chain, and the same on the plain list of its elements."""
    names = ["permute", "flip", "shrink", "reshape", "reshape"] + ["pad", "expand"] * (prod(shape) <= MOST_CELLS)
    name = draw(st.sampled_from(names))
    cells, rank = cells_of(shape, elements), len(shape)
    if name == "reshape":
        arg = new = shapes_of(draw, prod(shape))
        return chain.reshape(arg), new, elements
    if name == "permute":
        arg = draw(st.permutations(range(rank)))
        new = [shape[a] for a in arg]
        old = lambda i: tuple(i[arg.index(r)] for r in range(rank))  # noqa: E731
    elif name == "flip":
        arg = [draw(st.booleans()) for _ in shape]
        new = shape
        old = lambda i: tuple(n - 1 - k if f else k for k, n, f in zip(i, shape, arg, strict=True))  # noqa: E731
    elif name == "shrink":
        begins = [draw(st.integers(0, n - 1)) for n in shape]
        arg = [(b, draw(st.integers(b + 1, n))) for b, n in zip(begins, shape, strict=True)]
        new = [e - b for b, e in arg]
        old = lambda i: tuple(k + b for k, (b, _) in zip(i, arg, strict=True))  # noqa: E731
    elif name == "pad":
        arg = [(draw(st.integers(0, 2)), draw(st.integers(0, 1))) for _ in shape]
        new = [before + n + after for n, (before, after) in zip(shape, arg, strict=True)]
        old = lambda i: tuple(k - before for k, (before, _) in zip(i, arg, strict=True))  # noqa: E731
    else:
        arg = new = [draw(st.integers(1, 3)) if n == 1 else n for n in shape]
        old = lambda i: tuple(0 if n == 1 else k for k, n in zip(i, shape, strict=True))  # noqa: E731
    moved = getattr(chain, name)(arg)
    return moved, list(new), [cells.get(old(index)) for index in product(*map(range, new))]


@st.composite
def chains(draw):
    """A chain, its shape and its elements."""
    start = draw(starts())
    found = Chain(start), list(start.extents), list(start.elements())
    for _ in range(draw(st.integers(1, 8))):
        found = step(draw, *found)
    return found


def is_one_box(shape, elements):
    """Whether some offset, strides and box give exactly these elements: by trying the only candidates."""
    cells = {index: position for index, position in cells_of(shape, elements).items() if position is not None}
    if not cells:
        return bool(shape)
    low = tuple(min(index[r] for index in cells) for r in range(len(shape)))
    high = tuple(max(index[r] for index in cells) for r in range(len(shape)))
    if prod(h - l + 1 for l, h in zip(low, high, strict=True)) != len(cells):
        return False
    steps = []
    for r in range(len(shape)):
        neighbour = tuple(l + (k == r) for k, l in enumerate(low))
        steps.append(cells[neighbour] - cells[low] if high[r] > low[r] else 0)
    return all(
        position == cells[low] + sum(s * (i - l) for s, i, l in zip(steps, index, low, strict=True))
        for index, position in cells.items()
    )


@given(chains())
def test_any_movements_reach_what_they_should(found):
    chain, shape, elements = found
    assert list(chain.extents) == shape
    assert list(chain.elements()) == elements


@given(chains())
def test_simplify_keeps_the_elements_and_finds_the_one_box_if_there_is_one(found):
    chain, shape, elements = found
    simple = chain.simplify()
    assert list(simple.elements()) == elements
    assert (len(simple.links) == 1) == is_one_box(shape, elements)
    assert len(simple.links) <= len(chain.links)
    assert (simple.single() is None) == (len(simple.links) > 1)


@given(chains())
def test_the_closed_form_and_the_visit_of_all_cells_agree(found):
    links = found[0].links
    for inner, outer in pairwise(links):
        closed, visited = composite.merged(inner, outer), composite.enumerated((inner, outer))
        if closed is not None:
            assert visited is not None
            assert list(closed.elements()) == list(visited.elements())
            assert closed.valid_box == visited.valid_box or closed.is_void


SMALL = [
    shape
    for rank in range(4)
    for shape in product((1, 2, 3, 4), repeat=rank)
    if prod(shape) <= 12 and shape.count(1) < 2
]


def test_every_reshape_of_every_small_padded_transpose():
    """Exhaustive: pad in one place, transpose, cut, reshape; one box is found if and only if there is one."""
    for shape in SMALL:
        for r in range(len(shape)):
            padded = StridedBox(shape).pad([(k == r, 0) for k in range(len(shape))])
            for axes in (range(len(shape)), range(len(shape) - 1, -1, -1)):
                chain = Chain(padded.permute(axes))
                for target in [s for s in SMALL if prod(s) == chain.size]:
                    whole = chain.reshape(target)
                    elements = list(whole.elements())
                    assert elements == list(chain.elements())
                    assert (whole.single() is not None) == is_one_box(target, elements), whole


def test_large_boxes_merge_without_a_visit_of_their_cells(monkeypatch):
    monkeypatch.setattr(composite, "ENUMERATION_BUDGET", 0)
    n = 10**6
    padded = Chain(StridedBox((n, 8))).pad([(2, 2), (0, 0)])
    split = padded.reshape((n // 2 + 2, 2, 8)).single()
    assert split is not None
    assert (split.strides, split.offset, split.valid_box) == ((16, 8, 1), -16, ((1, n // 2 + 1), (0, 2), (0, 8)))
    turned = Chain(StridedBox((n, 8))).permute((1, 0)).reshape((2, 4, n)).permute((2, 0, 1)).single()
    assert turned is not None
    assert turned.strides == (8, 4, 1)
    row = Chain(StridedBox((n, 8))).pad([(1, 1), (0, 0)]).shrink([(0, 2), (0, 8)]).reshape((16,)).single()
    assert row is not None
    assert (row.offset, row.strides, row.box) == (-8, (1,), ((8, 16),))


def test_what_the_bounds_leave_empty_is_found_empty(monkeypatch):
    monkeypatch.setattr(composite, "ENUMERATION_BUDGET", 0)
    halo = Chain(StridedBox((4,))).pad([(4, 0)]).reshape((2, 4)).shrink([(0, 1), (0, 4)])
    assert len(halo.links) == 2
    one = halo.single()
    assert one is not None
    assert one.is_void


def test_bounds_narrow_along_negative_strides(monkeypatch):
    monkeypatch.setattr(composite, "ENUMERATION_BUDGET", 0)
    padded = Chain(StridedBox((4,))).pad([(2, 4)]).reshape((10,)).reshape((5, 2)).flip((True, True)).single()
    assert padded is not None
    assert (padded.strides, padded.offset, padded.box) == ((-2, -1), 7, ((2, 4), (0, 2)))


def test_what_takes_too_many_rounds_or_cells_stays(monkeypatch):
    padded = Chain(StridedBox((4,))).pad([(2, 2)]).reshape((4, 2))
    monkeypatch.setattr(composite, "ROUNDS", 1)
    assert padded.single() is not None
    monkeypatch.setattr(composite, "ENUMERATION_BUDGET", 0)
    assert padded.single() is None


def test_large_composites_that_are_no_box_stay():
    flat = Chain(StridedBox((1000, 1000))).permute((1, 0)).reshape((-1,))
    assert flat.simplify() is flat
    assert len(flat.links) == 2


def test_what_no_pair_of_links_shows_the_whole_run_may():
    shuffled = Chain(StridedBox((6,)))
    for _ in range(4):
        shuffled = shuffled.reshape((2, 3)).permute((1, 0)).reshape((6,))
    assert len(shuffled.links) == 5
    assert shuffled.single() == StridedBox((6,))


def test_facts():
    chain = Chain(StridedBox((2, 3))).permute((1, 0))
    assert (chain.extents, chain.rank, chain.size) == ((3, 2), 2, 6)
    assert chain.strides_or_none() == (1, 3)
    assert chain.can_get_strides
    assert chain.is_materializable
    assert not chain.is_c_contiguous
    assert Chain(StridedBox((2, 3))).is_c_contiguous
    flat = chain.reshape((-1,))
    assert not flat.can_get_strides
    assert not flat.is_materializable
    assert not flat.is_c_contiguous
    assert eval(repr(flat)) == flat  # noqa: S307 - made here
    assert hash(eval(repr(flat))) == hash(flat)  # noqa: S307


def test_locate():
    chain = Chain(StridedBox((4,))).pad([(1, 1)]).reshape((2, 3))
    assert [chain.locate(0, 0), chain.locate(0, 1), chain.locate(1, 2)] == [None, 0, None]
    with pytest.raises(IndexOutOfRangeError, match="index 3"):
        chain.locate(0, 3)


def test_a_cell_without_element_repeats_and_sheds_its_dimensions():
    hole = Chain(StridedBox((3,))).pad([(1, 0)]).shrink([(0, 1)])
    for moved, count in [
        (hole.expand((4,)), 4),
        (hole.broadcast_to((2, 3)), 6),
        (hole.squeeze(), 1),
        (hole.expand_dims((0,)), 1),
    ]:
        assert list(moved.elements()) == [None] * count
    assert hole.expand((4,)).single() is not None
    assert hole.squeeze().single() is None
    assert hole.reshape(()).reshape((1, 1)).single() is not None
    assert list(Chain(StridedBox((4,))).broadcast_to((2, 4)).squeeze().elements()) == [0, 1, 2, 3] * 2


def test_empty_index_spaces():
    chain = Chain(StridedBox((0, 3))).permute((1, 0)).reshape((0, 7))
    assert list(chain.elements()) == []
    assert chain.single() == StridedBox((0, 7))
    apart = Chain(StridedBox((0, 3)), StridedBox((5, 0)))
    assert apart.single() == StridedBox((5, 0))
    assert composite.enumerated(apart.links) == StridedBox((5, 0))


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (Chain, LayoutError, "at least one link"),
        (lambda: Chain(StridedBox((3,)), StridedBox((4,))), LayoutError, "link 1 .* positions 0 to 3, link 0 has 3"),
        (lambda: Chain(StridedBox((3,)), StridedBox((3,), offset=-1)), LayoutError, "positions -1 to 1"),
        (lambda: Chain(StridedBox((3,))).reshape((2,)), ShapeError, "3 elements"),
        (lambda: Chain(StridedBox((3,))).expand((2,)), ShapeError, "extent 3"),
        (lambda: Chain(StridedBox((3,))).permute(()), RankError, "takes 1 axis, got 0"),
        (lambda: Chain(StridedBox((3,))).shrink([(2, 2)]), SliceError, "begin < end"),
    ],
)
def test_mistakes_stay_mistakes(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_elements_come_one_by_one_however_many_there_are():
    long = StridedBox((10**15, 2))
    assert list(islice(Chain(long, long).elements(), 3)) == [0, 1, 2]
    assert list(Chain(StridedBox((0, 10**15))).elements()) == []


def test_a_box_that_is_empty_has_no_cells_to_visit_however_long_it_is():
    long = StridedBox((2, 10**15), box=((0, 0), (0, 10**15)))
    one = composite.enumerated([StridedBox((2, 10**15)), long])
    assert one is not None
    assert one.is_void
    assert one.extents == (2, 10**15)
