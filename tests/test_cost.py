"""A small input costs little, whatever numbers it has: processor seconds and resident bytes, in a process of its own.

What would take a look at each of too many indices is refused by name: `UndecidedError`, or the rule that is broken.
"""

import os
import sys
from array import array
from functools import partial
from itertools import islice, product
from pathlib import Path

import pytest
from effort import some
from samples.mappings import LayoutBy

if not hasattr(os, "fork"):
    pytest.skip("the inputs run in forks, within limits", allow_module_level=True)
sys.path.append(str(Path(__file__).parent / "fuzz"))

from isolation import in_child

import mdview as md
from mdview import Mapping, MDView, errors
from mdview.lazy import StridedBox
from mdview.testing import examine_layout

pytestmark = pytest.mark.deep
SECONDS, MEGABYTES = 20, 400
"""Processor time and memory that an input may take; most take milliseconds."""
BIG, RANK = 1 << 20, 20_000
ONES = (1,) * RANK


def mixed(extents, index):
    """40 steps, each of which takes the one before twice."""
    x = index[0] * extents[1] + index[1]
    for _ in range(40):
        x = (x ^ (x >> 1)) & 255
    return x


def huge(layout, extents=(BIG, BIG)):
    return MDView.from_mapping(range(1 << 62), Mapping(extents, layout), md.ReadOnlyAccessor())


