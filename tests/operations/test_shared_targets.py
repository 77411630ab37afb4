"""Targets in which several indices are one element: what takes them leaves the last value, what cannot refuses them.

Which indices are one element is seen by a look at each of them.
"""

from array import array
from collections import UserList
from itertools import product

import pytest
from effort import some

import mdview as md
from mdview import errors
from mdview.interop.writers import conflicts


def new(*extents, layout=None):
    layout = md.LayoutRight() if layout is None else layout
    return md.MDView(array("d", [-1.0] * md.Mapping(extents, layout).required_span_size), extents, layout)


BASES = {
    "right": lambda: new(4, 6),
    "tiles": lambda: new(4, 6, layout=md.LayoutTiled(2, 3)),
    "tiles, reshaped": lambda: md.reshape(new(4, 6, layout=md.LayoutTiled(2, 3)), (24,)),
    "Morton": lambda: new(4, 6, layout=md.LayoutMorton()),
    "swizzle": lambda: new(4, 8, layout=md.LayoutSwizzled(md.LayoutRight(), 1, 0, 2)),
    "packed": lambda: new(4, 4, layout=md.LayoutBlasPacked("upper", "row")),
    "composed": lambda: new(8, 8, layout=md.LayoutTiled(2, 4))[1:7, ::2],
    "flipped": lambda: md.flip(new(3, 4)),
}
WAYS = {
    "itself": lambda v: v,
    "broadcast": lambda v: md.broadcast_to(v, (3, *v.shape)),
    "broadcast inside": lambda v: md.broadcast_to(md.expand_dims(v, 1), (v.shape[0], 2, *v.shape[1:])),
    "broadcast, moved": lambda v: md.moveaxis(md.broadcast_to(v, (2, *v.shape)), 0, -1),
    "broadcast, flipped": lambda v: md.flip(md.broadcast_to(v, (2, *v.shape))),
    "broadcast, reshaped": lambda v: md.reshape(md.broadcast_to(v, (2, *v.shape)), (2, -1)),
    "part of a broadcast": lambda v: md.broadcast_to(v, (4, *v.shape))[1:3],
    "one of a broadcast": lambda v: md.broadcast_to(v, (4, *v.shape))[1:2],
    "none of a broadcast": lambda v: md.broadcast_to(v, (4, *v.shape))[:0],
    "windows": lambda v: md.sliding_window(v, (2,) * v.rank),
}
CASES = [pytest.param(base, way, id=f"{way} of {base}") for base, way in product(BASES, WAYS)]


def look(view):
    """The offset of each index, and whether some dimension is not in it though it is longer than 1."""
    offsets = {index: view.mapping(*index) for index in product(*map(range, view.shape))}
    repeats = [
        all(offsets[*index[:r], 0, *index[r + 1 :]] == offset for index, offset in offsets.items())
        for r, n in enumerate(view.shape)
        if n > 1
    ]
    return offsets, bool(offsets) and any(repeats)


def check_untouched(view):
    assert set(view.data) == {-1.0}


@pytest.mark.parametrize(("base", "way"), CASES)
def test_an_output_is_refused_where_a_whole_dimension_is_one_element(base, way):
    for _ in range(2):  # what is remembered of the first time changes nothing
        view = WAYS[way](BASES[base]())
        offsets, repeats = look(view)
        values = md.MDView(array("d", map(float, range(len(offsets)))), view.shape)
        if repeats:
            with pytest.raises(errors.BroadcastError, match="accumulate"):
                md.transform(float, values, out=view)
            check_untouched(view)
        else:
            md.transform(float, values, out=view)
            check_last(view, offsets)


def check_last(view, offsets):
    """Each element has the number of the last index that is the element, with the last dimension the fastest."""
    last = {offset: float(k) for k, offset in enumerate(offsets.values())}
    assert all(view[index] == last[offset] for index, offset in offsets.items())


STORES = {
    "copy": md.copy,
    "brackets": lambda values, view: view.__setitem__(..., values),
}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(("base", "way"), some(CASES, 20))
def test_a_copy_leaves_the_last_value_of_an_element(base, way, store):
    view = WAYS[way](BASES[base]())
    offsets, _ = look(view)
    STORES[store](md.MDView(array("d", map(float, range(len(offsets)))), view.shape), view)
    check_last(view, offsets)


@pytest.mark.parametrize(("base", "way"), some(CASES, 27))
def test_what_must_keep_every_element_refuses_a_layout_that_shares_some(base, way, tmp_path):
    view = WAYS[way](BASES[base]())
    offsets, _ = look(view)
    is_shared = len(set(offsets.values())) < len(offsets)
    values = md.MDView(array("d", map(float, range(len(offsets)))), view.shape)
    assert view.is_unique is not is_shared
    makes = [lambda: md.relayout(values, view.layout), lambda: md.save(values, tmp_path / "a.npy", view.layout)]
    for make in makes:
        try:
            made = make()
        except errors.MDViewError:
            assert is_shared or type(view.layout) is not md.LayoutRight
            continue
        made = md.open_view(tmp_path / "a.npy") if made is None else made
        assert not is_shared
        assert made.tolist() == values.tolist()
    if is_shared:
        with pytest.raises(errors.LayoutError, match=r"same element|reshape"):
            conflicts([(n,) for n in view.shape], view)


# Whether an input is the output of tiles that are done one by one, by what holds the elements.

HOLDERS = {
    "list": list,
    "array": lambda values: array("d", values),
    "bytes of another array": lambda values: memoryview(array("d", values)),
    "user's sequence": UserList,
}
OVERLAPS = {
    # the output, as a part of 48 elements of which the input is [:24], and whether tiles read what others store
    "flipped": (lambda whole: whole[23::-1], True),
    "one further": (lambda whole: whole[1:25], True),
    "the last only": (lambda whole: whole[23:47], True),
    "beside it": (lambda whole: whole[24:], False),
    "the same": (lambda whole: whole[:24], False),
}


@pytest.mark.deep
@pytest.mark.parametrize("is_one", [True, False], ids=["one holder", "two holders"])
@pytest.mark.parametrize("overlap", OVERLAPS)
@pytest.mark.parametrize("holder", HOLDERS)
def test_tiles_that_read_what_other_tiles_store_are_refused(holder, overlap, is_one):
    map_tiles = pytest.importorskip("mdview.interop.dask").map_tiles
    (make, meets), values = OVERLAPS[overlap], [float(k) for k in range(48)]
    whole, other = [md.MDView(HOLDERS[holder](values), (48,)) for _ in range(2)]
    source, out = whole[:24], make(whole if is_one else other)
    kept = out.tolist()
    # Items that are no memory are only known to be in one holder, wherever in it they lie.
    is_memory = holder not in {"list", "user's sequence"}
    if is_one and (meets or (not is_memory and overlap != "the same")):
        with pytest.raises(errors.ConversionError, match="view 0 shares memory with out"):
            map_tiles(lambda block: block + 1, source, out=out, chunks=(6,), scheduler="sync")
        assert out.tolist() == kept
    else:
        map_tiles(lambda block: block + 1, source, out=out, chunks=(6,), scheduler="sync")
        assert out.tolist() == [value + 1 for value in values[:24]]
