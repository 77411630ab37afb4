"""Each operation of the algebra holds its post-condition on random layouts, and refuses where nothing could hold it."""

import re
import tracemalloc
from collections import Counter
from itertools import product
from math import prod

import numpy as np
import pytest
from effort import share, some
from hypothesis import given, settings
from hypothesis.strategies import data, integers, just, permutations, sampled_from
from random_layouts import exists, inner, nested, refines, shapes, sizes_of, table, tiles
from searches import has_inverse, longest_start

import mdview as md
from mdview.errors import Collision, ExtentsError, MDViewError, NotNested, ShapeError
from mdview.index.nesting import leaves, turned
from mdview.mappings import submapping

REFUSALS = (Collision, ExtentsError, IndexError, NotNested, ShapeError)


def tried(operation, *given, **options):
    """The result, or the refusal."""
    try:
        return operation(*given, **options)
    except REFUSALS as error:
        return error


def nesting(draw, order):
    m = draw(nested())
    values, form = table(m, order), md.algebra.coalesce(m, order=order)
    assert (table(form), form.rank) == (values, 1)
    assert all(n != 1 for n, _ in form.layout.flat()) or form.layout.modes == 1
    by = md.algebra.coalesce(m, (1,) * m.rank, order=order)
    assert (table(by, order), by.extents) == (values, m.extents)
    if m.rank:
        begin = draw(integers(0, m.rank - 1))
        joined = md.algebra.group(m, begin, draw(integers(begin + 1, m.rank)), order=order)
        assert table(joined, order) == values
    assert md.algebra.from_cute(md.algebra.to_cute(m)).layout == m.layout
    wanted = draw(shapes(m.size))
    found = tried(md.algebra.refine, m, wanted, order=order)
    if isinstance(found, NotNested):
        assert not exists(values, leaves(turned(wanted, order)))
        assert values[found.index] == found.got
    else:
        assert table(found, order) == values
        assert refines(found.layout.modes, wanted)


def reading(draw, order):
    m = draw(nested())
    either = draw(sampled_from([md.reshape(m, draw(shapes(m.size))), md.Mapping((4, 8), md.LayoutMorton())]))
    found, sizes = tried(md.algebra.nested, either, order=order), either.extents[:: 1 if order == "F" else -1]
    if isinstance(found, NotNested):
        assert not exists(table(either, order), sizes)
        assert table(either, order)[found.index] == found.got
    else:
        assert (table(found), found.extents) == (table(either), either.extents)


def composition(draw, order):
    a = draw(nested())
    b = draw(nested(30) | inner(a.size) if a.size else nested(30))
    outer, numbers = table(a, order), table(b, order)
    found = tried(md.algebra.compose, a, b, order=order)
    if isinstance(found, IndexError):
        assert any(not 0 <= number < a.size for number in numbers)
        return
    values = [outer[number] for number in numbers]
    assert (table(found, order), found.extents) == (values, b.extents)
    is_nested = isinstance(found.layout, md.LayoutNested)
    assert not values or is_nested is exists(values, sizes_of(b, order))
    assert not is_nested or refines(found.layout.modes, b.layout.modes)


def covering(draw, order):
    m, size = draw(nested(24)), draw(integers(1, 40))
    values, found = table(m, order), tried(md.algebra.complement, m, size, order=order)
    image = sorted(set(values))
    if isinstance(found, Exception):
        if isinstance(found, Collision):
            assert values[found.i] == values[found.j]
        is_direct = len(image) == prod(n for n, d in m.layout.flat() if d)
        if image[:1] == [0] and is_direct:
            assert not any(tiles(image, n) for n in range(size, 3 * max(size, image[-1]) + 60) if n % len(image) == 0)
        return
    steps = table(found, order)
    assert steps == sorted(set(steps))
    reached = len(image) * len(steps)
    assert sorted(x + y for x, y in product(image, steps)) == [*range(reached)]
    assert not any(tiles(image, n) for n in range(size, reached) if n % len(image) == 0)


