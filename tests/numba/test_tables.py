"""Tables of terms that take long to compute: which terms have one, and that kernels find what Python computes."""

import gc
from array import array

import pytest
from exchanging import check_exchange

import mdview as md
from mdview import LayoutMorton, LayoutTiled, Mapping, MDView
from mdview.expressions.nodes import Index, Op, Param, Select
from mdview.numba import tables
from mdview.numba.forms import Composed, Traced
from mdview.numba.tables import CHEAP, CHEAP_DIGIT, tabled

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")

I, J, K = Index(0), Index(1), Index(2)


def spread(i):
    """Every other bit."""
    return sum([((i >> k) & 1) << (2 * k) for k in range(6)])


def test_only_costly_terms_of_one_index_have_tables():
    found = tabled(spread(I) * 2 + J % 4, (), (8, 9), CHEAP)
    assert (found.axes, found.entries[0].tolist()) == ((0,), [2 * spread(i) for i in range(8)])
    assert found.root == J % 4 + Index(2)
    assert tabled(I // 8 * 64 + I % 8, (), (99,), CHEAP).axes == ()
    assert tabled(I // 8 * 64 + I % 8, (), (99,), CHEAP_DIGIT).axes == (0,)
    assert tabled(I // Param(0) * 64 + J, (5,), (9, 9), CHEAP).entries[0].tolist() == [i // 5 * 64 for i in range(9)]
    mixed = tabled(spread(I + J) + spread(K), (), (4, 4, 4), CHEAP)
    assert mixed.axes == (2,)
    assert mixed.root.dimensions == {0, 1, 3}


def test_what_is_joined_without_meeting_is_a_sum():
    found = tabled(spread(I) << 1 | spread(J), (), (8, 8), CHEAP)
    assert found.root == Index(2) + Index(3)
    assert sorted(found.axes) == [0, 1]


def test_a_choice_and_a_comparison_are_numbers():
    root = Select(Op("lt", I, 3), spread(I), 40 - spread(I) + Op("lt", I, 5) + Op("lt", I, 9))
    expected = [spread(i) if i < 3 else 40 - spread(i) + (i < 5) + (i < 9) for i in range(6)]
    assert tabled(root, (), (6,), CHEAP).entries[0].tolist() == expected


def test_what_has_no_numbers_has_no_table():
    for root in (spread(I) // (I - 3), (spread(I) - 2000) // 3, spread(I) * 2**70, (spread(I) << I * 9) + spread(I)):
        assert tabled(root, (), (8,), 0).axes == ()
    assert tabled(spread(I), (), (tables.MOST + 1,), CHEAP).axes == ()
    assert tabled(spread(I), (), (0,), CHEAP).axes == ()


class Scattered(md.Layout):
    """A user's separable layout: the bits of each index are spread, those of the second one backwards."""

    def offset(self, extents, index):
        i, j = index
        return spread(i) * 2 + spread(15 - j)

    def required_span_size(self, extents):
        return 1024


VIEWS = {
    "morton": ((9, 17), LayoutMorton()),
    "morton, compact": ((17, 40), LayoutMorton(compact=True, fastest="first")),
    "morton of rank 3": ((3, 17, 4), LayoutMorton()),
    "a user's": ((9, 16), Scattered()),
}


@pytest.mark.parametrize("name", VIEWS)
def test_kernels_find_the_elements_by_tables(name):
    mapping = Mapping(*VIEWS[name])
    data = np.arange(3 + mapping.required_span_size) / 4
    view = MDView.from_mapping(data, mapping, origin=2)
    assert numba.typeof(view).form.tables
    for part in (view, view[1:, ::-2], md.flip(view), md.sliding_window(view[..., 0], (2,) * (view.ndim - 1))):
        if part.ndim <= 3:
            check_exchange(part, data)


def test_reshaped_tiles_are_looked_up():
    mapping = Mapping((6, 10), LayoutTiled(4, 3))
    data = np.arange(mapping.required_span_size) / 4
    view = md.reshape(MDView.from_mapping(data, mapping), (4, 15))
    form = numba.typeof(view).form
    assert isinstance(form, Composed)
    assert form.tables == (0, 1)
    check_exchange(view, data)
    check_exchange(view[::-2, 3:], data)


def test_other_extents_share_their_code():
    kinds = [
        numba.typeof(MDView.from_mapping(array("d", bytes(8 * 4096)), Mapping(e, LayoutMorton())))
        for e in ((20, 30), (32, 32), (17, 31))
    ]
    assert len(set(kinds)) == 1
    assert isinstance(kinds[0].form, Traced)


def test_a_view_keeps_its_tables():
    view = MDView.from_mapping(array("d", range(1024)), Mapping((32, 32), LayoutMorton()))
    last = numba.njit(lambda v: v[31, 31])
    assert last(view) == 1023.0
    held = view._numba_block.tables
    tabled.cache_clear()
    other = MDView.from_mapping(array("d", range(1024)), Mapping((32, 32), LayoutMorton()))
    assert numba.typeof(other) is numba.typeof(view)
    assert other._numba_block.tables[0] is not held[0]
    del other, held
    gc.collect()
    assert last(view) == 1023.0
