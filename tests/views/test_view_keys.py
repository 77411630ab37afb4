"""Elements, keys and subviews: what a view tells, and what brackets and slices select of it on every layout.

Random chains of keys are in `test_numpy_agreement`; here are all small keys, NumPy's answer beside each.
"""

from array import array
from itertools import product

import numpy as np
import pytest
from effort import some
from samples.mappings import MAPPINGS, LayoutBanded, nested
from samples.variants import indices_of

import mdview as md
from mdview import errors

FACTS = (
    *("extents", "layout", "rank", "size", "static_extents", "required_span_size", "is_unique", "is_exhaustive"),
    *("is_strided", "is_always_unique", "is_always_exhaustive", "is_always_strided", "valid_box"),
)
ENTRIES = [None, ..., 0, -1, 2, slice(None), slice(1, None), slice(None, None, -2), slice(2, 2)]
KEYS = [key for count in range(5) for key in product(ENTRIES, repeat=count) if key.count(...) < 2]


def filled(mapping, accessor=None, kind=list):
    """View that has another number at each offset."""
    return md.MDView.from_mapping(kind(range(mapping.required_span_size)), mapping, accessor)


def square():
    return filled(md.Mapping((4, 4), md.LayoutMorton()))


VIEWS = {name: lambda make=make: filled(make()) for name, make in MAPPINGS.items()} | {
    "window of tiles": lambda: filled(md.Mapping((5, 5), md.LayoutTiled(2, 3)))[1:4, 2:5],
    "steps of Morton": lambda: square()[::-1, 1:4],
    "flipped": lambda: md.flip(square(), 0),
    "permuted": lambda: md.permute_dims(square(), (1, 0)),
    "reshaped": lambda: md.reshape(filled(md.Mapping((6, 6), md.LayoutTiled(2, 3))), (4, 9)),
    "padded": lambda: md.pad(square(), 1, constant=-7),
    "padded by the nearest": lambda: md.pad(filled(md.Mapping((5, 5), md.LayoutTiled(2, 3))), 1, "edge"),
    "broadcast": lambda: md.broadcast_to(square(), (2, 4, 4)),
    "windows": lambda: md.sliding_window(square(), (2, 2)),
    "static tiles": lambda: filled(md.Mapping((5, md.dim(4)), md.LayoutTiled(2, 2)), md.ReadOnlyAccessor()),
    "band": lambda: filled(md.Mapping((4, 4), LayoutBanded(1, 2))),
    "aligned": lambda: md.MDView(array("d", range(25)), (5, 5), accessor=md.accessors.AlignedAccessor(8)),
    "read-only": lambda: filled(md.Mapping((3, 4), md.LayoutStrideRelaxed((-4, 1), 8)), md.ReadOnlyAccessor()),
}


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_view_tells_what_its_mapping_tells_and_has_its_elements(name):
    mapping = MAPPINGS[name]()
    data = [str(k) for k in range(mapping.required_span_size + 1)]
    view = md.MDView.from_mapping(data, mapping, origin=1)
    assert (view.mapping, view.data, view.origin, view.format) == (mapping, data, 1, "O")
    assert [getattr(view, fact) for fact in FACTS] == [getattr(mapping, fact) for fact in FACTS]
    assert list(view.offsets()) == list(mapping.offsets())
    assert [view.extent(r) for r in range(view.rank + 1)] == [mapping.extent(r) for r in range(view.rank + 1)]
    assert (view.ndim, view.shape) == (mapping.rank, tuple(map(int, mapping.extents)))
    assert view.is_valid(*[0] * view.rank) == mapping.is_valid(*[0] * view.rank)
    if mapping.is_strided:
        assert view.strides == mapping.strides == tuple(view.stride(r) for r in range(view.rank))
    else:
        with pytest.raises(errors.NotStridedError):
            _ = view.strides
    assert view.tolist() == nested(mapping.extents, lambda index: data[1 + mapping(*index)])
    assert all(view.at([*index]) == view.at((*index, 0, 0)) == view[index] for index in indices_of(mapping.extents))
    assert ("1" in view) == (0 in list(mapping.offsets()))
    if mapping.rank == 0:
        for ask in (iter, len):
            with pytest.raises(errors.RankTypeError):
                ask(view)
    else:
        assert len(view) == mapping.extents[0]
        assert [row if mapping.rank == 1 else row.tolist() for row in view] == view.tolist()


