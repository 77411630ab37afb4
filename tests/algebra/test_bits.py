"""Layouts that are linear over bits: their facts, their algebra and bank conflicts, by enumeration."""

import random
from itertools import product

import pytest
from effort import share
from hypothesis import given, settings
from hypothesis.strategies import composite, integers, just, lists, sampled_from, tuples
from random_layouts import table

import mdview as md
from mdview import LayoutRight, LayoutSwizzled, Mapping, algebra
from mdview.algebra import f2
from mdview.errors import NotLinear, UndecidedError
from mdview.layouts import LayoutLinear


@composite
def linear(draw):
    bases = draw(lists(lists(integers(0, 1) | integers(0, 7) | integers(0, 63), max_size=3).map(tuple), max_size=3))
    extents = tuple([1 << len(each) for each in bases])
    return Mapping(extents, LayoutLinear(tuple(bases), draw(just(0) | integers(0, 63))))


def spanned(first, vectors):
    found = {first}
    for vector in vectors:
        found |= {each ^ vector for each in found}
    return found


def check_facts(m, values):
    bases, start = m.layout.bases, m.layout.start
    for index in product(*map(range, m.extents)):
        offset = start
        for i, each in zip(index, bases, strict=True):
            for k, base in enumerate(each):
                offset ^= base if i >> k & 1 else 0
        assert m(*index) == offset
    assert m.layout.offset_bounds(m.extents) == (min(values), max(values))
    assert m.is_unique is (len(set(values)) == len(values))
    assert m.is_exhaustive is (set(values) == {*range(max(values) + 1)})


def check_algebra(m, values, order):
    assert 1 << f2.rank(m) == len(set(values))
    assert spanned(values[0], f2.image(m)) == set(values)
    assert spanned(0, f2.kernel(m, order=order)) == {i for i, offset in enumerate(values) if offset == values[0]}
    for offset in range(max(values) + 2):
        if offset in values:
            assert f2.inverse(m, offset, order=order) == values.index(offset)
        else:
            with pytest.raises(IndexError):
                f2.inverse(m, offset, order=order)
    if set(values) == {*range(len(set(values)))}:
        assert table(f2.inverse(m, order=order)) == [*map(values.index, range(len(set(values))))]
    outer = Mapping((64,), LayoutLinear(((1, 3, 8, 24, 5, 32),), 7))
    assert table(f2.compose(outer, m, order=order), order) == [table(outer)[value] for value in values]


def check_conflicts(sizes, m, values, order):
    banks, width, lanes = sizes
    asked = {}
    for i, offset in enumerate(values):
        asked.setdefault((i // lanes, offset // width % banks), set()).add(offset // width)
    found = f2.conflicts(m, banks, width, lanes, order=order)
    assert found.degree == len(found.indices) == max(map(len, asked.values()))
    groups, words = {i // lanes for i in found.indices}, {values[i] // width for i in found.indices}
    assert len(groups) == 1
    assert (len(words), {word % banks for word in words}) == (found.degree, {found.bank})


SIZES = tuples(sampled_from((2, 4, 3)), sampled_from((1, 2, 3)), sampled_from((1, 4, 16, 5)))


@settings(max_examples=share(1500, 60))
@given(m=linear(), sizes=SIZES, order=sampled_from("FC"))
def test_facts_and_algebra_are_those_of_the_exclusive_or(m, sizes, order):
    values = table(m, order)
    check_facts(m, values)
    check_algebra(m, values, order)
    for each in (sizes, (3, 3, 5)):
        check_conflicts(each, m, values, order)
    check_conflicts(sizes, algebra.from_cute("(6,5):(2,7)"), table(algebra.from_cute("(6,5):(2,7)"), order), order)


def test_a_mapping_is_linear_exactly_if_no_pair_of_indices_breaks_the_law():
    swizzled = Mapping((8, 8), LayoutSwizzled(LayoutRight(), 3, 0, 3))
    assert table(f2.linear(swizzled)) == table(swizzled)
    for text in ("(4,4):(1,5)", "(2,(2,2)):(8,(1,3))", "16:3"):
        m = algebra.from_cute(text)
        values = table(m)
        with pytest.raises(NotLinear) as refused:
            f2.linear(m)
        i, j = refused.value.i, refused.value.j
        assert values[i ^ j] != values[i] ^ values[j] ^ values[0]


LARGE = {
    "right": md.LayoutRight(),
    "Morton": md.LayoutMorton(),
    "tiles": md.LayoutTiled(64, 64),
    "swizzled": md.LayoutSwizzled(md.LayoutRight(), 3, 4, 6),
    "swizzled tiles": md.LayoutSwizzled(md.LayoutTiled(64, 64), 3, 4, 3),
}


@pytest.mark.parametrize("order", "FC")
@pytest.mark.parametrize("name", LARGE)
def test_bits_prove_what_nobody_can_count(name, order):
    whole, pick = md.Mapping((4096, 2048), LARGE[name]), random.Random(name)  # noqa: S311 - no secret
    linear, parts = f2.linear(whole, order=order), algebra.zipped_divide(whole, (128, 64), order=order)
    for _ in range(50):
        i, j = pick.randrange(4096), pick.randrange(2048)
        assert linear(i, j) == whole(i, j)
        inside, tile = (i % 128, j % 64), (i // 128, j // 64)
        if order == "F":
            assert parts(inside[0] + 128 * inside[1], tile[0] + 32 * tile[1]) == whole(i, j)
        else:
            assert parts(inside[0] * 64 + inside[1], tile[0] * 32 + tile[1]) == whole(i, j)
    with pytest.raises(UndecidedError):
        f2.linear(md.Mapping((4096, 2048), md.LayoutSwizzled(md.LayoutStride((4097, 1)), 3, 4, 3)))