WHOLE = {
    "tiled": md.LayoutTiled(7, 9),
    "morton": md.LayoutMorton(),
    "packed": md.LayoutBlasPacked("upper", "column"),
    "swizzled": md.LayoutSwizzled(md.LayoutTiled(7, 9), 3, 2, 4),
    "own": LayoutBy(lambda e, i: i[0] * e[1] + (i[1] ^ (i[0] & 7)), int.__mul__),
    "hidden": LayoutBy(lambda e, i: hash(i[0]) * e[1] + i[1], int.__mul__),
    "rounds": LayoutBy(mixed, 256),
}
WHOLE = {name: partial(Mapping, (BIG, BIG), layout) for name, layout in WHOLE.items()}
PARTS = (
    lambda m: m,
    lambda m: md.mappings.submapping(m, range(3, BIG - 5, 2), range(1, BIG - 9))[0],
    lambda m: md.flip(m, 0),
    lambda m: md.permute_dims(md.flip(m), (1, 0)),
    lambda m: md.reshape(m, (m.size,)),
    lambda m: md.mappings.submapping(md.reshape(m, (BIG // 2, 2, BIG)), md.ALL, 1, range(5, BIG - 7))[0],
    lambda m: md.flip(md.reshape(m, (BIG * 4, BIG // 4)), 1),
    lambda m: md.pad(m, 10**6),
    lambda m: md.broadcast_to(m, (1 << 10, BIG, BIG)),
    md.diagonal,
    lambda m: md.sliding_window(m, (3, 3)),
)
TRAITS, ALL = ("is_unique", "is_exhaustive", "is_strided"), tuple(WHOLE)


def first(each):
    return next(iter(each), None)


QUESTIONS = {
    "span": (lambda m: m.required_span_size, ("tiled", "morton", "packed", "own")),
    "bounds": (md.mappings.bounds, ("tiled", "morton", "packed", "own")),
    "uniqueness": (lambda m: m.is_unique, ("tiled", "morton")),
    "explanation": (lambda m: len(md.explain(m)) > 100, ("tiled", "packed", "own")),
    "first offset": (lambda m: first(m.offsets()), ALL),
    "first index": (lambda m: first(md.iteration.indices(m)), ("tiled", "hidden")),
    "first run": (lambda m: first(md.mappings.contiguous_runs(m)), ("tiled", "morton", "packed", "own")),
}
"""What has an answer for each part of these."""


def inner():
    return Mapping((3, 5), md.LayoutTiled(2, 2))


def halo():
    return md.pad(MDView.from_mapping(array("d", range(24)), inner()), 10**6)


def flat_halo():
    return md.reshape(halo(), (-1,))


def tiles_of(*tile):
    return huge(md.LayoutTiled(*tile), (1 << 30, 1 << 30))


def copied(view, **options):
    """Copy a view to itself."""
    md.copy(view, view, **options)


ANSWERS = {
    "swizzled": (lambda: WHOLE["swizzled"]().required_span_size, 1099520016384),
    "few in a long span": (lambda: Mapping((2, 3), md.LayoutStride((1 << 61, 1))).is_exhaustive, False),
    "padding": (lambda: (halo().mapping.required_span_size, halo().mapping.is_unique), (21, True)),
    "holes of a padding": (lambda: md.mappings.hole(halo().mapping) == md.mappings.hole(inner()), True),
    "reshaped padding": (lambda: [*flat_halo().mapping.offsets()] == [*inner().offsets()], True),
    "memory order of it": (lambda: len([*md.iteration.indices(flat_halo(), order="memory")]), 15),
    "run of dense tiles": (
        lambda: first(md.iteration.runs(md.flip(tiles_of(8, 8)), order="memory")).size,
        1 << 60,
    ),
    "one run": (lambda: first(md.iteration.runs(huge(md.LayoutRight(), (1 << 62,)), order="memory")).size, 1 << 62),
    "elements": (lambda: [*islice(md.iteration.elements(tiles_of(8, 8), order="memory"), 3)], [0, 1, 2]),
    "texts": (lambda: len(repr(tiles_of(7, 9)) + str(tiles_of(7, 9)) + str(halo())) < 10_000, True),
    "box": (lambda: first(StridedBox((1 << 40, 1 << 20)).elements()), 0),
    "threads": (lambda: copied(MDView(array("b", bytes(1 << 25)), (1 << 12, 1 << 13)), threads=100_000), None),
    "kit": (lambda: examine_layout(md.LayoutStride((1 << 40, 1)), (2, 3)).is_accepted, True),
    "tiles of rank 20 000": (lambda: MDView([5], ONES, md.LayoutTiled(*ONES))[(0,) * RANK], 5),
    "facts at rank 20 000": (
        lambda: [
            (Mapping(ONES, one).is_unique, Mapping(ONES, one).is_strided, len(md.explain(Mapping(ONES, one))) > RANK)
            for one in (md.LayoutRight(), md.LayoutTiled(*ONES), md.LayoutMorton())
        ],
        [(True, True, True)] * 3,
    ),
    "operations at rank 20 000": (
        lambda: [
            move(MDView([5], ONES, md.LayoutTiled(*ONES))).size
            for move in (md.flip, md.squeeze, md.expand_dims, lambda v: md.pad(v, 0))
        ],
        [1] * 4,
    ),
}
REFUSED = {
    "HaloError": (
        lambda: md.fill(halo(), 1.0),
        lambda: halo().__setitem__(..., 1.0),
        lambda: md.fill(flat_halo(), 1.0),
        lambda: md.fill(md.flip(halo()), 1.0),
    ),
    "UndecidedError": (
        lambda: md.mappings.submapping(WHOLE["hidden"](), range(1, BIG), range(2, BIG))[0].required_span_size,
        lambda: WHOLE["hidden"]().is_unique,
        lambda: first(md.iteration.indices(md.flip(WHOLE["hidden"](), 0), order="memory")),
        lambda: md.tiles(huge(WHOLE["hidden"]().layout), (1, 1)),
        lambda: md.tiles(tiles_of(7, 9), (1, 1)),
        lambda: first(md.iteration.elements(tiles_of(7, 9), order="memory")),
        lambda: md.mappings.overlap(WHOLE["swizzled"](), md.flip(WHOLE["swizzled"]()), shift=1 << 39),
        lambda: WHOLE["hidden"]().is_strided,
        lambda: Mapping((1 << 60,), md.LayoutSwizzled(md.LayoutRight(), 3, 2, -40)).required_span_size,
        lambda: first(md.iteration.runs(tiles_of(8, 8)[:, 3:], order="memory")),
    ),
    "ExtentsError": tuple(
        lambda extents=extents: examine_layout(md.LayoutRight(), extents)
        for extents in ((100_000, 100_000), (0, 1 << 62), ONES, (1 << 40,), (1,) * 100)
    ),
    "ThreadsError": (lambda: copied(halo(), threads=0),),
    "LayoutError": (lambda: Mapping((3, *ONES), md.LayoutTiled(*[2] * (RANK + 1))),),
}


def undecided_or(question):
    try:
        return question()
    except errors.UndecidedError:
        return None


def cheaply(work):
    return in_child(work, seconds=SECONDS, megabytes=MEGABYTES)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_about_a_part_of_something_huge_has_an_answer(name):
    ask, wholes = QUESTIONS[name]
    cases = [(whole, part) for whole in wholes for part in range(len(PARTS))]
    for whole, part in some(cases, 12):
        found = cheaply(lambda make=WHOLE[whole], part=PARTS[part]: (ask(part(make())) is not None,))
        assert found == (True,), (whole, part)


@pytest.mark.parametrize(("whole", "part", "trait"), some(product(ALL, range(len(PARTS)), TRAITS), 36))
def test_a_trait_has_an_answer_or_is_undecided(whole, part, trait):
    assert cheaply(lambda: undecided_or(lambda: getattr(PARTS[part](WHOLE[whole]()), trait))) in {True, False, None}


def test_bounds_have_an_answer_or_are_undecided():
    assert cheaply(lambda: undecided_or(lambda: md.mappings.bounds(WHOLE["rounds"]()))) in {None, (0, 255)}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_costs_little(name):
    work, answer = ANSWERS[name]
    assert cheaply(work) == answer


@pytest.mark.parametrize("name", REFUSED)
def test_what_costs_too_much_is_refused_by_name(name):
    for work in REFUSED[name]:
        assert cheaply(work)[0] == name