def written_out(key, rank):
    """The same key with neither an ellipsis nor None, and which dimensions of the part are new."""
    named = [entry for entry in key if entry is not None and entry is not ...]
    left, part, added, place = [slice(None)] * (rank - len(named)), [], [], 0
    for entry in key if ... in key else (*key, ...):
        if entry is None:
            added.append(place)
        part += left if entry is ... else [entry] * (entry is not None)
        place += 1 if entry is None else len(left) if entry is ... else type(entry) is slice
    return tuple(part), tuple(added)


def check_key(view, key, elements):
    """The part has NumPy's shape and elements, the layout of what is written out, and the view's accessor."""
    expected, part = elements[key], view[key]
    if not isinstance(expected, np.ndarray):
        assert part == expected
        return
    assert (part.shape, part.tolist()) == (expected.shape, expected.tolist())
    assert part.accessor in (view.accessor, view.accessor.offset_policy())
    inner = part[None]  # of a part whose mapping has not been asked for
    again = md.MDView.from_mapping(inner.data, inner.mapping, inner.accessor, origin=inner.origin)
    assert inner.tolist() == again.tolist() == expected[None].tolist()
    slices, added = written_out(key, view.rank)
    if added or ... in key:
        whole = view[slices] if any(type(entry) is slice for entry in slices) else view[(*slices, ...)]
        again = md.expand_dims(whole, added) if added else whole
        assert (part.mapping, part.static_extents) == (again.mapping, again.static_extents)
        assert part.origin == again.origin or not part.size
    elif slice(None, None, -2) not in slices and -1 not in slices:
        ends = zip(slices, view.shape, strict=True)
        bounded = [slice(*entry.indices(e)[:2]) if type(entry) is slice else entry for entry, e in ends]
        whole = [md.ALL if entry == slice(None) else taken for entry, taken in zip(slices, bounded, strict=True)]
        mapping, start = md.mappings.submapping(view.mapping, *whole)
        assert part.mapping == mapping
        assert part.origin == view.origin + start or not part.size


def check_stores(view, key, elements):
    """A store through the key reaches what NumPy's reaches; lists of nothing do not tell their shape."""
    held, named = md.MDView.from_mapping(list(view.data), view.mapping, origin=view.origin), np.asarray(elements[key])
    new = 100 + np.arange(named.size).reshape(np.shape(named))
    for value in (new if not new.size else new.tolist(), 7):
        held[key] = value
        expected = elements.copy()
        expected[key] = value
        assert held.tolist() == expected.tolist()


@pytest.mark.parametrize("name", VIEWS)
def test_small_keys_select_and_store_as_numpys_do(name):
    view = VIEWS[name]()
    elements = np.empty(view.shape, dtype=object)
    for index in indices_of(view.shape):
        elements[index] = view[index]
    stores = view.is_unique and view.layout.is_total() and view.flags.writeable and view.rank < 4
    for number, key in enumerate(some(KEYS[: 9 ** (view.rank + 2)], 90)):
        try:
            elements[key]
        except IndexError:
            for use in (view.__getitem__, lambda key: view.__setitem__(key, 0)) if stores else (view.__getitem__,):
                with pytest.raises(IndexError):
                    use(key)
            continue
        for _ in range(2):  # the second time the part is found again
            check_key(view, key, elements)
        if stores and number % 3 == 0:
            check_stores(view, key, elements)


@pytest.mark.parametrize(
    ("key", "slices"),
    [
        (slice(1, -1), ((1, 3), md.ALL)),
        (slice(9, None), (md.ExtentSlice(4, 0), md.ALL)),
        (slice(None, None, -2), (md.ExtentSlice(3, 2, -2), md.ALL)),
        ((md.ALL, (1, 3)), (md.ALL, md.ExtentSlice(1, 2))),
        ((md.RangeSlice(0, 4, 3), range(2)), (md.ExtentSlice(0, 2, 3), md.ExtentSlice(0, 2))),
        ((..., np.uint8(3)), (md.ALL, 3)),
        ((True, ...), (1, md.ALL)),
        ((slice(0, 0, -1), (0, md.dim(2))), (md.ExtentSlice(0, 0, -1), (0, md.dim(2)))),
    ],
)
def test_a_key_may_have_the_slices_of_subviews(key, slices):
    matrix = md.MDView(list(range(20)), (4, 5))
    part, expected = matrix[key], md.subview(matrix, *slices)
    assert (part.mapping, part.origin, part.tolist()) == (expected.mapping, expected.origin, expected.tolist())
    assert matrix[np.int64(1), np.uint8(2)] == matrix[True, 2] == md.subview(matrix, 1, 2)[()] == 7