def inverting(draw, order):
    m = draw(nested(40))
    values = table(m, order)
    right = table(md.algebra.right_inverse(m, order=order), order)
    assert [values[i] for i in right] == [*range(len(right))]
    is_unique = len(set(values)) == len(values)
    if is_unique and all(d >= 0 or n == 1 for n, d in m.layout.flat()):
        assert len(right) == next(k for k in range(len(values) + 1) if k not in values)
    left, quasi = (tried(each, m, order=order) for each in (md.algebra.left_inverse, md.algebra.quasi_inverse))
    assert isinstance(left, Collision) is not is_unique
    if isinstance(left, Collision):
        assert values[left.i] == values[left.j]
        assert left.i != left.j
    elif isinstance(left, NotNested):
        places = {value: index for index, value in enumerate(values)}
        assert min(values) < 0 or max(values) > 64 or not has_inverse(places)
    else:
        assert [table(left, order)[value] for value in values] == [*range(len(values))]
    assert not is_unique or type(quasi) is type(left)
    if not isinstance(quasi, Exception):
        assert [values[table(quasi, order)[value]] for value in values] == values
    assert not values or {values[i] for i in table(md.algebra.nullspace(m, order=order), order)} == {values[0]}
    other = draw(just(m) | nested(40, ("permuted",)))
    common = table(md.algebra.max_common(m, other, order=order), order)
    inverse = md.algebra.right_inverse(other, order=order)
    start, digits = table(inverse, order), inverse.layout.flat()[:: 1 if order == "F" else -1]
    shared = next((k for k, i in enumerate(start) if i >= m.size or values[i] != k), len(start))
    assert common == start[: longest_start(digits, shared)]


DIVISIONS = md.algebra.logical_divide, md.algebra.zipped_divide, md.algebra.tiled_divide, md.algebra.flat_divide


def division(draw, order):
    a = draw(nested(100))
    b = draw(integers(1, 8) | nested(20, ("dense", "permuted", "gaps")))
    divide, numbers = draw(sampled_from(DIVISIONS)), [*range(b)] if isinstance(b, int) else table(b, order)
    found = tried(divide, a, b, order=order)
    if isinstance(found, Exception):
        image = sorted(set(numbers))
        fits = image[:1] == [0] and len(image) == len(numbers) and image[-1] < a.size
        assert not fits or a.size % len(image) or not tiles(image, a.size)
        if fits and isinstance(found, ShapeError):  # the way out is one
            size = int(re.search(r"pad to (\d+)", str(found))[1])
            assert table(divide(md.Mapping((size,)), b, order=order))
        return
    assert Counter(table(found)) == Counter(table(a))
    if divide is md.algebra.logical_divide:
        within = submapping(found, md.ALL, 0)
        start = found(0, 0) - within[0](0) if found.size else 0
        assert [offset + start for offset in table(within[0])] == table(md.algebra.compose(a, b, order=order), order)


def sticking_out(draw, order):
    a, b = draw(nested(100)), draw(integers(1, 8))
    whole = table(a, order)
    divided = tried(md.algebra.zipped_divide, a, b, order=order, ragged=True)
    assert not isinstance(divided, Exception)
    within, tiles = map(range, divided.extents)
    found = [divided(i, j) if i + b * j < a.size else None for j in tiles for i in within if divided.is_valid(i, j)]
    assert found == whole
    assert b * len(tiles) - a.size < b or a.size == 0


def moving(draw, order):
    """What manipulates views manipulates mappings with offsets below 0, too."""
    m = draw(nested())
    values = np.array(table(m, "C"), int).reshape(m.extents)
    axes = draw(permutations(range(m.rank)))
    for moved, wanted in (
        (md.permute_dims(m, axes), values.transpose(axes)),
        (md.flip(m), np.flip(values)),
        (md.broadcast_to(m, (2, *m.extents)), np.broadcast_to(values, (2, *m.extents))),
        (md.reshape(m, (*m.extents, 1), order=order), values.reshape((*m.extents, 1), order=order)),
    ):
        assert (moved.extents, table(moved, "C")) == (wanted.shape, wanted.ravel().tolist())
    if m.is_strided and m.layout.lowest_offset(m.extents) >= 0:
        assert table(m.as_strided(), "C") == table(m, "C")


def by_dimension(draw, order):
    a = draw(nested(100))
    tilers = [draw(sampled_from([n for n in range(1, e + 1) if e % n == 0] or [1])) for e in a.extents]
    tilers = tilers[: draw(integers(0, a.rank))]
    found = [tried(divide, a, tilers, order=order) for divide in DIVISIONS]
    if a.size == 0:
        return
    whole = table(a)
    assert all(Counter(table(each)) == Counter(whole) for each in found)
    assert found[0].extents == a.extents
    assert table(found[1], order) == table(found[2], order) == table(found[3], order)
    if len(tilers) == a.rank:
        parts = product(*map(range, tilers))
        assert Counter(a.layout.offset(a.extents, index) for index in parts) == Counter(
            table(found[1])[: found[1].extents[0]]
        )


