"""None in brackets is a new axis, on every view: NumPy's basic indexing decides which part and which shape."""

from itertools import product
from random import Random

import numpy as np
import pytest

from mdview import (
    AlignedAccessor,
    AtomicAccessor,
    CheckedAccessor,
    LayoutMorton,
    LayoutRight,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    UncheckedAccessor,
    broadcast_to,
    dim,
    expand_dims,
    flip,
    pad,
    permute_dims,
    readonly,
    reshape,
    scaled,
    sliding_window,
    subview,
)
from mdview.errors import (
    IndexOutOfRangeError,
    IndexTypeError,
    NullViewError,
    ReadOnlyError,
    ShapeError,
    SliceTypeError,
    TooManyIndicesError,
)
from mdview.testing.samples.layouts import LAYOUTS, bound

ENTRIES = [0, -1, slice(None), slice(1, None), slice(None, None, -2), slice(0, 0), ..., None]
SHAPES = [(), (3,), (0,), (1,), (2, 3), (1, 4), (3, 0), (2, 1, 3)]
BASES = {f"{name}, {shape}": bound(name, shape) for name in LAYOUTS for shape in ((3, 4), (1, 3), (4, 4), (0, 2))}
OVER = {
    "slice": lambda v: v[1:, ::2],
    "column": lambda v: v[:, 1:2],
    "flip": flip,
    "turned": lambda v: permute_dims(v, (1, 0)),
    "padded": lambda v: pad(v, 1, constant=-1),
    "repeated": lambda v: broadcast_to(v, (2, 4, 4)),
    "reshaped": lambda v: reshape(v, (2, 8)),
    "windows": lambda v: sliding_window(v, (2, 2)),
    "read-only": readonly,
    "scaled": lambda v: scaled(3, v),
}


def keys(rank, extra=2):
    """Every key with a None and at most one ellipsis, of few entries."""
    for length in range(1, rank + extra + 1):
        for key in product(ENTRIES, repeat=length):
            if None in key and key.count(...) <= 1 and sum(e is not None and e is not ... for e in key) <= rank:
                yield key


def random_keys(rank, seed, count=60):
    pick = Random(seed)  # noqa: S311 - keys to try
    found = []
    while len(found) < count:
        entries = pick.choices([*ENTRIES[:-2], 1, slice(-2, 9)], k=pick.randint(0, rank))
        if pick.random() < 0.5:
            entries.insert(pick.randint(0, len(entries)), ...)
        for _ in range(pick.randint(1, 3)):
            entries.insert(pick.randint(0, len(entries)), None)
        found.append(tuple(entries))
    return found


def filled(mapping):
    """View that has another number at each offset."""
    return MDView.from_mapping(list(range(mapping.required_span_size)), mapping)


def values(view):
    """Array of the elements, one by one."""
    found = np.empty(view.shape, dtype=object)
    for index in np.ndindex(*view.shape):
        found[index] = view[index]
    return found


def check(view, key, array):
    try:
        expected = array[key]
    except IndexError:
        with pytest.raises(IndexError):
            view[key]
        return
    for _ in range(2):  # the second time parts are found again
        part = view[key]
        assert part.shape == expected.shape, key
        assert part.tolist() == expected.tolist(), key
        assert all(part[index] == expected[index] for index in np.ndindex(*expected.shape)), key


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_small_key_selects_what_numpy_selects(shape):
    view = filled(Mapping(shape, LayoutRight()))
    array = values(view)
    for key in keys(len(shape), extra=2 if len(shape) < 2 else 1 if len(shape) < 3 else 0):
        check(view, key, array)
        if len(key) == 1:
            check(view, key[0], array)


@pytest.mark.parametrize("mapping", [m for m in BASES.values() if m], ids=[n for n, m in BASES.items() if m])
def test_every_layout_takes_new_axes(mapping):
    view = filled(mapping)
    array = values(view)
    for key in random_keys(2, repr(mapping)):
        check(view, key, array)


@pytest.mark.parametrize("layout", [LayoutRight(), LayoutTiled(2, 3), LayoutMorton()], ids=repr)
@pytest.mark.parametrize("how", OVER)
def test_so_does_every_derived_view_and_each_part_of_a_part(how, layout):
    view = OVER[how](filled(Mapping((4, 4), layout)))
    array = values(view)
    for number, key in enumerate(random_keys(view.rank, how, 40)):
        check(view, key, array)
        try:
            part, expected = view[key], array[key]
        except IndexError:
            continue
        for again in random_keys(part.rank, number, 3):
            check(part, again, expected)