@pytest.mark.parametrize(
    "accessor", [md.CheckedAccessor(), md.UncheckedAccessor(), md.AtomicAccessor(), md.accessors.AlignedAccessor(8)]
)
def test_the_accessors_index_rule_holds_in_every_form_of_a_key(accessor):
    view = md.MDView(np.arange(12.0), (3, 4), md.LayoutRight(), accessor)
    assert np.asarray(view[None, :, 2]).tolist() == [[2.0, 6.0, 10.0]]
    assert view[None].accessor == view[:1].accessor
    view[1, ..., 2] = -1.0
    view[..., 2, 2, None] = -2.0
    assert np.asarray(view[-2:, 2]).tolist() == [-1.0, -2.0]
    for key in ((-1, 0), (..., -1), (None, -1), (-1, ...)):
        if isinstance(accessor, md.CheckedAccessor | md.UncheckedAccessor):
            with pytest.raises(errors.IndexOutOfRangeError, match="-1"):
                view[key]
        else:
            view[key]


@pytest.mark.parametrize("key", [3, -4, (3,), (-4,), (3, 0), (0, 4), (0, -5)])
def test_an_index_beyond_its_extent_is_refused_where_the_data_reach_farther(key):
    view = md.MDView.from_mapping(list(range(20)), md.Mapping((3, 4)), origin=4)
    assert [view[0].tolist(), view[-1, -1]] == [[4, 5, 6, 7], 15]  # forms of keys seen before
    with pytest.raises(errors.IndexOutOfRangeError):
        view[key]


@pytest.mark.parametrize("data", [list(range(1, 7)), array("d", range(1, 7))], ids=["list", "buffer"])
@pytest.mark.parametrize("rank", [1, 2, 65])
def test_an_index_that_nobody_checks_reaches_all_of_the_data_and_nothing_else(rank, data):
    """Ranks of compiled element access, and one above them."""
    view = md.MDView(data, (*[1] * (rank - 1), 6), accessor=md.UncheckedAccessor())
    outer = (0,) * (rank - 1)
    assert [view[(*outer, i)] for i in (0, 5)] == [1, 6]
    for i in (-1, -6, -7, 6):
        for use in (view.__getitem__, lambda key: view.__setitem__(key, 0)):
            with pytest.raises(errors.IndexOutOfRangeError, match=f"{i}.*6"):
                use((*outer, i))
    assert list(data) == [1, 2, 3, 4, 5, 6]


def test_data_of_any_kind_is_seen_where_the_view_begins():
    view = md.MDView.from_mapping(array("f", [1, 2, 3]), md.Mapping((2,)), origin=1)
    assert (view.format, view.itemsize, view.origin, view.accessor, view[0]) == ("f", 4, 1, md.DefaultAccessor(), 2.0)
    kind = type("Items", (), {"__len__": lambda self: 3, "__getitem__": lambda self, k: k * k})
    assert md.MDView(kind(), (3,), accessor=md.ReadOnlyAccessor()).tolist() == [0, 1, 4]
    data = list(range(6))
    shrunk = md.MDView(data, (2, 3))
    del data[4:]
    with pytest.raises(errors.IndexOutOfRangeError, match=r"\(1, 2\).*5.*4"):
        shrunk[1, 2]


WIDER = {
    "expanded": lambda v: md.expand_dims(v, 0),
    "broadcast": lambda v: md.broadcast_to(v, (3, *v.extents)),
    "expanded behind": lambda v: md.expand_dims(v, -1)[1:],
    "expanded twice": lambda v: md.expand_dims(md.broadcast_to(v, (2, *v.extents)), 1),
}
SQUARES = {
    "packed": lambda: filled(md.Mapping((3, 3), md.LayoutBlasPacked("upper", "row"))),
    "swizzled": lambda: filled(md.Mapping((4, 4), md.LayoutSwizzled(md.LayoutRight(), 1, 0, 2))),
    "mirrored": lambda: md.flip(filled(md.Mapping((3, 3), md.LayoutBlasPacked("lower", "column"))), 1),
    "user's": lambda: filled(md.Mapping((3, 4), LayoutBanded(1, 2))),
    "tiles": lambda: filled(md.Mapping((3, 4), md.LayoutTiled(2, 2))),
}