def products(draw, order):
    a, b = draw(nested(16)), draw(nested(12, ("dense", "permuted", "gaps")))
    tile, numbers = table(a, order), table(b, order)
    found = tried(md.algebra.logical_product, a, b, order=order)
    if isinstance(found, Exception) or not numbers:
        return
    cover = table(md.algebra.complement(a, a.size * (max(numbers) + 1), order=order), order)
    assert table(found) == [offset + cover[number] for number in numbers for offset in tile]
    rank = max(a.rank, b.rank)
    ones = [(1,) * (rank - m.rank) for m in (a, b)]
    mine, its = ((*m.extents, *e) if order == "F" else (*e, *m.extents) for m, e in zip((a, b), ones, strict=True))
    for operation, low in ((md.algebra.blocked_product, mine), (md.algebra.raked_product, its)):
        whole = operation(a, b, order=order)
        assert whole.extents == tuple(map(int.__mul__, mine, its))
        for index in product(*map(range, whole.extents)):
            parts = [i % n for i, n in zip(index, low, strict=True)], [i // n for i, n in zip(index, low, strict=True)]
            inside, outside = parts if low is mine else parts[::-1]
            offset = tile[number_of(inside, mine, order)] + cover[numbers[number_of(outside, its, order)]]
            assert whole.layout.offset(whole.extents, index) == offset


def number_of(index, extents, order):
    number = 0
    for i, n in [*zip(index, extents, strict=True)][:: -1 if order == "F" else 1]:
        number = number * n + i
    return number


def recasting(draw, order):
    m, (new, old) = draw(nested()), draw(sampled_from([(16, 8), (32, 8), (8, 16), (8, 32), (8, 8)]))
    found = tried(md.algebra.recast, m, new, old, order=order)
    if isinstance(found, Exception):
        return
    if new >= old:
        assert {offset // (new // old) for offset in table(m)} == set(table(found))
    else:
        parts = old // new
        assert sorted(table(found)) == sorted(offset * parts + k for offset in table(m) for k in range(parts))


def facts(draw, order):
    m = draw(nested())
    layout, values = m.layout, table(m, order)
    assert layout.offset_bounds(m.extents) == ((min(values), max(values)) if values else None)
    assert layout.is_unique(m.extents) is (len(set(values)) == len(values))
    assert layout.is_exhaustive(m.extents) is (not values or set(values) == {*range(max(values) + 1)})
    assert layout.is_unique(m.extents) or not layout.is_always_unique((None,) * m.rank)
    parts = [
        [md.ALL, *([e // 2, md.ExtentSlice(e - 1, (e + 1) // 2, -2), md.ExtentSlice(e // 2, e - e // 2)] if e else [])]
        for e in m.extents
    ]
    slices = [draw(sampled_from(each)) for each in parts]
    part, shift = submapping(m, *slices)
    chosen = [
        [s]
        if isinstance(s, int)
        else range(e)
        if s is md.ALL
        else range(s.offset, s.offset + s.stride * s.extent, s.stride)
        for s, e in zip(slices, m.extents, strict=True)
    ]
    assert [offset + shift for offset in table(part, "C")] == [
        layout.offset(m.extents, index) for index in product(*chosen)
    ]


def grouping(draw, order):
    a = draw(nested(60, ("dense", "permuted", "gaps")))
    b = draw(inner(a.size)) if a.size else a
    both = tried(md.algebra.compose, a, b, order=order)
    if isinstance(both, Exception) or not both.size:
        return
    c = draw(inner(both.size))
    left = tried(md.algebra.compose, both, c, order=order)
    right = tried(lambda: md.algebra.compose(a, md.algebra.compose(b, c, order=order), order=order))
    if not isinstance(left, Exception) and not isinstance(right, Exception):
        assert table(left, order) == table(right, order)


LAWS = nesting, reading, composition, covering, inverting, division, sticking_out, moving, by_dimension, products
LAWS += recasting, facts, grouping


def test_named_cases_have_their_answers():
    cute, text = md.algebra.from_cute, md.algebra.to_cute
    assert text(md.algebra.left_inverse(cute("(4,3):(1,5)"))) == "(5,3):(1,4)"
    assert table(md.algebra.left_inverse(cute("(2,2):(2,3)")))[2:6:3] == [1, 3]
    assert text(md.algebra.max_common(cute("4:1"), cute("7:1"))) == "4:1"
    assert md.algebra.max_common(cute("2:1"), cute("2 o 2:-2")).size == 0
    assert md.algebra.nullspace(cute("(3,0):(0,1)")).size == md.algebra.recast(cute("0:3"), 16, 8).size == 0
    for new, old, base in ((16, 8, 3), (8, 16, 5), (32, 8, 2)):
        swizzled = cute("Sw<2,4,3> o _0 o (64,8):(1,64)")
        found, ratio = md.algebra.recast(swizzled, new, old), max(new, old) // min(new, old)
        assert found.layout.base == base
        offsets, larger = set(found.offsets()), {offset // ratio for offset in swizzled.offsets()}
        assert offsets == (larger if new > old else set(range(512 * ratio)))
    for tile, way in (("2:0", "value at several"), ("2:4", r"12 is no multiple of 8.*pad to 16")):
        with pytest.raises(ShapeError, match=way):
            md.algebra.logical_divide(cute("12:1"), cute(tile), ragged=tile == "2:0")
    with pytest.raises(MDViewError):
        cute(f"2:{2**63}")


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@settings(max_examples=share(1200, 100))
@given(drawn=data(), order=sampled_from("FC"))
def test_the_law_holds(law, drawn, order):
    law(drawn.draw, order)


def test_tiles_of_any_size_are_nested_and_large_tables_are_not_looked_at():
    tiled = md.Mapping((2048, 2048), md.LayoutTiled(32, 32))
    assert md.algebra.nested(tiled).layout == md.LayoutNested(((32, 64), (32, 64)), ((32, 65536), (1, 1024)))
    with pytest.raises(NotNested) as refused:
        md.algebra.nested(md.Mapping((6, 4096), md.LayoutTiled(4, 32)))
    assert (refused.value.index, refused.value.wanted, refused.value.got) == (4, 128, 16384)


@pytest.mark.parametrize(
    "layout",
    [
        md.LayoutNested(((32, 32), (32, 32)), ((32, 1024), (1, 32768))),
        md.LayoutNested((1024, (32, 32)), (1024, (1, 32))),
    ],
)
def test_tiles_in_digits_are_copied_block_by_block(layout):
    """A copy by blocks needs no table of offsets, and no memory for elements on their way."""
    view, other = md.MDView(np.zeros(1 << 20), (1024, 1024), layout), md.MDView(np.zeros(1 << 20), (1024, 1024))
    for act in (lambda: md.copy(view, other), lambda: md.copy(other, view), lambda: md.fill(view, 1.0)):
        act()
        tracemalloc.start()
        act()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 1 << 16


STEPS = [(extents, steps) for extents in ((2, 3), (3, 2), (2, 2), (4, 2)) for steps in product(range(1, 9), repeat=2)]


@pytest.mark.parametrize(("extents", "steps"), some(STEPS, 40))
def test_why_there_is_no_complement_is_the_lowest_step_that_does_not_follow(extents, steps):
    mapping = md.Mapping(extents, md.LayoutNested(extents, steps))
    offsets = [i * steps[0] + j * steps[1] for i, j in product(*map(range, extents))]
    below, reason = 1, None
    for step, n, index in sorted(zip(steps, extents, (1, extents[0]), strict=True)):
        if step % below:
            needed = next(k * below for k in range(step + 1) if k * below >= step)
            reason = f"index {index} needs {needed}, and there is {step}; step {step} is no multiple of {below}, "
            break
        below = step * n
    if len(set(offsets)) < len(offsets):
        with pytest.raises(Collision):
            md.algebra.complement(mapping, 40)
    elif reason is not None:
        with pytest.raises(NotNested, match=reason):
            md.algebra.complement(mapping, 40)
    else:
        others = table(md.algebra.complement(mapping, 40), "F")
        sums = sorted(a + b for a, b in product(offsets, others))
        assert sums == list(range(len(sums)))
        assert len(sums) >= 40
