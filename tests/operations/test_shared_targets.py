"""Targets in which several indices are one element: each way to store takes what agrees there, and refuses the rest.

Which indices are one element is seen by a look at each of them.
"""

from array import array
from collections import UserList
from itertools import product
from tempfile import TemporaryDirectory

import numpy as np
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
    """The offset of each index."""
    return {index: view.mapping(*index) for index in product(*map(range, view.shape))}


def last_of(offsets):
    """For each index the number of the last index that is the same element, with the last dimension the fastest."""
    last = {offset: float(k) for k, offset in enumerate(offsets.values())}
    return [last[offset] for offset in offsets.values()]


def of(values, shape):
    return md.MDView(array("d", values), shape)


def saved(values, layout):
    with TemporaryDirectory() as folder:
        md.save(values, f"{folder}/a.npy", layout)
        return md.open_view(f"{folder}/a.npy", layouts=[]).tolist()


STORES = {
    "copy": md.copy,
    "brackets": lambda values, view: view.__setitem__(..., values),
    "brackets, array": lambda values, view: view.__setitem__(..., np.asarray(values)),
    "brackets, rows": lambda values, view: view.__setitem__(..., values.tolist()),
    "brackets, objects": lambda values, view: view.__setitem__(..., np.asarray(values).astype(object)),
    "brackets, part": lambda values, view: view[::-1].__setitem__(..., values[::-1]),
    "transform": lambda values, view: md.transform(float, values, out=view),
    "transform, ufunc": lambda values, view: md.transform(np.positive, values, out=view),
    "transform, itself": lambda values, view: md.transform(lambda _, x: x, view, values, out=view),
}
MAKES = {"relayout": lambda values, layout: md.relayout(values, layout).tolist(), "save": saved}


@pytest.mark.parametrize(("base", "way"), CASES)
def test_each_way_to_store_takes_values_that_agree_and_names_two_that_differ(base, way):
    for name, store in STORES.items():
        if name == "brackets, rows" and "none" in way:  # of which lists have no shape
            continue
        view = WAYS[way](BASES[base]())
        offsets = look(view)
        each, agreeing = [float(k) for k in range(len(offsets))], last_of(offsets)
        is_shared = each != agreeing
        assert view.is_unique is not is_shared
        for _ in range(2):  # what is remembered of the first time changes nothing
            store(of(agreeing, view.shape), view)
            assert [view[index] for index in offsets] == agreeing, name
            if not is_shared:
                continue
            kept = list(view.data)
            with pytest.raises(errors.LayoutError, match=r"are one element.*keep='first'.*accumulate") as refused:
                store(of(each, view.shape), view)
            named = look(view[::-1]) if "part" in name else offsets
            pair = [named[index] for index in named if f"indices {index} and" in str(refused.value)]
            pair += [named[index] for index in named if f"and {index} are" in str(refused.value)]
            assert len(pair) == 2
            assert pair[0] == pair[1], (name, str(refused.value))
            assert list(view.data) == kept


@pytest.mark.parametrize(("base", "way"), some(CASES, 20))
def test_a_copy_keeps_the_value_that_is_asked_for(base, way):
    view = WAYS[way](BASES[base]())
    offsets = look(view)
    for keep, order in (("last", 1), ("first", -1)):
        kept = {offset: float(k) for k, offset in list(enumerate(offsets.values()))[::order]}
        md.copy(of(map(float, range(len(offsets))), view.shape), view, keep=keep)
        assert all(view[index] == kept[offset] for index, offset in offsets.items())


@pytest.mark.parametrize("order", ["row", "column"])
@pytest.mark.parametrize("triangle", ["upper", "lower"])
def test_one_triangle_of_a_matrix_goes_into_packed_memory_in_one_call(triangle, order):
    numbers = np.arange(16.0).reshape(4, 4)
    packed = md.zeros((4, 4), layout=md.LayoutBlasPacked(triangle, order))
    for keep, half in (("first", np.triu(numbers)), ("last", np.tril(numbers))):
        md.copy(md.asview(numbers), packed, keep=keep)
        assert np.array_equal(np.asarray(packed), half + half.T - np.diag(np.diag(numbers)))


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize(("base", "way"), some(CASES, 27))
def test_new_memory_takes_what_a_store_takes(base, way, make):
    view = WAYS[way](BASES[base]())
    offsets = look(view)
    each, agreeing = [float(k) for k in range(len(offsets))], last_of(offsets)
    if type(view.layout) is md.LayoutComposed:
        return
    made = MAKES[make](of(agreeing, view.shape), view.layout)
    assert made == of(agreeing, view.shape).tolist()
    if each != agreeing:
        with pytest.raises(errors.LayoutError, match="are one element"):
            MAKES[make](of(each, view.shape), view.layout)
        with pytest.raises(errors.LayoutError, match=r"same element|reshape"):
            conflicts([(n,) for n in view.shape], view)


@pytest.mark.parametrize(("base", "way"), some(CASES, 27))
def test_arrays_of_zarr_have_an_element_for_each_index(base, way, tmp_path):
    pytest.importorskip("zarr")
    view = WAYS[way](BASES[base]())
    view.data[:] = array("d", range(len(view.data)))
    md.to_zarr(view, tmp_path / "a")
    assert md.from_zarr(tmp_path / "a").tolist() == view.tolist()


def test_values_agree_bit_for_bit_in_memory_and_as_objects():
    nan = float("nan")
    for data in (array("d", [1.0]), array("f", [1.0]), [1.0], np.ones(1), UserList([1.0])):
        view = md.broadcast_to(md.MDView(data, (1,)), (2,))
        view[:] = [nan, nan]
        for pair in ([0.0, -0.0], [nan, 1.0], [1.0, 1.5]):
            with pytest.raises(errors.LayoutError, match="differs"):
                view[:] = pair
            assert data[0] != data[0]
    rounded = md.broadcast_to(md.MDView(array("f", [0.0]), (1,)), (2,))
    rounded[:] = [0.1, 0.1 + 1e-12]  # of which memory holds the same
    with pytest.raises(errors.LayoutError):
        md.broadcast_to(md.MDView([0], (1,)), (2,))[:] = [1, 1.0]


# Whether an input is the output of tiles that are done one by one, by what holds the elements.

PADDED = {
    "long double": "g",
    "complex long double": "G",
    "aligned record": np.dtype("i1, i4", align=True),
    "array field": np.dtype([("a", "i1"), ("b", "g", 2)], align=True),
    "packed record": np.dtype("i1, i4"),
}


@pytest.mark.parametrize("dtype", PADDED.values(), ids=PADDED)
def test_bytes_that_hold_no_value_do_not_tell_items_apart(dtype):
    noise = np.random.default_rng(0).bytes(16 * np.dtype(dtype).itemsize)
    matrix = np.frombuffer(bytearray(noise), dtype).reshape(4, 4)
    for name in matrix.dtype.names or [...]:
        matrix[name] = 5
    packed = md.relayout(md.asview(matrix), md.LayoutBlasPacked("upper", "row"))
    assert (np.asarray(packed) == matrix).all()
    first = matrix[2, 1:2] if matrix.dtype.names is None else matrix[2, 1:2][matrix.dtype.names[-1]]
    first[...] = 6
    with pytest.raises(errors.LayoutError, match=r"indices \(1, 2\) and \(2, 1\) are one element"):
        md.relayout(md.asview(matrix), md.LayoutBlasPacked("upper", "row"))


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