@pytest.mark.parametrize("accessor", [CheckedAccessor, UncheckedAccessor, AtomicAccessor, lambda: AlignedAccessor(8)])
def test_the_accessors_index_rule_holds_beside_new_axes(accessor):
    view = MDView(np.arange(12.0), (3, 4), LayoutRight(), accessor())
    assert view[1, None, 2].shape == (1,)
    assert np.asarray(view[None, :, 2]).tolist() == [[2.0, 6.0, 10.0]]
    assert view[None].accessor == view[:1].accessor
    if accessor in {CheckedAccessor, UncheckedAccessor}:
        with pytest.raises(IndexOutOfRangeError, match="does not count from the end"):
            view[None, -1]


@pytest.mark.parametrize("layout", [LayoutRight(), LayoutTiled(2, 2), LayoutStrideRelaxed((-4, 1), 12)], ids=repr)
def test_stores_through_new_axes_reach_what_numpys_reach(layout):
    for key in [k for k in keys(2, extra=1) if k.count(None) < 3]:
        view = MDView(list(range(16)), (4, 4), layout)
        array = values(view)
        try:
            target = array[key]
        except IndexError:
            continue
        new = np.arange(100, 100 + target.size).reshape(target.shape)
        view[key] = new.tolist() if new.size else new  # lists of nothing do not tell their shape
        array[key] = new
        assert view.tolist() == array.tolist(), key
        view[key] = array[key] = 7
        assert view.tolist() == array.tolist(), key


def test_a_store_takes_views_and_arrays_of_the_parts_shape_and_no_other():
    view = MDView([0.0] * 6, (2, 3))
    view[None, :] = np.arange(6.0).reshape(1, 2, 3)
    view[:, None] = expand_dims(MDView([9.0, 8.0, 7.0, 6.0, 5.0, 4.0], (2, 3)), 1)
    assert view.tolist() == [[9.0, 8.0, 7.0], [6.0, 5.0, 4.0]]
    with pytest.raises(ShapeError, match=r"cannot store shape \(2, 3\) into shape \(1, 2, 3\)"):
        view[None] = MDView([0.0] * 6, (2, 3))
    assert view.tolist() == [[9.0, 8.0, 7.0], [6.0, 5.0, 4.0]]


def test_a_read_only_view_takes_new_axes_and_no_store():
    view = MDView(b"abcd", (2, 2), accessor=ReadOnlyAccessor())
    assert view[None, 0].tolist() == [[97, 98]]
    for key in (None, (None, 0), (0, None, 0), (..., None), (slice(None), None)):
        with pytest.raises(ReadOnlyError):
            view[key] = 0


def test_one_element_and_a_new_axis_are_a_view_of_rank_1():
    view = MDView(list(range(6)), (2, 3))
    part = view[1, 2, None]
    assert (part.shape, part.origin, part[0]) == ((1,), 5, 5)
    part[0] = 50
    assert view[1, 2] == 50
    alone = MDView([4], ())
    assert (alone[None].tolist(), alone[None, ..., None].tolist()) == ([4], [[4]])


def test_static_extents_stay_and_a_new_one_is_dynamic():
    view = MDView(list(range(6)), (dim(2), dim(3)))
    assert view[:, None].static_extents == (2, None, 3)
    assert view[None, 1:].static_extents == (None, None, 3)


def test_the_layout_is_that_of_expand_dims():
    for layout in (LayoutRight(), LayoutTiled(2, 2), LayoutStrideRelaxed((1, 4))):
        view = MDView(list(range(16)), (4, 4), layout)
        assert view[:, None].mapping == expand_dims(view, 1).mapping
        assert view[None, ..., None].layout == expand_dims(view, (0, 3)).layout


def test_new_axes_count_for_no_dimension():
    view = MDView(list(range(6)), (2, 3))
    with pytest.raises(TooManyIndicesError, match=r"3 indices are too many for extents \(2, 3\)"):
        view[0, None, 0, 0]
    with pytest.raises(IndexTypeError, match="at most one ellipsis"):
        view[..., None, ...]
    with pytest.raises(IndexOutOfRangeError, match="index 3 is out of range for extent 3 of dimension 1"):
        view[None, 0, None, 3]
    with pytest.raises(IndexTypeError, match="never gathers"):
        view[None, [0, 1]]


def test_nothing_in_a_key_is_compared_with_none():
    view = MDView(list(range(6)), (2, 3))
    with pytest.raises(IndexTypeError, match="never gathers"):
        view[np.array([True, False]), None]
    assert view[np.int64(1), None, np.uint8(2)].tolist() == [5]


def test_a_released_view_has_no_new_axis():
    view = MDView(bytearray(4), (2, 2))
    view[None]
    view.release()
    with pytest.raises(NullViewError):
        view[None]
    with pytest.raises(NullViewError):
        view[None, 0] = 1


def test_subview_names_the_way_to_a_new_axis():
    """A slice of the standard stands for a dimension of the source, and a new axis for none."""
    with pytest.raises(SliceTypeError, match=r"got None; a new axis, .* view\[None\], or by expand_dims"):
        subview(MDView(list(range(6)), (2, 3)), None, 0)