@pytest.mark.parametrize("mode", ["edge", "wrap", "reflect", "symmetric", "constant"])
@pytest.mark.parametrize("wider", WIDER)
@pytest.mark.parametrize("square", SQUARES)
def test_an_index_outside_is_refused_where_no_offset_depends_on_it(square, wider, mode):
    padded = WIDER[wider](md.pad(SQUARES[square](), 1, mode))
    for view, low in ((padded, -1), (md.checked(padded), 0)):
        for r, extent in enumerate(view.extents):
            for i in (extent, 10**6, low * extent - 1):
                index = (*[1 if e > 1 else 0 for e in view.extents[:r]], i, *[0] * (view.rank - r - 1))
                with pytest.raises(IndexError):
                    view[index]
                with pytest.raises(IndexError):
                    view[index] = 0
                if i > 0:
                    with pytest.raises(IndexError):
                        view.at(index)


RECORD = [("key", "i4"), ("pair", "i2", (2,)), ("inner", [("x", "f8"), ("name", "S2")])]


@pytest.mark.parametrize("layout", [None, md.LayoutTiled(2)], ids=["rows", "tiles"])
def test_lists_of_records_are_tuples_that_follow_no_store(layout):
    array = np.array([(k, (k, -k), (k / 2, b"ab")) for k in (3, 1, 2, 0)], RECORD)
    view = md.MDView(array, (4,), layout or md.LayoutRight())
    rows = view.tolist()
    assert rows == [(k, [k, -k], (k / 2, b"ab")) for k in (3, 1, 2, 0)]
    view[:] = sorted(rows)
    assert rows[0] == (3, [3, -3], (1.5, b"ab"))
    assert view.tolist() == sorted(rows)
    view[1:3] = rows[0]
    assert [row[0] for row in view.tolist()] == [0, 3, 3, 3]
    assert view[0:1].tolist() == [(0, [0, 0], (0.0, b"ab"))]


@pytest.mark.parametrize(
    ("key", "row"),
    [
        ("inner", lambda k: (k / 2, b"ab")),
        (("key", "inner"), lambda k: (k, (k / 2, b"ab"))),
        (("parts", 1), lambda k: (k, [k, 2])),
        ("void", lambda k: b"%dbc" % k),
    ],
    ids=["record", "several", "one of an array", "bytes"],
)
def test_lists_of_fields_of_records_are_those_of_records(key, row):
    kind = [*RECORD, ("parts", [("a", "i1"), ("b", "u1", (2,))], (2,)), ("void", "V3")]
    array = np.array([(k, (k, k), (k / 2, b"ab"), [(k, (k, 2))] * 2, b"%dbc" % k) for k in (3, 1, 2)], kind)
    field = md.asview(array)[key]
    rows = field.tolist()
    assert {*map(type, rows)} <= {tuple, bytes}
    field[:] = sorted(rows)
    assert rows == [row(k) for k in (3, 1, 2)]
    assert field.tolist() == [row(k) for k in (1, 2, 3)]


STEPS = {
    "slices": lambda v: v[1:],
    "flips": lambda v: md.flip(v[1:], 1),
    "transposes": lambda v: v.T[:, 1:],
    "rows of three": lambda v: md.expand_dims(v[1:], 0)[0, :, :],
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("layout", [md.LayoutRight(), md.LayoutTiled(4, 8), md.LayoutMorton()], ids=repr)
def test_a_mapping_is_the_same_whether_each_step_asks_for_it_or_the_last(layout, step):
    asked = unasked = md.MDView(array("d", range(1 << 14)), (90, 90), layout)
    for _ in range(40):
        asked, unasked = STEPS[step](asked), STEPS[step](unasked)
        assert asked.mapping.extents == unasked.shape
    assert (unasked.mapping, unasked.layout, unasked.origin) == (asked.mapping, asked.layout, asked.origin)
    assert (
        unasked.tolist()
        == asked.tolist()
        == md.MDView.from_mapping(asked.data, asked.mapping, origin=asked.origin).tolist()
    )
